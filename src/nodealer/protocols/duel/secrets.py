"""How a seat draws the secrets of a `duel` deck from its tape, and what a card is before any key is on it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from nodealer.group import Points, Scalars, hash_to_points
from nodealer.proofs.transcript import draw_scalars
from nodealer.protocols.base import Binding
from nodealer.tape import Tape, digest, framed

if TYPE_CHECKING:
    from nodealer.protocols.duel.deck import DuelDeck

NONCE_BYTES: Final = 32
FACES: Final = b"nodealer/v0/duel faces"
CARDS: Final = b"nodealer/v0/duel cards"


def cards_digest(cards: Points) -> bytes:
    """What secrets that are put on these cards depend on."""
    return digest("duel cards", cards.to_bytes())


# --- Faces ---


def faces(binding: Binding, deck: int, owner: int, size: int) -> Points:
    """P_j of the proven mode: nobody knows a relation between two, and equal prints have different points."""
    bound = digest("duel faces", binding.session, binding.hand, owner, deck)
    return hash_to_points(binding.group, FACES, [framed("face", bound, index) for index in range(size)])


def committed_points(deck: DuelDeck, cards: Sequence[int], nonces: Sequence[bytes]) -> Points:
    """The point of a card with its nonce. The card is hashed too: one nonce under two names are two points."""
    if deck.mode.word_for_word:
        return deck.cipher.points(b"".join(nonces))
    binding = deck.binding
    bound = digest("duel cards", binding.session, binding.hand, deck.owner, deck.number)
    said = [framed("card", bound, card, nonce) for card, nonce in zip(cards, nonces, strict=True)]
    return hash_to_points(deck.cipher, CARDS, said)


def commitment(deck: DuelDeck, card: int, nonce: bytes) -> bytes:
    """SHA-256 over card and nonce: the parts framed, or as the source joins them."""
    if deck.mode.word_for_word:
        return hashlib.sha256(f"{card}=>".encode() + nonce).digest()
    return hashlib.sha256(framed("duel commitment", card, nonce)).digest()


def nonces(deck: DuelDeck, tape: Tape, cards: Sequence[int]) -> list[bytes]:
    """The owner's nonces of these cards, as last committed to."""
    return [_nonce(deck, tape, card, deck.made[card]) for card in cards]


def fresh_nonces(deck: DuelDeck, tape: Tape, cards: Sequence[int], epoch: int) -> list[bytes]:
    """Nonces for commitments that are made in this epoch."""
    return [_nonce(deck, tape, card, epoch) for card in cards]


def _nonce(deck: DuelDeck, tape: Tape, card: int, epoch: int) -> bytes:
    others = (digest("duel card", card),)
    inputs = deck.binding.inputs(deck=deck.number, epoch=epoch, seat=deck.owner, others=others)
    return tape.draw("duel nonce", inputs, size=NONCE_BYTES)


# --- Keys ---


def gather_key(deck: DuelDeck, tape: Tape, epoch: int, seat: int) -> Scalars:
    """The one key that a seat brings cards under before a reshuffle."""
    return _key(deck, tape, "duel gather", epoch, seat)


def shuffle_key(deck: DuelDeck, tape: Tape, epoch: int, seat: int) -> Scalars:
    """The one key that a seat multiplies a deck by when it shuffles: K1 and K2 of the source."""
    return _key(deck, tape, "duel shuffle", epoch, seat)


def _key(deck: DuelDeck, tape: Tape, label: str, epoch: int, seat: int) -> Scalars:
    inputs = deck.binding.inputs(deck=deck.number, epoch=epoch, seat=seat)
    return draw_scalars(tape, label, inputs, deck.cipher, 1)


def card_keys(deck: DuelDeck, tape: Tape, epoch: int, origin: bytes, count: int, seat: int) -> Scalars:
    """A seat's key for each card, Ka[i] or Kb[i], drawn for exactly the deck that they are put on."""
    inputs = deck.binding.inputs(deck=deck.number, epoch=epoch, seat=seat, others=(origin,))
    return draw_scalars(tape, "duel card keys", inputs, deck.cipher, count)


def order(deck: DuelDeck, tape: Tape, epoch: int, seat: int, cards: Points) -> list[int]:
    """The permutation of a shuffle, drawn for this input deck."""
    others = (cards_digest(cards), b"shuffle")
    inputs = deck.binding.inputs(deck=deck.number, epoch=epoch, seat=seat, others=others)
    return tape.permutation("duel permutation", inputs, len(cards))
