"""Turns what a participant receives into public events, with names instead of seats and faces instead of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from nodealer import events
from nodealer.api.status import names_of, with_names
from nodealer.cards import events as card_events
from nodealer.engine import lobby_messages
from nodealer.engine.bodies import Break, Move, Propose, Without, Word
from nodealer.engine.frame_result import Diverged, ReceivedEvent, Silenced
from nodealer.engine.narrator import proven_claim
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Applied, Outcome
from nodealer.engine.state import TableState
from nodealer.errors import BadParameter, CardUnreadable, Malformed
from nodealer.games.base import Game
from nodealer.games.free import FreeHand
from nodealer.log.roster import PLAYER
from nodealer.log.session import Proposal
from nodealer.protocols import make_protocol
from nodealer.wordlist import session_words

#: Cards of one deck to which the same thing happened: positions, and faces if they are open.
_CardGroup = list[tuple[int, int | None]]


def face_of(game: Game | None, deck: int, face: int) -> events.Face:
    """Return what is on a card: the name that a free table gave it, or its number."""
    return game.face(deck, face) if isinstance(game, FreeHand) else face


def describe_proposal(proposal: Proposal) -> events.Proposal:
    """Return a proposal in the form that events and `accept` functions get."""
    game, protocol, members = proposal.game, proposal.protocol, proposal.roster.members
    try:
        warning = make_protocol(protocol.name, bytes(protocol.parameters)).claims.warning
    except (BadParameter, Malformed):
        warning = None
    return events.Proposal(
        game.name,
        game.version,
        msgspec.json.decode(game.parameters),
        protocol.name,
        msgspec.json.decode(protocol.parameters),
        tuple(member.name for member in members),
        {member.name: member.role for member in members if member.role != PLAYER},
        warning,
    )


class EventStream:
    """Produces the events for one participant."""

    def __init__(self, me: Participant) -> None:
        """Start with nothing reported yet."""
        self._me = me
        #: What was last reported: the duty this player can fulfil, the card that does not open, the missing proof.
        self._reported_duty: bytes | None = None
        self._reported_unreadable: tuple[int, int, int] | None = None
        self._reported_unprovable: bytes | None = None

    def convert(self, received: Iterable[ReceivedEvent]) -> Iterator[events.Event]:
        """Yield the events for what was received, in order."""
        for one in received:
            match one:
                case Applied():
                    yield from self._entry_events(one)
                case Diverged(seat=seat):
                    yield events.Diverged(self._me.replica.state.all_members[seat].name)
                case Silenced(reason=reason):
                    yield events.Silenced(reason)
                case _:
                    yield from self._lobby_events(one)

    def new_prompts(self) -> Iterator[events.Event]:
        """Yield what this player can do now, unless it was already reported."""
        options = self._me.options()
        duty = options.choices[0] if options.choices else options.move
        if duty is not None and duty.id != self._reported_duty:
            waited_for = options.must_move or bool(options.choices)
            yield events.YourTurn(duty.binding.hand, waited_for, bool(options.choices))
        self._reported_duty = None if duty is None else duty.id
        if options.unreadable is not None:
            hand, card = self._me.replica.state.hand.number, options.unreadable
            if self._reported_unreadable != (hand, card.deck, card.position):
                self._reported_unreadable = (hand, card.deck, card.position)
                yield events.Unreadable(card.deck, card.position)
        if (
            (lacking := options.unprovable) is not None
            and lacking.deck is not None
            and lacking.id != self._reported_unprovable
        ):
            self._reported_unprovable = lacking.id
            yield events.Unprovable(lacking.deck)

    # --- The lobby ---

    def _lobby_events(self, news: lobby_messages.LobbyEvent) -> Iterator[events.Event]:
        """Yield the events for a lobby message."""
        match news:
            case lobby_messages.OfferMade(who=who):
                yield events.Came(who.name)
            case lobby_messages.OfferGone(who=who):
                yield events.Went(who.name)
            case lobby_messages.ProposalMade(by=by, proposal=proposal):
                yield events.Proposed(self._name_of(by), describe_proposal(proposal))
            # A player's own refusal is reported when it comes back, like anyone else's.
            case lobby_messages.ProposalDeclined(by=by, name=name, reason=reason, mine=False):
                yield events.Declined(name or self._name_of(by), reason)
            case lobby_messages.SessionAgreed(session=session):
                names = tuple(member.name for member in session.proposal.roster.members)
                yield events.Agreed(names, session_words(session.id))
            case lobby_messages.SeatRequest(who=who):
                yield events.AsksToSit(who.name)
            case lobby_messages.FrameIgnored(reason=reason, mine=True) | lobby_messages.VersionMismatch(reason=reason):
                yield events.NotTaken(reason)

    def _name_of(self, key: bytes) -> str:
        """Return the name of whoever said hello with this key."""
        return next((offer.name for offer in self._me.offers if offer.key == key), "someone")

    # --- The log ---

    def _entry_events(self, one: Applied) -> Iterator[events.Event]:
        """Yield the events for one log entry."""
        name = one.after.all_members[one.entry.seat].name
        if one.outcome is Outcome.DROPPED:
            yield events.Late(name, _tag_of(one.body))
            return
        yield from self._body_events(one, name)
        if one.outcome is Outcome.ACCEPTED:
            yield from self._proof_events(one, name)
            yield from self._card_events(one)
        yield from _state_events(one.before, one.after)

    def _body_events(self, one: Applied, name: str) -> Iterator[events.Event]:
        """Yield the event for the content of an entry."""
        before, names = one.before, names_of(one.before)
        match one.body:
            case Move(move=move):
                text = before.config.words.move(before.hand.game, one.entry.seat, bytes(move), names)
                yield events.Moved(name, msgspec.json.decode(move), str(text))
            case Word(text=text):
                yield events.Word(name, text)
            case Without(duties=duties):
                owing = {known.duty.seat for duty in duties if (known := before.duties.open.get(duty)) is not None}
                yield events.WouldNotWait(name, tuple(names[seat] for seat in sorted(owing)))
            case Break():
                yield events.WouldBreakOff(name)
            case Propose(roster=roster):
                yield events.SeatsProposed(name, tuple(roster.member(seat).name for seat in roster.with_cards))

    def _proof_events(self, one: Applied, name: str) -> Iterator[events.Event]:
        """Yield an event if the entry proved what hidden cards are not."""
        proof = proven_claim(one)
        if proof is not None:
            deck, claim = proof
            game = one.before.hand.game
            none_of = tuple(face_of(game, deck, face) for face in claim.faces)
            yield events.Proven(name, deck, claim.positions, none_of)

    def _card_events(self, one: Applied) -> Iterator[events.Event]:
        """Yield the events for what an entry did to cards, one per group of cards with the same fate."""
        groups: dict[tuple[str, int, int | None], _CardGroup] = {}
        game, words = one.before.hand.game, one.before.config.words
        for event in one.events:
            match event:
                case card_events.Moved(card=card, holder=holder):
                    what = "given back" if holder is None else "dealt"
                    groups.setdefault((what, card.deck, holder), []).append((card.position, None))
                case card_events.Opened(card=card, face=face):
                    deck = one.before.hand.decks.get(card.deck)
                    whose = words.owner(game, event, None if deck is None else deck.places.holder(card.position))
                    groups.setdefault(("opened", card.deck, whose), []).append((card.position, face))
                case card_events.Rolled(numbers=numbers, silent=silent):
                    yield events.Rolled(numbers, tuple(one.before.all_members[seat].name for seat in silent))
                case card_events.Unsealed(seat=seat, value=value):
                    yield events.Unsealed(one.before.all_members[seat].name, value)
        for (what, number, whose), group in groups.items():
            yield self._card_event(one, what, number, whose, group)

    def _card_event(self, one: Applied, what: str, deck: int, whose: int | None, group: _CardGroup) -> events.Event:
        """Return the event for one group of cards."""
        positions = tuple(position for position, _ in group)
        if whose is None and what == "given back":
            return events.GivenBack(deck, positions)
        game = one.before.hand.game
        faces = tuple(face_of(game, deck, face) for _, face in group if face is not None)
        if whose is None:
            return events.Opened(deck, positions, faces)
        name = one.before.all_members[whose].name
        if what == "opened":
            return events.Shown(name, deck, positions, faces)
        return events.Dealt(name, deck, positions, self._own_faces(one, deck, positions, whose))

    def _own_faces(self, one: Applied, deck: int, positions: tuple[int, ...], whose: int) -> tuple[events.Face, ...]:
        """Return the faces of cards dealt to this player, or nothing if they are another player's or unreadable."""
        if not self._me.has_seat or whose != self._me.seat.number:
            return ()
        try:
            known = {
                card.position: face for card, face in self._me.seat.known_cards(one.after).items() if card.deck == deck
            }
        except CardUnreadable:
            return ()
        return tuple(face_of(one.before.hand.game, deck, known[at]) for at in positions if at in known)


def _state_events(before: TableState, after: TableState) -> Iterator[events.Event]:
    """Yield the events for what an entry changed in the state of the table."""
    names, chronicle = names_of(after), after.chronicle
    for fault in after.faults[len(before.faults) :]:
        yield events.Fault(None if fault.seat is None else names[fault.seat], with_names(fault.reason, names))
    statements = chronicle.vote_results[len(before.chronicle.vote_results) :]
    for statement in statements:
        if statement.of is not None and statement.did == "move":
            yield events.Moved(names[statement.of], None, "", by_rules=True)
    if before.clock is not None and after.clock is not None:
        late = {before.clock.timed[duty].seat for duty in after.clock.late - before.clock.late}
        yield from (events.TimeIsUp(names[seat]) for seat in sorted(late))
    if after.roster.with_cards != before.roster.with_cards:
        yield events.Seated(tuple(names[seat] for seat in after.roster.with_cards))
    for seat in sorted(after.gone - before.gone - after.expelled):
        yield events.Left(names[seat], any((one.of, one.did) == (seat, "gone") for one in statements))
    for record in chronicle.records[len(before.chronicle.records) :]:
        text = "" if record.void is not None else str(after.config.words.result(record.result, names))
        net = {names[seat]: amount for seat, amount in record.net.items()}
        void = None if record.void is None else with_names(record.void, names)
        yield events.Result(record.hand, record.result, net, text, void)
    if (before.phase, after.phase) == (Phase.BETWEEN, Phase.PLAYING) and after.hand.game is not None:
        yield events.Began(after.hand.number, tuple(names[seat] for seat in after.hand.game.players))
    if before.phase is not Phase.ENDED and after.phase is Phase.ENDED:
        yield events.Ended()


def _tag_of(body: Any) -> str:
    """Return the tag of an entry's body."""
    return "" if body is None else str(body.__struct_config__.tag)
