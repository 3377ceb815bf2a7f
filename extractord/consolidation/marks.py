"""The mark that a topic gets when it names what the project does not have any more.

Owns: which names in a text are files or symbols of code, and the line that tells which of them are gone. Pure. Leaves finding out
what is gone to ``gone``. A marked topic is not deleted: what it says may still hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

_MARK = re.compile(r"(?m)^\*\*Not found in the project on (?P<day>\d{4}-\d\d-\d\d):\*\* (?P<names>`[^\n]*`)[ \t]*\r?\n?")
_CODE = re.compile(r"`([^`\n]{3,120})`")
_PATH = re.compile(r"(?<![\w/.~@:\\-])(?:\./)?((?:[\w.-]+/)+[\w-][\w.-]*\.[A-Za-z]\w{0,5})(?::\d+)?(?![\w/])")
_FILE = re.compile(r"(?:\./)?(?:[\w.-]+/)*[\w-][\w.-]*\.[A-Za-z]\w{0,5}")
_SYMBOL = re.compile(
    r"(?:[A-Za-z_]\w*\.)*(?P<called>[A-Za-z_]\w*)\(\)|(?P<snake>[a-z]\w*_\w+)|(?P<camel>[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)"
)
_CODE_ENDINGS = (
    " c cc cfg cpp cs css go h hpp html ini java js json jsx kt lua md mjs php proto py rb rs scala sh sql swift tf toml ts tsx vue xml"
    " yaml yml "
)


@dataclass(frozen=True, slots=True)
class Named:
    """What a text names: files by path or name, symbols by identifier."""

    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()


def named_in(text: str) -> Named:
    """Return the files and symbols of code in a text; a symbol counts only where it is written as code."""
    plain = without_mark(text)
    files, symbols = [found[1] for found in _PATH.finditer(plain)], list[str]()
    for found in _CODE.finditer(plain):
        code = re.sub(r":\d+(?:-\d+)?$", "", found[1].strip())
        if _FILE.fullmatch(code):
            files.append(code.removeprefix("./"))
        elif symbol := _SYMBOL.fullmatch(code):
            symbols.append(symbol["called"] or symbol["snake"] or symbol["camel"])
    code_files = [file for file in files if f" {file.rpartition('.')[2].lower()} " in _CODE_ENDINGS and ".." not in file]
    return Named(tuple(dict.fromkeys(code_files)), tuple(dict.fromkeys(symbols)))


def marked(text: str, gone: Iterable[str], today: date) -> str:
    """Return a topic with a mark that names what is gone, without one where nothing is; the same names keep their day."""
    names = tuple(dict.fromkeys(gone))
    there = _MARK.search(text)
    if there and tuple(_CODE.findall(there["names"])) == names:
        return text
    eol = "\r\n" if "\r\n" in text else "\n"
    plain = without_mark(text)
    if not names:
        return plain if there else text
    line = f"**Not found in the project on {today.isoformat()}:** " + ", ".join(f"`{name}`" for name in names)
    return f"{plain.rstrip()}{eol}{eol}{line}{eol}"


def without_mark(text: str) -> str:
    """Return a topic without its mark."""
    found = _MARK.search(text)
    if found is None:
        return text
    before, after = text[: found.start()].rstrip(), text[found.end() :].lstrip("\r\n")
    eol = "\r\n" if "\r\n" in text else "\n"
    return f"{before}{eol}{eol}{after}" if after.strip() else f"{before}{eol}"
