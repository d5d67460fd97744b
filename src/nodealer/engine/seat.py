"""A seat: a replica plus one player's secrets. It says which entries come next from this player.

No socket, no clock, no randomness: entries come in by `receive` in the order of the log, and go out as the bytes that
`due` and the acting methods return. What goes out is in the journal first, so that a seat that was killed sends the
same bytes again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from nodealer.cards.operations import Card
from nodealer.engine.bodies import (
    Agree,
    Answer,
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
    NewKey,
    Propose,
    Tick,
    Without,
    Word,
    read_body,
)
from nodealer.engine.duties import OpenDuty, TableDuty
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Applied, Checkpoint, Outcome, Replica, settle_in_process
from nodealer.engine.replica import CheckRunner as BeginChecks
from nodealer.engine.resolve import refuse_without_asserts
from nodealer.engine.state import Config, TableState
from nodealer.engine.transitions import Origin, TooLate, apply_body
from nodealer.errors import (
    BadParameter,
    CardUnreadable,
    EntryRefused,
    IllegalMove,
    JournalLost,
    LogRolledBack,
    Malformed,
    PeerFault,
    Unprovable,
)
from nodealer.keys import Identity
from nodealer.log.entry import Entry, read_entry, sign_entry
from nodealer.log.journal import Chosen, Journal, Sent
from nodealer.log.roster import Roster
from nodealer.proofs.checks import Entropy
from nodealer.protocols.base import MISDEAL, Duty
from nodealer.tape import Tape, hand_tape, seed_commitment
from nodealer.wire import encode


class Seat:
    """One player at a table."""

    def __init__(
        self,
        config: Config,
        seat: int,
        *,
        root: bytes,
        key: Identity,
        journal: Journal,
        entropy: Entropy,
        log: Iterable[bytes] = (),
        begin: BeginChecks = settle_in_process,
    ) -> None:
        """Sit down, or come back: from the root, the key, the journal and the whole log as far as it goes.

        `begin` settles the checks of that log, perhaps while more of it is read.

        Raises `LogRolledBack` for a log that lacks what the journal shows this seat has seen, and `JournalLost` when
        it is the journal that lacks what this seat has signed.
        """
        refuse_without_asserts()
        self.number = seat
        #: Whether to begin the next hand; otherwise the seat ends. Who sits out does neither, and keeps its chips.
        self.stays = True
        #: Whether a person is asked before a book is opened because somebody disputes a hand. Bots open it by rule.
        self.asks_for_books = False
        #: The hands whose books the person has agreed to open.
        self._agreed: set[int] = set()
        self.sits_out = False
        #: The hand before which this seat has said that it sits out, and the roster: for another one it says so again.
        self._sat_out: tuple[int, bytes] | None = None
        # Lazily: everything is settled at once, and always before anything is sent.
        # This seat has settled most of it before.
        self.replica = Replica(config, entropy=entropy, eager=False, check_runner=begin, settle_after_hand=False)
        self._root = root
        self._key = key
        self._journal = journal
        self._choices: dict[bytes, bytes] = {}
        #: Entries that were signed and are not in the log yet, in their order.
        self._outbox: dict[bytes, bytes] = {}
        #: Duty to the head on which it was answered: one that is opened again later is not answered yet.
        self._answered: dict[bytes, bytes] = {}
        #: Hand to the duties of its cards that this seat has answered, in the log or on their way.
        self._card_duties: dict[int, set[bytes]] = {}
        #: The hands in which this seat has disputed a card, as far as this process knows.
        self._disputed: set[int] = set()
        #: Duties of which this seat has found that it cannot prove what they ask for.
        self._unprovable: set[bytes] = set()
        #: Everything this seat has signed, in the order of its numbers.
        self._sent: list[bytes] = []
        seen = self._restore()
        for data in log:
            self.receive(data)
        self._refuse_rollback(seen)

    # --- In ---

    def receive(self, data: bytes) -> Applied:
        """The next entry of the log. Raises what `Replica.append` raises."""
        # The same object, where it is this seat's own: what it said is kept once.
        data = self._outbox.get(data, data)
        applied = self.replica.append(data)
        self._outbox.pop(data, None)
        signed = self.replica.count_signed_by(self._key.public)
        fresh = signed and applied.outcome is not Outcome.REPEATED
        if signed > len(self._sent) or (fresh and self._foreign(data, signed)):
            # Signing on would give one number to two entries. A seat that lost its journal is a dropout.
            raise JournalLost(f"the log has an entry of seat {self.number} that is not in its journal")
        return applied

    def mark(self) -> tuple[Checkpoint, dict[bytes, bytes]]:
        """A place to which this seat may go back, as long as it says nothing."""
        return self.replica.checkpoint(), dict(self._outbox)

    def back_to(self, mark: tuple[Checkpoint, dict[bytes, bytes]]) -> None:
        """Forget what came after a mark."""
        at, outbox = mark
        self.replica.roll_back(at)
        self._outbox = dict(outbox)

    def _foreign(self, data: bytes, signed: int) -> bool:
        """Whether `data` is the newest entry that the log has of this seat, and not the one that it sent."""
        return self.replica.last_entry_of(self._key.public) == data != self._sent[signed - 1]

    # --- Out ---

    @property
    def went(self) -> bool:
        """Whether this seat has said that it goes, and has not come back since: by word, or not dealt in."""
        for data in reversed(self._sent):
            body = read_body(bytes(read_entry(data).entry.body))
            if isinstance(body, Begin | Leave | End):
                return isinstance(body, Leave)
        return False

    @property
    def unconfirmed(self) -> tuple[bytes, ...]:
        """What was sent and is not in the log yet: to be sent again, in this order, when a connection is new."""
        return tuple(self._outbox)

    def due(self) -> list[bytes]:
        """Fulfil every duty that needs no person. The entries are in the journal when this returns."""
        # Here, and only here, stands the rule: nothing leaves a seat on an unverified log.
        self.replica.settle()
        if self.number in self.replica.state.expelled:
            return []
        sent = []
        for open_duty in list(self.replica.state.duties.open.values()):
            body = self._answer(open_duty)
            if body is not None:
                sent.append(self._send(body))
        state = self.replica.state
        waited = state.phase is Phase.BETWEEN and not state.no_more_hands and self.number in state.present
        now = (state.hand.number, state.roster.digest)
        if self.sits_out and self.stays and waited and self._sat_out != now:
            self._sat_out = now
            sent.append(self._send(Leave()))
        return sent

    def _answer(self, open_duty: OpenDuty) -> Body | None:
        duty = open_duty.duty
        if duty.seat != self.number or self._has_answered(open_duty) or duty.id in self._unprovable:
            return None
        if duty.deck is None and duty.kind == TableDuty.BEGIN and self._begins:
            session, hand = self.replica.config.session.id, duty.binding.hand
            return Begin(duty.id, seed_commitment(self._tape(hand), session=session, seat=self.number, hand=hand))
        if duty.deck is None and duty.kind == TableDuty.END and not self.stays:
            return End(duty.id)
        if duty.deck is None and duty.kind == TableDuty.BOOK:
            if duty.binding.hand in self.disputed_books:
                return None
            return Book(duty.id, self._tape(duty.binding.hand).seed, self._opened_choices(duty.binding.hand))
        chooses = duty.choice or duty.recalls is not None
        if duty.deck is None or duty.optional or (chooses and duty.chosen not in self._choices):
            return None
        deck = self.replica.state.hand.decks[duty.deck]
        try:
            message = deck.message(duty, self._tape(duty.binding.hand), self._choices.get(duty.chosen))
        except CardUnreadable:
            # `cards` tells the person, who may claim; what does not hang on that card goes on.
            return None
        except Unprovable:
            # `unprovable` tells the person. Anything that was said would show the card.
            self._unprovable.add(duty.id)
            return None
        return Cards(duty.id, msgspec.Raw(message))

    @property
    def _begins(self) -> bool:
        """Whether this seat plays the next hand. One that owes a book is not dealt in."""
        return self.stays and not self.sits_out and not self.disputed_books

    # --- The person ---

    @property
    def disputed_books(self) -> tuple[int, ...]:
        """The hands whose books the person is asked to open. Until it does, they are unchecked."""
        if not self.asks_for_books:
            return ()
        books = self.replica.state.disclosures.items()
        asked = [hand for hand, case in books if case.disputed and self.number in case.owing]
        return tuple(hand for hand in asked if hand not in self._agreed)

    def open_books(self) -> list[bytes]:
        """Open what is asked for. It shows all that this seat held in these hands, and nothing of any other."""
        if not self.disputed_books:
            raise IllegalMove("nobody asks for a book of this seat")
        self._agreed.update(self.disputed_books)
        return self.due()

    @property
    def open_duties(self) -> tuple[Duty, ...]:
        """What this seat owes or may do and has not answered."""
        mine = self.replica.state.duties.of_seat(self.number).values()
        return tuple(open_duty.duty for open_duty in mine if not self._has_answered(open_duty))

    @property
    def move_duty(self) -> Duty | None:
        """The move in the game that this seat can make now."""
        return next((duty for duty in self.open_duties if duty.deck is None and duty.kind == TableDuty.MOVE), None)

    @property
    def may_move(self) -> bool:
        """Whether this seat can make a move in the game now."""
        return self.move_duty is not None

    @property
    def must_move(self) -> bool:
        """Whether the others wait for its move."""
        duty = self.move_duty
        return duty is not None and not duty.optional

    @property
    def to_choose(self) -> tuple[Duty, ...]:
        """The private choices about cards that this seat owes and has not made."""
        owed = (duty for duty in self.open_duties if duty.deck is not None and duty.choice)
        return tuple(duty for duty in owed if duty.id not in self._choices)

    @property
    def unprovable(self) -> tuple[Duty, ...]:
        """What this seat owes a proof of that is not so: the table waits, and it says nothing."""
        return tuple(duty for duty in self.open_duties if duty.id in self._unprovable)

    def cards(self, then: TableState | None = None) -> Mapping[Card, int]:
        """The faces that this seat knows, or knew then. Raises `CardUnreadable` when it was given false data: a reason
        to claim."""
        self.replica.settle()
        hand = (then or self.replica.state).hand
        tape = self._tape(hand.number)
        known: dict[Card, int] = {}
        for deck in hand.decks.values():
            known.update(deck.knows(self.number, tape))
        return known

    def choose(self, duty: Duty, choice: bytes) -> None:
        """Settle a private choice. On the disk before it is acted on: a seat that comes back does not choose again.

        Raises `IllegalMove` for a choice that is not this seat's to make, or that no message can be made of.
        """
        if duty.id in self._choices:
            raise IllegalMove(f"seat {self.number} has chosen already")
        if duty.deck is None or not (duty.choice or duty.may_choose) or duty not in self.open_duties:
            raise IllegalMove(f"seat {self.number} has nothing of this kind to choose now")
        self.replica.settle()
        try:
            self.replica.state.hand.decks[duty.deck].message(duty, self._tape(duty.binding.hand), choice)
        except (BadParameter, Malformed) as error:
            raise IllegalMove(f"not a choice: {error}") from None
        self._journal.write(Chosen(self.replica.head, duty.id, choice))
        self._choices[duty.id] = choice

    def move(self, move: object) -> bytes:
        """Make a move in the game. Raises `IllegalMove` when it is not this seat's turn or the rules forbid it."""
        duty = self.move_duty
        if duty is None:
            raise IllegalMove(f"seat {self.number} has no move to make now")
        return self._send_settled(Move(duty.id, msgspec.Raw(encode(move))))

    def propose(self, roster: Roster, newcomers: Mapping[int, bytes] | None = None, key: NewKey | None = None) -> bytes:
        """Propose another roster, with the signature of each seat that is new in it, and perhaps another key."""
        signed = tuple(Newcomer(seat, signature) for seat, signature in sorted((newcomers or {}).items()))
        return self._send_settled(Propose(roster, signed, key))

    def agree(self, proposal: bytes) -> bytes:
        """Agree to a proposed roster."""
        return self._send_settled(Agree(proposal))

    def without(self, seats: Iterable[int]) -> bytes:
        """Say that the table should not wait for what these seats owe now."""
        named = frozenset(seats)
        return self.without_duties(id for id, seat in self.waits_for.items() if seat in named)

    def without_duties(self, duties: Iterable[bytes]) -> bytes:
        """Say that the table should not wait for these duties of others."""
        owed = tuple(sorted(duties))
        if not owed:
            raise IllegalMove("nobody waits for these seats")
        return self._send_settled(Without(owed))

    def break_off(self) -> bytes:
        """Say that the hand should be broken off, because another seat does not do what it owes."""
        owed = self.waits_for
        if not owed:
            raise IllegalMove("nobody waits for another seat")
        return self._send_settled(Break(min(owed)))

    def leave(self) -> bytes:
        """Leave the hand, or between hands sit out."""
        return self._send_settled(Leave())

    def tick(self, time: int) -> bytes:
        """Say what time it is, as the timekeeper."""
        return self._send_settled(Tick(time))

    def word(self, text: str) -> bytes:
        """Say something that the log keeps and that changes nothing."""
        return self._send_settled(Word(text))

    @property
    def waits_for(self) -> dict[bytes, int]:
        """The duties of other seats that hold the table up, with their seats."""
        held_up = self.replica.state.duties.blocking
        return {id: seat for id, seat in held_up.items() if seat != self.number}

    @property
    def may_vote(self) -> bool:
        """Whether this seat has a word on going on without those who hold the table up."""
        owed = tuple(sorted(self.waits_for))
        return bool(owed) and self._refusal(Without(owed)) is None

    @property
    def may_break(self) -> bool:
        """Whether this seat has a word on breaking off."""
        owed = self.waits_for
        return bool(owed) and self._refusal(Break(min(owed))) is None

    @property
    def disputes(self) -> bool:
        """Whether this seat has disputed a card of this hand: since it came, or in a way that a duty remembers."""
        mine = self.replica.state.duties.of_seat(self.number).values()
        answered = any(known.duty.kind == MISDEAL and self._has_answered(known) for known in mine)
        return answered or self.replica.state.hand.number in self._disputed

    def claim(self, unreadable: CardUnreadable) -> bytes:
        """Dispute a card that does not open.

        First in the protocol's own way, where it has one, at the cost of that card alone; asked again, or where it has
        none, this opens the seat's book of the hand, and after it everybody's.
        """
        said = self._send_settled(self._dispute(unreadable))
        self._disputed.add(self.replica.state.hand.number)
        return said

    def may_claim(self, unreadable: CardUnreadable) -> bool:
        """Whether the table would hear it."""
        return self._refusal(self._dispute(unreadable)) is None

    def _dispute(self, unreadable: CardUnreadable) -> Cards | Claim:
        for duty in self.open_duties:
            if duty.deck == unreadable.deck and duty.kind == MISDEAL:
                deck = self.replica.state.hand.decks[duty.deck]
                return Cards(duty.id, msgspec.Raw(deck.message(duty, self._tape(duty.binding.hand))))
        seed = self._tape(self.replica.state.hand.number).seed
        choices = self._opened_choices(self.replica.state.hand.number)
        return Claim(unreadable.deck, unreadable.position, seed, choices)

    # --- Inside ---

    def _has_answered(self, open_duty: OpenDuty) -> bool:
        head = self._answered.get(open_duty.duty.id)
        height = None if head is None else self.replica.height_of(head)
        return head is not None and (height is None or height >= open_duty.since)

    def _tape(self, hand: int) -> Tape:
        return hand_tape(self._root, session=self.replica.config.session.id, seat=self.number, hand=hand)

    def _opened_choices(self, hand: int) -> tuple[Choice, ...]:
        said = self._card_duties.get(hand, set())
        return tuple(Choice(duty, choice) for duty, choice in sorted(self._choices.items()) if duty in said)

    def _send_settled(self, body: Body) -> bytes:
        # A number that is signed is used up: what the table would refuse must not be signed at all.
        refusal = self._refusal(body)
        if refusal is not None:
            raise IllegalMove(refusal)
        return self._send(body)

    def _refusal(self, body: Body) -> str | None:
        """Why the table would not take this from this seat now, where that is so."""
        self.replica.settle()
        state, height = self.replica.state, self.replica.height
        if self.number in state.expelled:
            return "this seat was found at fault"
        if self._outbox and isinstance(body, Propose | Agree | Tick):
            return "something that this seat said is still on its way"
        try:
            apply_body(state, Origin(height, self.number, state.hand.number, height), body)
        except EntryRefused as refused:
            return refused.reason
        except TooLate:
            return "that would change nothing now"
        except PeerFault as fault:
            return fault.reason if fault.seat == self.number else None
        return None

    def _send(self, body: Body) -> bytes:
        """Sign, write to the journal, and only then let go."""
        state = self.replica.state
        entry = Entry(
            session=self.replica.config.session.id,
            roster=state.roster.digest,
            hand=state.hand.number,
            seat=self.number,
            seq=len(self._sent),
            seen=self.replica.head,
            body=msgspec.Raw(encode(body)),
        )
        data = sign_entry(self._key, entry)
        self._journal.write(Sent(data))
        self._note(data, entry, body)
        return data

    def _note(self, data: bytes, entry: Entry, body: Body) -> None:
        self._sent.append(data)
        self._outbox[data] = data
        if isinstance(body, Answer):
            self._answered[body.duty] = entry.seen
        if isinstance(body, Cards):
            self._card_duties.setdefault(entry.hand, set()).add(body.duty)

    def _restore(self) -> set[bytes]:
        """What the journal has. Gives every head that this seat had seen then."""
        seen = set[bytes]()
        for record in self._journal.records:
            if isinstance(record, Chosen):
                self._choices[record.duty] = record.choice
                seen.add(record.head)
            else:
                entry = read_entry(record.entry).entry
                self._note(record.entry, entry, read_body(bytes(entry.body)))
                seen.add(entry.seen)
        return seen

    def _refuse_rollback(self, seen: Iterable[bytes]) -> None:
        # What this seat saw had been settled: without what turned out to be built on something false.
        self.replica.settle()
        if not all(map(self.replica.has_seen, seen)):
            raise LogRolledBack("the log lacks a head that this seat has seen: it was rolled back, or is a fork")
