"""Mark a card, so that the cheater can hope to recognise it later."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nodealer.cheats.arrays import alter_card, multiply, set_at
from nodealer.cheats.base import BotCheat, CheatMethod, SignedMoment
from nodealer.protocols.chain.messages import ChainShuffle
from nodealer.protocols.codec import read_message
from nodealer.protocols.duel.messages import DuelLock
from nodealer.protocols.lock.messages import LockedCards
from nodealer.protocols.mask.messages import MaskRekey
from nodealer.protocols.offset.messages import OffsetShuffle
from nodealer.wire import encode

POWER: Final = 7


def _forge_mask(moment: SignedMoment) -> bytes:
    """Add G to the first card during the change of keys, so that it no longer matches the published key."""
    message, group = read_message(MaskRekey, moment.honest), moment.deck.binding.group
    return encode(
        replace(message, gains=set_at(message.gains, 0, (group.points(message.gains)[0] + group.G).to_bytes()))
    )


def _forge_lock(moment: SignedMoment) -> bytes:
    """Double the point of the first card while locking the deck."""
    message, group = read_message(LockedCards, moment.honest), moment.deck.binding.group
    return encode(
        replace(message, cards=set_at(message.cards, 0, multiply(group, 2, group.points(message.cards)[0]).to_bytes()))
    )


def _forge_offset(moment: SignedMoment) -> bytes:
    """Apply one more offset to all pairs but the last, so that the last one can be recognised."""
    message, group = read_message(OffsetShuffle, moment.honest), moment.deck.binding.group
    pairs, others = group.points(message.deck), moment.deck.size - 1
    marked = pairs[:others] + pairs[moment.deck.size : -1]
    return encode(replace(message, deck=marked.to_bytes() + message.deck[len(marked) * group.point_size :]))


def _forge_chain(moment: SignedMoment) -> bytes:
    """Replace the number that the cheater will draw by a power of the first card's number, to read that card."""
    message, group = read_message(ChainShuffle, moment.honest), moment.deck.binding.group
    mine = moment.deck.binding.players.index(moment.duty.seat)
    number = multiply(group, POWER, group.points(message.numbers)[0])
    return encode(replace(message, numbers=set_at(message.numbers, mine, number.to_bytes())))


def _forge_duel(moment: SignedMoment) -> bytes:
    """Alter the first card of the rival's deck while locking it. The cheater's own deck stays honest."""
    if moment.deck.owner == moment.duty.seat:
        return moment.honest
    message = read_message(DuelLock, moment.honest)
    card = alter_card(moment.deck.cipher.points(message.cards)[0])
    return encode(replace(message, cards=set_at(message.cards, 0, card.to_bytes())))


_POWER: Final = "a power of another card's number in a slot, to read it"

MARK: Final = BotCheat(
    name="mark",
    does="marks a card to recognise it later",
    ways={
        "mask": (
            CheatMethod(
                "a card moved to another key than the one published",
                {"rekey": _forge_mask},
            ),
        ),
        "lock": (CheatMethod("a card replaced in the lock", {"lock": _forge_lock}),),
        "offset": (
            CheatMethod(
                "a pair doubled, dropped or foreign in a shuffle",
                {"shuffle": _forge_offset},
            ),
        ),
        "chain": (
            CheatMethod(_POWER, {"shuffle": _forge_chain}, seen="at once"),
            CheatMethod(_POWER, {"shuffle": _forge_chain}),
        ),
        "duel": (
            CheatMethod("a card replaced when keys are put on", {"lock": _forge_duel}),
            CheatMethod("a card that the rival replaced or marked", {"lock": _forge_duel}),
            CheatMethod("a false key or card of the rival", {"lock": _forge_duel}),
        ),
    },
)
