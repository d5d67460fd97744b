"""A seat shuffles as it should, with a proof that belongs to another hand, to another deck or to another session: such
as one that it has made before, or was given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from nodealer.errors import BadParameter
from nodealer.group.order import order_of
from nodealer.log.entry import read_entry
from nodealer.play.bodies import Cards, read_body
from nodealer.proofs import shuffle
from nodealer.protocols.base import Cheat
from nodealer.tape import SEED_BYTES, Tape
from nodealer_lab.attacks.base import Attack, Forge, Moment, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.proofs.steps import shuffle_of
from nodealer_lab.attacks.scene import Played, Scene, judged, tried

#: The same deck, as if it lay somewhere else.
ELSEWHERE: Final[dict[str, Callable[[Any], Any]]] = {
    "another hand": lambda deck: deck.at(binding=replace(deck.binding, hand=deck.binding.hand + 1)),
    "another deck": lambda deck: deck.at(number=deck.number + 1),
    "another session": lambda deck: deck.at(binding=replace(deck.binding, session=bytes(32))),
}


def _forged(moved: Callable[[Any], Any]) -> Forge:
    def forge(moment: Moment) -> bytes:
        step = shuffle_of(moment)
        if step is None:
            return moment.honest
        cards, there = step.after(), step.transcript(moved(moment.deck))
        # With a tape of its own: it is not the proof that it would make here.
        other, order = Tape(bytes(SEED_BYTES)), order_of(step.order)
        return step.message(cards, shuffle.prove(there, other, step.relation(cards), order, step.secrets))

    return forge


def _taken(played: Played, where: str) -> str | None:
    bodies = [read_body(bytes(read_entry(data).entry.body)) for data in played.lies]
    lies = {bytes(body.message) for body in bodies if isinstance(body, Cards)}
    false = any(one.message in lies for one in played.said())
    return f"has a proof of {where} count" if false else None


def _plays(scene: Scene) -> Came:
    """Each in a game of its own."""
    came = []
    for where, moved in ELSEWHERE.items():
        forge = _forged(moved)
        way = replace(_WAY, forge={"shuffle": forge, "cascade": forge}, plays=None)
        played = tried(replace(FROM_ELSEWHERE, law=Scheme(way, CLAIM)), replace(scene, hands=1))
        came.append(judged(played, _taken(played, where)))
    return _all_alike(came)


def _all_alike(came: Sequence[Came]) -> Came:
    """All three have to come to the same, with the defence and without."""
    first, *others = came
    if any(
        (one.seen, one.culprit, one.gain is None) != (first.seen, first.culprit, first.gain is None) for one in others
    ):
        raise BadParameter(f"another hand, deck and session do not come to the same: {came}")
    return first


CLAIM: Final = Cheat("a message of another hand, deck or session", "at once", True)
_WAY: Final = Way(
    CLAIM.cheat,
    # The context of a proof says where it belongs, and stands in every challenge.
    defence=(
        Without(
            "nodealer.proofs.transcript:Context.transcript",
            "self.session,\n        self.roster,\n        self.hand,\n        self.deck,",
            'b"", self.roster, 0, 0,',
        ),
    ),
    plays=_plays,
)
FROM_ELSEWHERE: Final = Attack(
    name="from-elsewhere",
    does="shuffles with a proof that belongs to another hand, deck or session",
    of=("A43",),
    law=Scheme(_WAY, CLAIM),
)
