"""Promises about what of an index a session loads; the last ones are checked against the real client."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractord.memory.entries import IndexLimits
from extractord.memory.loading import Loaded, load, units
from tests.claude_client import ClaudeClient, claude, clients_model, loaded

__all__ = ["claude"]  # a fixture

LINES, UNITS = "lines (at most 200 are loaded)", "characters (at most 25,000 are loaded)"


def index(lines: int, size: int, fill: str = "x", eol: str = "\n") -> str:
    """Return a text of so many lines that is so many UTF-16 units long."""
    each, rest = divmod(size - len(eol) * (lines - 1), lines)
    width = units(fill)
    longer = each + rest
    assert each >= 1
    first = fill * (longer // width) + "." * (longer % width)
    return eol.join([first, *([fill * (each // width) + "." * (each % width)] * (lines - 1))])


@pytest.mark.parametrize("fill", ["x", "记", "😀"])
@pytest.mark.parametrize("size", [24_999, 25_000, 25_001])
@pytest.mark.parametrize("lines", [199, 200, 201])
def test_each_cap_strikes_just_above_itself_and_is_named(lines: int, size: int, fill: str) -> None:
    """199, 200, 201 lines by 24,999, 25,000, 25,001 units: what fits is loaded whole, and the warning names what struck."""
    text = index(lines, size, fill)
    assert (text.count("\n") + 1, units(text)) == (lines, size)
    found = load(text)
    assert (LINES in found.warning, UNITS in found.warning) == (lines > 200, size > 25_000)
    if not found.warning:
        assert found.text == text
    else:
        assert text.startswith(found.text + "\n")
        assert found.text.count("\n") + 1 == min(lines - 1, 200)
        assert units(found.text) <= 25_000


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("y" * 26_000, "y" * 25_000),
        ("记" * 26_000, "记" * 25_000),
        ("a" + "😀" * 13_000, "a" + "😀" * 12_499),
        ("y" * 25_000 + "\n" + "z" * 9, "y" * 25_000),
        ("y" * 25_001 + "\n" + "z" * 9, "y" * 25_000),
        ("记" * 24_999 + "\n" + "忆" * 9, "记" * 24_999),
        ("\n".join(["w" * 1_000] * 197), "\n".join(["w" * 1_000] * 24)),
        ("\n".join(["w" * 199] * 230), "\n".join(["w" * 199] * 125)),
        ("\r\n".join(["y" * 249] * 100), "\n".join(["y" * 249] * 99)),
    ],
    ids=["no newline", "no newline, CJK", "no newline, astral", "newline at the cap", "newline behind it", "CJK", "197 KB", "both", "CRLF"],
)
def test_the_cut_falls_at_the_last_newline_that_fits(text: str, part: str) -> None:
    """A line is cut only where there is no newline, a character never."""
    assert load(text).text == part
    assert load(text).warning


@pytest.mark.parametrize("text", ["", "\n \n", "\ufeff"])
def test_an_empty_index_loads_nothing(text: str) -> None:
    """Blank text is no line."""
    assert load(text) == Loaded("")


def test_blanks_round_the_text_count_toward_no_cap() -> None:
    """Trimmed first, then counted; the warning stands outside the caps."""
    text = index(200, 25_000)
    assert load(f"\ufeff\n\n  {text}\n \n") == Loaded(text)
    longer = load(f"{text}\nmore")
    assert longer.text == text
    assert str(longer).startswith(f"{text}\n\n> WARNING")


def test_line_ends_are_counted_as_they_are_and_loaded_plain() -> None:
    """CRLF takes two units; a session sees plain line ends."""
    assert load("a\r\nb\rc\r\n") == Loaded("a\nb\nc")
    assert load(index(100, 25_000, eol="\r\n")).warning == ""
    assert UNITS in load(index(100, 25_001, eol="\r\n")).warning


@given(st.text(alphabet="ab 记😀\n\r", max_size=80), st.integers(1, 6), st.integers(1, 30))
@settings(max_examples=150, deadline=None)
def test_what_is_loaded_is_a_beginning_within_both_caps(text: str, lines: int, size: int) -> None:
    """Whatever the text, and nothing is said where nothing was cut."""
    found = load(text, IndexLimits(lines=lines, units=size))
    assert found.text.count("\n") < lines + text.count("\r")
    assert units(found.text) <= size
    plain = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    assert plain.startswith(found.text.strip())
    assert bool(found.warning) or found.text.strip() == plain


@pytest.mark.parametrize(
    "text",
    [index(200, 25_000, "记"), index(201, 9_000), index(130, 25_001, "😀"), "a" + "😀" * 13_000, "\r\n".join(["y" * 249] * 101)],
    ids=["all", "lines", "units", "no newline, astral", "CRLF"],
)
def test_the_real_client_loads_the_same(text: str, claude: ClaudeClient, tmp_path: Path) -> None:
    """Its first request holds just what we say is loaded, and a warning behind it where we warn."""
    memory = claude.home.memory("shop")
    memory.mkdir(parents=True)
    (memory / "MEMORY.md").write_bytes(text.encode())
    with clients_model(tmp_path, []) as model:
        claude.says("hello there", "shop", model)
        sent = loaded(model.requests()[0])
    _, found, after = sent.partition(f"/MEMORY.md (user's auto-memory, persists across conversations):\n\n{load(text).text}\n")
    assert found
    assert after.startswith("\n> WARNING" if load(text).warning else "</system-reminder>")
