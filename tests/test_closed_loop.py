"""The closed loop with the real client: what one session said, the next one has before its eyes."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from extractord.memory.topics import parse
from tests.claude_client import ClaudeClient, ClientsModel, claude, clients_model, loaded
from tests.command import extractord
from tests.daemons import QUICK, daemon, outcomes, until
from tests.homes import Home, put, topic

__all__ = ["claude"]  # a fixture

CORRECTION = "No, always use pnpm instead of npm in this repository."
REASON = "The reason I said always use pnpm instead of npm in this repository: the lockfile of npm broke the release twice."
WIDEN = {  # the model reads a topic and changes a sentence of it, when asked to
    "read": {"name": "Read", "input": {"file_path": "${file}"}},
    "edit": {
        "name": "Edit",
        "input": {
            "file_path": "${file}",
            "old_string": "in this repository",
            "new_string": "in this repository and in CI",
            "replace_all": True,
        },
    },
}
ASKED = {"kind": "main", "any": r"Widen (?P<file>/\S+\.md)"}


def _rules() -> list[dict[str, object]]:
    calls = {name: {"content": [{"type": "tool_use", **call}]} for name, call in WIDEN.items()}
    return [{"when": ASKED, "reply": calls["read"]}, {"when": {**ASKED, "after_tool": "Read"}, "reply": calls["edit"]}]


def test_a_correction_is_loaded_by_the_next_session_and_outlives_the_clients_own_edit(claude: ClaudeClient, tmp_path: Path) -> None:
    """A corrects, the daemon saves, B's first request holds our line; C edits the topic itself, and the reason D gives is added to it."""
    home = claude.home
    home.config(QUICK)
    home.projects.mkdir(parents=True)  # a client has been used here before: what is watched exists
    with clients_model(tmp_path, _rules()) as model, daemon(home):
        claude.says(CORRECTION, "shop", model)
        line, topic = _saved(home)
        claude.says("What is the build command?", "shop", model)
        assert line in _first_request(model, "What is the build command?")

        claude.says(f"Widen {topic}", "shop", model)
        edited = topic.read_text("utf-8")
        assert "in this repository and in CI" in edited
        claude.says(REASON, "shop", model)
        until(lambda: "lockfile" in topic.read_text("utf-8"), lambda: extractord(home, "sessions").stdout)
        updated = topic.read_text("utf-8")
        until(lambda: len(outcomes(home)) == 4, lambda: extractord(home, "sessions").stdout)
    _assert_only_the_time_of_the_stamp_changed(edited, updated)
    assert "in this repository and in CI" in updated
    assert sorted(outcomes(home).values()) == ["nothing_to_save", "saved", "saved", "skipped"]


def test_the_clients_hook_gets_the_topics_its_prompt_calls_for(claude: ClaudeClient, tmp_path: Path) -> None:
    """Called by the real client as the README says, our hook puts a topic's text into the request."""
    home = claude.home
    put(home.memory("shop"), "db.md", topic("testing database", "Integration tests run against a real database."), days_ago=5.5)
    put(home.memory("shop"), "MEMORY.md", "- [other](other.md)\n")
    command = f"{sys.executable} -m extractord hook user-prompt"
    hooks = {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": command}]}]}
    (home.config_home / "settings.json").write_text(json.dumps({"hooks": hooks}), encoding="utf-8")
    with clients_model(tmp_path, []) as model:
        claude.says("how do we test the database?", "shop", model)
        sent = _first_request(model, "how do we test the database?")
    assert "## testing database (db.md, feedback, 5 days ago)" in sent
    assert "Integration tests run against a real database." in sent


def _saved(home: Home) -> tuple[str, Path]:
    """Wait for the first memory and return its index line and its topic."""
    index = home.memory("shop") / "MEMORY.md"
    until(index.exists, lambda: extractord(home, "sessions").stdout)
    (line,) = index.read_text("utf-8").splitlines()
    return line, index.parent / re.findall(r"\(([^)]+\.md)\)", line)[0]


def _first_request(model: ClientsModel, prompt: str) -> str:
    return next(text for text in map(loaded, model.requests()) if prompt in text)


def _assert_only_the_time_of_the_stamp_changed(before: str, after: str) -> None:
    old, new = parse(before), parse(after)
    assert old.origin_session == new.origin_session != ""
    assert "node_type: memory" in after
    assert new.modified is not None
    assert old.modified is not None
    assert new.modified >= old.modified
