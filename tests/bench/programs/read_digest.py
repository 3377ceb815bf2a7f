"""What extractord does with a transcript before any model: read it, cut it into stretches, digest them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from extractord.transcript.digest import Digest, build
from extractord.transcript.span import read_session


def digests(path: Path) -> Iterator[Digest]:
    """Yield the digests of one transcript."""
    for stretch in read_session(path).stretches:
        yield from build(stretch)


def main(projects: Path) -> None:
    """Digest all transcripts below ``projects`` and print how many entries that gave."""
    print(sum(len(digest.entries) for path in sorted(projects.glob("*/*.jsonl")) for digest in digests(path)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
