"""How an `offset` deck is made: key parts, the shuffle steps, and the offsets once all steps are verified.

A step has two stages, in this order: every pair times a secret of its own, in place, with an equality proof each; then
one secret and the offset for all, and the permutation, by the shuffle argument. The other way round, earlier shufflers,
who know the logarithms of the B column, would read the permutation from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from nodealer.cards import Finished
from nodealer.errors import BadParameter, DecodeError, Malformed, PeerFault
from nodealer.group import Points, concat
from nodealer.proofs import equality, shuffle
from nodealer.proofs.encoding import encodings
from nodealer.proofs.equality import Each
from nodealer.proofs.generators import blinding_generator
from nodealer.proofs.relations import OneOffset
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import point_index, read_message, read_points, read_secrets
from nodealer.protocols.offset.deck import Pairs, Turn, deal_parts, step_secrets
from nodealer.protocols.offset.messages import RequestDealParts, RespondDealParts, RevealOffset, Shuffle
from nodealer.protocols.staged import Idle
from nodealer.tape import Tape
from nodealer.wire import encode

if TYPE_CHECKING:
    from nodealer.protocols.offset.deck import OffsetDeck


def refuse_player(seat: int, player_id: int) -> None:
    """A message names its own sender."""
    if player_id != seat + 1:
        raise Malformed(f"playerId {player_id} in a message of player {seat + 1}")


def _read_parts(deck: OffsetDeck, data: bytes) -> Points:
    parts = read_points(deck.binding.group, data, deck.size, "dealPublicKeyParts")
    if len(point_index(parts)) != deck.size:
        raise Malformed("two deals have the same key part")
    return parts


@dataclass(frozen=True)
class Requesting:
    """The dealer opens the deck; it may choose the order in which the seats shuffle."""

    anchor: bytes

    def duties(self, deck: OffsetDeck) -> tuple[Duty, ...]:
        return (deck.duty(deck.dealer, "requestDealParts", self.anchor, may_choose=True),)

    def message(self, deck: OffsetDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        players = tuple(seat + 1 for seat in deck.binding.players)
        order = players if choice is None else _chosen_order(choice, players)
        d = deal_parts(tape, deck.binding, deck.number, deck.size, duty.seat)
        D = d * deck.binding.group.G
        proof = equality.prove_knowledge(deck.transcript(duty, 0), tape, D, d)
        said = RequestDealParts("cards", players, deck.number, deck.size, order, D.to_bytes(), proof)
        return encode(said)

    def apply(self, deck: OffsetDeck, duty: Duty, message: bytes) -> DeckChange:
        said = read_message(RequestDealParts, message)
        players = tuple(seat + 1 for seat in deck.binding.players)
        if (said.players, said.deck, said.cards) != (players, deck.number, deck.size):
            raise Malformed("the request is for other players, another deck or another number of cards")
        if sorted(said.shuffleOrder) != sorted(players):
            raise Malformed("shuffleOrder does not name every player exactly once")
        D = _read_parts(deck, said.dealPublicKeyParts)
        check = equality.check_knowledge(deck.transcript(duty, 0), D, said.proof)
        order = tuple(player - 1 for player in said.shuffleOrder)
        opened = deck.at(parts={duty.seat: D}, order=order, stage=Responding(deck.trail))
        return DeckChange(opened, (), (check,))


def _chosen_order(choice: bytes, players: tuple[int, ...]) -> tuple[int, ...]:
    try:
        order = msgspec.json.decode(choice, type=tuple[int, ...])
    except msgspec.MsgspecError:
        raise BadParameter("an order of players is a list of numbers") from None
    if sorted(order) != sorted(players):
        raise BadParameter("the order does not name every player exactly once")
    return order


@dataclass(frozen=True)
class Responding:
    """All other seats publish their key parts, side by side."""

    anchor: bytes

    def duties(self, deck: OffsetDeck) -> tuple[Duty, ...]:
        waiting = [seat for seat in deck.binding.players if seat not in deck.parts]
        return tuple(deck.duty(seat, "respondDealParts", self.anchor) for seat in waiting)

    def message(self, deck: OffsetDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        d = deal_parts(tape, deck.binding, deck.number, deck.size, duty.seat)
        D = d * deck.binding.group.G
        proof = equality.prove_knowledge(deck.transcript(duty, 0), tape, D, d)
        return encode(RespondDealParts("cards", duty.seat + 1, D.to_bytes(), proof))

    def apply(self, deck: OffsetDeck, duty: Duty, message: bytes) -> DeckChange:
        said = read_message(RespondDealParts, message)
        refuse_player(duty.seat, said.playerId)
        D = _read_parts(deck, said.dealPublicKeyParts)
        check = equality.check_knowledge(deck.transcript(duty, 0), D, said.proof)
        parts = {**deck.parts, duty.seat: D}
        if len(parts) < len(deck.binding.players):
            return DeckChange(deck.at(parts=parts), (), (check,))
        group = deck.binding.group
        joint = parts[deck.binding.players[0]]
        for seat in deck.binding.players[1:]:
            joint = joint + parts[seat]
        if joint.first_identity() is not None or len(point_index(joint)) != deck.size:
            raise Malformed("two deals have the same joint key, or one has none")
        start = Pairs(joint, group.G + group.identity(deck.size))
        return DeckChange(deck.at(parts=parts, start=start, stage=Shuffling(deck.trail)), (), (check,))


@dataclass(frozen=True)
class Shuffling:
    """Each seat in its turn scales every pair, adds its offset, and permutes the deck."""

    anchor: bytes

    def _before(self, deck: OffsetDeck) -> Pairs:
        if deck.start is None:
            raise BadParameter("there is no deck to shuffle yet")
        return deck.turns[-1].deck if deck.turns else deck.start

    def duties(self, deck: OffsetDeck) -> tuple[Duty, ...]:
        return (deck.duty(deck.order[len(deck.turns)], "shuffle", self.anchor),)

    def message(self, deck: OffsetDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        group, before = deck.binding.group, self._before(deck)
        order, scales, rest = step_secrets(tape, deck.binding, deck.number, duty.seat, before)
        r, x, t = rest[0], rest[1], rest[2]
        w = r * x
        scaled = Pairs(scales * before.A, scales * before.B)
        after = Pairs(
            r * scaled.A.take(order) + w * scaled.B.take(order),
            r * scaled.B.take(order),
        )
        R, W = r * group.G, w * group.G + t * blinding_generator(group)
        transcript = deck.transcript(duty, 0)
        first = equality.prove_each(transcript, tape, Each(before.B, scaled.B, before.A, scaled.A), scales)
        relation = OneOffset(R, W, scaled.A, scaled.B, after.A, after.B)
        second = shuffle.prove(transcript, tape, relation, order, lambda b: concat(r, w, t))
        step = len(deck.turns) + 1
        said = (after.to_bytes(), scaled.to_bytes(), R.to_bytes(), W.to_bytes(), first, second)
        return encode(Shuffle("cards", duty.seat + 1, step, *said))

    def apply(self, deck: OffsetDeck, duty: Duty, message: bytes) -> DeckChange:
        said = read_message(Shuffle, message)
        refuse_player(duty.seat, said.playerId)
        if said.step != len(deck.turns) + 1:
            raise Malformed(f"step {said.step} where step {len(deck.turns) + 1} is due")
        group, before = deck.binding.group, self._before(deck)
        scaled, after = _read_pairs(deck, said.scaled, "scaled"), _read_pairs(deck, said.deck, "deck")
        R, W = read_points(group, said.key, 1, "key"), read_points(group, said.commitment, 1, "commitment")
        _refuse_unchanged(before, scaled, "scaled")
        _refuse_unchanged(before, after, "deck")
        transcript = deck.transcript(duty, 0)
        each = Each(before.B, scaled.B, before.A, scaled.A)
        first = equality.check_each(transcript, each, said.scaledProof)
        second = shuffle.check(transcript, OneOffset(R, W, scaled.A, scaled.B, after.A, after.B), said.proof)
        turns = (*deck.turns, Turn(duty.seat, after, R, W))
        stage = Shuffling(deck.trail) if len(turns) < len(deck.order) else Revealing(deck.trail)
        return DeckChange(deck.at(turns=turns, stage=stage), (), (first, second))


def _refuse_unchanged(before: Pairs, after: Pairs, what: str) -> None:
    """A point that stands in the deck before: everybody could follow that pair. No honest seat leaves one."""
    for old, new in ((before.A, after.A), (before.B, after.B)):
        known = point_index(old)
        for place, point in enumerate(encodings(new)):
            if point in known:
                raise Malformed(f"{what}: pair {place} has a point of the deck before it")


def _read_pairs(deck: OffsetDeck, data: bytes, what: str) -> Pairs:
    half = deck.size * deck.binding.group.point_size
    if len(data) != 2 * half:
        raise DecodeError(f"{what}: {len(data)} bytes instead of {2 * half}")
    group = deck.binding.group
    return Pairs(read_points(group, data[:half], deck.size, what), read_points(group, data[half:], deck.size, what))


@dataclass(frozen=True)
class Revealing:
    """All seats reveal their offsets, side by side. An honest seat has verified every shuffle before."""

    anchor: bytes

    def duties(self, deck: OffsetDeck) -> tuple[Duty, ...]:
        waiting = [seat for seat in deck.binding.players if seat not in deck.offsets]
        return tuple(deck.duty(seat, "revealOffset", self.anchor) for seat in waiting)

    def _turn(self, deck: OffsetDeck, seat: int) -> tuple[Pairs, Turn]:
        place = deck.order.index(seat)
        before = deck.turns[place - 1].deck if place else deck.start
        if before is None:
            raise BadParameter("there is no deck yet")
        return before, deck.turns[place]

    def message(self, deck: OffsetDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        before, _ = self._turn(deck, duty.seat)
        _, _, rest = step_secrets(tape, deck.binding, deck.number, duty.seat, before)
        return encode(RevealOffset("cards", duty.seat + 1, rest[1].to_bytes(), rest[2].to_bytes()))

    def apply(self, deck: OffsetDeck, duty: Duty, message: bytes) -> DeckChange:
        said, group = read_message(RevealOffset, message), deck.binding.group
        refuse_player(duty.seat, said.playerId)
        x = read_secrets(group, said.offset, 1, "offset")
        t = read_secrets(group, said.blinding, 1, "blinding")
        _, turn = self._turn(deck, duty.seat)
        if x * turn.R + t * blinding_generator(group) != turn.W:
            raise PeerFault(duty.seat, "the offset it reveals is not the one it shuffled with")
        revealed = deck.at(offsets={**deck.offsets, duty.seat: x})
        if len(revealed.offsets) < len(deck.binding.players) or deck.asked is None:
            return DeckChange(revealed)
        return DeckChange(revealed.at(stage=Idle(), asked=None), (Finished(deck.asked),))
