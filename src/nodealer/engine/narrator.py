"""Describes what happens at a table, entry by entry: one dict per event, with the game's own texts in it.

A terminal renders it as lines, a page in its own way, and a program reads it as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from nodealer.cards.events import Event as CardEvent
from nodealer.cards.events import Finished, Opened, Rolled, Unsealed
from nodealer.cards.operations import NoneOf, Peek, Prove
from nodealer.engine.bodies import (
    Agree,
    Begin,
    Body,
    Book,
    Break,
    Cards,
    Claim,
    End,
    Leave,
    Move,
    Propose,
    Tick,
    Without,
    Word,
)
from nodealer.engine.leave_policy import stay_while_playable
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Applied, Outcome
from nodealer.engine.state import Config, TableState
from nodealer.errors import IllegalMove, Malformed
from nodealer.games.text import Text, Words
from nodealer.protocols import STEPS
from nodealer.protocols.dice import STEPS as DICE_STEPS
from nodealer.protocols.envelopes import STEPS as ENVELOPE_STEPS
from nodealer.protocols.text import StepText
from nodealer.wire import decode

#: An event. Texts of the game still contain their markup.
Event = dict[str, Any]

#: The text for a player who signs the end while the others could play on.
LEAVES: Final = "leaves the table"
#: For a step without a text.
_NO_WORDS: Final = StepText("", "")


class Narrator:
    """Describes what entries did to a table, for the person at a seat or for a spectator."""

    def __init__(
        self,
        words: Words,
        steps: Mapping[str, StepText],
        *,
        proven: bool = True,
        secret: bool = True,
        you: int | None = None,
    ) -> None:
        """Use the game's texts `words` and the protocol's texts `steps`.

        Addresses the person at seat `you`, if any. `proven`: card operations are proven at once, not by later
        disclosures. `secret`: the cards are hidden, which a rehearsal's are not.
        """
        self._words = words
        self._steps = steps
        #: Whether shuffles are proven at once, and whether the order is secret: in rehearsals nothing is.
        self._proven = proven
        self._secret = secret
        self._you = you

    @classmethod
    def for_table(cls, config: Config, you: int | None = None) -> Narrator:
        """Return the narrator for a table with this configuration."""
        claims, rehearsal = config.protocol.claims, config.session.proposal.rehearsal
        steps = {**DICE_STEPS, **ENVELOPE_STEPS, **STEPS.get(claims.name, {})}
        return cls(config.words, steps, proven=not claims.open_book_at_end, secret=not rehearsal, you=you)

    @property
    def you(self) -> int | None:
        """The seat of the person who is addressed, or None for a spectator."""
        return self._you

    def step_text(self, kind: str) -> StepText:
        """Return the text for a kind of protocol step."""
        return self._steps.get(kind, _NO_WORDS)

    def describe(self, applied: Applied) -> Iterator[Event]:
        """Yield the events that an entry caused, in order."""
        before, number = applied.before, applied.number
        seat, outcome = applied.entry.seat, applied.outcome
        name = applied.after.all_members[seat].name
        if outcome in (Outcome.REPEATED, Outcome.DROPPED):
            if outcome is not Outcome.REPEATED:
                yield {"event": outcome.value, "seat": seat, "name": name, "entry": number}
            return
        proofs = {"proofs": [check.name for check in applied.checks]}
        for event in self._describe_body(before, seat, name, applied.body, applied.size):
            more = proofs | {"text": self._step_line(applied, event["kind"])} if event["event"] == "cards" else {}
            yield event | {"entry": number} | more
        if outcome is Outcome.ACCEPTED:
            yield from self._describe_opened_cards(before, applied.events)
            yield from self._describe_peeks(before, applied.events)
            yield from self._describe_rolls(before, applied.events)
            yield from self._describe_changes(before, applied.after)
        yield from self._describe_endings(before, applied.after)

    def _describe_body(self, before: TableState, seat: int, name: str, body: Body | None, size: int) -> Iterator[Event]:
        """Yield the event for what the entry itself says."""
        match body:
            case Begin():
                yield {"event": "begin", "hand": before.hand.number + 1, "seat": seat, "name": name}
            case Cards(duty=duty, message=message):
                step, known = _message_type(bytes(message)), before.duties.open.get(duty)
                kind = {"step": step, "kind": step if known is None else known.duty.kind}
                yield {"event": "cards", "seat": seat, "name": name, **kind, "bytes": size}
            case Move(move=move):
                text = self._move_text(before, seat, bytes(move))
                yield {"event": "move", "seat": seat, "name": name, "move": _move_data(bytes(move)), "text": text}
            case Without(duties=duties):
                owing = {known.duty.seat for duty in duties if (known := before.duties.open.get(duty)) is not None}
                names = [before.all_members[seat].name for seat in sorted(owing)]
                yield {"event": "without", "seat": seat, "name": name, "text": f"votes to skip {', '.join(names)}"}
            case Break():
                yield {"event": "break", "seat": seat, "name": name, "text": "votes to abort the hand"}
            case Leave():
                text = "leaves the hand" if before.phase is Phase.PLAYING else "sits out"
                yield {"event": "leave", "seat": seat, "name": name, "text": text}
            case Tick(time=time):
                yield {"event": "tick", "seat": seat, "name": name, "time": time}
            case Word(text=text):
                yield {"event": "word", "seat": seat, "name": name, "text": text}
            case Claim():
                yield {"event": "claim", "seat": seat, "name": name, "text": "disputes a card that does not open"}
            case Book():
                yield {"event": "book", "seat": seat, "name": name, "text": "discloses this hand"}
            case Propose():
                yield {"event": "roster", "seat": seat, "name": name, "text": "proposes a change of players"}
            case Agree():
                yield {"event": "roster", "seat": seat, "name": name, "text": "agrees to the change of players"}
            case End():
                text = LEAVES if stay_while_playable(before) else "signs the end"
                yield {"event": "end", "seat": seat, "name": name, "text": text}

    def _move_text(self, before: TableState, seat: int, move: bytes) -> Text:
        """Return the game's text for a move."""
        try:
            return self._words.move(before.hand.game, seat, move, _names_by_seat(before))
        except IllegalMove:
            return "makes an invalid move"

    def _default_move_text(self, before: TableState, seat: int) -> Text:
        """Return the text for the move that the rules made for a seat, or an empty text."""
        move = None if before.hand.game is None else before.hand.game.default(seat)
        return "" if move is None else self._move_text(before, seat, move)

    def _step_line(self, applied: Applied, kind: str) -> str:
        """Return the line for a protocol step and what it proves, or an empty text if players need not see it."""
        words, mine = self.step_text(kind), applied.entry.seat == self._you
        if not words.done or applied.outcome is not Outcome.ACCEPTED:
            return ""
        name = "You" if mine else applied.after.all_members[applied.entry.seat].name
        text = f"{name} {words.done}{self._deck_owner_text(applied)}"
        if not self._proven or not applied.checks:
            return f"{text}; not proven yet: all players disclose after the hand"
        settled = self._secret and words.last and not _still_owed(applied, kind)
        claim = proven_claim(applied)
        shows = words.last if settled else words.shows
        if claim is not None:
            shows = self._words.proven(applied.before.hand.game, *claim)
        checked = "proven, you checked it" if self._you is not None and not mine else "proven"
        return f"{text}; {checked}: {shows}"

    def _deck_owner_text(self, applied: Applied) -> str:
        """Return whose deck a step was about, or an empty text if the deck has no owner."""
        number = _deck_of(applied)
        deck = None if number is None else applied.before.hand.decks.get(number)
        owner = None if deck is None else deck.places.belongs_to
        if owner is None:
            return ""
        return " your deck" if owner == self._you else f" {applied.after.all_members[owner].name}'s deck"

    def _describe_peeks(self, before: TableState, events: Sequence[CardEvent]) -> Iterator[Event]:
        """Yield an event for each peek at cards by another player."""
        for event in events:
            if isinstance(event, Finished) and isinstance(event.operation, Peek) and event.operation.seat != self._you:
                seat = event.operation.seat
                text = self._words.looked(before.hand.game, event.operation)
                yield {"event": "looked", "seat": seat, "name": before.roster.member(seat).name, "text": text}

    def _describe_rolls(self, before: TableState, events: Sequence[CardEvent]) -> Iterator[Event]:
        """Yield an event for each roll and each opened envelope."""
        for event in events:
            if isinstance(event, Rolled):
                text = self._words.rolled(before.hand.game, event, _names_by_seat(before))
                yield {"event": "rolled", "numbers": list(event.numbers), "silent": list(event.silent), "text": text}
            elif isinstance(event, Unsealed):
                text = self._words.unsealed(before.hand.game, event)
                yield {
                    "event": "unsealed",
                    "seat": event.seat,
                    "name": before.all_members[event.seat].name,
                    "text": text,
                }

    def _describe_changes(self, before: TableState, after: TableState) -> Iterator[Event]:
        """Yield an event for each change that the game reports."""
        if before.hand.game is not None and after.hand.game is not before.hand.game:
            for text in self._words.changed(before.hand.game, after.hand.game, _names_by_seat(before)):
                yield {"event": "changed", "text": text}

    def _describe_opened_cards(self, before: TableState, events: Sequence[CardEvent]) -> Iterator[Event]:
        """Yield an event for the opened cards of each owner."""
        game, words = before.hand.game, self._words
        by_seat: dict[int | None, list[Opened]] = {}
        for event in events:
            if isinstance(event, Opened):
                deck = before.hand.decks.get(event.card.deck)
                holder = None if deck is None else deck.places.holder(event.card.position)
                by_seat.setdefault(words.owner(game, event, holder), []).append(event)
        for seat, opened in by_seat.items():
            names = [words.face(game, event.card.deck, event.face) for event in opened]
            cards = {"cards": names, "text": words.cards(game, opened)}
            if seat is None:
                yield {"event": "board", **cards}
            else:
                yield {"event": "shows", "seat": seat, "name": before.roster.member(seat).name, **cards}

    def _describe_endings(self, before: TableState, state: TableState) -> Iterator[Event]:
        """Yield events for new faults, successful votes and finished hands."""
        for fault in state.faults[len(before.faults) :]:
            name = None if fault.seat is None else state.roster.member(fault.seat).name
            yield {"event": "fault", "seat": fault.seat, "name": name, "entry": fault.entry, "reason": fault.reason}
        for vote in state.chronicle.vote_results[len(before.chronicle.vote_results) :]:
            of = None if vote.of is None else state.all_members[vote.of].name
            default_move = (
                self._default_move_text(before, vote.of) if vote.did == "move" and vote.of is not None else ""
            )
            yield {
                "event": "statement",
                "seat": vote.of,
                "name": of,
                "did": vote.did,
                "by": list(vote.by),
                "move": default_move,
            }
        for record in state.chronicle.records[len(before.chronicle.records) :]:
            if record.void is not None:
                yield {"event": "void", "hand": record.hand + 1, "reason": record.void}
                continue
            words, result, names = self._words, record.result, _names_by_seat(before)
            texts = {"outcome": list(words.outcome(result, names)), "text": words.result(result, names)}
            parting = "" if self._you is None else words.parting(result, self._you)
            yield {"event": "result", **result, "hand": record.hand + 1, **texts, "parting": parting}


def proven_claim(applied: Applied) -> tuple[int, NoneOf] | None:
    """Return the deck and the claim that an entry proves, or None if it is not such a proof."""
    number, asked = _deck_of(applied), applied.before.hand.requests
    queue = () if asked is None or number is None else asked.queues.get(number, ())
    if number is None or not queue or not isinstance(queue[0], Prove):
        return None
    claims = (claim for claim in queue[0].claims if claim.seat == applied.entry.seat)
    return next(((number, claim) for claim in claims), None)


def _names_by_seat(state: TableState) -> dict[int, str]:
    """Return the names of all members by seat."""
    return {player.seat: player.name for player in state.roster.members}


def _move_data(move: bytes) -> Any:
    """Return a move as decoded JSON, or None if it is malformed."""
    try:
        return decode(dict, move, what="the move")
    except Malformed:
        return None


def _message_type(message: bytes) -> str:
    """Return the type of a protocol message, or an empty text if it is malformed."""
    try:
        return str(decode(dict, message, what="a message").get("type", ""))
    except Malformed:
        return ""


def _deck_of(applied: Applied) -> int | None:
    """Return the deck that a protocol step was about, or None."""
    known = applied.before.duties.open.get(applied.body.duty) if isinstance(applied.body, Cards) else None
    return None if known is None else known.duty.deck


def _still_owed(applied: Applied, kind: str) -> bool:
    """Return whether other seats still have to take such a step on the same deck."""
    deck = _deck_of(applied)
    owed = (known.duty for known in applied.after.duties.open.values())
    return any(duty.deck == deck and duty.kind == kind for duty in owed)
