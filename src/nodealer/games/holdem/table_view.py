"""The table in text: the players with their chips and bets, the pots, the board and the person's own cards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from nodealer.games.holdem.faces import name
from nodealer.games.holdem.hand import Hand
from nodealer.games.holdem.hand_names import hand_name
from nodealer.games.text import Line, Mark, Span, line, strong
from nodealer.games.view import View

_SUITS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
#: Width of the name column. Longer names overflow it.
_NAME_WIDTH: Final = 16


def suit_symbols(faces: Iterable[int]) -> Line:
    """Return cards with suit symbols: "A♠ K♦"."""
    spans: list[Span] = []
    for card in map(name, faces):
        spans += [Span(" ")] if spans else []
        spans.append(Span(card[0] + _SUITS[card[1]], "red card" if card[1] in "dh" else "card"))
    return Line(tuple(spans))


def draw_table(game: Hand, view: View) -> Iterator[Line]:
    """Yield the lines of the table, at most sixty columns wide."""
    yield line(
        "  you are ",
        strong(view.names.get(view.seat, str(view.seat))),
        "   pot ",
        strong(str(game.pot)),
        *_side_pots(game),
    )
    yield from _seats(game, view)
    yield line("  board  ", suit_symbols(game.board) if game.board else "–")
    mine = tuple(view.cards.values())
    has = (suit_symbols(mine), f"  {hand_name((*mine, *game.board))}") if mine else ("no cards",)
    yield line("  you have  ", *has)


def _seats(game: Hand, view: View) -> Iterator[Line]:
    """Yield one line for each seat, below a heading."""
    names = {seat: _name(view, seat) for seat in sorted(game.seats)}
    wide = min(_NAME_WIDTH, max(map(len, names.values())))
    chips = {seat: _chips(game, seat) for seat in names}
    digits = max(5, *(len(str(stack)) for stack in chips.values()))
    yield line(Span(f"  {'':<{wide}}  {'chips':>{digits}}  {'bet':>{digits}}", "dim"))
    for seat, who in names.items():
        bet = game.table.bets.get(seat, 0)
        row = f"{chips[seat]:>{digits}}  {bet or '':>{digits}}  {', '.join(_seat_notes(game, seat))}"
        yield line("  ", Span(f"{who:<{wide}}", _mark(game, view, seat)), Span(f"  {row}".rstrip(), _dim(game, seat)))


def _name(view: View, seat: int) -> str:
    """Return a seat's name, or its number if it has none."""
    return view.names.get(seat, str(seat))


def _chips(game: Hand, seat: int) -> int:
    """Return the chips of a seat that are not in the pot."""
    return game.behind(seat) if seat in game.players else game.chips.get(seat, 0)


def _seat_notes(game: Hand, seat: int) -> Iterator[str]:
    """Yield the position and the state of a seat, such as "button" or "folded"."""
    if seat not in game.players:
        yield "sitting out" if _chips(game, seat) else "out"
        return
    for role, at in (("button", game.button), ("small blind", game.small_blind), ("big blind", game.big_blind)):
        if at == seat:
            yield role
    if seat in game.gone:
        yield "left"
    elif seat not in game.table.live:
        yield "folded"
    elif not _chips(game, seat):
        yield "all in"


def _mark(game: Hand, view: View, seat: int) -> Mark | None:
    """Return how to highlight a seat's name: the viewer's own, or dim if the seat is out of the hand."""
    return "mine" if seat == view.seat else _dim(game, seat)


def _dim(game: Hand, seat: int) -> Mark | None:
    """Return the dim mark for a seat that can no longer win this hand, or None."""
    return None if seat in game.contenders else "dim"


def _side_pots(game: Hand) -> Iterator[str]:
    """Yield the main pot and the side pots, if there are side pots."""
    pots = current_pots(game)
    if len(pots) > 1:
        yield f" (main {pots[0]}, side {', '.join(map(str, pots[1:]))})"


def current_pots(game: Hand) -> list[int]:
    """Return the amounts of the current pots, the main pot first.

    Chips that only one player has paid and no one can call any more do not count as a pot.
    """
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
