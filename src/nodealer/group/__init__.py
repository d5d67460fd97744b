"""Groups of prime order: arrays of scalars and points, implemented in Rust and in plain Python.

G = group().G
masked = epk + r * G, msg + r * pk
"""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from typing import TypeVar

from nodealer.errors import BadParameter
from nodealer.group.api import Array, Group, Order, Points, Scalars
from nodealer.group.hash import hash_to_points

__all__ = [
    "Group",
    "Order",
    "Points",
    "Scalars",
    "concat",
    "default_backend",
    "group",
    "hash_to_points",
    "msm",
    "vartime_msm",
]

BACKENDS = ("native", "reference")
GROUPS = ("ristretto255", "secp256k1", "modp2048")
#: Groups with a single implementation, used whichever backend is requested.
ONE_BACKEND = {"modp2048": "modp"}

A = TypeVar("A", bound=Array)


def group(name: str = "ristretto255", backend: str | None = None) -> Group:
    """Return the group of this name on the given backend, or on the default one.

    If a native core is present but unfit for use, raise `BackendMissing` instead of falling back.
    """
    backend = default_backend() if backend is None else _check_backend(backend, "backend")
    if name not in GROUPS:
        raise BadParameter(f"no such group: {name!r} (known groups: {', '.join(GROUPS)})")
    found: Group = getattr(import_module(f"nodealer.group.{ONE_BACKEND.get(name, backend)}"), name)
    return found


def default_backend() -> str:
    """Return `NODEALER_BACKEND` if it is set; otherwise "native" if the extension is built, else "reference"."""
    requested = os.environ.get("NODEALER_BACKEND")
    if requested is not None:
        return _check_backend(requested, "NODEALER_BACKEND")
    return "reference" if find_spec("nodealer.group._core") is None else "native"


def concat(first: A, *rest: A) -> A:
    """Join arrays of one kind and one group end to end."""
    _group_of(first)
    return first.concat(rest)


def msm(scalars: Scalars, points: Points) -> Points:
    """Return Σ scalars[i]·points[i], in constant time on the native backend. The lengths must be equal."""
    return _group_of(scalars).msm(scalars, points)


def vartime_msm(scalars: Scalars, points: Points) -> Points:
    """Return Σ scalars[i]·points[i] for public values: faster than `msm`, but not in constant time."""
    return _group_of(scalars).vartime_msm(scalars, points)


def _check_backend(backend: str, source: str) -> str:
    """Return the backend's name. Raise `BadParameter`, naming `source`, if it is unknown."""
    if backend not in BACKENDS:
        raise BadParameter(f"{source} is {' or '.join(BACKENDS)}, not {backend!r}")
    return backend


def _group_of(array: object) -> Group:
    """Return the group that an array belongs to. Raise `BadParameter` for anything that is not an array."""
    found: Group | None = getattr(array, "group", None)
    if found is None:
        raise BadParameter(f"expected an array of scalars or points, got {type(array).__name__}")
    return found
