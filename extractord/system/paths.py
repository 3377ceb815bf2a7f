"""Paths as this system has them: see ``posix_paths`` and ``windows_paths``, which have the same names."""

import sys

if sys.platform == "win32":
    from extractord.system.windows_paths import TEMP_VARIABLES, disguised, native, odd_name, slashed
else:
    from extractord.system.posix_paths import TEMP_VARIABLES, disguised, native, odd_name, slashed

__all__ = ["TEMP_VARIABLES", "disguised", "native", "odd_name", "slashed"]
