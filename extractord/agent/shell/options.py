"""What a program's words mean: options by a table, everything not in the table refused.

Owns: the form of the tables and reading words by them. A long option counts only if it is written out in full: programs take
abbreviations, and a list of what is refused would not know them. Leaves the tables to ``programs`` and ``git_tables``, whether
a path may be read to ``planning``. Pure.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from extractord.agent.shell.grammar import CommandRefusedError

NUMBER = re.compile(r"[+-]?\d{1,10}[bkKmMgG]?")


class Takes(enum.Enum):
    """What stands after an option."""

    NOTHING = "nothing"
    TEXT = "text"  # whatever it is, the program takes it for no path
    NUMBER = "number"
    PATH = "path"
    PERHAPS = "perhaps"  # text, only attached: --color=never


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a program. ``flags`` are single letters that take nothing."""

    flags: str = ""
    letters: Mapping[str, Takes] = field(default_factory=dict)
    names: Mapping[str, Takes] = field(default_factory=dict)
    dash_number: str = ""  # the option that -5 means, as in head -5
    glued: bool = False  # values of short options are handed on attached: git wants some so


@dataclass(frozen=True, slots=True)
class Given:
    """One option as it was given: its name without dashes, and the value if it took one."""

    name: str
    value: str | None = None
    path: bool = False
    glued: bool = False

    def words(self) -> list[str]:
        """Return it as words of an argv."""
        if len(self.name) == 1:
            value = [] if self.value is None else [self.value]
            return [f"-{self.name}{self.value}"] if self.glued and self.value else [f"-{self.name}", *value]
        return [f"--{self.name}"] if self.value is None else [f"--{self.name}={self.value}"]


@dataclass(frozen=True, slots=True)
class Read:
    """A program's words, told apart. ``before_dashes`` counts the operands before ``--``; None if there was none."""

    options: tuple[Given, ...]
    operands: tuple[str, ...]
    before_dashes: int | None = None

    def has(self, *names: str) -> bool:
        """Return whether one of these options was given."""
        return any(given.name in names for given in self.options)

    def values(self, *names: str) -> list[str]:
        """Return the values of these options, in order."""
        return [given.value for given in self.options if given.name in names and given.value is not None]


def names(spec: str, takes: Takes = Takes.NOTHING) -> dict[str, Takes]:
    """Return long options, written in one string with blanks between, that all take the same."""
    return dict.fromkeys(spec.split(), takes)


def letters(spec: str, takes: Takes = Takes.TEXT) -> dict[str, Takes]:
    """Return short options, written in one string, that all take the same."""
    return dict.fromkeys(spec, takes)


def read(program: str, words: Sequence[str], table: Options) -> Read:
    """Tell options from operands, wherever they stand. Raises CommandRefusedError for what ``table`` does not list."""
    options: list[Given] = []
    operands: list[str] = []
    rest = list(words)
    before: int | None = None
    while rest:
        word = rest.pop(0)
        if word == "--":
            before = len(operands)
            operands += rest
            break
        if word == "-" or not word.startswith("-"):
            operands.append(word)
        elif word.startswith("--"):
            options.append(_long(program, word, table, rest))
        elif table.dash_number and word[1:].isascii() and word[1:].isdigit() and len(word) < 10:
            options.append(Given(table.dash_number, word[1:], glued=table.glued))
        else:
            options += _short(program, word, table, rest)
    return Read(tuple(options), tuple(operands), before)


def unlisted(program: str, option: str) -> CommandRefusedError:
    """Return the refusal of an option."""
    return CommandRefusedError(f"{program} {option} is not offered: it is not among the options that are known to only read")


def _long(program: str, word: str, table: Options, rest: list[str]) -> Given:
    name, equals, value = word[2:].partition("=")
    takes = table.names.get(name) if len(name) > 1 else None
    match takes:
        case None:
            raise unlisted(program, f"--{name}")
        case Takes.NOTHING:
            if equals:
                raise CommandRefusedError(f"{program} --{name} takes no value")
            return Given(name)
        case Takes.PERHAPS:
            return Given(name, value if equals else None)
        case _:
            return _given(program, name, value if equals else _next(program, f"--{name}", rest), takes)


def _short(program: str, word: str, table: Options, rest: list[str]) -> list[Given]:
    found: list[Given] = []
    for place, letter in enumerate(word[1:], 1):
        takes = table.letters.get(letter)
        if takes is None:
            if letter not in table.flags:
                raise unlisted(program, f"-{letter}")
            found.append(Given(letter))
            continue
        attached = word[place + 1 :]
        if takes is Takes.PERHAPS:
            return [*found, Given(letter, attached or None, glued=True)]
        value = attached or _next(program, f"-{letter}", rest)
        return [*found, _given(program, letter, value, takes, glued=table.glued)]
    return found


def _next(program: str, option: str, rest: list[str]) -> str:
    if not rest:
        raise CommandRefusedError(f"{program} {option} needs a value")
    return rest.pop(0)


def _given(program: str, name: str, value: str, takes: Takes, *, glued: bool = False) -> Given:
    if takes is Takes.NUMBER and not NUMBER.fullmatch(value):
        raise CommandRefusedError(f"{program}: {name} takes a number")
    return Given(name, value, takes is Takes.PATH, glued)
