"""Replacing text in a topic: the one change that has to find its place first.

Owns: what counts as found, line ends, and the reason where it is not. Pure.
"""

from __future__ import annotations


class EditFailedError(ValueError):
    """The old text is not there, or not just once; the text says which."""


def replaced(text: str, old: str, new: str) -> str:
    """Return ``text`` with the only occurrence of ``old`` replaced. Raises EditFailedError."""
    old, new, count = _found(text, old, new)
    if count > 1:
        raise EditFailedError(f"old_string occurs {count} times: give more of the text around it, or set replace_all")
    return text.replace(old, new, 1)


def replaced_everywhere(text: str, old: str, new: str) -> str:
    """Return ``text`` with every occurrence of ``old`` replaced. Raises EditFailedError."""
    old, new, _ = _found(text, old, new)
    return text.replace(old, new)


def _found(text: str, old: str, new: str) -> tuple[str, str, int]:
    """Return old and new text in the topic's own line ends, and how often the old one occurs (at least once)."""
    if not old:
        raise EditFailedError("old_string is empty: use Write for a new topic")
    if old == new:
        raise EditFailedError("old_string and new_string are the same")
    crlf, lone = text.count("\r\n"), text.count("\n")
    if crlf and crlf == lone:
        # The model was shown lines, not line ends: a file that ends all its lines so keeps doing so.
        old, new = _with_crlf(old), _with_crlf(new)
        if old == new:
            raise EditFailedError("old_string and new_string differ in line ends only; the file's line ends (CRLF) are kept")
    if count := text.count(old):
        return old, new, count
    if crlf and old.replace("\r\n", "\n") in text.replace("\r\n", "\n"):
        raise EditFailedError("old_string is not there with these line ends: the file mixes CRLF and LF; edit a line at a time")
    raise EditFailedError("old_string was not found")


def _with_crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")
