"""One card gets something of its own, by which the cheater hopes to know it again."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nodealer.errors import CardUnreadable
from nodealer.lab.attacks.arrays import put, times, twice
from nodealer.lab.attacks.base import Attack, Moment, Way
from nodealer.lab.attacks.defences import BOOKS, EACH_PROOF, SHUFFLE_PROOF
from nodealer.lab.attacks.scene import Played
from nodealer.lab.attacks.truth import dealt, spoilt
from nodealer.protocols.chain.messages import ChainShuffle
from nodealer.protocols.codec import read_message
from nodealer.protocols.duel.messages import DuelLock
from nodealer.protocols.lock.messages import LockedCards
from nodealer.protocols.mask.messages import MaskRekey
from nodealer.protocols.offset.messages import OffsetShuffle
from nodealer.wire import encode

POWER: Final = 7


def _mask(moment: Moment) -> bytes:
    """The first card gains more than its new key says."""
    said, group = read_message(MaskRekey, moment.honest), moment.deck.binding.group
    return encode(replace(said, gains=put(said.gains, 0, (group.points(said.gains)[0] + group.G).to_bytes())))


def _lock(moment: Moment) -> bytes:
    said, group = read_message(LockedCards, moment.honest), moment.deck.binding.group
    return encode(replace(said, cards=put(said.cards, 0, times(group, 2, group.points(said.cards)[0]).to_bytes())))


def _offset(moment: Moment) -> bytes:
    """The last pair with another offset than all others."""
    said, group = read_message(OffsetShuffle, moment.honest), moment.deck.binding.group
    pairs, others = group.points(said.deck), moment.deck.size - 1
    marked = pairs[:others] + pairs[moment.deck.size : -1]
    return encode(replace(said, deck=marked.to_bytes() + said.deck[len(marked) * group.point_size :]))


def _chain(moment: Moment) -> bytes:
    """A power of the first card's number in the slot that the cheater will draw."""
    said, group = read_message(ChainShuffle, moment.honest), moment.deck.binding.group
    mine = moment.deck.binding.players.index(moment.duty.seat)
    number = times(group, POWER, group.points(said.numbers)[0])
    return encode(replace(said, numbers=put(said.numbers, mine, number.to_bytes())))


def reads(played: Played) -> str | None:
    """What the cheater drew, without the power, is the first card that somebody else holds."""
    for one in dealt(played):
        deck, hand, me = one.deck, one.hand, played.cheater
        mine = deck.hidden(me) if me in deck.order and isinstance(one.reads.get(me), CardUnreadable) else ()
        if not mine:
            continue
        bare = deck.bare(me, played.tape(me, hand), mine)[0]
        found = deck.read(bare.group.integers([POWER]).invert() * bare)
        for seat in played.honest:
            if found is not None and found[0] in one.hidden(seat).values():
                return f"reads the card of {played.names[seat]}"
    return None


def _duel(moment: Moment) -> bytes:
    """The first card of the rival's deck gets more than its key."""
    if moment.deck.owner == moment.duty.seat:
        return moment.honest
    said = read_message(DuelLock, moment.honest)
    card = twice(moment.deck.cipher.points(said.cards)[0])
    return encode(replace(said, cards=put(said.cards, 0, card.to_bytes())))


_POWER: Final = "a power of another card's number in a slot, to read it"

MARK: Final = Attack(
    name="mark",
    does="marks a card, to know it again",
    of=("A7", "A8"),
    ways={
        "mask": (
            Way(
                "a card moved to another key than the one published",
                {"rekey": _mask},
                defence=(EACH_PROOF,),
                gained=spoilt,
            ),
        ),
        "lock": (Way("a card replaced in the lock", {"lock": _lock}, defence=(EACH_PROOF,), gained=spoilt),),
        "offset": (
            Way(
                "a pair doubled, dropped or foreign in a shuffle",
                {"shuffle": _offset},
                defence=(SHUFFLE_PROOF,),
                gained=spoilt,
            ),
        ),
        "chain": (
            Way(_POWER, {"shuffle": _chain}, defence=(SHUFFLE_PROOF,), gained=reads, seen="at once"),
            Way(_POWER, {"shuffle": _chain}, defence=(BOOKS,), gained=reads),
        ),
        "duel": (
            Way("a card replaced when keys are put on", {"lock": _duel}, defence=(EACH_PROOF,), gained=spoilt),
            Way("a card that the rival replaced or marked", {"lock": _duel}, defence=(BOOKS,), gained=spoilt),
            Way("a false key or card of the rival", {"lock": _duel}, defence=(BOOKS,), gained=spoilt),
        ),
    },
)
