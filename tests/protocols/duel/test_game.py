"""The game of duel over its protocol: to the end, conceded, and abandoned, in every mode."""

from __future__ import annotations

import pytest

from conformance.harness import Decide
from conformance.harness import Game as TableGame
from nodealer.cards.operations import Peek
from nodealer.engine.bodies import Leave
from nodealer.engine.phases import Phase
from nodealer.engine.seat import Seat
from nodealer.engine.view import find_choice, view_of
from nodealer.errors import IllegalMove
from nodealer.games.wardens import Concede, WardensGame, WardensRules
from nodealer.games.wardens.bot import WardensBot
from nodealer.group import Group
from nodealer.protocols.base import Duty
from nodealer.wire import encode

from .kit import MODES, duel

modes = pytest.mark.parametrize("mode", MODES)


def peek_of(seat: Seat, duty: Duty) -> Peek:
    peek = find_choice(seat, duty)
    assert isinstance(peek, Peek)
    return peek


def bots(concede_in: int | None = None) -> Decide:
    """Bots; whose turn it is in turn `concede_in` gives up."""

    def decide(seat: Seat, duty: Duty) -> bytes | None:
        view, game = view_of(seat), seat.replica.state.hand.game
        assert isinstance(game, WardensGame)
        if duty.deck is None:
            return seat.move(Concede() if game.turn == concede_in else WardensBot().move(view))
        seat.choose(duty, encode(WardensBot().choose(view, peek_of(seat, duty))))
        return None

    return decide


def table(group: Group, mode: str, decide: Decide, hands: int = 1) -> TableGame:
    return TableGame(duel(group, mode), WardensRules(), seats=2, seed="duel game", decide=decide, hands=hands)


@modes
def test_to_the_end(fast: Group, mode: str) -> None:
    game = table(fast, mode, bots()).play()
    assert game.state.phase is Phase.ENDED and game.state.fault is None
    assert game.state.results[0]["ended"] == "light out"
    assert len(game.digests()) == 1


@modes
def test_conceded(fast: Group, mode: str) -> None:
    """What a concession does not skip: without proofs the decks are shown, and then the books."""
    game = table(fast, mode, bots(concede_in=2), hands=2).play()
    assert [result["ended"] for result in game.state.results] == ["conceded", "conceded"]
    assert game.state.results[1]["score"] == [{"seat": 0, "won": 1}, {"seat": 1, "won": 1}]
    text = b"".join(game.log)
    assert (b'"type":"book"' in text) is (b'"type":"reveal"' in text) is (mode != "proven")


@modes
def test_abandoned(fast: Group, mode: str) -> None:
    game = table(fast, mode, bots())
    game.play(until=lambda game: getattr(game.state.hand.game, "turn", 0) == 3)
    replica = game.replica()
    replica.append(game.by_hand(0, Leave(), replica))
    result = replica.state.results[0]
    assert (result["ended"], result["winner"], result["gone"]) == ("forfeit", 1, [0])
    # Both open their books where that is how a hand ends; until its own is open, the win is held.
    waiting = {open_duty.duty.seat for open_duty in replica.state.duties.open.values() if open_duty.duty.kind == "book"}
    assert waiting == (set() if mode == "proven" else {0, 1})
    assert replica.state.ledger.chips == {0: 0, 1: 1 if mode == "proven" else 0}
    assert [held.gains for held in replica.state.ledger.held] == ([] if mode == "proven" else [{1: 1}])


def test_a_choice_is_made_once(fast: Group) -> None:
    game = table(fast, "proven", bots())
    game.play(until=lambda game: any(seat.pending_choices for seat in game.seats.values()))
    seat = next(seat for seat in game.seats.values() if seat.pending_choices)
    (duty,) = seat.pending_choices
    with pytest.raises(IllegalMove, match="not a choice"):
        seat.choose(duty, b"[999]")
    seat.choose(duty, encode(WardensBot().choose(view_of(seat), peek_of(seat, duty))))
    assert not seat.pending_choices
    with pytest.raises(IllegalMove, match="chosen already"):
        seat.choose(duty, b"[1]")
