"""Seats are killed, or leave, at every entry of a hand, on every protocol: it goes on or has a defined end.

Chips are conserved at every entry, no card is there twice, nobody knows more than its own cards and the open ones,
nobody honest is blamed, and who has less in the pot has published before who has more.
"""

from __future__ import annotations

from typing import Final

import pytest

from conformance.clear import ClearProtocol
from conformance.harness import Game, statement
from games.dealer import Dice, wild
from nodealer.cards import Half, Open
from nodealer.errors import IllegalMove, PeerFault
from nodealer.games.holdem import Call, Hand, HandStage, Holdem, Raise, ShowHand
from nodealer.games.holdem.leaving import Leaving
from nodealer.games.wardens.package import GAME as WARDENS
from nodealer.group import group
from nodealer.play.bodies import Leave
from nodealer.play.phases import Phase
from nodealer.play.replica import Replica, replay
from nodealer.play.seat import Seat
from nodealer.play.state import TableState
from nodealer.protocols import make_protocol
from nodealer.protocols.base import CardProtocol, Duty
from nodealer.protocols.keyed import KeyedDeck
from nodealer.wire import encode
from sampling import times

SEATS: Final = 4
STACK: Final = 60
NAMES: Final = ("clear", "mask", "lock", "offset", "chain")
#: Protocols whose decks go on without a seat.
LASTING: Final = ("clear", "mask", "lock")


def protocol_of(name: str) -> CardProtocol:
    return ClearProtocol(group()) if name == "clear" else make_protocol(name, on=group())


class Watched(Game):
    """A table of hold'em, or of any rules, at which everything is looked at after every entry."""

    def __init__(self, name: str, seed: int, seats: int = SEATS, hands: int = 1, stack: int = STACK) -> None:
        self.policy = wild(Dice("leavers", seed))
        super().__init__(
            protocol_of(name), Holdem(stack, (1, 2)), seats=seats, seed=f"leavers {seed}", hands=hands, decide=self.bet
        )
        self.all = seats * stack

    def bet(self, seat: Seat, duty: Duty) -> bytes | None:
        hand = seat.replica.state.hand.game
        if duty.deck is not None or duty.kind != "move" or not isinstance(hand, Hand):
            return None
        return seat.move(self.policy(hand, seat.number))

    def order(self, data: bytes):  # type: ignore[no-untyped-def]
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
            if self.state.phase is Phase.ENDED or (self.state.over and self.seats.keys() <= self.state.ended):
                return self
            assert self.votes(), "nobody can do anything any more"

    def votes(self) -> bool:
        """Whether something was said that changed something."""
        before = self.state.digest()
        for say in (lambda seat: seat.without(self.silent), lambda seat: seat.break_off()):
            for seat in self.seats.values():
                try:
                    self.order(say(seat))
                except IllegalMove:
                    continue
            if self.state.chronicle.statements and self.state.digest() != before:
                return True
        return self.state.digest() != before


def refuse_lost_chips(state: TableState, total: int) -> None:
    account = state.account
    held = sum(sum(one.gains.values()) for one in account.held)
    # A hand that is played has its dead money in the account still.
    assert sum(account.chips.values()) + held + sum(one.amount for one in account.dead) == total
    assert all(chips >= 0 for chips in account.chips.values())


def refuse_out_of_turn(state: TableState) -> None:
    """Of a card of the board nobody has published a key while one with less in the pot has not."""
    hand = state.hand.game
    for deck in state.hand.decks.values():
        if not isinstance(deck, KeyedDeck) or not isinstance(deck.asked, Open) or not isinstance(hand, Hand):
            continue
        stakes = {seat: -1 for seat in deck.binding.players} | {seat: hand.paid[seat] for seat in hand.contenders}
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
        for card, face in seat.cards().items():
            places = seat.replica.state.hand.decks[card.deck].places
            assert places.face(card.position) is not None or places.owner(card.position) == seat.number
            faces[card.deck, card.position] = face
    assert len(set(faces.values())) == len(faces)


def is_sound(game: Watched, name: str) -> None:
    """What must hold at every end."""
    state = game.state
    assert not state.faults, "nobody honest is blamed"
    assert state.phase is Phase.ENDED or state.over
    assert len(state.chronicle.records) == 1
    (record,) = state.chronicle.records
    # With cards that can be dealt no pot is divided: it is won, or nobody is left, or the hand is broken off.
    if name in LASTING and record.void is None and record.result["ended"] == "forfeit":
        live = {winner["seat"] for pot in record.result["pots"] for winner in pot["winners"]}
        assert len(live) == 1 or live <= set(record.result["gone"])
    again = replay(game.config, game.log, entropy=game.source, eager=False)
    assert again.digest() == game.state.digest() or again.state.digest() == game.state.digest()


def length(name: str, seed: int) -> int:
    return len(Watched(name, seed).play().log)


def killed(name: str, seed: int, height: int, seats: tuple[int, ...], *, own_word: bool) -> Watched:
    """These seats say nothing more from here on; or they say so."""
    game = Watched(name, seed).play(until=lambda g: len(g.log) >= height)
    for seat in seats:
        del game.seats[seat]
    for seat in seats if own_word else ():
        game.order(game.by_hand(seat, Leave(), next(iter(game.seats.values())).replica))
    game.silent |= set(seats)
    game.goes_on()
    is_sound(game, name)
    return game


def cases(name: str, seed: int) -> list[tuple[int, tuple[int, ...], bool]]:
    """Everything that can be killed when; of all of it, by seed, a part."""
    heights = range(SEATS, length(name, seed) - SEATS)
    single = [(height, (seat,), own) for height in heights for seat in range(SEATS) for own in (False, True)]
    pairs = [
        (height, (one, two), own)
        for height in heights
        for one in range(SEATS)
        for two in range(one)
        for own in (False, True)
    ]
    dice = Dice("killed", name, seed)
    few = times(6, deep=10_000)
    return [
        case for every in (single, pairs) for case in (every if few >= len(every) else draw(dice, every, few // 2))
    ]


def draw(dice: Dice, every: list[tuple[int, tuple[int, ...], bool]], few: int):  # type: ignore[no-untyped-def]
    return [every[dice.below(len(every))] for _ in range(few)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.timeout(7200)
def test_killed_at_an_entry(name: str) -> None:
    seed = 1
    for height, seats, own_word in cases(name, seed):
        killed(name, seed, height, seats, own_word=own_word)
