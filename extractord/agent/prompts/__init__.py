"""The words of the prompts, as Markdown files beside this one, and reading them. Leaves putting them together to ``prompting``."""

from __future__ import annotations

import functools
from importlib import resources


@functools.cache
def words_of(*parts: str) -> str:
    """Return the files of these names, one below the other."""
    folder = resources.files(__name__)
    return "\n".join(folder.joinpath(part).read_text(encoding="utf-8") for part in parts)
