"""A seat publishes the key of another card in place of the one that was asked for: its holder cannot read it."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nodealer.protocols.codec import read_message
from nodealer.protocols.duel.messages import Give
from nodealer.protocols.keyed import Release
from nodealer.protocols.offset.messages import DealFinal
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.cards.false_key import released
from nodealer_lab.attacks.defences import BOOKS, KEY_CHECK
from nodealer_lab.attacks.truth import spoilt


def _exchanged(keys: bytes, count: int) -> bytes:
    """The keys of two cards, exchanged: each of them is a true key of this deck."""
    size = len(keys) // count
    return keys[size : 2 * size] + keys[:size] + keys[2 * size :] if count > 1 else keys


def _release(moment: Moment) -> bytes:
    said = read_message(Release, moment.honest)
    return encode(Release(_exchanged(said.keys, len(moment.deck.binding.group.scalars(said.keys)))))


def _part(moment: Moment) -> bytes:
    said = read_message(DealFinal, moment.honest)
    return encode(replace(said, dealKeyPart=_exchanged(said.dealKeyPart, len(said.dealNo))))


def _give(moment: Moment) -> bytes:
    if moment.deck.owner == moment.duty.seat:
        return moment.honest
    said = read_message(Give, moment.honest)
    return encode(Give(_exchanged(said.keys, len(moment.deck.cipher.scalars(said.keys)))))


ANOTHER_KEY: Final = Attack(
    name="another-key",
    does="publishes the keys of two cards in each other's place",
    of=("A35",),
    ways={
        **released(_release),
        "offset": (Way("a false key part for a deal", {"dealFinal": _part}, defence=(KEY_CHECK,), gained=spoilt),),
        "duel": (
            Way("a false key of the rival", {"give": _give}, defence=(KEY_CHECK,), gained=spoilt),
            Way("a false key or card of the rival", {"give": _give}, defence=(BOOKS,), gained=spoilt),
        ),
    },
)
