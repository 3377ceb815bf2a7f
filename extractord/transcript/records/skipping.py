"""Which lines need not be decoded: results of calls nobody waits for, thoughts of the agent, the client's bookkeeping.

Owns: the test on the bytes of a line. Tool results are two thirds of all bytes, so not decoding them is most of the speed.
Inside a JSON string quotes are escaped, so the byte strings looked for are always structure, never somebody's text. Where
the bytes do not tell (spaces in the JSON, an unknown type, another order of keys) the line is decoded. Leaves which calls
are waited for to ``course``.
"""

from __future__ import annotations

import enum
from collections.abc import Collection

SMALL = 1024  # results shorter than this are decoded in any case
HEAD = 700  # first bytes of a line that are looked at
TAIL = 2048  # last bytes; the client writes its flags there


class Glance(enum.Enum):
    """What a line is, as far as its bytes tell."""

    DECODE = "it must be decoded"
    RESULT = "a single tool result in which nobody typed anything"
    THOUGHT = "what the agent thought"
    BESIDE = "nothing of the talk"


_TYPE = b'"type":"'
_RESULT = b'"type":"tool_result"'
_TEXT = b'"type":"text"'
_THOUGHT = b'"content":[{"type":"thinking"'
_SYNTHETIC = b'"<synthetic>"'
_WORDED_REFUSAL = b"the user said:"  # the older client has no flag
_FLAGS = (b"user-rejected", b'"source":"user_')
_NEXT_TEXT = b'},{"type":"text","text":"'
_NEXT_RESULT = (b'},{"type":"tool_result"', b'},{"tool_use_id":')
_NEXT_BLOCK = b'},{"type":"'
_USER, _AGENT, _QUEUED = b'"type":"user"', b'"type":"assistant"', b'"queued_command"'
_SYSTEM_MATTERS = (b'"memory_saved"', b'"compact_boundary"')
_SHAPE = b'"api-request-shape"'
# By the first four letters of the first type in a line. Other kinds are decoded, also those of later clients; so is a line in which another
# record may stand as well.
_BESIDE = frozenset(
    {b"mode", b"perm", b"atis", b"tool", b"last", b"queu", b"prog", b"cost", b"summ", b"file", b"api-", b"syst"}  # bookkeeping
    | {b"envi", b"skil", b"agen", b"defe", b"task", b"auto", b"sess", b"hook", b"todo"}  # attachments
)


def glance(line: bytes) -> Glance:
    """Say what a line is without decoding it."""
    at = line.find(_TYPE, 0, HEAD) + 8
    kind = line[at : at + 4]
    if kind in _BESIDE:
        return _beside_or_not(line, at, kind)
    if kind == b"user":
        return _result_or_not(line, at)
    if kind == b"mess":
        thought = line.find(_THOUGHT, at, HEAD)
        if (
            thought >= 0
            and line.find(_NEXT_BLOCK, thought) < 0
            and line.find(_USER, thought) < 0
            and line.find(_SYNTHETIC, at, thought) < 0
        ):
            return Glance.THOUGHT
    return Glance.DECODE


def _beside_or_not(line: bytes, at: int, kind: bytes) -> Glance:
    if line.find(_USER) >= 0 or line.find(_AGENT) >= 0:
        return Glance.DECODE
    if kind == b"syst" and (line.find(_SYSTEM_MATTERS[0]) >= 0 or line.find(_SYSTEM_MATTERS[1]) >= 0):
        return Glance.DECODE
    if (kind == b"queu" and line.find(_QUEUED) >= 0) or (kind == b"api-" and line.find(_SHAPE, 0, at + 20) >= 0):
        return Glance.DECODE
    return Glance.BESIDE if line[-2:] == b"}\n" else Glance.DECODE


def _result_or_not(line: bytes, at: int) -> Glance:
    if len(line) < SMALL:
        return Glance.DECODE
    result = line.find(_RESULT, at, HEAD)
    if result < 0 or line.find(_TEXT, at, result) >= 0 or line.find(_WORDED_REFUSAL, result, HEAD) >= 0:
        return Glance.DECODE
    tail = len(line) - TAIL
    if line.find(_FLAGS[0], tail) >= 0 or line.find(_FLAGS[1], tail) >= 0 or line.find(_NEXT_TEXT, result) >= 0:
        return Glance.DECODE
    return Glance.RESULT


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
