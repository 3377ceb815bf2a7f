"""In what a session takes place: where, by which client, with which texts loaded, and whether memory was on.

Owns: what records say of it, the latest word counts. Leaves what is done with it to ``eligibility`` and ``zones``.
"""

from __future__ import annotations

from extractord.transcript.records.events import Dated, Instructions, Record, Sign
from extractord.transcript.stretches import MemorySignal, MemorySigns, ReadState

DATES_KEPT = 64
SESSIONS_KEPT = 16
LOADED_CHARACTERS = 256_000  # of all loaded texts together


class Setting:
    """The setting of a session after the records so far."""

    def __init__(self, state: ReadState) -> None:
        """Begin with what an earlier reading knew."""
        self.cwd, self.session = state.cwd, state.session
        self.sessions: dict[str, None] = {state.session: None} if state.session else {}
        self.version, self.entrypoint = state.version, state.entrypoint
        self.dates = list(state.dates)
        self.loaded = {text.path: text for text in state.loaded}
        self.signs, self.beside = state.signs, state.beside

    def note_place(self, record: Record) -> None:
        """Note where a record was written: the first cwd and client count, and the latest session and version."""
        if record.session:
            self.session = record.session
            if len(self.sessions) < SESSIONS_KEPT:
                self.sessions[record.session] = None
        if not self.cwd and record.cwd:
            self.cwd = record.cwd
        if not self.entrypoint and record.entrypoint:
            self.entrypoint = record.entrypoint
        if record.version:
            self.version = record.version

    def note_date(self, record: Dated) -> None:
        """Note what day the client told its agent it was."""
        if record.time and len(self.dates) < DATES_KEPT:
            self.dates.append((record.time, record.date))

    def note_loaded(self, record: Instructions) -> None:
        """Note which texts were loaded, and which no longer are."""
        for path in record.removed:
            self.loaded.pop(path, None)
        for text in record.loaded:
            self.loaded.pop(text.path, None)
            self.loaded[text.path] = text
        while sum(len(t.content) for t in self.loaded.values()) > LOADED_CHARACTERS:
            del self.loaded[next(iter(self.loaded))]
        if record.sign is not None:
            self.note_sign(record.sign)
        elif record.removed_index is not None:
            self.signs = MemorySigns(self.signs.signal, record.removed_index)

    def note_sign(self, sign: Sign) -> None:
        """Note a sign that memory was on or off."""
        self.beside = self.beside or sign is Sign.ON_BESIDE
        if sign is not Sign.OFF:
            self.signs = MemorySigns(MemorySignal.ON)
        elif not self.beside:
            self.signs = MemorySigns(MemorySignal.OFF)
