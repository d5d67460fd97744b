"""Self-tests of every primitive on the backend in use, against built-in vectors.

They find a broken build, library or machine; whether the code is correct is for the test suite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from nodealer.cli.selftest import arithmetic, derivation, proofs, signatures
from nodealer.group import Group

SelfTest = Callable[[Group], None]

SELFTESTS: Final[tuple[tuple[str, SelfTest], ...]] = (
    ("multiples of the generator (RFC 9496)", arithmetic.multiples),
    ("bad encodings are refused (RFC 9496)", arithmetic.bad_encodings),
    ("one-way map (RFC 9496)", arithmetic.one_way_map),
    ("scalars", arithmetic.scalars),
    ("multi-scalar multiplication", arithmetic.sums),
    ("expanding a message (RFC 9380)", arithmetic.expansion),
    ("hashing to points", arithmetic.hashing),
    ("tape", derivation.tape),
    ("wire", derivation.wire),
    ("proof of knowledge", proofs.knowledge),
    ("proof of equality", proofs.equality),
    ("shuffle proof", proofs.shuffle),
    ("Ed25519 (RFC 8032)", signatures.ed25519),
    ("weak identity keys are refused", signatures.weak_keys),
)


@dataclass(frozen=True)
class SelfTestResult:
    """The result of a self-test. `reason` says why it failed."""

    name: str
    ok: bool
    reason: str = ""


def run_selftests(group: Group) -> Iterator[SelfTestResult]:
    """Run all self-tests and yield the results. A test that raises anything has failed, and the next one runs."""
    for name, test in SELFTESTS:
        try:
            test(group)
        except Exception as error:
            yield SelfTestResult(name, False, str(error) or type(error).__name__)
        else:
            yield SelfTestResult(name, True)
