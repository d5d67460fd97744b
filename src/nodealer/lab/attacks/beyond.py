"""What no program here carries out: what cryptography cannot prevent, and what there is nothing to attack of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True)
class Beyond:
    """An attack of the list, and one sentence on why there is no program for it."""

    of: str
    what: str
    comes: Literal["cannot be seen", "does not apply"]
    why: str


BEYOND: Final = (
    Beyond(
        "A4",
        "a composite modulus that one party knows the factors of",
        "does not apply",
        "no protocol here has a modulus that somebody made: the groups are curves and the safe prime of RFC 3526.",
    ),
    Beyond(
        "A18",
        "the secret of a trusted set-up, or keys of a demonstration",
        "does not apply",
        "nothing is set up in secret: every generator is hashed from a public label, and anybody can make it again.",
    ),
    Beyond(
        "A24",
        "only some players shuffle, and all of them are friends",
        "does not apply",
        "every seat that is dealt in shuffles, so that one honest seat is enough; if all others are friends, they still "
        "know nothing of the honest seat's cards.",
    ),
    Beyond(
        "A31",
        "the time that a secret operation takes, or what it leaves in a shared cache",
        "cannot be seen",
        "the native core computes with secrets in constant time, and docs/threats.md says what was measured and what "
        "the slow reference does not promise.",
    ),
    Beyond(
        "A50",
        "players who tell each other their cards, one person in two seats, bots",
        "cannot be seen",
        "what people say to each other outside the table is in no log: sit down where you would believe that more than "
        "half are different people.",
    ),
)
