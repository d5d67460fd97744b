"""Wardens in the terminal: what happens in words, the table as a person sees it, and what a person may type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rich.console import Console

from nodealer.cards import Opened
from nodealer.cli.output import shown
from nodealer.errors import BadParameter, IllegalMove
from nodealer.games.wardens.cards import Printed
from nodealer.games.wardens.hand import WardensGame
from nodealer.games.wardens.moves import Attack, Bury, Concede, EndTurn, Move, Play, read_move
from nodealer.games.wardens.pool import COURTS, POOL, court_deck
from nodealer.games.wardens.rules import WardensRules
from nodealer.games.wardens.side import Side, Warden
from nodealer.play.view import View
from nodealer.play.wardensbot import hand_of
from nodealer.protocols.base import Duty
from nodealer.wire import encode

HELP: Final = """[bold]p 2[/bold] play card 2   [bold]p 2 b[/bold] … on warden b of the rival   \
[bold]a 1[/bold] your warden 1 attacks the rival   [bold]a 1 b[/bold] … attacks warden b
[bold]b 3[/bold] bury card 3 for a spark (once a turn)   [bold]e[/bold] end the turn   \
[bold]concede[/bold] give up   [bold]?[/bold] this help   Ctrl-C leave"""
LETTERS: Final = "abcdefgh"


def rules_of(decks: str) -> WardensRules:
    """The rules for two courts, such as "ember,tide"."""
    courts = [court.strip() for court in decks.split(",")]
    if len(courts) != 2 or any(court not in COURTS for court in courts):
        raise BadParameter(f"decks are two of {', '.join(COURTS)}, such as ember,tide, not {decks!r}")
    return WardensRules((court_deck(courts[0]), court_deck(courts[1])))


class WardensWords:
    """What happens, told."""

    def holder(self, game: WardensGame, event: Opened) -> int | None:
        """Every card has an owner, whether it was played or turned up from the pile."""
        return game.sides[event.card.deck].seat

    def names(self, game: WardensGame, events: list[Opened]) -> list[str]:
        """The names of cards."""
        return [POOL[game.sides[event.card.deck].list[event.face]].name for event in events]

    def move(self, game: WardensGame, seat: int, move: bytes) -> str:
        """A move in words."""
        theirs = game.theirs
        match read_move(move):
            case Play(card=card, target=target):
                where = f" on {_name(theirs, target)}" if target is not None else ""
                return f"plays {POOL[card].line}" + where if card < len(POOL) else "plays a card that is none"
            case Attack(place=place, target=target):
                return f"lets {_name(game.mine, place)} attack " + (
                    _name(theirs, target) if target is not None else "the rival"
                )
            case Bury():
                return "buries a card for a spark"
            case EndTurn():
                mine = game.mine
                return f"ends turn {game.turn} (light {mine.light} against {theirs.light})"
            case Concede():
                return "concedes"

    def result(self, result: Mapping[str, Any], seats: Mapping[int, str]) -> str:
        """Who won, and the light that is left."""
        winner = result.get("winner")
        who = "a tie" if winner is None else f"{seats.get(winner, winner)} wins"
        light = ", ".join(f"{seats.get(side['seat'], side['seat'])} {side['light']}" for side in result["sides"])
        return f"{who} after {result['turns']} turns; light: {light}"


def _name(side: Side, place: int) -> str:
    warden = side.warden(place)
    return warden.printed.name if warden is not None else "nothing"


class WardensDesk:
    """The table of one person."""

    help = HELP

    def show(self, view: View, console: Console) -> None:
        """The rival above, oneself below, the hand last."""
        game = _game(view)
        mine, theirs = game.mine, game.theirs
        console.print(f"  [bold]turn {game.turn}[/bold]")
        console.print("  " + shown(_line(view.names[theirs.seat], theirs)))
        for letter, warden in zip(LETTERS, theirs.wardens, strict=False):
            console.print(f"     [red]{letter}[/red] {shown(_warden(warden, ready=False))}")
        console.print("  " + shown(_line("you", mine)))
        for number, warden in enumerate(mine.wardens, 1):
            console.print(f"     [green]{number}[/green] {shown(_warden(warden, ready=True))}")
        console.print("  hand")
        for number, card in enumerate(hand_of(view).values(), 1):
            style = "bold" if POOL[card].cost <= mine.sparks else "dim"
            console.print(f"     [cyan]{number}[/cyan] [{style}]{shown(POOL[card].line)}[/{style}]")
        console.print("  you may: play (p), attack (a), bury (b), end (e)   (? for help)")

    def read(self, view: View, text: str) -> Move | None:
        """A move, from the numbers and letters on the screen."""
        game, hand = _game(view), list(hand_of(view).items())
        match text.lower().split():
            case ["p" | "play", card, *target] if len(target) < 2:
                place, number = _pick(hand, card, "card")
                return Play(place, number, _target(game, target))
            case ["a" | "attack", warden, *target] if len(target) < 2:
                return Attack(_pick(game.mine.wardens, warden, "warden").place, _target(game, target))
            case ["b" | "bury", card]:
                return Bury(_pick(hand, card, "card")[0])
            case ["e" | "end"]:
                return EndTurn()
            case ["concede"]:
                return Concede()
            case ["?" | "help"] | []:
                return None
        raise IllegalMove(f"{text.strip()!r} is not a move here; ? lists them")

    def offer(self, view: View, duty: Duty, console: Console) -> None:
        """The cards that were looked at."""
        for number, (_, card) in enumerate(self._seen(view, duty), 1):
            console.print(f"     [cyan]{number}[/cyan] {shown(card.line)}")
        if duty.kind == "take":
            console.print("  which one do you keep? the rest is shuffled")
        else:
            console.print("  in which order do they go back, the top first? such as: 2 1 3")

    def choose(self, view: View, duty: Duty, text: str) -> bytes:
        """Numbers on the screen to places in the deck."""
        seen = self._seen(view, duty)
        picked = [_pick(seen, word, "card")[0] for word in text.split()]
        if duty.kind == "take" and len(picked) != 1:
            raise IllegalMove("one number, please")
        if duty.kind != "take" and sorted(picked) != sorted(place for place, _ in seen):
            raise IllegalMove("every number once, please")
        return encode(picked)

    def _seen(self, view: View, duty: Duty) -> list[tuple[int, Printed]]:
        side = next(side for side in _game(view).sides if side.deck == duty.deck)
        return [(place, POOL[side.list[face]]) for (deck, place), face in view.seen.items() if deck == duty.deck]


def _game(view: View) -> WardensGame:
    if not isinstance(view.game, WardensGame):
        raise BadParameter("this is no game of wardens")
    return view.game


def _pick(things: Any, word: str, what: str) -> Any:
    """The n-th of what is on the screen."""
    if not things:
        raise IllegalMove(f"there is no {what} here")
    if not (word.isascii() and word.isdigit() and len(word) < 4) or not 1 <= int(word) <= len(things):
        raise IllegalMove(f"there is no {what} {word!r}; they are numbered 1 to {len(things)}")
    return things[int(word) - 1]


def _target(game: WardensGame, words: list[str]) -> int | None:
    if not words:
        return None
    wardens = dict(zip(LETTERS, game.theirs.wardens, strict=False))
    if words[0] not in wardens:
        raise IllegalMove(f"there is no warden {words[0]!r} of the rival")
    return wardens[words[0]].place


def _line(name: str, side: Side) -> str:
    return (
        f"{name}: light {side.light}, sparks {side.sparks} of {side.fire}, "
        f"hand {len(side.hand)}, deck {side.pile}, discards {len(side.discards)}, buried {side.buried}"
    )


def _warden(warden: Warden, *, ready: bool) -> str:
    words = [warden.printed.name, f"{warden.power}/{warden.health}"]
    words += ["guard"] if warden.printed.guard else []
    words += ["(ready)"] if ready and warden.ready else []
    return " ".join(words)
