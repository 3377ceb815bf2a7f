"""The daemon: waits for sessions to settle, has them extracted, and is never thought of again.

``running`` starts and ends it, ``loop`` is its one loop; ``business`` says which sessions are its own, ``backlog`` what comes
next, ``crew`` does the work in threads, ``settings`` keeps the configuration in force, ``canary`` notices a client that
changed. Nothing here imports the command line's packages or a model's.
"""

from extractord.daemon.running import run

__all__ = ["run"]
