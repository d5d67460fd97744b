"""A bot for wardens. It wins if it can; otherwise it plays its best card, makes good trades and ends its turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nodealer.cards.operations import Look, Peek
from nodealer.errors import IllegalMove
from nodealer.games.base import Entropy
from nodealer.games.package import Bot
from nodealer.games.view import View
from nodealer.games.wardens.cards import Does, Printed
from nodealer.games.wardens.hand import WardensGame
from nodealer.games.wardens.moves import Attack, Bury, EndTurn, Move, Play
from nodealer.games.wardens.pool import POOL
from nodealer.games.wardens.side import Side, Warden
from nodealer.games.wardens.view import game_of, hand_of, own_side

#: The value of one light, in points of power and health, and the minimum value of a card that is played.
LIGHT: Final = 0.9
WORTH: Final = 0.5


class WardensBot(Bot):
    """A bot that rates cards, wardens and light. It is deterministic: only the cards differ."""

    def __init__(self, entropy: Entropy | None = None) -> None:
        """Create the bot. It ignores `entropy`, because it decides nothing at random."""
        pass

    def move(self, view: View) -> Move:
        """Return the best move now, or the end of the turn."""
        game = game_of(view)
        for candidate in (self._kill(game), self._play(game, hand_of(view)), self._bury(game, hand_of(view))):
            if candidate is not None:
                return candidate
        return self._attack(game) or EndTurn()

    def choose(self, view: View, peek: Peek) -> tuple[int, ...]:
        """Return the card to keep, or the order in which cards go back."""
        side = own_side(view)
        seen = {place: side.list[face] for place, face in view.seen_in(peek.deck).items()}
        return choose_cards(side, seen, keep=peek.then is Look.TAKE)

    def _kill(self, game: WardensGame) -> Move | None:
        """Return an attack on the rival if all attacks together win the game."""
        ready = [warden for warden in game.mine.wardens if warden.ready]
        if game.theirs.guards or sum(warden.power for warden in ready) < game.theirs.light or not ready:
            return None
        return Attack(ready[0].place)

    def _play(self, game: WardensGame, hand: Mapping[int, int]) -> Move | None:
        """Return the best card to play, or None if none is worth it."""
        best: tuple[float, Play] | None = None
        for place, card in hand.items():
            worth, target = value_now(game, POOL[card])
            play = Play(place, card, target)
            if worth > WORTH and _is_legal(game, play) and (best is None or worth > best[0]):
                best = worth, play
        return None if best is None else best[1]

    def _bury(self, game: WardensGame, hand: Mapping[int, int]) -> Move | None:
        """Return a move that buries the worst card if a good card lacks one spark."""
        side = game.mine
        if not side.may_bury or len(hand) < 3:
            return None
        wanted = [place for place, card in hand.items() if POOL[card].cost == side.sparks + 1]
        wanted = [place for place in wanted if value_now(game, POOL[hand[place]])[0] > 4]
        rest = [place for place in hand if not wanted or place != wanted[0]]
        if not wanted or not rest:
            return None
        return Bury(min(rest, key=lambda place: _base_value(POOL[hand[place]])))

    def _attack(self, game: WardensGame) -> Move | None:
        """Return the best attack, or None if none is worth it."""
        best: tuple[float, Attack] | None = None
        guards = game.theirs.guards
        for warden in game.mine.wardens:
            if not warden.ready or not warden.power:
                continue
            targets: list[Warden | None] = [*(guards or game.theirs.wardens)]
            targets += [] if guards else [None]
            for target in targets:
                worth = _attack_value(warden, target, game.theirs)
                attack = Attack(warden.place, None if target is None else target.place)
                if best is None or worth > best[0]:
                    best = worth, attack
        return None if best is None or best[0] <= 0 else best[1]


def choose_cards(side: Side, seen: Mapping[int, int], *, keep: bool) -> tuple[int, ...]:
    """Return the best of the cards seen (`keep`), or all of them, best first. Affordable cards come first."""
    sparks = min(side.fire + 1, 8)

    def worth(place: int) -> tuple[float, int]:
        """Return the key to sort a card by: its value, negative if it is too expensive, then its place."""
        card = POOL[seen[place]]
        return (_base_value(card) if card.cost <= sparks else -card.cost), -place

    order = tuple(sorted(seen, key=worth, reverse=True))
    return order[:1] if keep else order


def _is_legal(game: WardensGame, play: Play) -> bool:
    """Return whether the rules allow a play."""
    try:
        game.apply_move(play)
    except IllegalMove:
        return False
    return True


def _base_value(card: Printed) -> float:
    """Rate a card without regard to the table."""
    body = card.power + card.health + 2 * card.swift + card.guard if card.warden else 0
    return body + {None: 0.0, Does.SEARCH: 4.0, Does.DRAW: 3.0 * card.n}.get(card.does, 1.0 + card.n)


def _warden_value(warden: Warden) -> float:
    """Rate a warden on the table."""
    return warden.power + warden.health + 1.0


def value_now(game: WardensGame, card: Printed) -> tuple[float, int | None]:
    """Return what playing a card is worth now, and its best target."""
    body = float(card.power + card.health + 2 * card.swift + card.guard) if card.warden else 0.0
    effect, target = _effect_value(game, card)
    return body + effect, target


def _effect_value(game: WardensGame, card: Printed) -> tuple[float, int | None]:
    """Return what the effect of a card is worth now, and its best target."""
    mine, theirs, n = game.mine, game.theirs, card.n
    match card.does:
        case Does.STRIKE:
            killed = [warden for warden in theirs.wardens if warden.health <= n]
            best = max(killed, key=_warden_value, default=None)
            if n >= theirs.light or best is None:
                return (100.0 if n >= theirs.light else 0.4 * n), None
            return _warden_value(best), best.place
        case Does.BURN:
            return (100.0 if n >= theirs.light else 0.8 * n), None
        case Does.SEAR:
            return sum(_warden_value(w) if w.health <= n else 0.3 * n for w in theirs.wardens), None
        case Does.LIFT | Does.SINK:
            best = max(theirs.wardens, key=_warden_value, default=None)
            share = 0.7 if card.does is Does.LIFT else 1.1
            return (0.0, None) if best is None else (share * _warden_value(best), best.place)
        case Does.MEND:
            return (0.6 * n if mine.light < 14 else 0.1), None
        case Does.RALLY:
            return 1.0 * n * len(mine.wardens), None
        case Does.DRAW:
            return (2.5 * min(n, mine.pile) if len(mine.hand) < 7 else 0.0), None
        case Does.SEARCH:
            return (3.0 if mine.pile else 0.0), None
        case Does.SCRY:
            return (0.7 if mine.pile > 1 else 0.0), None
        case Does.MILL:
            return (0.4 if theirs.pile > 6 else 1.5) * min(n, theirs.pile), None
        case Does.RECLAIM:
            return (4.0 if mine.pile < 6 and mine.discards else 0.0), None
        case None:
            return 0.0, None


def _attack_value(warden: Warden, target: Warden | None, theirs: Side) -> float:
    """Return what an attack gains minus what it costs."""
    if target is None:
        return LIGHT * warden.power * (1.5 if theirs.light <= 8 else 1.0)
    gain = _warden_value(target) if target.health <= warden.power else 0.3 * warden.power
    loss = _warden_value(warden) if warden.health <= target.power else 0.3 * target.power
    # A guard blocks all other attacks, so it is worth more than its numbers.
    return gain - 0.8 * loss + (2.5 if target.printed.guard else 0.0)
