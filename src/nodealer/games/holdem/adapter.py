"""The rules of betting and of the showdown: pokerkit's, behind a door that lets nothing doubtful in.

A `PokerTable` is an immutable value of public knowledge alone. Hole cards are unknown to it until a verified opening
shows them: a replica that knew its own player's cards would judge a showdown differently from all others. Nothing of
pokerkit leaves this file but a hand's history; seats, cards and amounts are ours on this side of the door.
"""

from __future__ import annotations

import copy
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.metadata import version
from itertools import combinations
from typing import Any, Final

from pokerkit import Automation, Card, Deck, HandHistory, Mode, NoLimitTexasHoldem, Pot, StandardHighHand, State
from pokerkit.utilities import CardsLike

from nodealer.errors import BadParameter, IllegalMove
from nodealer.games.holdem.faces import indices, names
from nodealer.records import replace
from nodealer.wire import INTEGER_MAX

#: Whose rules these are. They move between releases, so the version is one of the session's parameters.
POKERKIT_VERSION: Final = version("pokerkit")
SEATS: Final = (2, 9)
BOARD: Final = 5

#: What runs by itself. Never the automations that deal (they draw from a shuffled deck) or that show (they guess).
AUTOMATIONS: Final = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.RUNOUT_COUNT_SELECTION,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)
_UNKNOWN_HAND: Final = "????"


@dataclass(frozen=True)
class Act:
    """A seat has to bet, call or fold."""

    seat: int


@dataclass(frozen=True)
class Board:
    """This many cards come on the board."""

    count: int


@dataclass(frozen=True)
class Showdown:
    """A seat has to show or muck."""

    seat: int


@dataclass(frozen=True)
class Over:
    """The chips are back with the seats."""


Next = Act | Board | Showdown | Over


def chips(value: object, what: str, *, least: int = 1) -> int:
    """A number of chips. pokerkit takes anything that can be added up, and floats then spread into the stacks."""
    if type(value) is not int or not least <= value <= INTEGER_MAX:
        raise BadParameter(f"{what} must be a whole number from {least} to {INTEGER_MAX}, not {value!r}")
    return value


def strength(hole: Iterable[int], board: Iterable[int]) -> int:
    """How good the best five of seven cards are: more is better, equal is a tie."""
    hand = BestHand.from_game("".join(names(hole)), "".join(names(board)))
    return hand.entry.index


class BestHand(StandardHighHand):
    """pokerkit's hand of high cards. At a showdown it asks again and again for the best five of the same cards, and
    makes a hand of every five."""

    @classmethod
    def from_game(cls, hole_cards: CardsLike, board_cards: CardsLike = ()) -> BestHand:
        """The best five cards; of equally good ones the first, as pokerkit takes them. Raises `ValueError`."""
        return _best((*Card.clean(hole_cards), *Card.clean(board_cards)))


@lru_cache(maxsize=256)
def _best(cards: tuple[Card, ...]) -> BestHand:
    found = ((BestHand.lookup.get_entry_or_none(five), five) for five in combinations(cards, BestHand.card_count))
    valid = [(entry, five) for entry, five in found if entry is not None]
    if not valid:
        raise ValueError("no hand can be made of these cards")
    return BestHand(max(valid, key=lambda one: one[0])[1])


@contextmanager
def _strictly() -> Iterator[None]:
    """pokerkit warns where it should refuse, and refuses by errors of several kinds."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            yield
        except (ValueError, TypeError, AssertionError, Warning) as error:
            raise IllegalMove(str(error) or "the rules of poker do not allow this") from None


@dataclass(frozen=True, eq=False)
class PokerTable:
    """One hand of poker as everybody sees it."""

    #: In the order of pokerkit: from the left of the button round to the button itself. With more than two seats the
    #: first has the small blind; with two the first has the big blind and the button the small one.
    seats: tuple[int, ...]
    #: What each seat has put into the pot, in the same order, less what came back to it uncalled.
    put_in: tuple[int, ...]
    _game: NoLimitTexasHoldem = field(repr=False)
    _state: State = field(repr=False)
    #: Every face that was on the board or shown: no card comes twice.
    _seen: frozenset[int] = frozenset()
    #: What pokerkit has recorded, for the history: the newest part, and all before it. The state itself keeps none, or
    #: each of many raises would copy all the raises before it.
    _past: _Past | None = field(default=None, repr=False, compare=False)

    @classmethod
    def deal(cls, seats: tuple[int, ...], stacks: tuple[int, ...], blinds: tuple[int, int], ante: int) -> PokerTable:
        """Antes and blinds are posted and two unknown cards lie before each seat. The last seat is the button."""
        if len(set(seats)) != len(seats) or not SEATS[0] <= len(seats) <= SEATS[1] or len(stacks) != len(seats):
            raise BadParameter(f"hold'em has {SEATS[0]} to {SEATS[1]} seats, each with a stack")
        for stack in stacks:
            chips(stack, "a stack")
        chips(sum(stacks), "the sum of all stacks")
        small, big = chips(blinds[0], "the small blind"), chips(blinds[1], "the big blind")
        chips(ante, "the ante", least=0)
        if small > big:
            raise BadParameter("the small blind is larger than the big blind")
        with _strictly():
            game = NoLimitTexasHoldem(AUTOMATIONS, True, ante, (small, big), big, mode=Mode.CASH_GAME)
            state = _new_state(game, stacks)
            for index in range(len(seats)):
                state.deal_hole(_UNKNOWN_HAND, index)
        put_in = tuple(before - now for before, now in zip(stacks, state.stacks, strict=True))
        return cls(seats, put_in, game, state, _past=_Past.after(None, state))

    # --- What is known ---

    @cached_property
    def next(self) -> Next:
        """What the rules wait for. The game asks; it never guesses."""
        state = self._state
        if not state.status:
            return Over()
        if state.card_burning_status or state.board_dealing_count:
            return Board(1 if state.board_cards else 3)
        if state.actor_index is not None:
            return Act(self.seats[state.actor_index])
        if state.showdown_index is not None:
            return Showdown(self.seats[state.showdown_index])
        raise AssertionError("pokerkit waits for nothing that we know")

    @property
    def big_blind(self) -> int:
        """What bets are counted in."""
        return int(max(self._game.raw_blinds_or_straddles))  # type: ignore[arg-type]

    @property
    def live(self) -> tuple[int, ...]:
        """The seats that have neither folded nor mucked, from the left of the button."""
        return tuple(seat for seat, alive in zip(self.seats, self._state.statuses, strict=True) if alive)

    @property
    def showdown_order(self) -> tuple[int, ...]:
        """Who has to show or muck, in this order."""
        return tuple(self.seats[index] for index in self._state.showdown_indices)

    @property
    def stacks(self) -> dict[int, int]:
        """What each seat has behind; at the end, what it takes away."""
        return dict(zip(self.seats, self._state.stacks, strict=True))

    @property
    def stacks_before(self) -> dict[int, int]:
        """What each seat had when the hand began."""
        return dict(zip(self.seats, self._state.starting_stacks, strict=True))

    @property
    def bets(self) -> dict[int, int]:
        """What lies before each seat in this round of betting."""
        return dict(zip(self.seats, self._state.bets, strict=True))

    @property
    def board(self) -> tuple[int, ...]:
        """The faces on the board."""
        return indices("".join(repr(card) for cards in self._state.board_cards for card in cards))

    @property
    def all_in(self) -> bool:
        """Whether there is nothing more to bet because chips are all in: then every hand is shown."""
        return self._state.all_in_status

    @property
    def folded_out(self) -> bool:
        """Whether everybody but one has folded."""
        return self._state.folded_status

    def call(self, seat: int) -> int | None:
        """What a call costs the seat whose turn it is."""
        return self._state.checking_or_calling_amount if self.next == Act(seat) else None

    def raises(self, seat: int) -> tuple[int, int] | None:
        """The least and the most that the seat whose turn it is may raise to; None when it may not."""
        if self.next != Act(seat):
            return None
        with _strictly():
            least = self._state.min_completion_betting_or_raising_to_amount
            most = self._state.max_completion_betting_or_raising_to_amount
            return None if least is None or most is None else (least, most)

    def may_muck(self, seat: int) -> bool:
        """Whether a seat may give up its claim unseen. Otherwise pokerkit fails, or loses the chips of a pot."""
        if self.next != Showdown(seat) or self._state.all_in_status:
            return False
        index, alive = self.seats.index(seat), self._state.statuses
        mine = [pot.player_indices for pot in self._state.pots if index in pot.player_indices]
        return all(any(alive[other] for other in players if other != index) for players in mine)

    def public(self) -> list[Any]:
        """Everything public, for digests. A state of pokerkit equals no other: its deck was shuffled."""
        state = self._state
        return [
            self.seats,
            self.put_in,
            [state.status, state.street_index, state.actor_index, state.showdown_index],
            [state.statuses, state.bets, state.stacks, self.board],
            [["".join(map(repr, cards)) for cards in state.hole_cards], sorted(self._seen)],
        ]

    def history(self, **fields: Any) -> HandHistory:
        """The hand so far in the poker hand history format."""
        state, past, parts = _copied(self._state), self._past, list[list[Any]]()
        while past is not None:
            parts.append(past.operations)
            past = past.before
        state.operations = [operation for part in reversed(parts) for operation in part]
        return HandHistory.from_game_state(self._game, state, **fields)

    # --- What happens ---

    def fold(self, seat: int) -> PokerTable:
        """Give up. Refused where a check costs nothing."""
        self._refuse_other(Act(seat))
        if not self.call(seat):
            raise IllegalMove("there is nothing to call: check instead of folding")
        return self._changed(lambda state: state.fold())

    def check_or_call(self, seat: int) -> PokerTable:
        """Put in what is missing."""
        self._refuse_other(Act(seat))
        return self._changed(lambda state: state.check_or_call())

    def check_or_fold(self, seat: int) -> PokerTable:
        """What an absent seat does: no seat can leave a hand of pokerkit out of turn."""
        return self.fold(seat) if self.call(seat) else self.check_or_call(seat)

    def raise_to(self, seat: int, amount: int) -> PokerTable:
        """Bet or raise to this much in this round."""
        self._refuse_other(Act(seat))
        if type(amount) is not int:
            raise IllegalMove(f"an amount of chips is a whole number, not {amount!r}")
        allowed = self.raises(seat)
        if allowed is None:
            raise IllegalMove("you cannot raise here: fold or call")
        if not allowed[0] <= amount <= allowed[1]:
            raise IllegalMove(f"a raise must be to between {allowed[0]} and {allowed[1]} chips, not {amount}")
        return self._changed(lambda state: state.complete_bet_or_raise_to(amount))

    def open_board(self, faces: tuple[int, ...]) -> PokerTable:
        """The next cards of the board."""
        if self.next != Board(len(faces)):
            raise BadParameter(f"{len(faces)} cards for the board, and the hand waits for {self.next}")

        def burn_and_deal(state: State) -> None:
            if state.card_burning_status:
                state.burn_card("??")
            state.deal_board("".join(names(faces)))

        return self._changed(burn_and_deal, faces)

    def show(self, seat: int, faces: tuple[int, ...]) -> PokerTable:
        """The cards of a seat whose turn it is to show."""
        self._refuse_other(Showdown(seat))
        if len(faces) != 2:
            raise BadParameter(f"a hand has two cards, not {len(faces)}")
        return self._changed(lambda state: state.show_or_muck_hole_cards("".join(names(faces))), faces)

    def muck(self, seat: int) -> PokerTable:
        """Give up the claim to the pot unseen."""
        self._refuse_other(Showdown(seat))
        if not self.may_muck(seat):
            raise IllegalMove("this hand has to be shown")
        return self._changed(lambda state: state.show_or_muck_hole_cards(False))

    def claim(self, seat: int) -> PokerTable:
        """The only hand left takes the pot unseen. Never for one of several: unknown cards would play the board."""
        self._refuse_other(Showdown(seat))
        if self.live != (seat,):
            raise IllegalMove("other hands are still in: show or muck")
        return self._changed(lambda state: state.show_or_muck_hole_cards(_UNKNOWN_HAND))

    # --- Inside ---

    def _refuse_other(self, wanted: Next) -> None:
        if self.next != wanted:
            raise IllegalMove("it is not your turn to do this")

    def _changed(self, change: Callable[[State], object], faces: tuple[int, ...] = ()) -> PokerTable:
        """The table after a change of a copy of the state. pokerkit does not check that a card comes only once."""
        if len(set(faces)) != len(faces) or self._seen & set(faces):
            raise BadParameter(f"a card comes twice in one hand: {' '.join(names(faces))}")
        state = _copied(self._state)
        with _strictly():
            change(state)
        inside = state.total_pot_amount if state.status else 0
        if sum(state.stacks) + inside != sum(state.starting_stacks):
            raise IllegalMove("chips would get lost")
        put_in = self.put_in
        if state.status:
            put_in = tuple(before - now for before, now in zip(state.starting_stacks, state.stacks, strict=True))
        past = _Past.after(self._past, state)
        return replace(self, put_in=put_in, _state=state, _seen=self._seen | set(faces), _past=past)


@dataclass(frozen=True, eq=False)
class _Past:
    """What was recorded of a hand: a part, and the parts before it."""

    before: _Past | None
    operations: list[Any]

    @classmethod
    def after(cls, before: _Past | None, state: State) -> _Past:
        """Take what a state has recorded out of it."""
        operations, state.operations = state.operations, []
        return cls(before, operations)


def _copied(state: State) -> State:
    """What `copy.deepcopy` gives, twenty times faster: cards, streets and records of the past are frozen and shared."""
    fresh = copy.copy(state)
    for name, value in vars(state).items():
        if isinstance(value, list | deque | set):
            setattr(fresh, name, _fresh(value))
    return fresh


def _fresh(value: Any) -> Any:
    if isinstance(value, list | deque) and value and isinstance(value[0], list | deque | Pot):
        return type(value)(_fresh(item) for item in value)
    return copy.copy(value)


class _OrderedState(State):
    """A state whose deck is in order: pokerkit shuffles it with the global generator, which is not ours to move.

    The deck is empty when it is shuffled and full afterwards. It only says which cards may still come.
    """

    def _setup(self) -> None:
        super()._setup()
        self.deck_cards.extend(Deck.STANDARD)


def _new_state(game: NoLimitTexasHoldem, stacks: tuple[int, ...]) -> State:
    """What `game(stacks, count)` does, but for the shuffle."""
    return _OrderedState(
        game.automations,
        (),  # type: ignore[arg-type]
        (BestHand,),
        game.streets,
        game.betting_structure,
        game.ante_trimming_status,
        game.raw_antes,
        game.raw_blinds_or_straddles,
        game.bring_in,
        stacks,
        len(stacks),
        mode=game.mode,
        starting_board_count=game.starting_board_count,
        divmod=game.divmod,
        rake=game.rake,
    )
