"""extractord: finished Claude Code sessions become auto memory, with evidence and undo."""

__version__ = "0.1.0"
