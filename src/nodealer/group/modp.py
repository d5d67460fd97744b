"""The squares modulo a safe prime: the group of SRA encryption, 2048 bits (RFC 3526, group 14).

p = 2q + 1 with q prime, so the squares have prime order q, 4 generates them, and −1 is not among them. Like every group
here it is written additively: `s * P` is P^s mod p. The arrays are those of the reference; only the multiplication
differs. Secret exponents all have the same length and go through `secret_power`, on several threads in parallel. The
rest of the arithmetic makes no promise about timing.
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
#: 128 bits more than p has, so that the bias after reduction is negligible.
WIDE: Final = SIZE + 16

#: Below this many terms, one exponentiation per term is faster than Straus's method.
STRAUS_FROM: Final = 3
WINDOW: Final = 6
#: If the negative of an exponent is shorter than this, inverting the base (10 µs) pays off.
SHORT: Final = 1 << 512


def _multiply(a: Element, b: Element) -> Element:
    """Multiply two squares: the group operation, which the interface calls addition."""
    return (a[0] * b[0] % P,)


def _square(a: Element) -> Element:
    """Square an element, which the interface calls doubling."""
    return (a[0] * a[0] % P,)


def _invert(a: Element) -> Element:
    """Invert an element, which the interface calls negation."""
    return (invert(a[0], P),)


def _encode(a: Element) -> bytes:
    """Encode an element as a big-endian integer of fixed size."""
    return int(a[0]).to_bytes(SIZE, "big")


# defence: residue
def _decode(data: bytes) -> Element | None:
    """Decode a square in [1, p); return None for anything else. The caller must refuse 1, which is the identity."""
    value = big(int.from_bytes(data, "big"))
    if not 0 < value < P or not is_square(value, P):
        return None
    return (value,)


def _from_uniform(data: bytes) -> Element:
    """Map uniform bytes to an element by squaring them as an integer."""
    # 2,176 uniform bits give zero, one or minus one with probability 2^-2046: never.
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


def thread_count() -> int:
    """Return `NODEALER_THREADS` if it is set, otherwise the number of processors, like the native core."""
    requested = os.environ.get("NODEALER_THREADS")
    if not requested:
        return os.cpu_count() or 1
    if not (requested.isascii() and requested.isdigit() and int(requested) > 0):
        raise BadParameter("NODEALER_THREADS must be a whole number of at least 1")
    return int(requested)


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    """Return the thread pool with this many workers, creating it on first use."""
    return ThreadPoolExecutor(workers, "modp", initializer=let_threads_run)


def _secret_powers(pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Return x^s for each pair (s, x), s secret.

    Adding the order gives every exponent the same length, and makes zero a positive exponent, which it must be.
    """
    return [secret_power(x, s + ORDER, P) for s, x in pairs]


def secret_powers_in_parallel(pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Return x^s for each pair (s, x), s secret, with the work divided among all threads."""
    workers = min(thread_count(), len(pairs))
    if workers < 2:
        return _secret_powers(pairs)
    shares = list(_pool(workers).map(_secret_powers, [pairs[start::workers] for start in range(workers)]))
    return [shares[place % workers][place // workers] for place in range(len(pairs))]


# --- Public exponents ---


def straus(scalars: Sequence[int], values: Sequence[int]) -> int:
    """Return Π x^s for public values: a table of odd powers for each, and one series of squarings for all."""
    due: list[list[int]] = [[] for _ in range(ORDER.bit_length() + 1)]
    for s, x in zip(scalars, values, strict=True):
        if s + SHORT > ORDER:
            s, x = ORDER - s, invert(x, P)
        odd = _odd_powers(x, min(1 << (WINDOW - 1), max(1, s.bit_length() // 8)))
        for place, digit in _sliding_windows(s, len(odd).bit_length()):
            due[place].append(odd[digit >> 1])
    total = big(1)
    for factors in reversed(due):
        total = total * total % P
        for factor in factors:
            total = total * factor % P
    return total


def _odd_powers(x: int, count: int) -> list[int]:
    """Return x, x³, x⁵, …: as many as the largest power of two that is at most `count`."""
    powers, square = [x], x * x % P
    for _ in range((1 << (count.bit_length() - 1)) - 1):
        powers.append(powers[-1] * square % P)
    return powers


def _sliding_windows(s: int, width: int) -> Iterator[tuple[int, int]]:
    """Yield sliding windows as (bit position, odd digit), lowest first.

    Digits are positive, because an inverse costs as much as five products.
    """
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
    """`api.Group` for the squares modulo p."""

    backend = BACKEND

    def build_table(self, point: Element) -> FixedBase | None:
        """Return None: this group uses no tables, which would leak secrets through timing."""
        # A table lookup by a secret digit would take time that depends on it.
        return None

    def multiply_pairs(
        self, table: FixedBase | None, scalars: tuple[int, ...], pairs: Callable[[], Iterator[tuple[int, Element]]]
    ) -> tuple[Element, ...]:
        """Multiply scalars with points pair by pair, on several threads. There is never a table."""
        return tuple((value,) for value in secret_powers_in_parallel([(s, point[0]) for s, point in pairs()]))

    def msm(self, scalars: Scalars, points: Points, /) -> PointArray:
        """Return Σ scalars[i]·points[i], with one secret power for each term. The lengths must be equal."""
        left, right = self._terms(scalars, points)
        total = big(1)
        for value in secret_powers_in_parallel(list(zip(left, right, strict=True))):
            total = total * value % P
        return PointArray(self, ((total,),))

    def combine(self, a: Scalars, p: Points, b: Scalars, q: Points, /) -> PointArray:
        """Return a·p + b·q, elementwise and broadcast, as two separate products."""
        return self.require_own(a, ScalarArray) * self.require_own(p, PointArray) + self.require_own(
            b, ScalarArray
        ) * self.require_own(q, PointArray)

    def vartime_msm(self, scalars: Scalars, points: Points, /) -> PointArray:
        """Return the same as `msm` for public values, with the method that is faster for this many terms."""
        left, right = self._terms(scalars, points)
        if len(left) >= STRAUS_FROM:
            return PointArray(self, ((straus(left, right),),))
        total = big(1)
        for s, x in zip(left, right, strict=True):
            total = total * power(x, s, P) % P
        return PointArray(self, ((total,),))

    def _terms(self, scalars: Scalars, points: Points) -> tuple[tuple[int, ...], list[int]]:
        """Return the values of both arrays. Raise `BadParameter` if their lengths differ."""
        left, right = self.require_own(scalars, ScalarArray).values, self.require_own(points, PointArray).values
        if len(left) != len(right):
            raise BadParameter(f"arrays of {len(left)} and {len(right)} do not match")
        return left, [point[0] for point in right]


modp2048: Group = ModpGroup(SQUARES)
