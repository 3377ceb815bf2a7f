"""Which lines need not be decoded: results of calls nobody waits for, the client's bookkeeping.

Owns: the tests on the bytes of a line. Tool results are two thirds of all bytes, so not decoding them is most of the speed.
Inside a JSON string quotes are escaped, so the byte strings looked for are always structure, never somebody's text. Where
the bytes do not tell (spaces in the JSON, an unknown type, another order of keys) the line is decoded. Leaves which calls
are waited for to ``waiting``.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from extractord.transcript.records.dialogs import writes_flags

SMALL = 1024  # results shorter than this are decoded in any case
HEAD = 700  # first bytes of a line that are looked at
TAIL = 2048  # last bytes; the client writes its flags there
TYPE = b'"type":"'
AGENT, USER = b"mu"  # first letters of the first type in an assistant record (that of its message), and in a user record
# The client's bookkeeping, by four letters of the first type in a line. Other kinds are decoded, also those of later clients; so is a line
# in which another record may stand as well.
_KINDS = frozenset(
    {b"mode", b"perm", b"atis", b"tool", b"last", b"queu", b"prog", b"cost", b"summ", b"file", b"api-", b"syst"}
    | {b"envi", b"skil", b"agen", b"defe", b"task", b"auto", b"sess", b"hook", b"todo"}  # attachments
)

_MESSAGE = b'"message":{'
_BRACE, _E = b"}e"
_CLOSING = b"}]"
_QUEUED = b'"queued_command"'
_SHAPE = b'api-request-shape"'
_SYSTEM_MATTERS = (b'"memory_saved"', b'"compact_boundary"')

_RESULT = b'"type":"tool_result"'
_TEXT = b'"type":"text"'
_NEXT_TEXT = b'},{"type":"text","text":"'
_NEXT_RESULT = (b'},{"type":"tool_result"', b'},{"tool_use_id":')
_WORDED_REFUSAL = b"the user said:"  # the older client has no flag
_SOURCE, _PERSON = b'"source":"', b"user_"
_FLAGS = (b"user-rejected", _SOURCE + _PERSON)
# How a result of the usual form begins, from its type on, and how it goes on after what the tool returned.
_OPENINGS = tuple(b'user","message":{"role":"user","content":[{' + first for first in (b'"tool_use_id":"', b'"type":"tool_result",'))
_CALLED_BY = b',"sourceToolAssistantUUID":"'
_AFTER_CALLED_BY = len(_CALLED_BY) + 36
_ENVELOPE = (b'","userType":', b'","session_id":')
_VERSION = re.compile(rb'"version":"([0-9.]{1,30})"')
_DECIDED = b'","permissionDecision":{'
_SANDBOXED = b',"sandboxed":'
_RETURNED = b'"toolUseResult":'
_ENVELOPES = 700  # last bytes in which ``_CALLED_BY`` stands
_ENDS = b']},"uuid":"'  # how a record goes on after its message
_SHORT = 600  # bytes from the type on, within which the message ends if the result is but a sentence
_LONG, _AROUND = 6000, 400  # bytes: of a result whose two copies are told apart, and how far from its middle the second begins


def is_bookkeeping(line: bytes, at: int) -> bool:
    """Whether a line whose first type stands at ``at`` says nothing of the talk."""
    kind = line[at : at + 4]
    if kind not in _KINDS or line[-2] != _BRACE or line.find(_MESSAGE) >= 0:
        return False
    if kind == b"syst":
        return line.find(_SYSTEM_MATTERS[0]) < 0 and line.find(_SYSTEM_MATTERS[1]) < 0
    if kind == b"queu":
        return line.find(_QUEUED) < 0
    return kind != b"api-" or not line.startswith(_SHAPE, at)


class Ending:
    """How the results of a session end, without flags: the same as long as the client, the folder and the branch do."""

    def __init__(self) -> None:
        """Begin with none known."""
        self.envelope = b"\n\n"  # no line ends so
        self.size = 0
        self.flagged = False  # whether this client says by a flag that a person typed something

    def learn(self, envelope: bytes) -> None:
        """Expect the next results to end in ``envelope``."""
        version = _VERSION.search(envelope)
        self.envelope, self.size = envelope, len(envelope)
        self.flagged = version is not None and writes_flags(version.group(1).decode())


def is_mere_result(line: bytes, at: int, ending: Ending) -> bool:
    """Whether a user record, whose type stands at ``at``, is a single tool result in which nobody typed anything."""
    size = len(line)
    if size < SMALL:
        return False
    if not line.startswith(_OPENINGS, at):
        return _is_mere_result_in_any_form(line, at)
    # The usual form: what the tool returned is an object or a list, so it was not refused, and the client's flags follow in a known order.
    if line.endswith(ending.envelope):
        after = size - ending.size
        called_by = after - _AFTER_CALLED_BY
        known = line.startswith(_CALLED_BY, called_by)
    else:
        called_by = line.rfind(_CALLED_BY, size - _ENVELOPES)
        after = called_by + _AFTER_CALLED_BY
        known = called_by >= 0
        if known and line.startswith(_ENVELOPE, after):
            ending.learn(line[after:])
    if not known or (line[called_by - 1] not in _CLOSING and not _follows_an_object(line, called_by)):
        return _is_mere_result_in_any_form(line, at)
    if line.startswith(_ENVELOPE, after):
        return ending.flagged or line.find(_NEXT_TEXT, at, _end_of_message(line, at, size)) < 0
    if line.startswith(_DECIDED, after) and (source := line.find(_SOURCE, after)) >= 0:
        return not line.startswith(_PERSON, source + len(_SOURCE))
    return _is_mere_result_in_any_form(line, at)


def _follows_an_object(line: bytes, at: int) -> bool:
    """Whether an object or a list ends before ``at``, with the flag of a sandbox between."""
    flag = line.rfind(_SANDBOXED, at - 20, at)
    return flag >= 0 and line[at - 1] == _E and line[flag - 1] in _CLOSING


def _end_of_message(line: bytes, at: int, size: int) -> int:
    """Return a place after a record's message: mostly its result is short, or written twice so that the second begins about the middle."""
    ends = line.find(_ENDS, at, at + _SHORT)
    if ends >= 0 or size < _LONG:
        return ends if ends >= 0 else size
    middle = (at + size) // 2
    returned = line.find(_RETURNED, middle - _AROUND, middle + _AROUND)
    return returned if returned >= 0 else size


def _is_mere_result_in_any_form(line: bytes, at: int) -> bool:
    result = line.find(_RESULT, at, HEAD)
    if result < 0 or line.find(_TEXT, at, result) >= 0 or line.find(_WORDED_REFUSAL, result, HEAD) >= 0:
        return False
    return line.find(_FLAGS[0], -TAIL) < 0 and line.find(_FLAGS[1], -TAIL) < 0 and line.find(_NEXT_TEXT, result) < 0


def ends(line: bytes) -> tuple[bytes, bytes]:
    """Return those parts of a line in which a result names its call."""
    return line[:HEAD], line[-TAIL:]


def names_any(parts: tuple[bytes, bytes], marks: Collection[bytes]) -> bool:
    """Whether a result may be that of one of these calls: its id stands at the head, its record's uuid at the tail."""
    head, tail = parts
    return any(mark in head or mark in tail for mark in marks)


def holds_several(line: bytes) -> bool:
    """Whether more than one result may stand in a line."""
    return any(line.find(mark) >= 0 for mark in _NEXT_RESULT)
