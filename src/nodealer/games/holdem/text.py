"""Hold'em in words: what happened, the table before a bet, and what a person types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nodealer.cards.events import Opened
from nodealer.errors import BadParameter
from nodealer.games.holdem.adapter import BOARD
from nodealer.games.holdem.faces import indices, name
from nodealer.games.holdem.hand import Hand, HandStage
from nodealer.games.holdem.hand_names import as_one, hand_name, told_apart
from nodealer.games.holdem.moves import Call, Fold, Move, Muck, Raise, ShowHand, read_move
from nodealer.games.holdem.parse import read_answer
from nodealer.games.holdem.ranking import Rank, rank
from nodealer.games.holdem.result import HoldemEnding
from nodealer.games.holdem.table_view import drawn, pretty
from nodealer.games.holdem.winnability import may_win
from nodealer.games.text import Line, Words, line, strong
from nodealer.games.view import View


class HoldemWords(Words):
    """Chips are numbers, cards have their signs."""

    note = "chips are play money"
    default = "check, else fold; show at a showdown"
    help = (
        line("  ", strong("f"), " fold   ", strong("k"), " check   ", strong("c"), " check or call   ",
             strong("a"), " all in"),
        line("  ", strong("r 40"), " or ", strong("40"), " bet 40, or raise to 40 in all in this round"),
        line("  at the end: ", strong("s"), " show   ", strong("m"), " muck"),
        "  whole words do as well: raise to 40, bet 20, all in, check",
    )  # fmt: skip
    rules = (
        "  Everybody has two cards; three, one and one more come on the board.",
        "  In four rounds you fold, check, call what others bet, or bet more.",
        "  Who is left shows: the best five of the seven cards take the pot.",
        "  From the best: straight flush, four of a kind, full house, flush, straight, three of a kind, two pair, "
        "pair, high card.",
    )

    # --- What happened ---

    def face(self, game: Hand, deck: int, face: int) -> str:
        """As in every hand history: "As"."""
        return name(face)

    def cards(self, game: Hand, opened: Sequence[Opened]) -> Line:
        """With the signs of their suits; a hand on a full board with its name."""
        faces = tuple(event.face for event in opened)
        held = {position for positions in game.held.values() for position in positions}
        whole = len(game.board) == BOARD and all(event.card.position in held for event in opened)
        return line(pretty(faces), f"  {hand_name((*faces, *game.board))}" if whole else "")

    def move(self, game: Hand, seat: int, move: bytes, names: Mapping[int, str]) -> str:
        """A bet, or what becomes of the cards. Who shows is told with the cards."""
        legal, stack = game.legal(seat), game.table.stacks.get(seat)
        match read_move(move):
            case Fold():
                return "folds"
            case Call():
                call = legal.call or 0
                return f"calls {call}{_all_in(call == stack)}" if call else "checks"
            case Raise(to=to):
                does = "raises to" if any(game.table.bets.values()) else "bets"
                return f"{does} {to}{_all_in(to == legal.raise_to)}"
            case ShowHand():
                return ""
            case Muck():
                return "takes the pot and shows nothing" if game.stage is HandStage.CLAIMING else "mucks"

    def result(self, result: Mapping[str, Any], names: Mapping[int, str]) -> str:
        """What everybody has now."""
        told = []
        for stack in result["stacks"]:
            change = stack["after"] - stack["before"]
            sign = "+" if change > 0 else ""
            told.append(f"{names.get(stack['seat'], stack['seat'])} {stack['after']} ({sign}{change})")
        return ", ".join(told)

    def outcome(self, result: Mapping[str, Any], names: Mapping[int, str]) -> Sequence[Line]:
        """Who wins what with what, and who left at a price."""
        hands, pots = _hands(result), result["pots"]
        won = [_won(pot, _kind(at, len(pots)), hands, names) for at, pot in enumerate(pots)]
        return [*won, *(_charged(one, names) for one in result["charged"])]

    def parting(self, result: Mapping[str, Any], you: int) -> str:
        """Who has no chips any more is out."""
        (mine,) = [stack for stack in result["stacks"] if stack["seat"] == you] or [{"before": 0, "after": 0}]
        return "You are out: you have no chips left." if mine["before"] > 0 == mine["after"] else ""

    def columns(self, result: Mapping[str, Any], names: Mapping[int, str]) -> Mapping[str, str]:
        """The board, and who got how much of the pots."""
        winners = [winner for pot in result["pots"] for winner in pot["winners"]]
        won = ", ".join(f"{names.get(winner['seat'], winner['seat'])} {winner['amount']}" for winner in winners)
        return {"board": " ".join(result["board"]), "winners": won}

    # --- A person's turn ---

    def table(self, view: View) -> Sequence[Line]:
        """Seats, pots, the board, and what the person has."""
        return tuple(drawn(_hand(view), view))

    def prompt(self, view: View) -> str:
        """What may be done."""
        game = _hand(view)
        if game.stage is HandStage.CLAIMING:
            return "  the pot is yours: show your cards, or muck them"
        if game.stage is HandStage.CHOOSING:
            return "  the showdown: show your cards, or muck them"
        return f"  you may: {', '.join(_may(game, view.seat))}"

    def read(self, view: View, text: str) -> Move:
        """A letter, a word or two, and an amount."""
        game = _hand(view)
        return read_answer(text, game.legal(view.seat), game.table.stacks[view.seat])

    def sure(self, view: View, move: object) -> str:
        """Before a hand is thrown away that would win."""
        game, mine = _hand(view), tuple(view.cards.values())
        mucks = isinstance(move, Muck) or move == {"type": "muck"}
        if not mucks or game.stage is not HandStage.CHOOSING or not may_win(game, view.seat, mine):
            return ""
        return f"nobody has shown better than your {hand_name((*mine, *game.board))}: give it up unseen?"


def _hand(view: View) -> Hand:
    if not isinstance(view.game, Hand):
        raise BadParameter("this is no hand of hold'em")
    return view.game


def _all_in(so: bool) -> str:
    return " and is all in" if so else ""


def _may(game: Hand, seat: int) -> Iterator[str]:
    legal, stack = game.legal(seat), game.table.stacks[seat]
    if legal.fold:
        yield "fold"
    if legal.call is not None:
        yield (f"call {legal.call}" + (" (all in)" if legal.call == stack else "")) if legal.call else "check"
    if legal.raise_from is not None:
        does = "raise to" if any(game.table.bets.values()) else "bet"
        more = f" … {legal.raise_to}" if legal.raise_to != legal.raise_from else ""
        yield f"{does} {legal.raise_from}{more} (all in)"


def _hands(result: Mapping[str, Any]) -> dict[int, Rank]:
    """The hands that were compared."""
    board = indices("".join(result["board"]))
    if result["ended"] != HoldemEnding.SHOWDOWN.value or len(board) != BOARD:
        return {}
    return {shown["seat"]: rank((*indices("".join(shown["cards"])), *board)) for shown in result["shown"]}


def _charged(one: Mapping[str, Any], names: Mapping[int, str]) -> Line:
    who = str(names.get(one["seat"], one["seat"]))
    return line(strong(who), f" left in the middle of a card and pays {one['amount']}, which lie in the next pot")


def _kind(at: int, count: int) -> str:
    if count == 1:
        return ""
    return "the main pot of " if at == 0 else "a side pot of "


def _won(pot: Mapping[str, Any], kind: str, hands: Mapping[int, Rank], names: Mapping[int, str]) -> Line:
    seats = [winner["seat"] for winner in pot["winners"]]
    who = [str(names.get(seat, seat)) for seat in seats]
    verb = "wins" if len(who) == 1 else "share"
    shown = [hands[seat] for seat in seats if seat in hands]
    # The best of the others of the same name: then a kicker decided.
    beaten = max((hand for seat, hand in hands.items() if seat not in seats), default=None)
    made = f" with {as_one(told_apart(shown[0], beaten or shown[0]))}" if shown else ""
    return line(
        strong(" and ".join(filter(None, (", ".join(who[:-1]), who[-1])))), f" {verb} {kind}{pot['amount']}{made}"
    )
