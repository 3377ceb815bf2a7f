"""Every backend that asks a model, each pointed at one scripted server on loopback as its users would point it.

Owns: what configuration, environment and settings each needs, and how its model says the same thing. Leaves what is promised to
``test_backend_contract``.
"""

from __future__ import annotations

import enum
import json
import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from extractord.agent.model_line import ModelLine
from extractord.agent.protocol import Reply
from extractord.claude_home import Surroundings
from extractord.config import Config, Locations, parse
from extractord.extraction.chunk import answering
from extractord.ledger import Ledger
from extractord.runs.asking import asked_for
from extractord.runs.purse import LedgerPurse
from extractord.supervisor import Supervisor
from tests import client_runs
from tests.homes import Home
from tests.model_runs import KEY
from tests.scripted_server import Answer, Block, ScriptedServer, serving
from tests.test_prompts import briefing

PROJECT = "/nonexistent/shop"


class Asked(enum.Enum):
    """A backend, with the way it finds its server."""

    ANTHROPIC = "anthropic"
    LOCAL = "a local server"
    GATEWAY = "a gateway"
    BEDROCK = "bedrock"
    VERTEX = "vertex"
    FOUNDRY = "foundry"
    CLIENT = "claude-code"


def config_of(asked: Asked, server: ScriptedServer) -> Config:
    """Return the configuration that names the backend."""
    backend = 'backend = "claude-code"' if asked is Asked.CLIENT else 'backend = "anthropic"'
    more = {
        Asked.LOCAL: f'base_url = "{server.url}"\nmodel = "small"',
        Asked.BEDROCK: 'provider = "bedrock"',
        Asked.VERTEX: 'provider = "vertex"',
        Asked.FOUNDRY: 'provider = "foundry"',
    }
    caps = "budget.usd_per_day = 100\nbudget.usd_per_month = 100\nbudget.sessions_per_day = 100\n"
    return parse(f"{backend}\n{more.get(asked, '')}\nlimits.turns = 1\n{caps}", Path("config.toml"))


def environment_of(asked: Asked, server: ScriptedServer, root: Path) -> dict[str, str]:
    """Return what stands in a user's environment."""
    match asked:
        case Asked.ANTHROPIC:
            return {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": KEY}
        case Asked.LOCAL:
            return {}
        case Asked.GATEWAY:
            headers = "x-team: memory\nx-cost-centre: 42"
            return {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_AUTH_TOKEN": KEY, "ANTHROPIC_CUSTOM_HEADERS": headers}
        case Asked.BEDROCK:
            keys = {"AWS_ACCESS_KEY_ID": "AK" + "IA" + "0" * 16, "AWS_SECRET_ACCESS_KEY": KEY, "AWS_REGION": "eu-central-1"}
            return {"ANTHROPIC_BEDROCK_BASE_URL": server.url, **keys}
        case Asked.VERTEX:
            place = {"ANTHROPIC_VERTEX_PROJECT_ID": "shop", "CLOUD_ML_REGION": "europe-west1"}
            return {"ANTHROPIC_VERTEX_BASE_URL": server.url, "GOOGLE_APPLICATION_CREDENTIALS": _service_account(root, server), **place}
        case Asked.FOUNDRY:
            return {"ANTHROPIC_FOUNDRY_BASE_URL": server.url, "ANTHROPIC_FOUNDRY_API_KEY": KEY}
        case Asked.CLIENT:
            return {}


def _service_account(root: Path, server: ScriptedServer) -> str:
    """Make a login of Google's, whose token is handed out by the server too."""
    made = subprocess.run(["openssl", "genrsa", "-traditional", "2048"], capture_output=True, text=True, check=True).stdout
    file = root / "service-account.json"
    login = {"type": "service_account", "project_id": "shop", "private_key_id": "1", "private_key": made, "client_email": "e@shop.example"}
    file.write_text(json.dumps({**login, "client_id": "2", "token_uri": f"{server.url}/token"}))
    return str(file)


@dataclass
class Bench:
    """One backend with its server, which answers as ``script`` says. One model process serves all that is asked here."""

    asked: Asked
    server: ScriptedServer
    supervisor: Supervisor
    requests: int = 0  # of the newest run

    @classmethod
    @contextmanager
    def of(cls, asked: Asked, root: Path, claude: Path | None = None, more: Mapping[str, str] = {}) -> Iterator[Bench]:
        """Set a backend up as a user would; ``more`` stands in the environment too."""
        home = Home(root)
        with Ledger.open(home.state) as ledger, serving(Answer()) as server, closing(ModelLine()) as models:
            environ = {"PATH": os.environ["PATH"], **environment_of(asked, server, root), **more}
            if claude is not None:
                client_runs.settle(home, server)
                environ |= client_runs.client_env(claude) | {"CLAUDE_CONFIG_DIR": str(home.config_home)}
            locations = Locations(root / "config.toml", home.state, root / "credentials")
            yield cls(asked, server, Supervisor(ledger, config_of(asked, server), Surroundings(environ, root), locations, models=models))

    def run(self, answer: Answer, seconds: float = 60.0) -> Reply:
        """Ask once, with a server that answers so."""
        self.server.script = lambda *_: answer
        before, supervisor = len(self.server.asked), self.supervisor
        supervisor.ledger.note_limit("claude-code", 0.0, "")  # each run is one of another day
        purse = LedgerPurse(supervisor.ledger, supervisor.config.budget, ("session", str(before)), since=0.0, now=supervisor.wall())
        terms = asked_for(supervisor, PROJECT)
        assert terms is not None
        try:
            return answering(supervisor, briefing(), terms, purse, time.monotonic() + seconds)(0, ())
        finally:
            self.requests = len(self.server.asked) - before


def says(asked: Asked, *calls: Block) -> Answer:
    """Return the server's answer by which the backend's model makes these calls."""
    return client_runs.changes(*calls) if asked is Asked.CLIENT else Answer(calls)
