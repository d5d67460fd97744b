"""Large integers: gmpy2's where it is installed, Python's own where it is not. Nothing else knows which.

An `mpz` infects all that is computed from it. To the type checker it is an `int`: gmpy2 has no types of its own.
Python's numbers give the same results, several times slower, and `secret_power` is then not constant-time.
"""

from __future__ import annotations

from typing import Final

try:
    import gmpy2  # type: ignore[import-untyped]
except ImportError:
    gmpy2 = None

#: What the arithmetic runs on: "gmpy2" or "python".
BACKEND: Final = "python" if gmpy2 is None else "gmpy2"


def big(value: int) -> int:
    """The same number in the faster form."""
    return value if gmpy2 is None else gmpy2.mpz(value)


def invert(value: int, modulus: int) -> int:
    """The inverse modulo a prime, of a number that is not zero."""
    return pow(value, -1, modulus) if gmpy2 is None else gmpy2.invert(value, modulus)


def is_square(value: int, prime: int) -> bool:
    """Whether a number in [1, prime) is a square modulo an odd prime."""
    if gmpy2 is None:
        return pow(value, (prime - 1) // 2, prime) == 1
    return gmpy2.jacobi(value, prime) == 1  # type: ignore[no-any-return]


def power(base: int, exponent: int, modulus: int) -> int:
    """For public exponents."""
    if gmpy2 is None:
        return pow(base, exponent, modulus)
    return gmpy2.powmod(base, exponent, modulus)  # type: ignore[no-any-return]


def secret_power(base: int, exponent: int, modulus: int) -> int:
    """For secret exponents, positive ones of one length, and an odd modulus."""
    if gmpy2 is None:
        return pow(base, exponent, modulus)
    return gmpy2.powmod_sec(base, exponent, modulus)  # type: ignore[no-any-return]


def lowest_bit(value: int) -> int:
    """The place of the lowest one of a positive number."""
    return (value & -value).bit_length() - 1 if gmpy2 is None else gmpy2.bit_scan1(value)


def let_threads_run() -> None:
    """Each thread has a context of its own, and without this flag in it the threads wait for each other."""
    if gmpy2 is not None:
        gmpy2.get_context().allow_release_gil = True
