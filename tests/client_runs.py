"""Runs of ``once`` with the real client of npm as the backend, against a scripted server on loopback.

Owns: the client's settings, which name that server as its gateway, its login, and the JSON of an answer. Leaves the answers to the tests.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from tests.command import Answer as CommandAnswer
from tests.command import extractord
from tests.homes import Home
from tests.scripted_server import Answer, Block, ScriptedServer, text

PACKAGE = "@anthropic-ai/claude-code"
TOKEN = "gateway-" + "0a1b2c3d" * 4
FOREIGN_KEY = "sk-test-" + "f0e1d2c3" * 4  # in our environment; never for the client


def changes(*made: Block) -> Answer:
    """Return what a model answers that makes these calls (forms of ``model_runs``) in one shot."""
    listed = [{"change": block["name"], **block["input"]} for block in made]
    return Answer((text(json.dumps({"changes": listed})),))


def settle(home: Home, server: ScriptedServer, **more: str) -> None:
    """Write the person's settings: a gateway and its token, as a company hands them out."""
    environment = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_AUTH_TOKEN": TOKEN, **more}
    home.config_home.mkdir(parents=True, exist_ok=True)
    (home.config_home / "settings.json").write_text(json.dumps({"env": environment}))


def log_in(home: Home, server: ScriptedServer) -> None:
    """Lay out a login of a subscription, whose server is ours too."""
    settle(home, server)
    (home.config_home / "settings.json").write_text(json.dumps({"env": {"ANTHROPIC_BASE_URL": server.url}}))
    login: dict[str, Any] = {
        "accessToken": "oat-" + "a1" * 20,
        "refreshToken": "ort-" + "b2" * 20,
        "expiresAt": int((time.time() + 86_400) * 1000),
        "scopes": ["user:inference", "user:profile"],
        "subscriptionType": "max",
    }
    (home.config_home / ".credentials.json").write_text(json.dumps({"claudeAiOauth": login}))
    (home.config_home / ".claude.json").write_text(json.dumps({"oauthAccount": {"accountUuid": "a", "emailAddress": "kim@example.org"}}))


def client_env(claude: Path, **more: str) -> dict[str, str]:
    """Return an environment in which the client is found, and a key that is none of its business."""
    return {"PATH": path_of(claude), "EXTRACTORD_BACKEND": "claude-code", "ANTHROPIC_API_KEY": FOREIGN_KEY, **more}


def path_of(claude: Path) -> str:
    """Return a PATH in which the client comes first."""
    return os.pathsep.join((str(claude.parent), os.environ.get("PATH", os.defpath)))


def once(home: Home, claude: Path, *argv: str | Path, **env: str) -> CommandAnswer:
    """Run ``once --yes --json``."""
    return extractord(home, "once", "--yes", "--json", *argv, env=client_env(claude, **env))
