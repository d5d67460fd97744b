"""The table of a hand before a bet: who sits there, with what, and what can be won."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from nodealer.games.holdem.faces import name
from nodealer.games.holdem.hand import Hand
from nodealer.games.holdem.hand_names import hand_name
from nodealer.games.text import Line, Mark, Span, line, strong
from nodealer.games.view import View

_SUITS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
#: Longer names stand out of their column.
_NAME_WIDTH: Final = 16


def pretty(faces: Iterable[int]) -> Line:
    """Cards for people: "A♠ K♦"."""
    spans: list[Span] = []
    for card in map(name, faces):
        spans += [Span(" ")] if spans else []
        spans.append(Span(card[0] + _SUITS[card[1]], "red card" if card[1] in "dh" else "card"))
    return Line(tuple(spans))


def drawn(game: Hand, view: View) -> Iterator[Line]:
    """All of it, a line each, in sixty columns."""
    yield line(
        "  you are ", strong(view.names.get(view.seat, str(view.seat))), "   pot ", strong(str(game.pot)), *_side(game)
    )
    yield from _seats(game, view)
    yield line("  board  ", pretty(game.board) if game.board else "–")
    mine = tuple(view.cards.values())
    has = (pretty(mine), f"  {hand_name((*mine, *game.board))}") if mine else ("no cards",)
    yield line("  you have  ", *has)


def _seats(game: Hand, view: View) -> Iterator[Line]:
    names = {seat: _name(view, seat) for seat in sorted(game.seats)}
    wide = min(_NAME_WIDTH, max(map(len, names.values())))
    chips = {seat: _chips(game, seat) for seat in names}
    digits = max(5, *(len(str(stack)) for stack in chips.values()))
    yield line(Span(f"  {'':<{wide}}  {'chips':>{digits}}  {'bet':>{digits}}", "dim"))
    for seat, who in names.items():
        bet = game.table.bets.get(seat, 0)
        row = f"{chips[seat]:>{digits}}  {bet or '':>{digits}}  {', '.join(_notes(game, seat))}"
        yield line("  ", Span(f"{who:<{wide}}", _mark(game, view, seat)), Span(f"  {row}".rstrip(), _dim(game, seat)))


def _name(view: View, seat: int) -> str:
    return view.names.get(seat, str(seat))


def _chips(game: Hand, seat: int) -> int:
    return game.behind(seat) if seat in game.players else game.chips.get(seat, 0)


def _notes(game: Hand, seat: int) -> Iterator[str]:
    if seat not in game.players:
        yield "sits out" if _chips(game, seat) else "out"
        return
    for role, at in (("button", game.button), ("small blind", game.small_blind), ("big blind", game.big_blind)):
        if at == seat:
            yield role
    if seat in game.gone:
        yield "gone"
    elif seat not in game.table.live:
        yield "folded"
    elif not _chips(game, seat):
        yield "all in"


def _mark(game: Hand, view: View, seat: int) -> Mark | None:
    return "mine" if seat == view.seat else _dim(game, seat)


def _dim(game: Hand, seat: int) -> Mark | None:
    return None if seat in game.contenders else "dim"


def _side(game: Hand) -> Iterator[str]:
    """The main pot and the side pots, where somebody is all in for less than others."""
    pots = standing_pots(game)
    if len(pots) > 1:
        yield f" (main {pots[0]}, side {', '.join(map(str, pots[1:]))})"


def standing_pots(game: Hand) -> list[int]:
    """The main pot first. What only one player has paid and nobody can call any more is no pot."""
    paid, stacks = game.paid, game.table.stacks
    caps = sorted({paid[seat] for seat in game.contenders if stacks[seat] == 0})
    pots, below = list[int](), 0
    for level in dict.fromkeys((*caps, max(paid.values()))):
        amount = sum(min(put_in, level) - min(put_in, below) for put_in in paid.values())
        could_win = [seat for seat in game.contenders if paid[seat] > below or (stacks[seat] and below)]
        if amount and (len(could_win) > 1 or not pots):
            pots.append(amount)
        below = level
    return pots
