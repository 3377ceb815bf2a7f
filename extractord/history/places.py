"""Where a memory directory really lies, before something that was decided earlier is done in it.

Owns: noticing that its path leads elsewhere than it did when we wrote there. Leaves which places are right for memory to
``claude_home``.
"""

from __future__ import annotations

import os
from pathlib import Path

from extractord.errors import ChangedMeanwhileError
from extractord.supervisor import Supervisor


def refuse_elsewhere(supervisor: Supervisor, memory_dir: str) -> None:
    """Raise ChangedMeanwhileError where a link was put in the way of a memory directory since we wrote there.

    Where nothing was written yet, a link is followed if an extraction would follow it.
    """
    real, known = os.path.realpath(memory_dir), supervisor.ledger.places(memory_dir)
    if real == memory_dir or real in known:
        return
    folders = {sighting.cwd for sighting in supervisor.ledger.sightings().values() if sighting.memory_dir == memory_dir}
    homes = [supervisor.home_of(cwd) for cwd in folders]
    if known or not any(home.enabled and home.directory == Path(memory_dir) for home in homes):
        raise ChangedMeanwhileError(
            f"{memory_dir} leads to {real} now, which is not where it was written: left alone",
            hint="remove the link, or put the folder back",
        )
