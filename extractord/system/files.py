"""Files as this system has them: see ``posix_files`` and ``windows_files``, which have the same names."""

import sys

if sys.platform == "win32":
    from extractord.system.windows_files import (
        O_DIRECTORY,
        O_NOCTTY,
        O_NOFOLLOW,
        O_NONBLOCK,
        changed_at,
        entry_status,
        lock_shared,
        open_path,
        read_at,
        replace,
        set_mode,
        set_time,
        share_lock,
        sync_folder,
        try_lock,
        try_lock_shared,
    )
else:
    from extractord.system.posix_files import (
        O_DIRECTORY,
        O_NOCTTY,
        O_NOFOLLOW,
        O_NONBLOCK,
        changed_at,
        entry_status,
        lock_shared,
        open_path,
        read_at,
        replace,
        set_mode,
        set_time,
        share_lock,
        sync_folder,
        try_lock,
        try_lock_shared,
    )

__all__ = [
    "O_DIRECTORY",
    "O_NOCTTY",
    "O_NOFOLLOW",
    "O_NONBLOCK",
    "changed_at",
    "entry_status",
    "lock_shared",
    "open_path",
    "read_at",
    "replace",
    "set_mode",
    "set_time",
    "share_lock",
    "sync_folder",
    "try_lock",
    "try_lock_shared",
]
