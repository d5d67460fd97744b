"""A tiny sound game, and many broken variants: each has one mistake that an author might make.

Each player gets a card and bids in turn; then the cards are shown. The highest sum of card and bid wins.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Annotated, Any, ClassVar

import msgspec

from nodealer.game import (
    Ask,
    BadParameter,
    Bot,
    Capability,
    Deal,
    DecodeError,
    Done,
    Entropy,
    Event,
    Export,
    Game,
    GamePackage,
    IllegalMove,
    Message,
    Moved,
    Natural,
    NewDeck,
    NoneOf,
    Open,
    Opened,
    Portion,
    Prove,
    Setting,
    Show,
    Turn,
    View,
    Want,
    WithoutStakes,
    Words,
    decode,
    encode,
    whole_number,
)

STAKE = 10


class Bid(Message, frozen=True, tag="bid"):
    amount: Annotated[int, msgspec.Meta(ge=0, le=3)]


class Parameters(Message, frozen=True):
    cards: Natural


@dataclass(frozen=True)
class Hand(WithoutStakes):
    """The sound game."""

    number: int
    seats: tuple[int, ...]
    size: int
    held: Mapping[int, int] = field(default_factory=dict)
    bids: Mapping[int, int] = field(default_factory=dict)
    faces: Mapping[int, int] = field(default_factory=dict)
    gone: tuple[int, ...] = ()

    @property
    def wants(self) -> Want:
        if self.faces or self.gone:
            return self.done()
        if not self.held:
            return self.ask()
        waiting = [seat for seat in self.seats if seat not in self.bids]
        return Turn((waiting[0],)) if waiting else self.show()

    def ask(self) -> Want:
        return Ask((NewDeck(0, self.size), Deal(0, tuple(Portion(seat, 1) for seat in self.seats))))

    def show(self) -> Want:
        return Ask(tuple(Show(0, seat, (self.held[seat],)) for seat in self.seats if seat not in self.gone))

    def done(self) -> Want:
        sums = {seat: face + self.bids.get(seat, 0) for seat, face in self.faces.items()}
        return Done({"hand": self.number, "ended": "bid", "winner": max(sums, key=sums.__getitem__, default=None)})

    def told(self, events: tuple[Event, ...]) -> Game:
        if not self.held:
            moves = [event for event in events if isinstance(event, Moved) and event.holder is not None]
            return replace(self, held={move.holder: move.card.position for move in moves if move.holder is not None})
        faces = {event.card.position: event.face for event in events if isinstance(event, Opened)}
        return replace(self, faces={seat: faces[at] for seat, at in self.held.items() if at in faces})

    def moved(self, seat: int, move: bytes) -> Game:
        return self.bid(seat, read(move).amount)

    def bid(self, seat: int, amount: int) -> Game:
        return replace(self, bids={**self.bids, seat: amount})

    def left(self, seats: tuple[int, ...], *, cards: bool) -> Game:
        return replace(self, gone=(*self.gone, *seats))

    def default(self, seat: int) -> bytes | None:
        return encode(Bid(0))


def read(move: bytes) -> Bid:
    try:
        return decode(Bid, move, what="the bid")
    except DecodeError as error:
        raise IllegalMove(str(error)) from None


@dataclass(frozen=True)
class Rules:
    deck_max: int = 12
    hand: ClassVar[type[Any]] = Hand
    name: ClassVar[str] = "tiny"
    version: ClassVar[int] = 1
    versions: ClassVar[tuple[tuple[str, str], ...]] = ()
    stake: ClassVar[int] = 0
    operations: ClassVar[frozenset[Capability]] = frozenset(
        {Capability.SHARED_DECK, Capability.DEAL_TOP, Capability.SHOW_ALL}
    )

    @property
    def parameters(self) -> bytes:
        return encode(Parameters(self.deck_max))

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> Game:
        if len(seats) > 4:
            raise BadParameter("four can play, and no more")
        game: Game = self.hand(hand, seats, self.deck_max)
        return game


class TinyBot(Bot):
    def __init__(self, entropy: Entropy) -> None:
        self.entropy = entropy

    def move(self, view: View) -> Message:
        return Bid(self.entropy(1)[0] % 4)


class TinyWords(Words):
    def result(self, result: Mapping[str, Any], names: Mapping[int, str]) -> str:
        return f"{names.get(result['winner'], 'nobody')} won"

    def read(self, view: View, text: str) -> Message:
        if not text.isascii() or not text.isdigit() or int(text) > 3:
            raise IllegalMove("0 to 3")
        return Bid(int(text))


def game(hand: type[Any] = Hand, rules: type[Any] = Rules, **changes: Any) -> GamePackage:
    """Return the tiny game with some parts replaced."""
    made = type("Made", (rules,), {"hand": hand})
    package = GamePackage(
        name="tiny",
        version=1,
        rules=lambda raw: made(decode(Parameters, raw, what="the parameters of tiny").cards),
        from_settings=lambda settings: made(whole_number("cards", settings["cards"])),
        settings=(Setting("cards", "how many cards", "12"),),
        bot=TinyBot,
        words=TinyWords(),
    )
    return replace(package, **changes)


SOUND = game()
BROKEN: dict[str, tuple[str, GamePackage]] = {}


def broken(kind: str, **changes: Any) -> Callable[[type[Any]], type[Any]]:
    """Return a game with this mistake."""

    def note(made: type[Any]) -> type[Any]:
        keyword = "rules" if issubclass(made, Rules) else "hand"
        BROKEN[made.__name__] = kind, game(**{keyword: made}, **changes)
        return made

    return note


# --- Values and chance ---


@broken("random")
class ThrowsDice(Hand):
    def bid(self, seat: int, amount: int) -> Game:
        return super().bid(seat, int.from_bytes(os.urandom(4), "little"))


@broken("random")
class WantsWhatItLikes(Hand):
    asked: ClassVar[Iterator[int]] = count()

    def show(self) -> Want:
        shows = super().show().operations  # type: ignore[union-attr]
        return Ask(shows if next(self.asked) % 2 else shows[::-1])


@broken("changed")
class ChangesItself(Hand):
    def bid(self, seat: int, amount: int) -> Game:
        self.bids[seat] = amount  # type: ignore[index]
        return replace(self)


@broken("outside")
class Remembers(Hand):
    bidders: ClassVar[set[tuple[int, ...]]] = set()

    def told(self, events: tuple[Event, ...]) -> Game:
        after = super().told(events)
        key = (self.number, len(self.seats), *(event.face for event in events if isinstance(event, Opened)))
        if len(key) == 2:
            return after
        # Twice at once it says the same: only later it says something else.
        self.bidders.add(key)
        return replace(self, faces={0: len(self.bidders)})


@broken("equal")
@dataclass(frozen=True)
class ComparesTooLittle(Hand):
    bids: Mapping[int, int] = field(default_factory=dict, compare=False)


# --- What it raises ---


@broken("told")
class FailsWhenTold(Hand):
    def told(self, events: tuple[Event, ...]) -> Game:
        return super().told(events) if not self.held else replace(self, faces={0: self.faces[3]})


@broken("moved")
class FailsWhenMoved(Hand):
    def moved(self, seat: int, move: bytes) -> Game:
        return self.bid(seat, {0: 0, 1: 1, 2: 2, 3: 3}[json.loads(move)["amount"]])


@broken("left")
class FailsWhenLeft(Hand):
    def left(self, seats: tuple[int, ...], *, cards: bool) -> Game:
        return replace(self, gone=(self.bids[seats[0]],))


@broken("wants")
class FailsToWant(Hand):
    def show(self) -> Want:
        raise RuntimeError("no idea")


@broken("begin")
class FailsToBegin(Rules):
    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> Game:
        return super().begin(hand, (seats[0], seats[1], seats[2]), before, chips)


# --- Turns ---


@broken("turn")
class AsksNobody(Hand):
    def show(self) -> Want:
        return Turn(())


@broken("turn")
class AsksWhoIsNotThere(Hand):
    def show(self) -> Want:
        return Turn((len(self.seats),))


@broken("turn")
class AsksWhoHasLeft(Hand):
    def left(self, seats: tuple[int, ...], *, cards: bool) -> Game:
        return self


@broken("turn")
class AsksTwice(Hand):
    def show(self) -> Want:
        return Turn((0,), (0,))


@broken("endless")
class NeverEnds(Hand):
    def bid(self, seat: int, amount: int) -> Game:
        return replace(self, number=self.number + 1)


@broken("endless")
class OnlyMay(Hand):
    @property
    def wants(self) -> Want:
        want = super().wants
        return Turn((), want.seats) if isinstance(want, Turn) else want


@broken("idle")
class TakesAnIdleMove(Hand):
    def bid(self, seat: int, amount: int) -> Game:
        return self if amount == 0 else super().bid(seat, amount)


# --- Rounds ---


class InRounds(Hand):
    """A sound game in which all players bid at the same time."""

    @property
    def wants(self) -> Want:
        want = super().wants
        waiting = tuple(seat for seat in self.seats if seat not in self.bids)
        return Turn(waiting, round=1) if isinstance(want, Turn) else want


@broken("order")
class FirstComesFirst(InRounds):
    def bid(self, seat: int, amount: int) -> Game:
        return super().bid(seat, amount if self.bids else amount + 4)


@broken("order")
class RefusesTheSecond(InRounds):
    def bid(self, seat: int, amount: int) -> Game:
        if self.bids and seat == 0:
            raise IllegalMove("seat 0 bids first")
        return super().bid(seat, amount)


@broken("round")
class AsksAgain(InRounds):
    def bid(self, seat: int, amount: int) -> Game:
        if seat not in self.bids and 100 + seat not in self.bids:
            return replace(self, bids={**self.bids, 100 + seat: amount})
        return super().bid(seat, amount)


@broken("round")
class CountsNoRounds(Hand):
    @property
    def wants(self) -> Want:
        want = super().wants
        return Turn(want.seats, round=want.seats[0] % 2) if isinstance(want, Turn) else want


# --- Moves ---


@broken("loose")
class ReadsLoosely(Hand):
    def moved(self, seat: int, move: bytes) -> Game:
        try:
            return self.bid(seat, [0, 1, 2, 3].index(json.loads(move)["amount"]))
        except (ValueError, KeyError, TypeError, IndexError):
            raise IllegalMove("that is no bid") from None


@broken("default")
class DefaultIsIllegal(Hand):
    def default(self, seat: int) -> bytes | None:
        return b'{"type":"pass"}'


@broken("default")
class DefaultFails(Hand):
    def default(self, seat: int) -> bytes | None:
        return encode(Bid(self.bids[seat]))


# --- Cards ---


@broken("undeclared")
class AsksForMore(Hand):
    def show(self) -> Want:
        return Ask((Open(0, 1), *super().show().operations))  # type: ignore[union-attr]


@broken("cards")
class DealsTooMuch(Hand):
    def ask(self) -> Want:
        return Ask((NewDeck(0, self.size), Deal(0, tuple(Portion(seat, 7) for seat in self.seats))))


@broken("cards")
class MakesTooLarge(Hand):
    def ask(self) -> Want:
        return Ask((NewDeck(0, self.size + 1), Deal(0, tuple(Portion(seat, 1) for seat in self.seats))))


class ProvingRules(Rules):
    operations = Rules.operations | {Capability.PROVE}


LOW = tuple(range(6))


class Proves(Hand):
    """A player who bids one claims to have no low card, and proves it."""

    def show(self) -> Want:
        high = tuple(NoneOf(seat, (self.held[seat],), LOW) for seat, bid in sorted(self.bids.items()) if bid == 1)
        shows = super().show().operations  # type: ignore[union-attr]
        return Ask((Prove(0, high), *shows) if high else shows)


class HonestBot(TinyBot):
    def move(self, view: View) -> Message:
        return Bid(int(min(view.cards.values()) not in LOW))


PROVES = game(Proves, ProvingRules, bot=HonestBot)
#: Its bot says so of any card.
BROKEN["Proves"] = "proof", game(Proves, ProvingRules)


@broken("cards")
class AsksForNothing(Hand):
    def show(self) -> Want:
        return Ask(())


@broken("left")
class AsksWithoutCards(Hand):
    @property
    def wants(self) -> Want:
        return self.show() if self.gone and self.held and not self.faces else super().wants


@broken("left")
class MovesWhileCardsCome(Hand):
    @property
    def wants(self) -> Want:
        here = tuple(seat for seat in self.seats if seat not in self.gone)
        return Turn(here[:1]) if self.gone and here[0] not in self.bids else super().wants


# --- The end ---


@broken("result")
class ResultIsNoJson(Hand):
    def done(self) -> Want:
        return Done({"hand": self.number, "winner": object()})


class AtStake(Rules):
    stake = STAKE


class Pays(Hand):
    net: ClassVar[dict[int, int]] = {0: 2, 1: -2}

    @property
    def paid(self) -> Mapping[int, int]:
        return dict.fromkeys(self.seats, 2)

    def done(self) -> Want:
        return Done({"hand": self.number, "winner": 0}, self.paid, self.net)


class MakesChips(Pays):
    net: ClassVar[dict[int, int]] = {0: 3, 1: -2}


class TakesTooMuch(Pays):
    net: ClassVar[dict[int, int]] = {0: 3, 1: -3}


class CountsInHalves(Pays):
    net: ClassVar[dict[int, int]] = {0: 1.5, 1: -1.5}  # type: ignore[dict-item]


class PaysForOthers(Pays):
    net: ClassVar[dict[int, int]] = {0: 2, 77: -2}


class PaysWhatItHasNot(Pays):
    @property
    def paid(self) -> Mapping[int, int]:
        return dict.fromkeys(self.seats, STAKE + 1)


for _pays in (MakesChips, TakesTooMuch, CountsInHalves, PaysForOthers, PaysWhatItHasNot):
    BROKEN[_pays.__name__] = "chips", game(_pays, AtStake)
WITH_CHIPS = game(Pays, AtStake)


# --- What people see ---


class FailingWords(TinyWords):
    def move(self, game: Any, seat: int, move: bytes, names: Mapping[int, str]) -> str:
        return names[seat + 7]


class NoText(TinyWords):
    def prompt(self, view: View) -> Any:
        return 7


class FailsToRead(TinyWords):
    def read(self, view: View, text: str) -> Message:
        return Bid(int(text))


class ReadsNoMove(TinyWords):
    def read(self, view: View, text: str) -> Any:
        return text


class NoResult(TinyWords):
    def result(self, result: Mapping[str, Any], names: Mapping[int, str]) -> str:
        return names[result["loser"]]


class NoNews(TinyWords):
    def news(self, before: View, view: View) -> list[str]:
        return [str(before.cards[0, 99])]


class NoChange(TinyWords):
    def changed(self, before: Any, after: Any, names: Mapping[int, str]) -> Any:
        return [None]


class NeverSure(TinyWords):
    def sure(self, view: View, move: Message | Mapping[str, Any]) -> Any:
        return None


class NoParting(TinyWords):
    def parting(self, result: Mapping[str, Any], you: int) -> str:
        return str(result["cards"][you])


class NoTableForOthers(TinyWords):
    def table(self, view: View) -> list[str]:
        return [] if view.my_turn else [str(view.cards[0, 99])]


class NoOutcome(TinyWords):
    def outcome(self, result: Mapping[str, Any], names: Mapping[int, str]) -> list[str]:
        return [names[result["loser"]]]


for _words in (
    *(FailingWords, NoText, FailsToRead, ReadsNoMove, NoResult),
    *(NoNews, NoChange, NeverSure, NoParting, NoTableForOthers, NoOutcome),
):
    BROKEN[_words.__name__] = "words", game(words=_words())


def _fails(*said: object) -> Any:
    raise LookupError("no such thing")


class IllegalBot(TinyBot):
    def move(self, view: View) -> Message:
        return Parameters(3)


class FailingBot(TinyBot):
    def move(self, view: View) -> Message:
        return Bid(view.cards[0, 99])


class LooksAndChanges(TinyWords):
    def table(self, view: View) -> list[str]:
        view.game.bids[5] = 1  # type: ignore[union-attr]
        return []


BROKEN |= {
    "words that change": ("changed", game(words=LooksAndChanges())),
    "page fails": ("page", game(page=_fails)),
    "page is no JSON": ("page", game(page=lambda view: {"version": 1, "game": object()})),
    "page without version": ("page", game(page=lambda view: {})),
    "export fails": ("export", game(export=Export("text", _fails, lambda hands: ""))),
    "export is no text": ("export", game(export=Export("text", lambda hand, names: hand, lambda hands: 3))),  # type: ignore[arg-type, return-value]
    "bot is illegal": ("bot", game(bot=IllegalBot)),
    "bot fails": ("bot", game(bot=FailingBot)),
    "bot is not made": ("bot", game(bot=_fails)),
}


# --- What is agreed on ---


@dataclass(frozen=True)
class MissesAField(Rules):
    generous: bool = False


class LooseParameters(Rules):
    @property
    def parameters(self) -> bytes:
        return b'{ "cards": 12 }'


PLAIN = replace(SOUND, rules=lambda raw: Rules(decode(Parameters, raw, what="the parameters of tiny").cards))
AGREED: dict[str, tuple[str, GamePackage]] = {
    "misses a field": (
        "parameters",
        replace(SOUND, rules=lambda raw: MissesAField(12), from_settings=lambda settings: MissesAField(12, True)),
    ),
    "loose parameters": ("parameters", game(rules=LooseParameters)),
    "takes any parameters": ("parameters", replace(SOUND, rules=lambda raw: Rules(12))),
    "foreign parameters fail": ("parameters", replace(SOUND, rules=lambda raw: Rules(json.loads(raw)["cards"]))),
    "another name": ("parameters", replace(SOUND, name="other")),
    "setting fails": ("settings", replace(PLAIN, from_settings=lambda settings: Rules(int(settings["cards"])))),
    "default fails": ("settings", replace(SOUND, settings=(Setting("cards", "how many cards", "many"),))),
}


# --- By name, for commands and other processes ---

FAILING = BROKEN["FailsWhenTold"][1]


class HashOrder(Hand):
    def done(self) -> Want:
        return Done({"hand": self.number, "names": list({"Ada", "Ben", "Cleo", "Dov", "Eve", "Finn"})})


HASHES = game(HashOrder, words=Words())


# --- At real tables ---


class Stricter(Hand):
    def bid(self, seat: int, amount: int) -> Game:
        raise IllegalMove("not here")


#: Who has the log and the parameters has other rules.
VERIFIED_OTHERWISE = replace(SOUND, rules=game(Stricter).rules)


class NeedsTwoProtocols(Rules):
    operations = frozenset({Capability.SHARED_DECK, Capability.OWNED_DECK})


UNSERVED = game(rules=NeedsTwoProtocols)
