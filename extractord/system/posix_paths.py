"""Paths on Linux and macOS, where there is one form of them and every name is what it seems to be."""

TEMP_VARIABLES = ("TMPDIR",)


def slashed(path: str) -> str:
    """Return ``path`` with ``/``: as it is."""
    return path


def native(path: str) -> str:
    """Return what the system calls a path that ``slashed`` returned: the same."""
    return path


def disguised(name: str) -> str:  # noqa: ARG001 - the same on each system
    """Return why the system takes ``name`` for something else: it never does."""
    return ""


def odd_name(name: str) -> str:  # noqa: ARG001 - the same on each system
    """Return why ``name`` cannot be a file's: each can."""
    return ""
