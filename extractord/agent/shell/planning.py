"""From a command to the programs that carry it out: deny by default.

Owns: looking a program up, judging every operand by what its table says it is, and the argv. Options come first in it and
operands after ``--``, whatever the order was, so that no operand can be read as an option. Leaves the tables to ``programs``,
find to ``finding``, git to ``git``.
"""

from __future__ import annotations

import os
import re

from extractord.agent.policy import Kind, Located
from extractord.agent.shell import finding, git
from extractord.agent.shell.expanding import expand
from extractord.agent.shell.grammar import CommandRefusedError, Stage, parse
from extractord.agent.shell.judging import Judge
from extractord.agent.shell.options import Read, read
from extractord.agent.shell.programs import NAMES, PROGRAMS, Operands, Program, Shows
from extractord.agent.shell.running import Step
from extractord.agent.shell.trees import Chosen, files_below, refuse_hidden_below, unopened_names

ARGUMENT_BYTES = 1 << 20  # Linux takes 2 MiB in all
_STDIN = "-"
# jq reads its environment and other files by names in the filter; fields (.env, {env: 1}) and texts ("env") of that name are fine.
_JQ_READS = re.compile(
    r"""\$\s*ENV\b | (?<!\w)(?<![^.]\.)(?<!^\.)(?<!")(?:env|import|include|modulemeta|get_search_list)\b(?!\s*:(?!:))""", re.VERBOSE
)


def plan(command: str, judge: Judge) -> tuple[Step, ...]:
    """Return the steps of ``command``. Raises CommandRefusedError, git.GitFailedError."""
    return tuple(_step(stage, judge) for stage in parse(command))


def _step(stage: Stage, judge: Judge) -> Step:
    first, *rest = stage.words
    name = first.text
    if name not in NAMES:
        raise CommandRefusedError(f"{name[:40]} is not offered; there are {' '.join(sorted(NAMES))}")
    listing = name in ("ls", "echo")
    words = [text for word in rest for text in _expanded(expand(word, judge.places), judge, shown_only=listing and bool(word.magic))]
    match name:
        case "find":
            arguments = finding.arguments(words, judge)
        case "git":
            arguments = git.arguments(words, judge)
        case "echo":
            arguments = words
        case _:
            arguments = _arguments(PROGRAMS[name], words, judge)
    if sum(len(os.fsencode(word)) + 9 for word in arguments) > ARGUMENT_BYTES:
        raise CommandRefusedError("it means too many files: narrow it")
    return Step(name, tuple(arguments), stage.errors)


def _expanded(found: list[str], judge: Judge, *, shown_only: bool) -> list[str]:
    """Return the results of a glob; where names alone are shown, without those that may not be read."""
    kept = [text for text in found if judge.may_read(text)] if shown_only else found
    if not kept:
        raise CommandRefusedError("the glob means only what may not be read")
    return kept


def _arguments(program: Program, words: list[str], judge: Judge) -> list[str]:
    asked = read(program.name, words, program.options)
    for given in asked.options:
        if given.path and given.value is not None:
            judge.path(given.value)
    options, operands = _operands(program, asked, judge)
    if program.dashes:
        return [*options, "--", *operands]
    if any(text.startswith("-") and text != _STDIN for text in operands):
        raise CommandRefusedError(f"{program.name}: an operand that begins with - is not offered")
    return [*options, *operands]


def _operands(program: Program, asked: Read, judge: Judge) -> tuple[list[str], list[str]]:
    """Return the words of options and operands, judged."""
    options = [word for given in asked.options for word in given.words()]
    operands = list(asked.operands)
    recursive = program.always_recursive or asked.has(*program.recursive)
    match program.operands:
        case Operands.TEXTS:
            return options, operands
        case Operands.NONE:
            _at_most(program, operands, 0)
        case Operands.FORMAT:
            _at_most(program, operands, 1)
            if operands and not operands[0].startswith("+"):
                raise CommandRefusedError(f"{program.name}: only a format that begins with + is offered")
        case Operands.PATTERN:
            return _grep(asked, judge) if recursive else _pattern(program, asked, options, judge)
        case Operands.FILTER:
            if not operands or _JQ_READS.search(operands[0]):
                raise CommandRefusedError("jq: the filter is missing, or reads the environment or other files")
            for text in operands[1:]:
                _file(program, asked, text, judge)
        case Operands.TWO_PATHS:
            return _diff(asked, options, judge)
        case Operands.ONE_PATH | Operands.PATHS:
            if program.operands is Operands.ONE_PATH:
                _at_most(program, operands, 1)
            for text in operands or ["."] * recursive:
                place = _file(program, asked, text, judge)
                if recursive and place is not None:
                    refuse_hidden_below(judge, program.name, text, place)
    return options, operands


def _at_most(program: Program, operands: list[str], count: int) -> None:
    if len(operands) > count:
        raise CommandRefusedError(f"{program.name} takes at most {count} operands here")


def _file(program: Program, asked: Read, text: str, judge: Judge) -> Located | None:
    """Judge a path that ``program`` opens; None for its standard input."""
    if text == _STDIN and program.shows is not Shows.NAMES:
        return None
    place = judge.path(text)
    if program.shows is Shows.PARTS or asked.has(*program.cutting):
        judge.whole(text, place)
    return place


def _pattern(program: Program, asked: Read, options: list[str], judge: Judge) -> tuple[list[str], list[str]]:
    operands = list(asked.operands)
    paths = operands if asked.has("e", "regexp") else operands[1:]
    for text in paths:
        _file(program, asked, text, judge)
    return [word for word in options if not word.startswith(("--include=", "--exclude=", "--exclude-dir="))], operands


def _grep(asked: Read, judge: Judge) -> tuple[list[str], list[str]]:
    """Return options and operands of a recursive search: every file it is to look at by name, and no recursion of its own."""
    program = PROGRAMS["grep"]
    chosen = Chosen(tuple(asked.values("include")), tuple(asked.values("exclude")), tuple(asked.values("exclude-dir")))
    own = frozenset({"r", "recursive", "include", "exclude", "exclude-dir"})
    options = [word for given in asked.options if given.name not in own for word in given.words()]
    operands = list(asked.operands)
    pattern = [] if asked.has("e", "regexp") else operands[:1]
    if not pattern and not asked.has("e", "regexp"):
        raise CommandRefusedError("grep: the pattern is missing")
    files: list[str] = []
    several = False
    for text in operands[len(pattern) :] or [""]:
        place = _file(program, asked, text or ".", judge)
        if place is not None and place.kind is Kind.DIRECTORY:
            several = True
            files += files_below(judge, text, place, chosen)
        else:
            files.append(text)
    named = ["-H"] if several and not asked.has("h", "no-filename") else []
    # With no file at all it would read its standard input.
    return ([*options, *named], [*pattern, *files]) if files else (options, [*pattern, "/dev/null"])


def _diff(asked: Read, options: list[str], judge: Judge) -> tuple[list[str], list[str]]:
    program = PROGRAMS["diff"]
    if len(asked.operands) != 2:
        raise CommandRefusedError("diff takes two files or two directories")
    places = [_file(program, asked, text, judge) for text in asked.operands]
    kinds = [place.kind if place else Kind.FILE for place in places]
    if Kind.DIRECTORY in kinds:
        if kinds != [Kind.DIRECTORY] * 2:
            raise CommandRefusedError("diff takes two files or two directories")
        names = set().union(*(unopened_names(judge, place) for place in places if place))
        if names:
            judge.remarks.append("(links, and files that bear or hold secrets, were left out)")
        options = [*options, *(f"--exclude={_literally(name)}" for name in sorted(names))]
    return options, list(asked.operands)


def _literally(name: str) -> str:
    return "".join(f"\\{char}" if char in "*?[]\\" else char for char in name)
