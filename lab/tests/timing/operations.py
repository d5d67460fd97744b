"""Everything that is computed with a secret, and two controls: one that leaks, and one that cannot.

A secret is 64 uniform bytes; the fixed one is what an implementation is most likely to be quick with. Long secrets are
for sums: one scalar in eight places.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from nodealer.group import Group, Order, group
from nodealer.group.order import WORD, _fisher_yates, draw_order, iterate_words
from nodealer.keys import Identity
from nodealer.tape import Tape
from timing.dudect import Operation

#: Cards of a deck; and points of a sum.
DECK: Final = 52
SUM: Final = 8
WIDE: Final = 64
#: Mostly zero: where leading zeros, or digits that are zero, save something, it shows.
ONE: Final = (1).to_bytes(WIDE, "little")


def drawn(size: int) -> Callable[[Tape, int], bytes]:
    return lambda tape, index: tape.draw("a secret of the second class", b"", size=size, index=index)


def arithmetic(name: str) -> Iterator[Operation]:
    """The core's, on one group."""
    on = group(name, backend="native")
    points = on.map_to_points(bytes(range(on.uniform_size)) * SUM)
    P, T, G = points[0], points[0].tabled(), on.G
    one, many = partial(_scalars, on, 1), partial(_scalars, on, SUM)
    few: tuple[tuple[str, Callable[[bytes], Any], Callable[[Any], object]], ...] = (
        ("a product with a point", one, lambda s: s * P),
        ("a product with a table", one, lambda s: s * T),
        ("a product with the generator", one, lambda s: s * G),
        ("a sum of 8 products", many, lambda s: on.msm(s, points)),
        ("a sum of two products", one, lambda s: on.combine(s, P, s, G)),
        ("8 products at once", many, lambda s: s * points),
        ("8 products with encodings", many, lambda s: on.products(s, points)),
        ("two sums of 8 products at once", many, lambda s: on.msm_each([(s, points), (s, points)])),
        ("an inverse", one, lambda s: s.invert()),
        ("halves of scalars", many, lambda s: s.half()),
        ("a sum of scalars", many, lambda s: s.sum()),
        ("a difference of scalars", many, lambda s: -s - s),
        ("whether scalars are equal", many, lambda s: s == s[:]),
        ("a product of scalars", many, lambda s: s * s),
        ("a dot product", many, lambda s: s.dot(s)),
        ("a running product", many, lambda s: s.cumprod()),
        ("the encoding of scalars", many, lambda s: s.to_bytes()),
    )
    for what, prepare, run in few:
        yield Operation(f"{name}: {what}", prepare, run, ONE * SUM, drawn(WIDE * SUM))
    deck, numbers = on.map_to_points(bytes(range(on.uniform_size)) * DECK), on.integers(range(DECK))
    deck.to_bytes()
    bare = numbers * on.G
    # All the highest words that count leave every card where it is; and one order that comes again and again.
    for how, fixed in (("stays", staying(DECK)), ("was drawn once", hashlib.shake_256(b"drawn").digest(WORD * DECK))):
        for what, array in (("points", bare), ("points with encodings", deck), ("scalars", numbers)):
            named = f"{name}: {what} taken in an order that {how}"
            yield Operation(named, _order, array.take, fixed, drawn(WORD * DECK))
    wide = on.wide_size
    yield Operation(
        f"{name}: scalars from bytes", lambda s: s[: wide * SUM], on.wide_scalars, bytes(WIDE * SUM), drawn(WIDE * SUM)
    )
    fixed = (hashlib.sha512(b"a point").digest() * 2)[: on.uniform_size]
    yield Operation(
        f"{name}: a point from bytes",
        lambda s: s[: on.uniform_size],
        on.map_to_points,
        fixed,
        drawn(2 * WIDE),
    )


def _scalars(on: Group, count: int, secret: bytes) -> Any:
    return on.wide_scalars(secret[: on.wide_size * count])


def _order(words: bytes) -> Order:
    return draw_order(DECK, lambda index: words)


def _listed(words: bytes) -> list[int]:
    return _fisher_yates(DECK, iterate_words(lambda index: words, DECK))


def powers() -> Iterator[Operation]:
    """The group of `chain`: a secret power; and for control one by the function for public exponents."""
    on = group("modp2048")
    P = on.map_to_points(hashlib.shake_256(b"a number").digest(on.uniform_size))
    size, one = on.wide_size, partial(_scalars, on, 1)
    fixed = (1).to_bytes(size, "little")
    yield Operation("modp2048: a secret power", one, lambda s: s * P, fixed, drawn(size), rare=10)
    yield Operation(
        "control: a power in variable time", one, lambda s: on.vartime_msm(s, P), fixed, drawn(size), True, rare=10
    )


def own() -> Iterator[Operation]:
    """What is made of seeds: signatures, agreements, derived bytes and orders."""
    from nodealer.keys import agree, seal

    public = Identity(bytes(32)).box
    yield Operation(
        "a signature", lambda s: Identity(s[:32]).sign, lambda sign: sign(b"a message"), bytes(WIDE), drawn(WIDE)
    )
    yield Operation("an identity from its seed", lambda s: s[:32], Identity, bytes(WIDE), drawn(WIDE))
    yield Operation("an agreement", lambda s: s[:32], lambda s: agree(s, public), ONE, drawn(WIDE))
    yield Operation("sealing", lambda s: s[:32], lambda s: seal(s, b"", bytes(64)), bytes(WIDE), drawn(WIDE))
    inputs = bytes(range(32))
    yield Operation(
        "the tape: derived bytes",
        lambda s: Tape(s[:32]),
        lambda t: t.draw("label", inputs, size=64),
        bytes(WIDE),
        drawn(WIDE),
    )
    yield Operation(
        "the tape: an order of 52 cards",
        lambda s: Tape(s[:32]),
        lambda t: t.permutation("label", inputs, DECK),
        bytes(WIDE),
        drawn(WIDE),
    )
    core = words_in_core()
    # All zeros: every card is exchanged with the first. All the highest that count: with itself.
    yield Operation("the core: an order, all from the front", bytes, core, bytes(WORD * DECK), drawn(WORD * DECK))
    yield Operation("the core: an order that stays", bytes, core, staying(DECK), drawn(WORD * DECK))
    yield Operation("the core: an order turned round", _order, lambda o: o.inverse(), staying(DECK), drawn(WORD * DECK))
    # What secret orders would be without a kind of their own: a list, read by Python and by plain indexing.
    on = group("ristretto255", backend="native")
    deck = on.integers(range(1, DECK + 1)) * on.G
    fixed, named = hashlib.shake_256(b"drawn").digest(WORD * DECK), "not promised: points taken by a public list"
    yield Operation(named, _listed, deck.take, fixed, drawn(WORD * DECK), promised=False)


def words_in_core() -> Callable[[bytes], object]:
    from nodealer.group import native

    return native.load().Order.drawn  # type: ignore[no-any-return]


def staying(count: int) -> bytes:
    """Words that leave every card where it is."""
    return b"".join(place.to_bytes(WORD, "little") for place in range(count - 1, -1, -1))


def controls() -> Iterator[Operation]:
    """Known to leak: the sum for public values, which skips zeros; and an order by Python's own loop. Known not to: a
    hash of so many bytes."""
    on = group("ristretto255", backend="native")
    P = on.map_to_points(bytes(range(on.uniform_size)))
    yield Operation(
        "control: a product in variable time",
        partial(_scalars, on, 1),
        lambda s: on.vartime_msm(s, P),
        ONE,
        drawn(WIDE),
        True,
    )
    yield Operation(
        "control: an order by Python's loop",
        bytes,
        _listed,
        staying(DECK),
        drawn(WORD * DECK),
        True,
    )
    yield Operation("control: a hash", bytes, lambda s: hashlib.sha512(s).digest(), bytes(WIDE), drawn(WIDE), False)


def operations() -> list[Operation]:
    """All of them, the controls first."""
    return [*controls(), *arithmetic("ristretto255"), *arithmetic("secp256k1"), *powers(), *own()]
