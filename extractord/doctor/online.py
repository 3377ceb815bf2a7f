"""Whether the backend answers: asked only where a person says so, with a word or two, paid for like any call.

Owns: that one call. Leaves terms, money and limits to ``runs``, what a fault means to the backends.
"""

from __future__ import annotations

import time
from contextlib import closing

from extractord.agent.claude_code.program import ClientTerms
from extractord.agent.claude_code.shot import Question, Shot
from extractord.agent.model_line import ModelLine
from extractord.agent.relay import Relay, Terms
from extractord.agent.wire import Dialogue
from extractord.doctor.finding import Check, Finding, Visit, good
from extractord.ledger import Ledger
from extractord.runs.asking import asked_for
from extractord.runs.permit import ClientPermit
from extractord.runs.purse import LedgerPurse
from extractord.supervisor import Supervisor
from extractord.transcript.eligibility import OWN_RUN

_SECONDS = 60.0
_SYSTEM = "Somebody wants to know whether you can be reached. Answer with the one word: nothing"


def answers(visit: Visit) -> Finding:
    """Ask the configured backend. Raises ExtractordError where it does not answer."""
    if visit.config.backend.offline:
        return good("online", "nothing was asked: the backend is offline")
    with Ledger.open(visit.locations.state) as ledger, closing(ModelLine()) as models:
        supervisor = Supervisor(ledger, visit.config, visit.surroundings, visit.locations, models=models)
        terms = asked_for(supervisor, "/")
        purse = LedgerPurse(ledger, visit.config.budget, ("", "online"), since=visit.now, now=visit.now)
        deadline = time.monotonic() + _SECONDS
        match terms:
            case Terms():
                Relay(Dialogue.opened(_SYSTEM, (), "Are you there?"), terms, models, purse, deadline).answer(0, ())
                return good("online", f"{terms.model} answers at {terms.server.title}; that cost ${purse.cost_usd:.6f}")
            case ClientTerms():
                question = Question(_SYSTEM, f"{OWN_RUN}\n\nAre you there?")
                Shot(question, terms, ClientPermit(supervisor, purse), deadline).answer(0, ())
                return good("online", f"{terms.model} answers through {terms.program}; that counts as one of today's runs")
            case None:
                return good("online", "nothing was asked: the backend is offline")


CHECKS = (Check("online", answers),)
