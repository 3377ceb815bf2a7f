"""Which system calls a confined process is refused, and installing the filter that refuses them.

Owns: the lists. They close what Landlock leaves open (modes and times of files, sockets, other processes, watching folders) and
refuse much of what it refuses too, so that either layer may fail. Leaves the form of a filter to ``bpf``.
"""

from __future__ import annotations

import ctypes
import enum
import errno
import os
import socket
from collections.abc import Iterable, Iterator

from extractord.sandbox import libc
from extractord.sandbox.bpf import Denial, Match, When, program
from extractord.sandbox.landlock import FULL_ABI, SCOPE_ABI
from extractord.sandbox.syscalls import Machine

_PR_SET_SECCOMP, _MODE_FILTER = 22, 2  # linux/prctl.h, linux/seccomp.h

_CLONE_NEW = 0x7E020000  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET (linux/sched.h)
_CLONE_THREAD = 0x00010000
# What a terminal is and how wide, what waits in a pipe, whether a descriptor blocks or is handed on (asm-generic/ioctls.h; the last of
# them is TCGETS2). All else of ioctl belongs to devices and file systems: it puts characters into a terminal's input, or sets the
# flags of a file that is open for reading only (FS_IOC_SETFLAGS), which Landlock does not know.
_IOCTLS = (0x5401, 0x5413, 0x540F, 0x541B, 0x5421, 0x5450, 0x5451, 0x802C542A)
_CLOEXEC, _NONBLOCK = 0o2000000, 0o4000  # SOCK_CLOEXEC, SOCK_NONBLOCK: linux/net.h
_STREAMS = tuple(socket.SOCK_STREAM | flags for flags in (0, _CLOEXEC, _NONBLOCK, _CLOEXEC | _NONBLOCK))
# Signals through a descriptor's owner (F_SETSIG, F_SETOWN, F_SETOWN_EX), leases, and watching folders (F_NOTIFY): linux/fcntl.h
_OWNERS = (8, 10, 15, 1024, 1026)
_LOCKS = (6, 7, 37, 38)  # F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW: held on a file, others wait for them
_TIES = (1, 4, 0x59616D61)  # PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_PTRACER (linux/prctl.h): set before, for good
_MSG_FASTOPEN = 0x20000000  # connects without asking the rules about connecting
_MUTATING_FLAGS = os.O_CREAT | os.O_TRUNC
_NETLINK = 16  # getaddrinfo asks it which kinds of address this machine has
_PROTOCOLS = (0, socket.IPPROTO_TCP, socket.IPPROTO_UDP)  # not MPTCP or SCTP: rules about TCP do not know them
_OWNERS_ONLY = 0o600

_NETWORK = ("socket", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmsg", "sendmmsg")
_RINGS = ("io_uring_setup", "io_uring_enter", "io_uring_register")
_OTHER_PROCESSES = (
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "pidfd_getfd", "pidfd_send_signal", "kcmp",
    "setpriority", "ioprio_set", "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr", "migrate_pages",
    "move_pages", "shmget", "shmat", "shmctl", "msgget", "msgsnd", "msgrcv", "msgctl", "semget", "semop", "semtimedop", "semctl",
    "mq_open", "mq_unlink",
)  # fmt: skip
_SIGNALS = ("kill", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo")
_KERNEL = (
    "bpf", "keyctl", "add_key", "request_key", "userfaultfd", "perf_event_open", "name_to_handle_at", "open_by_handle_at",
    "inotify_init", "inotify_init1", "inotify_add_watch", "fanotify_init", "fanotify_mark", "memfd_create", "memfd_secret",
    "unshare", "setns", "mount", "umount2", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "open_tree", "open_tree_attr",
    "mount_setattr", "chroot", "pivot_root", "clock_settime", "clock_adjtime", "settimeofday", "adjtimex", "sethostname",
    "setdomainname", "reboot", "swapon", "swapoff", "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load",
    "acct", "quotactl", "quotactl_fd", "syslog", "vhangup", "iopl", "ioperm", "modify_ldt",
)  # fmt: skip
_FILES = (
    "chmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat", "setxattr", "lsetxattr", "fsetxattr", "setxattrat",
    "removexattr", "lremovexattr", "fremovexattr", "removexattrat", "utime", "utimes", "futimesat", "utimensat", "file_setattr",
    "mknod", "mknodat", "truncate", "ftruncate", "fallocate", "link", "linkat", "symlink", "symlinkat", "mkdir", "mkdirat", "rmdir",
)  # fmt: skip
_REPLACING = ("fchmod", "creat", "unlink", "unlinkat", "rename", "renameat", "renameat2")

# A process that left its group would outlive the worker, whose group is ended as a whole; a lock on a file keeps others waiting.
_GROUPS = ("setsid", "setpgid", "flock")


class Role(enum.Enum):
    """What a process is for, as far as system calls go."""

    WORKER = "worker"  # reads files, runs programs
    MODEL = "model process"  # talks to a server, keeps its login


def denials(role: Role, abi: int, pid: int) -> tuple[Denial, ...]:
    """Return what the process ``pid`` of that role is refused, given the version of Landlock beside it (0: none)."""
    return (*_of_all(abi, pid), *(_of_worker(abi) if role is Role.WORKER else _of_model()))


def _of_all(abi: int, pid: int) -> Iterator[Denial]:
    yield from _always(_RINGS, _OTHER_PROCESSES, _KERNEL, _FILES)
    yield Denial("prlimit64", When(0, Match.NONE_OF, (0, pid)))
    yield Denial("clone", When(0, Match.ANY_BIT, (_CLONE_NEW,)))
    yield Denial("clone3", error=errno.ENOSYS)  # its flags lie behind a pointer; the C library falls back to clone
    yield Denial("ioctl", When(1, Match.NONE_OF, _IOCTLS))
    yield Denial("socketpair", When(1, Match.NONE_OF, _STREAMS))  # one end for datagrams reaches any Unix socket by its path
    yield Denial("fcntl", When(1, Match.ONE_OF, _OWNERS))
    yield Denial("prctl", When(0, Match.ONE_OF, _TIES))
    if abi < SCOPE_ABI:  # Landlock cannot keep signals inside yet
        yield from _always(_SIGNALS)
        yield Denial("tgkill", When(0, Match.NONE_OF, (pid,)))


def _of_worker(abi: int) -> Iterator[Denial]:
    yield from _always(_NETWORK, _REPLACING, _GROUPS)
    yield Denial("fcntl", When(1, Match.ONE_OF, _LOCKS))
    if abi < FULL_ABI:  # Landlock cannot refuse to empty a file yet
        yield Denial("open", When(1, Match.ANY_BIT, (_MUTATING_FLAGS,)))
        yield Denial("openat", When(2, Match.ANY_BIT, (_MUTATING_FLAGS,)))
        yield Denial("openat2", error=errno.ENOSYS)


def _of_model() -> Iterator[Denial]:
    yield from _always(("execve", "execveat", "fork", "vfork", "listen", "accept", "accept4", "creat"))
    yield Denial("clone", When(0, Match.NO_BIT, (_CLONE_THREAD,)))
    yield Denial("socket", When(0, Match.NONE_OF, (socket.AF_INET, socket.AF_INET6, _NETLINK)))  # no Unix sockets: agents, daemons
    yield Denial("socket", When(2, Match.NONE_OF, _PROTOCOLS))
    yield Denial("sendto", When(3, Match.ANY_BIT, (_MSG_FASTOPEN,)))
    yield Denial("sendmsg", When(2, Match.ANY_BIT, (_MSG_FASTOPEN,)))
    yield Denial("sendmmsg", When(3, Match.ANY_BIT, (_MSG_FASTOPEN,)))
    yield Denial("fchmod", When(1, Match.NONE_OF, (_OWNERS_ONLY,)))  # the SDK makes sure of it when it renews a login


def _always(*lists: Iterable[str]) -> Iterator[Denial]:
    return (Denial(name) for names in lists for name in names)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def install(role: Role, abi: int, machine: Machine) -> None:
    """Filter this thread's system calls, and those of all it starts, for good. Needs no_new_privs. Raises OSError."""
    code = program(denials(role, abi, os.getpid()), machine)
    block = ctypes.create_string_buffer(code, len(code))
    given = _Program(len(code) // 8, libc.address(block))
    libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, libc.address(given))
