"""Proofs about cards that stay hidden: that none of them is one of some faces.

"No card in my hand is a heart" names the hearts. "The card I play face down is a heart" names all other faces, because
every card is a face of its deck. The cards and faces are given by the log, never by the message. The seat sends
products of all of them with one fresh secret; `proofs/exclusion.py` explains what that shows and what it does not. It
works for decks with a key for each card and seat: `mask` and `lock`.
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

EXCLUDE_TEXT: Final = StepText(
    "proves what hidden cards are not",
    "Shows that none of some hidden cards is one of some faces, such as the hearts: all of them are multiplied by "
    "one secret, and no card's product equals a face's product. The proof shows that the secret was the same for "
    "all. It reveals nothing else about the cards.",
    "proved what hidden cards are not",
    "none of the cards is one of these faces",
)


class Exclude(Message, frozen=True, tag=EXCLUDE):
    """A proof that none of the sender's hidden cards in question is one of the faces in question.

    Contains one secret times G, times each of these faces, and times the face of each card. The proof shows that the
    secret is the same.
    """

    key: bytes
    faces: bytes
    cards: bytes
    proof: bytes


def prove(deck: RecoverableDeck[Any], operation: Prove) -> DeckChange:
    """Begin a `Prove`: every seat with a claim owes its proof at once."""
    claims = deck.places.validate_claims(operation, deck.binding.players)
    for claim in claims:
        _refuse_shared(deck, claim)
    return DeckChange(deck.in_stage(Proving(claims, deck.trail)))


@dataclass(frozen=True)
class Proving:
    """Stage: seats prove their claims, in parallel."""

    #: The claims that are not proven yet.
    claims: tuple[NoneOf, ...]
    anchor: bytes

    def duties(self, deck: RecoverableDeck[Any]) -> tuple[Duty, ...]:
        """Return one duty for each seat whose claim is not proven yet."""
        return tuple(deck.duty(claim.seat, EXCLUDE, self.anchor) for claim in self.claims)

    def message(self, deck: RecoverableDeck[Any], duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the seat's proof that none of its claimed cards has an excluded face.

        Raise `Unprovable` if one has.
        """
        return prove_none(deck, duty, tape, self._claim(duty.seat))

    def apply(self, deck: RecoverableDeck[Any], duty: Duty, message: bytes) -> DeckChange:
        """Record a seat's proof, to be checked with the next batch. Finish after the last claim."""
        check = check_none(deck, duty, self._claim(duty.seat), message)
        rest = tuple(claim for claim in self.claims if claim.seat != duty.seat)
        step = DeckChange(deck.in_stage(replace(self, claims=rest))) if rest else deck.finish()
        return replace(step, checks=(check, *step.checks))

    def _claim(self, seat: int) -> NoneOf:
        """Return the claim of a seat."""
        return next(claim for claim in self.claims if claim.seat == seat)


def prove_none(deck: RecoverableDeck[Any], duty: Duty, tape: Tape, claim: NoneOf) -> bytes:
    """Return the proof message of the seat that owes `duty`.

    Raise `Unprovable` if the claim is false, because a message would reveal the card.
    """
    excluded = _excluded(deck, claim)
    s = deck.card_secrets(tape, claim.positions, duty.seat)
    sent, proof = exclusion.prove(_transcript(deck, duty, claim), tape, excluded, s)
    return encode(Exclude(sent.Y.to_bytes(), sent.Z.to_bytes(), sent.T.to_bytes(), proof))


def check_none(deck: RecoverableDeck[Any], duty: Duty, claim: NoneOf, message: bytes) -> Check:
    """Decode a message of `prove_none` and return the check that it must pass."""
    said, group = read_message(Exclude, message), deck.binding.group
    sent = ExclusionProducts(
        read_points(group, said.key, 1, "the key of the products"),
        read_points(group, said.faces, len(claim.faces), "the multiplied faces"),
        read_points(group, said.cards, len(claim.positions), "the multiplied cards"),
    )
    return exclusion.check(_transcript(deck, duty, claim), _excluded(deck, claim), sent, said.proof)


def _transcript(deck: RecoverableDeck[Any], duty: Duty, claim: NoneOf) -> Transcript:
    """Return the transcript for a duty, with the faces, and the cards with the epochs of their positions."""
    transcript = deck.transcript(duty, deck.epoch)
    transcript.absorb(labels.NAMES, *claim.faces)
    for card in map(deck.places.card, claim.positions):
        transcript.absorb(labels.NAMES, card.deck, card.epoch, card.position)
    return transcript


def _excluded(deck: RecoverableDeck[Any], claim: NoneOf) -> Exclusion:
    """Return the statement to prove, from public state only."""
    return Exclusion(deck.face_points(claim.faces), deck.hidden_cards(claim.positions, claim.seat))


def _refuse_shared(deck: RecoverableDeck[Any], claim: NoneOf) -> None:
    """Raise `BadParameter` if a card of the claim is not under the seat's key alone: nothing can be proven about it."""
    for position in claim.positions:
        if not _held_alone(deck, claim.seat, position):
            raise BadParameter(f"card {position} of deck {deck.number} is not under the key of seat {claim.seat} alone")


def _held_alone(deck: RecoverableDeck[Any], seat: int, position: int) -> bool:
    """Return whether a hidden card belongs to the seat and all other seats have published their keys to it."""
    if deck.places.owner(position) != seat or deck.places.face(position) is not None:
        return False
    return set(deck.masked_by(position)) - deck.released.get(position, {}).keys() == {seat}
