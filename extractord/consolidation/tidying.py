"""The offline consolidation: what can be tidied up without anybody understanding it.

Owns: the order of the rules. Leaves each to its module: ``distilling`` of logs, ``duplicates``, ``times``, ``marks``. Done twice it
changes nothing the second time.
"""

from __future__ import annotations

from extractord.agent.policy import Roots
from extractord.consolidation.changes import Change
from extractord.consolidation.distilling import distil
from extractord.consolidation.drafts import Drafts
from extractord.consolidation.duplicates import merge_duplicates
from extractord.consolidation.gone import gone
from extractord.consolidation.marks import Named, marked, named_in
from extractord.consolidation.material import Material
from extractord.consolidation.times import drop_what_is_over, write_dates_out
from extractord.memory.facts import CheckLimits
from extractord.memory.overlap import already_in
from extractord.memory.passages import Part, passages
from extractord.runs.places import roots_of
from extractord.supervisor import Supervisor


def tidied(supervisor: Supervisor, material: Material) -> tuple[Change, ...]:
    """Return what the offline rules change. Raises WorkerError."""
    drafts = Drafts(material)
    distil(drafts)
    merge_duplicates(drafts)
    write_dates_out(drafts)
    drop_what_is_over(drafts)
    drop_what_is_a_norm(drafts)
    mark_what_is_gone(drafts, roots_of(supervisor, material.project_root, material.memory_dir))
    return drafts.changes()


def drop_what_is_a_norm(drafts: Drafts) -> None:
    """Let topics go all of whose statements stand in CLAUDE.md or AGENTS.md."""
    norms, limits = drafts.material.norms, CheckLimits()
    for item in tuple(drafts.items.values()) if norms else ():
        statements = [passage.text for passage in passages(item.text) if passage.part is Part.STATEMENT]
        if statements and all(already_in(norms, statement, limits) for statement in statements):
            drafts.drop(item.file, "CLAUDE.md or AGENTS.md says this already")


def mark_what_is_gone(drafts: Drafts, roots: Roots) -> None:
    """Mark topics that name files or symbols that the project does not have; take the mark off those whose names are back."""
    if roots.project is None:
        return
    named: dict[str, Named] = {file: named_in(item.text) for file, item in drafts.items.items()}
    files = (name for one in named.values() for name in one.files)
    symbols = (name for one in named.values() for name in one.symbols)
    missing = gone(files, symbols, roots)
    today = drafts.material.now.date()
    for file, names in named.items():
        item = drafts.items[file]
        text = marked(item.text, (name for name in (*names.files, *names.symbols) if name in missing), today)
        if text != item.text:
            drafts.put(file, text, item.time, "names what the project does not have any more")
