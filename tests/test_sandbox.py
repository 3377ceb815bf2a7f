"""Promises about confinement by the kernel: what a confined process cannot do, whatever runs in it, and what it still can."""

from __future__ import annotations

import os
import re
import socket
import struct
from pathlib import Path

import pytest

from extractord.sandbox import bpf, grants, seatbelt, syscalls
from extractord.sandbox.bpf import Denial, Match, When
from extractord.sandbox.carving import CarvingLimits, Omissions, carve, left_out_of
from extractord.sandbox.confining import judge
from extractord.sandbox.landlock import Access, Grant, handled_by
from extractord.sandbox.level import Level
from extractord.sandbox.seccomp import Role, denials
from extractord.sandbox.syscalls import Machine
from tests.confined_child import tried
from tests.needs import KernelFeature, Needs
from tests.without_landlock import WITHOUT_LANDLOCK


@pytest.fixture
def landlock(needs: Needs) -> None:
    needs.kernel(KernelFeature.LANDLOCK)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "app.py").write_text("hello")
    (folder / "src" / "deep.py").write_text("deep")
    (folder / ".env").write_text("secret")
    (folder / "run").write_text("#!/bin/sh\necho ran\n")
    (folder / "run").chmod(0o755)
    (tmp_path / "outside").write_text("outside")
    (folder / "link").symlink_to(tmp_path / "outside")
    return folder


def worker_grants(project: Path) -> list[Grant]:
    return [*grants.of_worker(), *carve(str(project), Omissions(lambda parts: parts[-1] == ".env", lambda _: False))]


# --- a worker


def test_a_worker_reads_its_project_and_nothing_else(project: Path, landlock: None) -> None:
    """Files of the project are there; secret ones, what lies outside and where links lead are not."""
    level, why, answers = tried(
        {
            "file": f"it = open('{project}/app.py').read()",
            "deep": f"it = open('{project}/src/deep.py').read()",
            "list": f"it = len(os.listdir('{project}'))",
            "secret": f"open('{project}/.env')",
            "link": f"open('{project}/link')",
            "outside": f"open('{project.parent}/outside')",
            "up": f"open('{project}/../outside')",
            "listed": f"os.listdir('{project.parent}')",
            "root": "os.listdir('/')",
            "passwd": "open('/etc/passwd')",
            "self": "open('/proc/self/environ')",
        },
        worker_grants(project),
        folders=(str(project),),
    )
    assert (level, why) == ("full", "") or level == "partial"
    assert (answers["file"], answers["deep"], answers["list"]) == ("hello", "deep", 5)
    assert {answers[name] for name in ("secret", "link", "outside", "up", "listed", "root", "passwd", "self")} == {"EACCES"}


def test_a_worker_changes_nothing(project: Path, landlock: None) -> None:
    """No way of changing content, names, modes, times or attributes works, in the project or elsewhere; /dev/null takes writes."""
    file, other = f"{project}/app.py", f"{project.parent}/outside"
    ways = {
        "write": "open('{}', 'w')",
        "append": "open('{}', 'a')",
        "update": "open('{}', 'r+')",
        "truncate": "os.truncate('{}', 0)",
        "empty": "os.open('{}', os.O_RDONLY | os.O_TRUNC)",
        "new": "open('{}.new', 'x')",
        "unnamed": "os.open(os.path.dirname('{}'), os.O_TMPFILE | os.O_RDWR)",
        "remove": "os.remove('{}')",
        "rename": "os.rename('{0}', '{0}.new')",
        "link": "os.link('{0}', '{0}.new')",
        "symlink": "os.symlink('x', '{}.new')",
        "fifo": "os.mkfifo('{}.new')",
        "folder": "os.mkdir('{}.new')",
        "chmod": "os.chmod('{}', 0)",
        "chown": "os.chown('{}', 0, 0)",
        "times": "os.utime('{}', (1, 1))",
        "attribute": "os.setxattr('{}', 'user.x', b'x')",
    }
    attempts = {f"{name} {place}": code.format(place) for name, code in ways.items() for place in (file, other)}
    attempts |= {f"fchmod {file}": f"os.fchmod(os.open('{file}', os.O_RDONLY), 0)", "null": "it = open('/dev/null', 'w').write('x')"}
    before = {path: (path.lstat().st_mode, path.lstat().st_mtime_ns) for path in project.rglob("*")}
    _, _, answers = tried(attempts, worker_grants(project))
    assert answers.pop("null") == 1
    assert set(answers.values()) <= {"EACCES", "EPERM"}, answers
    assert {path: (path.lstat().st_mode, path.lstat().st_mtime_ns) for path in project.rglob("*")} == before


def test_a_worker_reaches_no_other_process_and_no_network(project: Path, landlock: None) -> None:
    """No socket of any family, no signal, limit or priority for a process outside, no namespaces, no watching."""
    attempts = {f"socket {family}": f"socket.socket({family})" for family in (1, 2, 10, 16, 17, 40)}
    attempts |= {
        "signal": "os.kill(os.getppid(), 0)",
        "limits": "resource.prlimit(os.getppid(), resource.RLIMIT_CORE, (0, 0))",
        "priority": "os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)",
        "scheduler": "os.sched_setaffinity(os.getppid(), [0])",
    }
    calls = ("unshare", "setns", "ptrace", "bpf", "io_uring_setup", "inotify_init1", "keyctl", "mount", "pidfd_getfd", "shmget")
    machine = syscalls.machine_of(os.uname().machine)
    assert machine is not None
    attempts |= {name: f"landlock.libc.syscall({syscalls.number_of(name, machine)}, 0, 0, 0, 0)" for name in calls}
    _, _, answers = tried(attempts, worker_grants(project))
    assert set(answers.values()) <= {"EACCES", "EPERM"}, answers
    _, _, own = tried({"limits": "resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); it = 'set'"}, worker_grants(project))
    assert own == {"limits": "set"}


def test_a_descriptor_that_it_may_have_is_no_way_out(project: Path, landlock: None) -> None:
    """A file open for reading keeps its flags and is locked for nobody; no message to a Unix socket; nobody leaves the group."""
    file, box = f"{project}/app.py", str(project.parent / "box")
    received = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    received.bind(box)
    datagrams = "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0]"
    attempts = {
        "message": f"{datagrams}.sendmsg([b'x'], [], 0, '{box}')",
        "datagram": f"{datagrams}.sendto(b'x', '{box}')",
        "stream": f"socket.socketpair()[0].sendmsg([b'x'], [], 0, '{box}')",
        "flags": f"fcntl.ioctl(os.open('{file}', os.O_RDONLY), 0x40086602, struct.pack('l', 0))",
        "lock": f"fcntl.flock(os.open('{file}', os.O_RDONLY), fcntl.LOCK_EX)",
        "range": f"fcntl.lockf(os.open('{file}', os.O_RDONLY), fcntl.LOCK_SH)",
        "lease": f"fcntl.fcntl(os.open('{file}', os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_RDLCK)",
        "owner": "fcntl.fcntl(0, fcntl.F_SETOWN, os.getppid())",
        "watch": f"fcntl.fcntl(os.open('{project}', os.O_RDONLY), fcntl.F_NOTIFY, 2)",
        "session": "os.setsid()",
        "group": "os.setpgid(0, 0)",
    }
    for role in Role:
        _, _, answers = tried(attempts, worker_grants(project), role=role)
        allowed = {"stream", "lock", "range", "session", "group"} if role is Role.MODEL else set()
        refused = {name: answer for name, answer in answers.items() if name not in allowed}
        assert set(refused.values()) <= {"EACCES", "EPERM"}, answers
    received.setblocking(False)
    with pytest.raises(BlockingIOError):
        received.recv(1)
    received.close()


def test_what_a_worker_runs_is_confined_as_well(project: Path, landlock: None) -> None:
    """Installed programs run and inherit all of it; what lies in the project does not run."""
    run = "it = subprocess.run({!r}, capture_output=True, text=True, env={{'PATH': '/usr/bin:/bin'}}).{}"
    attempts = {
        "cat": run.format(["cat", f"{project}/app.py"], "stdout"),
        "cat secret": run.format(["cat", f"{project}/.env"], "stdout"),
        "shell": run.format(["bash", "-c", f"echo x > {project}/new; cat {project.parent}/outside; echo done"], "stdout"),
        "network": run.format(["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/80 || echo none"], "stdout"),
        "own": run.format([f"{project}/run"], "stdout"),
    }
    # Its children may be signalled: that is how a program that takes too long is ended.
    attempts["ended"] = "child = subprocess.Popen(['sleep', '60']); child.kill(); it = child.wait()"
    _, _, answers = tried(attempts, worker_grants(project))
    assert answers["cat"] == "hello"
    assert (answers["cat secret"], answers["shell"], answers["network"]) == ("", "done\n", "none\n")
    assert (answers["own"], answers["ended"]) == ("EACCES", -9)
    assert not (project / "new").exists()


@pytest.mark.parametrize("abi", [1, 2, 3, 4, 5, 6])
def test_older_kernels_hold_as_well(project: Path, landlock: None, abi: int) -> None:
    """What an older Landlock cannot refuse (emptying files, signals, sockets of any kind) the filter of system calls does."""
    file = f"{project}/app.py"
    attempts = {
        "read": f"it = open('{file}').read()",
        "program": f"it = subprocess.run(['cat', '{file}'], capture_output=True, text=True).stdout",
        "empty": f"os.open('{file}', os.O_RDONLY | os.O_TRUNC)",
        "truncate": f"os.truncate('{file}', 0)",
        "write": f"open('{file}', 'r+')",
        "outside": f"open('{project.parent}/outside')",
        "signal": "os.kill(os.getppid(), 0)",
        "queued": "signal.pthread_kill(threading.get_ident(), 0); os.kill(os.getppid(), 0)",
        "socket": "socket.socket()",
    }
    _, _, answers = tried(attempts, worker_grants(project), abi=abi)
    assert (answers.pop("read"), answers.pop("program")) == ("hello", "hello")
    assert set(answers.values()) <= {"EACCES", "EPERM"}, answers
    assert Path(file).read_text() == "hello"


# --- a model process


def test_a_model_process_talks_to_its_port_and_reads_no_file(project: Path, landlock: None) -> None:
    """It connects to the port it was given and no other, resolves names, and has no files, programs or other processes."""
    with socket.create_server(("127.0.0.1", 0)) as wanted, socket.create_server(("127.0.0.1", 0)) as other:
        port, refused = wanted.getsockname()[1], other.getsockname()[1]
        level, _, answers = tried(
            {
                "wanted": f"it = socket.create_connection(('127.0.0.1', {port})).getpeername()[1]",
                "resolved": "it = len(socket.getaddrinfo('localhost', 80)) > 0",
                "threads": "t = threading.Thread(target=lambda: None); t.start(); t.join(); it = 'ran'",
                "certificates": "it = os.path.isdir('/etc/ssl') and len(os.listdir('/etc/ssl')) > 0",
                "other": f"socket.create_connection(('127.0.0.1', {refused}))",
                "fast": f"socket.socket().sendto(b'x', {0x20000000}, ('127.0.0.1', {refused}))",
                "multipath": "socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)",
                "listening": "s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()",
                "unix": "socket.socket(socket.AF_UNIX)",
                "file": f"open('{project}/app.py')",
                "passwd": "open('/etc/passwd')",
                "written": "open('/tmp/x-of-a-model-process', 'x')",
                "program": "os.execv('/bin/true', ['true'])",
                "child": "os.fork()",
            },
            grants.of_model_process({}),
            role=Role.MODEL,
            ports=(port,),
            folders=("/tmp",),
        )
    assert level in ("full", "partial")
    assert (answers.pop("wanted"), answers.pop("resolved"), answers.pop("threads")) == (port, True, "ran")
    assert answers.pop("certificates") is Path("/etc/ssl").is_dir()
    if handled_by(_abi()).net == 0:
        del answers["other"]
    assert set(answers.values()) <= {"EACCES", "EPERM"}, answers


def test_a_model_process_can_renew_the_login_that_it_was_given(tmp_path: Path, landlock: None) -> None:
    """The SDK replaces its file of credentials: a new file of the owner's only, renamed over the old one. Nothing else of it."""
    logins = tmp_path.resolve() / "anthropic"
    (logins / "credentials").mkdir(parents=True)
    (logins / "credentials" / "default.json").write_text("old")
    (logins / "config.json").write_text("{}")
    new, old = f"{logins}/credentials/new", f"{logins}/credentials/default.json"
    _, _, answers = tried(
        {
            "new": f"f = open('{new}', 'x'); os.fchmod(f.fileno(), 0o600); it = f.write('new'); f.close(); os.replace('{new}', '{old}')",
            "wider": f"os.fchmod(os.open('{old}', os.O_RDONLY), 0o644)",
            "settings": f"open('{logins}/config.json', 'w')",
            "beside": f"open('{logins}/new', 'x')",
            "read": f"it = open('{logins}/config.json').read()",
        },
        grants.of_model_process({"ANTHROPIC_CONFIG_DIR": str(logins)}),
        role=Role.MODEL,
    )
    assert answers == {"new": 3, "wider": "EPERM", "settings": "EACCES", "beside": "EACCES", "read": "{}"}
    assert Path(old).read_text() == "new"


# --- what is missing


def test_without_landlock_the_level_is_none(project: Path) -> None:
    """A kernel without Landlock is told as such; the filter still refuses sockets and changes."""
    level, why, answers = tried(
        {"outside": f"it = open('{project.parent}/outside').read()", "socket": "socket.socket()", "write": f"open('{project}/x', 'w')"},
        worker_grants(project),
        folders=(str(project),),
        prefix=WITHOUT_LANDLOCK,
    )
    assert level == "none"
    assert "Landlock" in why
    assert answers == {"outside": "outside", "socket": "EPERM", "write": "EPERM"}


def test_the_self_test_notices_a_process_that_is_not_confined(project: Path, landlock: None) -> None:
    """Where the rules allow what they must not (here: everything), the level is none."""
    level, why, _ = tried({}, [*grants.of_worker(), Grant("/", Access.REPLACE)], folders=(str(project),))
    assert level == "none"
    assert "/etc/passwd can be read" in why
    assert f"{project} can be written" in why


@pytest.mark.parametrize(
    ("abi", "no_filter", "breaches", "level"),
    [
        (7, "", [], Level.FULL),
        (3, "", [], Level.FULL),
        (2, "", [], Level.PARTIAL),
        (7, "no table", [], Level.PARTIAL),
        (7, "", ["x"], Level.NONE),
    ],
)
def test_levels(abi: int, no_filter: str, breaches: list[str], level: Level) -> None:
    """Full takes a Landlock that refuses truncation, a filter and a self-test that found nothing; what is missing is told."""
    attained = judge(abi, no_filter, breaches)
    assert attained.level is level
    assert bool(attained.why) == (level is not Level.FULL)


# --- carving

SECRETS = Omissions(lambda parts: parts[-1] == "secret", lambda parts: parts[-1] == "vault")


def _granted(found: list[Grant], root: Path) -> dict[str, Access]:
    return {str(Path(grant.path).relative_to(root)): grant.access for grant in found}


def test_only_the_paths_to_secrets_are_split(tmp_path: Path) -> None:
    """Each folder above a secret is listed only, what stands beside is granted whole; links get nothing."""
    for name in ("a/b/secret", "a/b/c", "a/d", "e/f", "g"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "vault").mkdir()
    (tmp_path / "link").symlink_to("/etc")
    found = _granted(carve(str(tmp_path), SECRETS), tmp_path)
    listed, read = Access.LIST, Access.READ
    assert left_out_of(str(tmp_path), SECRETS) == [f"{tmp_path}/vault", f"{tmp_path}/a/b/secret"]
    assert found == {".": listed, "a": listed, "a/b": listed, "a/b/c": read, "a/d": read, "e": read, "g": read}


def test_a_tree_without_secrets_is_one_grant(tmp_path: Path) -> None:
    """Nothing left out: the root, whole."""
    (tmp_path / "x").write_text("x")
    assert carve(str(tmp_path), Omissions(lambda _: False, lambda _: False)) == [Grant(str(tmp_path), Access.READ)]


def test_rules_are_capped_and_shallow_secrets_come_first(tmp_path: Path) -> None:
    """When not all secrets fit, the ones nearest to the root are left out and the others' folders are granted whole."""
    (tmp_path / "secret").write_text("x")
    (tmp_path / "deep").mkdir()
    for number in range(50):
        (tmp_path / "deep" / f"{number}").write_text("x")
    (tmp_path / "deep" / "secret").write_text("x")
    found = carve(str(tmp_path), SECRETS, CarvingLimits(rules=40))
    assert _granted(found, tmp_path) == {".": Access.LIST, "deep": Access.READ}


def test_a_walk_ends_at_its_bound(tmp_path: Path) -> None:
    """Of a huge tree only the upper part is searched."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    for number in range(30):
        (tmp_path / "a" / f"{number}").write_text("x")
    (tmp_path / "a" / "b" / "secret").write_text("x")
    found = carve(str(tmp_path), SECRETS, CarvingLimits(entries=20))
    assert found == [Grant(str(tmp_path), Access.READ)]


# --- filters, by a machine of our own


def _answer(code: bytes, number: int, arguments: tuple[int, ...] = (), arch: int = Machine.X86_64.value) -> str:
    """Run a filter over a call and return what it answers, "" for allowed."""
    seen = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, arch, 0, *(*arguments, *[0] * (6 - len(arguments))))
    steps = list(struct.iter_unpack("<HBBI", code))
    at = held = 0
    while True:
        operation, yes, no, operand = steps[at]
        at += 1
        match operation:
            case 0x20:
                held = int.from_bytes(seen[operand : operand + 4], "little")
            case 0x15 | 0x25 | 0x35 | 0x45:
                true = {0x15: held == operand, 0x25: held > operand, 0x35: held >= operand, 0x45: bool(held & operand)}[operation]
                at += yes if true else no
            case 0x06:
                kind = operand & 0xFFFF0000
                return "" if kind == 0x7FFF0000 else "killed" if kind == 0x80000000 else os.strerror(operand & 0xFFFF)
            case _:
                raise AssertionError(operation)


NO, UNKNOWN = os.strerror(1), os.strerror(38)


@pytest.mark.parametrize("machine", Machine)
def test_filters_answer_alike_on_both_machines(machine: Machine) -> None:
    """Conditions on arguments decide as they are meant; other machines' calls end the process, calls from the future are unknown."""
    worker, model = (bpf.program(denials(role, 7, 4711), machine) for role in (Role.WORKER, Role.MODEL))

    def answer(code: bytes, name: str, *arguments: int) -> str:
        number = syscalls.number_of(name, machine)
        assert number is not None
        return _answer(code, number, arguments, machine.value)

    assert [answer(worker, name) for name in ("socket", "connect", "ptrace", "fchmodat", "ftruncate", "renameat2")] == [NO] * 6
    assert [answer(worker, name) for name in ("openat", "execve", "tgkill")] == [""] * 3
    assert [answer(worker, name) for name in ("sendmsg", "setsid", "setpgid", "flock")] == [NO] * 4
    assert [answer(model, name) for name in ("sendmsg", "flock")] == [""] * 2
    for code in (worker, model):
        assert [answer(code, "socketpair", 1, kind) for kind in (1, 0x80001, 0x80801, 2, 0x80002, 5)] == ["", "", "", NO, NO, NO]
        assert [answer(code, "fcntl", 3, order) for order in (1, 2, 3, 4, 8, 10, 1024, 1026, 1030)] == [*[""] * 4, *[NO] * 4, ""]
        assert [answer(code, "prctl", option) for option in (1, 4, 15, 38)] == [NO, NO, "", ""]
    assert [answer(worker, "fcntl", 3, order) for order in (6, 38)] == [NO] * 2
    assert [answer(worker, "clone", flags) for flags in (0x11, 0x3D0F00, 0x20011, 0x10000011)] == ["", "", NO, NO]
    assert answer(worker, "clone3") == UNKNOWN
    assert [answer(worker, "prlimit64", pid) for pid in (0, 4711, 1)] == ["", "", NO]
    requests = (0x5401, 0x5421, 0x5451, 0x5412, 0x541C, 0x100005412, 0x40086602, 0x401C5820)
    assert [answer(worker, "ioctl", 0, request) for request in requests] == [*[""] * 3, *[NO] * 5]
    assert [answer(model, "clone", flags) for flags in (0x11, 0x3D0F00)] == [NO, ""]
    kinds = [(2, 1, 0), (10, 2, 17), (16, 3, 0), (1, 1, 0), (2, 1, 262), (17, 3, 0)]
    assert [answer(model, "socket", *kind) for kind in kinds] == ["", "", "", NO, NO, NO]
    assert [answer(model, name) for name in ("execve", "listen", "ptrace")] == [NO] * 3
    assert [answer(model, "fchmod", 3, mode) for mode in (0o600, 0o644)] == ["", NO]
    assert [answer(model, "sendto", 3, 0, 1, flags) for flags in (0, 0x20000000)] == ["", NO]
    other = next(one for one in Machine if one is not machine)
    assert _answer(worker, 0, arch=other.value) == "killed"
    assert _answer(worker, syscalls.NEWEST + 1, arch=machine.value) == UNKNOWN
    assert _answer(worker, 0, arch=machine.value) == ""


def test_calls_of_the_x32_kind_end_the_process() -> None:
    """On x86_64 the same kernel takes calls under other numbers; none of them is let through."""
    code = bpf.program(denials(Role.WORKER, 7, 1), Machine.X86_64)
    assert {_answer(code, syscalls.X32_BIT | number) for number in (0, 1, 41, 520)} == {"killed"}


@pytest.mark.parametrize("match", Match)
def test_conditions(match: Match) -> None:
    """Each kind of condition refuses what it names and lets the next denial be looked at."""
    number = syscalls.number_of("ioctl", Machine.X86_64)
    assert number is not None
    values = (4,) if match in (Match.ANY_BIT, Match.NO_BIT) else (4, 9, 12)
    code = bpf.program([Denial("ioctl", When(5, match, values)), Denial("bpf")], Machine.X86_64)
    said = [_answer(code, number, (0, 0, 0, 0, 0, value)) == NO for value in (0, 4, 9, 12, 5)]
    assert (
        said
        == {
            Match.ANY_BIT: [False, True, False, True, True],
            Match.NO_BIT: [True, False, True, False, False],
            Match.ONE_OF: [False, True, True, True, False],
            Match.NONE_OF: [True, False, False, False, True],
        }[match]
    )
    assert _answer(code, 321) == NO


@pytest.mark.parametrize(
    ("machine", "header", "form"),
    [
        (Machine.X86_64, "x86_64-linux-gnu/asm/unistd_64.h", r"#define __NR_(\w+)\s+(\d+)"),
        (Machine.AARCH64, "asm-generic/unistd.h", r"#define __NR(?:3264)?_(\w+)\s+(\d+)"),
    ],
)
def test_numbers_are_the_kernels(machine: Machine, header: str, form: str, needs: Needs) -> None:
    """Every number in the tables that the kernel's own headers know is the same there."""
    text = needs.file(Path("/usr/include") / header, apt="linux-libc-dev").read_text()
    theirs = {name: int(number) for name, number in re.findall(form, text)}
    ours = {name: syscalls.number_of(name, machine) for name in syscalls.names()}
    known = {name: number for name, number in ours.items() if name in theirs or number is None}
    assert {name: theirs.get(name) for name in known} == known
    assert len(known) > len(ours) - 12


# --- macOS


def test_seatbelt_profiles_mean_the_same(tmp_path: Path) -> None:
    """The profiles as they are given to sandbox-exec: no write but into /dev/null and, for the model process, its logins."""
    readable = seatbelt.Readable(
        ("/Users/sam/shop", '/Users/sam/a "b"\\c'), ("/Users/sam/shop/.env",), ("/Users/sam/.claude/projects/-Users-sam-shop/memory",)
    )
    python = ("/opt/py/bin/python3.11", "/opt/py/lib/python3.11")
    golden = Path(__file__).parent / "cases" / "seatbelt"
    assert seatbelt.worker_profile(readable, python) == (golden / "worker.sb").read_text()
    environ = {"ANTHROPIC_CONFIG_DIR": "/Users/sam/.config/anthropic", "SSL_CERT_FILE": "/Users/sam/ca.pem"}
    model = seatbelt.model_profile((443, 8080), python, environ)
    assert model == (golden / "model.sb").read_text()
    for text in (seatbelt.worker_profile(readable, python), seatbelt.model_profile((443,), python, {})):
        assert [line for line in text.splitlines() if "file-write" in line] == ['(allow file-write-data (literal "/dev/null"))']
        assert text.startswith("(version 1)\n(deny default)\n")
        assert text.count("(") == text.count(")")
    assert seatbelt.under("P", ("x", "y")) == ("/usr/bin/sandbox-exec", "-p", "P", "x", "y")


def _abi() -> int:
    from extractord.sandbox import landlock

    return landlock.abi()
