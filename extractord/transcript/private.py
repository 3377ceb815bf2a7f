"""Private text that reaches over several messages: a tag opened in one prompt and closed in a later one.

Owns: which messages of a stretch lie between such tags, and hiding them. Leaves what a tag is, and tags within one text, to
``redact``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from extractord.redact import private_edges
from extractord.transcript.messages import Message

Reach = tuple[tuple[int, int], ...]  # ordinals of the messages in which something private begins and ends
_OPENED = "<private>"


def reach_of(messages: Iterable[Message]) -> Reach:
    """Return what of a stretch lies between tags in different prompts.

    A tag that is never closed reaches to the end of its own prompt only. One that is closed and was not opened here was opened
    before the pause with which the stretch begins: then all up to it is private.
    """
    found: list[tuple[int, int]] = []
    opened: int | None = None
    first: int | None = None
    for message in messages:
        if first is None:
            first = message.ordinal
        if not message.origin.typed or not message.text:
            continue
        closes, opens = private_edges(message.text)
        if closes and opened is not None:
            found.append((opened, message.ordinal))
            opened = None
        elif closes and not found:
            found.append((first - 1, message.ordinal))
        if opens and opened is None:
            opened = message.ordinal
    return tuple(found)


def hidden(messages: Iterable[Message], reach: Reach) -> Iterable[Message]:
    """Return the messages with what is private in them behind a tag of its own, for ``redact`` to take out."""
    return _hidden(messages, reach) if reach else messages


def _hidden(messages: Iterable[Message], reach: Reach) -> Iterator[Message]:
    for message in messages:
        within = next((span for span in reach if span[0] < message.ordinal <= span[1]), None)
        if within is None:
            yield message
        elif message.origin.typed:
            yield replace(message, text=_OPENED + message.text, question="")
        else:  # what the agent said and did about it
            yield replace(message, text=_OPENED if message.text else "", calls=())
