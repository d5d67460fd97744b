"""Turns what a participant receives into public events, with names instead of seats and faces instead of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeGuard, get_args

import msgspec

from nodealer import events
from nodealer.cards.operations import Card
from nodealer.client.events import TableEvent
from nodealer.client.narrator import Narrator
from nodealer.engine import lobby_messages
from nodealer.engine.frame_result import Diverged, ReceivedEvent, Silenced
from nodealer.engine.participant import Participant
from nodealer.engine.replica import Applied
from nodealer.engine.state import TableState
from nodealer.errors import BadParameter, CardUnreadable, Malformed
from nodealer.log.roster import PLAYER
from nodealer.log.session import Proposal
from nodealer.protocols import make_protocol
from nodealer.wordlist import session_words

#: The classes of the library's events. The others are for front ends.
_PUBLIC: Final = frozenset(get_args(events.Event))


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
        #: None until the first entry.
        self._narrator: Narrator | None = None
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

    def _entry_events(self, applied: Applied) -> Iterator[events.Event]:
        """Yield the events for one log entry."""
        if self._narrator is None:
            self._narrator = Narrator.for_table(applied.before.config, known_cards=self._own_cards)
        return (event for event in self._narrator.describe(applied) if _is_public(event))

    def _own_cards(self, seat: int, state: TableState) -> Mapping[Card, int]:
        """Return the faces of this player's cards, or nothing if the seat is another's or a card is unreadable."""
        if not self._me.has_seat or seat != self._me.seat.number:
            return {}
        try:
            return self._me.seat.known_cards(state)
        except CardUnreadable:
            return {}


def _is_public(event: TableEvent) -> TypeGuard[events.Event]:
    """Return whether an event is one of the library's."""
    return type(event) in _PUBLIC
