"""`nodealer doctor`: all is well, or it says what is not."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module

import pytest
from typer.testing import CliRunner

import nodealer as package
from cli.running import nodealer
from nodealer.cli.app import app
from nodealer.cli.selftest import SELFTESTS, run_selftests
from nodealer.group import default_backend, group
from nodealer.group.native import CORE_VERSION

FIELDS = {"version", "backend", "profile", "core_version", "python", "cpu", "selftests", "ok"}


def test_the_document() -> None:
    done = nodealer("doctor", "--json")
    found = json.loads(done.stdout)
    assert set(found) == FIELDS
    assert done.returncode == 0 and found["ok"] is True
    assert found["version"] == package.__version__
    assert found["backend"] == default_backend()
    assert found["selftests"] == [{"name": name, "ok": True} for name, _ in SELFTESTS]
    native = found["backend"] == "native"
    assert (found["profile"], found["core_version"]) == (("release", CORE_VERSION) if native else (None, None))


def test_people_see_every_test() -> None:
    done = nodealer("doctor")
    assert done.returncode == 0
    assert all(f"✓ {name}" in done.stdout for name, _ in SELFTESTS)


@pytest.mark.parametrize("arguments", [(), ("--json",)])
def test_the_reference_is_announced_loudly(arguments: tuple[str, ...]) -> None:
    done = nodealer("doctor", *arguments, NODEALER_BACKEND="reference")
    assert done.returncode == 0
    assert "reference implementation" in done.stderr


def wrong(*arguments: object, **named: object) -> bytes:
    return bytes(64)


def same(*arguments: object, size: int) -> bytes:
    # Not zeros: a secret that is zero is drawn again, for ever.
    return bytes([1]) * size


def silent(*arguments: object, **named: object) -> None:
    return None


#: What is broken, how, and the self-test that must notice.
BROKEN: list[tuple[str, Callable[..., bytes | None], str]] = [
    ("cli.selftest.arithmetic.vartime_msm", wrong, "multi-scalar multiplication"),
    ("cli.selftest.arithmetic.msm", wrong, "multi-scalar multiplication"),
    ("cli.selftest.arithmetic.expand_message_xmd", wrong, "expanding a message (RFC 9380)"),
    ("group.hash.expand_message_xmd", wrong, "hashing to points"),
    ("cli.selftest.derivation.digest", wrong, "tape"),
    ("tape.expand", same, "tape"),
    ("wire.encode", wrong, "wire"),
    ("cli.selftest.proofs.settle", silent, "proof of knowledge"),
    ("cli.selftest.proofs.settle", silent, "proof of equality"),
    ("cli.selftest.proofs.settle", silent, "shuffle proof"),
    ("keys.Identity.sign", wrong, "Ed25519 (RFC 8032)"),
    ("keys.VerifyingKey.verify", silent, "Ed25519 (RFC 8032)"),
    ("keys.refuse_weak_key", silent, "weak identity keys are refused"),
]


@pytest.mark.parametrize(("what", "how", "noticed"), BROKEN)
def test_a_broken_primitive_is_noticed(monkeypatch: pytest.MonkeyPatch, what: str, how: object, noticed: str) -> None:
    monkeypatch.setattr(f"nodealer.{what}", how)
    failed = {outcome.name for outcome in run_selftests(group(backend="reference")) if not outcome.ok}
    assert noticed in failed


@pytest.mark.parametrize("method", ["points", "scalars", "map_to_points", "wide_scalars", "integers"])
def test_a_broken_group_is_noticed(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    reference = import_module("nodealer.group.reference").ReferenceGroup
    monkeypatch.setattr(reference, method, wrong)
    assert not all(outcome.ok for outcome in run_selftests(group(backend="reference")))


def test_one_that_fails_is_named_and_is_1(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nodealer.tape.expand", same)
    done = CliRunner().invoke(app, ["doctor", "--json"])
    found = json.loads(done.stdout)
    assert done.exit_code == 1 and found["ok"] is False
    assert {"name": "tape", "ok": False} in found["selftests"]
    assert "✗ tape: " in done.stderr
