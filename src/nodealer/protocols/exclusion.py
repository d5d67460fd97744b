"""What a seat proves of cards that stay hidden: that none of them is one of some faces.

"No card in my hand is a heart" names the hearts; "the card that I lay down is a heart" names all other faces, for every
card is a face of its deck. Which cards and which faces, the log says and never the message. The seat sends products of
all of them with one fresh secret; `proofs/exclusion.py` says what is shown and what is not. For decks with a key for
each card and seat, `mask` and `lock`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from nodealer.cards.operations import NoneOf, Prove
from nodealer.errors import BadParameter
from nodealer.proofs import exclusion, labels
from nodealer.proofs.checks import Check
from nodealer.proofs.exclusion import Exclusion, ExclusionProducts
from nodealer.proofs.transcript import Transcript
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import read_message, read_points
from nodealer.protocols.recoverable import RecoverableDeck
from nodealer.protocols.text import StepText
from nodealer.records import replace
from nodealer.tape import Tape
from nodealer.wire import Message, encode

EXCLUDE: Final = "exclude"

WORDS: Final = StepText(
    "proves what hidden cards are not",
    "Shows of cards that stay hidden that none of them is one of some faces, such as the hearts: multiplies those "
    "faces and the cards by one secret, and no two products are the same. The proof shows that it was one secret for "
    "all, and nothing else of the cards.",
    "proved what hidden cards are not",
    "none of the cards is one of these faces",
)


class Exclude(Message, frozen=True, tag=EXCLUDE):
    """None of my hidden cards that were asked about is one of the faces that were: one secret times G, times each of
    these faces, and times the face of each card. The proof shows that it is the same secret."""

    key: bytes
    faces: bytes
    cards: bytes
    proof: bytes


def prove(deck: RecoverableDeck[Any], operation: Prove) -> DeckChange:
    """Begin: everybody whose claim it is owes its proof at once."""
    claims = deck.places.validate_claims(operation, deck.binding.players)
    for claim in claims:
        _refuse_shared(deck, claim)
    return DeckChange(deck.to(Proving(claims, deck.trail)))


@dataclass(frozen=True)
class Proving:
    """Seats prove their claims, side by side."""

    #: The claims that are not proven yet.
    claims: tuple[NoneOf, ...]
    anchor: bytes

    def duties(self, deck: RecoverableDeck[Any]) -> tuple[Duty, ...]:
        return tuple(deck.duty(claim.seat, EXCLUDE, self.anchor) for claim in self.claims)

    def message(self, deck: RecoverableDeck[Any], duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        return prove_none(deck, duty, tape, self._claim(duty.seat))

    def apply(self, deck: RecoverableDeck[Any], duty: Duty, message: bytes) -> DeckChange:
        check = check_none(deck, duty, self._claim(duty.seat), message)
        rest = tuple(claim for claim in self.claims if claim.seat != duty.seat)
        step = DeckChange(deck.to(replace(self, claims=rest))) if rest else deck.finish()
        return replace(step, checks=(check, *step.checks))

    def _claim(self, seat: int) -> NoneOf:
        return next(claim for claim in self.claims if claim.seat == seat)


def prove_none(deck: RecoverableDeck[Any], duty: Duty, tape: Tape, claim: NoneOf) -> bytes:
    """The message of the seat that owes `duty`. Raises `Unprovable` where the claim is false: a message would show the
    card."""
    excluded = _excluded(deck, claim)
    s = deck.card_secrets(tape, claim.positions, duty.seat)
    sent, proof = exclusion.prove(_transcript(deck, duty, claim), tape, excluded, s)
    return encode(Exclude(sent.Y.to_bytes(), sent.Z.to_bytes(), sent.T.to_bytes(), proof))


def check_none(deck: RecoverableDeck[Any], duty: Duty, claim: NoneOf, message: bytes) -> Check:
    """What the message of `prove_none` owes."""
    said, group = read_message(Exclude, message), deck.binding.group
    sent = ExclusionProducts(
        read_points(group, said.key, 1, "the key of the products"),
        read_points(group, said.faces, len(claim.faces), "the multiplied faces"),
        read_points(group, said.cards, len(claim.positions), "the multiplied cards"),
    )
    return exclusion.check(_transcript(deck, duty, claim), _excluded(deck, claim), sent, said.proof)


def _transcript(deck: RecoverableDeck[Any], duty: Duty, claim: NoneOf) -> Transcript:
    """Which faces and which cards, each with the epoch it has its position from, beside the place in the log."""
    transcript = deck.transcript(duty, deck.epoch)
    transcript.absorb(labels.NAMES, *claim.faces)
    for card in map(deck.places.card, claim.positions):
        transcript.absorb(labels.NAMES, card.deck, card.epoch, card.position)
    return transcript


def _excluded(deck: RecoverableDeck[Any], claim: NoneOf) -> Exclusion:
    """The statement, from the public state of the deck alone."""
    return Exclusion(deck.face_points(claim.faces), deck.hidden_cards(claim.positions, claim.seat))


def _refuse_shared(deck: RecoverableDeck[Any], claim: NoneOf) -> None:
    """Nobody can say anything of a card that is not under its own key alone."""
    for position in claim.positions:
        if not _held_alone(deck, claim.seat, position):
            raise BadParameter(f"card {position} of deck {deck.number} is not under the key of seat {claim.seat} alone")


def _held_alone(deck: RecoverableDeck[Any], seat: int, position: int) -> bool:
    """Whether a card is hidden, the seat's, and everybody's key of it is published but the seat's."""
    if deck.places.owner(position) != seat or deck.places.face(position) is not None:
        return False
    return set(deck.masked_by(position)) - deck.released.get(position, {}).keys() == {seat}
