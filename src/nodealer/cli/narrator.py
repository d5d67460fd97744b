"""What happens at a table, told entry by entry: as lines for people or as one JSON object an event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nodealer.cards import Event as CardEvent
from nodealer.cards import Opened
from nodealer.cli.games import words_for
from nodealer.cli.output import shown
from nodealer.errors import IllegalMove, Malformed
from nodealer.games import free
from nodealer.games.base import Game
from nodealer.games.free import FreeHand
from nodealer.games.holdem.faces import names
from nodealer.games.holdem.hand import Hand
from nodealer.games.holdem.moves import Call, Fold, Muck, Raise, ShowHand, read_move
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
)
from nodealer.play.replica import Applied, Outcome
from nodealer.play.state import TableState
from nodealer.wire import decode

Event = dict[str, Any]

SUITS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}


def pretty(faces: tuple[int, ...] | list[int]) -> str:
    """Cards for people: "A♠ K♦"."""
    return " ".join(card[0] + SUITS[card[1]] for card in names(faces))


class Narrator:
    """Tells what an entry did to a table."""

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
                yield {"event": "move", "seat": seat, "name": name, "text": _move_text(before, seat, bytes(move))}
            case Without(duties=duties):
                owing = {known.duty.seat for duty in duties if (known := before.duties.open.get(duty)) is not None}
                names = [before.known[seat].name for seat in sorted(owing)]
                yield {"event": "without", "seat": seat, "name": name, "text": f"would not wait for {', '.join(names)}"}
            case Break():
                yield {"event": "break", "seat": seat, "name": name, "text": "would break the hand off"}
            case Leave():
                yield {"event": "leave", "seat": seat, "name": name, "text": "leaves"}
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
        game = before.hand.game
        opened = [event for event in events if isinstance(event, Opened)]
        if not opened:
            return
        by_seat: dict[int | None, list[Opened]] = {}
        for event in opened:
            by_seat.setdefault(_holder(game, event), []).append(event)
        for seat, events in by_seat.items():
            cards = {"cards": _names(game, events), "text": _pretty(game, events)}
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
            words = words_for(before.hand.game)
            told = {} if words is None else {"text": words.result(record.result, _seats(before))}
            yield {"event": "result", **record.result, **told}


def _seats(state: TableState) -> dict[int, str]:
    return {player.seat: player.name for player in state.roster.members}


def _holder(game: Game | None, event: Opened) -> int | None:
    words = words_for(game)
    if words is not None:
        return words.holder(game, event)
    if isinstance(game, Hand):
        return next((seat for seat, held in game.held.items() if event.card.position in held), None)
    if isinstance(game, FreeHand):
        return game.held.get((event.card.deck, event.card.position))
    return None


def _names(game: Game | None, events: list[Opened]) -> list[str]:
    words = words_for(game)
    if words is not None:
        return words.names(game, events)
    if isinstance(game, Hand):
        return list(names(event.face for event in events))
    if isinstance(game, FreeHand):
        return [str(game.face(event.card.deck, event.face)) for event in events]
    return [str(event.face) for event in events]


def _pretty(game: Game | None, events: list[Opened]) -> str:
    if isinstance(game, Hand):
        return pretty([event.face for event in events])
    return ", ".join(_names(game, events))


def _step(message: bytes) -> str:
    try:
        return str(decode(dict, message, what="a message").get("type", ""))
    except Malformed:
        return ""


def _move_text(before: TableState, seat: int, move: bytes) -> str:
    game = before.hand.game
    words = words_for(game)
    if words is not None:
        return words.move(game, seat, move)
    if isinstance(game, FreeHand):
        return _request_text(before, move)
    if not isinstance(game, Hand):
        return move.decode(errors="replace")
    match read_move(move):
        case Fold():
            return "folds"
        case Call():
            call = game.legal(seat).call
            return f"calls {call}" if call else "checks"
        case Raise(to=to):
            return f"raises to {to}" + (" and is all in" if to == game.legal(seat).raise_to else "")
        case ShowHand():
            return "shows"
        case Muck():
            return "mucks"


def _request_text(before: TableState, move: bytes) -> str:
    """What somebody asks for at a table without rules."""
    try:
        made = free.read_move(move)
    except IllegalMove:
        return "asks for what cannot be"
    match made:
        case free.Shuffle(deck=deck, cards=cards):
            return f"asks for deck {deck}, {cards} cards"
        case free.DealCards(portions=portions):
            return "asks to deal: " + ", ".join(f"{before.roster.member(seat).name} {n}" for seat, n in portions)
        case free.OpenCards(count=count):
            return f"asks to open {count}"
        case free.ShowCards(positions=positions):
            return f"shows {len(positions)}"
        case free.GiveBack(positions=positions, place=place):
            return f"gives back {len(positions)} ({place})"
        case free.PutAway(deck=deck):
            return f"puts deck {deck} away"
        case free.Finish():
            return "says that the hand is over"


def in_words(event: Event, seats: dict[int, str]) -> str | None:
    """One line for people, or None for what would only be noise."""
    match event["event"]:
        case "move" | "without" | "break" | "leave" | "claim" | "book" | "roster":
            return f"  {shown(event['name'])} {shown(event['text'])}"
        case "board":
            return f"  board: [bold]{shown(event['text'])}[/bold]"
        case "shows":
            return f"  {shown(event['name'])} shows [bold]{shown(event['text'])}[/bold]"
        case "statement":
            did = {"gone": "is gone", "move": "gets the move that the rules make"}.get(event["did"])
            return "  the hand is broken off" if event["name"] is None else f"  {shown(event['name'])} {did}"
        case "void":
            return f"  [yellow]no result[/yellow]: {shown(event['reason'])}"
        case "fault":
            culprit = event["name"] or "nobody can be named"
            return f"[red bold]FAULT[/red bold] {shown(culprit)}: {shown(event['reason'])}"
        case "result":
            return _result_text(event, seats)
    return None


def _result_text(event: Event, seats: dict[int, str]) -> str:
    if "text" in event:
        return f"  [green]result[/green] ({shown(event.get('ended', ''))}): {shown(event['text'])}"
    lines = []
    for stack in event.get("stacks", []):
        change = stack["after"] - stack["before"]
        sign = "+" if change > 0 else ""
        lines.append(f"{shown(seats.get(stack['seat'], str(stack['seat'])))} {stack['after']} ({sign}{change})")
    return f"  [green]result[/green] ({shown(event.get('ended', ''))})" + (": " + ", ".join(lines) if lines else "")
