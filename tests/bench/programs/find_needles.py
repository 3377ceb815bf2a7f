"""Which planted facts are missing from the digests, printed as JSON lines; none should be."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

from tests.bench.programs.read_digest import digests


def main(projects: Path, needles: Path) -> None:
    """Look for every needle in the digest of its own session."""
    wanted: dict[str, list[str]] = defaultdict(list)
    for line in needles.read_text(encoding="utf-8").splitlines():
        needle = json.loads(line)
        wanted[needle["session"]].append(needle["fact"])
    for path in sorted(projects.glob("*/*.jsonl")):
        if path.stem in wanted:
            text = "\n".join(entry.text for digest in digests(path) for entry in digest.entries if entry.origin.typed)
            for fact in wanted[path.stem]:
                if fact not in text:
                    print(json.dumps({"session": path.stem, "fact": fact}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
