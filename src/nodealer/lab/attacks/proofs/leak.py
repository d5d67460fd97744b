"""Who reads a proof would like to know the order: the opened numbers are the cards' own, but for what hides them."""

from __future__ import annotations

from typing import Final

from nodealer.lab.attacks.base import Attack, Scheme, Way
from nodealer.lab.attacks.defence import Without
from nodealer.lab.attacks.scene import Played, Said, watched
from nodealer.lab.attacks.truth import dealt, whole
from nodealer.proofs import shuffle
from nodealer.proofs.relations import OneScalar
from nodealer.protocols.base import Cheat
from nodealer.protocols.codec import read_message
from nodealer.protocols.lock.messages import Cascade


def _order(one: Said) -> list[int] | None:
    """The permutation of a cascade, if every opened number is that of a card times the challenge."""
    deck, said = one.deck, read_message(Cascade, one.message)
    group, before = deck.binding.group, deck.stage.cards
    relation = OneScalar(group.points(said.key), before, group.points(said.cards))
    opened = shuffle._open(deck.transcript(one.duty, deck.epoch), relation, said.proof)
    numbers = opened.x.invert() * opened.d_hat
    known = {opened.D[place].to_bytes(): place for place in range(len(before))}
    found = [known.get(numbers[place].to_bytes()) for place in range(len(before))]
    return None if None in found else [place for place in found if place is not None]


def _read(played: Played) -> str | None:
    """All orders after each other are the places of all faces."""
    faces: dict[int, list[int]] = {}
    for one in played.said():
        if one.duty.kind == "cascade":
            order = _order(one)
            if order is None:
                return None
            before = faces.get(one.duty.binding.hand, list(range(one.deck.size)))
            faces[one.duty.binding.hand] = [before[place] for place in order]
    if any(whole(one, played) == faces.get(one.hand) for one in dealt(played)):
        return "reads every card of the deck"
    return None


#: What hides the opened numbers.
_HIDDEN: Final = Without(
    "nodealer.proofs.shuffle:prove",
    'e = transcript.nonces(tape, "e", group, m)',
    "e = group.integers([0] * m)",
)
CLAIM: Final = Cheat("the order of a shuffle, read from its proof", "never", False)

LEAK: Final = Attack(
    name="leak",
    does="reads the order of the cards from the proofs of the shuffles",
    of=("A12",),
    who="a reader of the log",
    law=Scheme(Way(CLAIM.cheat, plays=watched(_read), defence=(_HIDDEN,)), CLAIM),
    tried_on=("lock",),
)
