"""Somebody left, and the others make the deck again. A seat declares the highest card in place of the one it holds:
then the highest card is in nobody's hand, and not in the deck."""

from __future__ import annotations

from typing import Final

from nodealer.group import Points, concat
from nodealer.proofs import linear
from nodealer.protocols.lock import recovery
from nodealer.protocols.lock.deck import LockDeck
from nodealer.protocols.lock.messages import HeldCards
from nodealer.protocols.mask import rebuild
from nodealer.protocols.mask.deck import MaskDeck, Masked
from nodealer.protocols.mask.messages import MaskHeld
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.scene import Played
from nodealer_lab.attacks.truth import dealt


def _highest(deck: MaskDeck | LockDeck) -> int:
    """The last face of a deck."""
    return (deck.faces.size if isinstance(deck, MaskDeck) else deck.size) - 1


def _instead(cards: Points, highest: Points) -> Points:
    """The first card replaced."""
    return concat(highest, cards[1:]) if len(cards) > 1 else highest


def _mask(moment: Moment) -> bytes:
    """Masked under the joint key as its own would be; of the three rows of the proof the last one is false."""
    deck, stage, seat = moment.deck, moment.deck.stage, moment.duty.seat
    positions = rebuild.held_by(deck, seat)
    mine, group = deck.held_cards(positions), deck.binding.group
    s, masks = deck.card_secrets(moment.tape, positions, seat), deck.held_draws(moment.tape, seat, mine, stage.joint)
    faces = _instead(mine.msg - s * mine.epk, deck.face_points((_highest(deck),)))
    highest = Masked(masks * group.G, faces + masks * stage.joint)
    statement = rebuild._statement(mine, deck.card_keys(positions, seat), highest, stage.joint)
    proof = linear.prove(deck.transcript(moment.duty, deck.epoch), moment.tape, statement, [s, masks])
    return encode(MaskHeld(highest.epk.to_bytes(), highest.msg.to_bytes(), proof))


def _lock(moment: Moment) -> bytes:
    """Under its one secret as its own would be; of the two rows of the proof the last one is false."""
    deck, stage, seat = moment.deck, moment.deck.stage, moment.duty.seat
    positions = stage._mine(deck, seat)
    e = deck.cascade_secret(moment.tape, seat)
    ratio = e * deck.card_secrets(moment.tape, positions, seat).invert()
    own = concat(*(recovery.held_point(deck, position) for position in positions))
    highest = _instead(ratio * own, e * deck.face_points((_highest(deck),)))
    statement = recovery._statement(deck, seat, positions, stage.keys[seat], highest)
    proof = linear.prove(deck.transcript(moment.duty, deck.epoch), moment.tape, statement, [ratio])
    return encode(HeldCards(highest.to_bytes(), proof))


def _taken_out(played: Played) -> str | None:
    """The deck was made again, and its highest card is nowhere."""
    for one in dealt(played):
        deck, pile = one.deck, tuple(one.deck.places.pile)
        if len(deck.layers.every) < 2 or not pile:
            continue
        keys = {seat: deck.card_secrets(played.tape(seat, one.hand), pile, seat) for seat in deck.binding.players}
        held = {face for seat in deck.binding.players for face in one.hidden(seat).values()}
        if _highest(deck) not in held | set(deck.unmask(pile, keys)) | set(deck.places.opened.values()):
            return "has the highest card taken out of the deck"
    return None


#: What is declared is the card that is held.
_MASK: Final = Without(
    "nodealer.protocols.mask.rebuild:_statement",
    "linear.LinearRow(held.msg - fresh.msg, ((0, held.epk), (1, -joint))),",
)
_LOCK: Final = Without("nodealer.protocols.lock.recovery:_statement", ", linear.LinearRow(X, ((0, V),)))", ",)")

HELD: Final = Attack(
    name="held",
    does="declares another card than it holds when the deck is made again",
    ways={
        "mask": (
            Way(
                "a held card substituted, doubled or left out in a rebuild",
                {"held": _mask},
                leaver=0,
                defence=(_MASK,),
                gained=_taken_out,
            ),
        ),
        "lock": (
            Way(
                "a held card substituted or left out in a recovery",
                {"held": _lock},
                leaver=0,
                defence=(_LOCK,),
                gained=_taken_out,
            ),
        ),
    },
)
