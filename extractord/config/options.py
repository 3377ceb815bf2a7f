"""Every option, with its default: the table of CONTRACTS as records.

Owns: names, defaults and bounds. Leaves reading a file to ``load``. Each area's limits are a record of their own, so that it can be
handed on without the rest.
"""

from __future__ import annotations

import enum
from typing import Annotated

import msgspec

from extractord.config.values import ClockTime, Keep, Seconds

Count = Annotated[int, msgspec.Meta(ge=1)]
NaturalNumber = Annotated[int, msgspec.Meta(ge=0)]
Dollars = Annotated[float, msgspec.Meta(ge=0)]
Text = Annotated[str, msgspec.Meta(min_length=1)]


class Backend(enum.Enum):
    """Who extracts. ``auto`` is ``offline`` until somebody chooses: a credential that lies around is no choice."""

    AUTO = "auto"
    OFFLINE = "offline"
    ANTHROPIC = "anthropic"
    CLAUDE_CODE = "claude-code"

    @property
    def offline(self) -> bool:
        """Whether nothing leaves the machine."""
        return self in (Backend.AUTO, Backend.OFFLINE)


class Provider(enum.Enum):
    """Who serves the model of the ``anthropic`` backend: the vendor (or a gateway, by ``base_url``), or a cloud."""

    ANTHROPIC = "anthropic"
    BEDROCK = "bedrock"
    VERTEX = "vertex"
    FOUNDRY = "foundry"


class Write(enum.Enum):
    """What happens to a changeset that passed the checks."""

    APPLY = "apply"
    REVIEW = "review"


class Style(enum.Enum):
    """The form in which memory is kept."""

    TOPICS = "topics"
    DAILY_LOG = "daily-log"


class SkipScope(enum.Enum):
    """How much is skipped where the main agent wrote memory itself."""

    STRETCH = "stretch"
    TURN = "turn"


class Headless(enum.Enum):
    """What happens to sessions without a person at a terminal (entrypoint ``sdk-*``)."""

    EXTRACT = "extract"
    REVIEW = "review"
    SKIP = "skip"


class Sandbox(enum.Enum):
    """Whether the worker must be confined by the kernel."""

    AUTO = "auto"
    REQUIRED = "required"
    OFF = "off"


class Watch(enum.Enum):
    """How the daemon notices changes."""

    AUTO = "auto"
    EVENTS = "events"
    POLL = "poll"


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A table of the config file."""


class Settle(Record, frozen=True, kw_only=True):
    """How long a session must have been quiet before nothing more is expected soon; seconds."""

    idle: Seconds = Seconds(30 * 60)  # the client is open and idle, or unknown
    exited: Seconds = Seconds(60)  # the client is gone
    pending: Seconds = Seconds(60 * 60)  # a call or a prompt is unanswered
    longest: Seconds = Seconds(6 * 3600)  # always enough


class Budget(Record, frozen=True, kw_only=True):
    """Caps that are checked before each call and fail closed."""

    usd_per_stretch: Dollars = 0.05
    usd_per_day: Dollars = 0.25
    usd_per_month: Dollars = 3.00
    sessions_per_day: NaturalNumber = 20  # of the ``claude-code`` backend, which names no price


class MemoryOptions(Record, frozen=True, kw_only=True):
    """What is written, and how."""

    write: Write = Write.APPLY
    style: Style = Style.TOPICS
    skip_scope: SkipScope = SkipScope.STRETCH
    new_topics: NaturalNumber = 3  # of one stretch, its chunks together


class Limits(Record, frozen=True, kw_only=True):
    """Bounds of one agent run."""

    digest_tokens: Annotated[int, msgspec.Meta(ge=500)] = 12000  # of a chunk
    turns: Count = 5
    extraction_seconds: Count = 120


class Retry(Record, frozen=True, kw_only=True):
    """When something that failed is tried again."""

    first: Seconds = Seconds(60)
    longest: Seconds = Seconds(6 * 3600)
    park_after: Count = 6  # failures


class Dream(Record, frozen=True, kw_only=True):
    """Consolidation."""

    at: ClockTime = ClockTime(3 * 60)  # local time
    backend: Backend | None = None  # None: as ``backend``


class Keeping(Record, frozen=True, kw_only=True):
    """How long something is kept."""

    keep: Keep | None = None  # None: the default of its kind


class Price(Record, frozen=True, kw_only=True):
    """US dollars per million tokens; the cache prices are what the vendor asks in proportion where they are not given."""

    input: Dollars
    output: Dollars
    cache_write: Dollars | None = None
    cache_read: Dollars | None = None


class ProjectRule(Record, frozen=True, kw_only=True):
    """What differs for the projects whose root matches a glob; where several match, the later one decides key by key."""

    match: Text
    backend: Backend | None = None
    off: bool | None = None
    team: Text | None = None  # git remote with which memory/team/ is shared; None: there is no team memory


class Config(Record, frozen=True, kw_only=True):
    """The whole configuration."""

    backend: Backend = Backend.AUTO
    provider: Provider = Provider.ANTHROPIC
    model: Text = "claude-haiku-5-5"
    base_url: Text | None = None
    claude: Text | None = None  # program of the ``claude-code`` backend; None: the one that is found
    off: bool = False  # extraction of all projects (``extractord off``)
    headless: Headless = Headless.EXTRACT
    exclude: tuple[Text, ...] | None = None  # globs on the project root; None: the temp folders
    sandbox: Sandbox = Sandbox.AUTO
    watch: Watch = Watch.AUTO
    workers: Count = 1
    settle: Settle = Settle()
    budget: Budget = Budget()
    memory: MemoryOptions = MemoryOptions()
    limits: Limits = Limits()
    retry: Retry = Retry()
    dream: Dream = Dream()
    history: Keeping = Keeping(keep=Keep(180 * 86400))
    evidence: Keeping = Keeping()  # None: forever, or the client's ``cleanupPeriodDays`` if that is at most 7
    prices: dict[str, Price] = {}  # per model; a flat ``[prices]`` is that of ``model``
    project: tuple[ProjectRule, ...] = ()
    origins: dict[str, str] = {}  # no option: who said what is not a default, by key

    @property
    def all_offline(self) -> bool:
        """Whether no project's sessions are sent anywhere."""
        return self.backend.offline and all(rule.backend is None or rule.backend.offline for rule in self.project)

    def evidence_keep(self, cleanup_days: int | None) -> float:
        """Return for how many seconds quotes are kept, given how many days the client keeps its transcripts."""
        if self.evidence.keep is not None:
            return self.evidence.keep
        short = cleanup_days is not None and cleanup_days <= 7
        return cleanup_days * 86400.0 if short and cleanup_days is not None else float("inf")
