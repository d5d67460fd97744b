"""Groups of prime order: arrays of scalars and points, in Rust or in plain Python.

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
#: Groups that exist once, whatever backend is asked for.
ONE_BACKEND = {"modp2048": "modp"}

A = TypeVar("A", bound=Array)


def group(name: str = "ristretto255", backend: str | None = None) -> Group:
    """The group of this name, on the backend that is asked for, or on the default one.

    Never falls back from a native core that is there and unfit: that raises `BackendMissing`.
    """
    backend = default_backend() if backend is None else _known(backend, "backend")
    if name not in GROUPS:
        raise BadParameter(f"no such group: {name!r} (there is {', '.join(GROUPS)})")
    found: Group = getattr(import_module(f"nodealer.group.{ONE_BACKEND.get(name, backend)}"), name)
    return found


def default_backend() -> str:
    """What `NODEALER_BACKEND` says; else native where the extension is built, and reference where it is not."""
    asked = os.environ.get("NODEALER_BACKEND")
    if asked is not None:
        return _known(asked, "NODEALER_BACKEND")
    return "reference" if find_spec("nodealer.group._core") is None else "native"


def concat(first: A, *rest: A) -> A:
    """The arrays one after the other."""
    _group_of(first)
    return first.concat(rest)


def msm(scalars: Scalars, points: Points) -> Points:
    """Σ scalars[i]·points[i], in constant time on the native backend. The lengths must be equal."""
    return _group_of(scalars).msm(scalars, points)


def vartime_msm(scalars: Scalars, points: Points) -> Points:
    """The same for public values, faster."""
    return _group_of(scalars).vartime_msm(scalars, points)


def _known(backend: str, source: str) -> str:
    if backend not in BACKENDS:
        raise BadParameter(f"{source} is {' or '.join(BACKENDS)}, not {backend!r}")
    return backend


def _group_of(array: object) -> Group:
    """The arrays of both backends carry their group; nothing else that could come here does."""
    found: Group | None = getattr(array, "group", None)
    if found is None:
        raise BadParameter(f"expected an array of scalars or points, got {type(array).__name__}")
    return found
