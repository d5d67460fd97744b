"""A card that is none: its holder shows that, and then everybody before it shows where it came from.

The holder takes its own key off and proves it, so that all can see that no card is left; if one is, the claim is false.
Then the chain of that card is followed down to the dealer, every link with its proof. Whoever put a wrong number under
a name cannot prove its link, and is named by that. It costs the secrecy of these cards and of no others. A seat that
stays silent here can still be brought to open its book, where silence is a fault.
"""

from __future__ import annotations

from dataclasses import dataclass

from nodealer.cards.events import Half
from nodealer.errors import BadParameter, Malformed, PeerFault
from nodealer.proofs.checks import Check, holds_without_entropy
from nodealer.protocols.base import MISDEAL, DeckChange, Duty
from nodealer.protocols.chain.deck import ChainDeck, ContradictedCard, doubled
from nodealer.protocols.chain.draw import (
    Passing,
    Track,
    begin_pass,
    check,
    own_links,
    prove,
    read_links,
    refuse_doubled,
    stuck,
)
from nodealer.protocols.chain.messages import Misdeal
from nodealer.protocols.codec import read_message, read_points
from nodealer.protocols.stages import Closed, Stage
from nodealer.tape import Tape, digest
from nodealer.wire import encode


@dataclass(frozen=True)
class Disclosed:
    """All links hold. Then the cards are cards, and all that can be wrong is that one is there twice."""

    half = Half.OPENED

    def settle(self, deck: ChainDeck, tracks: tuple[Track, ...]) -> DeckChange:
        refuse_doubled(deck, {track.position: track.place for track in tracks})
        return stuck(deck, tracks[0].position, "it is none of the cards, and its names lead to one")


def _is_disclosing(stage: Stage) -> bool:
    """Whether a deck is in the middle of it, or past it. It never ends well: a link fails, or a seat is silent."""
    return isinstance(stage, ContradictedCard) or (isinstance(stage, Passing) and isinstance(stage.purpose, Disclosed))


@dataclass(frozen=True)
class MisdealDisputes:
    """What a player with hidden cards may say at any time: that they are none."""

    def duties(self, deck: ChainDeck) -> tuple[Duty, ...]:
        """Of everybody but the dealer: its own layer is all that it reads."""
        if not deck.held or isinstance(deck.stage, Closed) or _is_disclosing(deck.stage):
            return ()
        duties = []
        for seat in deck.order[1:]:
            if hidden := deck.hidden(seat):
                anchor = digest("chain misdeal", deck.layers[-1].cards.digest, seat, *hidden)
                duties.append(deck.binding.duty(deck.number, seat, MISDEAL, anchor, optional=True))
        return tuple(duties)

    def message(self, deck: ChainDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """An honest seat's claim. Raises `BadParameter` where there is nothing to claim."""
        index = deck.order.index(duty.seat)
        positions = _wrong(deck, duty.seat, tape)
        if not positions:
            raise BadParameter("all cards can be read: there is nothing to claim")
        own = deck.own(tape, index)
        links = own_links(deck, own, index, [deck.held[position].place for position in positions])
        bare = deck.bare(duty.seat, tape, positions)
        images = [*links.images, *(deck.held[position].number for position in positions)]
        proof = prove(deck, duty, tape, own.key, [*links.bases, bare], images)
        return encode(Misdeal(positions, bare.to_bytes(), b"".join(links.nonces), b"".join(links.names), proof))

    # defence: another-place, false-claim
    def apply(self, deck: ChainDeck, duty: Duty, message: bytes) -> DeckChange:
        """Take a claim: a fault of the claimant if what is left are cards, else the begin of the disclosure."""
        said, index, group = read_message(Misdeal, message), deck.order.index(duty.seat), deck.binding.group
        named = set(said.positions)
        if not named or len(named) != len(said.positions) or not named <= set(deck.hidden(duty.seat)):
            raise Malformed("the cards of a misdeal are not hidden cards of its own, each once")
        bare = read_points(group, said.numbers, len(said.positions), "the numbers")
        places = [deck.held[position].place for position in said.positions]
        links = read_links(deck, duty.seat, places, said.nonces, said.names)
        images = [*links.images, *(deck.held[position].number for position in said.positions)]
        owed = check(deck, duty, [*links.bases, bare], images, said.proof)
        cards = [deck.read(bare[place]) for place in range(len(places))]
        faces = {position: card[0] for position, card in zip(said.positions, cards, strict=True) if card is not None}
        if len(faces) == len(cards) and doubled(deck, faces) is None:
            raise PeerFault(duty.seat, "it claims a misdeal, and its cards are cards of the deck")
        if deck.base is None and deck.parameters.proven:
            _name_dealer(deck, duty.seat, owed, doubled(deck, faces))
        tracks = tuple(
            Track(position, None, index - 1, place) for position, place in zip(said.positions, links.prior, strict=True)
        )
        step = begin_pass(deck, Disclosed(), tracks, index - 1)
        return DeckChange(step.deck, step.events, (owed, *step.checks))


def _name_dealer(deck: ChainDeck, claimant: int, claim: Check, twice: int | None) -> None:
    """Every step after the dealer's own deck is proven: what is no card here was none there, whatever the dealer says.

    The claim itself is judged at once, and not with the next batch: nobody is named on an unproven word.
    """
    if not holds_without_entropy(claim):
        raise PeerFault(claimant, "what it claims of its cards does not verify")
    raise PeerFault(
        deck.dealer, "a card of its deck is none" if twice is None else f"value {twice} is in its deck twice"
    )


def _wrong(deck: ChainDeck, seat: int, tape: Tape) -> tuple[int, ...]:
    """The positions that are no cards; or, if all are, those with a face that is there twice."""
    hidden = deck.hidden(seat)
    bare = deck.bare(seat, tape, hidden)
    cards = {position: deck.read(bare[place]) for place, position in enumerate(hidden)}
    if None in cards.values():
        return tuple(position for position, card in cards.items() if card is None)
    faces = {position: card[0] for position, card in cards.items() if card is not None}
    twice = doubled(deck, faces)
    return tuple(position for position, face in faces.items() if face == twice)
