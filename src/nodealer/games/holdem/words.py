"""Hold'em in words: what happened, the table before a bet, and what a person types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nodealer.cards import Opened
from nodealer.errors import BadParameter, IllegalMove
from nodealer.games.holdem.faces import name
from nodealer.games.holdem.hand import Hand
from nodealer.games.holdem.moves import Call, Fold, Legal, Move, Muck, Raise, ShowHand, read_move
from nodealer.games.view import View
from nodealer.games.words import Line, Span, Words, line, strong

_SUITS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}


def pretty(faces: Iterable[int]) -> Line:
    """Cards for people: "A♠ K♦"."""
    spans: list[Span] = []
    for card in map(name, faces):
        spans += [Span(" ")] if spans else []
        spans.append(Span(card[0] + _SUITS[card[1]], "red card" if card[1] in "dh" else "card"))
    return Line(tuple(spans))


class HoldemWords(Words):
    """Chips are numbers, cards have their signs."""

    note = "chips are play money"
    help = (
        line(strong("f"), " fold   ", strong("c"), " check or call   ", strong("r 40"), " raise to 40   ",
             strong("a"), " all in   ", strong("s"), " show   ", strong("m"), " muck   ", strong("?"),
             " this help   Ctrl-C leave"),
    )  # fmt: skip

    def face(self, game: Hand, deck: int, face: int) -> str:
        """As in every hand history: "As"."""
        return name(face)

    def cards(self, game: Hand, opened: Sequence[Opened]) -> Line:
        """With the signs of their suits."""
        return pretty(event.face for event in opened)

    def move(self, game: Hand, seat: int, move: bytes, names: Mapping[int, str]) -> str:
        """A bet, or what becomes of the cards."""
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

    def result(self, result: Mapping[str, Any], names: Mapping[int, str]) -> str:
        """What everybody has now."""
        told = []
        for stack in result["stacks"]:
            change = stack["after"] - stack["before"]
            sign = "+" if change > 0 else ""
            told.append(f"{names.get(stack['seat'], stack['seat'])} {stack['after']} ({sign}{change})")
        return ", ".join(told)

    def columns(self, result: Mapping[str, Any], names: Mapping[int, str]) -> Mapping[str, str]:
        """The board, and who got how much of the pots."""
        winners = [winner for pot in result["pots"] for winner in pot["winners"]]
        won = ", ".join(f"{names.get(winner['seat'], winner['seat'])} {winner['amount']}" for winner in winners)
        return {"board": " ".join(result["board"]), "winners": won}

    def table(self, view: View) -> Sequence[Line]:
        """My cards, the board and the pot."""
        game = _hand(view)
        board = pretty(game.board) if game.board else line(strong("–"))
        return (line("  your cards ", pretty(view.cards.values()), "   board ", board, f"   pot {game.pot}"),)

    def prompt(self, view: View) -> str:
        """What may be done."""
        return f"  you may: {_hand(view).legal(view.seat)}   (? for help)"

    def read(self, view: View, text: str) -> Move | None:
        """A letter or a word, and an amount for a raise."""
        return read_answer(text, _hand(view).legal(view.seat))


def _hand(view: View) -> Hand:
    if not isinstance(view.game, Hand):
        raise BadParameter("this is no hand of hold'em")
    return view.game


def read_answer(text: str, legal: Legal) -> Move | None:
    """The move that a person typed; None for a request for help. Raises `IllegalMove` for anything else."""
    words = text.split()
    match words:
        case ["f" | "fold"]:
            return Fold()
        case ["c" | "call" | "check"]:
            return Call()
        case ["r" | "raise", amount] if amount.isascii() and amount.isdigit() and len(amount) < 16 and int(amount) > 0:
            return Raise(int(amount))
        case ["a" | "all"] if legal.raise_to is not None:
            return Raise(legal.raise_to)
        case ["s" | "show"]:
            return ShowHand()
        case ["m" | "muck"]:
            return Muck()
        case ["?" | "help"] | []:
            return None
    raise IllegalMove(f"{text.strip()!r} is not a move here; ? lists them")
