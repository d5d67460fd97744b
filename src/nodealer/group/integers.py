"""Large integers: gmpy2's if it is installed, otherwise Python's own. No other module knows which.

Everything computed from an `mpz` is an `mpz`. To the type checker it is an `int`, since gmpy2 ships no types. Python's
integers give the same results, several times slower, and `secret_power` is then not constant-time.
"""

from __future__ import annotations

from typing import Final

try:
    import gmpy2  # type: ignore[import-untyped]
except ImportError:
    gmpy2 = None

#: The library that does the arithmetic: "gmpy2" or "python".
BACKEND: Final = "python" if gmpy2 is None else "gmpy2"


def big(value: int) -> int:
    """Convert a number to the faster type."""
    return value if gmpy2 is None else gmpy2.mpz(value)


def invert(value: int, modulus: int) -> int:
    """Return the inverse of a non-zero number modulo a prime."""
    return pow(value, -1, modulus) if gmpy2 is None else gmpy2.invert(value, modulus)


def is_square(value: int, prime: int) -> bool:
    """Return whether a number in [1, prime) is a square modulo an odd prime."""
    if gmpy2 is None:
        return pow(value, (prime - 1) // 2, prime) == 1
    return gmpy2.jacobi(value, prime) == 1  # type: ignore[no-any-return]


def power(base: int, exponent: int, modulus: int) -> int:
    """Raise a number to a public exponent. The time taken may reveal it."""
    if gmpy2 is None:
        return pow(base, exponent, modulus)
    return gmpy2.powmod(base, exponent, modulus)  # type: ignore[no-any-return]


def secret_power(base: int, exponent: int, modulus: int) -> int:
    """Raise a number to a secret exponent: positive, always of the same length, modulo an odd number."""
    if gmpy2 is None:
        return pow(base, exponent, modulus)
    return gmpy2.powmod_sec(base, exponent, modulus)  # type: ignore[no-any-return]


def lowest_bit(value: int) -> int:
    """Return the position of the lowest set bit of a positive number."""
    return (value & -value).bit_length() - 1 if gmpy2 is None else gmpy2.bit_scan1(value)


def let_threads_run() -> None:
    """Let this thread release the GIL during arithmetic. Each thread has its own gmpy2 context and must call this."""
    if gmpy2 is not None:
        gmpy2.get_context().allow_release_gil = True
