"""Finding what must never be kept or sent: secrets, ``<private>`` text, characters that nobody sees.

Owns: ``redact`` (the text with markers in the place of secrets), ``secrets_in``, ``invisible``. Everything here is pure and
takes time linear in the text, also in a hostile one. Leaves to the callers what is done with a finding.
"""

from __future__ import annotations

from extractord.redact.hidden import Hidden, invisible, visible
from extractord.redact.kinds import Kind
from extractord.redact.scan import Redacted, private_edges, redact, redact_all, secrets_in

__all__ = ["Hidden", "Kind", "Redacted", "invisible", "private_edges", "redact", "redact_all", "secrets_in", "visible"]
