"""The squares modulo a safe prime: the group of SRA encryption, 2048 bits (RFC 3526, group 14).

p = 2q + 1 with q prime, so the squares have prime order q, 4 generates them, and −1 is not among them. Written
additively like every group here: `s * P` is P^s mod p. The arrays are those of the reference; what differs is how they
are multiplied. Secret exponents go through `secret_power`, all of one length, several threads side by side; the rest
of the arithmetic makes no promise about time.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Final

from nodealer.errors import BadParameter
from nodealer.group.api import Group, Points, Scalars
from nodealer.group.curve import Curve, Element, FixedBase
from nodealer.group.integers import BACKEND, big, invert, is_square, let_threads_run, lowest_bit, power, secret_power
from nodealer.group.reference import PointArray, ReferenceGroup, ScalarArray

#: 2^2048 − 2^1984 − 1 + 2^64·(⌊2^1918·π⌋ + 124476), from RFC 3526, section 3.
P: Final = big(
    int(
        "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74"
        "020BBEA63B139B22514A08798E3404DDEF9519B3CD3A431B302B0A6DF25F1437"
        "4FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED"
        "EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE45B3DC2007CB8A163BF05"
        "98DA48361C55D39A69163FA8FD24CF5F83655D23DCA3AD961C62F356208552BB"
        "9ED529077096966D670C354E4ABC9804F1746C08CA18217C32905E462E36CE3B"
        "E39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF695581718"
        "3995497CEA956AE515D2261898FA051015728E5A8AACAA68FFFFFFFFFFFFFFFF",
        16,
    )
)
ORDER: Final = (P - 1) // 2
SIZE: Final = 256
#: 128 bits more than p has: reduced, they show no bias.
WIDE: Final = SIZE + 16

#: Up to here an exponentiation for each term is faster than Straus.
STRAUS_FROM: Final = 3
WINDOW: Final = 6
#: A negative exponent this short is worth an inversion (10 µs) of its base.
SHORT: Final = 1 << 512


def _multiply(a: Element, b: Element) -> Element:
    return (a[0] * b[0] % P,)


def _square(a: Element) -> Element:
    return (a[0] * a[0] % P,)


def _invert(a: Element) -> Element:
    return (invert(a[0], P),)


def _encode(a: Element) -> bytes:
    return int(a[0]).to_bytes(SIZE, "big")


def _decode(data: bytes) -> Element | None:
    """A number in [1, p) that is a square. The caller refuses 1, which is the identity."""
    value = big(int.from_bytes(data, "big"))
    if not 0 < value < P or not is_square(value, P):
        return None
    return (value,)


def _from_uniform(data: bytes) -> Element:
    # Zero, one and minus one come out of 2,176 uniform bits with probability 2^-2046: never.
    value = big(int.from_bytes(data, "big"))
    return (value * value % P,)


SQUARES: Final = Curve(
    name="modp2048",
    order=ORDER,
    byteorder="big",
    scalar_size=SIZE,
    point_size=SIZE,
    wide_size=WIDE,
    uniform_size=WIDE,
    identity=(big(1),),
    generator=(big(4),),
    add=_multiply,
    double=_square,
    neg=_invert,
    equal=lambda a, b: a == b,
    encode=_encode,
    decode=_decode,
    from_uniform=_from_uniform,
)


# --- Secret exponents, on all cores ---


def threads() -> int:
    """What `NODEALER_THREADS` says, else the number of processors: the rule of the native core too."""
    asked = os.environ.get("NODEALER_THREADS")
    if not asked:
        return os.cpu_count() or 1
    if not (asked.isascii() and asked.isdigit() and int(asked) > 0):
        raise BadParameter("NODEALER_THREADS must be a whole number of at least 1")
    return int(asked)


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers, "modp", initializer=let_threads_run)


def _raised(pairs: Sequence[tuple[int, int]]) -> list[int]:
    """x^s for secret s. The order added gives every exponent the same length, and zero one that is allowed."""
    return [secret_power(x, s + ORDER, P) for s, x in pairs]


def raised(pairs: Sequence[tuple[int, int]]) -> list[int]:
    """x^s for each pair (s, x), in shares on all threads."""
    workers = min(threads(), len(pairs))
    if workers < 2:
        return _raised(pairs)
    shares = list(_pool(workers).map(_raised, [pairs[start::workers] for start in range(workers)]))
    return [shares[place % workers][place // workers] for place in range(len(pairs))]


# --- Public exponents ---


def straus(scalars: Sequence[int], values: Sequence[int]) -> int:
    """Π x^s for public values: one run of squarings for all, and for each a table of odd powers."""
    due: list[list[int]] = [[] for _ in range(ORDER.bit_length() + 1)]
    for s, x in zip(scalars, values, strict=True):
        if s + SHORT > ORDER:
            s, x = ORDER - s, invert(x, P)
        odd = _odd_powers(x, min(1 << (WINDOW - 1), max(1, s.bit_length() // 8)))
        for place, digit in _windows(s, len(odd).bit_length()):
            due[place].append(odd[digit >> 1])
    total = big(1)
    for factors in reversed(due):
        total = total * total % P
        for factor in factors:
            total = total * factor % P
    return total


def _odd_powers(x: int, count: int) -> list[int]:
    """x, x³, x⁵, … as many as the largest power of two up to `count`."""
    powers, square = [x], x * x % P
    for _ in range((1 << (count.bit_length() - 1)) - 1):
        powers.append(powers[-1] * square % P)
    return powers


def _windows(s: int, width: int) -> Iterator[tuple[int, int]]:
    """Sliding windows: (place, odd digit), lowest first. Digits are positive: an inverse costs five products."""
    place = 0
    while s:
        zeros = lowest_bit(s)
        s >>= zeros
        place += zeros
        digit = int(s & ((1 << width) - 1))
        yield place, digit
        s >>= width
        place += width


class ModpGroup(ReferenceGroup):
    """`api.Group` over the squares."""

    backend = BACKEND

    def table(self, point: Element) -> FixedBase | None:
        # A look-up by a secret digit takes time that depends on it.
        return None

    def scaled(
        self, table: FixedBase | None, scalars: tuple[int, ...], pairs: Callable[[], Iterator[tuple[int, Element]]]
    ) -> tuple[Element, ...]:
        return tuple((value,) for value in raised([(s, point[0]) for s, point in pairs()]))

    def msm(self, scalars: Scalars, points: Points, /) -> PointArray:
        left, right = self._terms(scalars, points)
        total = big(1)
        for value in raised(list(zip(left, right, strict=True))):
            total = total * value % P
        return PointArray(self, ((total,),))

    def combine(self, a: Scalars, p: Points, b: Scalars, q: Points, /) -> PointArray:
        return self.own(a, ScalarArray) * self.own(p, PointArray) + self.own(b, ScalarArray) * self.own(q, PointArray)

    def vartime_msm(self, scalars: Scalars, points: Points, /) -> PointArray:
        left, right = self._terms(scalars, points)
        if len(left) >= STRAUS_FROM:
            return PointArray(self, ((straus(left, right),),))
        total = big(1)
        for s, x in zip(left, right, strict=True):
            total = total * power(x, s, P) % P
        return PointArray(self, ((total,),))

    def _terms(self, scalars: Scalars, points: Points) -> tuple[tuple[int, ...], list[int]]:
        left, right = self.own(scalars, ScalarArray).values, self.own(points, PointArray).values
        if len(left) != len(right):
            raise BadParameter(f"arrays of {len(left)} and {len(right)} do not match")
        return left, [point[0] for point in right]


modp2048: Group = ModpGroup(SQUARES)
