"""From what happened at a table to what is told of it: seats become names, numbers become faces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from nodealer import events
from nodealer.api.status import named, names_of
from nodealer.cards import events as card_events
from nodealer.engine import lobby_messages
from nodealer.engine.bodies import Break, Move, Propose, Without, Word
from nodealer.engine.frame_result import Diverged, ReceivedEvent, Silenced
from nodealer.engine.narrator import proven_by
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

#: Cards of one deck to which one thing happened: positions, and faces where they are open.
_Heap = list[tuple[int, int | None]]


def face_of(game: Game | None, deck: int, face: int) -> events.Face:
    """What is on a card: the name that a free table gave it, or its number."""
    return game.face(deck, face) if isinstance(game, FreeHand) else face


def proposed(proposal: Proposal) -> events.Proposal:
    """A proposal as it is told, and looked at."""
    game, protocol, members = proposal.game, proposal.protocol, proposal.roster.members
    try:
        warning = make_protocol(protocol.name, bytes(protocol.parameters)).claims.cost.get("warning")
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
    """Tells one participant's person what happened."""

    def __init__(self, me: Participant) -> None:
        self._me = me
        #: What this person was told last that it can do, and which card does not open.
        self._asked: bytes | None = None
        self._unreadable: tuple[int, int, int] | None = None
        self._unprovable: bytes | None = None

    def tell(self, happened: Iterable[ReceivedEvent]) -> Iterator[events.Event]:
        """One event after the other."""
        for one in happened:
            match one:
                case Applied():
                    yield from self._applied(one)
                case Diverged(seat=seat):
                    yield events.Diverged(self._me.replica.state.known[seat].name)
                case Silenced(reason=reason):
                    yield events.Silenced(reason)
                case _:
                    yield from self._news(one)

    def asked(self) -> Iterator[events.Event]:
        """What this person can do now, if that was not told yet."""
        options = self._me.options()
        duty = options.choices[0] if options.choices else options.move
        if duty is not None and duty.id != self._asked:
            waited_for = options.must_move or bool(options.choices)
            yield events.YourTurn(duty.binding.hand, waited_for, bool(options.choices))
        self._asked = None if duty is None else duty.id
        if options.unreadable is not None:
            hand, card = self._me.replica.state.hand.number, options.unreadable
            if self._unreadable != (hand, card.deck, card.position):
                self._unreadable = (hand, card.deck, card.position)
                yield events.Unreadable(card.deck, card.position)
        if (lacking := options.unprovable) is not None and lacking.deck is not None and lacking.id != self._unprovable:
            self._unprovable = lacking.id
            yield events.Unprovable(lacking.deck)

    # --- The lobby ---

    def _news(self, news: lobby_messages.News) -> Iterator[events.Event]:
        match news:
            case lobby_messages.Came(who=who):
                yield events.Came(who.name)
            case lobby_messages.Went(who=who):
                yield events.Went(who.name)
            case lobby_messages.Proposes(by=by, proposal=proposal):
                yield events.Proposed(self._name_of(by), proposed(proposal))
            # One's own is told when it is heard, like everybody's.
            case lobby_messages.Refuses(by=by, name=name, reason=reason, mine=False):
                yield events.Declined(name or self._name_of(by), reason)
            case lobby_messages.Agreed(session=session):
                names = tuple(member.name for member in session.proposal.roster.members)
                yield events.Agreed(names, session_words(session.id))
            case lobby_messages.Asks(who=asking):
                yield events.AsksToSit(asking.name)
            case lobby_messages.PassedOver(reason=reason, mine=True) | lobby_messages.OtherVersion(reason=reason):
                yield events.NotTaken(reason)

    def _name_of(self, key: bytes) -> str:
        """Who has said hello with this key."""
        return next((offer.name for offer in self._me.offers if offer.key == key), "somebody")

    # --- The log ---

    def _applied(self, one: Applied) -> Iterator[events.Event]:
        name = one.after.known[one.entry.seat].name
        if one.outcome is Outcome.DROPPED:
            yield events.Late(name, _kind(one.body))
            return
        yield from self._said(one, name)
        if one.outcome is Outcome.ACCEPTED:
            yield from self._proven(one, name)
            yield from self._cards(one)
        yield from _changed(one.before, one.after)

    def _said(self, one: Applied, name: str) -> Iterator[events.Event]:
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

    def _proven(self, one: Applied, name: str) -> Iterator[events.Event]:
        proof = proven_by(one)
        if proof is not None:
            deck, claim = proof
            game = one.before.hand.game
            none_of = tuple(face_of(game, deck, face) for face in claim.faces)
            yield events.Proven(name, deck, claim.positions, none_of)

    def _cards(self, one: Applied) -> Iterator[events.Event]:
        heaps: dict[tuple[str, int, int | None], _Heap] = {}
        game, words = one.before.hand.game, one.before.config.words
        for event in one.events:
            match event:
                case card_events.Moved(card=card, holder=holder):
                    what = "given back" if holder is None else "dealt"
                    heaps.setdefault((what, card.deck, holder), []).append((card.position, None))
                case card_events.Opened(card=card, face=face):
                    deck = one.before.hand.decks.get(card.deck)
                    whose = words.owner(game, event, None if deck is None else deck.places.holder(card.position))
                    heaps.setdefault(("opened", card.deck, whose), []).append((card.position, face))
                case card_events.Rolled(numbers=numbers, silent=silent):
                    yield events.Rolled(numbers, tuple(one.before.known[seat].name for seat in silent))
                case card_events.Unsealed(seat=seat, value=value):
                    yield events.Unsealed(one.before.known[seat].name, value)
        for (what, number, whose), heap in heaps.items():
            yield self._heap(one, what, number, whose, heap)

    def _heap(self, one: Applied, what: str, deck: int, whose: int | None, heap: _Heap) -> events.Event:
        positions = tuple(position for position, _ in heap)
        if whose is None and what == "given back":
            return events.GivenBack(deck, positions)
        game = one.before.hand.game
        faces = tuple(face_of(game, deck, face) for _, face in heap if face is not None)
        if whose is None:
            return events.Opened(deck, positions, faces)
        name = one.before.known[whose].name
        if what == "opened":
            return events.Shown(name, deck, positions, faces)
        return events.Dealt(name, deck, positions, self._mine(one, deck, positions, whose))

    def _mine(self, one: Applied, deck: int, positions: tuple[int, ...], whose: int) -> tuple[events.Face, ...]:
        """The faces of cards that this person was dealt."""
        if not self._me.seated or whose != self._me.seat.number:
            return ()
        try:
            known = {card.position: face for card, face in self._me.seat.cards(one.after).items() if card.deck == deck}
        except CardUnreadable:
            return ()
        return tuple(face_of(one.before.hand.game, deck, known[at]) for at in positions if at in known)


def _changed(before: TableState, after: TableState) -> Iterator[events.Event]:
    """What an entry has changed, whatever it said."""
    names, said = names_of(after), after.chronicle
    for fault in after.faults[len(before.faults) :]:
        yield events.Fault(None if fault.seat is None else names[fault.seat], named(fault.reason, names))
    statements = said.statements[len(before.chronicle.statements) :]
    for statement in statements:
        if statement.of is not None and statement.did == "move":
            yield events.Moved(names[statement.of], None, "", by_rules=True)
    if before.clock is not None and after.clock is not None:
        late = {before.clock.watched[duty].seat for duty in after.clock.late - before.clock.late}
        yield from (events.TimeIsUp(names[seat]) for seat in sorted(late))
    if after.roster.with_cards != before.roster.with_cards:
        yield events.Seated(tuple(names[seat] for seat in after.roster.with_cards))
    for seat in sorted(after.gone - before.gone - after.expelled):
        yield events.Left(names[seat], any((one.of, one.did) == (seat, "gone") for one in statements))
    for record in said.records[len(before.chronicle.records) :]:
        text = "" if record.void is not None else str(after.config.words.result(record.result, names))
        net = {names[seat]: amount for seat, amount in record.net.items()}
        void = None if record.void is None else named(record.void, names)
        yield events.Result(record.hand, record.result, net, text, void)
    if (before.phase, after.phase) == (Phase.BETWEEN, Phase.PLAYING) and after.hand.game is not None:
        yield events.Began(after.hand.number, tuple(names[seat] for seat in after.hand.game.players))
    if before.phase is not Phase.ENDED and after.phase is Phase.ENDED:
        yield events.Ended()


def _kind(body: Any) -> str:
    return "" if body is None else str(body.__struct_config__.tag)
