"""Runs of ``once`` with a scripted model on loopback.

Owns: the environment of such a run, the forms of a model's calls, the spend in the ledger. Leaves what is answered to the tests.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from tests.command import Answer as CommandAnswer
from tests.command import extractord
from tests.homes import Home
from tests.scripted_server import Answer, Block, ScriptedServer, call, text

KEY = "sk-test-" + "0f1e2d3c4b5a6978" * 3
NOTHING = Answer((text("nothing"),))


def model_env(server: ScriptedServer, **more: str) -> dict[str, str]:
    return {"EXTRACTORD_BACKEND": "anthropic", "ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": KEY, **more}


def once(home: Home, server: ScriptedServer, *argv: str | Path, **env: str) -> CommandAnswer:
    """Run ``once --yes --json``."""
    return extractord(home, "once", "--yes", "--json", *argv, env=model_env(server, **env))


def write(file: str, body: str, quote: str, message: str = "m1", kind: str = "feedback", id: str = "", **more: Any) -> Block:  # noqa: A002
    content = (
        f"---\nname: {file.removesuffix('.md')}\ndescription: {body.splitlines()[0][:100]}\nmetadata:\n  type: {kind}\n---\n\n{body}\n"
    )
    if kind in ("feedback", "project"):
        content += "\n**Why:** not stated\n**How to apply:** whenever it comes up.\n"
    return call("Write", id, file_path=file, content=content, evidence=[{"message": message, "quote": quote, **more}])


def spent(home: Home) -> list[tuple[int, int, float | None]]:
    """Return each call in the ledger: tokens in and out, what it cost (None: never settled)."""
    with sqlite3.connect(home.state / "ledger.sqlite") as db:
        rows = db.execute("SELECT input_tokens, output_tokens, cost_nano FROM spend ORDER BY seq").fetchall()
    return [(one, two, None if nano is None else nano / 1e9) for one, two, nano in rows]
