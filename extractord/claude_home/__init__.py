"""Where the client keeps things, and what is switched on there.

Owns: the config home, project keys, the canonical git root, the settings chain, the memory directory of a project, the list of
transcripts. Everything here only looks: nothing is made on disk. Leaves reading transcripts to ``transcript``, writing to
``memory.directory``.
"""

from __future__ import annotations

from extractord.claude_home.clients import Clients, Presence, look_at_clients
from extractord.claude_home.exclude import excluded, switched_off
from extractord.claude_home.git_root import Project, Repository, canonical_root, find_repository, locate_project
from extractord.claude_home.keys import first_cwd, project_key, sanitize
from extractord.claude_home.memory_home import MemoryHome, memory_home
from extractord.claude_home.settings import Scope, Settings, cleanup_period_days
from extractord.claude_home.surroundings import Surroundings
from extractord.claude_home.transcript_files import TranscriptFile, transcripts

__all__ = [
    "Clients",
    "MemoryHome",
    "Presence",
    "Project",
    "Repository",
    "Scope",
    "Settings",
    "Surroundings",
    "TranscriptFile",
    "canonical_root",
    "cleanup_period_days",
    "excluded",
    "find_repository",
    "first_cwd",
    "locate_project",
    "look_at_clients",
    "memory_home",
    "project_key",
    "sanitize",
    "switched_off",
    "transcripts",
]
