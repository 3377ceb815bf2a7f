"""Writing a choice down: the configuration with its comments, and the credentials file.

Owns: the text of a new configuration file (every key with its default and a remark), the small edits of one that exists, and keeping
a key where the service finds it. Leaves the edits themselves to ``config.edit``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from extractord.agent.claude_code.program import TOKEN
from extractord.agent.providers import FACTS
from extractord.agent.server import KEPT_OUT, read_credentials
from extractord.config import Backend, Config, Price, Provider, Sandbox, Seconds, parse, write_private
from extractord.config.edit import set_value
from extractord.config.values import ClockTime
from extractord.errors import UsageError
from extractord.runs.asking import FORBIDDEN

_HEAD = """\
# Configuration of extractord. A line that begins with "# " and a key shows its default: take the mark away to change it.
# `extractord config --show` tells what is in force, `extractord config --check` whether this file is right.

"""
_REMARKS: Mapping[str, str] = {
    "backend": "offline | anthropic | claude-code (your own Claude Code, outside the guarantee of three confined processes)",
    "provider": "anthropic | bedrock | vertex | foundry",
    "model": "its price has to be known, or given below",
    "base_url": "another /v1/messages server: a gateway, or one of this machine",
    "claude": "program of the claude-code backend, where it is not found",
    "off": "stop extraction everywhere",
    "headless": "sessions that a program drove: extract | review | skip",
    "exclude": "globs on the project's folder; the default are the temp folders",
    "sandbox": "auto | required | off",
    "watch": "auto | events | poll",
    "workers": "sessions at once, one per memory directory",
    "settle": "how long a session must have been quiet",
    "settle.idle": "its client is open and idle, or unknown",
    "settle.exited": "its client is gone",
    "settle.pending": "a call or a prompt is unanswered",
    "settle.longest": "always enough",
    "budget": "US dollars, checked before each call; over a cap nothing is sent",
    "budget.sessions_per_day": "runs of the claude-code backend",
    "memory.write": "apply | review (everything waits for your word)",
    "memory.style": "topics | daily-log",
    "memory.skip_scope": "stretch | turn: what a memory write of the agent itself leaves out",
    "memory.new_topics": "of one stretch",
    "limits.digest_tokens": "of one piece that a model reads",
    "limits.turns": "answers of a model in one run",
    "limits.extraction_seconds": "of one run",
    "retry.first": "then twice as long each time",
    "retry.park_after": "failures, after which a person has to say so",
    "dream.at": "local time of the nightly tidying",
    "dream.backend": "the default is the backend above",
    "history.keep": "changesets, for undo",
    "evidence.keep": "quotes, for why",
}
# Keys without a value of their own by default: what one could look like.
_EXAMPLES: Mapping[str, str] = {
    "base_url": '"http://127.0.0.1:11434"',
    "claude": '"/opt/claude/bin/claude"',
    "exclude": '["~/scratch/**"]',
    "dream.backend": '"offline"',
    "evidence.keep": '"forever"',
}
_TAIL = """
# A price in US dollars per million tokens, for a model that is not known here:
# [prices."some-model"]
# input = 0.10
# output = 0.50

# What differs for some projects; of several rules that match, the later one decides:
# [[project]]
# match = "~/work/secret-*"
# off = true
"""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person chose; None: as it is."""

    backend: Backend
    provider: Provider | None = None
    model: str | None = None
    base_url: str | None = None
    claude: str | None = None
    price: Price | None = None

    def over(self, config: Config) -> Config:
        """Return the configuration with the choice in force. Raises UsageError for one that contradicts itself."""
        named = {key: value for key, value in self._values() if value is not None}
        chosen = msgspec.structs.replace(config, backend=self.backend, **named)
        if self.price is not None:
            chosen = msgspec.structs.replace(chosen, prices={**chosen.prices, chosen.model: self.price})
        if chosen.backend is Backend.CLAUDE_CODE and chosen.sandbox is Sandbox.REQUIRED:
            raise UsageError(FORBIDDEN, hint='choose another backend, or sandbox = "auto"')
        return chosen

    def entries(self) -> Iterator[tuple[str, str]]:
        """Yield the keys that are written, with their values."""
        yield "backend", self.backend.value
        for key, value in self._values():
            if value is not None:
                yield key, value.value if isinstance(value, Provider) else value

    def _values(self) -> Iterator[tuple[str, str | Provider | None]]:
        yield "provider", self.provider
        yield "model", self.model
        yield "base_url", self.base_url
        yield "claude", self.claude


def write(choice: Choice, path: Path, config: Config) -> None:
    """Write the choice into the configuration file: a whole new one, or the few lines that differ. Raises UsageError."""
    if not path.exists():
        text = new_text(dict(choice.entries())) + _priced(choice, config)
        parse(text, path)
        write_private(path, text)
        return
    for key, value in choice.entries():
        if str(getattr(getattr(config, key), "value", getattr(config, key))) != value or key not in config.origins:
            set_value(path, key, value)
    if choice.price is not None and choice.over(config).model not in config.prices:
        old = path.read_text(encoding="utf-8")
        text = old.rstrip() + "\n" + _priced(choice, config)
        parse(text, path)
        write_private(path, text)


def new_text(chosen: Mapping[str, str]) -> str:
    """Return a configuration with every key: chosen ones in force, the others as comments with their defaults."""
    default = Config()
    lines = [_line(key, _written(key, getattr(default, key)), chosen.get(key), "") for key in _keys(default)]
    for table in _tables(default):
        inner = getattr(default, table)
        remark = f"  # {_REMARKS[table]}" if table in _REMARKS else ""
        lines += ["", f"[{table}]{remark}"]
        lines += [_line(key, _written(f"{table}.{key}", getattr(inner, key)), None, f"{table}.") for key in inner.__struct_fields__]
    return _HEAD + "\n".join(lines) + "\n" + _TAIL


def keep_keys(choice: Choice, file: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Write what the environment holds for the chosen backend into the credentials file (0600), where a service finds it.

    Returns the names. What is there stays, but for the same names. Raises UsageError.
    """
    wanted = {name: value for name, value in environ.items() if value and "\n" not in value and _is_for(choice, name)}
    if not wanted:
        return ()
    read_credentials(file)  # one that is broken is not built upon
    old = file.read_text(encoding="utf-8-sig").splitlines() if file.exists() else []
    kept = [line for line in old if line.removeprefix("export ").partition("=")[0].strip() not in wanted]
    write_private(file, "\n".join([*kept, *(f"{name}={value}" for name, value in sorted(wanted.items()))]) + "\n")
    return tuple(sorted(wanted))


def _is_for(choice: Choice, name: str) -> bool:
    if choice.backend is Backend.CLAUDE_CODE:
        return name == TOKEN
    facts = FACTS[choice.provider or Provider.ANTHROPIC]
    return choice.backend is Backend.ANTHROPIC and facts.passes(name) and not name.startswith(KEPT_OUT)


def _keys(config: Config) -> Iterator[str]:
    yield from (key for key in config.__struct_fields__ if not _is_table(config, key))


def _tables(config: Config) -> Iterator[str]:
    yield from (key for key in config.__struct_fields__ if hasattr(getattr(config, key), "__struct_fields__"))


def _is_table(config: Config, key: str) -> bool:
    return hasattr(getattr(config, key), "__struct_fields__") or key in ("prices", "project", "origins")


def _line(key: str, default: str, chosen: str | None, above: str) -> str:
    remark = _REMARKS.get(f"{above}{key}", "")
    said = f"{key} = {json.dumps(chosen)}" if chosen is not None else f"# {key} = {default}"
    return f"{said}  # {remark}" if remark else said


def _written(key: str, value: object) -> str:
    match value:
        case None:
            return _EXAMPLES.get(key, '""')
        case bool():
            return "true" if value else "false"
        case Seconds() | ClockTime():
            return json.dumps(str(value))
        case int() | float():
            return repr(value)
        case _:
            return json.dumps(str(getattr(value, "value", value)))


def _priced(choice: Choice, config: Config) -> str:
    if choice.price is None:
        return ""
    return f"\n[prices.{json.dumps(choice.over(config).model)}]\ninput = {choice.price.input!r}\noutput = {choice.price.output!r}\n"
