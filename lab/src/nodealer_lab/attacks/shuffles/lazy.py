"""A seat passes the deck on as it got it: nothing masked, nothing moved."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from nodealer.group import concat
from nodealer.group.order import order_of
from nodealer.proofs import shuffle
from nodealer.proofs.relations import AddMask
from nodealer.protocols.base import Cheat
from nodealer.protocols.codec import read_message
from nodealer.protocols.duel.messages import DuelShuffle
from nodealer.protocols.lock.messages import Cascade
from nodealer.protocols.mask.messages import MaskShuffle
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.proofs.steps import shuffle_of
from nodealer_lab.attacks.scene import Played, Said, Scene, judged, tried

#: What a shuffle is called.
STEPS: Final = ("shuffle", "cascade")


def _mask(moment: Moment) -> bytes:
    """Only its key joins. The proof is true: a permutation that moves nothing is one."""
    deck, stage, seat = moment.deck, moment.deck.stage, moment.duty.seat
    group, given = deck.binding.group, stage.before(deck)
    s = deck.shuffle_secret(moment.tape, seat, stage.epoch)
    S, msg = s * group.G, given.msg + s * given.epk
    relation = AddMask(stage.joint, S, given.epk, given.msg, given.epk, msg)
    proof = shuffle.prove(
        deck.transcript(moment.duty, stage.epoch),
        moment.tape,
        relation,
        order_of(range(len(given))),
        lambda d: concat(group.integers([0]), s),
    )
    return encode(MaskShuffle(S.to_bytes(), given.epk.to_bytes(), msg.to_bytes(), proof))


def _once(moment: Moment) -> bytes:
    """Every card times one: the secret of its key is one, and the proof is true."""
    step = shuffle_of(moment)
    if step is None:
        return moment.honest
    step = replace(step, s=step.group.integers([1]))
    relation = step.relation(step.before)
    proof = shuffle.prove(step.transcript(), moment.tape, relation, order_of(range(step.size)), step.secrets)
    return step.message(step.before, proof)


def _shuffle(moment: Moment) -> bytes:
    return _mask(moment) if moment.deck.binding.protocol == "mask" else _once(moment)


def _unmoved(played: Played) -> str | None:
    for one in played.said():
        if one.duty.kind not in STEPS or one.duty.seat != played.cheater:
            continue
        # Masked cards are told by what they are masked with.
        cards = getattr(one.deck.stage, "cards", None)
        before = getattr(cards, "epk", cards)
        if before is not None and _sent(one) == before.to_bytes():
            return "passes the deck on as it got it, and everybody can follow every card"
    return None


def _plays(scene: Scene) -> Came:
    """Its message is refused, and the table waits for another: nothing for a bot that others play with."""
    played = tried(LAZY, scene)
    return judged(played, _unmoved(played))


def _sent(one: Said) -> bytes:
    match one.deck.binding.protocol:
        case "mask":
            return read_message(MaskShuffle, one.message).epk
        case "lock":
            return read_message(Cascade, one.message).cards
        case _:
            return read_message(DuelShuffle, one.message).cards


#: A card that is as it was is refused.
_AS_IT_WAS: Final = Without(
    "nodealer.proofs.relations:_refuse_deck", "if (place := outputs.vartime_first_in(inputs)) is not None:", "if False:"
)
CLAIM: Final = Cheat(
    "a shuffle that masks and moves nothing: it is refused, and the seat is waited for", "never", False
)

LAZY: Final = Attack(
    name="lazy",
    does="passes the deck on as it got it",
    of=("A23",),
    law=Scheme(Way(CLAIM.cheat, dict.fromkeys(STEPS, _shuffle), defence=(_AS_IT_WAS,), plays=_plays), CLAIM),
    # In `offset` and `chain` the same is looked at in two functions.
    tried_on=("mask", "lock", "duel"),
)
