"""Put one card into the deck twice, in place of another. The two points differ: equal ones would be noticed at once."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nodealer.cheats.arrays import alter_card, multiply, restore_card, set_at
from nodealer.cheats.base import BotCheat, CheatMethod, Forge, SignedMoment
from nodealer.protocols.chain.messages import Candidate, ChainShuffle
from nodealer.protocols.codec import read_message
from nodealer.protocols.duel.messages import DuelLock, DuelShuffle
from nodealer.protocols.lock.messages import Cascade
from nodealer.protocols.mask.messages import MaskShuffle
from nodealer.protocols.offset.messages import OffsetShuffle
from nodealer.wire import encode


def _forge_mask(moment: SignedMoment) -> bytes:
    """Replace the first card by a copy of the second that is masked once more, so that the two look different."""
    message, group = read_message(MaskShuffle, moment.honest), moment.deck.binding.group
    joint = moment.deck.stage.joint + group.points(message.key)
    epk, msg = group.points(message.epk), group.points(message.msg)
    first = set_at(message.epk, 0, (epk[1] + group.G).to_bytes())
    second = set_at(message.msg, 0, (msg[1] + joint).to_bytes())
    return encode(replace(message, epk=first, msg=second))


def _forge_lock(moment: SignedMoment) -> bytes:
    """Replace the first card by twice the point of the second."""
    message, group = read_message(Cascade, moment.honest), moment.deck.binding.group
    return encode(
        replace(message, cards=set_at(message.cards, 0, multiply(group, 2, group.points(message.cards)[1]).to_bytes()))
    )


def _forge_offset(moment: SignedMoment) -> bytes:
    """In pairs 1 and 2, 3 and 4, and so on, replace the first by twice the second: its card is in the deck twice."""
    message, group = read_message(OffsetShuffle, moment.honest), moment.deck.binding.group
    pairs, size = group.points(message.deck), moment.deck.size
    deck = message.deck
    for first in range(0, size - 1, 2):
        for place in (first, first + size):
            deck = set_at(deck, place, multiply(group, 2, pairs[place + 1]).to_bytes())
    return encode(replace(message, deck=deck))


def _forge_chain(kind: type[ChainShuffle] | type[Candidate]) -> Forge:
    """Return a forger that replaces every number by twice the next one. The next players get invalid cards."""

    def forge(moment: SignedMoment) -> bytes:
        """Return the honest message with false numbers."""
        message, group = read_message(kind, moment.honest), moment.deck.binding.group
        numbers = group.points(message.numbers)
        doubled = multiply(group, 2, numbers.take([*range(1, len(numbers)), 0]))
        return encode(replace(message, numbers=doubled.to_bytes()))

    return forge


def _forge_duel(moment: SignedMoment) -> bytes:
    """Replace the second card of the rival's deck by an altered copy of the first. The own deck stays honest."""
    if moment.deck.owner == moment.duty.seat:
        return moment.honest
    message = read_message(DuelShuffle, moment.honest)
    card = alter_card(moment.deck.cipher.points(message.cards)[0])
    return encode(replace(message, cards=set_at(message.cards, 1, card.to_bytes())))


def _forge_duel_mended(moment: SignedMoment) -> bytes:
    """Undo the alteration of `_forge_duel` while locking, so that the copy becomes a valid card."""
    if moment.deck.owner == moment.duty.seat:
        return moment.honest
    message = read_message(DuelLock, moment.honest)
    card = restore_card(moment.deck.cipher.points(message.cards)[1])
    return encode(replace(message, cards=set_at(message.cards, 1, card.to_bytes())))


_MENDED: Final = {"shuffle": _forge_duel, "lock": _forge_duel_mended}
_CHAIN: Final = {"shuffle": _forge_chain(ChainShuffle), "candidate": _forge_chain(Candidate)}
_NUMBER: Final = "a number doubled, dropped or foreign in a shuffle"

DOUBLE: Final = BotCheat(
    name="double",
    does="puts a card into the deck twice",
    ways={
        "mask": (
            CheatMethod(
                "a card doubled, dropped, replaced or marked in a shuffle",
                {"shuffle": _forge_mask},
            ),
        ),
        # A card multiplied to look different is not a valid card afterwards: its holder cannot read it.
        "lock": (
            CheatMethod(
                "a card doubled, replaced or marked in the cascade",
                {"cascade": _forge_lock},
            ),
        ),
        "offset": (
            CheatMethod(
                "a pair doubled, dropped or foreign in a shuffle",
                {"shuffle": _forge_offset},
            ),
        ),
        "chain": (
            # Two claims, one for each mode: a player who doubles a number in their own list cannot draw it either.
            CheatMethod(_NUMBER, _CHAIN, seen="at once"),
            CheatMethod(_NUMBER, _CHAIN),
        ),
        "duel": (
            CheatMethod(
                "a card doubled, replaced or marked in a shuffle",
                {"shuffle": _forge_duel},
            ),
            CheatMethod("a card doubled by a multiple that the lock takes off again", _MENDED),
            CheatMethod("a card played twice, or doubled", _MENDED),
        ),
    },
)
