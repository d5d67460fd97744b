"""Seats are killed, or leave, at every entry of a hand, on every protocol: it goes on or has a defined end.

Chips are conserved at every entry, no card is there twice, nobody knows more than its own cards and the open ones,
nobody honest is blamed, and who has less in the pot has published before who has more.
"""

from __future__ import annotations

import base64
import json
from contextlib import suppress
from itertools import combinations
from typing import Final

import msgspec
import pytest

from conformance.clear import ClearProtocol
from conformance.harness import Game
from games.dealer import Dice, Policy, wild
from nodealer.audit.report import Report
from nodealer.cards.events import Half
from nodealer.cards.operations import Open
from nodealer.cli.verify import _remarks as told
from nodealer.engine.bodies import Cards, Leave, Word
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Outcome, Replica, replay
from nodealer.engine.seat import Seat
from nodealer.engine.state import TableState
from nodealer.engine.votes import voters
from nodealer.errors import IllegalMove
from nodealer.games.holdem import Call, Fold, Hand, HandStage, Holdem, Move, Raise, ShowHand
from nodealer.games.holdem.leave_price import LeavePricing
from nodealer.games.wardens.moves import EndTurn
from nodealer.games.wardens.package import GAME as WARDENS
from nodealer.group import group
from nodealer.protocols import make_protocol
from nodealer.protocols.base import CardProtocol, Duty
from nodealer.protocols.keyed_deck import KeyedDeck
from sampling import DEEP, times

SEATS: Final = 4
STACK: Final = 60
NAMES: Final = ("clear", "mask", "lock", "offset", "chain")
#: Protocols whose decks go on without a seat.
LASTING: Final = ("clear", "mask", "lock")


def protocol_of(name: str) -> CardProtocol:
    return ClearProtocol(group()) if name == "clear" else make_protocol(name, on=group())


class Watched(Game):
    """A table of hold'em, or of any rules, at which everything is looked at after every entry."""

    def __init__(
        self,
        name: str,
        seed: int,
        seats: int = SEATS,
        hands: int = 1,
        stack: int = STACK,
        leaving: LeavePricing = LeavePricing.STRICT,
    ) -> None:
        self.policy: Policy = wild(Dice("leavers", seed))
        rules = Holdem(stack, (1, 2), leaving=leaving)
        super().__init__(protocol_of(name), rules, seats=seats, seed=f"leavers {seed}", hands=hands, decide=self.bet)
        self.all = seats * stack

    def bet(self, seat: Seat, duty: Duty) -> bytes | None:
        hand = seat.replica.state.hand.game
        if duty.deck is not None or duty.kind != "move" or not isinstance(hand, Hand):
            return None
        return seat.move(self.policy(hand, seat.number))

    def order(self, data: bytes) -> Outcome | None:
        outcome = super().order(data)
        refuse_lost_chips(self.state, self.all)
        refuse_out_of_turn(self.state)
        return outcome

    # --- Going on without some ---

    def goes_on(self) -> Watched:
        """Those who are there vote when nothing moves, and break off where they are too few to vote."""
        for seat in self.seats.values():
            # What they had said when the others fell silent.
            for data in seat.unconfirmed:
                self.order(data)
        while True:
            self.play()
            refuse_doubled(self)
            if self.state.phase is not Phase.PLAYING and self.seats.keys() <= self.state.ended:
                return self
            assert self.votes(), "nobody can do anything any more"

    def votes(self) -> bool:
        """Whether something was said that changed something."""
        before = self.state.digest()
        for breaking in (False, True):
            for seat in self.seats.values():
                with suppress(IllegalMove):
                    self.order(seat.vote_abort() if breaking else seat.vote_skip(self.silent))
            if self.state.chronicle.vote_results and self.state.digest() != before:
                return True
        return self.state.digest() != before


def refuse_lost_chips(state: TableState, total: int) -> None:
    assert state.ledger.total == total and min(state.ledger.chips.values()) >= 0


def refuse_out_of_turn(state: TableState) -> None:
    """Of a card of the board nobody has published a key while one with less in the pot has not."""
    hand = state.hand.game
    for deck in state.hand.decks.values():
        if not isinstance(deck, KeyedDeck) or not isinstance(deck.asked, Open) or not isinstance(hand, Hand):
            continue
        stakes = dict.fromkeys(deck.binding.players, -1) | {seat: hand.paid[seat] for seat in hand.contenders}
        for position in set(deck.released).intersection(deck.places.pile):
            published = deck.released[position].keys()
            waiting = [stakes[seat] for seat in deck.binding.players if seat not in published]
            assert all(stakes.get(seat, -1) <= stake for seat in published for stake in waiting)


def refuse_doubled(game: Game) -> None:
    """What the seats know together has no face twice, and each knows its own cards and the open ones alone."""
    faces: dict[tuple[int, int], int] = {}
    for seat in game.seats.values():
        if game.state.phase is not Phase.PLAYING:
            continue
        for card, face in seat.known_cards().items():
            places = seat.replica.state.hand.decks[card.deck].places
            assert places.face(card.position) is not None or places.owner(card.position) == seat.number
            faces[card.deck, card.position] = face
    assert len(set(faces.values())) == len(faces)


def is_sound(game: Watched, name: str) -> None:
    """What must hold at every end."""
    state = game.state
    assert not state.faults, "nobody honest is blamed"
    assert state.phase is not Phase.PLAYING and len(state.chronicle.records) == 1
    (record,) = state.chronicle.records
    # With cards that can be dealt no pot is divided: it is won, or nobody is left, or the hand is broken off.
    if name in LASTING and record.void is None and record.result["ended"] == "forfeit":
        live = {winner["seat"] for pot in record.result["pots"] for winner in pot["winners"]}
        assert len(live) == 1 or live <= set(record.result["gone"])
    again = replay(game.config, game.log, entropy=game.source, eager=False)
    assert again.state.digest() == state.digest()


def killed(name: str, seed: int, height: int, seats: tuple[int, ...], *, own_word: bool) -> Watched:
    """These seats say nothing more from here on; or they say so."""
    game = Watched(name, seed)
    game.play(until=lambda g: len(g.log) >= height)
    for seat in seats:
        del game.seats[seat]
    for seat in seats if own_word else ():
        game.order(game.by_hand(seat, Leave(), next(iter(game.seats.values())).replica))
    game.silent |= set(seats)
    game.goes_on()
    is_sound(game, name)
    if own_word or 2 * len(seats) < SEATS:
        # A hand that is broken off gives all bets back: nobody gets that by going, nor do fewer than half.
        assert game.state.chronicle.records[0].void is None
    return game


Case = tuple[int, tuple[int, ...], bool]


def cases(name: str, seed: int) -> list[Case]:
    """Who can be killed when, alone and two at once; in a normal run a few of these, by seed."""
    heights = range(SEATS, len(Watched(name, seed).play().log) - SEATS)
    leavers = [*((seat,) for seat in range(SEATS)), *combinations(range(SEATS), 2)]
    every = [(height, seats, own) for height in heights for seats in leavers for own in (False, True)]
    dice = Dice("killed", name, seed)
    return [every[dice.below(len(every))] for _ in range(2)] if not DEEP else every


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.timeout(7200)
def test_killed_at_an_entry(name: str) -> None:
    """Thrown out by the others, or gone by their own word. Two of four who are silent cannot be thrown out by two."""
    for height, seats, own_word in cases(name, 1):
        killed(name, 1, height, seats, own_word=own_word)


def test_killed_in_a_duel() -> None:
    """With two seats the other breaks off, or has won where the leaver said so itself."""
    rules = WARDENS.from_settings(WARDENS.settled({}))
    seed = 0

    def decide(seat: Seat, duty: Duty) -> bytes | None:
        return seat.move(EndTurn()) if duty.deck is None and duty.kind == "move" else None

    whole = Game(make_protocol("duel", on=group()), rules, seats=2, decide=decide).play()
    dice = Dice("killed", "duel", seed)
    heights = range(2, len(whole.log) - 2)
    for height in heights if DEEP else [heights[dice.below(len(heights))] for _ in range(3)]:
        for own_word in (False, True):
            game = Game(make_protocol("duel", on=group()), rules, seats=2, decide=decide)
            game.play(until=lambda g, height=height: len(g.log) >= height)  # type: ignore[misc]
            del game.seats[1]
            game.silent.add(1)
            if own_word:
                game.order(game.by_hand(1, Leave(), game.seats[0].replica))
            for data in game.seats[0].unconfirmed:
                game.order(data)
            game.play()
            if game.state.phase is Phase.PLAYING:
                game.order(game.seats[0].vote_abort())
                assert game.play().state.chronicle.records[0].void == "broken off"
            else:
                assert game.state.results[0]["ended"] in ("forfeit", "won")
            assert not game.state.faults


# --- The price ---


def half_open(name: str, leaving: LeavePricing = LeavePricing.STRICT) -> tuple[Watched, int]:
    """Everybody has 10 in the pot and 50 behind, and a seat owes its key of the flop that another has published."""

    def raises(hand: Hand, seat: int) -> Move:
        if hand.stage is not HandStage.BETTING:
            return ShowHand()
        return Raise(10) if max(hand.table.bets.values()) == 2 and not hand.board else Call()

    game = Watched(name, 0, hands=3, leaving=leaving)
    game.policy = raises
    game.play(until=lambda g: Half.OPENED in halves(g.state).values())
    return game, min(halves(game.state))


def halves(state: TableState) -> dict[int, Half]:
    return {seat: half for deck in state.hand.decks.values() for seat, half in deck.half.items()}


def false_key(game: Game, seat: int) -> bytes:
    """A well formed message with keys that are not the seat's."""
    (duty,) = [known.duty for known in game.state.duties.open.values() if known.duty.seat == seat]
    deck = game.state.hand.decks[0]
    said = json.loads(deck.message(duty, game.tape(seat)))
    field = "keys" if "keys" in said else "dealKeyPart" if "dealKeyPart" in said else "numbers"
    keys = base64.b64decode(said[field])
    said[field] = base64.b64encode((1).to_bytes(32, "little") * (len(keys) // 32)).decode()
    message = msgspec.Raw(json.dumps(said, separators=(",", ":")).encode())
    return game.by_hand(seat, Cards(duty.id, message), state_of(game))


def state_of(game: Game) -> Replica:
    return next(one.replica for one in game.seats.values() if one.number not in game.silent)


@pytest.mark.sample
@pytest.mark.parametrize("way", ["word", "votes", "fault"])
@pytest.mark.parametrize("name", ["mask", "lock", "offset"])
def test_the_price_is_the_same_however_one_goes(name: str, way: str) -> None:
    """10, as much as each of the others has in the pot; the next pot has it, and the leaver no part in three hands."""
    game, seat = half_open(name)
    del game.seats[seat]
    game.silent.add(seat)
    if way == "word":
        game.order(game.by_hand(seat, Leave(), state_of(game)))
    elif way == "fault":
        assert game.order(false_key(game, seat)) is Outcome.FAULT
    for one in game.seats.values():
        for data in one.unconfirmed:
            game.order(data)
    while not game.state.chronicle.records:
        game.play(until=lambda g: bool(g.state.chronicle.records))
        if not game.state.chronicle.records:
            assert game.votes()
    (record,) = game.state.chronicle.records
    assert record.charged == {seat: 10} and record.net[seat] == -10
    assert game.state.ledger.chips[seat] == STACK - 20 and game.state.ledger.dead[0].amount == 10
    assert [fault.seat for fault in game.state.faults] == ([seat] if way == "fault" else [])
    # With cards the hand was played to its end; without, it was divided.
    assert (record.result["ended"] == "forfeit") == (name == "offset")
    while len(game.state.chronicle.records) < 2:
        game.play(until=lambda g: isinstance(g.state.hand.game, Hand) and g.state.phase is Phase.PLAYING)
        hand = game.state.hand.game
        if isinstance(hand, Hand) and game.state.hand.number == 1:
            assert hand.dead == 10 and seat not in hand.players and seat not in game.state.hand.binding.seats
        game.play(until=lambda g: len(g.state.chronicle.records) > 1)
        assert len(game.state.chronicle.records) > 1 or game.votes()
    assert not game.state.ledger.dead and game.state.chronicle.records[1].result["dead"] == 10


def test_what_is_half_done_on_chain() -> None:
    """The seats speak in the order of their layers: only the first has nobody's part before its own."""
    seen: list[dict[int, Half]] = []
    game = Watched("chain", 3)
    game.play(until=lambda g: bool(seen.append(halves(g.state))))  # type: ignore[func-returns-value]
    assert {half for one in seen for half in one.values()} == {Half.DEALT, Half.OPENED}
    assert all(len(one) <= 1 for one in seen)


@pytest.mark.parametrize("name", ["mask", "lock"])
def test_a_message_of_a_rebuild_has_a_price(name: str) -> None:
    game, seat = half_open(name)
    del game.seats[seat]
    game.silent.add(seat)
    game.order(game.by_hand(seat, Leave(), state_of(game)))
    owing = halves(game.state)
    assert owing and set(owing.values()) == {Half.REBUILT}
    second = min(owing)
    del game.seats[second]
    game.silent.add(second)
    game.order(game.by_hand(second, Leave(), state_of(game)))
    hand = game.state.hand.game
    assert isinstance(hand, Hand) and hand.charges == {seat: 10, second: 2}


def folds_first(hand: Hand, seat: int) -> Move:
    """Seat 3 folds, and the others have 10 in the pot."""
    if seat == 3 and hand.stage is HandStage.BETTING:
        return Fold()
    if hand.stage is not HandStage.BETTING:
        return ShowHand()
    return Raise(10) if max(hand.table.bets.values()) == 2 and not hand.board else Call()


def seen_by_one(state: TableState) -> bool:
    """Whether all but one have published their keys of the flop."""
    deck = state.hand.decks.get(0)
    if not isinstance(deck, KeyedDeck) or not isinstance(deck.asked, Open):
        return False
    return any(len(deck.released.get(place, {})) == SEATS - 1 for place in deck.places.pile)


@pytest.mark.parametrize("way", ["word", "fault"])
@pytest.mark.parametrize("name", ["mask", "lock"])
def test_a_friend_who_owes_nothing_cannot_take_a_card_back(name: str, way: str) -> None:
    """One who has folded, and has published, leaves when the last one has seen the flop: the same flop comes."""
    game, whole = Watched(name, 0), Watched(name, 0)
    game.policy = whole.policy = folds_first
    game.play(until=lambda g: seen_by_one(g.state))
    assert seen_by_one(game.state) and 3 not in halves(game.state)
    del game.seats[3]
    game.silent.add(3)
    if way == "word":
        game.order(game.by_hand(3, Leave(), state_of(game)))
    else:
        two = [game.by_hand(3, Word(text), state_of(game)) for text in ("yes", "no")]
        assert [game.order(data) for data in two] == [Outcome.ACCEPTED, Outcome.FAULT]
    for one in game.seats.values():
        for data in one.unconfirmed:
            game.order(data)
    (left, right) = (one.play().state.results[0] for one in (game, whole))
    assert left["board"][:3] == right["board"][:3] and left["board"][3:] != right["board"][3:]
    assert left["gone"] == [3] and not left["charged"] and left["ended"] == "showdown"
    assert replay(game.config, game.log, entropy=game.source, eager=False).state.digest() == game.state.digest()


def test_gentle_is_agreed_on() -> None:
    game, seat = half_open("clear", LeavePricing.GENTLE)
    del game.seats[seat]
    game.order(game.by_hand(seat, Leave(), state_of(game)))
    hand = game.state.hand.game
    assert isinstance(hand, Hand) and hand.charges == {seat: 2}
    assert b'"leaving":"gentle"' in game.config.rules.parameters


def test_the_report_says_what_leaving_cost_and_where_it_went() -> None:
    """The last hand: the price lies in no pot, and goes to the others when the session ends."""
    game = Watched("clear", 0)
    game.play(until=lambda g: Half.DEALT in halves(g.state).values())
    seat = min(halves(game.state))
    del game.seats[seat]
    game.silent.add(seat)
    game.order(game.by_hand(seat, Leave(), state_of(game)))
    for data in [data for one in game.seats.values() for data in one.unconfirmed]:
        game.order(data)
    game.play(until=lambda g: bool(g.state.chronicle.records))
    before = list(told(Report("incomplete", state=game.state)))
    assert any(line.endswith("left in the middle of a card and paid 2") for line in before)
    assert "2 of what was paid for leaving is not in any pot yet" in before
    game.play()
    chips, names = game.state.ledger.chips, {one: game.state.all_members[one].name for one in range(SEATS)}
    assert sum(chips.values()) == game.all and game.state.phase is Phase.ENDED
    now = "chips now: " + ", ".join(f"{names[one]} {chips[one]}" for one in range(SEATS))
    assert now in list(told(Report("clean", state=game.state)))


@pytest.mark.parametrize("name", ["mask", "lock", "offset"])
def test_nobody_learns_a_card_before_who_has_less_in_the_pot(name: str) -> None:
    """Whole logs in which stacks differ: the first hand makes them so. Looked at after every entry."""
    for seed in range(times(1, deep=40)):
        game = Watched(name, seed, hands=2, stack=20).play()
        assert game.state.phase is Phase.ENDED and not game.state.faults


def test_a_seat_without_chips_is_in_no_deck() -> None:
    """Somebody is out: it neither shuffles nor has a word, and the others play on."""
    for seed in range(40):
        game = Watched("clear", seed, seats=3, hands=6, stack=4).play(until=lambda g: out(g.state) is not None)
        if (broke := out(game.state)) is not None:
            assert broke not in voters(game.state)
            decks = game.state.hand.decks.values()
            assert all(duty.seat != broke for deck in decks for duty in deck.duties)
            return
    raise AssertionError("nobody was ever out")


def out(state: TableState) -> int | None:
    """A seat without chips while a hand is played by two others."""
    hand = state.hand.game
    if state.phase is not Phase.PLAYING or not isinstance(hand, Hand) or not state.hand.decks:
        return None
    broke = (seat for seat, chips in hand.chips.items() if not chips)
    return next((seat for seat in broke if seat not in state.hand.binding.seats), None)
