"""Open folders as this system has them: see ``posix_folders`` and ``windows_folders``, which have the same names."""

import sys

if sys.platform == "win32":
    from extractord.system.windows_folders import (
        exists_at,
        listing,
        make_folder_at,
        open_beneath,
        remove_at,
        remove_folder_at,
        rename_exchange,
        rename_noreplace,
        rename_over,
    )
else:
    from extractord.system.posix_folders import (
        exists_at,
        listing,
        make_folder_at,
        open_beneath,
        remove_at,
        remove_folder_at,
        rename_exchange,
        rename_noreplace,
        rename_over,
    )

__all__ = [
    "exists_at",
    "listing",
    "make_folder_at",
    "open_beneath",
    "remove_at",
    "remove_folder_at",
    "rename_exchange",
    "rename_noreplace",
    "rename_over",
]
