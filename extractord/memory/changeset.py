"""Proposed and recorded changes of topics: the place where agent and memory meet.

Owns: the records of a changeset and of the evidence in it. Leaves whether a change is right to ``checks``, carrying it out
to ``directory``, keeping it to the ledger.
"""

from __future__ import annotations

import enum

import msgspec


class ChangeKind(enum.Enum):
    """What happens to a topic."""

    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"


class Evidence(msgspec.Struct, frozen=True):
    """A sentence that was said, and where: ``message`` is an id of the digest.

    ``accepted_by`` names a later prompt when the quote is the agent's proposal that was accepted without objection.
    """

    message: str
    quote: str
    accepted_by: str | None = None


class Proposal(msgspec.Struct, frozen=True):
    """A staged change of one topic as the agent's overlay holds it.

    ``path`` is relative to the memory directory with ``/``; ``before`` is the text the change is based on (None: no file),
    ``after`` the text it is to have (None: no file). Texts are what the file's bytes decode to as UTF-8, line ends kept.
    """

    path: str
    before: str | None
    after: str | None
    evidence: tuple[Evidence, ...] = ()

    @property
    def kind(self) -> ChangeKind:
        match self.before, self.after:
            case _, None:
                return ChangeKind.DELETE
            case None, _:
                return ChangeKind.CREATE
            case _:
                return ChangeKind.UPDATE


class Changeset(msgspec.Struct, frozen=True):
    """All that one agent run wants to change, in the order of its calls, one proposal a topic."""

    proposals: tuple[Proposal, ...] = ()


def digest_of(text: str | None) -> str:
    """Return the hash by which states of a topic are compared ("" for a file that is not there)."""
    import hashlib  # loads OpenSSL

    return "" if text is None else hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
