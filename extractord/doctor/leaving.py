"""What leaves this machine, by the configuration in force, and what was saved for projects that are left alone by now.

Owns: these two findings. Leaves which server is asked to ``agent.server``, what is excluded to ``claude_home``.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from extractord.agent.server import Server
from extractord.claude_home import excluded, switched_off
from extractord.config import Backend
from extractord.doctor.finding import Check, Finding, Visit, good
from extractord.errors import ExtractordError
from extractord.ledger import Ledger
from extractord.report.text import counted
from extractord.runs.sending import TO_A_MODEL, TO_OWN_CLIENT
from extractord.sharing.git import Remote

NOTHING = "nothing: sessions are read and memory is written here, no server is contacted"


def leaves(visit: Visit) -> Finding:
    """What is sent, and to whom; always in order, since somebody chose it."""
    told, shared = list(dict.fromkeys(_by_backend(visit))), list(_by_team(visit))
    said = "; ".join([*told, *shared])
    if told == [NOTHING]:
        return good("what leaves", said)
    return good("what leaves", said, 'backend = "offline" keeps everything here; `extractord off --cwd DIR` one project.')


def _by_backend(visit: Visit) -> Iterator[str]:
    config = visit.config
    yield _sent(visit, config.backend)
    for rule in config.project:
        if rule.backend is not None and not rule.off:
            yield f"for {rule.match}: {_sent(visit, rule.backend)}"
    if config.dream.backend is not None and config.dream.backend is not config.backend:
        yield f"consolidating at night: {_sent(visit, config.dream.backend)}"


def _by_team(visit: Visit) -> Iterator[str]:
    """Yield what is shared with teammates, and where."""
    for rule in visit.config.project:
        if rule.team is not None:
            yield f"for {rule.match}: what lies below memory/team/ goes to {Remote(rule.team).shown} when you say `extractord team sync`"


def _sent(visit: Visit, backend: Backend) -> str:
    match backend:
        case Backend.AUTO | Backend.OFFLINE:
            return NOTHING
        case Backend.ANTHROPIC:
            config, surroundings = visit.config, visit.surroundings
            server = Server.of(config.base_url, visit.locations.credentials, surroundings.environ, surroundings.home, config.provider)
            host = (urlsplit(server.base_url).hostname if server.base_url else None) or server.title
            return f"nothing: {host} is this machine" if server.local else f"to {host}: {TO_A_MODEL}"
        case Backend.CLAUDE_CODE:
            return TO_OWN_CLIENT


def left_alone(visit: Visit) -> Finding | None:
    """Offer to forget what was saved for projects before they were excluded or switched off."""
    if visit.config.off or not Ledger.exists(visit.locations.state):
        return None
    saved = _saved(visit)
    config, surroundings = visit.config, visit.surroundings
    alone = [root for root in sorted(saved) if excluded(root, config, surroundings) or switched_off(root, config, surroundings)]
    if not alone:
        return None
    number = counted(sum(saved[root] for root in alone), "topic")
    fix = " and ".join(f"`extractord forget --project {root}`" for root in alone[:3])
    return good("left alone", f"{number} saved for {', '.join(alone)} before it was excluded or switched off", f"To remove them: {fix}.")


def _saved(visit: Visit) -> dict[str, int]:
    """Return how many topics are ours, by project; none where the check of the ledger says what is wrong with it."""
    try:
        with Ledger.in_memory(visit.locations.state) as ledger:
            of = {sighting.memory_dir: sighting.project_root or sighting.cwd for sighting in ledger.sightings().values()}
            return {root: len(topics) for memory_dir, root in of.items() if (topics := ledger.own_topics(memory_dir))}
    except ExtractordError:
        return {}


CHECKS = (Check("what leaves", leaves), Check("left alone", left_alone))
