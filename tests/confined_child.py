"""A child process that confines itself and then tries things: what each attempt came to.

Owns: starting it and reading its answers. Attempts are statements of Python; an attempt that raises OSError is answered by the name
of its errno, one that does not by what ``it`` is then.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from extractord.sandbox.landlock import Grant
from extractord.sandbox.seccomp import Role

PREPARE = """
import ctypes, errno, fcntl, json, os, resource, signal, socket, struct, subprocess, sys, threading, time
given = json.loads(sys.argv[1])
sys.path[:] = given["path"]
import encodings.idna
from extractord.sandbox import landlock, seccomp, surrender
from extractord.sandbox.confining import Rules, confine
from extractord.sandbox.landlock import Access, Grant
from extractord.sandbox.seccomp import Role
from extractord.sandbox.syscalls import machine_of
role = Role(given["role"])
grants = [Grant(path, Access[access]) for path, access in given["grants"]]
surrender.gain_nothing()
out = os.fdopen(os.dup(1), "w")
"""
CONFINE = """
attained = confine(Rules(role, grants, given["ports"], given["folders"]))
level = [attained.level.value, attained.why]
"""
OF_VERSION = """
landlock.restrict(grants, given["ports"], given["abi"])
seccomp.install(role, given["abi"], machine_of(os.uname().machine))
level = ["", ""]
"""
TRY = """
answers = {}
for name, code in given["attempts"].items():
    space = {**globals(), "it": None}
    try:
        exec(code, space)
        answers[name] = space["it"]
    except OSError as error:
        answers[name] = errno.errorcode.get(error.errno, str(error.errno))
json.dump([level, answers], out)
out.flush()
os._exit(0)
"""


def tried(
    attempts: Mapping[str, str],
    grants: list[Grant],
    *,
    role: Role = Role.WORKER,
    ports: tuple[int, ...] = (),
    folders: tuple[str, ...] = (),
    abi: int | None = None,
    prefix: tuple[str, ...] = (),
) -> tuple[str, str, dict[str, object]]:
    """Return level, why, and what each attempt came to in a process confined so; ``abi`` takes an older version of Landlock."""
    paths = [str(Path(__file__).parent.parent), *(path for path in sys.path if path)]
    given = {
        "path": paths,
        "role": role.value,
        "grants": [(grant.path, grant.access.name) for grant in grants],
        "ports": ports,
        "folders": folders,
        "attempts": attempts,
        "abi": abi,
    }
    script = PREPARE + (CONFINE if abi is None else OF_VERSION) + TRY
    argv = [*prefix, sys.executable, "-I", "-S", "-B", "-c", script, json.dumps(given)]
    env = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8"}
    done = subprocess.run(argv, env=env, cwd="/", capture_output=True, check=False, pass_fds=(), preexec_fn=os.setsid)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    (level, why), answers = json.loads(done.stdout)
    return level, why, answers
