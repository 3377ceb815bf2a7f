"""The grammar of a command: words, quotes, globs and pipes, nothing else.

Owns: cutting a command into stages of words, and refusing whatever a shell would expand, redirect, chain or run in the
background. Leaves globs to ``expanding``, which programs there are to ``planning``. Pure: no shell ever sees the text.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

from extractord.agent.policy import is_plain

COMMAND_CHARS = 8_000
STAGES = 8
_GLOB = frozenset("*?[")
_REFUSED = {
    ";": "a list of commands (;)",
    "&": "a list or background job (&)",
    "<": "a redirection (<)",
    ">": "a redirection (>)",
    "(": "a subshell or group (()",
    ")": "a subshell or group ())",
    "$": "an expansion ($)",
    "`": "a command substitution (`)",
    "}": "a brace",
    "\n": "more than one line",
}
# What may stand in braces that a shell leaves alone too: git's HEAD@{1}, HEAD^{commit}. With a comma or dots it would expand.
_LITERAL_BRACES = re.compile(r"\{[\w/+-]*\}")
_END = r"(?=[ \t|]|$)"
_JOINED = re.compile(rf"2>&1{_END}")
_DROPPED = re.compile(rf"2>[ \t]*/dev/null{_END}")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(\[.*\])?\+?=")


class CommandRefusedError(Exception):
    """A command is not carried out; the text says why, for the model."""


class Errors(enum.Enum):
    """Where a stage's error stream goes."""

    SHOWN = "shown"
    JOINED = "joined"  # 2>&1
    DROPPED = "dropped"  # 2>/dev/null


@dataclass(frozen=True, slots=True)
class Word:
    """A word with quotes and backslashes taken out; ``magic`` are the places of characters that were not quoted and may glob."""

    text: str
    magic: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Stage:
    """One command of a pipeline."""

    words: tuple[Word, ...]
    errors: Errors = Errors.SHOWN


def parse(command: str) -> tuple[Stage, ...]:
    """Return the stages of ``command``. Raises CommandRefusedError for whatever is not plain words, quotes, globs and pipes."""
    text = command.strip(" \t\n")
    if len(text) > COMMAND_CHARS:
        raise CommandRefusedError(f"the command is longer than {COMMAND_CHARS} characters")
    if not is_plain(text.replace("\t", " ").replace("\n", " ")):
        raise CommandRefusedError("the command has control, bidirectional or invisible characters")
    reader = _Reader(text)
    stages = [reader.stage()]
    while reader.takes("|"):
        stages.append(reader.stage())
        if len(stages) > STAGES:
            raise CommandRefusedError(f"a pipeline of more than {STAGES} commands")
    return tuple(stages)


def _refuse(what: str) -> CommandRefusedError:
    return CommandRefusedError(f"{what} is not offered: one pipeline of plain words, quotes and globs is")


class _Reader:
    """A position in a command."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def _here(self) -> str:
        return self._text[self._at : self._at + 1]

    def _skip_blanks(self) -> None:
        while self._here() in (" ", "\t"):
            self._at += 1

    def takes(self, char: str) -> bool:
        """Step over ``char`` if it comes next."""
        taken = self._here() == char
        self._at += int(taken)
        return taken

    def stage(self) -> Stage:
        """Read up to the next pipe or the end."""
        words: list[Word] = []
        errors = Errors.SHOWN
        self._skip_blanks()
        while self._here() not in ("", "|"):
            redirected = self._errors()
            if redirected is not None:
                errors = redirected
            else:
                words.append(self._word())
            self._skip_blanks()
        if not words:
            raise CommandRefusedError("a command is missing before or after a pipe" if self._text else "the command is empty")
        if _ASSIGNMENT.match(words[0].text):
            raise _refuse("an assignment")
        return Stage(tuple(words), errors)

    def _errors(self) -> Errors | None:
        """Read one of the two redirections that write nothing, if it comes next."""
        for form, errors in ((_JOINED, Errors.JOINED), (_DROPPED, Errors.DROPPED)):
            if found := form.match(self._text, self._at):
                self._at = found.end()
                return errors
        return None

    def _word(self) -> Word:
        if self._here() in ("~", "#"):
            raise _refuse("an expansion (~)" if self._here() == "~" else "a comment (#)")
        if self._here() == "!" and self._text[self._at + 1 : self._at + 2] in ("", " ", "\t") and self._at == 0:
            raise _refuse("a negation (!)")
        chars: list[str] = []
        magic: set[int] = set()
        while (char := self._here()) not in ("", " ", "\t", "|"):
            match char:
                case "'":
                    chars += self._single_quoted()
                case '"':
                    chars += self._double_quoted()
                case "\\":
                    chars.append(self._escaped())
                case "{":
                    chars += self._braces()
                case _ if char in _REFUSED:
                    raise _refuse(_REFUSED[char])
                case _:
                    if char in _GLOB:
                        magic.add(len(chars))
                    chars.append(char)
                    self._at += 1
        return Word("".join(chars), frozenset(magic))

    def _single_quoted(self) -> str:
        end = self._text.find("'", self._at + 1)
        if end < 0:
            raise CommandRefusedError("a quote is not closed")
        inside = self._text[self._at + 1 : end]
        self._at = end + 1
        return _on_one_line(inside)

    def _double_quoted(self) -> str:
        chars: list[str] = []
        self._at += 1
        while (char := self._here()) != '"':
            if char == "":
                raise CommandRefusedError("a quote is not closed")
            if char in ("$", "`"):
                raise _refuse("an expansion in double quotes")
            if char == "\\" and self._text[self._at + 1 : self._at + 2] in ('"', "\\", "$", "`"):
                self._at += 1
                char = self._here()
            chars.append(char)
            self._at += 1
        self._at += 1
        return _on_one_line("".join(chars))

    def _escaped(self) -> str:
        char = self._text[self._at + 1 : self._at + 2]
        if char in ("", "\n"):
            raise CommandRefusedError("a backslash at the end of a line")
        self._at += 2
        return char

    def _braces(self) -> str:
        found = _LITERAL_BRACES.match(self._text, self._at)
        if not found:
            raise _refuse("a brace expansion")
        self._at = found.end()
        return found[0]


def _on_one_line(inside: str) -> str:
    if "\n" in inside:
        raise _refuse("a word over several lines")
    return inside
