"""Whose a finding is: the person's own, or the team's.

Owns: the words by which a rule or fact is known as everybody's, or as one person's. Leaves whether there is a team memory to the
briefing.
"""

from __future__ import annotations

import re

from extractord.agent.offline.finding import Finding
from extractord.agent.offline.readings import Kind

FOLDER = "team"
_EVERYBODY = re.compile(
    r"\b(?:we|us|ours?|everyone|everybody|all of us|the (?:whole )?team|team[- ]wide|project[- ]wide|convention)\b"
    r"|\b(?:(?:team|project|company|house) (?:rule|convention|policy)|(?:in|for) (?:this|our|the) (?:project|repo|repository|code ?base))\b"
    r"|\b(?:wir|uns|unser\w*|alle im team|das (?:ganze )?team|jeder im (?:team|projekt)|konvention|hausregel|projektweit|teamweit)\b"
    r"|\bin diesem (?:projekt|repo)\b"
    r"|\b(?:nosotr[oa]s|nuestr[oa]s?|tod[oa]s (?:en el equipo|nosotros)|el equipo|convención|en este (?:proyecto|repo|repositorio))\b"
    r"|我们|咱们|大家|全队|团队|整个项目|本项目|这个项目|项目规范|约定"
    r"|みんな|私たち|我々|うちの(?:チーム|会社)|チーム全員|チームの|全員|このプロジェクト|規約",
    re.IGNORECASE,
)
_ONE_PERSON = re.compile(
    r"\b(?:i|i'm|i'll|i've|me|my|mine|myself)\b|\b(?:ich|mir|mich|mein\w*)\b|\b(?:yo|mi|mis|mí|conmigo)\b|我(?!们)|俺|僕|私(?!たち)|自分の",
    re.IGNORECASE,
)


def is_shared(finding: Finding) -> bool:
    """Whether a finding is for team memory: pointers and the project's facts mostly, rules of working only where they are everybody's."""
    said = " ".join(reading.sentence.text for reading in finding.readings)
    everybody, one_person = _EVERYBODY.search(said) is not None, _ONE_PERSON.search(said) is not None
    match finding.kind:
        case Kind.USER:
            return False
        case Kind.FEEDBACK:
            return everybody and not one_person and finding.accepted is None
        case Kind.PROJECT | Kind.REFERENCE:
            return everybody or not one_person
