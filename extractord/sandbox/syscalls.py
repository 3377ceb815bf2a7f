"""Numbers of system calls, of the machines that filters can be written for.

Owns: these tables. Source: the kernel's ``asm/unistd_64.h`` (x86_64) and ``asm-generic/unistd.h`` (aarch64); a test compares them.
Leaves which calls are refused to ``seccomp``.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping


class Machine(enum.Enum):
    """A kind of processor by what ``uname`` calls it; the value is its ``AUDIT_ARCH_*`` (linux/audit.h)."""

    X86_64 = 0xC000003E
    AARCH64 = 0xC00000B7


_NAMES = {"x86_64": Machine.X86_64, "aarch64": Machine.AARCH64, "arm64": Machine.AARCH64}

X32_BIT = 0x40000000  # x86_64: calls of the x32 ABI have numbers of their own
NEWEST = 470  # the highest number looked at when the lists were made; what comes later is unknown here

# name: (x86_64, aarch64); None where the machine has no such call
_NUMBERS: Mapping[str, tuple[int | None, int | None]] = {
    "socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201), "accept": (43, 202), "accept4": (288, 242),
    "sendto": (44, 206), "sendmsg": (46, 211), "sendmmsg": (307, 269), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "process_mrelease": (448, 448), "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424),
    "kcmp": (312, 272), "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240), "prlimit64": (302, 261), "setpriority": (141, 140), "ioprio_set": (251, 30),
    "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119), "sched_setparam": (142, 118), "sched_setattr": (314, 274),
    "migrate_pages": (256, 238), "move_pages": (279, 239), "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195),
    "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187), "semget": (64, 190), "semop": (65, 193),
    "semtimedop": (220, 192), "semctl": (66, 191), "mq_open": (240, 180), "mq_unlink": (241, 181), "bpf": (321, 280),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "userfaultfd": (323, 282), "perf_event_open": (298, 241),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "inotify_init": (253, None), "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27), "fanotify_init": (300, 262), "fanotify_mark": (301, 263), "memfd_create": (319, 279),
    "memfd_secret": (447, 447), "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39),
    "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "open_tree": (428, 428), "open_tree_attr": (467, 467), "mount_setattr": (442, 442), "chroot": (161, 51), "pivot_root": (155, 41),
    "clone": (56, 220), "clone3": (435, 435), "fork": (57, None), "vfork": (58, None), "execve": (59, 221), "execveat": (322, 281),
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452), "chown": (92, None), "fchown": (93, 55),
    "lchown": (94, None), "fchownat": (260, 54), "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7),
    "setxattrat": (463, 463), "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "removexattrat": (466, 466), "utime": (132, None), "utimes": (235, None), "futimesat": (261, None), "utimensat": (280, 88),
    "file_setattr": (469, 469), "mknod": (133, None), "mknodat": (259, 33), "truncate": (76, 45), "ftruncate": (77, 46),
    "fallocate": (285, 47), "creat": (85, None), "link": (86, None), "linkat": (265, 37), "symlink": (88, None), "symlinkat": (266, 36),
    "mkdir": (83, None), "mkdirat": (258, 34), "rmdir": (84, None), "unlink": (87, None), "unlinkat": (263, 35), "rename": (82, None),
    "renameat": (264, 38), "renameat2": (316, 276), "open": (2, None), "openat": (257, 56), "openat2": (437, 437),
    "clock_settime": (227, 112), "clock_adjtime": (305, 266), "settimeofday": (164, 170), "adjtimex": (159, 171),
    "sethostname": (170, 161), "setdomainname": (171, 162), "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "acct": (163, 89), "quotactl": (179, 60), "quotactl_fd": (443, 443), "syslog": (103, 116),
    "vhangup": (153, 58), "iopl": (172, None), "ioperm": (173, None), "modify_ldt": (154, None), "ioctl": (16, 29),
    "socketpair": (53, 199), "fcntl": (72, 25), "flock": (73, 32), "prctl": (157, 167), "setsid": (112, 157), "setpgid": (109, 154),
}  # fmt: skip


def machine_of(uname_machine: str) -> Machine | None:
    """Return the machine of that name, None for one without a table."""
    return _NAMES.get(uname_machine)


def number_of(name: str, machine: Machine) -> int | None:
    """Return a call's number, None where the machine has none of that name. Raises KeyError for a name that is in no table."""
    return _NUMBERS[name][0 if machine is Machine.X86_64 else 1]


def names() -> tuple[str, ...]:
    """Return every name in the tables."""
    return tuple(_NUMBERS)
