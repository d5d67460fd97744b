"""A short demonstration of the core: three people shuffle a deck that none of them can read, and open one card."""

from __future__ import annotations

import os
from time import perf_counter

from nodealer.group import Points, Scalars, group, hash_to_points
from nodealer.proofs import shuffle
from nodealer.proofs.checks import Check, settle
from nodealer.proofs.relations import Pairs
from nodealer.proofs.transcript import Context, draw_scalars
from nodealer.tape import Tape

NAMES = ("Ann", "Ben", "Cleo")
FACES = tuple(rank + suit for suit in "♣♦♥♠" for rank in "23456789TJQKA")
Deck = tuple[Points, Points]


def main() -> None:
    """Shuffle, verify, open."""
    g = group()
    tapes = [Tape(os.urandom(32)) for _ in NAMES]
    secrets = [draw_scalars(tape, "key", b"", g, 1) for tape in tapes]
    K = sum_of([secret * g.G for secret in secrets])
    faces = hash_to_points(g, b"nodealer/demo/faces", [face.encode() for face in FACES])
    print(f"\n{', '.join(NAMES)} and {len(FACES)} cards; a key each, and the deck masked under all three.")

    # The first mask is the same for all cards and no secret: everybody can check where the deck starts.
    deck, owed = (g.identity(len(FACES)) + g.G, faces + K), list[Check]()
    for seat, (name, tape) in enumerate(zip(NAMES, tapes, strict=True)):
        start = perf_counter()
        deck, check, size = shuffled(seat, tape, K, deck)
        owed.append(check)
        print(f"  {name} shuffles, re-masks and proves it: {since(start)}, a proof of {size:,} bytes")
    start = perf_counter()
    settle(owed, os.urandom)
    print(f"  everybody verifies the three shuffles as one sum: {since(start)}")

    U, W = deck
    shares = sum_of([secret * U[0] for secret in secrets])
    opened = (W[0] - shares).to_bytes()
    position = [faces[i].to_bytes() for i in range(len(FACES))].index(opened)
    print(f"  all three give their part of the top card, and it is the {FACES[position]}.\n")


def shuffled(seat: int, tape: Tape, K: Points, deck: Deck) -> tuple[Deck, Check, int]:
    """One person's shuffle with its proof, and what the others have to check."""
    U, W = deck
    context = Context("demo", 0, bytes(32), bytes(32), 0, 0, 0, "shuffle", seat)
    order = tape.permutation("order", b"", len(U))
    rho: Scalars = draw_scalars(tape, "masks", b"", K.group, len(U))
    after = U.take(order) + rho * K.group.G, W.take(order) + rho * K
    relation = Pairs(K, U, W, *after)
    proof = shuffle.prove(context.transcript(), tape, relation, order, lambda b: b.dot(rho))
    return after, shuffle.check(context.transcript(), relation, proof), len(proof)


def sum_of(points: list[Points]) -> Points:
    """The sum of single points."""
    first, *rest = points
    return first.concat(rest).sum()


def since(start: float) -> str:
    """The time since then, for people."""
    return f"{1000 * (perf_counter() - start):.1f} ms"


if __name__ == "__main__":
    main()
