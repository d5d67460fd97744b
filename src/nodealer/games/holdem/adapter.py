"""The rules of betting and of the showdown: pokerkit's, behind an adapter that checks everything that goes in.

A `PokerTable` is an immutable value that contains only public knowledge. It does not know hole cards until a verified
opening shows them: a replica that knew its own player's cards would judge a showdown differently from the others. Apart
from a hand's history, no pokerkit type leaves this file; callers use our own seats, cards and amounts.
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

#: The rules differ between pokerkit releases, so the version is one of the session's parameters.
POKERKIT_VERSION: Final = version("pokerkit")
SEATS: Final = (2, 9)
BOARD: Final = 5

#: What pokerkit does by itself. Never enable the automations that deal (they draw from a shuffled deck) or that show
#: hands (they guess).
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
    """It is a seat's turn to bet, call or fold."""

    seat: int


@dataclass(frozen=True)
class Board:
    """The next `count` board cards are to be dealt."""

    count: int


@dataclass(frozen=True)
class Showdown:
    """It is a seat's turn to show or muck."""

    seat: int


@dataclass(frozen=True)
class Over:
    """The hand is over and the chips are back with the seats."""


Next = Act | Board | Showdown | Over


def require_chips(value: object, what: str, *, least: int = 1) -> int:
    """Return `value` if it is a valid number of chips, or raise `BadParameter`, naming it `what`.

    pokerkit accepts anything that can be added, and floats would then spread into the stacks.
    """
    if type(value) is not int or not least <= value <= INTEGER_MAX:
        raise BadParameter(f"{what} must be a whole number from {least} to {INTEGER_MAX}, not {value!r}")
    return value


def strength(hole: Iterable[int], board: Iterable[int]) -> int:
    """Return the strength of the best five of seven cards: higher is better, equal is a tie."""
    hand = BestHand.from_game("".join(names(hole)), "".join(names(board)))
    return hand.entry.index


class BestHand(StandardHighHand):
    """pokerkit's high hand with a cached lookup.

    At a showdown pokerkit asks repeatedly for the best five of the same cards and builds a hand from every five.
    """

    @classmethod
    def from_game(cls, hole_cards: CardsLike, board_cards: CardsLike = ()) -> BestHand:
        """Return the best five cards; if several are equally good, the first, as pokerkit does. Raises `ValueError`."""
        return _best_hand((*Card.clean(hole_cards), *Card.clean(board_cards)))


@lru_cache(maxsize=256)
def _best_hand(cards: tuple[Card, ...]) -> BestHand:
    """Return the best hand of five of these cards. Raise `ValueError` if they make no hand."""
    found = ((BestHand.lookup.get_entry_or_none(five), five) for five in combinations(cards, BestHand.card_count))
    valid = [(entry, five) for entry, five in found if entry is not None]
    if not valid:
        raise ValueError("no hand can be made of these cards")
    return BestHand(max(valid, key=lambda one: one[0])[1])


@contextmanager
def _illegal_move_on_error() -> Iterator[None]:
    """Turn every error and warning of pokerkit into `IllegalMove`: it only warns about some illegal actions."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            yield
        except (ValueError, TypeError, AssertionError, Warning) as error:
            raise IllegalMove(str(error) or "the rules of poker do not allow this") from None


@dataclass(frozen=True, eq=False)
class PokerTable:
    """One hand of poker as everyone sees it."""

    #: In pokerkit's order: from the left of the button around to the button itself. With more than two seats the first
    #: has the small blind; with two seats the first has the big blind and the button the small blind.
    seats: tuple[int, ...]
    #: What each seat has put into the pot, in the same order, minus uncalled chips that were returned.
    put_in: tuple[int, ...]
    _game: NoLimitTexasHoldem = field(repr=False)
    _state: State = field(repr=False)
    #: Every face that was on the board or shown, to make sure that no card appears twice.
    _seen: frozenset[int] = frozenset()
    #: What pokerkit has recorded, for the history: the newest part, linked to the earlier ones. The state itself keeps
    #: no records, or every raise would copy all the raises before it.
    _past: _Past | None = field(default=None, repr=False, compare=False)

    @classmethod
    def deal(cls, seats: tuple[int, ...], stacks: tuple[int, ...], blinds: tuple[int, int], ante: int) -> PokerTable:
        """Start a hand: post antes and blinds, and deal two unknown cards to each seat. The last seat is the button.

        Raises `BadParameter` if the seats or amounts cannot be played.
        """
        if len(set(seats)) != len(seats) or not SEATS[0] <= len(seats) <= SEATS[1] or len(stacks) != len(seats):
            raise BadParameter(f"hold'em is for {SEATS[0]} to {SEATS[1]} seats, each with a stack")
        for stack in stacks:
            require_chips(stack, "a stack")
        require_chips(sum(stacks), "the sum of all stacks")
        small, big = require_chips(blinds[0], "the small blind"), require_chips(blinds[1], "the big blind")
        require_chips(ante, "the ante", least=0)
        if small > big:
            raise BadParameter("the small blind must not be larger than the big blind")
        with _illegal_move_on_error():
            game = NoLimitTexasHoldem(AUTOMATIONS, True, ante, (small, big), big, mode=Mode.CASH_GAME)
            state = _new_state(game, stacks)
            for index in range(len(seats)):
                state.deal_hole(_UNKNOWN_HAND, index)
        put_in = tuple(before - now for before, now in zip(stacks, state.stacks, strict=True))
        return cls(seats, put_in, game, state, _past=_Past.after(None, state))

    # --- What is known ---

    @cached_property
    def next(self) -> Next:
        """What has to happen next under the rules. The game reads this and never guesses."""
        state = self._state
        if not state.status:
            return Over()
        if state.card_burning_status or state.board_dealing_count:
            return Board(1 if state.board_cards else 3)
        if state.actor_index is not None:
            return Act(self.seats[state.actor_index])
        if state.showdown_index is not None:
            return Showdown(self.seats[state.showdown_index])
        raise AssertionError("pokerkit waits for an unknown action")

    @property
    def big_blind(self) -> int:
        """The big blind in chips, the unit in which bets are counted."""
        return int(max(self._game.raw_blinds_or_straddles))  # type: ignore[arg-type]

    @property
    def live(self) -> tuple[int, ...]:
        """The seats that have neither folded nor mucked, from the left of the button."""
        return tuple(seat for seat, alive in zip(self.seats, self._state.statuses, strict=True) if alive)

    @property
    def showdown_order(self) -> tuple[int, ...]:
        """The seats that have to show or muck, in this order."""
        return tuple(self.seats[index] for index in self._state.showdown_indices)

    @property
    def stacks(self) -> dict[int, int]:
        """The chips each seat has behind. When the hand is over, its final stack."""
        return dict(zip(self.seats, self._state.stacks, strict=True))

    @property
    def stacks_before(self) -> dict[int, int]:
        """The chips each seat had when the hand began."""
        return dict(zip(self.seats, self._state.starting_stacks, strict=True))

    @property
    def bets(self) -> dict[int, int]:
        """The bet of each seat in this betting round."""
        return dict(zip(self.seats, self._state.bets, strict=True))

    @property
    def board(self) -> tuple[int, ...]:
        """The faces on the board."""
        return indices("".join(repr(card) for cards in self._state.board_cards for card in cards))

    @property
    def all_in(self) -> bool:
        """True if betting is over because players are all in. Then every hand is shown."""
        return self._state.all_in_status

    @property
    def folded_out(self) -> bool:
        """True if all seats but one have folded."""
        return self._state.folded_status

    def call_cost(self, seat: int) -> int | None:
        """Return what a call costs (0 for a check), or None if it is not this seat's turn."""
        return self._state.checking_or_calling_amount if self.next == Act(seat) else None

    def raise_range(self, seat: int) -> tuple[int, int] | None:
        """Return the minimum and maximum this seat may raise to, or None if it may not raise or it is not its turn."""
        if self.next != Act(seat):
            return None
        with _illegal_move_on_error():
            least = self._state.min_completion_betting_or_raising_to_amount
            most = self._state.max_completion_betting_or_raising_to_amount
            return None if least is None or most is None else (least, most)

    def may_muck(self, seat: int) -> bool:
        """Return whether a seat may muck at the showdown.

        pokerkit does not check this: after a muck that is not allowed it fails, or loses the chips of a pot.
        """
        if self.next != Showdown(seat) or self._state.all_in_status:
            return False
        index, alive = self.seats.index(seat), self._state.statuses
        mine = [pot.player_indices for pot in self._state.pots if index in pot.player_indices]
        return all(any(alive[other] for other in players if other != index) for players in mine)

    def public(self) -> list[Any]:
        """Return everything public, for digests. pokerkit states never compare equal: each has a shuffled deck."""
        state = self._state
        return [
            self.seats,
            self.put_in,
            [state.status, state.street_index, state.actor_index, state.showdown_index],
            [state.statuses, state.bets, state.stacks, self.board],
            [["".join(map(repr, cards)) for cards in state.hole_cards], sorted(self._seen)],
        ]

    def history(self, **fields: Any) -> HandHistory:
        """Return the hand so far in the poker hand history format."""
        state, past, parts = _copy_state(self._state), self._past, list[list[Any]]()
        while past is not None:
            parts.append(past.operations)
            past = past.before
        state.operations = [operation for part in reversed(parts) for operation in part]
        return HandHistory.from_game_state(self._game, state, **fields)

    # --- Actions: each returns the table afterwards, and raises `IllegalMove` if the rules do not allow it ---

    def fold(self, seat: int) -> PokerTable:
        """Fold. Not allowed if the seat can check."""
        self._refuse_unless_next(Act(seat))
        if not self.call_cost(seat):
            raise IllegalMove("there is no bet to call: check instead of folding")
        return self._apply(lambda state: state.fold())

    def check_or_call(self, seat: int) -> PokerTable:
        """Check or call."""
        self._refuse_unless_next(Act(seat))
        return self._apply(lambda state: state.check_or_call())

    def check_or_fold(self, seat: int) -> PokerTable:
        """Check, or fold if there is a bet. Acts for an absent seat: in pokerkit no seat can leave out of turn."""
        return self.fold(seat) if self.call_cost(seat) else self.check_or_call(seat)

    def raise_to(self, seat: int, amount: int) -> PokerTable:
        """Bet or raise to this amount, the seat's total in this betting round."""
        self._refuse_unless_next(Act(seat))
        if type(amount) is not int:
            raise IllegalMove(f"an amount of chips must be a whole number, not {amount!r}")
        allowed = self.raise_range(seat)
        if allowed is None:
            raise IllegalMove("you cannot raise now: fold or call")
        if not allowed[0] <= amount <= allowed[1]:
            raise IllegalMove(f"you can raise to {allowed[0]}–{allowed[1]} chips, not to {amount}")
        return self._apply(lambda state: state.complete_bet_or_raise_to(amount))

    def open_board(self, faces: tuple[int, ...]) -> PokerTable:
        """Deal these faces to the board."""
        if self.next != Board(len(faces)):
            raise BadParameter(f"got {len(faces)} board cards, but the hand waits for {self.next}")

        def burn_and_deal(state: State) -> None:
            """Burn a card if pokerkit wants that, and deal the faces to the board."""
            if state.card_burning_status:
                state.burn_card("??")
            state.deal_board("".join(names(faces)))

        return self._apply(burn_and_deal, faces)

    def show(self, seat: int, faces: tuple[int, ...]) -> PokerTable:
        """Show the two cards of the seat whose turn it is to show."""
        self._refuse_unless_next(Showdown(seat))
        if len(faces) != 2:
            raise BadParameter(f"a hand has two cards, not {len(faces)}")
        return self._apply(lambda state: state.show_or_muck_hole_cards("".join(names(faces))), faces)

    def muck(self, seat: int) -> PokerTable:
        """Muck: give up the claim to the pot without showing."""
        self._refuse_unless_next(Showdown(seat))
        if not self.may_muck(seat):
            raise IllegalMove("you cannot muck this hand: show it")
        return self._apply(lambda state: state.show_or_muck_hole_cards(False))

    def claim(self, seat: int) -> PokerTable:
        """Take the pot without showing, as the only hand left.

        With other hands still in, the unknown cards would play the board, so that is not allowed.
        """
        self._refuse_unless_next(Showdown(seat))
        if self.live != (seat,):
            raise IllegalMove("other players are still in: show or muck")
        return self._apply(lambda state: state.show_or_muck_hole_cards(_UNKNOWN_HAND))

    # --- Inside ---

    def _refuse_unless_next(self, wanted: Next) -> None:
        """Raise `IllegalMove` unless this is the next step."""
        if self.next != wanted:
            raise IllegalMove("it is not your turn to do that")

    def _apply(self, change: Callable[[State], object], faces: tuple[int, ...] = ()) -> PokerTable:
        """Apply a change to a copy of the state and return the new table.

        Raises `BadParameter` if a face appears twice in the hand (pokerkit does not check that), and `IllegalMove` if
        the rules do not allow the change.
        """
        if len(set(faces)) != len(faces) or self._seen & set(faces):
            raise BadParameter(f"a card appears twice in one hand: {' '.join(names(faces))}")
        state = _copy_state(self._state)
        with _illegal_move_on_error():
            change(state)
        inside = state.total_pot_amount if state.status else 0
        if sum(state.stacks) + inside != sum(state.starting_stacks):
            raise IllegalMove("this move would lose chips")
        put_in = self.put_in
        if state.status:
            put_in = tuple(before - now for before, now in zip(state.starting_stacks, state.stacks, strict=True))
        past = _Past.after(self._past, state)
        return replace(self, put_in=put_in, _state=state, _seen=self._seen | set(faces), _past=past)


@dataclass(frozen=True, eq=False)
class _Past:
    """The records of a hand, as a linked list: one part and the parts before it."""

    before: _Past | None
    operations: list[Any]

    @classmethod
    def after(cls, before: _Past | None, state: State) -> _Past:
        """Move the records out of a state into a new part."""
        operations, state.operations = state.operations, []
        return cls(before, operations)


def _copy_state(state: State) -> State:
    """Copy a state like `copy.deepcopy`, twenty times faster: cards, streets and old records are frozen and shared."""
    fresh = copy.copy(state)
    for name, value in vars(state).items():
        if isinstance(value, list | deque | set):
            setattr(fresh, name, _copy_container(value))
    return fresh


def _copy_container(value: Any) -> Any:
    """Copy a container, and the mutable containers in it."""
    if isinstance(value, list | deque) and value and isinstance(value[0], list | deque | Pot):
        return type(value)(_copy_container(item) for item in value)
    return copy.copy(value)


class _OrderedState(State):
    """A state whose deck is in order. pokerkit shuffles it with the global random generator, which we must not touch.

    So the deck is empty while pokerkit shuffles it, and filled afterwards. It only says which cards may still come.
    """

    def _setup(self) -> None:
        """Let pokerkit set up its state with an empty deck, and then fill the deck in order."""
        super()._setup()
        self.deck_cards.extend(Deck.STANDARD)


def _new_state(game: NoLimitTexasHoldem, stacks: tuple[int, ...]) -> State:
    """Create a state as `game(stacks, count)` does, but without the shuffle."""
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
