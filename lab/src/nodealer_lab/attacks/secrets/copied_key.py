"""A seat publishes another seat's keys as its own, with the proof that the other has made."""

from __future__ import annotations

from typing import Final

from msgspec import Raw
from msgspec.structs import replace

from nodealer.log.entry import read_entry
from nodealer.play.bodies import Cards, read_body
from nodealer.play.participant import Participant
from nodealer.protocols.base import Cheat
from nodealer.protocols.codec import read_message
from nodealer.protocols.offset.deck import OffsetDeck
from nodealer.protocols.offset.messages import RespondDealParts
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import Stage

VICTIM: Final = 1
STEP: Final = "respondDealParts"


class _Copies(Participant):
    """Waits for the victim's keys, and says them once more."""

    lies: tuple[bytes, ...] = ()

    def due(self) -> list[bytes]:
        if not self.seated or self.over:
            return super().due()
        mine = self.replica.state.duties.of(self.seat.number).values()
        duty = next((known.duty for known in mine if known.duty.kind == STEP), None)
        if duty is None or self.lies:
            return super().due()
        bodies = (read_body(bytes(read_entry(data).entry.body)) for data in self.replica.entries[-2:])
        said = [bytes(body.message) for body in bodies if isinstance(body, Cards)]
        if not said or b'"respondDealParts"' not in said[-1]:
            return []
        copied = replace(read_message(RespondDealParts, said[-1]), playerId=self.seat.number + 1)
        self.lies = (self.seat._send(Cards(duty.id, Raw(encode(copied)))),)
        return list(self.lies)


def _plays(scene: Scene) -> Came:
    stage = Stage(scene, makers={scene.cheater: _Copies})
    stage.end()
    one = stage[scene.cheater]
    lies = one.lies if isinstance(one, _Copies) else ()
    decks = (deck for state in stage.states() for deck in state.hand.decks.values() if isinstance(deck, OffsetDeck))
    took = any(deck.start is not None and deck.parts[scene.cheater] == deck.parts[VICTIM] for deck in decks)
    return stage.came("takes part with keys that it has no secret of" if took else None, lies)


CLAIM: Final = Cheat("the keys and the proof of another seat", "at once", True)
COPIED_KEY: Final = Attack(
    name="copied-key",
    does="publishes another seat's keys, with the other's proof",
    of=("A26",),
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            # The seat is not in the challenge.
            defence=(
                Without(
                    "nodealer.protocols.base:Binding.context",
                    "deck, epoch, step, seat, anchor)",
                    "deck, epoch, step, 0, anchor)",
                ),
            ),
        ),
        CLAIM,
    ),
    tried_on=("offset",),
)
