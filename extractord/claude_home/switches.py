"""Whether auto memory is switched on.

Owns: the chain of switches (MEMORY-RULES §3, facts §1 and §1b); pure. Leaves what a session's own records show to ``transcript``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from extractord.claude_home.settings import Authority, Settings

DISABLE = "CLAUDE_CODE_DISABLE_AUTO_MEMORY"
SIMPLE = "CLAUDE_CODE_SIMPLE"
REMOTE = "CLAUDE_CODE_REMOTE"
REMOTE_MEMORY = "CLAUDE_CODE_REMOTE_MEMORY_DIR"
_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


class Switch(msgspec.Struct, frozen=True):
    """Whether memory is on, and what says so ("" if nothing does)."""

    on: bool
    reason: str


class Variable(msgspec.Struct, frozen=True):
    """A variable as the client would see it, and who set it."""

    value: str
    origin: str
    authority: Authority


def env_boolean(value: str | None) -> bool | None:
    """Return what a variable means to the client: any case, blanks around it; anything else counts as unset (facts §1b)."""
    word = (value or "").strip().lower()
    return True if word in _TRUE else False if word in _FALSE else None


def variables(name: str, chain: Sequence[Settings], environ: Mapping[str, str]) -> list[Variable]:
    """Return each place that sets ``name``, the strongest first; settings win over the environment (facts §10.5)."""
    found = [Variable(layer.env[name], layer.called, layer.authority) for layer in chain if name in layer.env]
    return [*found, *([Variable(environ[name], "the environment", Authority.FULL)] if name in environ else [])]


def memory_switch(chain: Sequence[Settings], environ: Mapping[str, str]) -> Switch:
    """Return whether memory is on; the first rule that applies decides."""
    if (simple := _switch_off(SIMPLE, chain, environ)) and env_boolean(simple.value):
        return Switch(on=False, reason=_said(SIMPLE, simple))  # even where DISABLE is 0: its short prompt has no memory section (facts §1)
    if (disable := _switch_off(DISABLE, chain, environ)) and (off := env_boolean(disable.value)) is not None:
        return Switch(on=not off, reason=_said(DISABLE, disable))
    remote = _switch_off(REMOTE, chain, environ)
    if remote and env_boolean(remote.value) and not _has_remote_memory(chain, environ):
        return Switch(on=False, reason=f"{_said(REMOTE, remote)} and {REMOTE_MEMORY} is not set")
    for layer in chain:
        if layer.enabled is False or (layer.enabled and layer.authority is Authority.FULL):
            word = "true" if layer.enabled else "false"
            return Switch(on=layer.enabled, reason=f"autoMemoryEnabled is {word} in the {layer.called}")
    return Switch(on=True, reason="")


def _switch_off(name: str, chain: Sequence[Settings], environ: Mapping[str, str]) -> Variable | None:
    """Return the setting of ``name`` that counts: of files without full authority only one that switches off."""
    found = variables(name, chain, environ)
    return next((one for one in found if one.authority is Authority.FULL or env_boolean(one.value)), None)


def _has_remote_memory(chain: Sequence[Settings], environ: Mapping[str, str]) -> bool:
    found = variables(REMOTE_MEMORY, chain, environ)
    return any(one.value for one in found if one.authority is not Authority.SWITCH_OFF)


def _said(name: str, variable: Variable) -> str:
    return f"{name} is {variable.value.strip()!r} in {variable.origin}"
