"""A seat shuffles its hand, and has another card in it afterwards."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nodealer.games.free.rules import MixHand
from nodealer.group import concat
from nodealer.proofs import equality
from nodealer.proofs.equality import Each
from nodealer.proofs.transcript import draw_scalars
from nodealer.protocols.codec import read_message
from nodealer.protocols.mask.deck import Masked
from nodealer.protocols.mask.messages import MaskMix
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.defences import SHUFFLE_PROOF
from nodealer_lab.attacks.operations.free import face_of, free_stage, hand, lies, other_face
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene


def _mask(moment: Moment) -> bytes:
    """The first of the shuffled cards becomes a face that it does not have, and then gets its key as all others do."""
    deck, stage, seat, tape = moment.deck, moment.deck.stage, moment.duty.seat, moment.tape
    said, group = read_message(MaskMix, moment.honest), deck.binding.group
    held, S = deck.held_cards(stage.positions), group.points(said.key)
    order, _ = stage._draws(deck, tape, Masked(held.epk, held.msg + group.points(said.gains)), S)
    msg = group.points(said.msg)
    shift = other_face(moment) - deck.face_points((face_of(moment, stage.positions[order.vartime_list()[0]]),))
    mixed = Masked(group.points(said.epk), concat(msg[0] + shift, msg[1:]))
    s = draw_scalars(tape, "mask own key", deck.inputs(seat, deck.epoch), group, 1)
    new = deck.layers.drawn(tape, stage._layer(deck, mixed), seat)
    keys, last = new * group.G, (new - s) * mixed.epk
    keyed = Each(group.G, keys, mixed.epk, last, less=S)
    proof = equality.prove_each(deck.transcript(moment.duty, deck.epoch), tape, keyed, new - s)
    return encode(replace(said, msg=mixed.msg.to_bytes(), keys=keys.to_bytes(), last=last.to_bytes(), proof=proof))


def _plays(scene: Scene) -> Came:
    stage = free_stage(MIXED, scene)
    before = hand(stage, scene.cheater)
    stage.asks(scene.cheater, MixHand(0, tuple(before)))
    after = hand(stage, scene.cheater) if scene.cheater not in stage.state().gone else before
    exchanged = set(after.values()) != set(before.values())
    return stage.came("exchanges a card of its hand" if exchanged else None, lies(stage, scene.cheater))


MIXED: Final = Attack(
    name="mixed",
    does="shuffles its hand, and has another card in it afterwards",
    of=("A8",),
    ways={
        "mask": (
            Way(
                "a card exchanged when a player orders what it looked at, or shuffles its hand",
                {"mix": _mask},
                plays=_plays,
                defence=(SHUFFLE_PROOF,),
            ),
        ),
    },
)
