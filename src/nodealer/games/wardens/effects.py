"""The effects of cards that are played: on the table at once, or as requested card operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nodealer.cards.operations import Look, Place, Return
from nodealer.errors import IllegalMove
from nodealer.games.wardens.cards import Does, Printed
from nodealer.records import replace

if TYPE_CHECKING:
    from nodealer.games.wardens.hand import WardensGame


def refuse_target(game: WardensGame, card: Printed, target: int | None) -> None:
    """Raise `IllegalMove` if the card cannot have this target, or needs one."""
    if target is not None and (card.does is None or not card.does.targets or game.theirs.warden(target) is None):
        raise IllegalMove("that is not a target for this card")
    # A warden can be played even if its effect has no target. A rite would be wasted.
    if target is None and card.does is not None and card.does.needs_warden and not card.warden:
        raise IllegalMove(f"{card.name} needs one of your rival's wardens as its target")


def apply_effect(game: WardensGame, card: Printed, target: int | None) -> WardensGame:
    """Return the game after the effect of a card that the active side has played."""
    mine, theirs, n = game.mine, game.theirs, card.n
    match card.does:
        case Does.STRIKE:
            return game.with_side(theirs.lose_light(n) if target is None else theirs.hurt_warden(target, n))
        case Does.BURN:
            return game.with_side(theirs.lose_light(n))
        case Does.SEAR:
            for warden in theirs.wardens:
                theirs = theirs.hurt_warden(warden.place, n)
            return game.with_side(theirs)
        case Does.MEND:
            return game.with_side(mine.lose_light(-n))
        case Does.RALLY:
            wardens = tuple(replace(warden, power=warden.power + n) for warden in mine.wardens)
            return game.with_side(replace(mine, wardens=wardens))
        case Does.DRAW:
            return game.draw(n)
        case Does.SEARCH:
            return game.look(mine.pile, Look.TAKE)
        case Does.SCRY:
            return game.look(n, Look.REORDER)
        case Does.MILL:
            return game.mill(n)
        case Does.LIFT | Does.SINK:
            return _put_back(game, target, Place.TOP if card.does is Does.LIFT else Place.BOTTOM)
        case Does.RECLAIM:
            return _reclaim(game, n)
        case None:
            return game


def _put_back(game: WardensGame, target: int | None, place: Place) -> WardensGame:
    """Return one of the rival's wardens to their deck."""
    theirs = game.theirs
    if target is None:
        return game
    theirs = replace(theirs.without_warden(target), pile=theirs.pile + 1)
    return game.with_side(theirs).ask(Return(theirs.deck, (target,), place))


def _reclaim(game: WardensGame, n: int) -> WardensGame:
    """Shuffle the oldest open discards back. The card itself is the newest, and stays if there are more than `n`."""
    mine = game.mine
    back = tuple(place for place, _ in mine.discards[:n])
    if not back:
        return game
    mine = replace(mine, discards=mine.discards[n:], pile=mine.pile + len(back))
    return game.with_side(mine).ask(Return(mine.deck, back, Place.SHUFFLED))
