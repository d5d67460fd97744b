"""A seat: a replica plus one player's secrets. It signs the entries of this player.

There is no socket, clock or randomness here: entries come in through `receive` in the order of the log, and go out as
the bytes that `answer_duties` and the acting methods return. Everything is written to the journal before it goes out,
so a seat that was killed sends the same bytes again.
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
        check_runner: BeginChecks = settle_in_process,
    ) -> None:
        """Take a seat, or resume it, from the root, the key, the journal and the log so far.

        `check_runner` settles the checks of that log, possibly while more of it is read.

        Raise `LogRolledBack` if the log lacks something that the journal shows this seat has seen, and `JournalLost` if
        the journal lacks something that this seat has signed.
        """
        refuse_without_asserts()
        self.number = seat
        #: Whether to begin the next hand; otherwise the seat ends. A seat sitting out does neither and keeps its chips.
        self.stays = True
        #: Whether a person is asked before a disputed hand is disclosed. Bots always disclose it.
        self.asks_before_disclosing = False
        #: The hands that the person has agreed to disclose.
        self._disclosure_consents: set[int] = set()
        self.sits_out = False
        #: The hand and roster for which this seat has announced that it sits out. It announces it again for others.
        self._announced_sit_out: tuple[int, bytes] | None = None
        # Lazy: checks are settled together, but always before anything is sent. This seat has settled most of the log
        # before.
        self.replica = Replica(config, entropy=entropy, eager=False, check_runner=check_runner, settle_after_hand=False)
        self._root = root
        self._key = key
        self._journal = journal
        self._choices: dict[bytes, bytes] = {}
        #: Entries that were signed and are not in the log yet, in their order.
        self._outbox: dict[bytes, bytes] = {}
        #: Duty to the head on which it was answered: a duty that is opened again later is not answered yet.
        self._answered: dict[bytes, bytes] = {}
        #: Hand to the card duties that this seat has answered, whether in the log or on their way.
        self._card_duties: dict[int, set[bytes]] = {}
        #: The hands in which this seat has disputed a card, as far as this process knows.
        self._disputed: set[int] = set()
        #: The duties that demand a proof which this seat cannot give.
        self._unprovable_ids: set[bytes] = set()
        #: Everything this seat has signed, in the order of its numbers.
        self._sent: list[bytes] = []
        seen = self._restore_journal()
        for data in log:
            self.receive(data)
        self._refuse_rollback(seen)

    # --- In ---

    def receive(self, data: bytes) -> Applied:
        """Apply the next entry of the log. Raise the errors of `Replica.append`, or `JournalLost`."""
        # Use the outbox's own object for an entry of this seat, so that it is stored only once.
        data = self._outbox.get(data, data)
        applied = self.replica.append(data)
        self._outbox.pop(data, None)
        signed = self.replica.count_signed_by(self._key.public)
        fresh = signed and applied.outcome is not Outcome.REPEATED
        if signed > len(self._sent) or (fresh and self._is_foreign(data, signed)):
            # Further signatures would give one number to two entries. A seat that lost its journal must drop out.
            raise JournalLost(f"the log has an entry of seat {self.number} that is not in its journal")
        return applied

    def checkpoint(self) -> tuple[Checkpoint, dict[bytes, bytes]]:
        """Return a checkpoint to roll back to. It is valid as long as this seat signs nothing."""
        return self.replica.checkpoint(), dict(self._outbox)

    def roll_back(self, checkpoint: tuple[Checkpoint, dict[bytes, bytes]]) -> None:
        """Drop everything received after a checkpoint."""
        at, outbox = checkpoint
        self.replica.roll_back(at)
        self._outbox = dict(outbox)

    def _is_foreign(self, data: bytes, signed: int) -> bool:
        """Return whether `data` is this seat's newest entry in the log but not the one that it sent."""
        return self.replica.last_entry_of(self._key.public) == data != self._sent[signed - 1]

    # --- Out ---

    @property
    def has_left(self) -> bool:
        """Whether this seat has announced that it leaves and has not begun a hand since."""
        for data in reversed(self._sent):
            body = read_body(bytes(read_entry(data).entry.body))
            if isinstance(body, Begin | Leave | End):
                return isinstance(body, Leave)
        return False

    @property
    def unconfirmed(self) -> tuple[bytes, ...]:
        """The entries that were sent and are not in the log yet.

        They must be sent again, in this order, on a new connection.
        """
        return tuple(self._outbox)

    def answer_duties(self) -> list[bytes]:
        """Fulfil every duty that needs no person. The returned entries are already in the journal."""
        # This enforces the rule that nothing leaves a seat on an unverified log.
        self.replica.settle()
        if self.number in self.replica.state.expelled:
            return []
        sent = []
        for open_duty in list(self.replica.state.duties.open.values()):
            body = self._answer_duty(open_duty)
            if body is not None:
                sent.append(self._sign(body))
        state = self.replica.state
        waited = state.phase is Phase.BETWEEN and not state.no_more_hands and self.number in state.present
        now = (state.hand.number, state.roster.digest)
        if self.sits_out and self.stays and waited and self._announced_sit_out != now:
            self._announced_sit_out = now
            sent.append(self._sign(Leave()))
        return sent

    def _answer_duty(self, open_duty: OpenDuty) -> Body | None:
        """Return the body that fulfils a duty, or None if it is not this seat's, was answered, or needs a person."""
        duty = open_duty.duty
        if duty.seat != self.number or self._has_answered(open_duty) or duty.id in self._unprovable_ids:
            return None
        if duty.deck is None and duty.kind == TableDuty.BEGIN and self._wants_to_begin:
            session, hand = self.replica.config.session.id, duty.binding.hand
            return Begin(duty.id, seed_commitment(self._tape(hand), session=session, seat=self.number, hand=hand))
        if duty.deck is None and duty.kind == TableDuty.END and not self.stays:
            return End(duty.id)
        if duty.deck is None and duty.kind == TableDuty.BOOK:
            if duty.binding.hand in self.hands_to_disclose:
                return None
            return Book(duty.id, self._tape(duty.binding.hand).seed, self._disclosed_choices(duty.binding.hand))
        chooses = duty.choice or duty.recalls is not None
        if duty.deck is None or duty.optional or (chooses and duty.chosen not in self._choices):
            return None
        deck = self.replica.state.hand.decks[duty.deck]
        try:
            message = deck.message(duty, self._tape(duty.binding.hand), self._choices.get(duty.chosen))
        except CardUnreadable:
            # `known_cards` reports it to the person, who may dispute it. Everything else goes on.
            return None
        except Unprovable:
            # `unprovable_duties` reports it to the person. Any message would reveal the card.
            self._unprovable_ids.add(duty.id)
            return None
        return Cards(duty.id, msgspec.Raw(message))

    @property
    def _wants_to_begin(self) -> bool:
        """Whether this seat plays the next hand. A seat that owes a disclosure is not dealt in."""
        return self.stays and not self.sits_out and not self.hands_to_disclose

    # --- The person ---

    @property
    def hands_to_disclose(self) -> tuple[int, ...]:
        """The disputed hands that the person is asked to disclose. Until they do, these stay unchecked."""
        if not self.asks_before_disclosing:
            return ()
        books = self.replica.state.disclosures.items()
        asked = [hand for hand, case in books if case.disputed and self.number in case.owing]
        return tuple(hand for hand in asked if hand not in self._disclosure_consents)

    def disclose(self) -> list[bytes]:
        """Disclose the hands asked for. This shows everything this seat held in them, and nothing of other hands."""
        if not self.hands_to_disclose:
            raise IllegalMove("no disclosure of this seat is asked for")
        self._disclosure_consents.update(self.hands_to_disclose)
        return self.answer_duties()

    @property
    def open_duties(self) -> tuple[Duty, ...]:
        """The duties of this seat, including optional ones, that it has not answered."""
        mine = self.replica.state.duties.of_seat(self.number).values()
        return tuple(open_duty.duty for open_duty in mine if not self._has_answered(open_duty))

    @property
    def move_duty(self) -> Duty | None:
        """The move in the game that this seat can make now, or None."""
        return next((duty for duty in self.open_duties if duty.deck is None and duty.kind == TableDuty.MOVE), None)

    @property
    def can_move(self) -> bool:
        """Whether this seat can make a move in the game now."""
        return self.move_duty is not None

    @property
    def must_move(self) -> bool:
        """Whether the others wait for this seat's move."""
        duty = self.move_duty
        return duty is not None and not duty.optional

    @property
    def pending_choices(self) -> tuple[Duty, ...]:
        """The private choices about cards that this seat owes and has not made."""
        owed = (duty for duty in self.open_duties if duty.deck is not None and duty.choice)
        return tuple(duty for duty in owed if duty.id not in self._choices)

    @property
    def unprovable_duties(self) -> tuple[Duty, ...]:
        """The proofs that this seat owes but cannot give because the claim is false. The table waits for them."""
        return tuple(duty for duty in self.open_duties if duty.id in self._unprovable_ids)

    def known_cards(self, then: TableState | None = None) -> Mapping[Card, int]:
        """Return the faces that this seat knows, or knew at `then`.

        Raise `CardUnreadable` if it was given false data, which is a reason for a dispute.
        """
        self.replica.settle()
        hand = (then or self.replica.state).hand
        tape = self._tape(hand.number)
        known: dict[Card, int] = {}
        for deck in hand.decks.values():
            known.update(deck.knows(self.number, tape))
        return known

    def choose(self, duty: Duty, choice: bytes) -> None:
        """Make a private choice. It is in the journal before it takes effect, so a resumed seat does not choose again.

        Raise `IllegalMove` if the choice is not this seat's to make or is not possible.
        """
        if duty.id in self._choices:
            raise IllegalMove(f"seat {self.number} has chosen already")
        if duty.deck is None or not (duty.choice or duty.may_choose) or duty not in self.open_duties:
            raise IllegalMove(f"seat {self.number} has no such choice to make now")
        self.replica.settle()
        try:
            self.replica.state.hand.decks[duty.deck].message(duty, self._tape(duty.binding.hand), choice)
        except (BadParameter, Malformed) as error:
            raise IllegalMove(f"not a choice: {error}") from None
        self._journal.write(Chosen(self.replica.head, duty.id, choice))
        self._choices[duty.id] = choice

    def move(self, move: object) -> bytes:
        """Make a move in the game. Raise `IllegalMove` if it is not this seat's turn or the rules forbid it."""
        duty = self.move_duty
        if duty is None:
            raise IllegalMove(f"seat {self.number} has no move to make now")
        return self._sign_if_legal(Move(duty.id, msgspec.Raw(encode(move))))

    def propose_roster(
        self, roster: Roster, newcomers: Mapping[int, bytes] | None = None, key: NewKey | None = None
    ) -> bytes:
        """Propose another roster, with the signatures of the seats that are new in it, and optionally a new key."""
        signed = tuple(Newcomer(seat, signature) for seat, signature in sorted((newcomers or {}).items()))
        return self._sign_if_legal(Propose(roster, signed, key))

    def agree_to_roster(self, proposal: bytes) -> bytes:
        """Agree to a proposed roster."""
        return self._sign_if_legal(Agree(proposal))

    def vote_skip(self, seats: Iterable[int]) -> bytes:
        """Vote not to wait for what these seats owe now."""
        named = frozenset(seats)
        return self.vote_skip_duties(id for id, seat in self.blocking_duties.items() if seat in named)

    def vote_skip_duties(self, duties: Iterable[bytes]) -> bytes:
        """Vote not to wait for these duties of other seats."""
        owed = tuple(sorted(duties))
        if not owed:
            raise IllegalMove("the table is not waiting for these seats")
        return self._sign_if_legal(Without(owed))

    def vote_abort(self) -> bytes:
        """Vote to abort the hand because another seat does not do what it owes."""
        owed = self.blocking_duties
        if not owed:
            raise IllegalMove("the table is not waiting for another seat")
        return self._sign_if_legal(Break(min(owed)))

    def leave(self) -> bytes:
        """Leave the hand or, between hands, sit out."""
        return self._sign_if_legal(Leave())

    def send_tick(self, time: int) -> bytes:
        """Send the time as the timekeeper."""
        return self._sign_if_legal(Tick(time))

    def send_note(self, text: str) -> bytes:
        """Send a note, which the log keeps and which changes nothing."""
        return self._sign_if_legal(Word(text))

    @property
    def blocking_duties(self) -> dict[bytes, int]:
        """The duties of other seats that the table waits for, with their seats."""
        held_up = self.replica.state.duties.blocking
        return {id: seat for id, seat in held_up.items() if seat != self.number}

    @property
    def can_vote_skip(self) -> bool:
        """Whether this seat can vote to skip the duties that the table waits for."""
        owed = tuple(sorted(self.blocking_duties))
        return bool(owed) and self._find_refusal(Without(owed)) is None

    @property
    def can_vote_abort(self) -> bool:
        """Whether this seat can vote to abort the hand."""
        owed = self.blocking_duties
        return bool(owed) and self._find_refusal(Break(min(owed))) is None

    @property
    def has_disputed(self) -> bool:
        """Whether this seat has disputed a card of this hand, as far as this process or an answered duty shows."""
        mine = self.replica.state.duties.of_seat(self.number).values()
        answered = any(known.duty.kind == MISDEAL and self._has_answered(known) for known in mine)
        return answered or self.replica.state.hand.number in self._disputed

    def dispute(self, unreadable: CardUnreadable) -> bytes:
        """Dispute a card that does not open.

        The first dispute uses the protocol's own way, if it has one, which costs only the secrecy of that card. A
        further one, or without such a way, discloses this seat's hand; the other seats must then disclose it too.
        """
        said = self._sign_if_legal(self._dispute_body(unreadable))
        self._disputed.add(self.replica.state.hand.number)
        return said

    def can_dispute(self, unreadable: CardUnreadable) -> bool:
        """Return whether the table would accept the dispute."""
        return self._find_refusal(self._dispute_body(unreadable)) is None

    def _dispute_body(self, unreadable: CardUnreadable) -> Cards | Claim:
        """Return the body of a dispute about a card."""
        for duty in self.open_duties:
            if duty.deck == unreadable.deck and duty.kind == MISDEAL:
                deck = self.replica.state.hand.decks[duty.deck]
                return Cards(duty.id, msgspec.Raw(deck.message(duty, self._tape(duty.binding.hand))))
        seed = self._tape(self.replica.state.hand.number).seed
        choices = self._disclosed_choices(self.replica.state.hand.number)
        return Claim(unreadable.deck, unreadable.position, seed, choices)

    # --- Inside ---

    def _has_answered(self, open_duty: OpenDuty) -> bool:
        """Return whether this seat has answered a duty since it was last opened."""
        head = self._answered.get(open_duty.duty.id)
        height = None if head is None else self.replica.height_of(head)
        return head is not None and (height is None or height >= open_duty.since)

    def _tape(self, hand: int) -> Tape:
        """Return this seat's tape for a hand."""
        return hand_tape(self._root, session=self.replica.config.session.id, seat=self.number, hand=hand)

    def _disclosed_choices(self, hand: int) -> tuple[Choice, ...]:
        """Return the private choices that a disclosure of a hand contains."""
        answered = self._card_duties.get(hand, set())
        return tuple(Choice(duty, choice) for duty, choice in sorted(self._choices.items()) if duty in answered)

    def _sign_if_legal(self, body: Body) -> bytes:
        """Sign an entry, or raise `IllegalMove` if the table would refuse it."""
        # Signing uses up a number, so an entry that the table would refuse must not be signed at all.
        refusal = self._find_refusal(body)
        if refusal is not None:
            raise IllegalMove(refusal)
        return self._sign(body)

    def _find_refusal(self, body: Body) -> str | None:
        """Return why the table would refuse this body from this seat now, or None."""
        self.replica.settle()
        state, height = self.replica.state, self.replica.height
        if self.number in state.expelled:
            return "this seat was found at fault"
        if self._outbox and isinstance(body, Propose | Agree | Tick):
            return "an earlier entry of this seat is still on its way"
        try:
            apply_body(state, Origin(height, self.number, state.hand.number, height), body)
        except EntryRefused as refused:
            return refused.reason
        except TooLate:
            return "that would have no effect now"
        except PeerFault as fault:
            return fault.reason if fault.seat == self.number else None
        return None

    def _sign(self, body: Body) -> bytes:
        """Sign an entry and return it after writing it to the journal."""
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
        self._record_sent(data, entry, body)
        return data

    def _record_sent(self, data: bytes, entry: Entry, body: Body) -> None:
        """Remember an entry that this seat has signed."""
        self._sent.append(data)
        self._outbox[data] = data
        if isinstance(body, Answer):
            self._answered[body.duty] = entry.seen
        if isinstance(body, Cards):
            self._card_duties.setdefault(entry.hand, set()).add(body.duty)

    def _restore_journal(self) -> set[bytes]:
        """Load the journal and return every head that this seat had seen."""
        seen = set[bytes]()
        for record in self._journal.records:
            if isinstance(record, Chosen):
                self._choices[record.duty] = record.choice
                seen.add(record.head)
            else:
                entry = read_entry(record.entry).entry
                self._record_sent(record.entry, entry, read_body(bytes(entry.body)))
                seen.add(entry.seen)
        return seen

    def _refuse_rollback(self, seen: Iterable[bytes]) -> None:
        """Raise `LogRolledBack` unless the log has all these heads."""
        # This seat only saw settled heads, so settle here too: entries built on something false drop out.
        self.replica.settle()
        if not all(map(self.replica.has_seen, seen)):
            raise LogRolledBack("the log lacks a head that this seat has seen: it was rolled back, or is a fork")
