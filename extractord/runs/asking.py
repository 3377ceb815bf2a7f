"""Which model a project's sessions are given to, on which terms, and whether that costs anything.

Owns: from configuration and surroundings to terms. Leaves prices to ``agent.prices``, what is sent to ``agent.prompting``.
"""

from __future__ import annotations

from extractord.agent.claude_code.program import ClientTerms
from extractord.agent.prices import habits_of, rates_for
from extractord.agent.relay import Terms
from extractord.agent.server import Server
from extractord.claude_home import Surroundings
from extractord.config import Backend, Config, Locations, Sandbox, backend_for
from extractord.errors import UsageError
from extractord.supervisor import Supervisor

FORBIDDEN = 'backend claude-code stands outside the sandbox, and sandbox = "required" forbids that'


def asked_for(supervisor: Supervisor, project_root: str) -> Terms | ClientTerms | None:
    """Return the terms of the model for a project, None for the offline one. Raises UsageError for one that cannot be asked."""
    config, surroundings = supervisor.config, supervisor.surroundings
    match backend_for(project_root, config, surroundings.home):
        case Backend.AUTO | Backend.OFFLINE:
            return None
        case Backend.ANTHROPIC:
            return terms_of(config, supervisor.locations, surroundings)
        case Backend.CLAUDE_CODE:
            return client_terms_of(config, supervisor.locations, surroundings)


def terms_of(config: Config, locations: Locations, surroundings: Surroundings) -> Terms:
    """Return on which terms the ``anthropic`` backend is asked. Raises UsageError."""
    server = Server.of(config.base_url, locations.credentials, surroundings.environ, surroundings.home, config.provider, config.sandbox)
    rates = rates_for(config.model, config.prices, local=server.local)
    return Terms(config.model, server, rates, habits_of(config.model, server), config.limits.turns)


def client_terms_of(config: Config, locations: Locations, surroundings: Surroundings) -> ClientTerms:
    """Return on which terms the user's own client is asked. Raises UsageError, above all where confinement is required."""
    if config.sandbox is Sandbox.REQUIRED:
        raise UsageError(
            FORBIDDEN,
            hint='choose another backend, or sandbox = "auto"',
        )
    return ClientTerms.of(config.claude, config.model, locations.run, locations.credentials, surroundings.environ, surroundings.home)


def needs_consent(supervisor: Supervisor, project_root: str) -> bool:
    """Whether a project's sessions cost something: money, or what the login of the user's own client allows."""
    match asked_for(supervisor, project_root):
        case None:
            return False
        case ClientTerms():
            return True
        case Terms(rates=rates):
            return not rates.free
