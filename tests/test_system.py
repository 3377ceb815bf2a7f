"""Promises about what differs between systems, as far as it can be seen on any of them."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import extractord.system
from extractord.claude_home import sanitize
from extractord.system import posix_paths, windows_paths
from extractord.system.windows_program import refusal

SYSTEM = Path(extractord.system.__file__).parent
PAIRS = ("files", "paths", "folders", "pids", "processes")


@pytest.mark.parametrize(
    ("native", "slashed"),
    [
        ("C:\\Users\\sam\\shop", "/C:/Users/sam/shop"),
        ("c:\\Users\\sam", "/C:/Users/sam"),
        ("C:/Users/sam", "/C:/Users/sam"),
        ("C:\\", "/C:/"),
        ("C:", "/C:"),
        ("\\\\?\\C:\\a\\b", "/C:/a/b"),
        ("/c/Users/sam", "/C:/Users/sam"),
        ("/C:/Users/sam", "/C:/Users/sam"),
        ("src\\a.py", "src/a.py"),
        ("src/a.py", "src/a.py"),
        ("/tmp/a", "/tmp/a"),
        ("\\\\server\\share\\x", "//server/share/x"),
    ],
)
def test_a_path_of_windows_has_one_form_with_slashes(native: str, slashed: str) -> None:
    """However a client, its shell or Windows itself writes it; that form is told back as Windows wants it, and is its own form."""
    assert windows_paths.slashed(native) == slashed
    assert windows_paths.slashed(slashed) == slashed
    assert windows_paths.slashed(windows_paths.native(slashed)) == slashed


@pytest.mark.parametrize(
    "name",
    ["a:b.md", "a.md::$DATA", "C:", "NUL", "nul.md", "Con.md", "aux .md", "COM1", "lpt9.md", "COM\u00b9.md", "CONIN$", "a.md.", "a.md ",
    "...",  "TOPICS~1.MD", "PROGRA~1", "GIT~12", "a\\b.md", "a/b.md", "a*.md", "a?.md", 'a".md', "a<b.md", "a|b.md", "a\x01.md"],
)  # fmt: skip
def test_a_name_that_windows_takes_for_something_else_is_odd(name: str) -> None:
    """Streams, devices, dropped endings, short forms, and what no name may hold there; on other systems each is a name."""
    assert windows_paths.odd_name(name)
    assert posix_paths.odd_name(name) == posix_paths.disguised(name) == ""


@pytest.mark.parametrize(
    "name",
    [
        "feedback_tests.md",
        "null.md",
        "console.md",
        "com.md",
        "COM10x.md",
        "..",
        ".",
        ".git",
        "a b.md",
        "über.md",
        "日志.md",
        "a~b.md",
        "~.md",
    ],
)
def test_a_plain_name_is_not_odd(name: str) -> None:
    """Names of topics and folders as people give them."""
    assert windows_paths.odd_name(name) == ""


@pytest.mark.parametrize("pattern", ["*.md", "**", "src/[ab]?.py".rpartition("/")[2]])
def test_a_pattern_is_not_disguised(pattern: str) -> None:
    """A glob may be asked for, though no file can have it as its name."""
    assert windows_paths.disguised(pattern) == ""
    assert windows_paths.odd_name("*.md")


@pytest.mark.parametrize(
    ("cwd", "key"),
    [("C:\\Users\\sam\\shop", "C--Users-sam-shop"), ("d:\\work\\my app", "d--work-my-app"), ("\\\\server\\share\\x", "--server-share-x")],
)
def test_a_folder_of_windows_has_the_key_of_the_clients_rule(cwd: str, key: str) -> None:
    """Each unit that is no letter or digit becomes one hyphen, the drive's colon and backslash too."""
    assert sanitize(cwd) == key


def test_on_windows_the_service_is_refused_and_the_rest_where_it_was_never_run() -> None:
    """Help and version are told, what was run works, all else is refused with what to do instead."""
    assert [refusal(command) for command in ("once", "demo", "undo", "review", "--help", "--version", "")] == [""] * 7
    assert all("`extractord once` works" in refusal(command) for command in ("install", "uninstall", "run"))
    assert all("never run" in refusal(command) for command in ("setup", "dream", "team", "hook", "doctor"))


@pytest.mark.parametrize("pair", PAIRS)
def test_both_systems_have_the_same_names(pair: str) -> None:
    """What is asked of a system is there in both forms, with the same parameters."""
    asked = importlib.import_module(f"extractord.system.{pair}").__all__
    assert asked
    posix, windows = _signatures(f"posix_{pair}"), _signatures(f"windows_{pair}")
    for name in asked:
        assert posix[name] == windows[name], name


def _signatures(module: str) -> dict[str, list[str]]:
    """Return the parameters of each function of a module, none for other names, without importing it."""
    found: dict[str, list[str]] = {}
    for node in ast.parse((SYSTEM / f"{module}.py").read_text("utf-8")).body:
        match node:
            case ast.FunctionDef(name=name):
                found[name] = [ast.unparse(node.args), ast.unparse(node.returns) if node.returns else ""]
            case ast.Assign(targets=[ast.Name(id=name)]):
                found[name] = []
            case ast.Assign(targets=[ast.Tuple(elts=names)]):
                found |= {one.id: [] for one in names if isinstance(one, ast.Name)}
            case _:
                pass
    return found
