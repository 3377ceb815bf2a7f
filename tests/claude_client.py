"""The real client from npm, talking to a scripted model on loopback: nothing of it reaches a network or a real home.

Owns: which client, its environment, running it, and reading what the model's server was sent. Leaves what is said and what must
come out to the tests.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.command import relocation
from tests.homes import Home
from tests.needs import Needs

PACKAGE = "@anthropic-ai/claude-code@2.1.332"
SECONDS = 120
_SERVER = Path(__file__).parent / "tools" / "fake_messages_server.py"
_NOWHERE = "http://127.0.0.1:9"


@dataclass(frozen=True, slots=True)
class ClaudeClient:
    """The client, in the home of a test."""

    program: Path
    home: Home

    def says(self, prompt: str, project: str, server: ClientsModel) -> None:
        """Run one session without a terminal: type ``prompt``, wait for the answer."""
        command = [str(self.program), "-p", prompt, "--dangerously-skip-permissions"]
        done = subprocess.run(
            command,
            cwd=self.home.project(project),
            env=self.env(server.url),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"

    def env(self, url: str) -> dict[str, str]:
        """Return all that the client gets: its home, the server, our places for hooks; any other address leads nowhere."""
        return {
            **relocation(self.home.root),
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.home.root),
            "CLAUDE_CONFIG_DIR": str(self.home.config_home),
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "sk-test-" + "0f1e2d3c" * 4,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "IS_SANDBOX": "1",  # the client refuses to skip permissions as root elsewhere
            "HTTP_PROXY": _NOWHERE,
            "HTTPS_PROXY": _NOWHERE,
            "NO_PROXY": "127.0.0.1",
        }


@dataclass(frozen=True, slots=True)
class ClientsModel:
    """A running server that answers the client by rules (see the tool's own help)."""

    url: str
    log: Path

    def requests(self, kind: str = "main") -> list[dict[str, Any]]:
        """Return the bodies of all requests of a kind so far."""
        lines = self.log.read_text("utf-8").splitlines() if self.log.exists() else []
        return [line["body"] for line in map(json.loads, lines) if line.get("kind") == kind]


@contextmanager
def clients_model(folder: Path, rules: Sequence[dict[str, Any]]) -> Iterator[ClientsModel]:
    """Run the model's server for a block; what no rule matches is answered with a few words."""
    script, log = folder / "rules.json", folder / "requests.jsonl"
    script.write_text(json.dumps({"rules": list(rules), "default": "All right."}), encoding="utf-8")
    command = [sys.executable, str(_SERVER), "--log", str(log), "script", str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            yield ClientsModel(f"http://{server.stdout.readline().split()[-1]}", log)
        finally:
            server.kill()


def loaded(request: dict[str, Any]) -> str:
    """Return all text of a request, as one."""
    return "\n".join(_texts(request))


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for inner in value.values():
                yield from _texts(inner)
        case list():
            for inner in value:
                yield from _texts(inner)


@pytest.fixture
def claude(needs: Needs, tmp_path: Path) -> ClaudeClient:
    """Return the client, installed once a session, with a home of its own."""
    return ClaudeClient(needs.npm("claude", PACKAGE), Home(tmp_path))
