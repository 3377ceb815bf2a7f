"""``once`` where there is nothing to do: told without loading what deals with sessions.

Owns: seeing that, and saying it as a run would. Whatever is not plain is left to ``once``.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any

import click

from extractord.claude_home import Surroundings, transcripts
from extractord.config import Locations, load
from extractord.history.retention import keep_house
from extractord.ledger import Ledger
from extractord.report import lines, text

_NARROWING = ("since", "until", "project", "session", "again", "limit", "now", "dry_run", "estimate")


def told_nothing_new(options: Mapping[str, Any]) -> bool:
    """Say that nothing is new, and return whether that is so; nothing was said otherwise."""
    locations = Locations.of_process()
    if any(options[name] for name in _NARROWING) or not Ledger.exists(locations.state):
        return False
    began = time.monotonic()
    surroundings = Surroundings.of_process()
    config = load(locations.config_file, os.environ)
    with Ledger.open(locations.state) as ledger:
        if ledger.mended is not None:
            click.echo(f"{ledger.mended.told}\n  → `extractord doctor` tells more", err=True)
        dealt_with, files = ledger.stamps(), 0
        for file in transcripts(surroundings.config_home):
            files += 1
            if dealt_with.get(file.session) != file.stamp:
                return False
        if not files or ledger.unfinished() or ledger.spares():
            return False
        keep_house(ledger, config, surroundings, time.time())
    totals = lines.OnceTotals(files, files, 0, 0, 0, 0, 0, 0, 0, 0.0, round(time.monotonic() - began, 3))
    click.echo(lines.encoded(lines.OnceSummary(totals)) if options["as_json"] else text.once_summary(totals), err=not options["as_json"])
    return True
