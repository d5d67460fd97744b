"""The dealer's decks by cut and choose, as in the source.

The dealer makes many decks, a joint coin picks the one that is played, and all others are opened. Whoever colludes, a
single false deck is played with a probability of one in the number of decks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nodealer.errors import DecodeError, PeerFault
from nodealer.group import concat
from nodealer.proofs import equality
from nodealer.proofs.checks import Check, Equation
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.chain.deck import ChainDeck, OpenedCoins, SeatLayer
from nodealer.protocols.chain.lists import VALUE_BYTES, card_number, name_of, read_lists, split, value_names
from nodealer.protocols.chain.messages import Candidate, Coin, CoinCommitment, Unblind
from nodealer.protocols.chain.shuffle import ChainShuffling
from nodealer.protocols.codec import read_message, read_points, read_secrets
from nodealer.records import replace
from nodealer.tape import DIGEST_BYTES, Tape, digest
from nodealer.wire import encode


def candidates_digest(layers: tuple[SeatLayer, ...]) -> bytes:
    """Return the digest of all candidate decks, which the coins are bound to."""
    return digest("chain candidates", *(layer.cards.digest for layer in layers))


@dataclass(frozen=True)
class Proposing:
    """Stage: the dealer publishes its decks, one after the other."""

    anchor: bytes
    said: tuple[SeatLayer, ...] = field(default=(), repr=False)

    def duties(self, deck: ChainDeck) -> tuple[Duty, ...]:
        """Return the dealer's duty to publish its next deck."""
        return (deck.duty(deck.dealer, "candidate", self.anchor),)

    def message(self, deck: ChainDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the dealer's next deck as names and encrypted numbers, with its key and a proof of knowing the key."""
        made = deck.dealers_deck(tape, len(self.said))
        key = made.own.key * deck.binding.group.G
        knowledge = equality.prove_knowledge(deck.transcript(duty, 0), tape, key, made.own.key)
        lists = made.lists
        return encode(Candidate(key.to_bytes(), knowledge, b"".join(lists.names), lists.numbers.to_bytes()))

    def apply(self, deck: ChainDeck, duty: Duty, message: bytes) -> DeckChange:
        """Add a deck and return the check of its proof. After the last deck, all seats commit to coins."""
        said, group = read_message(Candidate, message), deck.binding.group
        key = read_points(group, said.key, 1, "the key")
        check = equality.check_knowledge(deck.transcript(duty, 0), key, said.knowledge)
        layer = SeatLayer(deck.dealer, key, read_lists(group, said.names, said.numbers, deck.size))
        stage = replace(self, anchor=deck.trail, said=(*self.said, layer))
        if len(stage.said) < deck.parameters.candidates(len(deck.order)):
            return DeckChange(deck.in_stage(stage), (), (check,))
        return DeckChange(deck.in_stage(CommittingCoins(stage.said, deck.trail)), (), (check,))


def _coin(deck: ChainDeck, tape: Tape, seat: int, layers: tuple[SeatLayer, ...]) -> bytes:
    """Return a seat's coin for these candidate decks, from its tape."""
    return tape.draw("chain coin", deck.inputs(seat, 0, candidates_digest(layers)), size=DIGEST_BYTES)


def _commitment(deck: ChainDeck, seat: int, layers: tuple[SeatLayer, ...], coin: bytes) -> bytes:
    """Return the commitment of a seat to its coin for these candidate decks."""
    binding = deck.binding
    place = (binding.session, binding.roster, binding.hand, deck.number, seat)
    return digest("chain coin", *place, candidates_digest(layers), coin)


def pick_candidate(coins: Mapping[int, bytes], candidates: int) -> int:
    """Return the number of the deck that all coins together pick. 256 bits modulo a few hundred show no bias."""
    joint = digest("chain coins", *(coins[seat] for seat in sorted(coins)))
    return int.from_bytes(joint, "big") % candidates


@dataclass(frozen=True)
class CommittingCoins:
    """Stage: all seats commit to a coin, in parallel."""

    layers: tuple[SeatLayer, ...] = field(repr=False)
    anchor: bytes
    said: Mapping[int, bytes] = field(default_factory=dict)

    def duties(self, deck: ChainDeck) -> tuple[Duty, ...]:
        """Return one duty for each seat that has not committed to its coin."""
        return tuple(deck.duty(seat, "commit", self.anchor) for seat in deck.order if seat not in self.said)

    def message(self, deck: ChainDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the seat's commitment to its coin."""
        coin = _coin(deck, tape, duty.seat, self.layers)
        return encode(CoinCommitment(_commitment(deck, duty.seat, self.layers, coin)))

    def apply(self, deck: ChainDeck, duty: Duty, message: bytes) -> DeckChange:
        """Record a commitment. After the last one, all seats open their coins."""
        said = {**self.said, duty.seat: read_message(CoinCommitment, message).commitment}
        if len(said) < len(deck.order):
            return DeckChange(deck.in_stage(replace(self, said=said)))
        return DeckChange(deck.in_stage(OpeningCoins(self.layers, said, deck.trail)))


@dataclass(frozen=True)
class OpeningCoins(OpenedCoins):
    """Stage: all seats open their coins, in parallel."""

    layers: tuple[SeatLayer, ...] = field(repr=False)
    commitments: Mapping[int, bytes]
    anchor: bytes
    said: Mapping[int, bytes] = field(default_factory=dict)

    def duties(self, deck: ChainDeck) -> tuple[Duty, ...]:
        """Return one duty for each seat that has not opened its coin."""
        return tuple(deck.duty(seat, "coin", self.anchor) for seat in deck.order if seat not in self.said)

    def message(self, deck: ChainDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the seat's coin."""
        return encode(Coin(_coin(deck, tape, duty.seat, self.layers)))

    # defence: last-coin, no-openings
    def apply(self, deck: ChainDeck, duty: Duty, message: bytes) -> DeckChange:
        """Raise `PeerFault` if a coin does not match its commitment.

        After the last coin, pick the deck that is played.
        """
        coin = read_message(Coin, message).coin
        if _commitment(deck, duty.seat, self.layers, coin) != self.commitments[duty.seat]:
            raise PeerFault(duty.seat, "the coin is not the one it committed to")
        said = {**self.said, duty.seat: coin}
        if len(said) < len(deck.order):
            return DeckChange(deck.in_stage(replace(self, said=said)))
        played = pick_candidate(said, len(self.layers))
        return DeckChange(deck.in_stage(OpeningDecks(self.layers, played, deck.trail), candidate=played))


@dataclass(frozen=True)
class OpeningDecks(OpenedCoins):
    """Stage: the dealer opens every deck that is not played, one after the other."""

    layers: tuple[SeatLayer, ...] = field(repr=False)
    played: int
    anchor: bytes
    opened: int = 0

    @property
    def _number(self) -> int:
        """The number of the deck that is opened next."""
        return self.opened + (self.opened >= self.played)

    def duties(self, deck: ChainDeck) -> tuple[Duty, ...]:
        """Return the dealer's duty to open its next deck that is not played."""
        return (deck.duty(deck.dealer, "unblind", self.anchor),)

    def message(self, deck: ChainDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the key, values and nonces of the dealer's next deck that is not played."""
        own = deck.dealers_deck(tape, self._number).own
        values = b"".join(value.to_bytes(VALUE_BYTES, "big") for value in own.prior)
        return encode(Unblind(own.key.to_bytes(), values, b"".join(own.nonces)))

    def apply(self, deck: ChainDeck, duty: Duty, message: bytes) -> DeckChange:
        """Check an opened deck against what the dealer published. After the last one, seats shuffle the played deck."""
        said = read_message(Unblind, message)
        check = check_opened(deck, self.layers[self._number], said, self._number)
        if self.opened + 2 < len(self.layers):
            return DeckChange(deck.in_stage(replace(self, anchor=deck.trail, opened=self.opened + 1)), (), (check,))
        layers = (self.layers[self.played],)
        return DeckChange(deck.in_stage(ChainShuffling(deck.trail), layers=layers), (), (check,))


# defence: aces
def check_opened(deck: ChainDeck, layer: SeatLayer, said: Unblind, number: int) -> Check:
    """Return the check of an opened deck, after checking that it has every value once, with its name and number.

    Raise `PeerFault` if it does not.
    """
    group, what = deck.binding.group, f"its deck {number}"
    key = read_secrets(group, said.key, 1, "the key")
    nonces = split(said.nonces, deck.size, "the nonces")
    values = [int.from_bytes(v, "big") for v in split(said.values, deck.size, "the values", VALUE_BYTES)]
    if sorted(values) != list(range(deck.size)):
        raise PeerFault(deck.dealer, f"{what} has a value twice, lacks one, or has one that does not exist")
    names = value_names(deck.size)
    if tuple(name_of(nonce, names[value]) for nonce, value in zip(nonces, values, strict=True)) != layer.cards.names:
        raise PeerFault(deck.dealer, f"{what} has a name that does not match its nonce and value")
    try:
        place = deck.card_place(number)
        cards = concat(*(card_number(group, place, nonce, value) for nonce, value in zip(nonces, values, strict=True)))
    except DecodeError:
        raise PeerFault(deck.dealer, f"{what} has a card whose number is not a square") from None
    minus_one = -group.integers([1])
    keys = Equation.sum((key, group.G), (minus_one, layer.key))
    numbers = Equation.each((key, cards), (minus_one, layer.cards.numbers))
    return Check(deck.dealer, "opening of a deck that is not played", (keys, numbers))
