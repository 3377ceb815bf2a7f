"""From the lines of a file to the course of a session: the loop over all bytes.

Owns: which way a line takes: passed over, the straight way of the agent's records, or the general one. Leaves cutting lines to
``tail``, what a line is to ``records``, what follows from it to ``course``.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from itertools import accumulate

from extractord.transcript import records
from extractord.transcript.course import Course
from extractord.transcript.records.agent import hand_agent
from extractord.transcript.records.events import Mended
from extractord.transcript.records.person import read_prompt
from extractord.transcript.records.skipping import AGENT, HEAD, TYPE, USER, is_bookkeeping, is_mere_result
from extractord.transcript.tail import CutLine, Opened, TailLimits, Unfinished, batches

_AFTER_TYPE = len(TYPE)


class ToolResults(enum.Enum):
    """Whether lines that hold a mere tool result are decoded. Both give the same; the second is there to prove it."""

    SKIP = "skip"
    DECODE = "decode"


def follow(source: Opened, course: Course, limits: TailLimits, results: ToolResults) -> Iterator[int]:
    """Take what stands from where ``course`` begins; yield after each batch of lines the offset up to which the file is consumed."""
    begun = course.growing.state
    within = begun.within  # records of the first line that belong to the stretch before
    for at, found in batches(source, begun.offset, limits):
        match found:
            case CutLine():
                end = found.end
                _take_mended(course, records.read_cut(found.head, found.ending, course.setting.cwd), at, end)
                course.line += 1
            case Unfinished():
                if not records.is_whole(found.line):
                    return  # half a last line is not consumed
                end = at + len(found.line)
                _take_all(course, [found.line], at, within)
            case _ if results is ToolResults.DECODE:
                end = _take_all(course, found, at, within)
            case _:
                end = _take_what_matters(course, found, at, within)
        within = 0
        course.growing.end = end
        yield end


def _take_all(course: Course, lines: list[bytes], start: int, within: int) -> int:
    """Take lines, of which the first stands at ``start``; return the offset after the last."""
    for line in lines:
        end = start + len(line)
        _take(course, line, start, end, within)
        course.line += 1
        start, within = end, 0
    return start


def _take_what_matters(course: Course, lines: list[bytes], start: int, within: int) -> int:
    """Take lines but for those that need not be decoded. All bytes go through here, so it is written out."""
    setting, waiting, take_agent = course.setting, course.waiting, course.take_agent
    taken = 0
    while taken < len(lines) and (within or not setting.cwd):  # it must be seen where the session takes place
        start = _take_all(course, lines[taken : taken + 1], start, within)
        taken, within = taken + 1, 0
    if taken:
        lines = lines[taken:]
    cwd, before, ending = setting.cwd, course.line, waiting.ending
    places = list(accumulate(map(len, lines), initial=start))
    for number, line in enumerate(lines):
        at = line.find(TYPE, 0, HEAD) + _AFTER_TYPE
        first = line[at] if at >= _AFTER_TYPE else 0
        if first == AGENT and hand_agent(line, setting.session, cwd, take_agent, places[number], places[number + 1]):
            continue
        if first == USER and is_mere_result(line, at, ending):
            if not waiting.marks or not waiting.wants(line):
                course.skip_result(line, places[number])
                continue
        elif first == USER and (prompt := read_prompt(line, setting.session)) is not None:
            course.line = before + number
            course.take_prompt(prompt, places[number], places[number + 1])
            continue
        elif is_bookkeeping(line, at):
            continue
        course.line = before + number
        _take(course, line, places[number], places[number + 1])
    course.line = before + len(lines)
    return places[-1]


def _take(course: Course, line: bytes, start: int, end: int, within: int = 0) -> None:
    """Take a line whatever it is."""
    record = records.read(line, course.setting.cwd)
    if isinstance(record, Mended):
        _take_mended(course, record, start, end, within)
    elif record is not None:
        course.take(record, start, end)


def _take_mended(course: Course, mended: Mended, start: int, end: int, within: int = 0) -> None:
    for number, record in enumerate(mended.records[within:], within):
        course.take(record, start, end, number)
    course.note_faults(start, mended.faults, recovered=bool(mended.records))
