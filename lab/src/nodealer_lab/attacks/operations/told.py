"""A seat tells who looks at a card of the pile another one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from nodealer.cards import Card
from nodealer.errors import CardUnreadable
from nodealer.games.free.rules import LookAt
from nodealer.play.participant import Participant
from nodealer.protocols.codec import read_message
from nodealer.protocols.mask.messages import MaskTell
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.operations.free import free_stage, lies, nobody_looks
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene

LOOKS: Final = 0


def _mask(moment: Moment) -> bytes:
    """It does not know the card. What it adds makes another face of one face, and nothing of all others: it guesses."""
    said, group, deck = read_message(MaskTell, moment.honest), moment.deck.binding.group, moment.deck
    shift = deck.face_points((0,)) - deck.face_points((1,))
    return encode(replace(said, msg=(group.points(said.msg) + shift).to_bytes()))


def _plays(scene: Scene) -> Came:
    """Who looks reads a card that is none, or another than the one that lies there."""
    stage = free_stage(TOLD, scene, each=0)
    deck: Any = stage.state().hand.decks[0]
    keys = {seat: deck.card_secrets(stage[seat].seat._tape(0), (0,), seat) for seat in deck.binding.players}
    true = deck.unmask((0,), keys)
    stage.asks(LOOKS, LookAt(0, 1, "look"))
    faces = [face for card, face in _read(stage[LOOKS]).items() if card.position == 0]
    believed = scene.cheater not in stage.state().gone and faces != true
    return stage.came("has Ada look at another card" if believed else None, lies(stage, scene.cheater))


def _read(one: Participant) -> Mapping[Card, int]:
    """What somebody reads; nothing, where it is no card."""
    try:
        return one.seat.cards()
    except CardUnreadable:
        return {}


TOLD: Final = Attack(
    name="told",
    does="tells who looks at a card another one",
    of=("A32",),
    ways={
        "mask": (
            Way(
                "a card that somebody looks at told as another",
                {"tell": _mask},
                plays=_plays,
                defence=(nobody_looks("nodealer.protocols.mask.peeking:Telling.apply"),),
            ),
        ),
    },
)
