"""What each tool does, over real files."""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractord.agent.editing import EditFailedError, replaced
from extractord.agent.frames import CheckAnswer, EvidenceRule
from extractord.agent.globs import BadPatternError, matcher, split_fixed
from extractord.agent.places import Places
from extractord.agent.policy import Roots
from extractord.agent.protocol import Decision, Ruling, ToolCall
from extractord.agent.tools import SHOWN_BYTES, Toolbox
from extractord.memory.changeset import ChangeKind, Evidence, Proposal

TOPIC = "---\nname: tabs\ndescription: tabs\ntype: feedback\n---\n\nUse tabs.\n"
EVIDENCE = [{"message": "m1", "quote": "always use tabs"}]


class Bench:
    """A project, a memory directory and a toolbox over them, with a supervisor that answers as it is told."""

    def __init__(self, top: Path, evidence: EvidenceRule = EvidenceRule.NOT_ASKED, briefed: tuple[tuple[str, str], ...] = ()) -> None:
        self.project, self.memory = top / "proj", top / "mem"
        for folder in (self.project, self.memory):
            folder.mkdir(exist_ok=True)
        self.checked: list[Proposal] = []
        self.says = CheckAnswer(Decision.ALLOWED)
        self._evidence, self._briefed = evidence, briefed

    def _check(self, proposal: Proposal) -> CheckAnswer:
        self.checked.append(proposal)
        return self.says

    @functools.cached_property
    def toolbox(self) -> Toolbox:
        return Toolbox(Places(Roots(str(self.project), str(self.memory))), self._check, self._evidence, self._briefed)

    def __call__(self, tool: str, **written: Any) -> Ruling:
        return self.toolbox.rule(ToolCall("1", tool, written))

    def changes(self) -> list[tuple[str, ChangeKind]]:
        return [(p.path, p.kind) for p in self.toolbox.overlay.changeset().proposals]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def allowed(ruling: Ruling) -> str:
    assert ruling.decision is Decision.ALLOWED, ruling
    assert not ruling.failed, ruling
    return ruling.result


def refused(ruling: Ruling) -> str:
    assert ruling.decision is Decision.DENIED, ruling
    assert ruling.reason
    assert not ruling.result
    return ruling.reason


def came_to_nothing(ruling: Ruling) -> str:
    assert ruling.decision is Decision.ALLOWED, ruling
    assert ruling.failed, ruling
    return ruling.result


# --- input


@pytest.mark.parametrize(
    ("tool", "written"),
    [
        ("Read", {}),
        ("Read", {"file_path": 7}),
        ("Read", {"file_path": ""}),
        ("Read", {"file_path": "a", "offset": -1}),
        ("Read", {"file_path": "a", "limit": True}),
        ("Read", {"file_path": "a", "limit": 10**30}),
        ("Read", {"file_path": "a", "extra": 1}),
        ("Read", {"file_path": ["a"]}),
        ("Write", {"file_path": "a.md"}),
        ("Write", {"file_path": "a.md", "content": None}),
        ("Write", {"file_path": "a.md", "content": "\ud800"}),
        ("Write", {"file_path": "a\udc80.md", "content": "x"}),
        ("Write", {"file_path": "a.md", "content": "x" * (2 << 20)}),
        ("Write", {"file_path": "a.md", "content": "x", "evidence": {"message": "m1", "quote": "q"}}),
        ("Write", {"file_path": "a.md", "content": "x", "evidence": [{"message": "m1"}]}),
        ("Write", {"file_path": "a.md", "content": "x", "evidence": [{"message": "m1", "quote": "q", "more": 1}]}),
        ("Write", {"file_path": "a.md", "content": "x", "evidence": [{"message": "m1", "quote": "q"}] * 1000}),
        ("Edit", {"file_path": "a.md", "old_string": "a", "new_string": "b", "replace_all": "yes"}),
        ("Grep", {"path": "."}),
        ("Grep", {"pattern": "a" * 5000}),
        ("Glob", {"pattern": None}),
        ("Delete", {"file_path": "a.md", "content": ""}),
        ("MultiEdit", {"file_path": "a.md"}),
        ("read", {"file_path": "a"}),
        ("", {}),
        ("Bash", {"command": "ls"}),
    ],
)
def test_what_is_not_a_tools_input_is_denied(bench: Bench, tool: str, written: dict[str, Any]) -> None:
    """Missing, additional and wrongly typed parameters, unknown tools and Bash are refused with a reason."""
    refused(bench(tool, **written))
    assert bench.changes() == []


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(["Read", "Grep", "Glob", "Bash", "Write", "Edit", "Delete", "X"]),
    st.dictionaries(
        st.sampled_from(["file_path", "content", "old_string", "new_string", "pattern", "path", "glob", "offset", "evidence"]),
        st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=20), lambda inner: st.lists(inner, max_size=3)),
    ),
)
def test_no_input_makes_a_tool_raise(tmp_path_factory: pytest.TempPathFactory, tool: str, written: dict[str, Any]) -> None:
    """Whatever a model writes, there is a ruling."""
    Bench(tmp_path_factory.mktemp("b"))(tool, **written)


# --- Read


def test_read_numbers_lines_and_says_what_follows(bench: Bench) -> None:
    """Offset and limit count lines from one; what is left out is told."""
    (bench.project / "a.txt").write_text("".join(f"line {n}\n" for n in range(1, 11)))
    assert allowed(bench("Read", file_path="a.txt", offset=3, limit=2)) == "     3\tline 3\n     4\tline 4\n(more follows: offset 5)"
    assert allowed(bench("Read", file_path=str(bench.project / "a.txt"), offset=10)) == "    10\tline 10"
    assert "10 lines" in came_to_nothing(bench("Read", file_path="a.txt", offset=11))
    (bench.project / "empty").write_text("")
    assert allowed(bench("Read", file_path="empty")) == "(the file is empty)"


def test_read_is_bounded(bench: Bench) -> None:
    """Large files, long lines and sparse giants give a bounded answer."""
    (bench.project / "long.txt").write_text("x" * 5_000_000)
    (bench.project / "many.txt").write_text("word " * 20 + "\n" + ("word " * 300 + "\n") * 3000)
    (bench.project / "sparse.txt").write_text("text\n")
    os.truncate(bench.project / "sparse.txt", 20 << 30)
    assert len(allowed(bench("Read", file_path="long.txt"))) < 3000
    assert len(allowed(bench("Read", file_path="many.txt"))) < SHOWN_BYTES + 1000
    refused(bench("Read", file_path="sparse.txt"))


def test_read_refuses_what_is_no_text_file(bench: Bench) -> None:
    """Binary files, FIFOs, devices and directories are refused without blocking."""
    (bench.project / "a.bin").write_bytes(b"\x7fELF\0\1")
    os.mkfifo(bench.project / "pipe")
    for name in ("a.bin", "pipe", ".", "/dev/zero", "/dev/stdin"):
        refused(bench("Read", file_path=name))
    (bench.project / "latin.txt").write_bytes(b"caf\xe9\n")
    assert "caf" in allowed(bench("Read", file_path="latin.txt"))


def test_a_missing_file_is_a_failure_inside_and_a_refusal_outside(bench: Bench) -> None:
    """Whether something exists outside is not told."""
    came_to_nothing(bench("Read", file_path="nope.txt"))
    assert refused(bench("Read", file_path="/etc/passwd")) == refused(bench("Read", file_path="/etc/nope"))


def test_secrets_in_results_are_redacted_before_lines_are_cut(bench: Bench) -> None:
    """A key block is not shown even from its middle, nor found by a search for its lines."""
    body = "\n".join("Zm9vYmFyYmF6cXV4" * 4 for _ in range(8))
    block = f"-----BEGIN RSA PRIV{'ATE'} KEY-----\n{body}\n-----END RSA PRIV{'ATE'} KEY-----"
    (bench.project / "notes.txt").write_text(f"before\n{block}\nafter\n")
    for ruling in (bench("Read", file_path="notes.txt"), bench("Read", file_path="notes.txt", offset=4), bench("Grep", pattern="Zm9v")):
        assert "Zm9v" not in ruling.result + ruling.reason


# --- Grep and Glob


def test_grep_finds_lines_in_project_and_memory(bench: Bench) -> None:
    """Hits are path, number and line; memory is searched where it is named, as this run sees it."""
    (bench.project / "src").mkdir()
    (bench.project / "src/a.py").write_bytes(b"import os\r\ndef foo():\r\n")
    (bench.project / "b.txt").write_text("def foo\n")
    (bench.memory / "old.md").write_text("foo\n")
    assert allowed(bench("Grep", pattern="^def foo")) == "b.txt:1:def foo\nsrc/a.py:2:def foo():"
    assert allowed(bench("Grep", pattern=r"\)?:?$", glob="*.py", path="src")).startswith("src/a.py:1:")
    assert allowed(bench("Grep", pattern="foo", glob="!*.py")) == "b.txt:1:def foo"
    assert allowed(bench("Grep", pattern="foo", path="src/a.py")) == "src/a.py:2:def foo():"
    assert allowed(bench("Grep", pattern="nothing like it")) == "no match"
    bench("Write", file_path="new/topic.md", content="foo too\n")
    bench("Read", file_path=str(bench.memory / "old.md"))
    bench("Delete", file_path="old.md")
    assert allowed(bench("Grep", pattern="foo", path=str(bench.memory))) == f"{bench.memory}/new/topic.md:1:foo too"
    assert allowed(bench("Glob", pattern="**/*.md", path=str(bench.memory))) == f"{bench.memory}/new/topic.md"


def test_searches_leave_secrets_links_and_repositories_out(bench: Bench, tmp_path: Path) -> None:
    """Over a directory, secret files are not seen, links not followed, .git not entered; named outright they are refused."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out/o.txt").write_text("needle\n")
    (bench.project / ".git").mkdir()
    for name in (".env", "id_rsa", ".git/config", "ok.txt", "a.bin"):
        (bench.project / name).write_bytes(b"needle\n" + (b"\0" if name == "a.bin" else b""))
    (bench.project / "link").symlink_to(tmp_path / "out")
    (bench.project / "file").symlink_to(tmp_path / "out/o.txt")
    (bench.project / "loop").symlink_to(bench.project)
    os.mkfifo(bench.project / "pipe")
    assert allowed(bench("Grep", pattern="needle")) == "ok.txt:1:needle"
    assert allowed(bench("Glob", pattern="**")) == "a.bin\nok.txt"
    for written in ({"path": ".env"}, {"path": "link"}, {"path": "file"}, {"path": "pipe"}, {"path": "/"}, {"path": ".."}):
        refused(bench("Grep", pattern="needle", **written))


@pytest.mark.parametrize("pattern", ["../*", "/etc/*", "~/*", "*/../../*", "{..,a}/*", "$HOME/*", "link/*", "a\\b", "src/../../*"])
def test_globs_do_not_lead_out(bench: Bench, tmp_path: Path, pattern: str) -> None:
    """Climbing, absolute, expanding and linked patterns are refused."""
    (tmp_path / "out").mkdir()
    (bench.project / "src").mkdir()
    (bench.project / "link").symlink_to(tmp_path / "out")
    refused(bench("Glob", pattern=pattern))


def test_an_absolute_glob_inside_is_fine(bench: Bench) -> None:
    """A pattern may begin with the directory itself."""
    (bench.project / "a.py").write_text("")
    assert allowed(bench("Glob", pattern=f"{bench.project}/*.py")) == "a.py"


def test_searches_are_bounded(bench: Bench) -> None:
    """Hostile expressions take linear time, and output has an end that is told."""
    (bench.project / "a.txt").write_text("a" * 50 + "!\n" + "hit\n" * 2000)
    assert allowed(bench("Grep", pattern="(a+)+$")) == "no match"
    assert allowed(bench("Glob", pattern="*" * 40 + "b")) == "no file"
    result = allowed(bench("Grep", pattern="hit"))
    assert len(result.splitlines()) == 251
    assert "more than 250" in result
    for pattern in ("(", "(?=x)", r"(a)\1", "x{2000}{2000}"):
        came_to_nothing(bench("Grep", pattern=pattern))


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*.py", "a.py", "d/a.py"),
        ("**/*.py", "a.py", "a.pyc"),
        ("**/*.py", "d/e/a.py", "d/a"),
        ("src/**", "src/a/b", "srcx/a"),
        ("src/**/b", "src/b", "src/ab"),
        ("?.md", "a.md", "ab.md"),
        ("[a-c].md", "b.md", "d.md"),
        ("[!a].md", "b.md", "a.md"),
        ("*.{py,md}", "x.md", "x.txt"),
        ("{src,lib}/**/*.{c,h}", "lib/a/x.h", "bin/x.h"),
        ("a.b", "a.b", "axb"),
        ("(x)+$", "(x)+$", "x"),
        ("{a", "{a", "a"),
        ("日*", "日本", "本"),
    ],
)
def test_patterns_mean_what_shells_mean(pattern: str, yes: str, no: str) -> None:
    """Stars stay within a component, double stars do not, other characters are themselves."""
    assert matcher(pattern)(yes)
    assert not matcher(pattern)(no)


@settings(max_examples=200, deadline=None)
@given(st.text("ab*?[]{}/!,^-\\.", max_size=15))
def test_any_pattern_is_a_matcher_or_bad(pattern: str) -> None:
    """No pattern makes the translation fail otherwise."""
    fixed, rest = split_fixed(pattern)
    assert not set("*?[{") & set(fixed)
    assert pattern.endswith(rest)
    try:
        matcher(rest)("a/b")
    except BadPatternError:
        return


# --- Write, Edit, Delete


def test_changes_are_staged_and_never_written(bench: Bench) -> None:
    """Create, update and delete are seen by later calls of the run and proposed, the disk stays as it is."""
    (bench.memory / "old.md").write_text("old text\n")
    (bench.memory / "gone.md").write_text("gone\n")
    for name in ("old.md", "gone.md"):
        allowed(bench("Read", file_path=str(bench.memory / name)))
    assert "created" in allowed(bench("Write", file_path="sub/new.md", content=TOPIC))
    assert "updated" in allowed(bench("Edit", file_path="old.md", old_string="old", new_string="new"))
    assert "deleted" in allowed(bench("Delete", file_path="gone.md"))
    assert bench.changes() == [("old.md", ChangeKind.UPDATE), ("gone.md", ChangeKind.DELETE), ("sub/new.md", ChangeKind.CREATE)]
    assert "new text" in allowed(bench("Read", file_path=str(bench.memory / "old.md")))
    came_to_nothing(bench("Read", file_path=str(bench.memory / "gone.md")))
    came_to_nothing(bench("Edit", file_path="gone.md", old_string="gone", new_string="x"))
    allowed(bench("Edit", file_path="sub/new.md", old_string="tabs.", new_string="spaces."))
    assert sorted(p.name for p in bench.memory.iterdir()) == ["gone.md", "old.md"]
    assert (bench.memory / "old.md").read_text() == "old text\n"


def test_relative_paths_of_changes_count_from_memory(bench: Bench) -> None:
    """A file of that name in the project is not meant."""
    (bench.project / "a.md").write_text("project\n")
    assert "created" in allowed(bench("Write", file_path="a.md", content="memory\n"))
    assert allowed(bench("Read", file_path="a.md")) == "     1\tproject"
    refused(bench("Write", file_path=str(bench.project / "b.md"), content="x"))


def test_a_topic_that_is_there_must_be_read_first(bench: Bench) -> None:
    """Write, Edit and Delete of an existing topic want a Read in the same run."""
    (bench.memory / "a.md").write_text("a\n")
    for tool, more in {"Write": {"content": "b"}, "Edit": {"old_string": "a", "new_string": "b"}, "Delete": {}}.items():
        assert "Read it first" in refused(bench(tool, file_path="a.md", **more))
    bench("Read", file_path=str(bench.memory / "a.md"))
    allowed(bench("Write", file_path="a.md", content="b\n"))


def test_a_briefed_topic_counts_as_read(tmp_path: Path) -> None:
    """What stood in the briefing need not be read again."""
    bench = Bench(tmp_path, briefed=(("a.md", "Use tabs."),))
    (bench.memory / "a.md").write_text(TOPIC)
    allowed(bench("Edit", file_path="a.md", old_string="tabs.", new_string="spaces."))


def test_the_supervisor_is_asked_before_anything_is_staged(bench: Bench) -> None:
    """A denied check is the answer and leaves no trace; remarks are told; what is asked back is marked."""
    bench.says = CheckAnswer(Decision.DENIED, "a secret is in it")
    assert refused(bench("Write", file_path="a.md", content=TOPIC)) == "a secret is in it"
    assert bench.changes() == []
    bench.says = CheckAnswer(Decision.ALLOWED, "", ("add a **Why:** line",), asks=True)
    ruling = bench("Write", file_path="a.md", content=TOPIC)
    assert "**Why:**" in allowed(ruling)
    assert ruling.asks
    assert bench.checked[-1] == Proposal("a.md", None, TOPIC)


def test_evidence_is_wanted_for_words_only(tmp_path: Path) -> None:
    """With evidence asked for, changed words need some, re-wrapping does not; what is given is kept."""
    bench = Bench(tmp_path, EvidenceRule.ASKED)
    assert "evidence" in refused(bench("Write", file_path="a.md", content="Use tabs."))
    assert "evidence" in refused(bench("Write", file_path="a.md", content="Use tabs.", evidence=[]))
    allowed(bench("Write", file_path="a.md", content="Use tabs.", evidence=EVIDENCE))
    allowed(bench("Write", file_path="a.md", content="Use\ntabs."))
    assert "evidence" in refused(bench("Edit", file_path="a.md", old_string="tabs", new_string="spaces"))
    assert "evidence" in refused(bench("Edit", file_path="a.md", old_string="tabs.", new_string=""))
    (proposal,) = bench.toolbox.overlay.changeset().proposals
    assert proposal == Proposal("a.md", None, "Use\ntabs.", (Evidence("m1", "always use tabs"),))


def test_a_run_cannot_outgrow_its_bounds(bench: Bench) -> None:
    """Megabytes of topics and hundreds of files are refused."""
    rulings = [bench("Write", file_path=f"{n}.md", content="x" * 1_000_000) for n in range(6)]
    assert [r.decision for r in rulings[-2:]] == [Decision.DENIED, Decision.DENIED]
    many = [bench("Write", file_path=f"s{n}.md", content="x") for n in range(210)]
    assert many[-1].decision is Decision.DENIED


def test_broken_topics_are_shown_and_left_alone(bench: Bench) -> None:
    """A topic that is not UTF-8 can be read, not changed."""
    (bench.memory / "b.md").write_bytes(b"caf\xe9\n")
    assert "caf" in allowed(bench("Read", file_path=str(bench.memory / "b.md")))
    came_to_nothing(bench("Edit", file_path="b.md", old_string="caf", new_string="x"))
    came_to_nothing(bench("Write", file_path="b.md", content="x"))


def test_line_ends_of_a_topic_are_kept(bench: Bench) -> None:
    """Old text with LF is found in a CRLF topic, and what is new there ends its lines likewise."""
    (bench.memory / "c.md").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    assert "CRLF" in allowed(bench("Read", file_path=str(bench.memory / "c.md")))
    allowed(bench("Edit", file_path="c.md", old_string="one\ntwo", new_string="1\n2"))
    allowed(bench("Edit", file_path="c.md", old_string="three", new_string="3\n4"))
    assert bench.toolbox.overlay.now("c.md") == "1\r\n2\r\n3\r\n4\r\n"


@pytest.mark.parametrize(
    ("text", "old", "new", "said"),
    [
        ("a b", "c", "d", "not found"),
        ("a a", "a", "b", "2 times"),
        ("a", "", "b", "empty"),
        ("a", "a", "a", "same"),
        ("a\r\nb\nc\n", "a\nb", "x", "line ends"),
        ("a\r\nb\r\n", "a\nb", "a\r\nb", "line ends"),
    ],
)
def test_an_edit_that_fails_says_why(text: str, old: str, new: str, said: str) -> None:
    """Not there, not once, empty, the same, other line ends: each has its own reason."""
    with pytest.raises(EditFailedError, match=said):
        replaced(text, old, new)


def test_replace_all_and_a_hard_link(bench: Bench, tmp_path: Path) -> None:
    """Every occurrence is replaced; a topic with another name outside is only ever staged."""
    (tmp_path / "victim.txt").write_text("a a\n")
    (bench.memory / "h.md").hardlink_to(tmp_path / "victim.txt")
    bench("Read", file_path=str(bench.memory / "h.md"))
    came_to_nothing(bench("Edit", file_path="h.md", old_string="a", new_string="b"))
    allowed(bench("Edit", file_path="h.md", old_string="a", new_string="b", replace_all=True))
    assert bench.toolbox.overlay.now("h.md") == "b b\n"
    assert (tmp_path / "victim.txt").read_text() == "a a\n"


def test_coming_back_needs_no_check(bench: Bench) -> None:
    """A topic made and deleted again is no change, and nobody is asked about it."""
    allowed(bench("Write", file_path="a.md", content="x"))
    allowed(bench("Delete", file_path="a.md"))
    assert len(bench.checked) == 1
    assert bench.changes() == []


def test_files_and_directories_do_not_cross(bench: Bench) -> None:
    """A topic cannot lie below a file, on the disk or staged."""
    (bench.memory / "note.md").write_text("x")
    allowed(bench("Write", file_path="made.md", content="x"))
    for path in ("note.md/x.md", "made.md/x.md"):
        refused(bench("Write", file_path=path, content="x"))


def test_without_a_project_memory_can_still_be_read(tmp_path: Path) -> None:
    """A project that was deleted takes its files with it, not its memory."""
    (tmp_path / "mem").mkdir()
    (tmp_path / "mem/a.md").write_text("fact\n")
    toolbox = Toolbox(Places(Roots(None, str(tmp_path / "mem"))), lambda _: CheckAnswer(Decision.ALLOWED), EvidenceRule.NOT_ASKED)
    assert "fact" in allowed(toolbox.rule(ToolCall("1", "Read", {"file_path": "a.md"})))
    refused(toolbox.rule(ToolCall("1", "Read", {"file_path": str(tmp_path / "x")})))
