"""Somebody leaves, and in the rebuild a seat declares another card than it holds: its own goes back into the deck."""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from nodealer.games.free.rules import OpenCards
from nodealer.lab.attacks.base import Attack, Moment, Way
from nodealer.lab.attacks.operations.free import face_of, free_stage, hand, lies, nobody_looks, other_face
from nodealer.lab.attacks.outcome import Came
from nodealer.lab.attacks.scene import Scene
from nodealer.protocols.codec import read_message
from nodealer.protocols.lock.messages import HeldCards
from nodealer.protocols.mask.messages import MaskHeld
from nodealer.wire import encode

LEAVES: Final = 1


def _mask(moment: Moment) -> bytes:
    """The face that it declares is taken out of the deck, and the one that it holds is not."""
    said, group, deck = read_message(MaskHeld, moment.honest), moment.deck.binding.group, moment.deck
    mine = deck.places.hand(moment.duty.seat)
    shift = other_face(moment) - deck.face_points((face_of(moment, mine[0]),))
    return encode(replace(said, msg=(group.points(said.msg) + shift).to_bytes()))


def _lock(moment: Moment) -> bytes:
    said, deck = read_message(HeldCards, moment.honest), moment.deck
    e = deck.cascade_secret(moment.tape, moment.duty.seat)
    return encode(replace(said, cards=(e * other_face(moment)).to_bytes()))


def _plays(scene: Scene) -> Came:
    """Each has one card; then all that is left of the deck is opened."""
    stage = free_stage(REBUILT, scene, seats=3, each=1)
    mine = set(hand(stage, scene.cheater).values())
    stage.say(stage[LEAVES].leave())
    stage.end()
    deck: Any = stage.state().hand.decks.get(0)
    left = 0 if deck is None else len(deck.places.pile)
    if left and scene.cheater not in stage.state().gone:
        stage.asks(0, OpenCards(0, left))
    opened = {
        face for state in stage.states() for one in state.hand.decks.values() for face in one.places.opened.values()
    }
    return stage.came(
        "has a card of its own in the deck once more" if mine & opened else None, lies(stage, scene.cheater)
    )


def _way(claim: str, forge: Any, function: str) -> Way:
    return Way(claim, {"held": forge}, plays=_plays, defence=(nobody_looks(function),))


REBUILT: Final = Attack(
    name="rebuilt",
    does="declares another card than it holds, when a deck is rebuilt",
    of=("A34", "A38"),
    ways={
        "mask": (
            _way(
                "a held card substituted, doubled or left out in a rebuild",
                _mask,
                "nodealer.protocols.mask.rebuild:Declaring.apply",
            ),
        ),
        "lock": (
            _way(
                "a held card substituted or left out in a recovery",
                _lock,
                "nodealer.protocols.lock.recovery:Declaring.apply",
            ),
        ),
    },
)
