"""Promises of the operations on MEMORY.md."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from extractord.memory.entries import IndexLimits, entries_of
from extractord.memory.index import FULL_OF_PROSE, GONE, LEFT_OUT, SHORTENED, Around, files_of, invert, is_full, line_of, merge
from extractord.memory.lines import Lines
from extractord.memory.prepared import IndexLine
from extractord.memory.rescue import rescue

BUGS = Path(__file__).parent / "cases" / "bugs"


def put(file: str, time: float = 0.0, hook: str = "hook") -> IndexLine:
    return IndexLine(file, line_of(file, file.removesuffix(".md"), hook), time)


def drop(file: str) -> IndexLine:
    return IndexLine(file, None)


def around(**times: float) -> Around:
    files = {f"{name}.md": time for name, time in times.items()}
    return Around(files, frozenset(files))


def listed(text: str | None) -> list[str]:
    return [entry.file for entry in entries_of(Lines(text or ""))]


def test_a_line_has_the_clients_form() -> None:
    """Name, file and description on one line."""
    assert line_of("a.md", "A", "what it says") == "- [A](a.md) — what it says"
    assert line_of("a.md", "", "") == "- [a](a.md)"


@given(st.text(max_size=200), st.text(max_size=300))
@settings(max_examples=150, deadline=None)
def test_a_line_is_one_short_line_whatever_the_name(name: str, description: str) -> None:
    """At most 150 characters, one line, and found again with its file: also with brackets, line ends and controls in the name."""
    line = line_of("sub/a (b) #1 50%.md", name, description)
    assert len(line) <= 150
    assert line.splitlines() == [line]
    assert listed(line) == ["sub/a (b) #1 50%.md"]


@pytest.mark.parametrize(
    ("line", "file"),
    [
        ("- [a](a.md) - hook", "a.md"),
        ("* [a](./a.md): hook", "a.md"),
        ("  1. [a [b]](<sub/a b.md>)", "sub/a b.md"),
        ("- [a](a%20b.md#part) — x", "a b.md"),
        ('- [a](a b.md "title")', "a b.md"),
        ("- [a](https://example.invalid/a.md)", None),
        ("- [a](../outside.md)", None),
        ("- [a](/abs.md)", None),
        ("- [a](a.txt)", None),
        ("see [a](a.md)", None),
        ("# [a](a.md)", None),
    ],
)
def test_only_list_items_that_begin_with_a_topics_link_are_index_lines(line: str, file: str | None) -> None:
    """Other bullets, links elsewhere, prose and headings are somebody's text."""
    assert listed(line) == ([file] if file else [])


def test_a_code_fence_is_no_list() -> None:
    """What stands in a fence is prose."""
    assert listed("- [a](a.md)\n```\n- [b](b.md)\n```\n- [c](c.md)\n") == ["a.md", "c.md"]


def test_newest_comes_to_the_top_of_the_list() -> None:
    """Above the first line whose topic is older; prose above the list stays above it."""
    text = "# Memory\n\nHello.\n\n- [a](a.md)\n- [b](b.md)\n\nEnd.\n"
    assert listed(merge(text, [put("n.md", 9)], around(a=5, b=3)).text) == ["n.md", "a.md", "b.md"]
    assert listed(merge(text, [put("n.md", 4)], around(a=5, b=3)).text) == ["a.md", "n.md", "b.md"]
    old = merge(text, [put("n.md", 1)], around(a=5, b=3)).text
    assert listed(old) == ["a.md", "b.md", "n.md"]
    assert (old or "").endswith("- [n](n.md) — hook\n\nEnd.\n")


@pytest.mark.parametrize("text", [None, "", "# Memory", "Only prose.\r\nTwo lines.\r\n", "\ufeff# Memory\n"])
def test_an_index_without_a_list_gets_one_at_its_end(text: str | None) -> None:
    """Nothing else changes: no byte of prose, the line ends, the missing last one; and undo gives the old text back."""
    merged = merge(text, [put("a.md", 1), put("b.md", 2)], Around())
    assert listed(merged.text) == ["b.md", "a.md"]
    assert (merged.text or "").startswith(text or "")
    assert ("\r\n" in (merged.text or "")) == ("\r\n" in (text or ""))
    assert (invert(merged.changes, merged.text).text or "") == (text or "")


def test_a_replaced_line_keeps_its_place_and_bullet() -> None:
    """Also when its topic is the newest by now."""
    text = "- [a](a.md) — x\n  * [b](b.md) — old\n- [c](c.md) — z"
    merged = merge(text, [put("b.md", 99, "new")], around(a=3, b=2, c=1))
    assert merged.text == "- [a](a.md) — x\n  * [b](b.md) — new\n- [c](c.md) — z"
    assert invert(merged.changes, merged.text).text == text


def test_a_dropped_line_leaves_alone() -> None:
    """All lines of the file go, no other byte; CR LF stays."""
    text = "# T\r\n- [a](a.md)\r\n- [b](b.md)\r\n- [a again](./a.md)"
    merged = merge(text, [drop("a.md")], Around())
    assert merged.text == "# T\r\n- [b](b.md)"
    assert invert(merged.changes, merged.text).text == text


def full_index(count: int, length: int = 20) -> tuple[str, Around]:
    """An index of ``count`` lines, newest first, and what is known round it."""
    lines = [f"- [t{number}](t{number}.md) — {'w ' * (length // 2)}".rstrip() for number in range(count)]
    times = {f"t{number}.md": float(count - number) for number in range(count)}
    return "\n".join(lines) + "\n", Around(times, frozenset(times))


def test_over_the_line_cap_vanished_files_leave_first() -> None:
    """A line whose file is gone makes room, and nobody else's line goes."""
    text, known = full_index(200)
    gone = Around(known.times, frozenset(known.times) - {"t77.md"})
    merged = merge(text, [put("n.md", 999)], gone)
    assert files_of(merged.text or "") == files_of(text) - {"t77.md"} | {"n.md"}
    assert [change.reason for change in merged.changes] == ["", GONE]


def test_over_the_line_cap_our_oldest_leave_before_others() -> None:
    """Ours leaves though another's is older; without ours the oldest of all; the new one stays unless it is the oldest itself."""
    text, known = full_index(200)
    ours = Around(known.times, known.existing, frozenset({"t10.md", "t20.md"}))
    assert files_of(text) - files_of(merge(text, [put("n.md", 999)], ours).text or "") == {"t20.md"}
    assert files_of(text) - files_of(merge(text, [put("n.md", 999)], known).text or "") == {"t199.md"}
    oldest = merge(text, [put("n.md", 0.5)], known)
    assert oldest.text == text
    assert [change.reason for change in oldest.changes] == ["", LEFT_OUT]


def test_over_the_size_cap_hooks_are_shortened_before_a_line_leaves() -> None:
    """Ours first, from the oldest, and only as many as needed; units are UTF-16, so an emoji counts two."""
    text, known = full_index(190, 112)
    assert not is_full(text)
    ours = Around(known.times, known.existing, frozenset({"t3.md", "t4.md"}))
    merged = merge(text + "😀" * 160 + "\n", [put("n.md", 999)], ours)
    assert files_of(merged.text or "") == files_of(text) | {"n.md"}
    assert not is_full(merged.text or "")
    shortened = [change.file for change in merged.changes if change.reason == SHORTENED]
    assert shortened[:2] == ["t4.md", "t3.md"]
    assert invert(merged.changes, merged.text).text == text + "😀" * 160 + "\n"


def test_headings_and_prose_never_leave() -> None:
    """An index that is full of prose alone is not cleared of its list, and it is said."""
    text = "prose\n" * 210 + "- [a](a.md)\n"
    merged = merge(text, [put("n.md", 9)], around(a=1))
    assert listed(merged.text) == ["n.md", "a.md"]
    assert merged.notes == (FULL_OF_PROSE,)


def test_an_index_over_its_caps_is_left_so_by_what_takes_no_room() -> None:
    """A drop, or a replacement that is no longer, makes nobody else's line leave."""
    text, known = full_index(230)
    assert len(listed(merge(text, [drop("t5.md")], known).text)) == 229
    assert len(listed(merge(text, [put("t5.md", 999, "h")], known).text)) == 230


def test_undo_on_a_changed_index_takes_only_its_own() -> None:
    """A person's new lines and changed hooks stay; our new line goes, the dropped one comes back into the list."""
    before = "# T\n- [a](a.md) — x\n- [b](b.md) — y\n"
    merged = merge(before, [put("n.md", 9), put("a.md", 9, "ours"), drop("b.md")], around(a=1, b=1))
    today = (
        "# T\nA new paragraph.\n\n" + (merged.text or "").removeprefix("# T\n").replace("— ours", "— by hand") + "- [p](p.md) — theirs\n"
    )
    undone = invert(merged.changes, today).text or ""
    assert sorted(listed(undone)) == ["a.md", "b.md", "p.md"]
    assert "— by hand" in undone
    assert undone.startswith("# T\nA new paragraph.\n\n- ")


files = st.sampled_from([f"{letter}.md" for letter in "abcdefgh"])
operations = st.lists(
    st.one_of(st.builds(put, files, st.floats(0, 10), st.sampled_from(["x", "long " * 30, "中文"])), st.builds(drop, files)),
    max_size=5,
    unique_by=lambda operation: operation.file,
)
index_lines = st.one_of(
    st.builds(lambda file, hook: f"- [n]({file}) — {hook}", files, st.sampled_from(["x", "y " * 40, ""])),
    st.sampled_from(["# H", "", "prose", "```", "- no link", "  ", "1. [z](z.md)"]),
)
texts = st.builds(
    lambda lines, eol, end: eol.join(lines) + end, st.lists(index_lines, max_size=12), st.sampled_from(["\n", "\r\n"]), st.just("\n")
)
small = st.sampled_from([IndexLimits(), IndexLimits(lines=6), IndexLimits(units=250, short_characters=40)])


@given(texts, operations, st.dictionaries(files, st.floats(0, 10)), small)
@settings(max_examples=300, deadline=None)
def test_merging_twice_is_merging_once_and_undo_is_its_inverse(
    text: str, wanted: list[IndexLine], times: dict[str, float], limits: IndexLimits
) -> None:
    """A second merge changes no byte, undoing gives the first text (if no line stands twice), and only index lines are touched."""
    assume(len(set(entries := [line for line in Lines(text) if listed(line)])) == len(entries))
    known = Around(times, frozenset(times), frozenset({"a.md", "b.md"}))
    merged = merge(text, wanted, known, limits)
    undone = invert(merged.changes, merged.text).text or ""
    assert [*Lines(undone)] == [*Lines(text)]
    prose = [line for line in text.splitlines() if not listed(line)]
    assert [line for line in (merged.text or "").splitlines() if not listed(line)] == prose
    again = merge(merged.text, wanted, known, limits)
    if not any(change.reason == LEFT_OUT for change in merged.changes):
        assert again.text == merged.text


@given(texts, texts)
@settings(max_examples=150, deadline=None)
def test_rescue_brings_in_every_new_line(base: str, theirs: str) -> None:
    """Each line that somebody added to the base is in the result, and nothing of today's prose is lost."""
    today = base + "- [q](q.md) — ours\n"
    result = rescue((base,), theirs, today)
    left = {line for line in Lines(theirs) if line.strip()} - {*Lines(base)}
    last_by_file = {listed(line)[0]: line for line in Lines(theirs) if line in left and listed(line)}
    kept = {line for line in left if not listed(line)} | set(last_by_file.values())
    assert kept <= {*Lines(result)}


def test_no_words_added_while_we_wrote_are_lost() -> None:
    """A new line, a changed hook and a paragraph written into the old index come into the new one."""
    base = "# T\n- [a](a.md) — x\n- [b](b.md) — y\n"
    theirs = "# T\nA paragraph.\n- [a](a.md) — x\n- [b](b.md) — changed\n- [c](c.md) — z\n"
    today = "# T\n- [n](n.md) — ours\n- [a](a.md) — x\n- [b](b.md) — y\n"
    assert rescue((base,), theirs, today) == (
        "# T\nA paragraph.\n- [n](n.md) — ours\n- [a](a.md) — x\n- [b](b.md) — changed\n- [c](c.md) — z\n"
    )


def test_a_flood_of_lines_is_rescued_in_one_go() -> None:
    """Forty thousand lines that somebody wrote meanwhile, half of them about topics, cost no more than reading them."""
    theirs = "".join(f"- [t{n}](t{n}.md) — x\nprose {n}\n" for n in range(20_000))
    result = rescue(("",), theirs, "# T\n- [q](q.md) — ours\n")
    assert {*Lines(theirs)} < {*Lines(result)}
    assert len(Lines(result)) == 40_002


def test_a_colon_in_a_hook_is_kept_with_crlf() -> None:
    """The indexes of the reported bugs take a line and give it back."""
    for name in ("crlf-topic", "colon-in-description", "stray-temp-file"):
        text = (BUGS / name / "memory" / "MEMORY.md").read_bytes().decode()
        merged = merge(text, [put("new.md", 1, "a: b")], Around())
        assert len(listed(merged.text)) == 2
        assert invert(merged.changes, merged.text).text == text
