"""Reading alone, without the digest: how the time is shared out between the two."""

from __future__ import annotations

import sys
from pathlib import Path

from extractord.transcript.span import read_session


def main(projects: Path) -> None:
    """Read all transcripts below ``projects`` and print how many messages they hold."""
    print(sum(len(stretch.messages) for path in sorted(projects.glob("*/*.jsonl")) for stretch in read_session(path).stretches))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
