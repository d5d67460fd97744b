"""Somebody leaves, and the last to join the rebuild takes its key from the others': what they hold is put under a key
that it knows."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nodealer.group import Scalars, concat
from nodealer.proofs.transcript import draw_scalars
from nodealer.protocols.codec import read_message
from nodealer.protocols.mask.deck import MaskDeck
from nodealer.protocols.mask.messages import MaskJoin
from nodealer.protocols.mask.rebuild import Declaring
from nodealer.tape import Tape
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.operations.free import free_stage, hand, lies
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.secrets.knowledge import KNOWLEDGE_PROOF

LEAVES: Final = 1
VICTIM: Final = 0


def _joint(deck: MaskDeck, tape: Tape) -> Scalars:
    """The secret that the joint key is to have."""
    return draw_scalars(tape, "rogue", b"", deck.binding.group, 1)


def _mask(moment: Moment) -> bytes:
    said, deck = read_message(MaskJoin, moment.honest), moment.deck
    others = concat(*deck.stage.said.values()).sum()
    rogue = _joint(deck, moment.tape) * deck.binding.group.G - others
    return encode(replace(said, key=rogue.to_bytes()))


def _plays(scene: Scene) -> Came:
    """What the victim declares is in the log, under the joint key."""
    stage = free_stage(ROGUE_JOIN, scene, each=1)
    true = set(hand(stage, VICTIM).values())
    tape = stage[scene.cheater].seat._tape(0)
    stage.say(stage[LEAVES].leave())
    stage.end()
    gain = None
    for state in stage.states():
        for deck in state.hand.decks.values():
            if isinstance(deck, MaskDeck) and isinstance(deck.stage, Declaring) and VICTIM in deck.stage.said:
                declared = deck.stage.said[VICTIM]
                faces = deck.faces.find(declared.msg - _joint(deck, tape) * declared.epk)
                gain = "reads Ada's card" if set(faces) == true else gain
    return stage.came(gain, lies(stage, scene.cheater))


ROGUE_JOIN: Final = Attack(
    name="rogue-join",
    does="takes its key from the others', when a deck is rebuilt",
    of=("A25",),
    ways={
        "mask": (
            Way(
                "a key chosen to cancel the others, or copied",
                {"join": _mask},
                late=("join",),
                plays=_plays,
                defence=(KNOWLEDGE_PROOF,),
            ),
        ),
    },
)
