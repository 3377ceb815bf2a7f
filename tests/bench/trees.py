"""Config homes with many project folders and one small transcript in each, to watch.

Owns: making them, anew for each process: a watcher that shares its tree with another one would see that one's looks.
"""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def config_home(folders: int) -> Iterator[Path]:
    """Yield a config home with so many project folders, and remove it after."""
    with tempfile.TemporaryDirectory(prefix="extractord-tree-") as place:
        home = Path(place)
        (home / "sessions").mkdir()
        for number in range(folders):
            folder = home / "projects" / f"-home-dev-work-project-{number:05d}"
            folder.mkdir(parents=True)
            (folder / f"{uuid.uuid5(uuid.NAMESPACE_OID, str(number))}.jsonl").write_text("{}\n", encoding="utf-8")
        yield home
