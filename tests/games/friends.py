"""Two friends at a table of strangers: how much they gain because the last to publish a key sees the card first.

Hands are played by bots on an open deck. At each opening of the board the two, if both are live, may wait until all
others have published, look at the card, and let one of them leave: its hand is dead, the card is dealt again, and the
price lies in the next pot. What they expect of staying and of leaving they compute from what they know: their own four
cards, the board and the card; not the strangers' hands. From there on the hand is checked down.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from random import Random
from typing import Final

from nodealer.cards.events import Half
from nodealer.cards.operations import Open
from nodealer.games.base import Ask, Done, Turn
from nodealer.games.holdem import Hand, Holdem, Move
from nodealer.games.holdem.bot import HoldemBot
from nodealer.games.holdem.faces import CARDS
from nodealer.games.holdem.ranking import rank
from nodealer.games.pots import PotClaims, winnings
from nodealer.games.view import View
from nodealer.wire import encode

from .dealer import CALL, Dealer, raise_to, script, table_of

#: How many ways the rest of the hand might go a bot tries in its mind.
DREAMS: Final = 30


@dataclass(frozen=True)
class Attack:
    """One of two friends can leave at an opening."""

    hand: Hand
    leaver: int
    stays: int
    #: What the two know: their cards, and what is about to be opened.
    holes: dict[int, tuple[int, ...]]
    coming: tuple[int, ...]

    @property
    def charge(self) -> int:
        return self.hand.charged(self.leaver, Half.OPENED).charges[self.leaver]

    @property
    def strangers(self) -> tuple[int, ...]:
        return tuple(seat for seat in self.hand.contenders if seat not in self.holes)

    def gain(self, dreams: Random, trials: int) -> float:
        """Estimate what the two gain by leaving, in chips, with this many simulations."""
        worlds = self._worlds(dreams, trials)
        total = sum(self._leaves(*world, dreams) - self._stays(*world) for world in worlds)
        # The price is not lost to them altogether: who stays has its part of the next pot.
        dead = self.charge / (len(self.hand.players) - 1)
        return total / trials - self.charge + dead

    def _worlds(self, dreams: Random, trials: int) -> Iterator[tuple[dict[int, tuple[int, ...]], list[int]]]:
        """Yield possible hands of the strangers, with the rest of the deck."""
        known = {*self.coming, *self.hand.board, *(face for hole in self.holes.values() for face in hole)}
        unseen = [face for face in range(CARDS) if face not in known]
        for _ in range(trials):
            drawn = dreams.sample(unseen, len(unseen))
            hands = {seat: tuple(drawn[2 * at : 2 * at + 2]) for at, seat in enumerate(self.strangers)}
            yield hands, drawn[2 * len(hands) :]

    def _stays(self, hands: dict[int, tuple[int, ...]], rest: list[int]) -> int:
        board = (*self.hand.board, *self.coming, *rest)[:5]
        return self._won(hands | self.holes, board, self.hand.contenders)

    def _leaves(self, hands: dict[int, tuple[int, ...]], rest: list[int], dreams: Random) -> int:
        """Put the leaver's cards and the seen card back into the deck, anywhere."""
        deck = dreams.sample([*rest, *self.holes[self.leaver], *self.coming], 5)
        staying = tuple(seat for seat in self.hand.contenders if seat != self.leaver)
        return self._won(hands | self.holes, (*self.hand.board, *deck)[:5], staying)

    def _won(self, holes: dict[int, tuple[int, ...]], board: tuple[int, ...], staying: tuple[int, ...]) -> int:
        ranks = {seat: rank((*holes[seat], *board)) for seat in staying}
        best = sorted(set(ranks.values()))
        known = {seat: best.index(ranks[seat]) for seat in staying}
        put_in, stacks = dict(self.hand.paid), self.hand.table.stacks
        reach = {seat: put_in[seat] + stacks[seat] for seat in staying}
        gone = tuple(seat for seat in self.hand.contenders if seat not in staying)
        won = winnings(PotClaims(put_in, staying, known, gone, reach if gone else {}))
        return won[self.leaver] + won[self.stays]


Faces = tuple[int, ...]


def attacks(hand: Hand, pair: tuple[int, int], faces: dict[int, Faces], coming: Faces) -> list[Attack]:
    """Return what two friends can do at an opening: the one who leaves must not have to publish before a stranger."""
    assert isinstance(hand.wants, Ask)
    (opening,) = [one for one in hand.wants.operations if isinstance(one, Open)]
    group = {seat: at for at, seats in enumerate(opening.order) for seat in seats}
    strangers = [group[seat] for seat in hand.contenders if seat not in pair]
    if not strangers or not set(pair) <= set(hand.contenders):
        return []
    holes = {seat: faces[seat] for seat in pair}
    return [Attack(hand, f, g, holes, coming) for f, g in permutations(pair) if group[f] >= max(strangers)]


class QuickBot(HoldemBot):
    """A bot with fewer and cheaper simulations."""

    def _odds(self, hole: Sequence[int], game: Hand) -> float:
        dreams = Random(self._entropy(8))
        rivals = max(len(game.contenders) - 1, 1)
        unseen = [face for face in range(CARDS) if face not in hole and face not in game.board]
        missing, won = 5 - len(game.board), 0.0
        for _ in range(DREAMS):
            drawn = dreams.sample(unseen, missing + 2 * rivals)
            board = (*game.board, *drawn[:missing])
            mine = rank((*hole, *board))
            best = max(rank((*drawn[at : at + 2], *board)) for at in range(missing, len(drawn), 2))
            won += 1.0 if mine > best else 0.5 if mine == best else 0.0
        return won / DREAMS


@dataclass
class Table:
    """Bots at a table. `found` has, for each pair and hand, what leaving would have brought the two, in chips."""

    rules: Holdem
    seats: int
    trials: int

    def played(self, seed: int) -> dict[tuple[int, int], float]:
        """Play one hand and return what each pair gains by its best response, once."""
        hand = table_of(dict.fromkeys(range(self.seats), self.rules.stack), self.rules, button=seed % self.seats)
        dealer = Dealer.shuffled("friends", seed)
        gains = dict.fromkeys(combinations(range(self.seats), 2), 0.0)
        at = 0
        while not isinstance(want := hand.wants, Done):
            at += 1
            if isinstance(want, Turn):
                hand = hand.moved(want.seats[0], encode(self._move(hand, want.seats[0], dealer, seed, at)))
                continue
            if any(isinstance(one, Open) for one in want.operations):
                self._look(hand, dealer, gains, (seed, at))
            hand = hand.told(dealer.answer(want))
        return gains

    def _move(self, hand: Hand, seat: int, dealer: Dealer, seed: int, at: int) -> Move:
        bot = QuickBot(Random(f"bot {seed} {at}").randbytes)
        cards = {(0, place): dealer.order[place] for place in hand.held[seat]}
        return bot.move(View(seat, {}, hand.number, hand, cards, True, {}))

    def _look(self, hand: Hand, dealer: Dealer, gains: dict[tuple[int, int], float], where: tuple[int, int]) -> None:
        want = hand.wants
        assert isinstance(want, Ask)
        count = next(one.count for one in want.operations if isinstance(one, Open))
        first = len(dealer.dealt)
        coming = tuple(dealer.order[first : first + count])
        faces = {seat: tuple(dealer.order[place] for place in hand.held[seat]) for seat in hand.players}
        for pair, gained in gains.items():
            for attack in attacks(hand, pair, faces, coming) if not gained else ():
                # They decide in one dream, and what it brings is told in another: no luck is counted as skill.
                decided = attack.gain(Random(f"decide {where} {pair} {attack.leaver}"), self.trials)
                if decided > 0:
                    gains[pair] = attack.gain(Random(f"told {where} {pair}"), self.trials)
                    break


def fifty_each(rules: Holdem, hands: range, trials: int = 60) -> float:
    """Return the gain of two friends per hand, in big blinds, if they and a stranger have 50 each in on the turn."""
    total, big = 0.0, rules.blinds[1]
    for seed in hands:
        dealer = Dealer.shuffled("fifty each", seed)
        hand = script(table_of(dict.fromkeys(range(3), 200 * big), rules), dealer, raise_to(50 * big), *[CALL] * 5)
        for seat in (1, 2, 0):
            hand = hand.moved(seat, CALL)
        faces = {seat: tuple(dealer.order[place] for place in hand.held[seat]) for seat in hand.players}
        best, brings = 0.0, 0.0
        for attack in attacks(hand, (0, 1), faces, (dealer.order[len(dealer.dealt)],)):
            decided = attack.gain(Random(f"decide {seed} {attack.leaver}"), trials)
            if decided > best:
                best, brings = decided, attack.gain(Random(f"told {seed} {attack.leaver}"), trials)
        total += brings
    return total / len(hands) / big


def gain_per_hand(rules: Holdem, hands: range, seats: int = 4, trials: int = 60) -> dict[tuple[int, int], float]:
    """Return what each pair gains per hand, in big blinds."""
    table = Table(rules, seats, trials)
    played = [table.played(seed) for seed in hands]
    return {pair: sum(one[pair] for one in played) / len(played) / rules.blinds[1] for pair in played[0]}
