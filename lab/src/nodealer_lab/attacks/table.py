"""Attacks on the rules of the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nodealer.cheats import throw_out, two_things
from nodealer.engine.bodies import Without as SkipVote
from nodealer.engine.replica import Replica
from nodealer.engine.state import TableState
from nodealer.engine.store import MemoryPlayerStore
from nodealer.keys import KEY_BYTES, Identity
from nodealer.log.entry import read_entry
from nodealer.tape import hand_tape
from nodealer_lab.attacks.base import Attack, AttackMethod, attack_from_cheat, with_own_claim
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.scene import PlayedGame, Scene, new_player
from nodealer_lab.attacks.stage import AttackTable, awaits_move_of, blocking_duties
from nodealer_lab.attacks.truth import find_skipped_seat

# --- two things ---

#: Tells a second entry with the same number from a repetition of the first.
_NUMBERS: Final = RemovedDefence(
    "nodealer.engine.replica:Replica._handle_reused_number",
    "if arrival.signed == read_entry(earlier).signed:",
    "if True:",
)


def _find_two_histories(played: PlayedGame) -> str | None:
    """Find two players whose logs have both entries with one number, but in different orders.

    Return the gain as a phrase, or None if there is none. No seat is named, and one player sees a seat that stays where
    the other sees one that left.

    The attack: a seat signs two entries with the same number, so that it can later claim to have sent either.
    """
    log = [data for data in played.log if data not in played.lies]
    for lie in played.lies:
        it = read_entry(lie).entry
        own = [(entry.seat, entry.seq) for entry in (read_entry(data).entry for data in log)]
        at = own.index((it.seat, it.seq))
        views = [_state_after(played, [*log[:at], *both]) for both in ((log[at], lie), (lie, log[at]))]
        if all(state.fault is None for state in views) and len({it.seat in state.gone for state in views}) > 1:
            return "has signed that it stays and that it left, and can show either"
    return None


def _state_after(played: PlayedGame, log: Sequence[bytes]) -> TableState:
    """Return the state of the table after these entries."""
    replica = Replica(played.config, entropy=bytes)
    for data in log:
        replica.append(data)
    return replica.state


TWO_THINGS: Final = attack_from_cheat(
    two_things.TWO_THINGS, {"defence": (_NUMBERS,), "find_gain": _find_two_histories}, numbers=("A42",)
)


# --- throw out ---
#
# A seat votes to skip all others as soon as they owe anything.

#: A vote needs more than half of the voters.
_MAJORITY: Final = RemovedDefence("nodealer.engine.votes:_decide", "2 * len(by) > len(said)", "by")
THROW_OUT: Final = attack_from_cheat(
    throw_out.THROW_OUT, {"defence": (_MAJORITY,), "find_gain": find_skipped_seat}, numbers=("A39",)
)


# --- two seats ---

VICTIM: Final = 0
#: The seats of that person.
SEATS: Final = (1, 2)


def _play_two_seats(scene: Scene) -> AttackOutcome:
    """Seat one person twice: both stores have the same root. To the others they are two strangers who agree.

    The attack: one person takes two seats, under two names and with two keys. They have two hands, and more than half
    of the votes.
    """
    person = new_player(scene, scene.names[SEATS[0]])
    twin = MemoryPlayerStore(scene.names[SEATS[1]], Identity(scene.entropy(KEY_BYTES)), person.root)
    stage = AttackTable(scene, stores=dict(zip(SEATS, (person, twin), strict=True)))
    stage.run_until(awaits_move_of(VICTIM))
    state = stage.state()
    deck, session = state.hand.decks[0], stage[VICTIM].session.id
    tapes = {seat: hand_tape(person.root, session=session, seat=seat, hand=state.hand.number) for seat in SEATS}
    held = {seat: len(deck.places.hand(seat)) for seat in SEATS}
    reads = all(len(deck.knows(seat, tape)) == held[seat] > 0 for seat, tape in tapes.items())
    owed = blocking_duties(state, VICTIM)
    for seat in SEATS:
        stage.sign_and_send(seat, SkipVote(owed))
    stage.run_to_end()
    done = any(one.of == VICTIM and one.by == SEATS for one in stage.state().chronicle.vote_results)
    gain = "holds two of three hands, and plays the third for Ada with two votes"
    return stage.outcome(gain if reads and done else None)


TWO_SEATS: Final = Attack(
    name="two-seats",
    does="sits down twice, under two names",
    numbers=("A50",),
    law=with_own_claim(AttackMethod("one person in two seats", play=_play_two_seats, if_unseen="cannot be seen")),
    tried_on=("mask", "lock", "offset", "chain"),
)


ATTACKS: Final = (
    TWO_THINGS,
    THROW_OUT,
    TWO_SEATS,
)
