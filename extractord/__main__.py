"""The program's entry: the error boundary around the command line.

Owns: exit statuses and how an error is told, once. Leaves everything else to ``cli``.
"""

from __future__ import annotations

import errno
import os
import sys


def main() -> None:
    """Run the command line; exits with 0 done, 1 failed, 2 wrong usage, 130 interrupted (CONTRACTS)."""
    sys.exit(run(sys.argv[1:]))


def run(argv: list[str]) -> int:
    """Run one command and return its exit status."""
    if sys.platform == "win32":
        from extractord.system.windows_program import WSL, refusal, speak_utf8

        speak_utf8()
        if reason := refusal(argv[0] if argv else ""):
            tell(reason, WSL)
            return 1
    from extractord.errors import ExtractordError

    try:
        if argv == ["run"]:  # the daemon carries nothing of the command line with it
            from extractord import daemon

            return daemon.run()
        from extractord.cli import commands

        status = commands.main(argv)
        sys.stdout.flush()
    except ExtractordError as error:
        tell(error.message, error.hint)
        return error.exit_status
    except BrokenPipeError:
        _drop_stdout()
        return 0
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        if error.errno == errno.ENOSPC:
            _drop_stdout()
            tell(f"the output cannot be written: {error.strerror}", "Free some space, or send it elsewhere.")
            return 1
        return _unexpected(error)
    except Exception as error:  # noqa: BLE001 - the outermost boundary
        return _unexpected(error)
    return status


def _unexpected(error: Exception) -> int:
    """Tell of a fault of this program by kind and place; its own text may hold what was being read."""
    from extractord.errors import UnexpectedError

    told = UnexpectedError.of(error)
    tell(told.message, told.hint)
    return told.exit_status


def tell(message: str, hint: str = "") -> None:
    """Tell a person on stderr what happened and what to do."""
    lines = [f"extractord: {message}", f"  → {hint}" if hint else ""]
    for line in filter(None, lines):
        print(line.encode("utf-8", "replace").decode("utf-8"), file=sys.stderr)


def _drop_stdout() -> None:
    """Keep the interpreter from complaining about a closed pipe while it shuts down."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
