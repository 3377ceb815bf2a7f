"""What models cost and how they count: one table, with its date.

Owns: the prices known here, what is known of a model before it is asked, and the arithmetic from tokens to dollars. Leaves caps
to the ledger, and which price somebody wrote into the configuration to ``config``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from extractord.agent.protocol import Usage
from extractord.agent.server import Server
from extractord.config import Price
from extractord.errors import UsageError

AS_OF = "2026-12-01"
CACHE_WRITE, CACHE_READ = 1.25, 0.1  # of the input price, where a price does not name them
BATCH_PRICE = 0.5  # of the price, for what is answered within a day (the vendor's documentation of batches, December 2026)
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Rates:
    """US dollars per million tokens."""

    input: float
    output: float
    cache_write: float
    cache_read: float

    @classmethod
    def of(cls, price: Price) -> Rates:
        """Return a configured price; what it leaves out is what the vendor asks in proportion."""
        return cls(
            price.input,
            price.output,
            price.input * CACHE_WRITE if price.cache_write is None else price.cache_write,
            price.input * CACHE_READ if price.cache_read is None else price.cache_read,
        )

    @property
    def free(self) -> bool:
        return not any((self.input, self.output, self.cache_write, self.cache_read))

    def cost(self, usage: Usage) -> float:
        """Return what one call cost."""
        cached = usage.cache_write_tokens * self.cache_write + usage.cache_read_tokens * self.cache_read
        return (usage.input_tokens * self.input + usage.output_tokens * self.output + cached) / _MILLION

    def upper_bound(self, input_tokens: int, max_tokens: int) -> float:
        """Return the most that a call can cost: all of its input newly kept, all of the answer used."""
        return (input_tokens * max(self.input, self.cache_write) + max_tokens * self.output) / _MILLION


@dataclass(frozen=True, slots=True)
class Habits:
    """What is known of a model before it is asked: nothing depends on it but estimates, room for the answer, and cache marks.

    ``bytes_a_token`` of a request as JSON; ``added`` tokens that a server adds to a request with tools; ``answer`` tokens of a
    mean answer, most of which say that there is nothing to save; ``thoughts`` mean tokens that a model thinks before it.
    ``kept_from`` is the length in tokens from which on its server is known to keep a prompt's beginning, ``dear_from`` that above
    which a prompt costs more than the table says and is not sent; None where there is no such length, or none is known.
    """

    bytes_a_token: float = 3.8  # English prose with JSON round it: 4.1 to 4.3 by two public tokenizers, digests of talks 2.9 to 3.4
    added: int = 0
    answer: int = 80
    thoughts: int = 0
    kept_from: int | None = None
    dear_from: int | None = None

    @property
    def room(self) -> int:
        """Tokens that an answer may need beside its words: some sessions make a model think far longer than the mean."""
        return 8 * self.thoughts


UNKNOWN = Habits()
# A beginning that is too short for a model is sent as it is, without error or cost, so marks need no more than the least length of
# any model. Source: the vendor's documentation of prompt caching, read in December 2026 (512 to 4,096, by model).
MARKED_FROM = 512
HABITS: Mapping[str, Habits] = {
    # Its tokenizer counts 30 % more than that of earlier models; it thinks before it answers unless told not to, and its
    # thoughts count as output, also toward max_tokens; above 100,000 tokens a prompt costs five times as much. Source: the
    # vendor's overview of the model, read in December 2026.
    "claude-haiku-5-5": Habits(bytes_a_token=3.0, added=400, thoughts=500, kept_from=512, dear_from=100_000),
}
TABLE: Mapping[str, Rates] = {
    "claude-haiku-5-5": Rates.of(Price(input=0.10, output=0.50)),
}
FREE = Rates(0.0, 0.0, 0.0, 0.0)


def habits_of(model: str, server: Server) -> Habits:
    """Return what is known of ``model`` where it is asked: on a server of one's own nothing, behind another one not what it keeps."""
    known = UNKNOWN if server.local else HABITS.get(model, UNKNOWN)
    return known if server.base_url is None else replace(known, kept_from=None)


def told(model: str, configured: Mapping[str, Price]) -> tuple[str, str]:
    """Return the price of ``model`` in words, and where it comes from."""
    try:
        rates = rates_for(model, configured, local=False)
    except UsageError:
        return "not known", f"not in the table of {AS_OF}"
    words = f"${rates.input:g} in, ${rates.output:g} out, ${rates.cache_write:g} cache write, ${rates.cache_read:g} cache read per MTok"
    return words, "configuration" if model in configured else f"table of {AS_OF}"


def rates_for(model: str, configured: Mapping[str, Price], *, local: bool) -> Rates:
    """Return what ``model`` costs: as configured, else as in the table, else nothing on a server of this machine.

    Raises UsageError for a model whose price nobody knows.
    """
    if model in configured:
        return Rates.of(configured[model])
    if model in TABLE:
        return TABLE[model]
    if local:
        return FREE
    raise UsageError(
        f"the price of model {model} is not known (table of {AS_OF}), so no budget could be kept",
        hint=f'write it into the configuration: [prices."{model}"] input = … and output = …, in dollars per million tokens',
    )
