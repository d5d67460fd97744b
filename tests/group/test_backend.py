"""Which backend `group()` picks."""

from __future__ import annotations

import importlib.util
from importlib.machinery import ModuleSpec
from typing import Any

import pytest

from nodealer import group as package
from nodealer.errors import BadParameter
from nodealer.group import default_backend, group
from nodealer.group.reference import ristretto255, secp256k1

pytestmark = pytest.mark.sample


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NODEALER_BACKEND", raising=False)


def pretend(monkeypatch: pytest.MonkeyPatch, *, built: bool) -> None:
    spec = ModuleSpec("nodealer.group._core", None) if built else None
    monkeypatch.setattr(package, "find_spec", lambda name: spec)


def test_the_argument_picks_the_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NODEALER_BACKEND", "native")
    assert group("ristretto255", "reference") is group(backend="reference") is ristretto255


def test_the_environment_picks_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, built=True)
    monkeypatch.setenv("NODEALER_BACKEND", "reference")
    assert default_backend() == "reference" and group() is ristretto255
    monkeypatch.setenv("NODEALER_BACKEND", "native")
    assert default_backend() == "native"


def test_without_an_extension_the_reference_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, built=False)
    assert default_backend() == "reference" and group() is ristretto255


def test_with_an_extension_native_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, built=True)
    assert default_backend() == "native"


def test_the_extension_is_looked_for_where_it_is_built() -> None:
    built = importlib.util.find_spec("nodealer.group._core") is not None
    assert default_backend() == ("native" if built else "reference")


def test_an_unfit_core_is_an_error_and_not_a_reason_to_fall_back(monkeypatch: pytest.MonkeyPatch) -> None:
    class Unfit(Exception):
        pass

    def fail(name: str) -> Any:
        raise Unfit(name)

    pretend(monkeypatch, built=True)
    monkeypatch.setattr(package, "import_module", fail)
    with pytest.raises(Unfit, match="native"):
        group()


@pytest.mark.parametrize("backend", ["", "Native", "rust", "api", "hash", "../reference"])
def test_other_backends_are_refused_by_name(monkeypatch: pytest.MonkeyPatch, backend: str) -> None:
    with pytest.raises(BadParameter, match=repr(backend)):
        group(backend=backend)
    monkeypatch.setenv("NODEALER_BACKEND", backend)
    with pytest.raises(BadParameter, match=f"NODEALER_BACKEND.*{backend!r}"):
        default_backend()
    with pytest.raises(BadParameter, match=f"NODEALER_BACKEND.*{backend!r}"):
        group()


def test_other_groups_are_refused() -> None:
    names: list[Any] = ["", "secp256r1", "SECP256K1", "ReferenceGroup", "__doc__", None, 3, ["ristretto255"]]
    for name in names:
        with pytest.raises(BadParameter):
            group(name, "reference")


def test_the_name_picks_the_group() -> None:
    assert group("secp256k1", "reference") is secp256k1 is not ristretto255


def test_other_types_of_backend_are_refused() -> None:
    backends: list[Any] = [3, b"native", ["native"], True]
    for backend in backends:
        with pytest.raises(BadParameter):
            group(backend=backend)
