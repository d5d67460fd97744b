"""Somebody says two true words on its hidden cards. With one secret for both, a product of one of its cards in the
first is that of a face in the second, and whoever reads the log knows the card."""

from __future__ import annotations

from typing import Final

from nodealer.games.free.rules import ProveCards
from nodealer.proofs.encoding import encodings
from nodealer.protocols.base import Cheat
from nodealer.protocols.codec import read_message
from nodealer.protocols.proving import EXCLUDE, Exclude
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.operations.free import CARDS, free_stage, hand
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.scene import Scene, said_in

VICTIM: Final = 0


def _plays(scene: Scene) -> Came:
    """Each of its two cards is none of half of the faces, among which is the other one."""
    stage = free_stage(None, scene)
    held = hand(stage, VICTIM)
    rest = [face for face in range(CARDS) if face not in held.values()]
    for position, face in held.items():
        others = (*(other for other in held.values() if other != face), *rest[: CARDS // 2 - 1])
        stage.asks(VICTIM, ProveCards(0, (position,), tuple(sorted(others))))
    replica = stage[1].replica
    read: set[int] = set()
    cards: set[bytes] = set()
    for one in said_in(replica.config, replica.entries):
        if one.duty.kind == EXCLUDE:
            said, group = read_message(Exclude, one.message), one.deck.binding.group
            claim = one.deck.stage._claim(VICTIM)
            faces = dict(zip(encodings(group.points(said.faces)), claim.faces, strict=True))
            read |= {faces[card] for card in cards if card in faces}
            cards |= set(encodings(group.points(said.cards)))
    return stage.came("reads Ada's card" if read and read <= set(held.values()) else None)


CLAIM: Final = Cheat("a card of one word on hidden cards, read from the faces of another", "never", False)
TWO_WORDS: Final = Attack(
    name="two-words",
    does="reads a card of one word on hidden cards from the faces of another",
    of=("A29",),
    who="a reader of the log",
    law=Scheme(
        Way(
            CLAIM.cheat,
            plays=_plays,
            # The secret hangs on the whole statement.
            defence=(
                Without(
                    "nodealer.proofs.exclusion:prove",
                    'transcript.nonces(tape, "y", group, 1)',
                    'group.wide_scalars(tape.draw("y", b"", size=group.wide_size))',
                ),
            ),
        ),
        CLAIM,
    ),
    tried_on=("mask", "lock"),
)
