"""Which messages of a file were met before: forks and rewrites repeat uuids, and each counts once.

Owns: the set of uuids, in little memory: the latest as they are, older ones as eight bytes of a hash, which is also the form
in which they are kept between readings. Leaves what a message is to ``course``.
"""

from __future__ import annotations

import hashlib
from array import array

PLAIN = 8192  # latest uuids that are kept as they are


class Seen:
    """The uuids met so far, in order."""

    def __init__(self, hashes: bytes = b"") -> None:
        """Begin with what ``first`` gave."""
        self._hashes = array("Q", hashes)
        self._old = set(self._hashes)
        self._plain: dict[str, None] = {}

    @property
    def count(self) -> int:
        """How many were met."""
        return len(self._hashes) + len(self._plain)

    def add(self, uuid: str) -> bool:
        """Note a uuid; return whether it was not met before."""
        plain = self._plain
        if uuid in plain or (self._old and _hash(uuid) in self._old):
            return False
        plain[uuid] = None
        if len(plain) >= PLAIN:
            self._hashes.extend(map(_hash, plain))
            self._old.update(self._hashes[-len(plain) :])
            self._plain = {}
        return True

    def first(self, count: int) -> bytes:
        """Return the first ``count`` as eight bytes each."""
        hashes = self._hashes[:count]
        hashes.extend(_hash(uuid) for uuid in list(self._plain)[: count - len(hashes)])
        return hashes.tobytes()


def _hash(uuid: str) -> int:
    return int.from_bytes(hashlib.blake2b(uuid.encode("utf-8", "replace"), digest_size=8).digest(), "little")
