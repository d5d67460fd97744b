"""A hand of somebody's game on open decks, moment by moment. Every call into the author's code is made here.

What an author's code may raise is said here, and nowhere else: `IllegalMove` and what is malformed for a move that is
not one, and `BadParameter` for what cannot be done. Anything else is a finding, with the line that it came from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from nodealer.cards.events import Event, Half
from nodealer.cards.operations import Deal, NewDeck, Open, Operation, Peek, Random, Seal, for_those_who_stay, needed
from nodealer.errors import BadParameter, IllegalMove, Malformed
from nodealer.gamecheck.dealer import Choose, FalseClaim, PlainDeck, finished
from nodealer.gamecheck.findings import Finding, Found, authors
from nodealer.games.base import Ask, Done, Game, Rules, Turn, Want
from nodealer.games.package import Bot, GamePackage
from nodealer.games.view import View
from nodealer.tape import expand
from nodealer.wire import DECKS_MAX, encode

NAMES: Final = ("Ada", "Ben", "Cleo", "Dov", "Eve", "Finn", "Gus", "Hana", "Ivo")

PURE: Final = "Rules see the same things everywhere: let it give the next value, and raise nothing."
#: What `moved` raises for a move that is not one, or not now.
REFUSALS: Final = (IllegalMove, Malformed, BadParameter)
REFUSE: Final = "Raise IllegalMove for every move that is not expected."


class Refused(Exception):
    """The rules do not allow a move."""


class CannotBe(Found):
    """The game asks for what no deck can do. `at_once`: the table sees it before anything is done."""

    def __init__(self, finding: Finding, *, at_once: bool) -> None:
        super().__init__(finding)
        self.at_once = at_once


class CannotProve(Found):
    """The game asks a seat to prove what is not so: at a table it would be silent, and gone."""

    def __init__(self, finding: Finding, seat: int) -> None:
        super().__init__(finding)
        self.seat = seat


@dataclass(frozen=True)
class Setup:
    """What is played, by how many, and with which cards."""

    package: GamePackage
    rules: Rules
    seats: tuple[int, ...]
    seed: bytes

    @property
    def names(self) -> dict[int, str]:
        """What the players are called."""
        return {seat: NAMES[seat] for seat in self.seats}


@dataclass(frozen=True)
class HandMoment:
    """A hand between two steps."""

    setup: Setup
    number: int
    game: Game
    chips: Mapping[int, int]
    decks: Mapping[int, PlainDeck] = field(default_factory=dict)
    gone: tuple[int, ...] = ()
    #: What happened so far, for people.
    moves: int = 0
    #: What was done, so that it can be done again.
    course: tuple[Act, ...] = ()

    @property
    def when(self) -> str:
        """Where in the game this is, for people."""
        counted = "before the first move" if not self.moves else f"after {self.moves} move{'s' * (self.moves > 1)}"
        gone = f", with seat {' and '.join(map(str, self.gone))} gone" if self.gone else ""
        return f"With {len(self.setup.seats)} seats, in hand {self.number + 1}, {counted}{gone}"

    def view(self, seat: int) -> View:
        """What the person at a seat sees."""
        decks = self.decks.items()
        cards = {(number, at): face for number, deck in decks for at, face in sorted(deck.known_to(seat).items())}
        seen = {(number, at): face for number, deck in decks for at, face in sorted(deck.seen_by(seat).items())}
        want = self.game.wants
        mine = isinstance(want, Turn) and seat in (*want.seats, *want.may)
        return View(seat, self.setup.names, self.number, self.game, cards, mine, seen)


@dataclass(frozen=True)
class EventsDelivered:
    """The game was told what its operations did."""

    events: tuple[Event, ...]


@dataclass(frozen=True)
class Made:
    """A seat made a move."""

    seat: int
    move: bytes


@dataclass(frozen=True)
class Left:
    """Seats left, perhaps in the middle of a card."""

    seats: tuple[int, ...]
    cards: bool
    half: Half | None = None


Act = EventsDelivered | Made | Left


# --- The author's code ---


def begun(setup: Setup, number: int, before: Game | None, chips: Mapping[int, int]) -> HandMoment:
    """The first moment of a hand. Raises `BadParameter` where the game is not for so many seats."""
    doing = f"`begin` was called for hand {number + 1} of seats {list(setup.seats)} and failed with"
    with authors("begin", doing, "Raise BadParameter where so many cannot play.", (BadParameter,)):
        game = setup.rules.begin(number, setup.seats, before, dict(chips))
    return checked(HandMoment(setup, number, game, dict(chips)))


def applied(game: Game, act: Act) -> Game:
    """The game after something has happened. Raises what the author's code raises."""
    match act:
        case EventsDelivered(events=events):
            return game.told(events)
        case Made(seat=seat, move=move):
            return game.moved(seat, move)
        case Left(seats=seats, cards=cards, half=half):
            for seat in seats if half is not None else ():
                game = game.charged(seat, half or Half.DEALT)
            return game.left(seats, cards=cards)


def moved(moment: HandMoment, seat: int, move: bytes) -> HandMoment:
    """A seat's move. Raises `Refused` where the rules do not allow it."""
    made, doing = Made(seat, move), f"{moment.when}, seat {seat} made the move {shown(move)}, and `moved` failed with"
    try:
        with authors("moved", doing, REFUSE, REFUSALS):
            game = moment.game.moved(seat, move)
    except REFUSALS as error:
        raise Refused(str(error)) from error
    return checked(
        replace(moment, game=game, moves=moment.moves + 1, course=(*moment.course, made)),
        f"seat {seat} moved {shown(move)}",
    )


def left(moment: HandMoment, seats: tuple[int, ...], *, cards: bool) -> HandMoment:
    """Seats are gone, in the middle of the cards that are asked for, if there are any."""
    act = Left(seats, cards, _half(wants(moment)))
    doing = f"{moment.when}, seat {' and '.join(map(str, seats))} left ({_with(cards)}), and `left` failed with"
    with authors("left", doing, PURE):
        game = applied(moment.game, act)
    decks = {number: deck.without(seats) for number, deck in moment.decks.items()} if cards else {}
    gone = (*moment.gone, *seats)
    after = replace(moment, game=game, decks=decks, gone=gone, course=(*moment.course, act))
    return checked(after, f"seat {seats[0]} left ({_with(cards)})")


def _half(want: Want) -> Half | None:
    """What somebody leaves half done who goes now."""
    kinds = {type(one) for one in want.operations} if isinstance(want, Ask) else set()
    return Half.OPENED if Open in kinds else Half.DEALT if Deal in kinds else None


def _with(cards: bool) -> str:
    return "cards=True" if cards else "cards=False"


def wants(moment: HandMoment) -> Want:
    """What the game wants."""
    with authors("wants", f"{moment.when}, `wants` failed with", PURE):
        return moment.game.wants


def shown(move: bytes) -> str:
    """A move, for people."""
    text = move.decode(errors="replace")
    return text if len(text) <= 120 else text[:100] + f"… ({len(move)} bytes)"


# --- What must hold at every moment ---


def checked(moment: HandMoment, after: str = "it began") -> HandMoment:
    """The same moment. Raises `Found` for a want that no table can serve."""
    want: object = wants(moment)
    here = [seat for seat in players(moment) if seat not in moment.gone]
    if isinstance(want, Turn):
        _refuse_bad_turn(moment, want, here, after)
    elif not isinstance(want, Ask | Done):
        what = f"{moment.when}, `wants` is {type(want).__name__}, not Ask, Turn or Done."
        raise Found(Finding("wants", what))
    elif isinstance(want, Ask) and not want.operations:
        what = f"{moment.when}, the game asks for no operation at all, and is told that forever. Ask for something."
        raise Found(Finding("cards", what))
    return moment


def players(moment: HandMoment) -> tuple[int, ...]:
    """The seats that are dealt in."""
    with authors("wants", f"{moment.when}, `players` failed with", PURE):
        dealt = tuple(moment.game.players)
    if not set(dealt) <= set(moment.setup.seats) or len(set(dealt)) != len(dealt):
        what = f"{moment.when}, `players` is {list(dealt)}, and the seats are {list(moment.setup.seats)}."
        raise Found(Finding("turn", f"{what} Name seats that have begun, each once."))
    return dealt


def _refuse_bad_turn(moment: HandMoment, want: Turn, here: list[int], after: str) -> None:
    named = (*want.seats, *want.may)
    if not named:
        what = f"{moment.when}: when {after}, the game wants a move of nobody, so it never goes on."
        raise Found(Finding("turn", f"{what} Name a seat, or be done."))
    for seat in named:
        if seat not in here:
            why = "has left" if seat in moment.gone else "is not there"
            what = f"{moment.when}: when {after}, the game wants a move of seat {seat}, which {why}."
            raise Found(Finding("turn", f"{what} The seats are {here}: leave out those that `left` has named."))
    if len(set(named)) != len(named):
        what = f"{moment.when}: when {after}, the game names a seat twice in Turn({want.seats}, {want.may})."
        raise Found(Finding("turn", f"{what} A seat owes a move, or it may make one."))


# --- Cards ---


def answered(moment: HandMoment, choose: Choose, operations: tuple[Operation, ...] = ()) -> HandMoment:
    """The hand once what it asks for is done, or what it asked for before somebody left."""
    want = wants(moment)
    asked = operations or (want.operations if isinstance(want, Ask) else ())
    return _told(moment, *_events(moment, asked, choose))


def answered_or_left(moment: HandMoment, choose: Choose) -> HandMoment:
    """The same where somebody may have moved who cannot prove what the rules ask for then: it is silent, and gone."""
    try:
        return answered(moment, choose)
    except CannotProve as cannot:
        want = wants(moment)
        after = left(moment, (cannot.seat,), cards=True)
        if not isinstance(want, Ask) or not isinstance(wants(after), Ask):
            return after
        return answered(after, choose, want.operations)


def _told(moment: HandMoment, decks: Mapping[int, PlainDeck], events: tuple[Event, ...]) -> HandMoment:
    doing = f"{moment.when}, the game was told {_brief(events)}, and `told` failed with"
    with authors("told", doing, PURE):
        game = moment.game.told(events)
    return checked(
        replace(moment, game=game, decks=decks, course=(*moment.course, EventsDelivered(events))),
        f"it was told {_brief(events)}",
    )


def _brief(events: tuple[Event, ...]) -> str:
    kinds = [type(event).__name__ for event in events]
    counted = [f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds)]
    return ", ".join(counted) or "nothing"


def _events(
    moment: HandMoment, operations: tuple[Operation, ...], choose: Choose
) -> tuple[dict[int, PlainDeck], tuple[Event, ...]]:
    decks, events, begun = dict(moment.decks), list[Event](), set[int]()
    for operation in operations:
        first = operation.deck not in begun
        begun.add(operation.deck)
        staying = for_those_who_stay(operation, frozenset(moment.gone))
        if staying is None:
            continue
        try:
            made = _answer(moment, decks, staying, choose)
        except BadParameter as error:
            what = f"{moment.when}, the game asks for {operation}, which cannot be: {error}."
            finding = Finding("cards", f"{what} Ask for cards that are there, and that are where you ask.")
            raise CannotBe(finding, at_once=first) from None
        except FalseClaim as false:
            what = f"{moment.when}, the game asks for {operation}, and {false}: one of its cards is one of these faces."
            remedy = (
                "A player has to have a move after which it can prove what you ask for, and its bot has to choose it."
            )
            raise CannotProve(Finding("proof", f"{what} {remedy}"), false.seat) from None
        events += made
    return decks, tuple(events)


def _answer(moment: HandMoment, decks: dict[int, PlainDeck], operation: Operation, choose: Choose) -> tuple[Event, ...]:
    rules, number = moment.setup.rules, operation.deck
    owner = decks[number].places.belongs_to if number in decks else None
    undeclared = needed(operation, owner) - rules.operations
    if undeclared:
        names = ", ".join(f"Capability.{one.name}" for one in sorted(undeclared, key=lambda one: one.value))
        what = (
            f"{moment.when}, the game asks for {operation}. That takes {names}, which `operations` of its rules lacks."
        )
        raise Found(Finding("undeclared", f"{what} Add it there: a table is refused or served by that list."))
    if isinstance(operation, NewDeck):
        if number in decks or not 0 <= number < DECKS_MAX:
            raise BadParameter(f"deck {number} is there already, or is not one of {DECKS_MAX}")
        if operation.faces > rules.deck_max:
            raise BadParameter(f"`deck_max` of the rules is {rules.deck_max}")
        decks[number] = PlainDeck.fresh(operation, expand("deal", moment.setup.seed, moment.number, size=32))
        return finished(operation, ())
    if isinstance(operation, Random | Seal) and number not in decks and 0 <= number < DECKS_MAX:
        decks[number] = PlainDeck.bare(number, expand("deal", moment.setup.seed, moment.number, size=32))
    if number not in decks:
        raise BadParameter(
            f"there is no deck {number}" + (", and no card can be opened any more" if moment.gone else "")
        )
    here = tuple(seat for seat in players(moment) if seat not in moment.gone)
    if isinstance(operation, Seal):
        decks[number] = decks[number].sealing(
            {seat: _sealed(moment, operation, seat) for seat in operation.seats or here}
        )
        return finished(operation, ())
    decks[number], events = decks[number].done(operation, here, choose)
    return finished(operation, events)


# --- Bots ---


def bot_of(moment: HandMoment, seat: int, *, fast: bool = False) -> Bot:
    """The bot of a seat, whose luck is a function of the moment; or one that does not think, where there is such."""
    drawn = 0

    def draw(size: int) -> bytes:
        nonlocal drawn
        drawn += 1
        return expand("bot", moment.setup.seed, moment.number, moment.moves, seat, drawn, size=size)

    package = moment.setup.package
    with authors("bot", "Making a bot failed with", "It is made with a source of chance, and nothing else."):
        return package.measured.bot(draw) if fast and package.measured is not None else package.new_bot(draw)


def chooser(moment: HandMoment) -> Choose:
    """What bots choose of the cards that they look at."""

    def choose(seen: Mapping[int, int], peek: Peek) -> tuple[int, ...]:
        view = moment.view(peek.seat)
        # Of that deck it sees just what it chooses about, as at a table.
        others = {spot: face for spot, face in view.seen.items() if spot[0] != peek.deck}
        view = replace(view, seen={**others, **{(peek.deck, at): face for at, face in seen.items()}})
        bot = bot_of(moment, peek.seat)
        doing = f"{moment.when}, the bot of seat {peek.seat} had to choose about {peek}, and failed with"
        with authors("bot", doing, "Choose among `view.seen_in(peek.deck)`."):
            return bot.choose(view, peek)

    return choose


def _sealed(moment: HandMoment, seal: Seal, seat: int) -> bytes:
    doing = f"{moment.when}, the bot of seat {seat} had to seal something, and failed with"
    with authors("bot", doing, "Give the bytes that `told` reads when they are opened."):
        return bot_of(moment, seat).seal(moment.view(seat), seal)


def bot_move(moment: HandMoment, seat: int, *, fast: bool = False) -> bytes:
    """What the bot of a seat moves."""
    bot, view = bot_of(moment, seat, fast=fast), moment.view(seat)
    doing = f"{moment.when}, the bot of seat {seat} was asked for its move and failed with"
    with authors("bot", doing, "A bot has a move whenever its seat has."):
        return encode(bot.move(view))


def bot_moved(moment: HandMoment, seat: int, *, fast: bool = False) -> HandMoment:
    """The hand after a bot's move."""
    move = bot_move(moment, seat, fast=fast)
    try:
        return moved(moment, seat, move)
    except Refused as refused:
        what = f"{moment.when}, the bot of seat {seat} moved {shown(move)}, and the rules refuse that: {refused}."
        raise Found(Finding("bot", f"{what} A bot makes legal moves only: ask the game what is legal.")) from None
