"""A goal: a figure, its bound, and whether it was met."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Goal:
    """``figure`` is to be at least or at most ``bound``."""

    name: str
    figure: float
    bound: float
    at_least: bool

    @property
    def met(self) -> bool:
        return self.figure >= self.bound if self.at_least else self.figure <= self.bound


def shown(goal: Goal) -> str:
    """Return the goal as a line."""
    sign = "≥" if goal.at_least else "≤"
    return f"{'ok    ' if goal.met else 'MISSED'}  {goal.name}: {goal.figure:.2f} (goal {sign} {goal.bound:g})"
