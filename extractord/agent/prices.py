"""What models cost: one table, with its date.

Owns: the prices known here, and the arithmetic from tokens to dollars. Leaves caps to the ledger, and which price somebody
wrote into the configuration to ``config``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from extractord.agent.protocol import Usage
from extractord.config import Price
from extractord.errors import UsageError

AS_OF = "2026-12-01"
CACHE_WRITE, CACHE_READ = 1.25, 0.1  # of the input price, where a price does not name them
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Rates:
    """US dollars per million tokens. ``cache_from``: the tokens from which on a prompt's beginning can be kept by the server."""

    input: float
    output: float
    cache_write: float
    cache_read: float
    cache_from: int = 4096

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
        """Return what a call cost."""
        cached = usage.cache_write_tokens * self.cache_write + usage.cache_read_tokens * self.cache_read
        return (usage.input_tokens * self.input + usage.output_tokens * self.output + cached) / _MILLION

    def upper_bound(self, input_tokens: int, max_tokens: int) -> float:
        """Return the most that a call can cost: all of its input newly kept, all of the answer used."""
        return (input_tokens * max(self.input, self.cache_write) + max_tokens * self.output) / _MILLION


def _rates(input_: float, output: float) -> Rates:
    return Rates.of(Price(input=input_, output=output))


# Batches cost half; they are not used: an extraction may need a second turn, and memory has to grow in the order of time.
TABLE: Mapping[str, Rates] = {
    "claude-haiku-5-5": _rates(0.10, 0.50),
}
FREE = Rates(0.0, 0.0, 0.0, 0.0)


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
