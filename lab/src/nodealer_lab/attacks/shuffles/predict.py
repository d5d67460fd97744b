"""Somebody makes the tapes of the others: where they hang on little that is secret, all roots are tried, and where an
order is none, every card lies where it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from nodealer.errors import NodealerError
from nodealer.protocols.base import Cheat
from nodealer.tape import ROOT_BYTES, digest, hand_tape
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.scene import Played, watched
from nodealer_lab.attacks.truth import Dealt, dealt


def _roots(played: Played) -> Iterator[bytes]:
    """What a bad source of random numbers would give, or somebody who forgot to ask one: one byte again and again, a
    small number, and what everybody knows of a table and of its players."""
    for number in range(256):
        yield bytes([number]) * ROOT_BYTES
        yield number.to_bytes(ROOT_BYTES, "big")
        yield number.to_bytes(ROOT_BYTES, "little")
    session = played.config.session
    members = session.proposal.roster.members
    for known in (session.id, *session.nonces, *(one.key for one in members), *(one.name.encode() for one in members)):
        yield known[:ROOT_BYTES].ljust(ROOT_BYTES, b"\0")
        yield digest("root", known)


def _read(played: Played) -> str | None:
    """In every hand, when cards have been dealt for the first time."""
    first: dict[tuple[int, int], Dealt] = {}
    for one in dealt(played):
        for seat in played.honest:
            if one.hidden(seat):
                first.setdefault((one.hand, seat), one)
    if first and all(_unmoved(one, seat) for (_, seat), one in first.items()):
        return "knows every card, for nobody shuffles"
    for (hand, seat), one in first.items():
        for root in _roots(played):
            guess = hand_tape(root, session=played.config.session.id, seat=seat, hand=hand)
            with suppress(NodealerError):
                if one.hidden(seat).items() <= one.deck.knows(seat, guess).items():
                    return f"reads the cards of {played.names[seat]}"
    return None


def _unmoved(one: Dealt, seat: int) -> bool:
    """Whether a seat's cards are those that lay there in a new deck."""
    return all(card.position == face for card, face in one.hidden(seat).items())


#: The tape hangs on a root that never leaves its machine, and on all of it.
_ROOT: Final = Without("nodealer.tape:hand_tape", 'expand("hand", root,', 'expand("hand", root[:1] * ROOT_BYTES,')
CLAIM: Final = Cheat("shuffles and keys that somebody foresees", "never", False)

PREDICT: Final = Attack(
    name="predict",
    does="foresees what the others draw for their shuffles and keys",
    of=("A28",),
    who="a reader of the log",
    law=Scheme(Way(CLAIM.cheat, plays=watched(_read), defence=(_ROOT,)), CLAIM),
)
