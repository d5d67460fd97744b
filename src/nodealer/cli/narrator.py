"""What happens at a table, told entry by entry: as lines for people or as one JSON object an event."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nodealer.cards import Opened
from nodealer.errors import Malformed
from nodealer.games.holdem.faces import names
from nodealer.games.holdem.hand import Hand
from nodealer.games.holdem.moves import Call, Fold, Muck, Raise, ShowHand, read_move
from nodealer.log.entry import read_entry
from nodealer.play.bodies import Begin, Body, Cards, Move, read_body
from nodealer.play.replica import Outcome, Replica
from nodealer.play.state import TableState
from nodealer.wire import decode

Event = dict[str, Any]

SUITS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}


def pretty(faces: tuple[int, ...] | list[int]) -> str:
    """Cards for people: "A♠ K♦"."""
    return " ".join(card[0] + SUITS[card[1]] for card in names(faces))


class Narrator:
    """Watches a replica take entries. `take` gives the events of one entry."""

    def __init__(self, replica: Replica) -> None:
        self._replica = replica

    def take(self, data: bytes) -> Iterator[Event]:
        """Append an entry and tell what it did. Raises what `Replica.append` raises."""
        replica, before = self._replica, self._replica.state
        told = len(replica.events)
        outcome = replica.append(data)
        if outcome in (Outcome.REPEATED, Outcome.DROPPED, Outcome.VOID):
            return
        entry = read_entry(data).entry
        name = before.roster.player(entry.seat).name
        yield from self._said(before, entry.seat, name, read_body(bytes(entry.body)), len(data))
        yield from self._shown(before, told)
        yield from self._over(before)

    def _said(self, before: TableState, seat: int, name: str, body: Body, size: int) -> Iterator[Event]:
        match body:
            case Begin():
                yield {"event": "begin", "hand": before.hand, "seat": seat, "name": name}
            case Cards(message=message):
                yield {"event": "cards", "seat": seat, "name": name, "step": _step(bytes(message)), "bytes": size}
            case Move(move=move):
                yield {"event": "move", "seat": seat, "name": name, "text": _move_text(before, seat, bytes(move))}

    def _shown(self, before: TableState, told: int) -> Iterator[Event]:
        game = before.game
        opened = [event for _, event in self._replica.events[told:] if isinstance(event, Opened)]
        if not opened:
            return
        holders: dict[int, int] = {}
        if isinstance(game, Hand):
            holders = {position: seat for seat, positions in game.held.items() for position in positions}
        by_seat: dict[int | None, list[int]] = {}
        for event in opened:
            by_seat.setdefault(holders.get(event.card.position), []).append(event.face)
        for seat, faces in by_seat.items():
            if seat is None:
                yield {"event": "board", "cards": list(names(faces)), "text": pretty(faces)}
            else:
                name = before.roster.player(seat).name
                yield {"event": "shows", "seat": seat, "name": name, "cards": list(names(faces)), "text": pretty(faces)}

    def _over(self, before: TableState) -> Iterator[Event]:
        state = self._replica.state
        if state.fault is not None and before.fault is None:
            fault = state.fault
            name = None if fault.seat is None else state.roster.player(fault.seat).name
            yield {"event": "fault", "seat": fault.seat, "name": name, "entry": fault.entry, "reason": fault.reason}
        for result in state.results[len(before.results) :]:
            yield {"event": "result", **result}


def _step(message: bytes) -> str:
    try:
        return str(decode(dict, message, what="a message").get("type", ""))
    except Malformed:
        return ""


def _move_text(before: TableState, seat: int, move: bytes) -> str:
    game = before.game
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


def in_words(event: Event, seats: dict[int, str]) -> str | None:
    """One line for people, or None for what would only be noise."""
    match event["event"]:
        case "move":
            return f"  {event['name']} {event['text']}"
        case "board":
            return f"  board: [bold]{event['text']}[/bold]"
        case "shows":
            return f"  {event['name']} shows [bold]{event['text']}[/bold]"
        case "fault":
            return f"[red bold]FAULT[/red bold] {event['name'] or 'nobody can be named'}: {event['reason']}"
        case "result":
            return _result_text(event, seats)
    return None


def _result_text(event: Event, seats: dict[int, str]) -> str:
    lines = []
    for stack in event.get("stacks", []):
        change = stack["after"] - stack["before"]
        sign = "+" if change > 0 else ""
        lines.append(f"{seats.get(stack['seat'], stack['seat'])} {stack['after']} ({sign}{change})")
    return f"  [green]result[/green] ({event.get('ended', '')}): " + ", ".join(lines)
