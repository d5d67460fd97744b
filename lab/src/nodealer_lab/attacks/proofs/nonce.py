"""One nonce in two proofs gives the secret away: two answers, two challenges, one unknown.

What the nonce hangs on instead of its statement does not matter, as long as two statements can meet there: it may be
nothing, or the head of the log, on which a seat may answer two requests. Here no seat proves two things with one key on
one head, so it is tried with nothing.
"""

from __future__ import annotations

from typing import Final

from nodealer.group import Scalars
from nodealer.proofs import labels
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.scene import Played, watched


def _read(played: Played) -> str | None:
    """Every check is an equation T + c·Z = ẑ·G that everybody has."""
    seen: dict[bytes, tuple[Scalars, Scalars]] = {}
    for one in played.said():
        for check in one.checks:
            if check.name != f"proof of {labels.EQUALITY}":
                continue
            (_, T), (c, Z), (minus_z, G) = check.equations[0].terms
            c_2, minus_z_2 = seen.setdefault(T.to_bytes() + Z.to_bytes(), (c, minus_z))
            if c_2 == c:
                continue
            secret = (minus_z_2 - minus_z) * (c - c_2).invert()
            if secret * G == Z:
                return f"computes the secret key of {played.names[check.seat]}"
    return None


#: A nonce hangs on the whole statement: no two statements have one.
_STATEMENT: Final = Without("nodealer.proofs.transcript:Transcript.nonces", "self._hash.digest()", 'b""')
CLAIM: Final = Cheat("a secret, computed from two proofs with one nonce", "never", False)

NONCE: Final = Attack(
    name="nonce",
    does="looks for two proofs with one nonce, to compute the secret",
    of=("A29",),
    who="a reader of the log",
    law=Scheme(Way(CLAIM.cheat, plays=watched(_read), defence=(_STATEMENT,)), CLAIM),
    tried_on=("chain",),
)
