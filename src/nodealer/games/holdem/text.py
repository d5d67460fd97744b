"""The texts of hold'em: what happened, the table, and what a person can type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nodealer.cards.events import Opened
from nodealer.errors import BadParameter
from nodealer.games.holdem.adapter import BOARD
from nodealer.games.holdem.faces import indices, name
from nodealer.games.holdem.hand import Hand, HandStage
from nodealer.games.holdem.hand_names import hand_name, name_with_kicker, with_article
from nodealer.games.holdem.moves import Call, Fold, Move, Muck, Raise, ShowHand, read_move
from nodealer.games.holdem.parse import parse_move
from nodealer.games.holdem.ranking import Rank, rank
from nodealer.games.holdem.result import HoldemEnding
from nodealer.games.holdem.table_view import draw_table, suit_symbols
from nodealer.games.holdem.winnability import can_win
from nodealer.games.text import Line, Words, line, strong
from nodealer.games.view import View


class HoldemWords(Words):
    """The texts of hold'em."""

    note = "chips are play money"
    default = "check or fold; show at a showdown"
    help = (
        line("  ", strong("f"), " fold   ", strong("k"), " check   ", strong("c"), " check or call   ",
             strong("a"), " all in"),
        line("  ", strong("r 40"), " or ", strong("40"), " bet 40, or raise to 40 (your total in this round)"),
        line("  at the showdown: ", strong("s"), " show   ", strong("m"), " muck"),
        "  whole words work too: raise to 40, bet 20, all in, check",
    )  # fmt: skip
    rules = (
        "  Each player gets two cards. Five cards are dealt to the board: three, then one, then one.",
        "  In each of the four betting rounds you check or bet, or you call, raise or fold.",
        "  Players still in at the end show their cards: the best five of seven cards win the pot.",
        "  Hands from best to worst: straight flush, four of a kind, full house, flush, straight, three of a kind, two "
        "pair, pair, high card.",
    )

    # --- What happened ---

    def face(self, game: Hand, deck: int, face: int) -> str:
        """Return the name as in every hand history: "As"."""
        return name(face)

    def cards(self, game: Hand, opened: Sequence[Opened]) -> Line:
        """Describe opened cards with suit symbols; for a hand on a full board, with its name."""
        faces = tuple(event.face for event in opened)
        held = {position for positions in game.held.values() for position in positions}
        whole = len(game.board) == BOARD and all(event.card.position in held for event in opened)
        return line(suit_symbols(faces), f"  {hand_name((*faces, *game.board))}" if whole else "")

    def move(self, game: Hand, seat: int, move: bytes, names: Mapping[int, str]) -> str:
        """Describe a move. Empty for a show, which is described with the cards."""
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
                return "takes the pot without showing" if game.stage is HandStage.CLAIMING else "mucks"

    def result(self, result: Mapping[str, Any], names: Mapping[int, str]) -> str:
        """List the chips of every player, with the change."""
        stacks = []
        for stack in result["stacks"]:
            change = stack["after"] - stack["before"]
            sign = "+" if change > 0 else ""
            stacks.append(f"{names.get(stack['seat'], stack['seat'])} {stack['after']} ({sign}{change})")
        return ", ".join(stacks)

    def outcome(self, result: Mapping[str, Any], names: Mapping[int, str]) -> Sequence[Line]:
        """Describe who wins each pot and with which hand, and who paid a penalty for leaving."""
        hands, pots = _compared_hands(result), result["pots"]
        won = [_pot_line(pot, _pot_label(at, len(pots)), hands, names) for at, pot in enumerate(pots)]
        return [*won, *(_charge_line(one, names) for one in result["charged"])]

    def parting(self, result: Mapping[str, Any], you: int) -> str:
        """Tell a player who lost their last chips that they are out."""
        (mine,) = [stack for stack in result["stacks"] if stack["seat"] == you] or [{"before": 0, "after": 0}]
        return "You are out: you have no chips left." if mine["before"] > 0 == mine["after"] else ""

    def columns(self, result: Mapping[str, Any], names: Mapping[int, str]) -> Mapping[str, str]:
        """Return the board and the winners with their amounts."""
        winners = [winner for pot in result["pots"] for winner in pot["winners"]]
        won = ", ".join(f"{names.get(winner['seat'], winner['seat'])} {winner['amount']}" for winner in winners)
        return {"board": " ".join(result["board"]), "winners": won}

    # --- A person's turn ---

    def table(self, view: View) -> Sequence[Line]:
        """Describe the players, the pots, the board and the person's own cards."""
        return tuple(draw_table(_hand_of(view), view))

    def prompt(self, view: View) -> str:
        """List what the person can do."""
        game = _hand_of(view)
        if game.stage is HandStage.CLAIMING:
            return "  you win the pot: show your cards or muck them"
        if game.stage is HandStage.CHOOSING:
            return "  showdown: show your cards or muck them"
        return f"  your turn: {', '.join(_options(game, view.seat))}"

    def read(self, view: View, text: str) -> Move:
        """Parse a typed move: a letter or a few words, and an amount."""
        game = _hand_of(view)
        return parse_move(text, game.legal(view.seat), game.table.stacks[view.seat])

    def sure(self, view: View, move: object) -> str:
        """Ask before the person mucks a hand that could win."""
        game, mine = _hand_of(view), tuple(view.cards.values())
        if not isinstance(move, Muck) or game.stage is not HandStage.CHOOSING or not can_win(game, view.seat, mine):
            return ""
        return f"no one has shown a better hand than your {hand_name((*mine, *game.board))}; muck it anyway?"


def _hand_of(view: View) -> Hand:
    """Return the hand in a view. Raises `BadParameter` if it is of another game."""
    if not isinstance(view.game, Hand):
        raise BadParameter("this is not a hand of hold'em")
    return view.game


def _all_in(so: bool) -> str:
    """Return the words to add to a bet that puts a player all in, or nothing."""
    return " and is all in" if so else ""


def _options(game: Hand, seat: int) -> Iterator[str]:
    """Yield what a seat can do, in words."""
    legal, stack = game.legal(seat), game.table.stacks[seat]
    if legal.fold:
        yield "fold"
    if legal.call is not None:
        yield (f"call {legal.call}" + (" (all in)" if legal.call == stack else "")) if legal.call else "check"
    if legal.raise_from is not None:
        does = "raise to" if any(game.table.bets.values()) else "bet"
        more = f"–{legal.raise_to}" if legal.raise_to != legal.raise_from else ""
        yield f"{does} {legal.raise_from}{more} (all in)"


def _compared_hands(result: Mapping[str, Any]) -> dict[int, Rank]:
    """Return the hands that were compared at the showdown."""
    board = indices("".join(result["board"]))
    if result["ended"] != HoldemEnding.SHOWDOWN.value or len(board) != BOARD:
        return {}
    return {shown["seat"]: rank((*indices("".join(shown["cards"])), *board)) for shown in result["shown"]}


def _charge_line(one: Mapping[str, Any], names: Mapping[int, str]) -> Line:
    """Describe what a player pays for leaving in the middle of a card operation."""
    who = str(names.get(one["seat"], one["seat"]))
    return line(strong(who), f" left in the middle of a card operation and pays {one['amount']} into the next pot")


def _pot_label(at: int, count: int) -> str:
    """Return the words before a pot's amount. Empty if it is the only pot."""
    if count == 1:
        return ""
    return "the main pot of " if at == 0 else "a side pot of "


def _pot_line(pot: Mapping[str, Any], kind: str, hands: Mapping[int, Rank], names: Mapping[int, str]) -> Line:
    """Describe who wins a pot, and with which hand."""
    seats = [winner["seat"] for winner in pot["winners"]]
    who = [str(names.get(seat, seat)) for seat in seats]
    verb = "wins" if len(who) == 1 else "split"
    shown = [hands[seat] for seat in seats if seat in hands]
    # If the best losing hand has the same name, a kicker decided.
    beaten = max((hand for seat, hand in hands.items() if seat not in seats), default=None)
    made = f" with {with_article(name_with_kicker(shown[0], beaten or shown[0]))}" if shown else ""
    return line(
        strong(" and ".join(filter(None, (", ".join(who[:-1]), who[-1])))), f" {verb} {kind}{pot['amount']}{made}"
    )
