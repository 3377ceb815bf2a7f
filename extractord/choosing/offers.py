"""What each choice would cost for the sessions of the last 30 days, and what of them would leave this machine.

Owns: the need of those sessions (by the estimate of ``extraction``, as if nothing had been dealt with yet) and the choices with their
prices. Leaves prices to ``agent.prices``, the estimate to ``extraction.estimate``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from extractord.agent.prices import AS_OF
from extractord.agent.providers import FACTS
from extractord.choosing.found import Found
from extractord.claude_home import Surroundings
from extractord.config import Backend, Config, Locations, Provider
from extractord.errors import UsageError
from extractord.extraction.estimate import Estimate, estimate
from extractord.extraction.plan import Scope
from extractord.extraction.survey import survey
from extractord.runs.sending import NOTHING, TO_A_MODEL, TO_OWN_CLIENT
from extractord.supervisor import WallClock, dry

DAYS = 30


@dataclass(frozen=True, slots=True)
class Need:
    """What the sessions of the last 30 days would take if each run needed one answer; no cost where the price is not known."""

    sessions: int
    runs: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class Offer:
    """One choice. ``cost_usd`` is None where no price is known or none is asked by us; ``note`` says which."""

    name: str
    found: bool
    detail: str
    leaves: str
    cost_usd: float | None
    note: str


def need_of(config: Config, locations: Locations, surroundings: Surroundings, now: float) -> Need:
    """Return what the sessions of the last 30 days need of the configured model, whatever the ledger knows of them."""
    asked = msgspec.structs.replace(config, backend=Backend.ANTHROPIC, project=())
    try:
        return _summed(_estimates(asked, locations, surroundings, now))
    except UsageError:  # nobody knows its price
        need = _summed(_estimates(msgspec.structs.replace(asked, backend=Backend.OFFLINE), locations, surroundings, now))
        return replace(need, cost_usd=None)


def _estimates(config: Config, locations: Locations, surroundings: Surroundings, now: float) -> list[Estimate]:
    fresh = Locations(locations.config_file, Path("/nonexistent/extractord"), locations.credentials)
    with dry(fresh, config, surroundings, WallClock()) as supervisor:
        scope = Scope(since=now - DAYS * 86_400, again=True)  # what memory holds already counts as well: so much there is in a month
        return [one for one in estimate(supervisor, survey(supervisor, scope)) if one.runs]


def _summed(found: list[Estimate]) -> Need:
    tokens = sum(one.input_tokens for one in found), sum(one.output_tokens for one in found)
    return Need(len(found), sum(one.runs for one in found), *tokens, sum(one.cost_usd for one in found))


def offers(found: Found, need: Need, config: Config) -> Iterator[Offer]:
    """Yield the choices."""
    yield Offer("offline", True, "the extractor of this package", NOTHING, 0.0, "finds what was said in so many words")
    yield _anthropic(found, need, config)
    yield _claude_code(found, need, config)
    for server in found.servers:
        listed = f", lists {', '.join(server.models[:4])}" if server.models else ""
        yield Offer("local", True, f"{server.title} at {server.base_url}{listed}", NOTHING, 0.0, "free, as far as we know")


def leaves(config: Config) -> str:
    """Return what leaves this machine under a configuration, in a sentence."""
    match config.backend:
        case Backend.AUTO | Backend.OFFLINE:
            return NOTHING
        case Backend.ANTHROPIC:
            return f"to {config.base_url or FACTS[config.provider].title}: {TO_A_MODEL}"
        case Backend.CLAUDE_CODE:
            return TO_OWN_CLIENT


def _anthropic(found: Found, need: Need, config: Config) -> Offer:
    where = [f"{name} in {place}" for name, place in found.keys]
    where += [f"gateway {found.gateway}"] if found.gateway else []
    where += [f"a login of the SDK in {found.profile}"] if found.profile else []
    if config.provider is not Provider.ANTHROPIC:
        where = [f"{FACTS[config.provider].title}: {FACTS[config.provider].way_out}"]
    cost = need.cost_usd
    note = f"{config.model}, prices of {AS_OF}" if cost is not None else f"the price of {config.model} is not known: give it with --price"
    named = msgspec.structs.replace(config, backend=Backend.ANTHROPIC, base_url=config.base_url or found.gateway)
    return Offer("anthropic", bool(where), "; ".join(where) or "no key and no login was found", leaves(named), cost, note)


def _claude_code(found: Found, need: Need, config: Config) -> Offer:
    client, most = found.client, config.budget.sessions_per_day
    detail = "no Claude Code was found"
    if client is not None:
        login = "" if client.login else ", no login was seen (one in a keychain is not)"
        detail = f"{client.path}{f', version {client.version}' if client.version else ''}{login}"
    note = f"{need.runs} runs against your own login, at most {most} a day; what they cost, if anything, is between it and its vendor"
    return Offer(
        "claude-code", client is not None, detail, leaves(msgspec.structs.replace(config, backend=Backend.CLAUDE_CODE)), None, note
    )
