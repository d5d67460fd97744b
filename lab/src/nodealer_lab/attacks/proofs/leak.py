"""Who reads a proof would like to know the order: the opened numbers are the cards' own, their products and the secrets
of the step, but for what hides them. What hides them may be nothing, or something that everybody can guess."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import permutations, product
from typing import Final

from nodealer.group import Points, Scalars
from nodealer.proofs import shuffle
from nodealer.proofs.encoding import encodings
from nodealer.proofs.relations import AddMask, OneOffset, OneScalar
from nodealer.proofs.transcript import Transcript
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks.base import Attack, Scheme, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.scene import Played, watched
from nodealer_lab.attacks.truth import Dealt, dealt

#: What a nonce may be that is none.
GUESSES: Final = (0, 1, 2)
#: For every card, the place where it was before.
Order = list[int]


def _orders(played: Played) -> Iterator[tuple[tuple[int, int], list[Order]]]:
    """Hand and deck of every shuffle, and what its order may be, if its proof shows that. The log is read as everybody
    reads it; what a verifier opens of each proof is looked at beside it."""
    seen: list[tuple[shuffle.Relation, shuffle._Opened]] = []
    #: The sum of the keys that a deck of pairs is under, as far as proofs have shown them.
    under: dict[tuple[int, int], Scalars] = {}
    opens = shuffle._open

    def listening(transcript: Transcript, relation: shuffle.Relation, proof: bytes) -> shuffle._Opened:
        seen.append((relation, opens(transcript, relation, proof)))
        return seen[-1][1]

    shuffle._open = listening
    try:
        for one in played.said():
            for relation, opened in seen:
                deck = one.duty.binding.hand, one.deck.number
                yield deck, _opened(opened) or _followed(relation, opened, deck, under)
            seen.clear()
    finally:
        shuffle._open = opens


def _opened(o: shuffle._Opened) -> list[Order]:
    """If every opened number is that of a card times the challenge; or every running product is."""
    for guess in GUESSES:
        less = o.x.group.integers([guess])
        if orders := _in(o.x.invert() * (o.d_hat - less), o.D) or _multiplied(o.x.invert() * (o.p_hat - less), o.D):
            return orders
    return []


def _in(numbers: Scalars, known: Scalars) -> list[Order]:
    """The places of all these numbers among the known ones."""
    index = {known[place].to_bytes(): place for place in range(len(known))}
    places = [index.get(numbers[place].to_bytes()) for place in range(len(numbers))]
    return [] if None in places else [[place for place in places if place is not None]]


def _multiplied(products: Scalars, known: Scalars) -> list[Order]:
    """The quotients of running products are the numbers, but for the first and the last product, which say nothing:
    the first two may have changed their places."""
    if len(products) < 4 or (inner := products[1:-1]).first_zero() is not None:
        return []
    for places in _in(inner[1:] * inner[:-1].invert(), known):
        left = {*range(len(known))} - {*places}
        three = permutations(left) if len(left) == 3 else ()
        return [[a, b, *places, c] for a, b, c in three if known[a] * known[b] == inner[0]]
    return []


def _followed(
    relation: shuffle.Relation, o: shuffle._Opened, deck: tuple[int, int], under: dict[tuple[int, int], Scalars]
) -> list[Order]:
    """By the secrets of the step, if these are what was answered without a nonce: with them everybody makes the step
    once more, and sees which card comes where."""
    none = o.x.group.integers([0])
    for guess in GUESSES:
        secrets = o.x.invert() * (o.secret_hats - o.x.group.integers([guess]))
        match relation:
            case OneScalar() if secrets * o.x.group.G == relation.S:
                return _same(secrets * relation.inputs, relation.outputs)
            case OneOffset() if secrets[0] * o.x.group.G == relation.R:
                return _same(secrets[0] * relation.B, relation.B_out)
            case AddMask() if secrets[1] * o.x.group.G == relation.S:
                before = under.get(deck, none)
                under[deck] = after = before + secrets[1]
                return _same(relation.W - before * relation.U, relation.W_out - after * relation.U_out)
            case _:
                continue
    return []


def _same(before: Points, after: Points) -> list[Order]:
    """Where each card was before."""
    index = {code: place for place, code in enumerate(encodings(before))}
    found = [index.get(code) for code in encodings(after)]
    return [] if None in found else [[place for place in found if place is not None]]


def _read(played: Played) -> str | None:
    """All orders after each other are the places of all faces. What honest seats hold is held against it."""
    orders: dict[tuple[int, int], list[list[Order]]] = defaultdict(list)
    for deck, some in _orders(played):
        if some:
            orders[deck].append(some)
    known = dict[tuple[int, int], int]()
    for one in dealt(played):
        deck, players = (one.hand, one.deck.number), len(one.deck.binding.players)
        hidden = {card.position: face for seat in played.honest for card, face in one.hidden(seat).items()}
        if deck in known or not hidden or len(orders[deck]) < players:
            continue
        every = [faces_of(one, list(these)) for these in product(*orders[deck][:players])]
        right = any(all(faces[at] == face for at, face in hidden.items()) for faces in every)
        known[deck] = len(every) if right else 0
    few = min(filter(None, known.values()), default=None)
    if few is None:
        return None
    return "reads every card of the deck" if few == 1 else f"knows that the deck is in one of {few} orders"


def faces_of(one: Dealt, orders: list[Order]) -> list[int]:
    """Which face lies where. In pairs it is the deals that are shuffled, and their places are the faces."""
    found = list(range(len(orders[0])))
    for order in orders:
        found = [found[place] for place in order]
    return [found.index(place) for place in range(len(found))] if one.deck.binding.protocol == "offset" else found


#: What hides the opened numbers, their products, and the secrets of the step.
_NUMBERS: Final = Without(
    "nodealer.proofs.shuffle:prove",
    'e = transcript.nonces(tape, "e", group, m)',
    "e = group.integers([0] * m)",
)
_PRODUCTS: Final = Without(
    "nodealer.proofs.shuffle:prove",
    'transcript.nonces(tape, "delta", group, m - 2)',
    "group.integers([0] * (m - 2))",
)
#: One and not zero: the point that zero makes is refused.
_SECRETS: Final = Without(
    "nodealer.proofs.shuffle:prove",
    'k = transcript.nonces(tape, "k", group, relation.secrets)',
    "k = group.integers([1] * relation.secrets)",
)
CLAIM: Final = Cheat("the order of a shuffle, read from its proof", "never", False)

LEAK: Final = Attack(
    name="leak",
    does="reads the order of the cards from the proofs of the shuffles",
    of=("A12",),
    who="a reader of the log",
    law=Scheme(Way(CLAIM.cheat, plays=watched(_read), defence=(_NUMBERS,)), CLAIM),
    stands_in={"lock": (_SECRETS,), "offset": (_SECRETS,), "chain": (_PRODUCTS,)},
)
