"""Attacks by votes: to skip a seat, to abort a hand, or to change the roster."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from nodealer.cards.operations import NewDeck, Operation
from nodealer.engine.bodies import Agree, Break, Cards, Propose, read_body
from nodealer.engine.bodies import Without as SkipVote
from nodealer.engine.commands import VoteSkip
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.rosters import proposal_id
from nodealer.engine.state import TableState
from nodealer.errors import IllegalMove
from nodealer.games.base import Game
from nodealer.keys import KEY_BYTES, Identity
from nodealer.log.entry import read_entry
from nodealer.log.roster import Roster, member_of
from nodealer_lab.attacks import defence
from nodealer_lab.attacks.base import Attack, AttackMethod, with_own_claim
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import AttackTable, awaits_move_of, blocking_duties, is_playing
from nodealer_lab.sim.highcard import HighCard, HighHand

# --- another seat ---

ANOTHER_SEAT_VICTIM: Final = 0


def _first_duty_of_victim(state: TableState) -> bytes | None:
    """Return the id of the first message about cards that the victim owes in the second hand, or None."""
    owed = state.duties.of_seat(ANOTHER_SEAT_VICTIM).items() if state.hand.number == 1 else ()
    return next((id for id, known in owed if known.duty.deck is not None), None)


def _play_another_seat(scene: Scene) -> AttackOutcome:
    """Answer with what the victim itself signed in the previous hand, which is false in this one.

    The attack: a seat answers a duty of another one, so that the other is blamed for the answer.
    """
    stage = AttackTable(scene, hands=2)
    stage.run_until(lambda state: state.hand.number == 1)
    stage.run_until(lambda state: state.phase is Phase.BETWEEN and ANOTHER_SEAT_VICTIM in state.hand.commitments)
    # The victim is slower than the cheater.
    stage.held.add(ANOTHER_SEAT_VICTIM)
    stage.run_until(lambda state: _first_duty_of_victim(state) is not None)
    replica = stage[scene.cheater].replica
    owed = _first_duty_of_victim(replica.state)
    entries = (read_entry(data).entry for data in replica.entries)
    bodies = (read_body(bytes(entry.body)) for entry in entries if entry.seat == ANOTHER_SEAT_VICTIM)
    lies = [
        stage.sign_and_send(scene.cheater, Cards(owed, body.message))[0]
        for body in [body for body in bodies if isinstance(body, Cards)][:1]
        if owed is not None
    ]
    stage.run_to_end()
    stage.release_held()
    stage.run_to_end()
    fault = stage.state(1).fault
    named = fault is not None and fault.seat == ANOTHER_SEAT_VICTIM
    return stage.outcome("gets Ada blamed for something she never sent" if named else None, lies, seat=1)


ANOTHER_SEAT: Final = Attack(
    name="another-seat",
    does="answers a duty of another seat",
    numbers=("A33",),
    law=with_own_claim(
        AttackMethod(
            "an answer to another seat's duty",
            play=_play_another_seat,
            defence=(
                RemovedDefence(
                    "nodealer.engine.transitions:_find_duty",
                    "known is None or known.duty.seat != origin.seat:",
                    "known is None:",
                ),
            ),
        )
    ),
)


# --- break alone ---


def _play_break_alone(scene: Scene) -> AttackOutcome:
    """Vote as soon as another seat is to move and the cheater has seen its own card.

    The attack: a player who is about to lose votes alone to abort the hand.
    """
    stage = AttackTable(scene)
    stage.run_until(awaits_move_of(1))
    stage.sign_and_send(scene.cheater, Break(blocking_duties(stage.state(), 1)[0]))
    stage.run_to_end()
    void = any(record.void for record in stage.state().chronicle.records)
    return stage.outcome("gets a hand voided that it may lose" if void else None)


BREAK_ALONE: Final = Attack(
    name="break-alone",
    does="tries to abort a hand that it may lose",
    numbers=("A36",),
    law=with_own_claim(
        AttackMethod(
            "fewer than half of the voters who want to abort a hand",
            play=_play_break_alone,
            defence=(RemovedDefence("nodealer.engine.votes:_decide", "2 * len(breaking) >= len(said)", "True"),),
        )
    ),
    tried_on=("mask", "lock", "offset", "chain"),
)


# --- burst ---

BURST_VICTIM: Final = 0


def _do_all_owe(state: TableState) -> bool:
    """Return whether all seats owe a message about cards at once."""
    owed = (known.duty for known in state.duties.open.values() if known.is_blocking)
    return {duty.seat for duty in owed if duty.deck is not None} == {0, 1, 2}


class _SlowParticipant(Participant):
    """A participant that does not answer while all seats owe something."""

    def outgoing(self) -> list[bytes]:
        """Return nothing while all seats owe something."""
        return [] if self.has_session and _do_all_owe(self.replica.state) else super().outgoing()


def _play_burst(scene: Scene) -> AttackOutcome:
    """Vote while the victim's answer is on its way, and answer when the votes are in the log.

    The attack: two of three seats owe as much as the third, and vote it out before it can answer.
    """
    stage = AttackTable(scene, makers={1: _SlowParticipant, 2: _SlowParticipant})
    stage.hold_when = lambda state: {BURST_VICTIM} if _do_all_owe(state) else ()
    stage.run_until(_do_all_owe)
    for friend in (1, 2):
        stage.sign_and_send(friend, SkipVote(blocking_duties(stage.state(friend), BURST_VICTIM)))
    stage.release_held()
    stage.run_to_end()
    done = stage.state(1).chronicle.vote_results
    return stage.outcome("votes Ada out although she was no later than the voters" if done else None, seat=1)


BURST: Final = Attack(
    name="burst",
    does="votes with a friend to skip a seat while both owe as much themselves",
    numbers=("A39",),
    who="a coalition",
    law=with_own_claim(
        AttackMethod(
            "seats that owe cards themselves and vote to skip another",
            play=_play_burst,
            defence=(defence.RemovedDefence("nodealer.engine.votes:can_vote", " and not owes"),),
        )
    ),
    tried_on=("mask", "lock", "offset", "chain"),
    # Only if the dealer makes the decks do all seats owe something at once: a coin.
    law_modes={"chain": b'{"deck":"dealer"}'},
)


# --- half ---

HALF_VICTIM: Final = 1


def _play_half(scene: Scene) -> AttackOutcome:
    """Have two of four seats vote to skip a third.

    The attack: two of four seats vote to skip a third, to have its hand folded or its seat taken.
    """
    stage = AttackTable(scene, seats=4)
    stage.run_until(awaits_move_of(HALF_VICTIM))
    owed = blocking_duties(stage.state(), HALF_VICTIM)
    for friend in (2, 3):
        stage.sign_and_send(friend, SkipVote(owed))
    stage.run_to_end()
    done = [one for one in stage.state().chronicle.vote_results if one.of == HALF_VICTIM]
    return stage.outcome("plays Ben's hand for him" if done else None)


HALF: Final = Attack(
    name="half",
    does="votes with a friend, as half of the table, to skip a seat",
    numbers=("A39",),
    who="a coalition",
    law=with_own_claim(
        AttackMethod(
            "half of the table voting to skip a seat, without a timekeeper",
            play=_play_half,
            defence=(
                defence.RemovedDefence(
                    "nodealer.engine.votes:_decide", "2 * len(by) > len(said)", "2 * len(by) >= len(said)"
                ),
            ),
        )
    ),
    tried_on=("mask", "lock", "offset", "chain"),
)


# --- more than half ---

MORE_THAN_HALF_VICTIM: Final = 0


def _play_more_than_half(scene: Scene) -> AttackOutcome:
    """Have two of three seats vote to skip the third.

    The attack: two of three seats vote out the third whenever it owes something. The log shows the votes, and nothing
    prevents it.
    """
    stage = AttackTable(scene)
    stage.run_until(awaits_move_of(MORE_THAN_HALF_VICTIM))
    owed = blocking_duties(stage.state(), MORE_THAN_HALF_VICTIM)
    for friend in (1, 2):
        stage.sign_and_send(friend, SkipVote(owed))
    stage.run_to_end()
    done = [one for one in stage.state().chronicle.vote_results if one.of == MORE_THAN_HALF_VICTIM and one.by == (1, 2)]
    return stage.outcome("plays Ada's hand for her, and the log shows who voted" if done else None)


MORE_THAN_HALF: Final = Attack(
    name="more-than-half",
    does="votes to skip an honest seat, with more than half of the table",
    numbers=("A39",),
    who="a coalition",
    law=with_own_claim(
        AttackMethod(
            "more than half of a table voting to skip an honest seat",
            play=_play_more_than_half,
            if_unseen="cannot be seen",
        )
    ),
    tried_on=("mask", "lock", "offset", "chain"),
)


# --- puppet ---

PUPPET_VICTIM: Final = 0


def _play_puppet(scene: Scene) -> AttackOutcome:
    """Propose and accept a roster with a stranger at the victim's number.

    The attack: two of three seats give the number of the third to a stranger, who has its chips from then on.
    """
    stage = AttackTable(scene, hands=2)
    stage.run_until(is_playing)
    state = stage.state()
    puppet = member_of(Identity(scene.entropy(KEY_BYTES)), PUPPET_VICTIM, "Dov")
    roster = Roster((puppet, *(one for one in state.roster.members if one.seat != PUPPET_VICTIM)))
    stage.sign_and_send(scene.cheater, Propose(roster, ()))
    stage.run_until(lambda state: bool(state.proposed))
    stage.sign_and_send(1, Agree(proposal_id(roster, scene.cheater, state.hand.number)))
    stage.run_to_end()
    took = stage.state(1).roster.member(PUPPET_VICTIM).name != "Ada"
    return stage.outcome("gives Ada's number and chips to a stranger" if took else None, seat=1)


PUPPET: Final = Attack(
    name="puppet",
    does="seats a stranger at another seat's number, with more than half of the table",
    numbers=("A44",),
    who="a coalition",
    law=with_own_claim(
        AttackMethod(
            "a stranger at another seat's number",
            play=_play_puppet,
            defence=(
                RemovedDefence(
                    "nodealer.engine.rosters:_refuse_changed_identity",
                    "member != state.all_members[member.seat]",
                    "False",
                ),
            ),
        )
    ),
    tried_on=("mask", "lock", "offset"),
)


# --- roster alone ---

ROSTER_ALONE_VICTIM: Final = 0


def _play_roster_alone(scene: Scene) -> AttackOutcome:
    """Propose a roster without the victim, to which no one else agrees.

    The attack: one seat alone proposes a roster without another one, and plays on with it.
    """
    stage = AttackTable(scene, hands=2)
    stage.run_until(is_playing)
    members = stage.state().roster.members
    stage.sign_and_send(
        scene.cheater, Propose(Roster(tuple(one for one in members if one.seat != ROSTER_ALONE_VICTIM)), ())
    )
    stage.run_to_end()
    out = ROSTER_ALONE_VICTIM not in stage.state(1).roster.seats
    return stage.outcome("alone, takes Ada's seat away" if out else None, seat=1)


ROSTER_ALONE: Final = Attack(
    name="roster-alone",
    does="proposes a table without another seat",
    numbers=("A39",),
    law=with_own_claim(
        AttackMethod(
            "one seat alone that changes the roster",
            play=_play_roster_alone,
            defence=(
                RemovedDefence("nodealer.engine.rosters:adopt_agreed_roster", "len(agreed) >= 2 and enough", "agreed"),
            ),
        )
    ),
    tried_on=("mask", "lock", "offset", "chain"),
)


# --- starved ---


@dataclass(frozen=True)
class _TwoDecksHand(HighHand):
    """A hand of the small game with two decks."""

    def _dealing(self) -> tuple[Operation, ...]:
        """Return the usual operations, and one that makes the second deck."""
        return NewDeck(1, self.cards), *super()._dealing()


class _TwoDecks(HighCard):
    """The small game with a second, unused deck. Both are made at once."""

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> HighHand:
        """Begin a hand with two decks."""
        return _TwoDecksHand(**vars(super().begin(hand, seats, before, chips)))


def _play_starved(scene: Scene) -> AttackOutcome:
    """Let all wait for both messages of the cheater.

    One of the others votes to skip both. Then one message arrives, and the last of the others votes about the missing
    one.

    The attack: a seat that owes two messages sends one of them, so that the votes about the other are forgotten.
    """
    stage = AttackTable(scene, rules=_TwoDecks())
    stage.hold_when = lambda state: {scene.cheater} if is_playing(state) else ()
    stage.run_to_end()
    stage.sign_and_send(1, SkipVote(blocking_duties(stage.state(), scene.cheater)))
    stage.run_to_end()
    first_message, _ = stage.take_held()
    stage.send([first_message])
    # A seat that owes cards itself cannot vote, so all others send theirs first.
    stage.run_to_end()
    stage.sign_and_send(2, SkipVote(blocking_duties(stage.state(), scene.cheater)))
    stage.run_to_end()
    waits = stage.state().phase is Phase.PLAYING and scene.cheater not in stage.state().gone
    return stage.outcome("keeps the others waiting by sending a message now and then" if waits else None, seat=1)


STARVED: Final = Attack(
    name="starved",
    does="meets one of two duties, so that the votes about the other are forgotten",
    numbers=("A41",),
    law=with_own_claim(
        AttackMethod(
            "a seat that meets one of two duties so that the votes about the other are forgotten",
            play=_play_starved,
            seat=0,
            # Votes about a duty become void when that duty closes, and only then.
            defence=(
                defence.RemovedDefence(
                    "nodealer.engine.transitions:_apply_cards",
                    "state.with_hand(messages",
                    "state.with_hand(skip_votes={one: frozenset(id for id in of if state.duties.open[id].duty.seat "
                    "!= origin.seat) for one, of in state.hand.skip_votes.items()}, messages",
                ),
            ),
        )
    ),
    # In a duel one vote is half of the table, so no second vote is needed.
    tried_on=("mask", "lock", "offset", "chain"),
)


# --- stall ---

FRIENDS: Final = (3, 4)


def _play_stall(scene: Scene) -> AttackOutcome:
    """Let the others vote to skip the silent seats whenever they wait for one.

    The attack: two of five seats fall silent so that no one can go on, and neither votes to skip the other.
    """
    stage = AttackTable(scene, seats=5)
    stage.run_until(is_playing)
    stage.silent.update(FRIENDS)
    for friend in FRIENDS:
        stage.run_to_end()
        for seat in range(3):
            with suppress(IllegalMove):
                stage.send(stage[seat].command(VoteSkip(frozenset({friend}))))
    stage.run_to_end()
    stuck = stage.state().phase is Phase.PLAYING
    return stage.outcome("with a friend, keeps the others waiting forever" if stuck else None)


STALL: Final = Attack(
    name="stall",
    does="withholds what it owes, with a friend who does the same",
    numbers=("A41",),
    who="a coalition",
    law=with_own_claim(
        AttackMethod(
            "fewer than half of the seats that withhold what they owe, to stop the table",
            play=_play_stall,
            # More than half of the voters are enough. It does not take all who are not named.
            defence=(
                RemovedDefence("nodealer.engine.votes:_decide", "2 * len(by) > len(said)", "len(by) >= len(said) - 1"),
            ),
        )
    ),
    tried_on=("mask", "lock", "offset", "chain"),
)
