"""A seat passes on a deck that it can read again, with a false proof, and hopes that the next one shuffles it before it
looks at the proof."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from nodealer.errors import NodealerError
from nodealer.lab.attacks.base import Attack, Moment, Way
from nodealer.lab.attacks.cheater import Cheater
from nodealer.lab.attacks.defence import Without
from nodealer.lab.attacks.encodings.multiples import order_of
from nodealer.lab.attacks.outcome import Came
from nodealer.lab.attacks.proofs.steps import shuffle_of
from nodealer.lab.attacks.scene import Scene, judged, played_out, sit
from nodealer.log.entry import read_entry
from nodealer.play.bodies import Cards, read_body
from nodealer.play.happened import Step
from nodealer.protocols.chain.messages import ChainShuffle
from nodealer.protocols.codec import read_message
from nodealer.protocols.lock.messages import Cascade


class Listener(Cheater):
    """Keeps all that it hears, also what will be no part of the log."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self.heard: list[bytes] = []
        super().__init__(*arguments, **named)

    def receive(self, frame: bytes, number: int | None = None) -> Step:
        """The next frame."""
        self.heard.append(frame)
        return super().receive(frame, number)


#: The message of a shuffle, by protocol.
_SAID: Final[Mapping[str, type[Cascade] | type[ChainShuffle]]] = {"lock": Cascade, "chain": ChainShuffle}


def _known(moment: Moment) -> bytes:
    """P, 2·P, 3·P, …: what comes back is some number times these, in the next one's order."""
    step = shuffle_of(moment)
    if step is None:
        return moment.honest
    known = step.after(lambda cards: step.group.integers(range(1, step.size + 1)) * cards[0])
    return step.message(known, read_message(_SAID[moment.deck.binding.protocol], moment.honest).proof)


def _plays(scene: Scene) -> Came:
    table, homes = sit(scene, {scene.cheater: partial(Listener, attack=EARLY)})
    played = played_out(scene, table, homes)
    cheater, victim = table.participants[scene.cheater], scene.cheater + 1
    heard = cheater.heard if isinstance(cheater, Listener) else []
    reads = any(_order_is_read(frame, victim, scene) for frame in heard)
    return judged(played, f"reads the order in which {scene.names[victim]} shuffled" if reads else None)


def _order_is_read(frame: bytes, victim: int, scene: Scene) -> bool:
    try:
        entry = read_entry(frame).entry
        body = read_body(bytes(entry.body))
        if entry.seat != victim or not isinstance(body, Cards):
            return False
        said = read_message(_SAID[scene.protocol.claims.name], bytes(body.message))
        cards = scene.protocol.group.points(said.cards if isinstance(said, Cascade) else said.numbers)
    except NodealerError:
        # No entry, or one about something else.
        return False
    return order_of(cards) is not None


#: Nothing leaves a seat on a log that it has not verified: entries are looked at as they come, or all together when
#: the seat has something to say, and once more where it says it.
_VERIFIED: Final = (
    Without("nodealer.play.participant:Participant._settle", "replica.eager, replica.begin = True,", "replica.begin ="),
    Without("nodealer.play.together:Together.take", "replica.eager = replica.rewinds = True", "replica.rewinds = True"),
    Without("nodealer.play.together:Together.hold", "replica.settle()", "pass"),
    Without("nodealer.play.participant:Participant.due", "replica.settle()", "pass"),
    Without("nodealer.play.seat:Seat.due", "self.replica.settle()", "pass"),
)

EARLY: Final = Attack(
    name="early",
    does="passes on a deck that it can read again, for who shuffles before looking at the proof",
    ways={
        "lock": (
            Way(
                "a card doubled, replaced or marked in the cascade",
                {"cascade": _known},
                plays=_plays,
                defence=_VERIFIED,
                seat=1,
            ),
        ),
        "chain": (
            Way(
                "a number doubled, dropped or foreign in a shuffle",
                {"shuffle": _known},
                plays=_plays,
                defence=_VERIFIED,
                seat=1,
                seen="at once",
            ),
        ),
    },
)
