"""Drawing, opening and showing cards: for each request, one pass over the seats from the last one to the dealer.

A card on its way to a seat is first looked up: every seat after the receiver gives its nonce and the prior name, and
proves that its number is the number under the prior name to the power of its key. So everyone finds the same number in
the receiver's own layer, and no one can make up a number to have it decrypted. Then every seat before the receiver,
down to the dealer, removes its key, with a proof. The receiver sends nothing, so no one learns under which name it got
the card. An opened card has no receiver; it is looked up all the way down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from nodealer.cards.events import Half
from nodealer.cards.operations import Deal, Open, Show
from nodealer.errors import BadParameter, DecodeError, PeerFault
from nodealer.group import Points, Scalars, concat
from nodealer.proofs import equality
from nodealer.proofs.checks import Check
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.chain.deck import ChainDeck, ContradictedCard, HeldNumber, LayerSecrets, find_repeated_face
from nodealer.protocols.chain.lists import name_of, split
from nodealer.protocols.chain.messages import Pass, ShownCards
from nodealer.protocols.codec import read_message, read_points
from nodealer.records import replace
from nodealer.tape import Tape
from nodealer.wire import encode


@dataclass(frozen=True)
class Track:
    """A card in a pass: where it was found last, and its receiver as an index into the order (None is everyone)."""

    position: int
    to: int | None
    #: The layer in which it was found. −1 is below the dealer's layer; then `place` is the face.
    index: int
    place: int
    #: The number that the next seat removes its key from, once the card was found in the receiver's layer.
    number: Points | None = None

    def looked_up_by(self, index: int) -> bool:
        """Return whether the seat at `index` must look this card up in its layer."""
        return index <= self.index and (self.to is None or index > self.to)

    def decrypted_by(self, index: int) -> bool:
        """Return whether the seat at `index` must remove its key from this card."""
        return self.to is not None and index < self.to


class Purpose(Protocol):
    """The reason for a pass: a deal, an opening, or tracing a misdeal."""

    @property
    def half(self) -> Half:
        """The operation, a deal or an opening, that a seat leaves half done if it leaves during the pass."""

    def settle(self, deck: ChainDeck, tracks: tuple[Track, ...]) -> DeckChange:
        """Complete the request after every seat has sent its part."""


# --- Links: a place in a layer, and the place in the previous layer that it came from ---


@dataclass(frozen=True)
class Links:
    """For some places of a seat's layer, the places in the previous layer that their cards came from."""

    nonces: tuple[bytes, ...]
    names: tuple[bytes, ...]
    #: The places in the previous layer, and the numbers there and here.
    prior: tuple[int, ...]
    bases: tuple[Points, ...]
    images: tuple[Points, ...]


def own_links(deck: ChainDeck, own: LayerSecrets, index: int, places: list[int]) -> Links:
    """Return a seat's links for these places, from the secrets of its layer."""
    before = {place: name for name, place in deck.names_before(index).items()}
    nonces = tuple(own.nonces[place] for place in places)
    return _links(deck, index, places, nonces, tuple(before[own.prior[place]] for place in places))


def read_links(deck: ChainDeck, seat: int, places: list[int], nonces: bytes, names: bytes) -> Links:
    """Decode the links that a seat publishes. Raise `PeerFault` if one does not match its name."""
    index = deck.order.index(seat)
    said = split(nonces, len(places), "the nonces"), split(names, len(places), "the prior names")
    known, cards = deck.names_before(index), deck.layers[index].cards
    for place, nonce, name in zip(places, *said, strict=True):
        if name_of(nonce, name) != cards.names[place]:
            raise PeerFault(seat, "its nonce and the prior name do not give the name")
        if name not in known:
            raise PeerFault(seat, "its prior name is not in the deck it got")
    try:
        return _links(deck, index, places, *said)
    except DecodeError:
        raise PeerFault(seat, "the number of its card is not a square") from None


def _links(
    deck: ChainDeck, index: int, places: list[int], nonces: tuple[bytes, ...], names: tuple[bytes, ...]
) -> Links:
    """Return the links of these places, given their nonces and prior names."""
    known = deck.names_before(index)
    prior = tuple(known[name] for name in names)
    bases = tuple(deck.number_before(index, place, nonce) for place, nonce in zip(prior, nonces, strict=True))
    images = tuple(deck.layers[index].cards.numbers[place] for place in places)
    return Links(nonces, names, prior, bases, images)


def prove(deck: ChainDeck, duty: Duty, tape: Tape, key: Scalars, bases: list[Points], images: list[Points]) -> bytes:
    """Prove that every image is its base to the power of this seat's key."""
    V = deck.layers[deck.order.index(duty.seat)].key
    return equality.prove_equality(deck.transcript(duty, 0), tape, V, concat(*bases), concat(*images), key)


def check(deck: ChainDeck, duty: Duty, bases: list[Points], images: list[Points], proof: bytes) -> Check:
    """Return the check of a proof by `prove`."""
    V = deck.layers[deck.order.index(duty.seat)].key
    return equality.check_equality(deck.transcript(duty, 0), V, concat(*bases), concat(*images), proof)


# --- The pass ---


@dataclass(frozen=True)
class Passing:
    """Stage: the seat at `turn` sends its part, then the one before it in the order."""

    purpose: Purpose
    tracks: tuple[Track, ...]
    turn: int
    anchor: bytes

    def duties(self, deck: ChainDeck) -> tuple[Duty, ...]:
        """Return the duty of the seat at `turn` to send its part."""
        return (deck.duty(deck.order[self.turn], "pass", self.anchor),)

    def half(self, deck: ChainDeck) -> Mapping[int, Half]:
        """Return the seat that would leave the deal or opening half done by leaving now.

        That is the seat whose turn it is, if another has already sent its part of the same card.
        """
        begun = [
            track
            for track in (*self._linked, *self._decrypted)
            if track.index < _last(deck) or track.number is not None
        ]
        return {deck.order[self.turn]: self.purpose.half} if begun else {}

    @property
    def _linked(self) -> list[Track]:
        """The cards that the seat at `turn` must look up."""
        return [track for track in self.tracks if track.looked_up_by(self.turn)]

    @property
    def _decrypted(self) -> list[Track]:
        """The cards that the seat at `turn` must remove its key from."""
        return [track for track in self.tracks if track.decrypted_by(self.turn)]

    def message(self, deck: ChainDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the seat's links of the cards it looks up, the numbers without its key, and one proof for both."""
        own = deck.layer_secrets(tape, self.turn)
        links = own_links(deck, own, self.turn, [track.place for track in self._linked])
        given = [_given(deck, track) for track in self._decrypted]
        bases, images = list(links.bases), [*links.images, *given]
        numbers = b""
        if given:
            bare = own.key.invert() * concat(*given)
            bases.append(bare)
            numbers = bare.to_bytes()
        proof = prove(deck, duty, tape, own.key, bases, images)
        return encode(Pass(b"".join(links.nonces), b"".join(links.names), numbers, proof))

    def apply(self, deck: ChainDeck, duty: Duty, message: bytes) -> DeckChange:
        """Check a seat's links and return the check of its proof.

        Continue with the next seat, or settle after the last.
        """
        said = read_message(Pass, message)
        linked, decrypted = self._linked, self._decrypted
        links = read_links(deck, duty.seat, [track.place for track in linked], said.nonces, said.names)
        bases, images = list(links.bases), [*links.images, *(_given(deck, track) for track in decrypted)]
        moved = {t.position: replace(t, index=self.turn - 1, place=p) for t, p in zip(linked, links.prior, strict=True)}
        split(said.numbers, len(decrypted), "the numbers", deck.binding.group.point_size)
        if decrypted:
            bare = read_points(deck.binding.group, said.numbers, len(decrypted), "the numbers")
            bases.append(bare)
            moved |= {track.position: replace(track, number=bare[place]) for place, track in enumerate(decrypted)}
        owed = check(deck, duty, bases, images, said.proof)
        tracks = tuple(moved.get(track.position, track) for track in self.tracks)
        step = begin_pass(deck, self.purpose, tracks, self.turn - 1)
        return DeckChange(step.deck, step.events, (owed, *step.checks))


def _given(deck: ChainDeck, track: Track) -> Points:
    """Return the number that a seat removes its key from: at first the one in the receiver's own layer."""
    return track.number if track.number is not None else deck.layers[track.index].cards.numbers[track.place]


def begin_pass(deck: ChainDeck, purpose: Purpose, tracks: tuple[Track, ...], turn: int) -> DeckChange:
    """Continue with the next seat that has a part in it, from `turn` down to the dealer, or settle if there is none."""
    for index in range(turn, -1, -1):
        if any(track.looked_up_by(index) or track.decrypted_by(index) for track in tracks):
            return DeckChange(deck.in_stage(Passing(purpose, tracks, index, deck.trail)))
    return purpose.settle(deck, tracks)


def _last(deck: ChainDeck) -> int:
    """Return the index of the last layer."""
    return len(deck.layers) - 1


# --- Deals ---


@dataclass(frozen=True)
class Dealing:
    """The purpose of a pass: to deal cards to hands."""

    deal: Deal
    half = Half.DEALT

    def settle(self, deck: ChainDeck, tracks: tuple[Track, ...]) -> DeckChange:
        """Move the cards to their receivers' hands, each with its number under the receiver's key alone."""
        held = dict(deck.held)
        for track in tracks:
            if track.to is None:
                raise BadParameter("a dealt card has no receiver")
            held[track.position] = HeldNumber(track.to, track.place, _given(deck, track))
        return deck.hand_out(deck.places.resolve_deal(self.deal, deck.binding.players), held=held)


def begin_deal(deck: ChainDeck, deal: Deal) -> DeckChange:
    """Begin a deal. A whole deal, to any number of seats, is one pass."""
    dealt, last = deck.places.resolve_deal(deal, deck.binding.players), _last(deck)
    tracks = tuple(
        Track(position, deck.order.index(seat), last, position) for seat, mine in dealt.items() for position in mine
    )
    return begin_pass(deck, Dealing(deal), tracks, last)


# --- Opening and showing ---


@dataclass(frozen=True)
class Turning:
    """The purpose of a pass: to turn cards up. `shown` has the faces that their holder named, by position."""

    shown: Mapping[int, int] = field(default_factory=dict)
    half = Half.OPENED

    def settle(self, deck: ChainDeck, tracks: tuple[Track, ...]) -> DeckChange:
        """Turn the cards up, or enter the contradicted stage.

        Raise `PeerFault` for a dealer whose deck has a face twice.
        """
        faces = {track.position: track.place for track in tracks}
        refuse_doubled(deck, faces)
        wrong = [position for position, face in self.shown.items() if faces[position] != face]
        if wrong:
            return enter_contradiction(deck, wrong[0], "its names lead to another card than its number")
        if find_repeated_face(deck, faces) is not None:
            return enter_contradiction(deck, tracks[0].position, "its face was opened before")
        return deck.turn_up(faces)


def refuse_doubled(deck: ChainDeck, faces: Mapping[int, int]) -> None:
    """Raise `PeerFault` if a face appears twice in proven chains: it was twice in the dealer's deck.

    Public cards cannot repeat.
    """
    twice = find_repeated_face(deck, faces)
    if twice is not None and deck.base is None:
        raise PeerFault(deck.dealer, f"value {twice} is in its deck twice")


def enter_contradiction(deck: ChainDeck, position: int, reason: str) -> DeckChange:
    """Enter the contradicted stage.

    This does not raise, because the proof of the message that led here is not checked yet and must name its sender.
    """
    return DeckChange(deck.in_stage(ContradictedCard(position, reason)))


def begin_open(deck: ChainDeck, operation: Open) -> DeckChange:
    """Begin to open cards. There is no receiver: the seats follow the links down to the face."""
    last = _last(deck)
    positions = deck.places.resolve_positions(operation.count, operation.positions)
    tracks = tuple(Track(position, None, last, position) for position in positions)
    return begin_pass(deck, Turning(), tracks, last)


def begin_show(deck: ChainDeck, show: Show) -> DeckChange:
    """Begin a show with the holder's message."""
    if show.to is not None:
        raise BadParameter("chain can show a card to everyone, but not to one seat")
    return DeckChange(deck.in_stage(Showing(show, deck.places.validate_show(show), deck.trail)))


@dataclass(frozen=True)
class Showing:
    """Stage: the holder says what its cards are and where they came from.

    Then the seats before it continue the chain.
    """

    show: Show
    positions: tuple[int, ...]
    anchor: bytes

    def duties(self, deck: ChainDeck) -> tuple[Duty, ...]:
        """Return the holder's duty to show its cards."""
        return (deck.duty(self.show.seat, "reveal", self.anchor),)

    def message(self, deck: ChainDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the faces and links of the shown cards, with a proof. Raise `CardUnreadable` if one is not a card."""
        index = deck.order.index(duty.seat)
        own = deck.layer_secrets(tape, index)
        links = own_links(deck, own, index, self._places(deck))
        bases, images = list(links.bases), list(links.images)
        faces, nonces = list[int](), list[bytes]()
        if index:
            # Raises if one is not a card: then there is nothing to show, but a misdeal to report.
            deck.knows(duty.seat, tape)
            bare = deck.bare(duty.seat, tape, self.positions)
            for place in range(len(self.positions)):
                face, nonce = deck.read(bare[place]) or (0, b"")
                faces.append(face)
                nonces.append(nonce)
            bases.append(bare)
            images += [deck.held[position].number for position in self.positions]
        proof = prove(deck, duty, tape, own.key, bases, images)
        said = (b"".join(nonces), b"".join(links.nonces), b"".join(links.names), proof)
        return encode(ShownCards(tuple(faces), *said))

    def apply(self, deck: ChainDeck, duty: Duty, message: bytes) -> DeckChange:
        """Check the holder's links and return the check of its proof.

        The seats before it then follow the cards down.
        """
        said, index = read_message(ShownCards, message), deck.order.index(duty.seat)
        links = read_links(deck, duty.seat, self._places(deck), said.nonces, said.names)
        bases, images = list(links.bases), list(links.images)
        shown = self._read_faces(deck, said, index)
        for position, (face, nonce) in shown.items():
            bases.append(self._shown_card(deck, duty.seat, face, nonce))
            images.append(deck.held[position].number)
        owed = check(deck, duty, bases, images, said.proof)
        faces = {position: face for position, (face, _) in shown.items()}
        tracks = tuple(
            Track(position, None, index - 1, place) for position, place in zip(self.positions, links.prior, strict=True)
        )
        step = begin_pass(deck, Turning(faces), tracks, index - 1)
        return DeckChange(step.deck, step.events, (owed, *step.checks))

    def _places(self, deck: ChainDeck) -> list[int]:
        """Return the places of the shown cards in the holder's layer."""
        return [deck.held[position].place for position in self.positions]

    def _read_faces(self, deck: ChainDeck, said: ShownCards, index: int) -> dict[int, tuple[int, bytes]]:
        """Decode what a player says its cards are. For the dealer, the nonces and prior names already say it."""
        count = len(self.positions) if index else 0
        if len(said.faces) != count:
            raise DecodeError(f"{len(said.faces)} faces instead of {count}")
        made = count if deck.base is None else 0
        nonces = split(said.cardNonces, made, "the dealer's nonces") or (b"",) * count
        if any(face >= deck.size for face in said.faces):
            raise DecodeError("the deck does not have one of the faces")
        return dict(zip(self.positions, zip(said.faces, nonces, strict=True), strict=False))

    def _shown_card(self, deck: ChainDeck, seat: int, face: int, nonce: bytes) -> Points:
        """Return the bare card that a seat shows. Raise `PeerFault` if its number is not a square."""
        try:
            return deck.card(face, nonce)
        except DecodeError:
            raise PeerFault(seat, "the number of the card it shows is not a square") from None
