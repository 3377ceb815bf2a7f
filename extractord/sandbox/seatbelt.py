"""macOS: the profile under which ``sandbox-exec`` starts a process of ours, of the same meaning as the rules on Linux.

Owns: the text of these profiles and the command in front of a child's. Pure. A profile refuses everything first; of the rules that
fit, the last one decides. Written from documentation and from what others use; never run by this project's tests.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from extractord.sandbox.grants import named_files

SANDBOX_EXEC = "/usr/bin/sandbox-exec"
REFUSED_STATUS = 71  # what it ends with where it cannot apply a profile, say inside another one

_HEAD = """(version 1)
(deny default)
(import "system.sb")
(allow sysctl-read)
(allow file-read-metadata)
(allow signal (target same-sandbox))
"""
_PROGRAMS = ("/usr/bin", "/bin", "/usr/libexec", "/Library/Developer/CommandLineTools")
_READ = ("/usr/lib", "/usr/share", "/usr/libexec", "/usr/bin", "/bin", "/System", "/Library/Developer/CommandLineTools")
_CERTIFICATES = ("/private/etc/ssl", "/usr/share", "/usr/lib", "/System")
_RESOLVER = ("/private/etc/resolv.conf", "/private/etc/hosts", "/private/var/run/resolv.conf", "/private/var/run/mDNSResponder")


@dataclass(frozen=True, slots=True)
class Readable:
    """What a worker works on, as real paths: folders, what in them is left out, and what is allowed again inside that."""

    folders: Sequence[str]
    left_out: Sequence[str] = ()
    allowed_again: Sequence[str] = ()


def worker_profile(readable: Readable, python: Sequence[str]) -> str:
    """Return the profile of a worker: it reads and runs programs, and writes nothing but into /dev/null."""
    return "".join((
        _HEAD,
        "(allow process-fork)\n",
        _rule("allow", "process-exec", (*_PROGRAMS, *python[:1])),
        _rule("allow", "file-read*", (*_READ, *python, *readable.folders)),
        _rule("deny", "file-read-data", readable.left_out),
        _rule("allow", "file-read*", readable.allowed_again),
        _DEVICES,
        "(deny network*)\n",
    ))  # fmt: skip


def model_profile(ports: Iterable[int], python: Sequence[str], environ: Mapping[str, str]) -> str:
    """Return the profile of a model process: certificates, resolver, the SDK's logins, and servers by their port."""
    named = named_files(environ)
    logins = environ.get("ANTHROPIC_CONFIG_DIR")
    return "".join((
        _HEAD,
        _rule("allow", "process-exec", python[:1]),
        _rule("allow", "file-read*", (*_CERTIFICATES, *_RESOLVER, *python, *named, *((logins,) if logins else ()))),
        _rule("allow", "file-write*", (f"{logins}/credentials",) if logins else ()),
        _DEVICES,
        "(deny network*)\n",
        '(allow network-outbound (literal "/private/var/run/mDNSResponder"))\n',
        *(f'(allow network-outbound (remote tcp "*:{port}"))\n' for port in sorted(ports)),
    ))  # fmt: skip


_DEVICES = """(allow file-read* (literal "/dev/null") (literal "/dev/urandom"))
(allow file-write-data (literal "/dev/null"))
"""


def under(profile: str, command: Sequence[str]) -> tuple[str, ...]:
    """Return ``command`` as it is started under ``profile``."""
    return (SANDBOX_EXEC, "-p", profile, *command)


def python_paths() -> tuple[str, ...]:
    """Return the interpreter (first), its installation and this package, as real paths; never a prefix as a whole."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    folders = {f"{prefix}/lib/{version}" for prefix in (sys.prefix, sys.base_prefix)} | {f"{sys.base_prefix}/Python"}
    return (os.path.realpath(sys.executable), *sorted(map(os.path.realpath, folders | {str(Path(__file__).parent.parent)})))


def _rule(action: str, operation: str, paths: Iterable[str]) -> str:
    """Return a rule over files and all below them; "" for no paths."""
    filters = " ".join(f"(subpath {_quoted(path)})" for path in paths)
    return f"({action} {operation} {filters})\n" if filters else ""


def _quoted(path: str) -> str:
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
