"""How an `offset` deck is made: key parts, the shuffle steps, and the offsets once all steps are verified.

A step has two parts, in this order. First, every pair is multiplied by its own secret, in place, with an equality proof
each. Then one secret and the offset are applied to all pairs and the deck is permuted, with a shuffle proof. In the
other order, earlier shufflers, who know the logarithms of the B column, could read the permutation from it.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from nodealer.errors import BadParameter, DecodeError, Malformed, PeerFault
from nodealer.group import Points, concat
from nodealer.proofs import equality, shuffle
from nodealer.proofs.encoding import encodings
from nodealer.proofs.equality import ManyEqualities
from nodealer.proofs.generators import blinding_generator
from nodealer.proofs.relations import OneOffset
from nodealer.protocols.base import DeckChange, Duty
from nodealer.protocols.codec import point_index, read_message, read_points, read_secrets
from nodealer.protocols.offset.deck import OffsetDeck, OffsetPairs, ShuffleStep
from nodealer.protocols.offset.messages import OffsetShuffle, RequestDealParts, RespondDealParts, RevealOffset
from nodealer.tape import Tape
from nodealer.wire import encode


def refuse_player(seat: int, player_id: int) -> None:
    """Raise `Malformed` unless a message names its own sender."""
    if player_id != seat + 1:
        raise Malformed(f"playerId is {player_id} in a message from player {seat + 1}")


def _read_parts(deck: OffsetDeck, data: bytes) -> Points:
    """Decode a seat's key parts. Raise `Malformed` if two are equal."""
    parts = read_points(deck.binding.group, data, deck.size, "dealPublicKeyParts")
    if len(point_index(parts)) != deck.size:
        raise Malformed("two deals have the same key part")
    return parts


@dataclass(frozen=True)
class RequestingParts:
    """Stage: the dealer opens the deck, and may choose the order in which the seats shuffle."""

    anchor: bytes

    def duties(self, deck: OffsetDeck) -> tuple[Duty, ...]:
        """Return the dealer's duty to open the deck. It may choose the order of shuffles."""
        return (deck.duty(deck.dealer, "requestDealParts", self.anchor, may_choose=True),)

    def message(self, deck: OffsetDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the players, the order of shuffles and the dealer's public key parts, with a proof of knowing them."""
        players = tuple(seat + 1 for seat in deck.binding.players)
        order = players if choice is None else _chosen_order(choice, players)
        d = deck.deal_parts(tape, duty.seat)
        D = d.group.products(d, d.group.G)
        proof = equality.prove_knowledge(deck.transcript(duty, 0), tape, D, d)
        said = RequestDealParts("cards", players, deck.number, deck.size, order, D.to_bytes(), proof)
        return encode(said)

    # defence: only-friends
    def apply(self, deck: OffsetDeck, duty: Duty, message: bytes) -> DeckChange:
        """Accept the dealer's key parts and order. Raise `Malformed` if the players, the deck or the order is wrong."""
        said = read_message(RequestDealParts, message)
        players = tuple(seat + 1 for seat in deck.binding.players)
        if (said.players, said.deck, said.cards) != (players, deck.number, deck.size):
            raise Malformed("the request is for other players, another deck or another number of cards")
        if sorted(said.shuffleOrder) != sorted(players):
            raise Malformed("shuffleOrder does not name every player exactly once")
        D = _read_parts(deck, said.dealPublicKeyParts)
        check = equality.check_knowledge(deck.transcript(duty, 0), D, said.proof)
        order = tuple(player - 1 for player in said.shuffleOrder)
        return DeckChange(deck.in_stage(RespondingParts(deck.trail), parts={duty.seat: D}, order=order), (), (check,))


def _chosen_order(choice: bytes, players: tuple[int, ...]) -> tuple[int, ...]:
    """Decode the chosen order of shuffles. Raise `BadParameter` unless it names every player once."""
    try:
        order = msgspec.json.decode(choice, type=tuple[int, ...])
    except msgspec.MsgspecError:
        raise BadParameter("an order of players must be a list of numbers") from None
    if sorted(order) != sorted(players):
        raise BadParameter("the order does not name every player exactly once")
    return order


@dataclass(frozen=True)
class RespondingParts:
    """Stage: all other seats publish their key parts, in parallel."""

    anchor: bytes

    def duties(self, deck: OffsetDeck) -> tuple[Duty, ...]:
        """Return one duty for each seat that has not published its key parts."""
        waiting = [seat for seat in deck.binding.players if seat not in deck.parts]
        return tuple(deck.duty(seat, "respondDealParts", self.anchor) for seat in waiting)

    def message(self, deck: OffsetDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the seat's public key parts, with a proof of knowing their secrets."""
        d = deck.deal_parts(tape, duty.seat)
        D = d.group.products(d, d.group.G)
        proof = equality.prove_knowledge(deck.transcript(duty, 0), tape, D, d)
        return encode(RespondDealParts("cards", duty.seat + 1, D.to_bytes(), proof))

    def apply(self, deck: OffsetDeck, duty: Duty, message: bytes) -> DeckChange:
        """Record key parts and return the check of the proof. Raise `Malformed` if two deals get the same joint key."""
        said = read_message(RespondDealParts, message)
        refuse_player(duty.seat, said.playerId)
        D = _read_parts(deck, said.dealPublicKeyParts)
        check = equality.check_knowledge(deck.transcript(duty, 0), D, said.proof)
        parts = {**deck.parts, duty.seat: D}
        if len(parts) < len(deck.binding.players):
            return DeckChange(deck.in_stage(self, parts=parts), (), (check,))
        group = deck.binding.group
        joint = parts[deck.binding.players[0]]
        for seat in deck.binding.players[1:]:
            joint = joint + parts[seat]
        if joint.first_identity() is not None or len(point_index(joint)) != deck.size:
            raise Malformed("two deals have the same joint key, or one has none")
        start = OffsetPairs(joint, group.G + group.identity(deck.size))
        return DeckChange(deck.in_stage(OffsetShuffling(deck.trail), parts=parts, start=start), (), (check,))


@dataclass(frozen=True)
class OffsetShuffling:
    """Stage: each seat in turn scales every pair, adds its offset, and permutes the deck."""

    anchor: bytes

    def _before(self, deck: OffsetDeck) -> OffsetPairs:
        """Return the deck that the next seat starts from."""
        if deck.start is None:
            raise BadParameter("there is no deck to shuffle yet")
        return deck.steps[-1].deck if deck.steps else deck.start

    def duties(self, deck: OffsetDeck) -> tuple[Duty, ...]:
        """Return the duty of the next seat in the order to shuffle."""
        return (deck.duty(deck.order[len(deck.steps)], "shuffle", self.anchor),)

    def message(self, deck: OffsetDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the scaled pairs and the shuffled pairs, with the proofs of both parts of the step."""
        group, before = deck.binding.group, self._before(deck)
        order, scales, rest = deck.step_secrets(tape, duty.seat, before)
        r, x, t = rest[0], rest[1], rest[2]
        w = r * x
        scaled = OffsetPairs(group.products(scales, before.A), group.products(scales, before.B))
        A, B = scaled.A.take(order), scaled.B.take(order)
        # Computed as doubles, like products, because their encodings are sent.
        after = OffsetPairs(group.combine(r.half(), A, w.half(), B).doubled(), group.products(r, B))
        R, W = r * group.G, w * group.G + t * blinding_generator(group)
        transcript = deck.transcript(duty, 0)
        first = equality.prove_many_equalities(
            transcript, tape, ManyEqualities(before.B, scaled.B, before.A, scaled.A), scales
        )
        relation = OneOffset(R, W, scaled.A, scaled.B, after.A, after.B)
        second = shuffle.prove(transcript, tape, relation, order, lambda b: concat(r, w, t))
        step = len(deck.steps) + 1
        said = (after.to_bytes(), scaled.to_bytes(), R.to_bytes(), W.to_bytes(), first, second)
        return encode(OffsetShuffle("cards", duty.seat + 1, step, *said))

    def apply(self, deck: OffsetDeck, duty: Duty, message: bytes) -> DeckChange:
        """Add a seat's step and return the checks of both proofs. Raise `Malformed` if a point is unchanged."""
        said = read_message(OffsetShuffle, message)
        refuse_player(duty.seat, said.playerId)
        if said.step != len(deck.steps) + 1:
            raise Malformed(f"the message is for step {said.step}, but step {len(deck.steps) + 1} is due")
        group, before = deck.binding.group, self._before(deck)
        scaled, after = _read_pairs(deck, said.scaled, "scaled"), _read_pairs(deck, said.deck, "deck")
        R, W = read_points(group, said.key, 1, "key"), read_points(group, said.commitment, 1, "commitment")
        _refuse_unchanged(before, scaled, "scaled")
        _refuse_unchanged(before, after, "deck")
        transcript = deck.transcript(duty, 0)
        each = ManyEqualities(before.B, scaled.B, before.A, scaled.A)
        first = equality.check_many_equalities(transcript, each, said.scaledProof)
        second = shuffle.check(transcript, OneOffset(R, W, scaled.A, scaled.B, after.A, after.B), said.proof)
        steps = (*deck.steps, ShuffleStep(duty.seat, after, R, W))
        following = OffsetShuffling if len(steps) < len(deck.order) else RevealingOffsets
        return DeckChange(deck.in_stage(following(deck.trail), steps=steps), (), (first, second))


def _refuse_unchanged(before: OffsetPairs, after: OffsetPairs, what: str) -> None:
    """Raise `Malformed` if a point was already in the previous deck: everyone could follow that pair.

    No honest seat leaves one unchanged.
    """
    for old, new in ((before.A, after.A), (before.B, after.B)):
        known = point_index(old)
        for place, point in enumerate(encodings(new)):
            if point in known:
                raise Malformed(f"{what}: pair {place} has a point of the previous deck")


def _read_pairs(deck: OffsetDeck, data: bytes, what: str) -> OffsetPairs:
    """Decode a deck of pairs. Raise `DecodeError` if the size is wrong."""
    group, size = deck.binding.group, deck.size
    half = size * group.point_size
    if len(data) != 2 * half:
        raise DecodeError(f"{what}: {len(data)} bytes instead of {2 * half}")
    return OffsetPairs(read_points(group, data[:half], size, what), read_points(group, data[half:], size, what))


@dataclass(frozen=True)
class RevealingOffsets:
    """Stage: all seats reveal their offsets, in parallel. An honest seat has verified every shuffle before."""

    anchor: bytes

    # defence: only-friends
    def duties(self, deck: OffsetDeck) -> tuple[Duty, ...]:
        """Return one duty for each seat that has not revealed its offset."""
        waiting = [seat for seat in deck.binding.players if seat not in deck.offsets]
        return tuple(deck.duty(seat, "revealOffset", self.anchor) for seat in waiting)

    def _step_of(self, deck: OffsetDeck, seat: int) -> tuple[OffsetPairs, ShuffleStep]:
        """Return the deck before a seat's shuffle, and that shuffle's step."""
        place = deck.order.index(seat)
        before = deck.steps[place - 1].deck if place else deck.start
        if before is None:
            raise BadParameter("there is no deck yet")
        return before, deck.steps[place]

    def message(self, deck: OffsetDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the offset and the blinding that the seat shuffled with."""
        before, _ = self._step_of(deck, duty.seat)
        _, _, rest = deck.step_secrets(tape, duty.seat, before)
        return encode(RevealOffset("cards", duty.seat + 1, rest[1].to_bytes(), rest[2].to_bytes()))

    # defence: only-friends, other-offset
    def apply(self, deck: OffsetDeck, duty: Duty, message: bytes) -> DeckChange:
        """Record an offset. Raise `PeerFault` if it is not the one that the seat committed to in its shuffle."""
        said, group = read_message(RevealOffset, message), deck.binding.group
        refuse_player(duty.seat, said.playerId)
        x = read_secrets(group, said.offset, 1, "offset")
        t = read_secrets(group, said.blinding, 1, "blinding")
        _, step = self._step_of(deck, duty.seat)
        if x * step.R + t * blinding_generator(group) != step.W:
            raise PeerFault(duty.seat, "the offset it reveals is not the one it shuffled with")
        offsets = {**deck.offsets, duty.seat: x}
        if len(offsets) < len(deck.binding.players):
            return DeckChange(deck.in_stage(self, offsets=offsets))
        return deck.finish(offsets=offsets)
