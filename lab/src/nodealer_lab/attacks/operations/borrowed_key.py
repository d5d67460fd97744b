"""Somebody is given a card, and names a key that it has no secret of: one that hangs on another player's key of a card
of the pile. When that key is published, what it was given is read by whoever it told."""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from nodealer.games.free.rules import PassOn
from nodealer.protocols.codec import read_message
from nodealer.protocols.mask.messages import MaskReceive
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.operations.free import free_stage, hand, lies
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.secrets.knowledge import KNOWLEDGE_PROOF

GIVES: Final = 0


def _borrowed(deck: Any) -> Any:
    """The giver's key of the next card of the pile, and one more: as it stands it would be seen to be there already."""
    return deck.card_keys(tuple(deck.places.pile[:1]), GIVES) + deck.binding.group.G


def _receive(moment: Moment) -> bytes:
    said = read_message(MaskReceive, moment.honest)
    return encode(replace(said, keys=_borrowed(moment.deck).to_bytes()))


def _plays(scene: Scene) -> Came:
    stage = free_stage(BORROWED_KEY, scene)
    position = min(hand(stage, GIVES))
    borrowed = _borrowed(stage.state().hand.decks[0])
    stage.asks(GIVES, PassOn(0, (position,), scene.cheater))
    deck: Any = stage.state().hand.decks.get(0)
    given = tuple(deck.places.hand(scene.cheater))[-1:] if deck is not None else ()
    took = bool(given) and scene.cheater not in stage.state().gone and deck.card_keys(given, scene.cheater) == borrowed
    gain = "has a card under a key that another will publish" if took else None
    return stage.came(gain, lies(stage, scene.cheater))


BORROWED_KEY: Final = Attack(
    name="borrowed-key",
    does="names a key that it has no secret of for a card that it is given",
    of=("A25", "A26"),
    ways={
        "mask": (
            Way(
                "a key chosen to cancel the others, or copied",
                {"receive": _receive},
                plays=_plays,
                defence=(KNOWLEDGE_PROOF,),
            ),
        ),
    },
)
