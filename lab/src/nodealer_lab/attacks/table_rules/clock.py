"""Attacks on the time that a seat has to answer."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from nodealer.engine.bodies import Tick
from nodealer.engine.bodies import Without as SkipVote
from nodealer.engine.commands import SendTick, VoteSkip
from nodealer.engine.phases import Phase
from nodealer.errors import IllegalMove
from nodealer.log.session import Limits
from nodealer_lab.attacks.base import Attack, AttackMethod, with_own_claim
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import AttackTable, awaits_move_of, blocking_duties, is_playing

# --- late alone ---

VICTIM: Final = 1
HOURS: Final = 10_000_000
LIMITS: Final = Limits(move=10_000, cards=10_000, bank=0, refill=0)


def _play_late_alone(scene: Scene) -> AttackOutcome:
    """Have the timekeeper send a tick hours ahead, without any votes.

    The attack: a timekeeper claims that hours have passed, so that a seat that has just been asked is late.
    """
    stage = AttackTable(scene, clock=LIMITS)
    stage.run_until(awaits_move_of(VICTIM))
    keeper = len(stage.participants) - 1
    stage.sign_and_send(keeper, Tick(0), Tick(HOURS))
    stage.run_to_end()
    done = [one for one in stage.state().chronicle.vote_results if one.of == VICTIM]
    return stage.outcome("alone, gets Ben's hand played for him" if done else None)


#: A seat is skipped by at least half of the voters, not by the ticks alone.
_COUNTED: Final = """if hand.skip_votes else ():
        owes = {id: known for id, known in state.duties.of_seat(seat).items() if known.is_blocking}
        for of, results in (([id for id in owes if not owes[id].is_move], gone), (_move_duties(owes), moves)):
            by, pressing = _voters_naming(state, said, of), _voters_naming(state, said, late.intersection(of))
            if 2 * len(by) > len(said) or (pressing and 2 * len(pressing) == len(said)):"""
_LATE: Final = _COUNTED.replace("if hand.skip_votes else ()", "if True else ()").replace(
    "(pressing and 2 * len(pressing) == len(said))", "late.intersection(of)"
)
#: Votes are not counted if there are none.
_WITHOUT_VOTES: Final = RemovedDefence(
    "nodealer.engine.votes:count_votes",
    "if not change.state.hand.skip_votes and not change.state.hand.abort_votes:",
    "if False:",
)
LATE_ALONE: Final = Attack(
    name="late-alone",
    does="claims that hours have passed",
    numbers=("A39",),
    who="the timekeeper",
    law=with_own_claim(
        AttackMethod(
            "a timekeeper that makes a seat late without any votes",
            play=_play_late_alone,
            defence=(RemovedDefence("nodealer.engine.votes:_decide", _COUNTED, _LATE), _WITHOUT_VOTES),
        )
    ),
)


# --- late with half ---


def _play_late_with_half(scene: Scene) -> AttackOutcome:
    """Have the timekeeper send a tick hours ahead, and half of the table vote.

    The attack: a timekeeper and half of a table call a seat late that has just been asked, and play its hand.

    The log shows the ticks and the votes, but cannot show that the time was false. Honest programs would not have
    voted: each also looks at its own clock.
    """
    # At a table of two, one seat is half.
    seats = 2 if scene.game.seats == 2 else 4
    stage = AttackTable(scene, seats=seats, clock=LIMITS)
    stage.run_until(awaits_move_of(VICTIM))
    keeper = len(stage.participants) - 1
    stage.sign_and_send(keeper, Tick(0), Tick(HOURS))
    for friend in (0,) if seats == 2 else (2, 3):
        stage.sign_and_send(friend, SkipVote(blocking_duties(stage.state(friend), VICTIM)))
    stage.run_to_end()
    done = [one for one in stage.state().chronicle.vote_results if one.of == VICTIM]
    return stage.outcome("with half of the table, plays Ben's hand for him" if done else None)


LATE_WITH_HALF: Final = Attack(
    name="late-with-half",
    does="claims that hours have passed, with half of the table as its friends",
    numbers=("A39",),
    who="a coalition",
    law=with_own_claim(
        AttackMethod(
            "a timekeeper and half of a table that call an honest seat late",
            play=_play_late_with_half,
            if_unseen="cannot be seen",
        )
    ),
)


# --- held tick ---


def _play_held_tick(scene: Scene) -> AttackOutcome:
    """Hold back an honest tick that was sent during another seat's turn.

    The attack: a relay holds back a tick until a seat is asked, so that the seat's time seems to run from long before.
    """
    stage = AttackTable(scene, clock=LIMITS)
    keeper = len(stage.participants) - 1
    stage.run_until(awaits_move_of(0))
    early = stage[keeper].command(SendTick(0))
    stage.run_until(awaits_move_of(VICTIM))
    stage.held.add(VICTIM)
    stage.send(early)
    stage.run_to_end()
    stage.send(stage[keeper].command(SendTick(LIMITS.move + 1)))
    stage.run_to_end()
    clock = stage.state().clock
    late = clock is not None and bool(clock.late)
    return stage.outcome("makes Ben late although he was asked a moment ago" if late else None)


HELD_TICK: Final = Attack(
    name="held-tick",
    does="holds a tick back until it is a seat's turn",
    who="the relay",
    law=with_own_claim(
        AttackMethod(
            "a relay that holds back a tick to make a seat late",
            play=_play_held_tick,
            defence=(RemovedDefence("nodealer.engine.clock:Clock.apply_tick", " and one.since <= seen"),),
        )
    ),
)


# --- time back ---

FRIEND: Final = 1


def _play_time_back(scene: Scene) -> AttackOutcome:
    """Turn back the time after the friend has used most of it.

    The attack: a timekeeper turns back the time for a friend, so that the friend is never late.
    """
    stage = AttackTable(scene, clock=LIMITS)
    stage.run_until(awaits_move_of(FRIEND))
    keeper = len(stage.participants) - 1
    stage.sign_and_send(keeper, Tick(50_000), Tick(59_000), Tick(50_000))
    stage.held.add(FRIEND)
    stage.run_to_end()
    clock = stage.state().clock
    back = clock is not None and clock.last_tick == 50_000
    return stage.outcome("gives a friend used time back" if back else None)


TIME_BACK: Final = Attack(
    name="time-back",
    does="turns the time back for a friend",
    who="the timekeeper",
    law=with_own_claim(
        AttackMethod(
            "a timekeeper that turns back the time",
            play=_play_time_back,
            # The other half of the rule would still refuse it: a tick is at least a second after the last one.
            defence=(
                RemovedDefence(
                    "nodealer.engine.clock:Clock.find_tick_error",
                    "self.last_tick is None",
                    "self.last_tick is None or time < self.last_tick",
                ),
            ),
        )
    ),
)


# --- withhold ---


def _play_withhold(scene: Scene) -> AttackOutcome:
    """Let the others wait, and vote to go on without the seat when nothing comes.

    The attack: a seat withholds what it owes of the cards, so that no one can go on.
    """
    others = [seat for seat in range(scene.game.seats) if seat != scene.cheater]
    # At a table of two, one seat is half, which is enough with a timekeeper.
    stage = AttackTable(scene, clock=LIMITS if len(others) == 1 else None)
    stage.run_until(is_playing)
    stage.silent.add(scene.cheater)
    stage.run_to_end()
    if len(others) == 1:
        for time in (0, LIMITS.cards + 1):
            stage.send(stage[-1].command(SendTick(time)))
            stage.run_to_end()
    for seat in others:
        with suppress(IllegalMove):
            stage.send(stage[seat].command(VoteSkip(frozenset({scene.cheater}))))
    stage.run_to_end()
    stuck = stage.state().phase is Phase.PLAYING
    return stage.outcome("keeps the others waiting forever" if stuck else None)


#: More than half, or half if the seat is late.
_ENOUGH: Final = "if 2 * len(by) > len(said) or (pressing and 2 * len(pressing) == len(said)):"
WITHHOLD: Final = Attack(
    name="withhold",
    does="withholds its part of the cards",
    numbers=("A36", "A41"),
    law=with_own_claim(
        AttackMethod(
            "a seat that withholds what it owes, to stop the table",
            play=_play_withhold,
            defence=(
                RemovedDefence(
                    "nodealer.engine.votes:_decide",
                    _ENOUGH,
                    "if False:",
                ),
            ),
        )
    ),
)
