"""A child process that finds ``/home/dev`` as the recorded sessions had it, without touching the machine's own.

Owns: the three ways to get there (``Way``), laying out repositories, worktrees and files, running the steps. The paths of the
fixtures cannot be rewritten: folder names hash them. Runs twice: imported by tests, and as the script that is started inside
the new mount namespace, where commands of ours are forked from one warm Python.
"""

from __future__ import annotations

import ctypes
import enum
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

DEV = Path("/home/dev")
OURS = (sys.executable, "-m", "extractord")
CLONE = Path(__file__).resolve().parents[1]
STEP_SECONDS = 120
MS_BIND, MS_REC, MNT_DETACH = 4096, 16384, 2
GIT_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.invalid",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.invalid",
}


class Way(enum.Enum):
    """How a child gets ``/home/dev``, best first."""

    NAMESPACE = "namespace"  # its own mount namespace: /home is a tmpfs with the old entries bound back
    ROOT_NAMESPACE = "root namespace"  # the same, without a user namespace
    MADE = "made"  # root and no /home/dev: made, and removed after
    NOTHING = "nothing"  # only what needs nothing on disk can run


@dataclass(frozen=True, slots=True)
class Step:
    """One command. Steps run side by side; one that is to run ``alone`` waits for all the others."""

    argv: tuple[str, ...]
    env: dict[str, str] = field(default_factory=dict)
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What lies below ``/home/dev`` and what is run there.

    ``layout``: (path, kind); ``copies``: (source, target) folders, times kept; ``folders``: made if missing.
    """

    steps: tuple[Step, ...]
    layout: tuple[tuple[str, str], ...] = ()
    folders: tuple[str, ...] = ()
    files: dict[str, str] = field(default_factory=dict)
    copies: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of a step."""

    status: int
    stdout: str
    stderr: str


@cache
def way() -> Way:
    """Return the first way that works on this machine, tried once with an empty plan."""
    root = os.geteuid() == 0
    candidates = [Way.ROOT_NAMESPACE, Way.NAMESPACE] if root else [Way.NAMESPACE]
    if root:
        candidates.append(Way.MADE)
    probe = Plan(steps=(Step((sys.executable, "-c", "import os; print(os.listdir('/home/dev'))")),))
    for candidate in candidates:
        try:
            ran = run(probe, candidate)
        except OSError:
            continue
        if ran[0].status == 0 and ran[0].stdout.strip() == "[]":
            return candidate
    return Way.NOTHING


def run(plan: Plan, by: Way) -> list[Ran]:
    """Lay ``plan`` out by the given way, run its steps and return what became of each.

    Raises OSError with the script's words if the layout could not be made.
    """
    with tempfile.TemporaryDirectory(prefix="dev-home-") as scratch:
        paper, answer = Path(scratch) / "plan.json", Path(scratch) / "answer.json"
        paper.write_text(json.dumps({**asdict(plan), "way": by.value}), encoding="utf-8")
        argv = [*_prefix(by), sys.executable, "-I", __file__, str(paper), str(answer)]
        done = subprocess.run(argv, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            raise OSError(f"/home/dev could not be laid out ({by.value}): {done.stderr.strip()[-2000:]}")
        return [Ran(**one) for one in json.loads(answer.read_text(encoding="utf-8"))]


def _prefix(by: Way) -> list[str]:
    match by:
        case Way.NAMESPACE:
            return ["unshare", "-Urm"]
        case Way.ROOT_NAMESPACE:
            return ["unshare", "-m"]
        case Way.MADE | Way.NOTHING:
            return []


# --- inside --------------------------------------------------------------------------------------------------------------


def main(paper: Path, answer: Path) -> None:
    """Carry out the plan in ``paper`` and write what became of its steps to ``answer``."""
    read = json.loads(paper.read_text(encoding="utf-8"))
    by = Way(read.pop("way"))
    plan = Plan(**{**read, "steps": tuple(Step(**step) for step in read["steps"])})
    with _dev(by):
        if by is not Way.NOTHING:
            _lay_out(plan)
        ran = _run_all(plan.steps)
    answer.write_text(json.dumps([asdict(one) for one in ran]), encoding="utf-8")


@contextmanager
def _dev(by: Way) -> Iterator[None]:
    match by:
        case Way.NAMESPACE | Way.ROOT_NAMESPACE:
            _new_home()
            yield
        case Way.MADE:
            with made_alone():
                DEV.mkdir(parents=True)  # an existing one is somebody's: FileExistsError
                try:
                    yield
                finally:
                    shutil.rmtree(DEV)
        case Way.NOTHING:
            yield


@contextmanager
def made_alone() -> Iterator[None]:
    """Keep every other process from making ``/home/dev`` meanwhile, which there is only one of."""
    with (Path(tempfile.gettempdir()) / "extractord-dev-home.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _new_home() -> None:
    """Put a tmpfs over /home, in this mount namespace only, with every entry of the old one bound back."""
    home = DEV.parent
    old = Path(tempfile.mkdtemp(prefix="old-home-"))
    _mount(str(home), str(old), None, MS_BIND | MS_REC)
    _mount("tmpfs", str(home), "tmpfs", 0)
    for entry in sorted(old.iterdir()):
        target = home / entry.name
        if entry == old / DEV.name:
            continue
        if entry.is_symlink():
            target.symlink_to(entry.readlink())
        else:
            target.mkdir() if entry.is_dir() else target.touch()
            _mount(str(entry), str(target), None, MS_BIND | MS_REC)
    DEV.mkdir()
    _unmount(old)
    old.rmdir()  # never rmtree: were it still mounted, that would be the machine's own /home


def _mount(source: str, target: str, kind: str | None, flags: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    fstype = kind.encode() if kind else None
    if libc.mount(os.fsencode(source), os.fsencode(target), fstype, ctypes.c_ulong(flags), None) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"mount {source} on {target}: {os.strerror(code)}")


def _unmount(target: Path) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.umount2(os.fsencode(target), MNT_DETACH) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"unmount {target}: {os.strerror(code)}")


def _lay_out(plan: Plan) -> None:
    for path, kind in plan.layout:
        _make(Path(path), kind)
    for folder in plan.folders:
        Path(folder).mkdir(parents=True, exist_ok=True)
    for name, text in plan.files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    for source, target in plan.copies:
        shutil.copytree(source, target, dirs_exist_ok=True)


def _make(path: Path, kind: str) -> None:
    """Make one entry of a case's layout; a kind not known here is an error, not a guess."""
    if kind.startswith("git repository"):
        path.mkdir(parents=True, exist_ok=True)
        _git("init", "-q", "-b", "main", str(path))
        _git("-C", str(path), "commit", "-q", "--allow-empty", "-m", "first")
    elif kind.startswith(("bare git repository", "bare repository")):
        path.mkdir(parents=True, exist_ok=True)
        _git("init", "-q", "--bare", "-b", "main", str(path))
    elif found := re.match(r"linked worktree of ([^,]+)(?:, branch ([\w./-]+))?", kind):
        branch = ["-b", found[2]] if found[2] else ["--detach"]
        _git("-C", found[1], "worktree", "add", "-q", *branch, str(path))
    elif found := re.match(r"submodule of ([^,]+)", kind):
        _add_submodule(Path(found[1]), path)
    elif kind.startswith("plain directory"):
        path.mkdir(parents=True, exist_ok=True)
    else:
        raise SystemExit(f"a layout of a kind that dev_home does not know: {kind}")


def _add_submodule(parent: Path, path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="seed-") as folder:
        seed = Path(folder) / path.name
        _make(seed, "git repository")
        allow = ("-c", "protocol.file.allow=always")
        _git("-C", str(parent), *allow, "submodule", "--quiet", "add", str(seed), str(path.relative_to(parent)))


def _git(*argv: str) -> None:
    done = subprocess.run(["git", *argv], env={**os.environ, **GIT_ENVIRONMENT}, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"git {' '.join(argv)}: {done.stderr}")


def _run_all(steps: tuple[Step, ...]) -> list[Ran]:
    """Run the steps, as many at a time as there are cores, and return what became of each, in their order."""
    together, alone = [s for s in steps if not s.alone], [s for s in steps if s.alone]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        done = dict(zip(map(id, together), pool.map(_step, together), strict=True))
    done |= {id(step): _step(step) for step in alone}
    return [done[id(step)] for step in steps]


def _step(step: Step) -> Ran:
    from tests.warm_python import serves, warm_python  # not before the script knows where it is

    env = {**os.environ, **step.env}
    if step.argv[:3] == OURS and serves(env):
        done = warm_python().run(step.argv[3:], env, b"", STEP_SECONDS)
    else:
        done = subprocess.run(step.argv, env=env, capture_output=True, stdin=subprocess.DEVNULL, timeout=STEP_SECONDS, check=False)
    return Ran(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))


if __name__ == "__main__":
    sys.path.insert(0, str(CLONE))
    os.chdir("/")
    main(Path(sys.argv[1]), Path(sys.argv[2]))
