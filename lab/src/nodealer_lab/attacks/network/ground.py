"""The last to open its nonce chooses it, so that the words that all compare come out as it wants.

A small form: one byte of the session's number is chosen, by one side. All bits of the words go the same way, each for
twice the work; and where a relay chooses at both tables that are to have the same words, for half of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from nodealer.log.session import FORMAT, FORMAT_VERSION, NONCE_BYTES, Session
from nodealer.play.floor import Floor
from nodealer.play.frames import Opening, sign_frame
from nodealer.play.participant import Participant
from nodealer.protocols.base import Cheat
from nodealer.tape import expand
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.network.lobbies import guest, parts_of, proposed
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import NAMES, Scene, home_of

#: The first byte of the session's number, as it is wanted: about 256 nonces are tried for it.
WANTED: Final = 0


def _plays(scene: Scene) -> Came:
    """What the cheater opens as the honest program would is kept back until the others have opened."""
    people = [guest(scene, home_of(scene, name)) for name in NAMES[:3]]
    cheater = people[-1]
    _run(people, [frame for one in people for frame in one.resend()])
    floor = cheater.lobby._floor
    _run(people, people[0].propose(proposed(scene, people[0], parts_of(scene))), keeps=cheater)
    _run(people, [next(_openings(cheater, floor))])
    ground = [one.session.id[0] == WANTED for one in people[:-1] if one.begun]
    return Came("never", gain="has the words of the table come out as it wants" if any(ground) else None)


def _run(people: list[Participant], frames: list[bytes], keeps: Participant | None = None) -> None:
    """Carry frames to all, until there are no more; `keeps` keeps its nonce back."""
    coming = list(frames)
    while coming:
        frame = coming.pop(0)
        for one in people:
            step = one.receive(frame)
            open_now = one is keeps and one.lobby._floor.all_committed
            coming += () if open_now else step.send


def _openings(cheater: Participant, floor: Floor) -> Iterator[bytes]:
    """The opening of a nonce with which the session's number begins as wanted."""
    proposal, proposed = floor.proposal, floor.proposed
    seat = cheater.lobby.seat
    if proposal is None or proposed is None or seat is None:
        return
    commitments = tuple(floor.commitments[one] for one in proposal.roster.seats)
    tried = 0
    while True:
        nonce = expand("ground", tried, size=NONCE_BYTES)
        nonces = tuple({**floor.nonces, seat: nonce}[one] for one in proposal.roster.seats)
        if Session(FORMAT, FORMAT_VERSION, proposal, commitments, nonces).id[0] == WANTED:
            yield sign_frame(cheater.home.identity, cheater.lobby.table, Opening(proposed.digest, seat, nonce))
        tried += 1


CLAIM: Final = Cheat("a session nonce that is chosen when the others are known", "never", False)
GROUND: Final = Attack(
    name="ground",
    does="chooses its session nonce when it knows the others'",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            defence=(
                Without(
                    "nodealer.play.floor:Floor._open",
                    "nonce_commitment(self.proposal, frame.seat, frame.nonce) != self.commitments[frame.seat]",
                    "False",
                ),
                Without(
                    "nodealer.log.session:open_session",
                    "nonce_commitment(proposal, seat, nonces[seat]) != commitments[seat]",
                    "False",
                ),
            ),
        ),
        CLAIM,
    ),
    tried_on=("mask", "lock", "offset", "chain"),
)
