"""What the package reads of a transcript, printed as JSON: for fields that no command shows.

Run as a script in the child that sees ``/home/dev``. Prints {"messages": [[origin, text, question], …], "stretches":
[[prompt, …], …], "digest": text} of one transcript.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from extractord.transcript.digest import build
from extractord.transcript.span import read_session


def main(path: Path) -> None:
    """Print what is read of ``path``."""
    stretches = read_session(path).stretches
    messages = [[m.origin.value, m.text, m.question] for stretch in stretches for m in stretch.messages]
    prompts = [[m.text for m in stretch.messages if m.origin.opens_turn] for stretch in stretches]
    entries = [entry.text for stretch in stretches for digest in build(stretch) for entry in digest.entries]
    print(json.dumps({"messages": messages, "stretches": prompts, "digest": entries}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
