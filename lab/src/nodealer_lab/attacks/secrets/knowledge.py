"""The defence that several attacks on keys need to have removed."""

from __future__ import annotations

from typing import Final

from nodealer_lab.attacks.defence import Without

#: Nobody looks at the proof that a seat knows the secrets of its keys.
KNOWLEDGE_PROOF: Final = Without(
    "nodealer.proofs.equality:check_knowledge",
    "linear.check(transcript, _keys(keys), proof)",
    'Check(transcript.seat, "no proof", (Equation.sum((keys.group.integers([0]), keys.group.G)),))',
)
