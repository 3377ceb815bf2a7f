"""What install and uninstall will do: decided from what was found, before anything is done.

Owns: the steps and their order. Pure; leaves looking to ``found`` and doing to ``carrying_out``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from extractord.service.found import LABEL, UNIT, Found, Init
from extractord.service.steps import AwaitDaemon, MakeFolder, OnFailure, Plan, RemoveFile, Run, ServiceError, Step, WriteFile
from extractord.service.text import elsewhere, rendered
from extractord.service.wanted import Wanted

JOURNAL = f"`journalctl --user -u {UNIT} -n 30` says why; `extractord run` shows it here."
LAUNCHD_SECONDS = 60.0  # until a daemon must run; its start over 1,000 sessions takes about one


def install_plan(found: Found, wanted: Wanted, running_version: str | None) -> Plan:
    """Return the steps after which the service is installed and runs; the same again does no harm.

    ``running_version`` is that of a daemon that runs now. Raises ServiceError where there is nothing to install it into.
    """
    if found.masked:
        raise ServiceError(f"{found.file} is masked: somebody forbade this service", hint=f"`systemctl --user unmask {UNIT}` allows it.")
    changed = rendered(found.init, wanted) != found.text
    stale = running_version is not None and running_version != wanted.version
    remarks = tuple(_remarks(found, wanted))
    match found.init:
        case Init.SYSTEMD:
            return Plan(tuple(_into_systemd(found, wanted, "restart" if found.active and (changed or stale) else "start")), remarks)
        case Init.LAUNCHD:
            again = changed or stale or not found.active
            return Plan(tuple(_into_launchd(found, wanted)) if again else (AwaitDaemon(wanted.state, LAUNCHD_SECONDS),), remarks)
        case Init.NONE:
            where = f" (this looks like {found.where})" if found.where else ""
            raise ServiceError(
                f"nothing here can run a user service{where}: {found.why_none}", hint=elsewhere(wanted.executable, found.where)
            )
        case _:
            assert_never(found.init)


def uninstall_plan(found: Found) -> Plan:
    """Return the steps after which nothing of the service is left, also where only parts of it are there now."""
    match found.init:
        case Init.LAUNCHD:
            return Plan((Run(("launchctl", "bootout", f"{found.domain}/{LABEL}"), OnFailure.GO_ON), RemoveFile(found.file)))
        case Init.SYSTEMD:
            return Plan(tuple(_out_of_systemd(found)))
        case Init.NONE:
            return Plan(tuple(_files(found)))
        case _:
            assert_never(found.init)


def _into_systemd(found: Found, wanted: Wanted, start: str) -> Iterator[Step]:
    text = rendered(found.init, wanted)
    if text != found.text:
        yield WriteFile(found.file, text)
    yield _systemctl("daemon-reload")
    yield _systemctl("enable", UNIT)
    yield _systemctl("reset-failed", UNIT, on_failure=OnFailure.GO_ON)  # else its limit of starts may still hold
    yield _systemctl(start, UNIT, hint=JOURNAL)  # comes back when the daemon says READY
    yield _systemctl("is-active", UNIT, hint=JOURNAL)  # a condition that does not hold is no failure of start


def _into_launchd(found: Found, wanted: Wanted) -> Iterator[Step]:
    service = f"{found.domain}/{LABEL}"
    hint = f"`launchctl print {service}` and the log in {wanted.state} say why."
    yield MakeFolder(wanted.state)
    yield WriteFile(found.file, rendered(found.init, wanted))
    yield Run(("launchctl", "bootout", service), OnFailure.GO_ON)
    yield Run(("launchctl", "enable", service), hint=hint)
    yield Run(("launchctl", "bootstrap", found.domain, str(found.file)), hint=hint)
    yield AwaitDaemon(wanted.state, LAUNCHD_SECONDS, hint)


def _out_of_systemd(found: Found) -> Iterator[Step]:
    yield _systemctl("disable", "--now", UNIT, on_failure=OnFailure.GO_ON)
    yield from _files(found)
    yield _systemctl("daemon-reload", on_failure=OnFailure.GO_ON)
    yield _systemctl("reset-failed", UNIT, on_failure=OnFailure.GO_ON)


def _files(found: Found) -> Iterator[Step]:
    """The unit, and the link by which it is enabled: it outlives a unit that was removed by hand."""
    if not found.masked:  # a mask is a person's word, not ours
        yield RemoveFile(found.file)
    if found.file.name == UNIT:
        yield RemoveFile(found.file.parent / "default.target.wants" / UNIT)


def _systemctl(*words: str, on_failure: OnFailure = OnFailure.STOP, hint: str = "") -> Run:
    return Run(("systemctl", "--user", *words), on_failure, hint)


def _remarks(found: Found, wanted: Wanted) -> Iterator[str]:
    for name, value in wanted.environment:
        yield f"with {name}={value}, as set in this shell"
    if found.lingers is False:
        yield "it runs while you are logged in; `loginctl enable-linger` lets it run without"
