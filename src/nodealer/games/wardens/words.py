"""Wardens in words: what happens, the table as a person sees it, and what a person may type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from nodealer.cards import Opened
from nodealer.errors import IllegalMove
from nodealer.games.view import View
from nodealer.games.wardens.hand import WardensGame
from nodealer.games.wardens.moves import Attack, Bury, Concede, EndTurn, Move, Play, read_move
from nodealer.games.wardens.pool import POOL
from nodealer.games.wardens.seen import game_of, hand_of
from nodealer.games.wardens.side import Side, Warden
from nodealer.games.words import Line, Mark, Span, Words, line, numbered, picked, strong

LETTERS: Final = "abcdefgh"


class WardensWords(Words):
    """The rival has letters, oneself has numbers."""

    help = (
        line(strong("p 2"), " play card 2   ", strong("p 2 b"), " … on warden b of the rival   ", strong("a 1"),
             " your warden 1 attacks the rival   ", strong("a 1 b"), " … attacks warden b"),
        line(strong("b 3"), " bury card 3 for a spark (once a turn)   ", strong("e"), " end the turn   ",
             strong("concede"), " give up   ", strong("?"), " this help   Ctrl-C leave"),
    )  # fmt: skip

    def face(self, game: WardensGame, deck: int, face: int) -> str:
        """The name of a card."""
        return POOL[game.sides[deck].list[face]].name

    def looked_at(self, game: WardensGame, deck: int, face: int) -> str:
        """The whole card."""
        return POOL[game.sides[deck].list[face]].line

    def owner(self, game: WardensGame, opened: Opened, holder: int | None) -> int:
        """Every card has an owner, whether it was played or turned up from the pile."""
        return game.sides[opened.card.deck].seat

    def move(self, game: WardensGame, seat: int, move: bytes, names: Mapping[int, str]) -> str:
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

    def result(self, result: Mapping[str, Any], names: Mapping[int, str]) -> str:
        """Who won, and the light that is left."""
        winner = result.get("winner")
        who = "a tie" if winner is None else f"{names.get(winner, winner)} wins"
        light = ", ".join(f"{names.get(side['seat'], side['seat'])} {side['light']}" for side in result["sides"])
        return f"{who} after {result['turns']} turns; light: {light}"

    def columns(self, result: Mapping[str, Any], names: Mapping[int, str]) -> Mapping[str, str]:
        """Who won."""
        winner = result["winner"]
        return {"winners": "" if winner is None else str(names.get(winner, winner))}

    def table(self, view: View) -> Sequence[Line]:
        """The rival above, oneself below, the hand last."""
        game = game_of(view)
        mine, theirs = game.mine, game.theirs
        rivals = zip(LETTERS, theirs.wardens, strict=False)
        return (
            line("  ", strong(f"turn {game.turn}")),
            line("  ", _line(view.names[theirs.seat], theirs)),
            *(line("     ", Span(letter, "rival"), " ", _warden(warden, ready=False)) for letter, warden in rivals),
            line("  ", _line("you", mine)),
            *(
                line("     ", Span(str(number), "mine"), " ", _warden(warden, ready=True))
                for number, warden in enumerate(mine.wardens, 1)
            ),
            line("  hand"),
            *numbered([Span(POOL[card].line, _payable(card, mine)) for card in hand_of(view).values()]),
        )

    def prompt(self, view: View) -> str:
        """What may be done."""
        return "  you may: play (p), attack (a), bury (b), end (e)   (? for help)"

    def read(self, view: View, text: str) -> Move | None:
        """A move, from the numbers and letters on the screen."""
        game, hand = game_of(view), list(hand_of(view).items())
        match text.lower().split():
            case ["p" | "play", card, *target] if len(target) < 2:
                place, number = hand[picked(card, len(hand), "card")]
                return Play(place, number, _target(game, target))
            case ["a" | "attack", warden, *target] if len(target) < 2:
                mine = game.mine.wardens
                return Attack(mine[picked(warden, len(mine), "warden")].place, _target(game, target))
            case ["b" | "bury", card]:
                return Bury(hand[picked(card, len(hand), "card")][0])
            case ["e" | "end"]:
                return EndTurn()
            case ["concede"]:
                return Concede()
            case ["?" | "help"] | []:
                return None
        raise IllegalMove(f"{text.strip()!r} is not a move here; ? lists them")


def _payable(card: int, side: Side) -> Mark:
    return "strong" if POOL[card].cost <= side.sparks else "dim"


def _name(side: Side, place: int) -> str:
    warden = side.warden(place)
    return warden.printed.name if warden is not None else "nothing"


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
