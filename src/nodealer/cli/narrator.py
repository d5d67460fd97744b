"""What happens at a table, told entry by entry: as lines for people or as one JSON object an event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nodealer.cards import Event as CardEvent
from nodealer.cards import Opened
from nodealer.cli.output import rendered, shown
from nodealer.errors import Malformed
from nodealer.games.words import Words
from nodealer.play.bodies import (
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
    Without,
    Word,
)
from nodealer.play.replica import Applied, Outcome
from nodealer.play.state import TableState
from nodealer.wire import decode

#: A text of the game's own still has its marks.
Event = dict[str, Any]


class Narrator:
    """Tells what an entry did to a table."""

    def __init__(self, words: Words) -> None:
        self._words = words

    def tell(self, applied: Applied) -> Iterator[Event]:
        """What happened, one event after the other."""
        before, number = applied.before, applied.number
        seat, outcome = applied.entry.seat, applied.outcome
        name = applied.after.known[seat].name
        if outcome in (Outcome.REPEATED, Outcome.DROPPED):
            if outcome is not Outcome.REPEATED:
                yield {"event": outcome.value, "seat": seat, "name": name, "entry": number}
            return
        proofs = [check.name for check in applied.checks]
        for event in self._said(before, seat, name, applied.body, applied.size):
            yield event | {"entry": number} | ({"proofs": proofs} if event["event"] == "cards" else {})
        if outcome is Outcome.ACCEPTED:
            yield from self._shown(before, applied.events)
        yield from self._over(before, applied.after)

    def _said(self, before: TableState, seat: int, name: str, body: Body | None, size: int) -> Iterator[Event]:
        match body:
            case Begin():
                yield {"event": "begin", "hand": before.hand.number, "seat": seat, "name": name}
            case Cards(message=message):
                yield {"event": "cards", "seat": seat, "name": name, "step": _step(bytes(message)), "bytes": size}
            case Move(move=move):
                text = self._words.move(before.hand.game, seat, bytes(move), _seats(before))
                yield {"event": "move", "seat": seat, "name": name, "text": text}
            case Without(duties=duties):
                owing = {known.duty.seat for duty in duties if (known := before.duties.open.get(duty)) is not None}
                names = [before.known[seat].name for seat in sorted(owing)]
                yield {"event": "without", "seat": seat, "name": name, "text": f"would not wait for {', '.join(names)}"}
            case Break():
                yield {"event": "break", "seat": seat, "name": name, "text": "would break the hand off"}
            case Leave():
                yield {"event": "leave", "seat": seat, "name": name, "text": "leaves"}
            case Word(text=text):
                yield {"event": "word", "seat": seat, "name": name, "text": text}
            case Claim():
                yield {"event": "claim", "seat": seat, "name": name, "text": "says that a card does not open"}
            case Book():
                yield {"event": "book", "seat": seat, "name": name, "text": "opens its book of this hand"}
            case Propose():
                yield {"event": "roster", "seat": seat, "name": name, "text": "proposes who sits at the table"}
            case Agree():
                yield {"event": "roster", "seat": seat, "name": name, "text": "agrees to who sits at the table"}
            case End():
                yield {"event": "end", "seat": seat, "name": name, "text": "signs the end"}

    def _shown(self, before: TableState, events: Sequence[CardEvent]) -> Iterator[Event]:
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

    def _over(self, before: TableState, state: TableState) -> Iterator[Event]:
        for fault in state.faults[len(before.faults) :]:
            name = None if fault.seat is None else state.roster.member(fault.seat).name
            yield {"event": "fault", "seat": fault.seat, "name": name, "entry": fault.entry, "reason": fault.reason}
        for said in state.chronicle.statements[len(before.chronicle.statements) :]:
            of = None if said.of is None else state.known[said.of].name
            yield {"event": "statement", "seat": said.of, "name": of, "did": said.did, "by": list(said.by)}
        for record in state.chronicle.records[len(before.chronicle.records) :]:
            if record.void is not None:
                yield {"event": "void", "hand": record.hand, "reason": record.void}
                continue
            yield {"event": "result", **record.result, "text": self._words.result(record.result, _seats(before))}


def _seats(state: TableState) -> dict[int, str]:
    return {player.seat: player.name for player in state.roster.members}


def _step(message: bytes) -> str:
    try:
        return str(decode(dict, message, what="a message").get("type", ""))
    except Malformed:
        return ""


def in_words(event: Event) -> str | None:
    """One line for people, or None for what would only be noise."""
    match event["event"]:
        case "move" | "without" | "break" | "leave" | "claim" | "book" | "roster":
            return f"  {shown(event['name'])} {rendered(event['text'])}"
        case "word":
            # Without rows of blanks: a terminal would begin its next line with what comes after them.
            return f"  {shown(event['name'])} says: {shown(' '.join(event['text'].split()))}"
        case "board":
            return f"  board: {rendered(event['text'])}"
        case "shows":
            return f"  {shown(event['name'])} shows {rendered(event['text'])}"
        case "statement":
            did = {"gone": "is gone", "move": "gets the move that the rules make"}.get(event["did"])
            return "  the hand is broken off" if event["name"] is None else f"  {shown(event['name'])} {did}"
        case "void":
            return f"  [yellow]no result[/yellow]: {shown(event['reason'])}"
        case "fault":
            culprit = event["name"] or "nobody can be named"
            return f"[red bold]FAULT[/red bold] {shown(culprit)}: {shown(event['reason'])}"
        case "result":
            ended, text = shown(event.get("ended", "")), rendered(event["text"])
            return f"  [green]result[/green] ({ended})" + (f": {text}" if text else "")
    return None
