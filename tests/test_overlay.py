"""The in-memory copy of the memory directory."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from extractord.agent.overlay import OVERLAY_BYTES, Overlay
from extractord.memory.changeset import ChangeKind, Evidence

E1, E2 = Evidence("m1", "always use tabs"), Evidence("m2", "never use spaces")


def overlay(**topics: str) -> Overlay:
    return Overlay({f"{name}.md": text for name, text in topics.items()}.get)


def test_changes_are_seen_and_based_on_what_was_first_there() -> None:
    """Several changes of one topic are one proposal, from the first text to the last, with all evidence once."""
    o = overlay(a="one")
    o.stage(o.propose("a.md", "two", (E1,)))
    o.stage(o.propose("a.md", "three", (E1, E2)))
    (proposal,) = o.changeset().proposals
    assert (proposal.before, proposal.after, proposal.kind, proposal.evidence) == ("one", "three", ChangeKind.UPDATE, (E1, E2))
    assert o.now("a.md") == "three"


def test_proposing_changes_nothing() -> None:
    """What is only proposed is not seen: a denied check leaves no trace."""
    o = overlay(a="one")
    o.propose("a.md", "two", ())
    assert o.now("a.md") == "one"
    assert o.changeset().proposals == ()


def test_coming_back_is_no_change() -> None:
    """A topic made and deleted again, or changed and changed back, is not in the changeset."""
    o = overlay(a="one")
    for path, after in (("a.md", "two"), ("a.md", "one"), ("new.md", "x"), ("new.md", None)):
        o.stage(o.propose(path, after, ()))
    assert o.changeset().proposals == ()
    assert o.covering() == {}


def test_the_disk_is_looked_at_once() -> None:
    """A topic changed by somebody else meanwhile is compared with what the model was shown, not with the newer text."""
    texts = iter(["first", "second"])
    o = Overlay(lambda _: next(texts))
    assert o.now("a.md") == "first"
    assert o.propose("a.md", "x", ()).before == "first"


def test_a_briefed_topic_is_known_only_while_it_is_so() -> None:
    """A body in the briefing counts as read if it is still the body of what is there."""
    topics = {"a.md": "---\nname: a\n---\n\nbody\n", "b.md": "---\nname: b\n---\n\nchanged\n"}
    o = Overlay(topics.get, [("a.md", "body"), ("b.md", "body"), ("c.md", ""), ("gone.md", "body")])
    assert [o.seen(name) for name in ("a.md", "b.md", "c.md", "gone.md")] == [True, False, False, False]


def test_there_is_room_for_so_much_only() -> None:
    """The overlay cannot be made to outgrow a frame."""
    o = overlay()
    assert o.room_for(o.propose("a.md", "x" * (OVERLAY_BYTES - 100), ()))
    o.stage(o.propose("a.md", "x" * (OVERLAY_BYTES - 100), ()))
    assert not o.room_for(o.propose("b.md", "x" * 200, ()))
    assert o.room_for(o.propose("a.md", "x", ()))


def test_a_topic_is_no_directory() -> None:
    """What would need a file and a directory of one name is told of."""
    o = overlay()
    o.stage(o.propose("x.md/y.md", "1", ()))
    o.stage(o.propose("z.md", "1", ()))
    assert o.crosses("x.md")
    assert o.crosses("z.md/a.md")
    assert not o.crosses("x.md/z.md")


class OverlayAgainstDict(RuleBasedStateMachine):
    """Whatever is staged in whatever order, the overlay shows what a plain dictionary would."""

    def __init__(self) -> None:
        super().__init__()
        self.disk = {"a": "1", "b": "2"}
        self.model: dict[str, str | None] = dict(self.disk)
        self.overlay = Overlay(self.disk.get)

    @rule(path=st.sampled_from("abcd"), text=st.none() | st.sampled_from(["1", "2", "3"]))
    def change(self, path: str, text: str | None) -> None:
        self.overlay.stage(self.overlay.propose(path, text, ()))
        self.model[path] = text

    @invariant()
    def agrees(self) -> None:
        assert all(self.overlay.now(path) == self.model.get(path) for path in "abcd")
        carried_out: dict[str, str | None] = {**self.disk, **{p.path: p.after for p in self.overlay.changeset().proposals}}
        assert {k: v for k, v in carried_out.items() if v} == {k: v for k, v in self.model.items() if v}
        assert all(p.before != p.after for p in self.overlay.changeset().proposals)


TestOverlayAgainstDict = OverlayAgainstDict.TestCase
TestOverlayAgainstDict.settings = settings(max_examples=25, stateful_step_count=15)
