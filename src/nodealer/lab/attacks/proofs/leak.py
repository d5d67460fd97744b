"""Who reads a proof would like to know the order: the opened numbers are the cards' own, but for what hides them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from nodealer.lab.attacks.base import Attack, Scheme, Way
from nodealer.lab.attacks.defence import Without
from nodealer.lab.attacks.scene import Played, watched
from nodealer.lab.attacks.truth import Dealt, dealt
from nodealer.proofs import shuffle
from nodealer.proofs.transcript import Transcript
from nodealer.protocols.base import Cheat


def _orders(played: Played) -> Iterator[tuple[tuple[int, int], list[int] | None]]:
    """Hand and deck of every shuffle, and its permutation, if every opened number is that of a card times the
    challenge. The log is read as everybody reads it; what a verifier opens of each proof is looked at beside it."""
    seen: list[shuffle._Opened] = []
    opens = shuffle._open

    def listening(transcript: Transcript, relation: shuffle.Relation, proof: bytes) -> shuffle._Opened:
        seen.append(opens(transcript, relation, proof))
        return seen[-1]

    shuffle._open = listening
    try:
        for one in played.said():
            yield from (((one.duty.binding.hand, one.deck.number), _order(opened)) for opened in seen)
            seen.clear()
    finally:
        shuffle._open = opens


def _order(opened: shuffle._Opened) -> list[int] | None:
    numbers = opened.x.invert() * opened.d_hat
    known = {opened.D[place].to_bytes(): place for place in range(len(numbers))}
    found = [known.get(numbers[place].to_bytes()) for place in range(len(numbers))]
    return None if None in found else [place for place in found if place is not None]


def _read(played: Played) -> str | None:
    """All orders after each other are the places of all faces. What honest seats hold is held against it."""
    orders: dict[tuple[int, int], list[list[int]]] = defaultdict(list)
    for deck, order in _orders(played):
        if order is not None:
            orders[deck].append(order)
    known = {}
    for one in dealt(played):
        mine = orders[one.hand, one.deck.number][: len(one.deck.binding.players)]
        if len(mine) < len(one.deck.binding.players) or (one.hand, one.deck.number) in known:
            continue
        hidden = {card.position: face for seat in played.honest for card, face in one.hidden(seat).items()}
        faces = _faces(one, mine)
        known[one.hand, one.deck.number] = bool(hidden) and all(faces[at] == face for at, face in hidden.items())
    return "reads every card of the deck" if any(known.values()) else None


def _faces(one: Dealt, orders: list[list[int]]) -> list[int]:
    """Which face lies where. In pairs it is the deals that are shuffled, and their places are the faces."""
    found = list(range(len(orders[0])))
    for order in orders:
        found = [found[place] for place in order]
    return [found.index(place) for place in range(len(found))] if one.deck.binding.protocol == "offset" else found


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
)
