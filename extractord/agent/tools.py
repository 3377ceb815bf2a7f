"""The toolbox: what happens when a model calls Read, Grep, Glob, Bash, Write, Edit or Delete.

Owns: the order of things in each call (input, policy, prior Read, evidence asked for, the supervisor's check, staging) and the
form of Read's result. Leaves rules about paths to ``policy``, searching to ``search``, the staged state to ``overlay``, and
whether a change is right to the ``check`` it is given. Nothing here writes to the disk.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable

from msgspec.structs import replace

from extractord.agent.editing import EditFailedError, replaced, replaced_everywhere
from extractord.agent.frames import CheckAnswer, EvidenceRule, ShellOffer
from extractord.agent.inputs import (
    BashInput,
    DeleteInput,
    EditInput,
    Entries,
    GlobInput,
    GrepInput,
    MalformedInputError,
    ReadInput,
    WriteInput,
    evidence_of,
    parse,
)
from extractord.agent.overlay import Overlay
from extractord.agent.places import Places, read_regular
from extractord.agent.policy import Area, Kind, Located, denied, rule_write
from extractord.agent.protocol import Decision, Ruling, ToolCall
from extractord.agent.search import failed, glob, grep, may_read
from extractord.agent.shell import bash
from extractord.memory.changeset import Proposal
from extractord.memory.manifest import PendingTopic
from extractord.redact import redact

TOPIC_BYTES = 1 << 20  # a topic beyond this is not loaded for a change
SCANNED_BYTES = 4 << 20  # of a file that is read, from its start
SHOWN_BYTES = 256 << 10  # of one result
SHOWN_LINES = 2_000  # where no limit is given
LINE_CHARS = 2_000
_REASON_CHARS = 500


_WAITS = "(this text waits for the person's review and is not saved yet; what is changed in it waits as well)"
_UNSEEN = denied("the topic is there already: Read it first")


class TopicUnreadableError(Exception):
    """A topic is there but cannot be loaded for a change; the text says why."""


class Toolbox:
    """The tools of one agent run, over one overlay."""

    def __init__(
        self,
        places: Places,
        check: Callable[[Proposal], CheckAnswer],
        evidence: EvidenceRule,
        briefed: Iterable[tuple[str, str]] = (),
        shell: ShellOffer = ShellOffer.NO_SANDBOX,
        pending: Iterable[PendingTopic] = (),
    ) -> None:
        """``briefed`` are (topic, body) that the model was given whole; they count as read while they are what is there.

        ``pending`` waits for review: it is shown, marked, in the place of what is on disk.
        """
        self._places = places
        self._check = check
        self._evidence = evidence
        self._shell = shell
        self.overlay = Overlay(self._load, briefed, {topic.file: topic.text for topic in pending})

    def rule(self, call: ToolCall) -> Ruling:
        """Carry out ``call`` as far as it is allowed. Never raises for what a model wrote; results leave redacted."""
        try:
            ruling = self._carry_out(call)
        except MalformedInputError as error:
            ruling = denied(f"malformed input: {error}")
        except (EditFailedError, TopicUnreadableError) as error:
            ruling = failed(str(error))
        except OSError as error:
            ruling = failed(_told(error))
        return Ruling(ruling.decision, redact(ruling.reason[:_REASON_CHARS]).text, redact(ruling.result).text, ruling.failed, ruling.asks)

    def _carry_out(self, call: ToolCall) -> Ruling:
        match call.tool:
            case "Read":
                return self._read(parse(call.input, ReadInput))
            case "Grep":
                return grep(parse(call.input, GrepInput), self._places, self.overlay)
            case "Glob":
                return glob(parse(call.input, GlobInput), self._places, self.overlay)
            case "Write":
                return self._write(parse(call.input, WriteInput))
            case "Edit":
                return self._edit(parse(call.input, EditInput))
            case "Delete":
                return self._delete(parse(call.input, DeleteInput))
            case "Bash":
                return self._bash(parse(call.input, BashInput))
            case _:
                return denied("there is no such tool; there are Read, Grep, Glob, Bash, Write, Edit and Delete")

    # --- reading

    def _read(self, asked: ReadInput) -> Ruling:
        resolved = self._places.for_reading(asked.file_path)
        if (ruling := may_read(resolved)).decision is Decision.DENIED:
            return ruling
        place = resolved.place
        path = "/".join(place.parts)
        if place.area is Area.MEMORY and self.overlay.covers(path):
            text, more = self.overlay.now(path), False
            if text is None:
                return failed("it was deleted in this run")
        elif place.kind is Kind.DIRECTORY:
            return denied("it is a directory; use Glob")
        elif place.kind is Kind.MISSING:
            return failed("no such file; relative paths count from the project")
        else:
            data = read_regular(self._places.root_of(place.area), place.parts, SCANNED_BYTES + 1)
            if b"\0" in data:
                return denied("a binary file is not shown")
            text, more = data[:SCANNED_BYTES].decode(errors="replace"), len(data) > SCANNED_BYTES
        self._note_seen(place, path)
        ruling = _numbered(text, asked, more_follows=more)
        waits = place.area is Area.MEMORY and self.overlay.waits(path) and not ruling.failed
        return replace(ruling, result=f"{ruling.result}\n{_WAITS}") if waits else ruling

    def _bash(self, asked: BashInput) -> Ruling:
        if self._shell is not ShellOffer.OFFERED:
            return denied(f"Bash is not offered: {self._shell.value}; Read, Grep and Glob are")
        return bash(asked.command, self._places)

    def _note_seen(self, place: Located, path: str) -> None:
        """Take a topic that was shown as the base of later changes; one that cannot be changed anyway is only shown."""
        if place.area is Area.MEMORY:
            try:
                self.overlay.now(path)
            except TopicUnreadableError:
                return
            self.overlay.mark_seen(path)

    def _load(self, path: str) -> str | None:
        try:
            data = read_regular(self._places.memory, tuple(path.split("/")), TOPIC_BYTES + 1)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR):
                return None
            raise
        if len(data) > TOPIC_BYTES:
            raise TopicUnreadableError("the topic is too large to be changed here")
        try:
            return data.decode()
        except UnicodeDecodeError:
            raise TopicUnreadableError("the topic is not UTF-8 text and is left alone") from None

    # --- changing

    def _write(self, asked: WriteInput) -> Ruling:
        path = self._topic_at(asked.file_path)
        if isinstance(path, Ruling):
            return path
        now = self.overlay.now(path)
        if now is not None and not self.overlay.seen(path):
            return _UNSEEN
        return self._stage(path, now, asked.content, asked.evidence)

    def _edit(self, asked: EditInput) -> Ruling:
        replace = replaced_everywhere if asked.replace_all else replaced
        return self._change(asked.file_path, lambda now: replace(now, asked.old_string, asked.new_string), asked.evidence)

    def _delete(self, asked: DeleteInput) -> Ruling:
        return self._change(asked.file_path, lambda _: None, asked.evidence)

    def _change(self, written: str, become: Callable[[str], str | None], evidence: Entries | None) -> Ruling:
        """Stage that the topic at ``written``, which must be there, becomes what ``become`` makes of its text."""
        path = self._topic_at(written)
        if isinstance(path, Ruling):
            return path
        now = self.overlay.now(path)
        if now is None:
            return failed("no such topic; relative paths count from the memory directory")
        if not self.overlay.seen(path):
            return _UNSEEN
        return self._stage(path, now, become(now), evidence)

    def _topic_at(self, written: str) -> str | Ruling:
        """Return the topic that ``written`` names, relative to the memory directory, or why it may not be changed."""
        resolved = self._places.for_writing(written)
        for ruling in (resolved.text, rule_write(resolved.place)):
            if ruling.decision is Decision.DENIED:
                return ruling
        path = "/".join(resolved.place.parts)
        return denied("a component of the path is a topic of this run, not a directory") if self.overlay.crosses(path) else path

    def _stage(self, path: str, now: str | None, after: str | None, evidence: Entries | None) -> Ruling:
        if now == after:
            return Ruling(Decision.ALLOWED, "", f"{path} is so already")
        if self._evidence is EvidenceRule.ASKED and not evidence and (now or "").split() != (after or "").split():
            return denied('evidence is missing: [{"message":"m12","quote":"…"}], what was said that this rests on')
        proposal = self.overlay.propose(path, after, evidence_of(evidence))
        if not self.overlay.room_for(proposal):
            return denied("too many or too large changes in one run")
        checked = CheckAnswer(Decision.ALLOWED) if proposal.before == after else self._check(proposal)
        if checked.decision is Decision.DENIED:
            return denied(checked.reason)
        self.overlay.stage(proposal)
        verb = "deleted" if after is None else "created" if now is None else "updated"
        return Ruling(Decision.ALLOWED, "", "\n".join((f"{verb} {path}", *checked.remarks)), asks=checked.asks)


def _numbered(text: str, asked: ReadInput, *, more_follows: bool) -> Ruling:
    """Return the asked lines of ``text``, numbered. Redacted before it is cut: half a secret is not known for one."""
    if not text:
        return Ruling(Decision.ALLOWED, "", "(the file is empty)")
    lines = redact(text).text.removesuffix("\n").split("\n")
    first = max(asked.offset or 1, 1)
    if first > len(lines):
        return failed(f"the file has {len(lines)} lines" + (" in its searched part" if more_follows else ""))
    wanted = lines[first - 1 : first - 1 + (SHOWN_LINES if asked.limit is None else asked.limit)]
    shown, size = [], 0
    for number, line in enumerate(wanted, first):
        row = f"{number:6}\t{_cut(line.removesuffix(chr(13)))}"
        size += len(row.encode()) + 1
        if size > SHOWN_BYTES:
            break
        shown.append(row)
    after = first + len(shown)
    if after <= len(lines) or more_follows:
        shown.append(f"(more follows: offset {after})" if after <= len(lines) else "(more follows, which is not shown)")
    if "\r\n" in text:
        shown.append("(the file has CRLF line ends)")
    return Ruling(Decision.ALLOWED, "", "\n".join(shown))


def _cut(line: str) -> str:
    return line if len(line) <= LINE_CHARS else line[:LINE_CHARS] + "…"


def _told(error: OSError) -> str:
    """Return what went wrong without the path: what is not to be seen is not to be named either."""
    return f"it cannot be read: {os.strerror(error.errno) if error.errno else 'unknown error'}"
