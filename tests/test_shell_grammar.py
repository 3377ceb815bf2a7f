"""What a command may be made of: words, quotes, globs and pipes; all else is refused before anything is looked at."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extractord.agent.places import Places
from extractord.agent.policy import Roots
from extractord.agent.shell import bash
from extractord.agent.shell.expanding import expand
from extractord.agent.shell.grammar import CommandRefusedError, Errors, parse
from extractord.agent.shell.judging import Judge
from extractord.agent.shell.planning import plan
from extractord.agent.shell.programs import NAMES
from extractord.agent.shell.repository import GitFailedError


def words(command: str) -> list[list[str]]:
    return [[word.text for word in stage.words] for stage in parse(command)]


@pytest.fixture
def places(tmp_path: Path) -> Places:
    project, memory = tmp_path / "proj", tmp_path / "mem"
    for folder in (project / "src", project / ".cfg", memory):
        folder.mkdir(parents=True)
    for name in ("a.md", "b.md", "-n", "[x].md", "src/one.py", "src/two.py", ".cfg/c", ".env"):
        (project / name).write_text("x\n")
    (tmp_path / "out").mkdir()
    (tmp_path / "out/s.md").write_text("x\n")
    (project / "link").symlink_to(tmp_path / "out")
    return Places(Roots(str(project), str(memory)))


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("ls", [["ls"]]),
        ("  ls\t-l \n", [["ls", "-l"]]),
        ("grep -E 'a|b' \"c d\" e\\ f", [["grep", "-E", "a|b", "c d", "e f"]]),
        ("cat a|head -n 1 | wc", [["cat", "a"], ["head", "-n", "1"], ["wc"]]),
        ('echo "a\\"b\\\\" \'$x\' ""', [["echo", 'a"b\\', "$x", ""]]),
        ("r''m x", [["rm", "x"]]),
        ("git show HEAD@{1} HEAD^{commit}", [["git", "show", "HEAD@{1}", "HEAD^{commit}"]]),
        ("find . -name x -o \\( -type f \\) \\!", [["find", ".", "-name", "x", "-o", "(", "-type", "f", ")", "!"]]),
        ("echo a#b a~b a=b", [["echo", "a#b", "a~b", "a=b"]]),
    ],
)
def test_words_are_what_a_shell_would_make_of_them(command: str, wanted: list[list[str]]) -> None:
    """Quotes and backslashes are taken out, pipes separate, nothing else is done."""
    assert words(command) == wanted


@pytest.mark.parametrize(
    ("command", "errors"),
    [
        ("ls 2>/dev/null", Errors.DROPPED),
        ("ls 2> /dev/null x", Errors.DROPPED),
        ("ls 2>&1", Errors.JOINED),
        ("ls 2>&1|wc", Errors.JOINED),
        ("ls '2>&1'", Errors.SHOWN),
    ],
)
def test_only_the_error_stream_may_be_dropped_or_joined(command: str, errors: Errors) -> None:
    """The two redirections that write nothing are known; quoted they are words."""
    assert parse(command)[0].errors is errors


@pytest.mark.parametrize(
    "command",
    [
        "", "   ", "|", "ls |", "| ls", "ls || x", "ls |& wc", "ls; x", "ls & x", "ls && x", "ls &", "ls\nx", "ls > x", "ls >x", "ls >> x",
        "ls 2> x", "ls 2>/dev/null.txt", "ls 2>&1x", "ls 3>&1", "ls &> x", "ls < x", "ls <<E\nE", "ls <<< x", "cat <(ls)", "(ls)",
        "{ ls; }", "ls $x", "ls ${x}", "ls $(x)", "ls `x`", 'ls "$x"', 'ls "`x`"', "ls $'x'", 'ls $"x"', "ls ~", "ls ~/x", "ls ~+", "# x",
        "ls # x", "A=b ls", "A+=b ls", "A[0]=b ls", "ls {a,b}", "ls x{a,b}", "ls {1..3}", "ls -{delete,print}", "ls 'x", 'ls "x', "ls x\\",
        "ls 'a\nb'", "ls \\\nx", "ls\0", "ls\x1b[2J", "ls \u202e", "ls )", "ls }", "! ls", "ls;;x", "x" * 9000, " | ".join(["ls"] * 9),
    ],
)  # fmt: skip
def test_what_a_shell_would_do_more_is_refused(command: str) -> None:
    """Redirections, lists, jobs, groups, expansions, assignments, comments, broken and endless text are refused with a reason."""
    with pytest.raises(CommandRefusedError) as caught:
        parse(command)
    assert str(caught.value)


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("*.md", ["[x].md", "a.md", "b.md"]),
        ("src/*.py", ["src/one.py", "src/two.py"]),
        ("*/o*.py", ["src/one.py"]),
        ("?.md", ["a.md", "b.md"]),
        ("[ab].md", ["a.md", "b.md"]),
        ("[!a].md", ["b.md"]),
        ("'['x].md", ["[x].md"]),
        ("-*", ["./-n"]),
        (".c*/*", [".cfg/c"]),
        (".e*", [".env"]),
        ("*.none", ["*.none"]),
        ("'*.md'", ["*.md"]),
        ("\\*.md", ["*.md"]),
        ("*/s.md", ["*/s.md"]),
        ("src/*/", ["src/*/"]),
    ],
)
def test_globs_mean_what_a_shell_would_find_inside_the_roots(command: str, wanted: list[str], places: Places) -> None:
    """Results are sorted and never read as options; dots are not matched by stars, links are not followed, no match is the word."""
    assert expand(parse(command)[0].words[0], places) == wanted


@pytest.mark.parametrize("command", ["../*", "/etc/*", "link/*", "*/../*", "/*"])
def test_a_glob_that_leads_out_is_refused(command: str, places: Places) -> None:
    """What a glob's fixed part is, is judged like any path."""
    with pytest.raises(CommandRefusedError):
        expand(parse(command)[0].words[0], places)


PIECES = [
    *NAMES, "rm", "sh", "touch", "log", "diff", "show", "status", "branch", "tag", "-c", "-o", "-delete", "-exec", "--output=pwned", "-n",
    "-r", "-R", "-f", "--files0-from=a.md", "-C", "--", "-", "pwned", "a.md", "src", "*", ".e*", "../out", "link", "HEAD", "HEAD:.env",
    "{}", "(", ")", ";", "&", "&&", "||", "|", ">", ">>", "<", "2>&1", "2>/dev/null", "$x", "$(rm", "`", "'", '"', "\\", "\n", "~", "!",
    "#", "{a,b}", "A=b", "+%Y", "-name", "-print", "-fprint", "--open-files-in-pager=x", "-p", "env", "input", ".", "=", "-S", "-T", "\\;",
    "x y",
]  # fmt: skip
COMMANDS = (
    st.lists(st.sampled_from(PIECES), max_size=9).map(" ".join)
    | st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
    | st.text(max_size=40)
)
DANGEROUS = {
    "find": {"-delete", "-exec", "-execdir", "-ok", "-fprint", "-fprintf", "-fls", "-files0-from", "-L"},
    "sort": {"-o", "-T", "-S"},
    "tree": {"-o", "-R"},
    "tail": {"-f", "-F"},
    "grep": {"-f", "-R"},
    "file": {"-f", "-m", "-C", "-z"},
    "date": {"-s", "-f"},
    "jq": {"-f", "-L"},
    "git": {"-o", "--output", "--ext-diff", "--textconv", "-C", "--no-index"},
}
PLAIN_SETTINGS = settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@given(COMMANDS)
@PLAIN_SETTINGS
def test_no_text_becomes_a_program_that_is_not_on_the_list(places: Places, command: str) -> None:
    """Whatever is written: it is refused, or each stage of the pipeline is one listed program without a dangerous option."""
    try:
        steps = plan(command, Judge(places, time.monotonic() + 10))
    except (CommandRefusedError, GitFailedError):
        return
    assert 1 <= len(steps) <= command.count("|") + 1
    for step in steps:
        assert step.program in NAMES
        before = step.arguments[: step.arguments.index("--")] if "--" in step.arguments else step.arguments
        if step.program != "echo":
            assert not DANGEROUS.get(step.program, set()) & {word.split("=")[0] for word in before}, step


@given(COMMANDS)
@settings(PLAIN_SETTINGS, max_examples=80)
def test_no_text_writes_anything(places: Places, command: str) -> None:
    """Whatever is written and run: the tree stays as it was, byte for byte."""
    assert places.project is not None
    top = Path("/", *places.project.real).parent
    before = {path: (path.lstat().st_mtime_ns, path.is_file() and path.read_bytes()) for path in top.rglob("*")}
    bash(command, places)
    assert {path: (path.lstat().st_mtime_ns, path.is_file() and path.read_bytes()) for path in top.rglob("*")} == before
    assert not os.path.lexists("pwned")
