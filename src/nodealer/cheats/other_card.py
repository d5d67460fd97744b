"""Show or play a different card from the one the seat holds."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from msgspec.structs import replace

from nodealer.cards.operations import Close
from nodealer.cheats.arrays import falsify_first, set_at
from nodealer.cheats.base import BotCheat, CheatMethod, SignedMoment
from nodealer.errors import DecodeError
from nodealer.protocols.chain.deck import ChainDeck
from nodealer.protocols.chain.lists import NAME_BYTES
from nodealer.protocols.chain.messages import ShownCards
from nodealer.protocols.codec import read_message
from nodealer.protocols.duel.messages import DuelReveal, Give
from nodealer.wire import encode


def _forge_chain(moment: SignedMoment) -> bytes:
    """Name another valid face for the first card. The dealer, whose message has no faces, flips a bit of a nonce."""
    message, deck = read_message(ShownCards, moment.honest), moment.deck
    if message.faces:
        first, *rest = message.faces
        others = (face for face in range(deck.size) if face != first and _is_a_card(deck, face, message.cardNonces))
        return encode(replace(message, faces=(next(others, first), *rest)))
    return encode(replace(message, nonces=set_at(message.nonces, 0, bytes([message.nonces[0] ^ 1]))))


def _is_a_card(deck: ChainDeck, face: int, nonces: bytes) -> bool:
    """Return whether the number of a face, with the nonce of the card it replaces, is a square."""
    with suppress(DecodeError):
        deck.card(face, nonces[:NAME_BYTES])
        return True
    return False


def _forge_duel_key(moment: SignedMoment) -> bytes:
    """Falsify the key of a played card, in the mode that plays cards by publishing their keys."""
    if moment.deck.owner != moment.duty.seat:
        return moment.honest
    return encode(Give(falsify_first(moment.deck.cipher.scalars(read_message(Give, moment.honest).keys))))


def _forge_duel_name(moment: SignedMoment) -> bytes:
    """Name a card that the owner has not drawn, with its valid nonce: the owner knows all nonces of its deck."""
    deck, message = moment.deck, read_message(DuelReveal, moment.honest)
    if isinstance(deck.stage.operation, Close) or not message.cards:
        return moment.honest
    hand = deck.places.only_hidden(deck.places.hand(deck.owner))
    mine = {*message.cards, *deck.places.opened.values(), *deck.read(moment.tape, hand)}
    other = next((card for card in range(deck.size) if card not in mine), None)
    if other is None:
        return moment.honest
    (nonce,) = deck.nonces(moment.tape, [other])
    return encode(replace(message, cards=(other, *message.cards[1:]), nonces=set_at(message.nonces, 0, nonce)))


_BY_ITS_KEY: Final = "a card is shown by its key, and a seat does not name it"

_NOT_DRAWN: Final = "a card played that was not drawn"

OTHER_CARD: Final = BotCheat(
    name="other-card",
    does="shows a different card from the one it holds",
    ways={
        "chain": (CheatMethod("another card shown than the one drawn", {"reveal": _forge_chain}),),
        "duel": (
            CheatMethod(
                "a card played that was not drawn, or under another name",
                {"reveal": _forge_duel_name},
            ),
            # A mode that plays cards by their keys has no `reveal`, and the mode that follows the source has no keys.
            CheatMethod(_NOT_DRAWN, {"give": _forge_duel_key}, seen="at once"),
            CheatMethod(_NOT_DRAWN, {"reveal": _forge_duel_name}),
        ),
    },
    instead={
        "mask": ("a false key for a card that is dealt or opened", _BY_ITS_KEY),
        "lock": ("a false secret for a card that is dealt or opened", _BY_ITS_KEY),
        "offset": ("a false key part for a deal", _BY_ITS_KEY),
    },
)
