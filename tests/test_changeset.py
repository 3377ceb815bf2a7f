"""Promises of proposed changes: which kind one is, and how states of a topic are compared."""

from __future__ import annotations

import hashlib

import pytest

from extractord.memory.changeset import ChangeKind, Changeset, Evidence, Proposal, digest_of


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (None, "x", ChangeKind.CREATE),
        (None, "", ChangeKind.CREATE),
        ("x", "y", ChangeKind.UPDATE),
        ("", "", ChangeKind.UPDATE),
        ("x", None, ChangeKind.DELETE),
        (None, None, ChangeKind.DELETE),
    ],
)
def test_the_kind_of_a_change_follows_from_its_texts(before: str | None, after: str | None, kind: ChangeKind) -> None:
    """No file is something else than an empty one."""
    assert Proposal("a.md", before, after).kind is kind


def test_kinds_are_recorded_by_words_that_stay() -> None:
    """What older versions wrote into the ledger is read by later ones."""
    assert [kind.value for kind in ChangeKind] == ["create", "update", "delete"]


def test_states_of_a_topic_are_told_apart_by_their_bytes() -> None:
    """The hash is SHA-256 of the UTF-8 bytes; no file is none of them; a half character that was read stays comparable."""
    assert digest_of("ä\r\n") == hashlib.sha256(b"\xc3\xa4\r\n").hexdigest()
    assert digest_of(None) == ""
    assert digest_of("") == hashlib.sha256(b"").hexdigest()
    assert digest_of("\ud800") == hashlib.sha256(b"\xed\xa0\x80").hexdigest()


def test_a_change_without_more_said_has_no_evidence_and_a_changeset_no_change() -> None:
    """What is left out is empty, and a quote was accepted by nobody."""
    assert (Proposal("a.md", None, "x").evidence, Changeset().proposals, Evidence("m1", "q").accepted_by) == ((), (), None)


def test_a_proposal_once_made_stays_what_it_is() -> None:
    """Equal ones count as one, and none can be changed after it was checked."""
    evidence = Evidence("m1", "q")
    proposal = Proposal("a.md", None, "x", (evidence,))
    assert len({Changeset((proposal,)), Changeset((Proposal("a.md", None, "x", (Evidence("m1", "q"),)),))}) == 1
    for record, field in ((evidence, "quote"), (proposal, "after"), (Changeset((proposal,)), "proposals")):
        with pytest.raises(AttributeError):
            setattr(record, field, "y")
