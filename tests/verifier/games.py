"""Games by chance at a table whose keys are all in one hand, for both verifiers to judge.

Every seat says anything that it could: what it owes, from its tape or from another one; what it owes no more, or not
yet; moves that make sense and moves that do not; votes, rosters, ticks, claims. It says so on the log as it is or as it
was a little while ago. What our table refuses is left out, but for the last entry of some logs.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from msgspec import Raw

from conformance.harness import NAMES, Source
from nodealer.engine.bodies import (
    Agree,
    Begin,
    Body,
    Book,
    Break,
    Cards,
    Choice,
    Claim,
    End,
    Leave,
    Move,
    Newcomer,
    Propose,
    Tick,
    Without,
    Word,
)
from nodealer.engine.duties import OpenDuty
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Replica
from nodealer.engine.resolve import create_proposal, resolve_config
from nodealer.errors import NodealerError
from nodealer.games.free.rules import OPERATIONS, Free
from nodealer.games.holdem.rules import Holdem
from nodealer.keys import Identity
from nodealer.log.entry import Entry, sign_entry
from nodealer.log.roster import Member, Roster, member_of, sign_newcomer
from nodealer.log.session import Limits, nonce_commitment, open_session
from nodealer.protocols import make_protocol
from nodealer.tape import Tape, hand_tape, seed_commitment
from nodealer.wire import encode

T = TypeVar("T")

#: Which of hold'em's moves are tried, and how often.
BETS: Final = ("call", "call", "call", "raise", "raise", "fold", "show", "muck")
THEN: Final = ("look", "reorder", "keep", "take")
SMALL_ORDER: Final = bytes(32)


@dataclass
class Kind:
    """A sort of table."""

    game: str = "free"
    protocol: str = "mask"
    seats: int = 3
    cards: int = 4
    hands: int = 0
    clock: bool = False
    #: In how many of a hundred entries somebody does what no honest program does.
    wild: int = 10
    length: int = 60
    #: Whether at the end everybody claims, falsely, that a card does not open.
    claims: bool = False


class Game:
    """A table, and chance."""

    def __init__(self, kind: Kind, seed: str) -> None:
        self.kind, self.chance = kind, Source(seed)
        self.people: dict[int, tuple[Identity, bytes]] = {}
        self.choices: dict[int, dict[bytes, bytes]] = {}
        self.false_tapes: set[tuple[int, int]] = set()
        self.time = 0
        members = [self._sit(seat, "player") for seat in range(kind.seats)]
        if kind.clock:
            members.append(self._sit(kind.seats, "timekeeper"))
        limits = Limits(2000, 1000, self.chance.below(4) * 1000, 500) if kind.clock else None
        protocol = make_protocol(kind.protocol)
        able = frozenset(
            one for one in OPERATIONS if one in protocol.claims.operations or one.value in ("random", "seal")
        )
        rules: Any = Free(kind.cards + 2, able) if kind.game == "free" else self._holdem()
        proposal = create_proposal(rules, protocol, members, hands=kind.hands, clock=limits)
        nonces = {member.seat: self.chance(32) for member in members}
        commitments = {seat: nonce_commitment(proposal, seat, nonce) for seat, nonce in nonces.items()}
        self.session = open_session(proposal, commitments, nonces)
        self.replica = Replica(resolve_config(self.session), entropy=Source(seed + " entropy"), eager=True)
        self.lines: list[bytes] = []
        self.heads = [self.replica.head]

    def _holdem(self) -> Holdem:
        stack = 2 + self.chance.below(30)
        big = 1 + self.chance.below(min(stack, 6))
        return Holdem(stack, (1 + self.chance.below(big), big), self.chance.below(3) % (stack + 1))

    def _sit(self, seat: int, role: str) -> Member:
        self.people[seat] = (Identity(self.chance(32)), self.chance(32))
        return member_of(self.people[seat][0], seat, (*NAMES, "Kim", "Lou")[seat], role)

    # --- Chance ---

    def one_of(self, things: Sequence[T]) -> T:
        return things[self.chance.below(len(things))]

    def often(self, percent: int) -> bool:
        return self.chance.below(100) < percent

    @property
    def wild(self) -> bool:
        return self.often(self.kind.wild)

    # --- Telling ---

    def play(self) -> Game:
        """Until the log is long enough, over, or broken on purpose."""
        for _ in range(4 * self.kind.length):
            if len(self.lines) >= self.kind.length or self.replica.state.phase is Phase.ENDED:
                break
            try:
                said = self._anything()
            except (NodealerError, KeyError, IndexError):
                continue
            if said is not None and not self._put(self._signed(*said)):
                return self
        if self.kind.claims and self.replica.state.phase is Phase.PLAYING:
            for seat in sorted(self.people):
                self._put(self._signed(seat, encode(self._claim(seat))))
        return self

    def _put(self, line: bytes) -> bool:
        """Whether the log goes on."""
        try:
            applied = self.replica.append(line)
        except NodealerError:
            if not self.often(4):
                return True
            self.lines.append(line)
            return False
        if applied.outcome.name == "REPEATED":
            return True
        self.lines.append(line)
        self.heads.append(self.replica.head)
        return True

    def _signed(self, seat: int, body: bytes) -> bytes:
        identity, state = self.people[seat][0], self.replica.state
        seq = self.replica.count_signed_by(identity.public)
        seen, hand, roster, session = self.heads[-1], state.hand.number, state.roster.digest, self.session.id
        if self.often(12):
            seen = self.heads[-1 - self.chance.below(min(len(self.heads), self.one_of((3, 8, 40))))]
        if self.wild and self.often(30):
            seen = self.one_of(self.heads)
            hand = self.chance.below(hand + 3) if self.often(50) else hand
            earlier = [
                self.session.proposal.roster.digest,
                *(one.roster.digest for one in state.chronicle.roster_periods),
            ]
            roster = self.one_of((*earlier, self.chance(32), roster)) if self.often(50) else roster
            seq = max(0, seq + self.one_of((0, 0, 0, 0, 0, 0, -1, 1)))
        return sign_entry(identity, Entry(session, roster, hand, seat, seq, seen, Raw(body)))

    # --- What is said ---

    def _anything(self) -> tuple[int, bytes] | None:
        state = self.replica.state
        if self.often(82):
            # Ends are seldom: after them nothing happens.
            known = [
                one
                for one in state.duties.open.values()
                if one.duty.kind != "end" or state.no_more_hands or self.often(3)
            ]
            if known:
                return self._answer(self.one_of(known))
        seat = self.one_of(sorted(self.people))
        body = self._say(seat)
        return None if body is None else (seat, encode(body))

    def _tape(self, seat: int, hand: int, true: bool = False) -> Tape:
        tape = hand_tape(self.people[seat][1], session=self.session.id, seat=seat, hand=hand)
        return Tape(bytes(a ^ 1 for a in tape.seed)) if (seat, hand) in self.false_tapes and not true else tape

    def _answer(self, known: OpenDuty) -> tuple[int, bytes] | None:
        duty, hand = known.duty, self.replica.state.hand.number
        seat = duty.seat if not self.wild or self.often(80) else self.one_of(sorted(self.people))
        if duty.deck is not None:
            return seat, self._cards(duty)
        match duty.kind:
            case "begin":
                at = duty.binding.hand
                if self.wild and self.often(30):
                    self.false_tapes.add((duty.seat, at))
                tape = self._tape(duty.seat, at, true=True)
                return seat, encode(Begin(duty.id, seed_commitment(tape, session=self.session.id, seat=seat, hand=at)))
            case "end":
                return seat, encode(End(duty.id))
            case "move":
                if duty.optional and self.kind.game == "free" and self.often(10):
                    return None
                return seat, encode(Move(duty.id, Raw(encode(self._move(duty.seat)))))
        return seat, encode(Book(duty.id, self._tape(duty.seat, hand).seed, ()))

    def _cards(self, duty: Any) -> bytes:
        state = self.replica.state
        deck: Any = state.hand.decks[duty.deck]
        tape, choice = self._tape(duty.seat, state.hand.number), None
        if self.wild and self.often(15):
            tape = Tape(self.chance(32))
        chosen = self.choices.setdefault(state.hand.number, {})
        if duty.kind == "arrange":
            stage = deck.stage
            order = list(stage.positions)
            for last in range(len(order) - 1, 0, -1):
                at = self.chance.below(last + 1)
                order[last], order[at] = order[at], order[last]
            choice = chosen.setdefault(duty.id, encode(order[:1] if stage.operation.then.value == "take" else order))
        elif duty.kind == "seal":
            choice = chosen.setdefault(duty.id, self.chance(self.chance.below(12)))
        elif duty.kind == "unseal":
            choice = chosen.get(duty.chosen, b"")
        elif duty.kind == "requestDealParts" and self.often(50):
            players = [seat + 1 for seat in deck.binding.players]
            choice = chosen.setdefault(duty.id, encode(players[::-1]))
        message = deck.message(duty, tape, choice)
        if self.wild:
            message = self._spoilt(message)
        return encode(Cards(duty.id, Raw(message)))

    def _spoilt(self, message: bytes) -> bytes:
        said = json.loads(message)
        for _ in range(1 + self.chance.below(3)):
            field_ = self.one_of([name for name in said if name != "type"])
            if isinstance(said[field_], str) and said[field_] != "cards":
                said[field_] = base64.b64encode(self._bytes(base64.b64decode(said[field_]))).decode()
            elif isinstance(said[field_], int):
                said[field_] = self.one_of((0, 1, 2, said[field_] + 1, 2**53 - 1, 2**53))
            elif isinstance(said[field_], list) and said[field_]:
                said[field_] = self.one_of((said[field_][::-1], said[field_][1:], [*said[field_], said[field_][0]], []))
        return json.dumps(said, separators=(",", ":")).encode()

    def _bytes(self, data: bytes) -> bytes:
        pieces = [data[at : at + 32] for at in range(len(data) % 32, len(data), 32)] or [b""]
        head, at = data[: len(data) % 32], self.chance.below(len(pieces))
        match self.chance.below(9):
            case 0:
                pieces[at] = SMALL_ORDER
            case 1:
                pieces[at] = self.chance(32)
            case 2:
                pieces[at] = pieces[self.chance.below(len(pieces))]
            case 3:
                pieces[at] = (L + int.from_bytes(pieces[at], "little") % L).to_bytes(32, "little")
            case 4:
                pieces[at] = (P - 1 - self.chance.below(3)).to_bytes(32, "little")
            case 5:
                pieces.pop(at)
            case 6:
                pieces.append(pieces[at])
            case 7 if head:
                head = bytes([head[0] ^ (1 + self.chance.below(3)), *head[1:]])
            case _:
                number = int.from_bytes(pieces[at], "little") + self.one_of((1, 2, L - 1))
                pieces[at] = (number % L).to_bytes(32, "little") if pieces[at] else b""
        return head + b"".join(pieces)

    # --- Moves ---

    def _move(self, seat: int) -> dict[str, Any]:
        if self.kind.game == "holdem":
            bet = self.one_of(BETS)
            return {"type": bet, "to": self.chance.below(40)} if bet == "raise" else {"type": bet}
        decks = {number: deck for number, deck in self.replica.state.hand.decks.items() if number < 3}
        if not decks or self.often(3):
            number = self.one_of(range(3))
            return {"type": "shuffle", "deck": number, "cards": 2 + self.chance.below(self.kind.cards), "faces": []}
        number = self.one_of(sorted(decks))
        places: Any = decks[number].places
        mine = [p for p, one in places.held.items() if one == seat]
        aside = [p for p, one in places.discards.items() if one == seat]
        opened = [p for p in (*places.opened, *places.discards) if p not in places.held]
        if self.wild:
            mine += [self.chance.below(places.position_count + 2)]
        seats, count = range(self.kind.seats), 1 + self.chance.below(2)
        some = self._some(mine)
        back = self._some([*mine, *opened])
        moves: list[dict[str, Any]] = [
            {"type": "deal", "deck": number, "portions": [[one, count] for one in self._some(list(seats))]},
            {"type": "deal", "deck": number, "portions": [[seat, 1]]},
            {"type": "open", "deck": number, "count": count},
            {"type": "show", "deck": number, "positions": some},
            {"type": "show to one", "deck": number, "positions": some, "to": self.one_of(seats)},
            {"type": "pass on", "deck": number, "positions": some, "to": self.one_of(seats)},
            {"type": "mix", "deck": number, "positions": self._some(mine, 90)},
            {"type": "look at", "deck": number, "count": count, "then": self.one_of(THEN)},
            {"type": "look at", "deck": number, "count": 2, "then": self.one_of(THEN[1:])},
            {
                "type": "prove",
                "deck": number,
                "positions": sorted(self._some([*mine, *aside])),
                "faces": sorted(self._some(list(range(4)), 30)),
            },
            {
                "type": "give back",
                "deck": number,
                "positions": back,
                "place": self.one_of(("top", "bottom", "shuffled", "discard")),
            },
            {"type": "insert", "deck": number, "positions": back, "depth": count},
            {"type": "roll", "deck": 9, "sides": [6] * count},
            {"type": "seal", "deck": 8, "seats": self._some(list(seats)) if self.often(70) else []},
            {"type": "unseal", "deck": 8},
        ]
        if self.often(6):
            return self.one_of(({"type": "put away", "deck": number}, {"type": "finish"}))
        return self.one_of(moves)

    def _some(self, things: list[T], percent: int = 60) -> list[T]:
        chosen = [thing for thing in things if self.often(percent)]
        return chosen[::-1] if self.often(20) else chosen

    # --- What nobody owes ---

    def _say(self, seat: int) -> Body | None:
        state, known = self.replica.state, self.replica.state.duties.open
        member = state.roster.timekeeper
        if member is not None and self.often(40):
            self.time += self.one_of((0, 10, 500, 1000, 1500, 3000))
            return Tick(self.time)
        match self.chance.below(10):
            case 0 | 1 | 2:
                ids = [id for id, one in known.items() if one.duty.seat != seat or self.wild]
                if self.wild:
                    ids += [id for id, _ in state.duties.closed.items() if self.often(30)]
                return Without(tuple(sorted(set(self._some(ids))))) if ids else None
            case 3:
                ids = [id for id, one in known.items() if one.duty.seat != seat or self.wild]
                return Break(self.one_of(ids)) if ids else None
            case 4:
                return Leave() if self.often(50) else None
            case 5:
                return Word(self.one_of(("a", "é", "x" * 4096, "x" * 4097)))
            case 6:
                return self._propose(seat) if self.often(60) else None
            case 7:
                return Agree(self.one_of(list(state.proposed))) if state.proposed else None
            case 8 if state.phase is Phase.PLAYING and self.often(30):
                return self._claim(seat)
        return None

    def _claim(self, seat: int) -> Claim:
        hand = self.replica.state.hand.number
        choices = tuple(Choice(*one) for one in self.choices.get(hand, {}).items() if not self.wild)
        tape = self._tape(seat, hand, true=not self.wild)
        return Claim(self.one_of((0, 0, 1, 16)), self.chance.below(3), tape.seed, choices)

    def _propose(self, seat: int) -> Propose:
        state = self.replica.state
        members = {member.seat: member for member in state.roster.members}
        known = dict(state.all_members)
        for _ in range(1 + self.chance.below(2)):
            match self.chance.below(5):
                case 0:
                    number = self.chance.below(7)
                    if number not in known:
                        members[number] = self._sit(number, "player")
                case 1:
                    members.pop(self.one_of(sorted(members)), None)
                case 2:
                    number = self.one_of(sorted(known))
                    members[number] = known[number]
                case 3 if self.kind.clock:
                    number = 10 + self.chance.below(2)
                    members = {one: member for one, member in members.items() if member.role != "timekeeper"}
                    if self.often(70):
                        members[number] = known[number] if number in known else self._sit(number, "timekeeper")
        roster = Roster(tuple(members[number] for number in sorted(members)))
        newcomers = tuple(
            Newcomer(one.seat, sign_newcomer(self.people[one.seat][0], self.session.id, roster.digest, one))
            for one in roster.members
            if one.seat not in known
        )
        return Propose(roster, newcomers, None)

    # --- The log ---

    def write(self, path: Path) -> None:
        path.write_bytes(b"".join(line + b"\n" for line in (encode(self.session), *self.lines)))


L: Final = 2**252 + 27742317777372353535851937790883648493
P: Final = 2**255 - 19
