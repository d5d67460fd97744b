"""Publishing keys and, if faces are not public points, revealing what a card is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nodealer.cards.events import Half
from nodealer.cards.operations import Close, Deal, Look, Open, Operation, Peek, Show
from nodealer.errors import BadParameter, Malformed, PeerFault
from nodealer.group import Scalars, concat
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import read_message, read_secrets
from nodealer.protocols.duel.deck import NONCE_BYTES, DuelDeck, OwnerSays
from nodealer.protocols.duel.messages import DuelReveal, Give
from nodealer.protocols.duel.peek import finish_peek
from nodealer.protocols.keyed_deck import add_published, refuse_wrong_keys
from nodealer.protocols.stages import close
from nodealer.records import replace
from nodealer.tape import Tape
from nodealer.wire import encode

# --- Requests ---


def draw(deck: DuelDeck, deal: Deal) -> DeckChange:
    """Begin a draw by the owner: the rival owes its keys."""
    if any(portion.seat != deck.owner for portion in deal.portions):
        raise BadParameter(f"only seat {deck.owner} can draw from deck {deck.number}")
    positions = _top(deck, deck.places.resolve_deal(deal, deck.binding.players)[deck.owner])
    return _request_keys(deck, deal, {deck.rival: positions}, positions)


def open_cards(deck: DuelDeck, operation: Open) -> DeckChange:
    """Begin to open cards of the pile for both players."""
    positions = _top(deck, deck.places.resolve_positions(operation.count, operation.positions))
    seats = deck.binding.players if deck.mode.proofs else (deck.rival,)
    return _request_keys(deck, operation, dict.fromkeys(seats, positions), positions)


def peek(deck: DuelDeck, operation: Peek) -> DeckChange:
    """Begin a peek by the owner at the top of its pile."""
    if operation.seat != deck.owner:
        raise BadParameter(f"only seat {deck.owner} can look at cards of deck {deck.number}")
    if operation.then is Look.KEEP:
        raise BadParameter("duel can keep a card only if the rest of the deck is shuffled")
    positions = deck.places.next_cards(operation.count)
    return _request_keys(deck, operation, {deck.rival: positions}, positions)


def play(deck: DuelDeck, show: Show) -> DeckChange:
    """Begin a play of the owner's cards. With two players, showing a card to the rival shows it to everyone."""
    if show.to not in (None, deck.rival):
        raise BadParameter(f"seat {deck.owner} can show cards of deck {deck.number} only to seat {deck.rival}")
    positions = deck.places.validate_show(show)
    return _request_keys(deck, show, {show.seat: positions} if deck.mode.proofs else {}, positions)


def begin_close(deck: DuelDeck, operation: Close) -> DeckChange:
    """Begin to close a deck. With proofs there is nothing more to show; without, the owner shows everything."""
    if deck.mode.proofs:
        return close(deck, operation)
    places = deck.places
    hidden = set(places.only_hidden((*places.pile, *places.held, *places.discards)))
    # Played cards were already checked against their positions, but not by the source's rule.
    again = set(places.opened) if deck.mode.word_for_word else set()
    return _request_keys(deck, operation, {deck.rival: tuple(sorted(hidden))}, tuple(sorted(hidden | again)))


def _top(deck: DuelDeck, positions: tuple[int, ...]) -> tuple[int, ...]:
    """Raise `BadParameter` unless the positions are the top of the pile: cards are drawn only from there."""
    if positions != deck.places.pile[: len(positions)]:
        raise BadParameter(f"cards of deck {deck.number} can be drawn only from the top")
    return positions


def _request_keys(
    deck: DuelDeck, operation: Operation, wanted: Mapping[int, tuple[int, ...]], positions: tuple[int, ...]
) -> DeckChange:
    """Begin an operation: seats owe the keys that they have not published yet."""
    still = {seat: tuple(p for p in mine if not deck.is_bare(p, seat)) for seat, mine in wanted.items()}
    owing = {seat: mine for seat, mine in still.items() if mine}
    return GivingKeys(operation, positions, owing, deck.trail).settle(deck)


def _complete(deck: DuelDeck, operation: Operation, positions: tuple[int, ...]) -> DeckChange:
    """Complete an operation after all keys that it needs are published."""
    match operation:
        case Deal():
            return deck.hand_out({deck.owner: positions}, peeked=deck.not_peeked(positions))
        case Peek():
            return finish_peek(deck, operation, positions)
        case Close():
            return DeckChange(deck.in_stage(RevealingCards(positions, operation, deck.trail)))
        case _:
            hidden = deck.places.only_hidden(positions)
            if deck.faces is not None:
                return deck.turn_up(deck.faces_of(deck.faces, hidden), peeked=deck.not_peeked(hidden))
            return DeckChange(deck.in_stage(RevealingCards(hidden, operation, deck.trail)))


# --- Stages ---


@dataclass(frozen=True)
class GivingKeys:
    """Stage: seats owe keys: the rival for a draw, the owner for a play, both for an open card of the pile."""

    operation: Operation
    positions: tuple[int, ...]
    #: Seat to the positions whose keys it still owes.
    owing: Mapping[int, tuple[int, ...]]
    anchor: bytes

    def duties(self, deck: DuelDeck) -> tuple[Duty, ...]:
        """Return one duty for each seat whose turn it is to publish keys."""
        return tuple(deck.duty(seat, "give", self.anchor) for seat in self._in_turn)

    def half(self, deck: DuelDeck) -> Mapping[int, Half]:
        """Return the seats that would leave an opening half done by leaving now.

        Only an opened card of the pile needs the keys of both.
        """
        opened = self._in_turn if isinstance(self.operation, Open) else ()
        return {seat: Half.OPENED for seat in opened if any(deck.released.get(p) for p in self.owing[seat])}

    @property
    def _in_turn(self) -> tuple[int, ...]:
        """The seats that owe their keys now."""
        return self.operation.in_turn(self.owing) if isinstance(self.operation, Open) else tuple(self.owing)

    def message(self, deck: DuelDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the seat's keys to every position that it owes."""
        return encode(Give(deck.layers.secrets(tape, self.owing[duty.seat], duty.seat).to_bytes()))

    def apply(self, deck: DuelDeck, duty: Duty, message: bytes) -> DeckChange:
        """Publish a seat's keys and continue.

        Raise `PeerFault` if a key does not match its public key, in modes with one.
        """
        said, seat, positions = read_message(Give, message), duty.seat, self.owing[duty.seat]
        keys = read_secrets(deck.cipher, said.keys, len(positions), "the keys")
        if deck.mode.keys:
            refuse_wrong_keys(seat, positions, keys, deck.layers.keys(positions, seat))
        stage = replace(self, owing={other: wanted for other, wanted in self.owing.items() if other != seat})
        if seat in self._in_turn and len(self._in_turn) == 1:
            # The other seat answers what this one has published.
            stage = replace(stage, anchor=deck.trail)
        return stage.settle(deck.with_fields(released=add_published(deck.released, seat, positions, keys)))

    def settle(self, deck: DuelDeck) -> DeckChange:
        """Wait while keys are owed, then complete the operation."""
        return DeckChange(deck.in_stage(self)) if self.owing else _complete(deck, self.operation, self.positions)


@dataclass(frozen=True)
class RevealingCards(OwnerSays):
    """Stage: the owner says what cards are: those it plays or, at the end, all that are hidden."""

    operation: Operation
    anchor: bytes

    def duties(self, deck: DuelDeck) -> tuple[Duty, ...]:
        """Return the owner's duty to reveal the cards."""
        return (deck.duty(deck.owner, "reveal", self.anchor),)

    def message(self, deck: DuelDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the cards, their nonces and, unless the mode has none, the owner's keys to their positions."""
        cards = deck.read(tape, self.positions)
        nonces = b"".join(deck.nonces(tape, cards))
        keys = b""
        if self.positions and self._with_keys(deck):
            keys = deck.layers.secrets(tape, self.positions, deck.owner).to_bytes()
        return encode(DuelReveal(tuple(cards), nonces, keys))

    def _with_keys(self, deck: DuelDeck) -> bool:
        """Return whether the message contains keys.

        The source asks for no key at a play, so any card of the list can be played.
        """
        return isinstance(self.operation, Close) or not deck.mode.word_for_word

    # defence: other-name, unopened
    def apply(self, deck: DuelDeck, duty: Duty, message: bytes) -> DeckChange:
        """Turn the cards up or close the deck. Raise `PeerFault` if a card was not committed to or not drawn there."""
        said, seat = read_message(DuelReveal, message), duty.seat
        nonces = self._read(deck, said)
        for card, nonce in zip(said.cards, nonces, strict=True):
            if deck.commitment(card, nonce) != deck.commitments[card]:
                raise PeerFault(seat, f"what it says about card {card} is not what it committed to")
        released = deck.released
        if not self._with_keys(deck):
            if said.keys:
                raise Malformed("a play has no keys in this mode")
        elif self.positions:
            keys = read_secrets(deck.cipher, said.keys, len(self.positions), "the keys")
            self._refuse_other_places(deck, seat, said.cards, nonces, keys)
            released = add_published(deck.released, seat, self.positions, keys)
        if not isinstance(self.operation, Close):
            faces = dict(zip(self.positions, said.cards, strict=True))
            return deck.turn_up(faces, released=released, peeked=deck.not_peeked(self.positions))
        self._refuse_other_plays(deck, seat, said.cards)
        # A card that appears twice, so that another is missing, need not be the owner's fault: disclosure decides.
        return close(deck, self.operation)

    def _read(self, deck: DuelDeck, said: DuelReveal) -> list[bytes]:
        """Decode the nonces. Raise `Malformed` unless there is one valid card and one nonce per position."""
        size = NONCE_BYTES
        if len(said.cards) != len(self.positions) or len(said.nonces) != size * len(self.positions):
            raise Malformed(f"the message must have {len(self.positions)} cards and as many nonces")
        if any(card >= deck.size for card in said.cards):
            raise Malformed(f"one of the cards is not among the {deck.size} of the deck")
        return [said.nonces[at : at + size] for at in range(0, len(said.nonces), size)]

    # defence: other-card, played-twice, slot
    def _refuse_other_places(
        self, deck: DuelDeck, seat: int, cards: tuple[int, ...], nonces: list[bytes], keys: Scalars
    ) -> None:
        """Raise `PeerFault` unless each card is the one at the position it was drawn from: Ka[i]·Kb[i]·P = C[i]."""
        unchecked = tuple(p for p in self.positions if seat not in deck.released.get(p, {}))
        if deck.mode.keys and unchecked == self.positions:
            refuse_wrong_keys(seat, self.positions, keys, deck.layers.keys(self.positions, seat))
        rivals = concat(*(deck.released[position][deck.rival] for position in self.positions))
        slots = keys * rivals * deck.committed_points(cards, nonces)
        found = deck.layers.cards(self.positions)
        if slots != found:
            wrong = next(place for place in range(len(cards)) if slots[place] != found[place])
            raise PeerFault(seat, f"card {cards[wrong]} is not what it drew at place {self.positions[wrong]}")

    # defence: other-card
    def _refuse_other_plays(self, deck: DuelDeck, seat: int, cards: tuple[int, ...]) -> None:
        """Raise `PeerFault` if the seat now says something else about a position that it played from."""
        now = dict(zip(self.positions, cards, strict=True))
        for position, face in deck.places.opened.items():
            if now.get(position, face) != face:
                raise PeerFault(seat, f"it played card {face} from place {position}, but another card is there")
