"""One person sits down twice, under two names and with two keys: it has two hands, and more than half of the words."""

from __future__ import annotations

from typing import Final

from nodealer.drive.local import KEY_BYTES
from nodealer.keys import Identity
from nodealer.play.bodies import Without
from nodealer.play.home import MemoryHome
from nodealer.protocols.base import Cheat
from nodealer.tape import hand_tape
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene, home_of
from nodealer_lab.attacks.stage import Stage, owed_by, to_move

VICTIM: Final = 0
#: What one person sits at.
SEATS: Final = (1, 2)


def _plays(scene: Scene) -> Came:
    """Both have one root of secrets, on one machine. To the others they are two strangers who agree with each other."""
    person = home_of(scene, scene.names[SEATS[0]])
    twin = MemoryHome(scene.names[SEATS[1]], Identity(scene.entropy(KEY_BYTES)), person.root)
    stage = Stage(scene, homes=dict(zip(SEATS, (person, twin), strict=True)))
    stage.until(to_move(VICTIM))
    state = stage.state()
    deck, session = state.hand.decks[0], stage[VICTIM].session.id
    tapes = {seat: hand_tape(person.root, session=session, seat=seat, hand=state.hand.number) for seat in SEATS}
    held = {seat: len(deck.places.hand(seat)) for seat in SEATS}
    reads = all(len(deck.knows(seat, tape)) == held[seat] > 0 for seat, tape in tapes.items())
    owed = owed_by(state, VICTIM)
    for seat in SEATS:
        stage.says(seat, Without(owed))
    stage.end()
    done = any(one.of == VICTIM and one.by == SEATS for one in stage.state().chronicle.statements)
    gain = "holds two of three hands, and with both votes plays the third for Ada"
    return stage.came(gain if reads and done else None)


CLAIM: Final = Cheat("one person in two seats", "never", False)
TWO_SEATS: Final = Attack(
    name="two-seats",
    does="sits down twice, under two names",
    of=("A50",),
    law=Scheme(Way(CLAIM.cheat, plays=_plays, unseen="cannot be seen"), CLAIM),
    tried_on=("mask", "lock", "offset", "chain"),
)
