"""Did a call write into this memory directory?

Owns: comparing the paths of calls with a directory, part by part and never by prefix, and reading shell commands for plain
writes: redirections, heredocs, tee, sed -i, cp, mv and the like. What is not plain (a program that writes by itself) is not
found. Pure: the directory is given in all the forms it may be written in. Leaves the verdict to ``eligibility``.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from extractord.system.paths import slashed
from extractord.transcript.stretches import MemoryWrite

MOST_WORDS = 4000  # of a command; the rest is not looked at
_HEREDOC = re.compile(r"(?<!<)<<(?!<)(-?)[ \t]*(?:'([^'\n]+)'|\"([^\"\n]+)\"|\\?([\w.-]+))")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
_OPERATOR = re.compile(r"&>>?|[0-9]*>>|[0-9]*>\||[0-9]*>&[0-9-]|[0-9]*>|<<<|<|&&|\|\||;;|[;|&()\n]")
_WORD_STOPS = " \t\n;|&()<>"
_BEFORE_A_COMMAND = frozenset({"sudo", "env", "command", "exec", "time", "nice", "then", "do", "else", "if", "while", "{", "!"})
_OPTIONS_WITH_VALUE = {"install": "-m-o-g", "cp": "-S", "mv": "-S", "rsync": "-e", "sed": "-e-f", "perl": "-e"}


@dataclass(frozen=True, slots=True)
class MemoryPlace:
    """A memory directory in the forms in which a path may name it: as configured, and with links resolved."""

    forms: tuple[PurePosixPath, ...]
    home: str = ""  # for ~ and $HOME in commands

    @classmethod
    def of(cls, *directories: str, home: str = "") -> MemoryPlace:
        """Take the forms of one directory; empty ones are passed over."""
        forms = dict.fromkeys(PurePosixPath(posixpath.normpath(slashed(d))) for d in directories if d)
        return cls(tuple(forms), slashed(home))

    def holds(self, path: str) -> str | None:
        """Return the path below the directory that ``path`` (absolute) names, None if it is not below it."""
        path = slashed(path)
        if not path.startswith("/"):
            return None
        plain = PurePosixPath(posixpath.normpath(path))
        for form in self.forms:
            if plain != form and plain.is_relative_to(form):
                return str(plain.relative_to(form))
        return None


def written_file(write: MemoryWrite, place: MemoryPlace, cwd: str) -> str | None:
    """Return the file below the memory directory that a call names as its target, None if it names none."""
    if write.path is not None:
        return place.holds(posixpath.join(slashed(cwd), slashed(write.path))) if write.command is None else None
    if write.command is None:
        return None
    return next(iter(shell_targets(write.command, place, cwd)), None)


def shell_targets(command: str, place: MemoryPlace, cwd: str) -> Iterator[str]:
    """Yield the files below the memory directory that a shell command plainly writes."""
    here = slashed(cwd)
    variables = {"HOME": place.home} if place.home else {}
    for words, targets in _simple_commands(_without_heredocs(command)):
        expanded = [_expanded(w, variables, place.home) for w in words]
        while expanded and (assignment := _ASSIGNMENT.fullmatch(expanded[0])):
            variables[assignment[1]] = assignment[2]
            expanded = expanded[1:]
        if expanded[:1] == ["export"] and len(expanded) > 1 and (assignment := _ASSIGNMENT.fullmatch(expanded[1])):
            variables[assignment[1]] = assignment[2]
        while expanded and expanded[0] in _BEFORE_A_COMMAND:
            expanded = expanded[1:]
        written = [_expanded(t, variables, place.home) for t in targets]
        written = [slashed(target) for target in (*written, *_arguments_written(expanded))]
        for target in written:
            if (found := place.holds(posixpath.join(here, target))) is not None:
                yield found
            elif _names_directory(target, here, place):
                yield "."
        if expanded[:1] in (["cd"], ["pushd"]) and len(expanded) > 1:
            here = posixpath.join(here, slashed(expanded[1]))


def _names_directory(target: str, here: str, place: MemoryPlace) -> bool:
    """Whether a file was copied or moved to the directory as such."""
    path = posixpath.normpath(posixpath.join(here, target))
    return path.startswith("/") and PurePosixPath(path) in place.forms


def _arguments_written(words: list[str]) -> list[str]:
    """Return those arguments of a command that it writes to."""
    if not words:
        return []
    name = posixpath.basename(words[0])
    options, plain = _split_options(words[1:], _OPTIONS_WITH_VALUE.get(name, ""))
    match name:
        case "tee" | "truncate" | "patch":
            return plain
        case "sed" | "perl" if any(re.match(r"-[a-zA-Z]*i|--in-place", o) for o in options):
            return plain if name == "perl" or any(o in ("-e", "-f") for o in options) else plain[1:]
        case "cp" | "mv" | "install" | "ln" | "rsync":
            into = [o.partition("=")[2] for o in options if o.startswith("--target-directory=")]
            if "-t" in options:
                return plain[:1] + into
            return into or (plain[-1:] if len(plain) > 1 else [])
        case "dd":
            return [w[3:] for w in words if w.startswith("of=")]
    return []


def _split_options(words: list[str], with_value: str) -> tuple[list[str], list[str]]:
    options: list[str] = []
    plain: list[str] = []
    skip = False
    for number, word in enumerate(words):
        if skip:
            skip = False
        elif word == "--":
            plain += words[number + 1 :]
            break
        elif word.startswith("-") and len(word) > 1:
            options.append(word)
            skip = len(word) == 2 and word in with_value
        else:
            plain.append(word)
    return options, plain


def _expanded(word: str, variables: Mapping[str, str], home: str) -> str:
    """Return a word with what is known of variables and ``~`` put in."""
    if home and (word == "~" or word.startswith("~/")):
        word = home + word[1:]
    if "$" not in word:
        return word
    return _VARIABLE.sub(lambda m: variables.get(m[1] or m[2], m[0]), word)


def _without_heredocs(command: str) -> str:
    """Return a command without the bodies of its here-documents."""
    kept: list[str] = []
    ends: list[tuple[str, bool]] = []
    for line in command.split("\n"):
        if ends:
            end, tabs = ends[0]
            if (line.lstrip("\t") if tabs else line) == end:
                ends.pop(0)
            continue
        kept.append(_HEREDOC.sub(" ", line))
        ends = [(m[2] or m[3] or m[4], m[1] == "-") for m in _HEREDOC.finditer(line)]
    return "\n".join(kept)


def _simple_commands(command: str) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the words of each simple command, and the files it is redirected to. Quotes are honoured, nothing is run."""
    words: list[str] = []
    targets: list[str] = []
    redirected = False
    for kind, token in _tokens(command):
        if kind == "word":
            if redirected:
                targets.append(token)
            else:
                words.append(token)
            redirected = False
        elif ">" in token:
            redirected = not token.endswith(tuple("0123456789-"))
        elif not token.startswith("<"):
            yield words, targets
            words, targets, redirected = [], [], False
    yield words, targets


def _tokens(command: str) -> Iterator[tuple[str, str]]:
    at, count = 0, 0
    while at < len(command) and count < MOST_WORDS:
        count += 1
        if command[at] in " \t":
            at += 1
            count -= 1
        elif command.startswith("\\\n", at):
            at += 2
        elif command[at] == "#":
            at = _until(command, "\n", at)
        elif (operator := _OPERATOR.match(command, at)) is not None:
            yield "operator", operator[0]
            at = operator.end()
        else:
            word, at = _word(command, at)
            yield "word", word


def _word(command: str, at: int) -> tuple[str, int]:
    """Return the word that begins at ``at`` without its quotes, and the place after it."""
    parts: list[str] = []
    start = at
    while at < len(command) and (command[at] not in _WORD_STOPS or at == start):
        character = command[at]
        if character == "'":
            end = _until(command, "'", at + 1)
            parts.append(command[at + 1 : end])
            at = end + 1
        elif character == '"':
            end = at + 1
            while end < len(command) and command[end] != '"':
                end += 2 if command[end] == "\\" else 1
            parts.append(re.sub(r'\\([\\"$`])', r"\1", command[at + 1 : end]))
            at = end + 1
        elif character == "\\":
            parts.append(command[at + 1 : at + 2])
            at += 2
        else:
            parts.append(character)
            at += 1
    return "".join(parts), at


def _until(command: str, stop: str, at: int) -> int:
    found = command.find(stop, at)
    return len(command) if found < 0 else found
