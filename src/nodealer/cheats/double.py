"""One card twice in the deck, and so another one not at all. No two points are equal: that would be seen by eye."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nodealer.cheats.arrays import half, put, times, twice
from nodealer.cheats.base import BotCheat, CheatMethod, Forge, SignedMoment
from nodealer.protocols.chain.messages import Candidate, ChainShuffle
from nodealer.protocols.codec import read_message
from nodealer.protocols.duel.messages import DuelLock, DuelShuffle
from nodealer.protocols.lock.messages import Cascade
from nodealer.protocols.mask.messages import MaskShuffle
from nodealer.protocols.offset.messages import OffsetShuffle
from nodealer.wire import encode


def _mask(moment: SignedMoment) -> bytes:
    """The second card stands in the place of the first, masked once more."""
    said, group = read_message(MaskShuffle, moment.honest), moment.deck.binding.group
    joint = moment.deck.stage.joint + group.points(said.key)
    epk, msg = group.points(said.epk), group.points(said.msg)
    first = put(said.epk, 0, (epk[1] + group.G).to_bytes())
    second = put(said.msg, 0, (msg[1] + joint).to_bytes())
    return encode(replace(said, epk=first, msg=second))


def _lock(moment: SignedMoment) -> bytes:
    said, group = read_message(Cascade, moment.honest), moment.deck.binding.group
    return encode(replace(said, cards=put(said.cards, 0, times(group, 2, group.points(said.cards)[1]).to_bytes())))


def _offset(moment: SignedMoment) -> bytes:
    """Both halves of every second pair, times a number, over the pair before it: half of the deals twice, and the
    others not at all."""
    said, group = read_message(OffsetShuffle, moment.honest), moment.deck.binding.group
    pairs, size = group.points(said.deck), moment.deck.size
    deck = said.deck
    for first in range(0, size - 1, 2):
        for place in (first, first + size):
            deck = put(deck, place, times(group, 2, pairs[place + 1]).to_bytes())
    return encode(replace(said, deck=deck))


def _chain(kind: type[ChainShuffle] | type[Candidate]) -> Forge:
    """In its own deck or in everybody's: every number is twice the next one. Who comes after it gets cards that are
    none."""

    def forge(moment: SignedMoment) -> bytes:
        said, group = read_message(kind, moment.honest), moment.deck.binding.group
        numbers = group.points(said.numbers)
        doubled = times(group, 2, numbers.take([*range(1, len(numbers)), 0]))
        return encode(replace(said, numbers=doubled.to_bytes()))

    return forge


def _duel(moment: SignedMoment) -> bytes:
    """A card of the rival's, as twice another."""
    if moment.deck.owner == moment.duty.seat:
        return moment.honest
    said = read_message(DuelShuffle, moment.honest)
    card = twice(moment.deck.cipher.points(said.cards)[0])
    return encode(replace(said, cards=put(said.cards, 1, card.to_bytes())))


def _duel_mended(moment: SignedMoment) -> bytes:
    """Half of it again: then it is the other card."""
    if moment.deck.owner == moment.duty.seat:
        return moment.honest
    said = read_message(DuelLock, moment.honest)
    card = half(moment.deck.cipher.points(said.cards)[1])
    return encode(replace(said, cards=put(said.cards, 1, card.to_bytes())))


_MENDED: Final = {"shuffle": _duel, "lock": _duel_mended}
_CHAIN: Final = {"shuffle": _chain(ChainShuffle), "candidate": _chain(Candidate)}
_NUMBER: Final = "a number doubled, dropped or foreign in a shuffle"

DOUBLE: Final = BotCheat(
    name="double",
    does="puts a card into the deck twice",
    ways={
        "mask": (
            CheatMethod(
                "a card doubled, dropped, replaced or marked in a shuffle",
                {"shuffle": _mask},
            ),
        ),
        # What is multiplied to look like another card is none afterwards: its holder cannot read it.
        "lock": (
            CheatMethod(
                "a card doubled, replaced or marked in the cascade",
                {"cascade": _lock},
            ),
        ),
        "offset": (
            CheatMethod(
                "a pair doubled, dropped or foreign in a shuffle",
                {"shuffle": _offset},
            ),
        ),
        "chain": (
            # Two stand behind each other here: who doubles a number in its own list cannot draw it by its key either.
            CheatMethod(_NUMBER, _CHAIN, seen="at once"),
            CheatMethod(_NUMBER, _CHAIN),
        ),
        "duel": (
            CheatMethod(
                "a card doubled, replaced or marked in a shuffle",
                {"shuffle": _duel},
            ),
            CheatMethod("a card doubled by a multiple that the lock takes off again", _MENDED),
            CheatMethod("a card played twice, or doubled", _MENDED),
        ),
    },
)
