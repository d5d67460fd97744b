"""A hand of the author's game on open decks, moment by moment.

This module defines which exceptions the author's code may raise: `IllegalMove` or `Malformed` for an invalid move, and
`BadParameter` for what is impossible. Any other exception is a finding, with the line it came from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from nodealer.cards.events import Event, Half
from nodealer.cards.operations import (
    Deal,
    NewDeck,
    Open,
    Operation,
    Peek,
    Random,
    Seal,
    needed_capabilities,
    without_seats,
)
from nodealer.errors import BadParameter, IllegalMove, Malformed
from nodealer.gamecheck.dealer import Choose, FalseClaim, PlainDeck, with_finished
from nodealer.gamecheck.findings import Finding, Found, author_code
from nodealer.games.base import Ask, Done, Game, Rules, Turn, Want
from nodealer.games.package import Bot, GamePackage
from nodealer.games.view import View
from nodealer.tape import expand
from nodealer.wire import DECKS_MAX, encode

NAMES: Final = ("Ada", "Ben", "Cleo", "Dov", "Eve", "Finn", "Gus", "Hana", "Ivo")

PURE: Final = "It must return the next value and raise nothing."
#: What `moved` may raise for a move that is invalid, or not allowed now.
REFUSALS: Final = (IllegalMove, Malformed, BadParameter)
REFUSE: Final = "Raise IllegalMove for every unexpected move."


class Refused(Exception):
    """The rules reject a move."""


class ImpossibleRequest(Found):
    """The game requests an operation that no deck can perform.

    `at_once`: the table detects it before any operation on that deck has run.
    """

    def __init__(self, finding: Finding, *, at_once: bool) -> None:
        """Store the finding, and whether a table detects the request before it runs any operation on the deck."""
        super().__init__(finding)
        self.at_once = at_once


class ImpossibleProof(Found):
    """The game requires a proof that a seat cannot give. At a real table the seat would be silent and removed."""

    def __init__(self, finding: Finding, seat: int) -> None:
        """Store the finding and the seat that cannot give the proof."""
        super().__init__(finding)
        self.seat = seat


@dataclass(frozen=True)
class Setup:
    """The game, the seats, and the seed of the cards."""

    package: GamePackage
    rules: Rules
    seats: tuple[int, ...]
    seed: bytes

    @property
    def names(self) -> dict[int, str]:
        """The names of the players."""
        return {seat: NAMES[seat] for seat in self.seats}


@dataclass(frozen=True)
class HandMoment:
    """The state of a hand between two steps."""

    setup: Setup
    number: int
    game: Game
    chips: Mapping[int, int]
    decks: Mapping[int, PlainDeck] = field(default_factory=dict)
    gone: tuple[int, ...] = ()
    #: The number of moves so far.
    moves: int = 0
    #: Everything that was done, so that it can be replayed.
    course: tuple[Act, ...] = ()

    @property
    def when(self) -> str:
        """This point of the game in words, as the beginning of a sentence."""
        counted = "before the first move" if not self.moves else f"after {self.moves} move{'s' * (self.moves > 1)}"
        gone = f", without seat {' and '.join(map(str, self.gone))}" if self.gone else ""
        return f"With {len(self.setup.seats)} seats, in hand {self.number + 1}, {counted}{gone}"

    def view(self, seat: int) -> View:
        """Return what the person at a seat sees."""
        decks = self.decks.items()
        cards = {(number, at): face for number, deck in decks for at, face in sorted(deck.held_by(seat).items())}
        seen = {(number, at): face for number, deck in decks for at, face in sorted(deck.seen_by(seat).items())}
        want = self.game.wants
        mine = isinstance(want, Turn) and seat in (*want.seats, *want.may)
        return View(seat, self.setup.names, self.number, self.game, cards, mine, seen)


@dataclass(frozen=True)
class EventsDelivered:
    """The game received the events of its operations."""

    events: tuple[Event, ...]


@dataclass(frozen=True)
class MoveMade:
    """A seat made a move."""

    seat: int
    move: bytes


@dataclass(frozen=True)
class SeatsLeft:
    """Seats left, perhaps in the middle of a card operation."""

    seats: tuple[int, ...]
    cards: bool
    half: Half | None = None


Act = EventsDelivered | MoveMade | SeatsLeft


# --- The author's code ---


def begin_hand(setup: Setup, number: int, before: Game | None, chips: Mapping[int, int]) -> HandMoment:
    """Return the first moment of a hand. Raises `BadParameter` if this number of seats cannot play."""
    doing = f"`begin` was called for hand {number + 1} with seats {list(setup.seats)} and failed with"
    with author_code("begin", doing, "Raise BadParameter if this number of seats cannot play.", (BadParameter,)):
        game = setup.rules.begin(number, setup.seats, before, dict(chips))
    return check_want(HandMoment(setup, number, game, dict(chips)))


def apply_act(game: Game, act: Act) -> Game:
    """Return the game after an act. Raises whatever the author's code raises."""
    match act:
        case EventsDelivered(events=events):
            return game.told(events)
        case MoveMade(seat=seat, move=move):
            return game.moved(seat, move)
        case SeatsLeft(seats=seats, cards=cards, half=half):
            for seat in seats if half is not None else ():
                game = game.charged(seat, half or Half.DEALT)
            return game.left(seats, cards=cards)


def apply_move(moment: HandMoment, seat: int, move: bytes) -> HandMoment:
    """Return the moment after a seat's move. Raises `Refused` if the rules reject it."""
    made, doing = (
        MoveMade(seat, move),
        f"{moment.when}, seat {seat} made the move {format_move(move)}, and `moved` failed with",
    )
    try:
        with author_code("moved", doing, REFUSE, REFUSALS):
            game = moment.game.moved(seat, move)
    except REFUSALS as error:
        raise Refused(str(error)) from error
    return check_want(
        replace(moment, game=game, moves=moment.moves + 1, course=(*moment.course, made)),
        f"the move {format_move(move)} of seat {seat}",
    )


def leave_seats(moment: HandMoment, seats: tuple[int, ...], *, cards: bool) -> HandMoment:
    """Return the moment after seats left, in the middle of the requested operations if there are any."""
    act = SeatsLeft(seats, cards, _half_done(want_of(moment)))
    doing = (
        f"{moment.when}, seat {' and '.join(map(str, seats))} left ({_cards_argument(cards)}), and `left` failed with"
    )
    with author_code("left", doing, PURE):
        game = apply_act(moment.game, act)
    decks = {number: deck.without(seats) for number, deck in moment.decks.items()} if cards else {}
    gone = (*moment.gone, *seats)
    after = replace(moment, game=game, decks=decks, gone=gone, course=(*moment.course, act))
    return check_want(after, f"the leaving of seat {seats[0]} ({_cards_argument(cards)})")


def _half_done(want: Want) -> Half | None:
    """Return the kind of operation that a seat leaves half done by leaving now, or None if no card is in progress."""
    kinds = {type(one) for one in want.operations} if isinstance(want, Ask) else set()
    return Half.OPENED if Open in kinds else Half.DEALT if Deal in kinds else None


def _cards_argument(cards: bool) -> str:
    """Return the `cards` argument of `left` as an author would write it."""
    return "cards=True" if cards else "cards=False"


def want_of(moment: HandMoment) -> Want:
    """Return what the game wants."""
    with author_code("wants", f"{moment.when}, `wants` failed with", PURE):
        return moment.game.wants


def format_move(move: bytes) -> str:
    """Return a move as text, shortened if it is long."""
    text = move.decode(errors="replace")
    return text if len(text) <= 120 else text[:100] + f"… ({len(move)} bytes)"


# --- What must hold at every moment ---


def check_want(moment: HandMoment, after: str = "`begin`") -> HandMoment:
    """Return the same moment. Raises `Found` if no table can serve what the game wants."""
    want: object = want_of(moment)
    here = [seat for seat in players(moment) if seat not in moment.gone]
    if isinstance(want, Turn):
        _refuse_bad_turn(moment, want, here, after)
    elif not isinstance(want, Ask | Done):
        what = f"{moment.when}, `wants` is {type(want).__name__}, not Ask, Turn or Done."
        raise Found(Finding("wants", what))
    elif isinstance(want, Ask) and not want.operations:
        what = f"{moment.when}, the game requests no operations, so it never goes on. Request at least one."
        raise Found(Finding("cards", what))
    return moment


def players(moment: HandMoment) -> tuple[int, ...]:
    """Return the seats that are dealt in. Raises `Found` if they are not seats of the hand."""
    with author_code("wants", f"{moment.when}, `players` failed with", PURE):
        dealt = tuple(moment.game.players)
    if not set(dealt) <= set(moment.setup.seats) or len(set(dealt)) != len(dealt):
        what = f"{moment.when}, `players` is {list(dealt)}, but the seats are {list(moment.setup.seats)}."
        raise Found(Finding("turn", f"{what} Name only seats that were passed to `begin`, each once."))
    return dealt


def _refuse_bad_turn(moment: HandMoment, want: Turn, here: list[int], after: str) -> None:
    """Raise `Found` if a turn names no seat, a seat that is not in the hand, or a seat twice."""
    named = (*want.seats, *want.may)
    if not named:
        what = f"{moment.when}: after {after}, the game wants a move but names no seat, so it never goes on."
        raise Found(Finding("turn", f"{what} Name a seat, or return Done."))
    for seat in named:
        if seat not in here:
            why = "has left" if seat in moment.gone else "is not in the hand"
            what = f"{moment.when}: after {after}, the game wants a move from seat {seat}, which {why}."
            raise Found(Finding("turn", f"{what} The seats are {here}: leave out seats that were passed to `left`."))
    if len(set(named)) != len(named):
        what = f"{moment.when}: after {after}, the game names a seat twice in Turn({want.seats}, {want.may})."
        raise Found(Finding("turn", f"{what} A seat either must move (`seats`) or may move (`may`)."))


# --- Cards ---


def run_operations(moment: HandMoment, choose: Choose, operations: tuple[Operation, ...] = ()) -> HandMoment:
    """Perform the requested operations (or `operations`, if a seat left meanwhile) and return the next moment."""
    want = want_of(moment)
    asked = operations or (want.operations if isinstance(want, Ask) else ())
    return _deliver_events(moment, *_perform_all(moment, asked, choose))


def run_operations_or_leave(moment: HandMoment, choose: Choose) -> HandMoment:
    """Perform the requested operations; a seat that cannot give a required proof leaves the hand instead."""
    try:
        return run_operations(moment, choose)
    except ImpossibleProof as cannot:
        want = want_of(moment)
        after = leave_seats(moment, (cannot.seat,), cards=True)
        if not isinstance(want, Ask) or not isinstance(want_of(after), Ask):
            return after
        return run_operations(after, choose, want.operations)


def _deliver_events(moment: HandMoment, decks: Mapping[int, PlainDeck], events: tuple[Event, ...]) -> HandMoment:
    """Call `told` with the events and return the next moment."""
    doing = f"{moment.when}, `told` was called with {_count_events(events)} and failed with"
    with author_code("told", doing, PURE):
        game = moment.game.told(events)
    return check_want(
        replace(moment, game=game, decks=decks, course=(*moment.course, EventsDelivered(events))),
        f"the events {_count_events(events)}",
    )


def _count_events(events: tuple[Event, ...]) -> str:
    """Return how many events of each kind there are, in words."""
    kinds = [type(event).__name__ for event in events]
    counted = [f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds)]
    return ", ".join(counted) or "no events"


def _perform_all(
    moment: HandMoment, operations: tuple[Operation, ...], choose: Choose
) -> tuple[dict[int, PlainDeck], tuple[Event, ...]]:
    """Perform operations on the decks and return the decks and all events."""
    decks, events, begun = dict(moment.decks), list[Event](), set[int]()
    for operation in operations:
        first = operation.deck not in begun
        begun.add(operation.deck)
        staying = without_seats(operation, frozenset(moment.gone))
        if staying is None:
            continue
        try:
            made = _perform(moment, decks, staying, choose)
        except BadParameter as error:
            what = f"{moment.when}, the game requests {operation}, which is impossible: {error}."
            finding = Finding("cards", f"{what} Request only cards that exist, from where they are.")
            raise ImpossibleRequest(finding, at_once=first) from None
        except FalseClaim as false:
            what = f"{moment.when}, the game requests {operation}, but {false}: one of its cards is one of these faces."
            remedy = (
                "Every player needs a move after which they can give the proof, and the bot must choose such a move."
            )
            raise ImpossibleProof(Finding("proof", f"{what} {remedy}"), false.seat) from None
        events += made
    return decks, tuple(events)


def _perform(
    moment: HandMoment, decks: dict[int, PlainDeck], operation: Operation, choose: Choose
) -> tuple[Event, ...]:
    """Perform one operation, updating `decks`, and return its events. Raise `BadParameter` if it is impossible."""
    rules, number = moment.setup.rules, operation.deck
    owner = decks[number].places.belongs_to if number in decks else None
    undeclared = needed_capabilities(operation, owner) - rules.operations
    if undeclared:
        names = ", ".join(f"Capability.{one.name}" for one in sorted(undeclared, key=lambda one: one.value))
        what = f"{moment.when}, the game requests {operation}. That needs {names}, which the rules' `operations` lacks."
        raise Found(Finding("undeclared", f"{what} Add it: this list decides which protocols can serve the game."))
    if isinstance(operation, NewDeck):
        if number in decks or not 0 <= number < DECKS_MAX:
            raise BadParameter(f"deck {number} already exists, or its number is not from 0 to {DECKS_MAX - 1}")
        if operation.faces > rules.deck_max:
            raise BadParameter(f"`deck_max` of the rules is {rules.deck_max}")
        decks[number] = PlainDeck.fresh(operation, expand("deal", moment.setup.seed, moment.number, size=32))
        return with_finished(operation, ())
    if isinstance(operation, Random | Seal) and number not in decks and 0 <= number < DECKS_MAX:
        decks[number] = PlainDeck.without_cards(number, expand("deal", moment.setup.seed, moment.number, size=32))
    if number not in decks:
        raise BadParameter(
            f"there is no deck {number}" + (", and no card can be opened after a seat has left" if moment.gone else "")
        )
    here = tuple(seat for seat in players(moment) if seat not in moment.gone)
    if isinstance(operation, Seal):
        decks[number] = decks[number].seal_values(
            {seat: _bot_seal(moment, operation, seat) for seat in operation.seats or here}
        )
        return with_finished(operation, ())
    decks[number], events = decks[number].perform(operation, here, choose)
    return with_finished(operation, events)


# --- Bots ---


def bot_of(moment: HandMoment, seat: int, *, fast: bool = False) -> Bot:
    """Return the bot of a seat, with randomness derived from the moment. `fast`: the benchmark bot, if there is one."""
    drawn = 0

    def draw(size: int) -> bytes:
        """Return the next pseudorandom bytes of this bot. They are the same in every run."""
        nonlocal drawn
        drawn += 1
        return expand("bot", moment.setup.seed, moment.number, moment.moves, seat, drawn, size=size)

    package = moment.setup.package
    with author_code("bot", "Creating a bot failed with", "Its only argument is a source of randomness."):
        return package.measured.bot(draw) if fast and package.measured is not None else package.new_bot(draw)


def bot_chooser(moment: HandMoment) -> Choose:
    """Return a function that lets the bots choose among cards they look at."""

    def choose(seen: Mapping[int, int], peek: Peek) -> tuple[int, ...]:
        """Let the peeking seat's bot choose, given a map from position to face of the cards it looks at."""
        view = moment.view(peek.seat)
        # Of that deck the bot sees only the cards it chooses from, as at a real table.
        others = {spot: face for spot, face in view.seen.items() if spot[0] != peek.deck}
        view = replace(view, seen={**others, **{(peek.deck, at): face for at, face in seen.items()}})
        bot = bot_of(moment, peek.seat)
        doing = f"{moment.when}, the bot of seat {peek.seat} had to choose for {peek} and failed with"
        with author_code("bot", doing, "Choose among `view.seen_in(peek.deck)`."):
            return bot.choose(view, peek)

    return choose


def _bot_seal(moment: HandMoment, seal: Seal, seat: int) -> bytes:
    """Return the value that a seat's bot seals."""
    doing = f"{moment.when}, the bot of seat {seat} had to seal a value and failed with"
    with author_code("bot", doing, "Return the bytes that `told` will read when they are opened."):
        return bot_of(moment, seat).seal(moment.view(seat), seal)


def bot_move(moment: HandMoment, seat: int, *, fast: bool = False) -> bytes:
    """Return the move of a seat's bot."""
    bot, view = bot_of(moment, seat, fast=fast), moment.view(seat)
    doing = f"{moment.when}, the bot of seat {seat} was asked for its move and failed with"
    with author_code("bot", doing, "A bot must return a move whenever its seat has to move."):
        return encode(bot.move(view))


def make_bot_move(moment: HandMoment, seat: int, *, fast: bool = False) -> HandMoment:
    """Return the moment after a bot's move."""
    move = bot_move(moment, seat, fast=fast)
    try:
        return apply_move(moment, seat, move)
    except Refused as refused:
        what = f"{moment.when}, the bot of seat {seat} moved {format_move(move)}, but the rules reject it: {refused}."
        raise Found(Finding("bot", f"{what} A bot must make only legal moves.")) from None
