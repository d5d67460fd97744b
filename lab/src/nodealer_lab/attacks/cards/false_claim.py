"""A seat claims that its card is none, though it is one, so that the others have to disclose it, and the hand ends."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Raw

from nodealer.play.bodies import Cards
from nodealer.protocols.base import MISDEAL
from nodealer.protocols.chain.deck import Stuck
from nodealer.protocols.chain.drawing import own_links, prove
from nodealer.protocols.chain.messages import Misdeal
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage, to_move


def _plays(scene: Scene) -> Came:
    """All that it says of its card is true; it is only no reason to claim anything."""
    stage, seat = Stage(scene), scene.cheater
    stage.until(to_move(0))
    deck: Any = stage.state(seat).hand.decks[0]
    duty = next(known.duty for known in stage.state(seat).duties.of(seat).values() if known.duty.kind == MISDEAL)
    tape, index, positions = stage[seat].seat._tape(0), deck.order.index(seat), deck.hidden(seat)
    own = deck.own(tape, index)
    links = own_links(deck, own, index, [deck.held[position].place for position in positions])
    bare = deck.bare(seat, tape, positions)
    images = [*links.images, *(deck.held[position].number for position in positions)]
    proof = prove(deck, duty, tape, own.key, [*links.bases, bare], images)
    claim = Misdeal(positions, bare.to_bytes(), b"".join(links.nonces), b"".join(links.names), proof)
    lies = stage.says(seat, Cards(duty.id, Raw(encode(claim))))
    stage.end()
    return stage.came(_gain(stage, seat), lies)


def _gain(stage: Stage, cheater: int) -> str | None:
    for state in stage.states():
        if state.fault is not None and state.fault.seat not in (None, cheater):
            return "has the dealer named for a card that is one"
        if any(isinstance(getattr(deck, "stage", None), Stuck) for deck in state.hand.decks.values()):
            return "has the hand stopped that it may lose, and nobody is named"
    return None


FALSE_CLAIM: Final = Attack(
    name="false-claim",
    does="claims that its card is none, though it is one",
    of=("A36",),
    ways={
        "chain": (
            Way(
                "a false claim that a card is none",
                plays=_plays,
                defence=(
                    Without(
                        "nodealer.protocols.chain.misdeal:Disputes.apply",
                        "if len(faces) == len(cards) and doubled(deck, faces) is None:",
                        "if False:",
                    ),
                ),
            ),
        ),
    },
)
