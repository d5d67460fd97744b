"""A protocol in clear text: everything the interface asks of a protocol, and no secrecy at all.

It is the first user of `protocols/base.py` and the test of the conformance suite: it must pass everything but what the
suite asserts about secrecy. A deck is made by a parallel step (every seat publishes a key and proves that it knows the
secret, so that checks are owed) and by sequential ones (every seat in turn permutes the faces, for all to see, and
commits to a share of each position). Cards become known by shares. As in protocols whose cheats are only seen at an
opening, `apply` takes any share of the right size; whoever should read the card finds out, and only the open book
says whose share was false.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from nodealer.cards.events import Event, Finished, Half, Moved, Opened
from nodealer.cards.operations import (
    Capability,
    Card,
    Deal,
    Look,
    NewDeck,
    Open,
    Operation,
    Peek,
    Return,
    Show,
    needed_capabilities,
)
from nodealer.cards.places import Places
from nodealer.errors import BadParameter, CardUnreadable, Malformed, PeerFault
from nodealer.group import Group
from nodealer.proofs.checks import Check
from nodealer.proofs.equality import check_knowledge, prove_knowledge
from nodealer.proofs.transcript import Context, draw_scalars
from nodealer.protocols.base import Binding, Cheat, Claims, DeckChange, Duty
from nodealer.tape import DIGEST_BYTES, Tape, digest
from nodealer.wire import Digest, Message, Natural, decode, encode

SHARE_BYTES: Final = 16
#: Everything but passes, proofs, putting cards back into the deck, and closing it.
OPERATIONS: Final = frozenset(Capability) - {
    Capability.PASS,
    Capability.PROVE,
    Capability.RETURN_TOP,
    Capability.RETURN_BOTTOM,
    Capability.RETURN_SHUFFLED,
    Capability.RETURN_DEPTH,
    Capability.PEEK_KEEP,
    Capability.PEEK_KEEP_BY_OWNER,
    Capability.MIX,
    Capability.CLOSE,
}

#: What a cheating seat sends instead of an honest message.
Lie = Callable[[bytes], bytes]


class KeyMessage(Message, frozen=True):
    key: bytes
    proof: bytes


class ShuffleMessage(Message, frozen=True):
    cards: tuple[Natural, ...]
    #: The digest of `cards`: the one thing in this protocol that is well formed and can be false at once.
    order: Digest
    commitments: bytes


class ShareMessage(Message, frozen=True):
    shares: bytes


class OrderMessage(Message, frozen=True):
    positions: tuple[Natural, ...]


@dataclass(frozen=True)
class ClearProtocol:
    """`recovers` says whether decks survive a seat's leaving; `lies` makes one seat cheat: (seat, step) to its lie."""

    group: Group
    recovers: bool = True
    open_book_at_end: bool = False
    operations: frozenset[Capability] = OPERATIONS
    roles: tuple[str, ...] = ()
    lies: Mapping[tuple[int, str], Lie] = field(default_factory=dict)
    parameters: bytes = b"{}"

    @property
    def claims(self) -> Claims:
        return Claims(
            "clear",
            0,
            (2, 20),
            (2, 10_000),
            self.operations,
            self.roles,
            (Cheat("look at every card", "never", False), Cheat("a false share", "at opening", True)),
            "the cards go on" if self.recovers else "the hand is over",
            {"shuffle": "one message a seat"},
            self.open_book_at_end,
        )

    def new_deck(self, binding: Binding, deck: int, size: int, owner: int | None) -> ClearDeck:
        places = Places.fresh(deck, size, owner)
        return ClearDeck(self, binding, places, NewDeck(deck, size, owner), binding.seats, tuple(range(size)))


@dataclass(frozen=True)
class ClearDeck:
    protocol: ClearProtocol = field(repr=False)
    binding: Binding = field(repr=False)
    places: Places
    #: What is being done, if anything.
    doing: Operation | None
    #: The seats that still take part.
    active: tuple[int, ...]
    #: Position to face, for all to see.
    faces: tuple[int, ...]
    keys: tuple[tuple[int, bytes], ...] = ()
    #: Who has shuffled, with its commitments to shares.
    shuffled: tuple[tuple[int, bytes], ...] = ()
    #: Operations so far, who owes shares for the one in progress, and those published: (seat, position) to share.
    count: int = 0
    owing: tuple[tuple[int, tuple[int, ...]], ...] = ()
    shares: tuple[tuple[tuple[int, int], bytes], ...] = ()
    #: Positions that a seat other than the holder may read.
    peeked: tuple[tuple[int, int], ...] = ()

    # --- What is owed ---

    @property
    def duties(self) -> tuple[Duty, ...]:
        if isinstance(self.doing, NewDeck):
            return self._making()
        owing = dict(self.owing)
        in_turn = self.doing.in_turn(owing) if isinstance(self.doing, Open) else owing
        duties = tuple(self._duty(seat, "share") for seat in in_turn)
        if not duties and isinstance(self.doing, Peek) and self.doing.seat in self.active and self._readable():
            return (replace(self._duty(self.doing.seat, "arrange"), choice=True),)
        return duties

    def _making(self) -> tuple[Duty, ...]:
        waiting = [seat for seat in self.active if seat not in dict(self.keys)]
        if waiting:
            return tuple(self._duty(seat, "key") for seat in waiting)
        return tuple(self._duty(seat, "shuffle") for seat in self.active if seat not in dict(self.shuffled))[:1]

    def _duty(self, seat: int, step: str) -> Duty:
        answered = {"key": b"", "shuffle": encode((self.faces, self.shuffled)), "share": encode(self._wanted(seat))}
        anchor = self._inputs(seat, step.encode(), encode(self.count), answered.get(step, encode(self.places.pile)))
        return Duty(self.binding, self.places.deck, seat, step, anchor)

    def _inputs(self, seat: int, *others: bytes) -> bytes:
        return self.binding.inputs(deck=self.places.deck, epoch=self.places.epoch, seat=seat, others=others)

    def _wanted(self, seat: int) -> tuple[int, ...]:
        return dict(self.owing).get(seat, ())

    def _readable(self) -> bool:
        return all(self._fits(seat, position) for seat, position in dict(self.shares))

    def _fits(self, seat: int, position: int) -> bool:
        commitments = dict(self.shuffled)[seat]
        committed = commitments[position * DIGEST_BYTES : (position + 1) * DIGEST_BYTES]
        return share_commitment(dict(self.shares)[seat, position]) == committed

    # --- What a game asks ---

    @property
    def outcome_seen(self) -> bool:
        return False

    @property
    def half(self) -> Mapping[int, Half]:
        if not isinstance(self.doing, Deal | Open) or not self.owing:
            return {}
        what = Half.DEALT if isinstance(self.doing, Deal) else Half.OPENED
        published = {position for _, position in dict(self.shares)}
        owing = dict(self.owing)
        return {duty.seat: what for duty in self.duties if published.intersection(owing[duty.seat])}

    def request(self, operation: Operation) -> DeckChange:
        if self.doing is not None:
            raise BadParameter(f"deck {self.places.deck} is busy")
        if lacking := needed_capabilities(operation, self.places.belongs_to) - self.protocol.operations:
            raise BadParameter(f"clear cannot {', '.join(map(str, lacking))}")
        busy = replace(self, doing=operation, count=self.count + 1)
        if isinstance(operation, Return):
            return busy._return(operation)
        return busy._ask(busy._positions(operation))

    def _positions(self, operation: Operation) -> dict[int, tuple[int, ...]]:
        """Who owes a share of which positions."""
        if isinstance(operation, Deal):
            dealt = self.places.resolve_deal(operation, self.binding.seats)
            return {
                seat: tuple(sorted(p for to, given in dealt.items() if to != seat for p in given))
                for seat in self.active
            }
        if isinstance(operation, Open):
            chosen = self.places.resolve_positions(operation.count, operation.positions)
            return dict.fromkeys(self.active, tuple(sorted(chosen)))
        if isinstance(operation, Show):
            return {operation.seat: tuple(sorted(self.places.validate_show(operation)))}
        if isinstance(operation, Peek):
            chosen = self.places.next_cards(operation.count)
            return {seat: tuple(sorted(chosen)) for seat in self.active if seat != operation.seat}
        raise BadParameter(f"clear cannot {type(operation).__name__.lower()}")

    def _ask(self, owing: dict[int, tuple[int, ...]]) -> DeckChange:
        published = dict(self.shares)
        fresh = {s: tuple(p for p in positions if (s, p) not in published) for s, positions in owing.items()}
        return replace(self, owing=tuple((s, positions) for s, positions in fresh.items() if positions))._advance()

    def _return(self, operation: Return) -> DeckChange:
        known = {*self.places.pile, *self.places.held, *self.places.opened}
        if not operation.positions or not set(operation.positions) <= known:
            raise BadParameter("only cards of this deck can be returned, at least one")
        held = {p: seat for p, seat in self.places.held.items() if p not in operation.positions}
        places = replace(self.places.remove_from_pile(operation.positions), held=held)
        moved = tuple(Moved(self.places.card(position), None) for position in operation.positions)
        return DeckChange(replace(self, places=places, doing=None), (*moved, Finished(operation)))

    # --- What a seat says ---

    def apply(self, duty: Duty, message: bytes) -> DeckChange:
        if duty.kind == "key":
            return self._take_key(duty, decode(KeyMessage, message, what="the key message"))
        if duty.kind == "shuffle":
            return self._take_shuffle(duty, decode(ShuffleMessage, message, what="the shuffle message"))
        if duty.kind == "share":
            return self._take_shares(duty, decode(ShareMessage, message, what="the share message"))
        return self._take_order(duty, decode(OrderMessage, message, what="the order message"))

    def _take_key(self, duty: Duty, message: KeyMessage) -> DeckChange:
        if len(message.key) != self.binding.group.point_size:
            raise Malformed("a key is one point")
        keys = self.binding.group.points(message.key)
        check: Check = check_knowledge(self._context(duty).transcript(), keys, message.proof)
        return DeckChange(replace(self, keys=tuple(sorted((*self.keys, (duty.seat, message.key))))), checks=(check,))

    def _take_shuffle(self, duty: Duty, message: ShuffleMessage) -> DeckChange:
        if sorted(message.cards) != list(range(len(self.faces))):
            raise Malformed("the shuffled deck is not the deck")
        if len(message.commitments) != len(self.faces) * DIGEST_BYTES:
            raise Malformed("one commitment is needed for each card")
        if message.order != order_digest(message.cards):
            raise PeerFault(duty.seat, "the digest of its order is false")
        shuffled = (*self.shuffled, (duty.seat, message.commitments))
        return replace(self, faces=message.cards, shuffled=shuffled)._advance()

    def _take_shares(self, duty: Duty, message: ShareMessage) -> DeckChange:
        wanted = self._wanted(duty.seat)
        if len(message.shares) != SHARE_BYTES * len(wanted):
            raise Malformed(f"{len(wanted)} shares are needed")
        new = tuple(
            ((duty.seat, position), message.shares[at * SHARE_BYTES : (at + 1) * SHARE_BYTES])
            for at, position in enumerate(wanted)
        )
        owing = tuple(pair for pair in self.owing if pair[0] != duty.seat)
        return replace(self, owing=owing, shares=tuple(sorted((*self.shares, *new))))._advance()

    def _take_order(self, duty: Duty, message: OrderMessage) -> DeckChange:
        if not isinstance(self.doing, Peek):
            raise Malformed("nothing is to be arranged")
        top = self.places.next_cards(self.doing.count)
        return replace(self, places=self._arranged(self.doing, top, message.positions))._finish(self._taken(message))

    def _arranged(self, peek: Peek, top: tuple[int, ...], positions: tuple[int, ...]) -> Places:
        if peek.then is Look.TAKE:
            if len(positions) != 1 or positions[0] not in top:
                raise Malformed("one of the cards that were peeked at can be taken")
            return self.places.move_to_hand(positions[:1], peek.seat)
        if sorted(positions) != sorted(top) or (peek.then is Look.LOOK and positions != top):
            raise Malformed("the cards put back are not those that were peeked at")
        return replace(self.places, pile=(*positions, *self.places.pile[len(top) :]))

    def _taken(self, message: OrderMessage) -> tuple[Event, ...]:
        if isinstance(self.doing, Peek) and self.doing.then is Look.TAKE:
            return (Moved(self.places.card(message.positions[0]), self.doing.seat),)
        return ()

    # --- What follows from it ---

    def _advance(self) -> DeckChange:
        """Do what can be done now that nobody, perhaps, owes anything more for the operation."""
        if isinstance(self.doing, NewDeck):
            done = {*dict(self.shuffled)} >= set(self.active)
            return self._finish(()) if done else DeckChange(self)
        if self.owing or self.doing is None:
            return DeckChange(self)
        if isinstance(self.doing, Deal):
            return self._dealt(self.places.resolve_deal(self.doing, self.binding.seats))
        if isinstance(self.doing, Open):
            return self._open(self.places.resolve_positions(self.doing.count, self.doing.positions))
        if isinstance(self.doing, Show):
            return self._shown(self.doing)
        if isinstance(self.doing, Peek):
            peeked = tuple((position, self.doing.seat) for position in self.places.next_cards(self.doing.count))
            return DeckChange(replace(self, peeked=(*self.peeked, *peeked)))
        return DeckChange(self)

    def _dealt(self, dealt: Mapping[int, tuple[int, ...]]) -> DeckChange:
        places, events = self.places, list[Event]()
        for seat, positions in dealt.items():
            places = places.move_to_hand(positions, seat)
            events += [Moved(places.card(position), seat) for position in positions]
        return replace(self, places=places)._finish(tuple(events))

    def _shown(self, show: Show) -> DeckChange:
        if show.to is None:
            return self._open(show.positions)
        seen = tuple((position, show.to) for position in show.positions)
        return replace(self, peeked=(*self.peeked, *seen))._finish(())

    def _open(self, positions: tuple[int, ...]) -> DeckChange:
        if any(not self._fits(s, p) for s, p in dict(self.shares) if p in positions):
            # The cards will not open. Everybody sees it, nobody can say more without books.
            return DeckChange(self)
        places = self.places.open({position: self.faces[position] for position in positions})
        opened = (Opened(places.card(position), self.faces[position]) for position in positions)
        return replace(self, places=places)._finish(tuple(opened))

    def _finish(self, events: tuple[Event, ...]) -> DeckChange:
        if self.doing is None:
            raise BadParameter("nothing to finish")
        return DeckChange(replace(self, doing=None, owing=()), (*events, Finished(self.doing)))

    # --- A seat ---

    def message(self, duty: Duty, tape: Tape, choice: bytes | None = None) -> bytes:
        honest = self._honest(duty, tape, choice)
        lie = self.protocol.lies.get((duty.seat, duty.kind))
        return honest if lie is None else lie(honest)

    def _honest(self, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        if duty.kind == "key":
            secret = draw_scalars(tape, "clear key", self._inputs(duty.seat), self.binding.group, 1)
            key = secret * self.binding.group.G
            proof = prove_knowledge(self._context(duty).transcript(), tape, key, secret)
            return encode(KeyMessage(key.to_bytes(), proof))
        if duty.kind == "shuffle":
            cards = permuted(self.faces, tape, self._inputs(duty.seat, encode(self.faces)))
            shares = (self._share(duty.seat, tape, position) for position in range(len(self.faces)))
            return encode(ShuffleMessage(cards, order_digest(cards), b"".join(map(share_commitment, shares))))
        if duty.kind == "share":
            shares = (self._share(duty.seat, tape, position) for position in self._wanted(duty.seat))
            return encode(ShareMessage(b"".join(shares)))
        if choice is None:
            raise BadParameter("a choice is needed to arrange cards")
        chosen = OrderMessage(decode(tuple[Natural, ...], choice, what="the choice"))
        self._take_order(duty, chosen)
        return encode(chosen)

    def _share(self, seat: int, tape: Tape, position: int) -> bytes:
        return tape.draw("clear share", self._inputs(seat), size=SHARE_BYTES, index=position)

    def knows(self, seat: int, tape: Tape) -> Mapping[Card, int]:
        known = {self.places.card(position): face for position, face in self.places.opened.items()}
        mine = {*self.places.hand(seat), *(position for position, by in self.peeked if by == seat)}
        opening = self._positions(self.doing) if isinstance(self.doing, Open | Show) and not self.owing else {}
        for position in sorted({*mine, *(p for positions in opening.values() for p in positions)}):
            for other, at in dict(self.shares):
                if at == position and not self._fits(other, at):
                    raise CardUnreadable(self.places.deck, position, "a share is not what was committed to")
            known[self.places.card(position)] = self.faces[position]
        return known

    def without(self, seats: tuple[int, ...]) -> DeckChange | None:
        if not self.protocol.recovers:
            return None
        active = tuple(seat for seat in self.active if seat not in seats)
        owing = tuple(pair for pair in self.owing if pair[0] not in seats)
        rest = replace(self, active=active, owing=owing)
        if isinstance(self.doing, Show | Peek) and self.doing.seat in seats:
            return rest._finish(())
        return rest._advance() if (self.active, self.owing) != (active, owing) else DeckChange(rest)

    def digest(self) -> bytes:
        parts = (self.places.digest(), repr(self.doing), encode((self.active, self.faces, self.keys, self.shuffled)))
        return digest("clear deck", *parts, encode((self.count, self.owing, self.shares, self.peeked)))

    def _context(self, duty: Duty) -> Context:
        where = {"deck": self.places.deck, "epoch": self.places.epoch, "seat": duty.seat}
        return self.binding.context(**where, step=duty.kind, anchor=duty.anchor)


def permuted(faces: tuple[int, ...], tape: Tape, inputs: bytes) -> tuple[int, ...]:
    """The shuffle step and nothing else."""
    return tuple(faces[at] for at in tape.permutation("clear shuffle", inputs, len(faces)).vartime_list())


def order_digest(cards: tuple[int, ...]) -> bytes:
    return digest("clear order", encode(cards))


def share_commitment(share: bytes) -> bytes:
    return digest("clear share", share)


# --- Ways to cheat ---


def bad_proof(message: bytes) -> bytes:
    """A proof whose last response is off by one: well formed, and false."""
    honest = decode(KeyMessage, message, what="the key message")
    low = honest.proof[-32] ^ 1
    return encode(KeyMessage(honest.key, honest.proof[:-32] + bytes([low]) + honest.proof[-31:]))


def bad_order(message: bytes) -> bytes:
    """An order that is not the one whose digest was sent."""
    honest = decode(ShuffleMessage, message, what="the shuffle message")
    return encode(ShuffleMessage((*honest.cards[1:], honest.cards[0]), honest.order, honest.commitments))


def bad_share(message: bytes) -> bytes:
    """A first share that is not the one committed to."""
    honest = decode(ShareMessage, message, what="the share message")
    return encode(ShareMessage(bytes([honest.shares[0] ^ 1]) + honest.shares[1:]))


def bad_dealt_share(message: bytes) -> bytes:
    """The same where several shares are sent at once, which in the tests' game is a deal."""
    honest = decode(ShareMessage, message, what="the share message")
    return bad_share(message) if len(honest.shares) > SHARE_BYTES else message


def bad_opened_share(message: bytes) -> bytes:
    """The same where one share is sent, which in the tests' game is an opening."""
    return bad_share(message) if bad_dealt_share(message) == message else message


def fixed_shuffle(message: bytes) -> bytes:
    """A deck left as it was: not honest, and no fault that anybody can see without books."""
    honest = decode(ShuffleMessage, message, what="the shuffle message")
    cards = tuple(sorted(honest.cards))
    return encode(ShuffleMessage(cards, order_digest(cards), honest.commitments))
