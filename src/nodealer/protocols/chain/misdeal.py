"""Misdeals: a holder shows that a card it got is not a card, and the seats before it show where it came from.

The holder removes its own key and proves it, so that everyone sees that the result is not a card. If it is one, the
claim is false. Then the chain of that card is followed down to the dealer, every link with a proof. The seat that put a
wrong number under a name cannot prove its link and is thereby named. Only these cards lose their secrecy. A seat that
stays silent can still be asked for disclosure, where silence is a fault.
"""

from __future__ import annotations

from dataclasses import dataclass

from nodealer.cards.events import Half
from nodealer.errors import BadParameter, Malformed, PeerFault
from nodealer.proofs.checks import Check, holds_without_entropy
from nodealer.protocols.base import MISDEAL, DeckChange, Duty
from nodealer.protocols.chain.deck import ChainDeck, ContradictedCard, find_repeated_face
from nodealer.protocols.chain.draw import (
    Passing,
    Track,
    begin_pass,
    check,
    enter_contradiction,
    own_links,
    prove,
    read_links,
    refuse_doubled,
)
from nodealer.protocols.chain.messages import Misdeal
from nodealer.protocols.codec import read_message, read_points
from nodealer.protocols.stages import AnyStage, Closed
from nodealer.tape import Tape, digest
from nodealer.wire import encode


@dataclass(frozen=True)
class Disclosed:
    """The purpose of a pass after a misdeal claim.

    If all links are valid, the cards are cards, and all that can be wrong is that one appears twice.
    """

    half = Half.OPENED

    def settle(self, deck: ChainDeck, tracks: tuple[Track, ...]) -> DeckChange:
        """Raise `PeerFault` for the dealer if a face appears twice. Otherwise enter the contradicted stage."""
        refuse_doubled(deck, {track.position: track.place for track in tracks})
        return enter_contradiction(deck, tracks[0].position, "it is not one of the cards, but its names lead to one")


def _is_disclosing(stage: AnyStage) -> bool:
    """Return whether a misdeal is being traced or was. It never ends well: a link fails, or a seat stays silent."""
    return isinstance(stage, ContradictedCard) or (isinstance(stage, Passing) and isinstance(stage.purpose, Disclosed))


@dataclass(frozen=True)
class MisdealDisputes:
    """A pseudo-stage: a player with hidden cards may report at any time that they are not cards."""

    def duties(self, deck: ChainDeck) -> tuple[Duty, ...]:
        """Return an optional duty for every seat except the dealer, which reads only its own layer."""
        if not deck.held or isinstance(deck.stage, Closed) or _is_disclosing(deck.stage):
            return ()
        duties = []
        for seat in deck.order[1:]:
            if hidden := deck.hidden(seat):
                anchor = digest("chain misdeal", deck.layers[-1].cards.digest, seat, *hidden)
                duties.append(deck.binding.duty(deck.number, seat, MISDEAL, anchor, optional=True))
        return tuple(duties)

    def message(self, deck: ChainDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return an honest seat's claim. Raise `BadParameter` if there is nothing to claim."""
        index = deck.order.index(duty.seat)
        positions = _wrong(deck, duty.seat, tape)
        if not positions:
            raise BadParameter("all cards can be read, so there is no misdeal to report")
        own = deck.layer_secrets(tape, index)
        links = own_links(deck, own, index, [deck.held[position].place for position in positions])
        bare = deck.bare(duty.seat, tape, positions)
        images = [*links.images, *(deck.held[position].number for position in positions)]
        proof = prove(deck, duty, tape, own.key, [*links.bases, bare], images)
        return encode(Misdeal(positions, bare.to_bytes(), b"".join(links.nonces), b"".join(links.names), proof))

    # defence: another-place, false-claim
    def apply(self, deck: ChainDeck, duty: Duty, message: bytes) -> DeckChange:
        """Apply a claim. Raise `PeerFault` for the claimant if the cards are valid; otherwise begin to trace them."""
        said, index, group = read_message(Misdeal, message), deck.order.index(duty.seat), deck.binding.group
        named = set(said.positions)
        if not named or len(named) != len(said.positions) or not named <= set(deck.hidden(duty.seat)):
            raise Malformed("a misdeal must name hidden cards of the sender, each once")
        bare = read_points(group, said.numbers, len(said.positions), "the numbers")
        places = [deck.held[position].place for position in said.positions]
        links = read_links(deck, duty.seat, places, said.nonces, said.names)
        images = [*links.images, *(deck.held[position].number for position in said.positions)]
        owed = check(deck, duty, [*links.bases, bare], images, said.proof)
        cards = [deck.read(bare[place]) for place in range(len(places))]
        faces = {position: card[0] for position, card in zip(said.positions, cards, strict=True) if card is not None}
        if len(faces) == len(cards) and find_repeated_face(deck, faces) is None:
            raise PeerFault(duty.seat, "it claims a misdeal, but its cards are cards of the deck")
        if deck.base is None and deck.parameters.proven:
            _name_dealer(deck, duty.seat, owed, find_repeated_face(deck, faces))
        tracks = tuple(
            Track(position, None, index - 1, place) for position, place in zip(said.positions, links.prior, strict=True)
        )
        step = begin_pass(deck, Disclosed(), tracks, index - 1)
        return DeckChange(step.deck, step.events, (owed, *step.checks))


def _name_dealer(deck: ChainDeck, claimant: int, claim: Check, twice: int | None) -> None:
    """Raise `PeerFault` for the dealer: every later step is proven, so what is not a card here was not one there.

    The claim itself is checked at once, not with the next batch: no one is blamed on an unproven claim.
    """
    if not holds_without_entropy(claim):
        raise PeerFault(claimant, "the proof of its misdeal claim is not valid")
    raise PeerFault(
        deck.dealer, "its deck has a card that is not one" if twice is None else f"value {twice} is in its deck twice"
    )


def _wrong(deck: ChainDeck, seat: int, tape: Tape) -> tuple[int, ...]:
    """Return the positions in a seat's hand that are not cards or, if all are, those with a repeated face."""
    hidden = deck.hidden(seat)
    bare = deck.bare(seat, tape, hidden)
    cards = {position: deck.read(bare[place]) for place, position in enumerate(hidden)}
    if None in cards.values():
        return tuple(position for position, card in cards.items() if card is None)
    faces = {position: card[0] for position, card in cards.items() if card is not None}
    twice = find_repeated_face(deck, faces)
    return tuple(position for position, face in faces.items() if face == twice)
