"""Our own configuration.

Owns: the config file (TOML), its keys and defaults, where our files lie. Leaves what the client has switched on to ``claude_home``.
``edit`` is loaded by those who change the file.
"""

from __future__ import annotations

from extractord.config.globs import escape, matches
from extractord.config.load import Source, backend_for, load, parse, rule_for, sources
from extractord.config.locations import Locations, write_private
from extractord.config.options import (
    Backend,
    Budget,
    Config,
    Dream,
    Headless,
    Keeping,
    Limits,
    MemoryOptions,
    Price,
    ProjectRule,
    Provider,
    Retry,
    Sandbox,
    Settle,
    SkipScope,
    Style,
    Watch,
    Write,
)
from extractord.config.values import FOREVER, ClockTime, Keep, Seconds

__all__ = [
    "FOREVER",
    "Backend",
    "Budget",
    "ClockTime",
    "Config",
    "Dream",
    "Headless",
    "Keep",
    "Keeping",
    "Limits",
    "Locations",
    "MemoryOptions",
    "Price",
    "ProjectRule",
    "Provider",
    "Retry",
    "Sandbox",
    "Seconds",
    "Settle",
    "SkipScope",
    "Source",
    "Style",
    "Watch",
    "Write",
    "backend_for",
    "escape",
    "load",
    "matches",
    "parse",
    "rule_for",
    "sources",
    "write_private",
]
