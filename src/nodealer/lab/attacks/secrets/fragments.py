"""The last to open its fragments chooses them, so that one face is twice another, and knows both again when the deck is
shuffled."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nodealer.group import Points
from nodealer.lab.attacks.arrays import put, times
from nodealer.lab.attacks.base import Attack, Moment, Way
from nodealer.lab.attacks.defence import Without
from nodealer.lab.attacks.patient import patiently
from nodealer.lab.attacks.scene import Played
from nodealer.proofs.encoding import encodings
from nodealer.protocols.codec import read_message
from nodealer.protocols.lock.deck import LockDeck
from nodealer.protocols.lock.locking import Locking
from nodealer.protocols.lock.messages import Fragments
from nodealer.wire import encode


def _lock(moment: Moment) -> bytes:
    """The first face is to be twice the second one: all other fragments are known when it is the last."""
    stage, group = moment.deck.stage, moment.deck.binding.group
    if len(stage.said) + 1 < len(moment.deck.binding.players):
        return moment.honest
    said = read_message(Fragments, moment.honest)
    mine = group.points(said.points)
    first, second = group.identity(1), mine[1]
    for points in stage.said.values():
        first, second = first + points[0], second + points[1]
    wanted = times(group, 2, second) - first
    return encode(replace(said, points=put(said.points, 0, wanted.to_bytes())))


def _reads(played: Played) -> str | None:
    """In the order in which the cards will be dealt, one of them is twice another: those are the two faces."""
    for state in played.states():
        for deck in state.hand.decks.values():
            if isinstance(deck, LockDeck) and isinstance(deck.stage, Locking) and _twice(deck.stage.layer.cards):
                return "knows where two of the cards lie"
    return None


def _twice(cards: Points) -> bool:
    there = set(encodings(cards))
    return any(point in there for point in encodings(cards.doubled()))


FRAGMENTS: Final = Attack(
    name="fragments",
    does="chooses its part of the faces when it knows the others'",
    of=("A2", "A37"),
    ways={
        "lock": (
            Way(
                "fragments chosen after seeing the others'",
                {"fragments": _lock},
                defence=(
                    Without(
                        "nodealer.protocols.lock.making:OpeningFragments.apply",
                        "_commitment(deck, duty.seat, data) != self.commitments[duty.seat]",
                        "False",
                    ),
                ),
                gained=_reads,
                plays=lambda scene: patiently(FRAGMENTS, scene),
            ),
        ),
    },
)
