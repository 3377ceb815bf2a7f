"""The user service: what starts the daemon at login and again after a failure.

Owns: the unit and the launch agent (``templates``), what install and uninstall do (``plan``: a list of actions, decided before
anything is done), and carrying it out. Leaves questions and printing to the command line, the daemon to ``daemon``.
"""

from __future__ import annotations

from extractord.service.carrying_out import carry_out
from extractord.service.executable import as_invoked, objection
from extractord.service.found import Found, Init, look
from extractord.service.plan import install_plan, uninstall_plan
from extractord.service.purging import Purge, purge, purge_plan
from extractord.service.steps import Plan, ServiceError, Step
from extractord.service.text import elsewhere, rendered
from extractord.service.wanted import Wanted, carried_over

__all__ = [
    "Found",
    "Init",
    "Plan",
    "Purge",
    "ServiceError",
    "Step",
    "Wanted",
    "as_invoked",
    "carried_over",
    "carry_out",
    "elsewhere",
    "install_plan",
    "look",
    "objection",
    "purge",
    "purge_plan",
    "rendered",
    "uninstall_plan",
]
