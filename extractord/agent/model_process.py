"""The model process: it holds the key and the network, and nothing else.

Owns: how much of anything the process may take, and answering calls, several at once, until its supervisor closes the
pipe. It sees requests as they are sent and keeps nothing of them. Leaves the SDK to ``anthropic_model``, starting and ending it to
``model_line``.
"""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from extractord.agent.child import begin, confined
from extractord.agent.confinement import confine_model
from extractord.agent.frames import Channel
from extractord.agent.model_frames import Fault, FaultKind, Said, Serve, Step, ToModel, to_model
from extractord.errors import WorkerError
from extractord.system.bounds import Bounds

CALLS = 8  # at once: as many as there can be workers
# The SDK renews its own logins in place: a file of its own may be so large; losing one would lock the person out.
_BOUNDS = Bounds(file_bytes=64 << 10, open_files=256, memory=2 << 30)

Pipe = Channel[Said, ToModel]


def main(supervisor_pid: int, told: str) -> None:
    """Serve the supervisor that started this process, then end; ``told`` says what it may reach (``confinement``)."""
    # What would be loaded late, from wherever Python lies: the SDK, and what looks up a server's name.
    gc.disable()  # it would look hundreds of times through what stays: a seventh of the time
    from extractord.agent.anthropic_model import asking  # over a second: in this process only

    gc.freeze()
    gc.enable()
    channel: Pipe = Channel(*begin(supervisor_pid, _BOUNDS), to_model)
    confined(partial(confine_model, told))
    first = channel.receive()
    if isinstance(first, Serve):
        _Serving(channel, asking(first)).until_closed()


Asking = Callable[[Step], Said]


class _Serving:
    def __init__(self, channel: Pipe, asking: Asking) -> None:
        self._channel = channel
        self._asking = asking
        self._writing = threading.Lock()

    def until_closed(self) -> None:
        """Answer each call in a thread of its own."""
        with ThreadPoolExecutor(CALLS) as pool:
            while isinstance(ask := self._channel.receive(), Step):
                pool.submit(self._answer, ask)

    def _answer(self, ask: Step) -> None:
        try:
            said = self._asking(ask)
        except Exception as error:  # noqa: BLE001 - the boundary of a thread: told by kind only, since its text may quote
            said = Fault(ask.id, FaultKind.BROKEN, error=type(error).__name__[:60])
        with self._writing, contextlib.suppress(WorkerError):  # a supervisor that is gone needs no answer
            self._channel.send(said)
