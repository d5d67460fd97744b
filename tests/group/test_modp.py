"""The squares modulo the prime of RFC 3526's group 14: encodings, laws, and against plain integers."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import gmpy2  # type: ignore[import-untyped]
import pytest

from nodealer.errors import BadParameter, DecodeError
from nodealer.group import Group, Scalars, group, hash_to_points, msm, vartime_msm
from nodealer.group.modp import ORDER, SIZE, P, straus, thread_count

pytestmark = pytest.mark.sample

p, q = int(P), int(ORDER)


@pytest.fixture(scope="module")
def squares() -> Group:
    return group("modp2048")


def drawn(label: str, size: int) -> bytes:
    return hashlib.shake_256(label.encode()).digest(size)


def scalars(squares: Group, label: str, count: int) -> Scalars:
    return squares.wide_scalars(drawn(label, squares.wide_size * count))


def number(value: int) -> bytes:
    return value.to_bytes(SIZE, "big")


def numbers(data: bytes) -> list[int]:
    return [int.from_bytes(data[at : at + SIZE], "big") for at in range(0, len(data), SIZE)]


def test_the_prime() -> None:
    """2^2048 − 2^1984 − 1 + 2^64·(⌊2^1918·π⌋ + 124476), safe; 4 generates the squares, −1 is none."""
    with gmpy2.context(gmpy2.get_context(), precision=4096) as context:
        context.round = gmpy2.RoundDown
        pi = int(gmpy2.floor(gmpy2.const_pi() * 2**1918))
    assert p == 2**2048 - 2**1984 - 1 + 2**64 * (pi + 124476)
    assert gmpy2.is_prime(p) and gmpy2.is_prime(q) and p == 2 * q + 1
    assert pow(4, q, p) == 1 and pow(-1, q, p) != 1


def test_the_handle(squares: Group) -> None:
    assert group("modp2048") is group("modp2048", "reference") is squares
    assert (squares.name, squares.backend, squares.order) == ("modp2048", "gmpy2", q)
    assert (squares.scalar_size, squares.point_size, squares.wide_size) == (256, 256, 272)
    assert squares.G.to_bytes() == number(4)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (0, "canonical"),
        (1, "identity"),
        (p - 1, "canonical"),
        (p, "canonical"),
        (p + 4, "canonical"),
        (2**2048 - 1, "canonical"),
        (p - 4, "canonical"),
    ],
)
def test_numbers_that_are_no_elements(squares: Group, value: int, why: str) -> None:
    with pytest.raises(DecodeError, match=why) as caught:
        squares.points(number(4) + number(value))
    assert caught.value.index == 1


def test_half_of_all_numbers_are_squares(squares: Group) -> None:
    good = 0
    for value in range(2, 102):
        try:
            squares.points(number(value))
            good += 1
            assert gmpy2.powmod(value, q, p) == 1
        except DecodeError:
            assert gmpy2.powmod(value, q, p) == p - 1
    assert 30 < good < 70


@pytest.mark.parametrize("data", [b"", number(4)[1:], number(4) + b"\0", number(4).lstrip(b"\0")])
def test_wrong_lengths(squares: Group, data: bytes) -> None:
    with pytest.raises(DecodeError):
        squares.points(data)
    with pytest.raises(DecodeError):
        squares.scalars(data)


def test_scalars_are_canonical(squares: Group) -> None:
    assert squares.scalars(number(0) + number(q - 1)).to_bytes() == number(0) + number(q - 1)
    for value in (q, q + 1, 2**2048 - 1):
        with pytest.raises(DecodeError, match="canonical scalar"):
            squares.scalars(number(value))
    wide = drawn("wide", 272)
    assert squares.wide_scalars(wide).to_bytes() == number(int.from_bytes(wide, "little") % q)


def test_arithmetic_against_plain_integers(squares: Group) -> None:
    a, P3 = scalars(squares, "a", 3), squares.map_to_points(drawn("points", 3 * 272))
    exponents, values = numbers(a.to_bytes()), numbers(P3.to_bytes())
    assert numbers((a * P3).to_bytes()) == [pow(x, s, p) for s, x in zip(exponents, values, strict=True)]
    assert numbers((a[0] * P3).to_bytes()) == [pow(x, exponents[0], p) for x in values]
    assert numbers((a * squares.G).to_bytes()) == [pow(4, s, p) for s in exponents]
    assert numbers((P3 + P3[0]).to_bytes()) == [x * values[0] % p for x in values]
    assert numbers((-P3).to_bytes()) == [pow(x, -1, p) for x in values]
    product = values[0] * values[1] * values[2] % p
    assert numbers(P3.sum().to_bytes()) == [product]
    assert squares.combine(a, P3, a[1], P3[2]) == a * P3 + a[1] * P3[2]
    assert (a.invert() * (a * P3)) == P3


def test_zero_and_the_identity(squares: Group) -> None:
    zero, one = squares.integers([0]), squares.identity(1)
    assert zero * squares.G == one and one == (squares.G - squares.G) and one.first_identity() == 0
    assert msm(squares.integers([0, 1]), squares.identity(2)) == one
    assert scalars(squares, "s", 1) * one == one


@pytest.mark.parametrize("count", [1, 2, 3, 7, 40])
def test_sums_of_products(squares: Group, count: int) -> None:
    a, points = scalars(squares, "m", count), squares.map_to_points(drawn("q", count * 272))
    assert msm(a, points) == vartime_msm(a, points) == (a * points).sum()


def test_straus_with_short_and_negative_exponents() -> None:
    values = [pow(4, 7 + i, p) for i in range(8)]
    exponents = [0, 1, 2, q - 1, q - 2, 2**128 - 3, q - 2**128, 2**511 + 1]
    expected = 1
    for s, x in zip(exponents, values, strict=True):
        expected = expected * pow(x, s, p) % p
    assert straus([gmpy2.mpz(s) for s in exponents], [gmpy2.mpz(x) for x in values]) == expected


def test_lengths_must_match(squares: Group) -> None:
    for function in (msm, vartime_msm):
        with pytest.raises(BadParameter, match="do not match"):
            function(squares.integers([1, 2]), squares.G)


def test_arrays_of_two_groups_do_not_mix(squares: Group) -> None:
    other = group(backend="reference")
    for left, right in ((squares, other), (other, squares)):
        with pytest.raises(BadParameter):
            _ = left.integers([1]) * right.G
        with pytest.raises(BadParameter):
            _ = left.G + right.G


def test_hashing_into_the_squares(squares: Group) -> None:
    points = hash_to_points(squares, b"test", [b"a", b"b"])
    assert squares.points(points.to_bytes()) == points
    uniform = drawn("u", 272)
    assert numbers(squares.map_to_points(uniform).to_bytes()) == [int.from_bytes(uniform, "big") ** 2 % p]


@pytest.mark.parametrize("count", ["1", "2", "5"])
def test_threads_change_nothing(squares: Group, count: str, monkeypatch: pytest.MonkeyPatch) -> None:
    a, points = scalars(squares, "t", 5), squares.map_to_points(drawn("t", 5 * 272))
    monkeypatch.setenv("NODEALER_THREADS", "1")
    alone = a * points
    monkeypatch.setenv("NODEALER_THREADS", count)
    assert thread_count() == int(count) and a * points == alone


def test_nonsense_for_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NODEALER_THREADS", "")
    assert thread_count() == (os.cpu_count() or 1)
    for value in ("0", "-1", "two", "²"):
        monkeypatch.setenv("NODEALER_THREADS", value)
        with pytest.raises(BadParameter, match="NODEALER_THREADS"):
            thread_count()


def test_every_thread_lets_the_others_run() -> None:
    """The flag is in the context of each worker; in a fresh process, so that no other test has set it."""
    script = (
        "import gmpy2; from nodealer.group.modp import _pool;"
        "print([_pool(2).submit(lambda: gmpy2.get_context().allow_release_gil).result() for _ in range(4)])"
    )
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == str([True] * 4)
