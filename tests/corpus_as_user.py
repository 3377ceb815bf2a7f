"""The corpus's cases of one kind, tried by whoever runs this, in one process: ``python -m tests.corpus_as_user KIND FOLDER``.

Owns: a JSON line for each case that does not hold, then one with their number. Leaves what
has to hold to ``test_corpus_cases``, being somebody else to who starts it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from extractord.errors import ExtractordError
from tests.command import in_process
from tests.test_corpus_cases import cases_of, hold


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
