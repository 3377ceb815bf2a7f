"""The corpus's cases of one kind, tried by whoever runs this, in one process: ``python -m tests.corpus_as_user KIND FOLDER``.

Owns: running ``try-tool`` in this process, and a JSON line for each case that does not hold, then one with their number. Leaves what
has to hold to ``test_corpus_cases``, being somebody else to who starts it.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from extractord.cli.commands import main as command
from extractord.errors import ExtractordError
from tests.test_corpus_cases import cases_of, hold


def in_process(argv: Sequence[str], env: Mapping[str, str], stdin: bytes) -> bytes:
    """Run a command of ``extractord`` here; its workers are processes as ever."""
    os.environ.update(env)
    said = io.BytesIO()
    out = io.TextIOWrapper(said, encoding="utf-8", write_through=True)
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin))
    with contextlib.redirect_stdout(out):
        status = command(list(argv))
    assert status == 0
    return said.getvalue()


def main(kind: str, folder: Path) -> None:
    cases = cases_of(kind)
    for number, case in enumerate(cases):
        place = folder / f"case-{number}"
        place.mkdir()
        try:
            hold(case, place, in_process)
        except (AssertionError, ExtractordError, OSError) as error:
            print(json.dumps({"case": case.id, "failed": f"{type(error).__name__}: {error}"[:2000]}))
    print(json.dumps({"tried": len(cases)}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
