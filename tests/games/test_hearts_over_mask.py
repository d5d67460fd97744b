"""Hearts over the real protocol: a full game, a play that cannot be proven, and a hidden two of clubs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from conformance.harness import Source
from nodealer.cards.operations import Prove
from nodealer.client.local_table import LocalTable, seat_players
from nodealer.engine.commands import AnswerQuestion, VoteSkip
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.replica import replay
from nodealer.errors import BadParameter
from nodealer.games.base import Ask
from nodealer.games.hearts import HeartsHand, HeartsRules, HeartsStage, Move, Play, Without
from nodealer.games.hearts.bot import HeartsBot
from nodealer.games.hearts.package import GAME
from nodealer.games.hearts.view import hand_of, playable
from nodealer.games.view import View
from nodealer.protocols.lock import Lock
from nodealer.protocols.mask import Mask

NAMES = ("Ada", "Ben", "Cleo", "Dov")
LOG_MAX = 300_000


def seated(goal: int, label: str) -> LocalTable:
    return seat_players(NAMES, Mask(), HeartsRules(goal), Source(label), stays=stay_for_hands(16), package=GAME)


BOT = HeartsBot().move


def played(table: LocalTable, mind: Callable[[View], Move] = BOT) -> None:
    def decide(one: Participant) -> list[bytes]:
        question = one.question()
        return [] if question is None else one.command(AnswerQuestion(question, mind(question.view)))

    table.run(decide)


def game(table: LocalTable) -> HeartsHand:
    hand = table.seats[0].replica.state.hand.game
    assert isinstance(hand, HeartsHand)
    return hand


def test_a_game_to_its_end() -> None:
    """A player who reaches the goal ends it: no one waits for another hand."""
    table = seated(1, "hearts")
    played(table)
    state = table.seats[0].replica.state
    (result,) = state.results
    assert state.phase is Phase.ENDED and state.fault is None and result["over"] and result["proofs"] > 0
    points = {one["seat"]: one["points"] for one in result["points"]}
    assert sum(points.values()) in (26, 78) and state.ledger.chips == {seat: -one for seat, one in points.items()}
    assert sum(map(len, table.log)) < LOG_MAX
    again = replay(table.seats[0].replica.config, table.log, entropy=Source("audit"))
    assert again.digest() == table.seats[1].replica.digest()


def test_a_play_that_cannot_be_proven_removes_the_player() -> None:
    """No one moves before the card is proven, and the others go on without a player who cannot prove it."""
    table = seated(100, "cheat")
    cheats = list[int]()

    def mind(view: View) -> Move:
        held = hand_of(view)
        if not cheats and isinstance(view.game, HeartsHand) and view.game.stage is HeartsStage.PLAYING:
            wrong = sorted(held.keys() - playable(view).keys())
            if wrong:
                cheats.append(view.seat)
                return Play(wrong[0])
        return HeartsBot().move(view)

    played(table, mind)
    (cheat,) = cheats
    want = game(table).wants
    assert isinstance(want, Ask) and isinstance(want.operations[0], Prove)
    assert table.seats[cheat].outgoing() == [] and set(table.seats[(cheat + 1) % 4].blocking_duties.values()) == {cheat}
    _goes(table, cheat)


def test_hiding_the_two_of_clubs_removes_the_player() -> None:
    """No one leads: then all must prove that they do not have it, and the player who has it cannot."""
    table = seated(100, "hidden")
    has = list[int]()

    def mind(view: View) -> Move:
        if isinstance(view.game, HeartsHand) and view.game.stage is HeartsStage.OPENING:
            has.extend([view.seat] * (0 in hand_of(view).values()))
            return Without()
        return HeartsBot().move(view)

    played(table, mind)
    _goes(table, has[0])


def _goes(table: LocalTable, seat: int) -> None:
    """The others vote to skip the player, who gets all points. The three cannot play another hand."""
    for other in sorted({0, 1, 2, 3} - {seat})[:3]:
        if not table.seats[other].replica.state.results:
            table.send(table.seats[other].command(VoteSkip(frozenset({seat}))))
            table.run()
    state = table.seats[(seat + 1) % 4].replica.state
    (result,) = state.results
    assert result["ended"] == "left" and result["spoilt"] == [seat]
    assert state.ledger.chips == {one: -26 if one == seat else 0 for one in range(4)}


def test_lock_cannot_serve_it() -> None:
    with pytest.raises(BadParameter, match="pass hidden cards"):
        seat_players(NAMES, Lock(), HeartsRules(), Source("lock"))
