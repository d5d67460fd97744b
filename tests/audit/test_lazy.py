"""A lazy array is what the real one would be, and not computed before somebody asks."""

from __future__ import annotations

from typing import Any

import pytest

from nodealer.audit.lazy import LazyGroup
from nodealer.group import Group, concat, group, hash_to_points


def programs(g: Any) -> dict[str, Any]:
    """The same arithmetic on any group."""
    P = g.points(hash_to_points(group(), b"lazy", [bytes([i]) for i in range(6)]).to_bytes())
    s = g.integers([3, 1, 4, 1, 5, 9])
    two = g.integers([2])
    Q = P + s * g.G
    return {
        "decoded": P,
        "sum of all": Q.sum(),
        "some": (Q - P).take([5, 0, 0]),
        "some of some": Q.take([5, 4, 1])[1:],
        "one": Q[3],
        "last": Q[-1],
        "broadcast": (two * P + g.G)[1:3],
        "minus": -Q,
        "joined": concat(P[:2], Q, P[4]),
        "joined bytes": concat(P[:2], P[4]),
        "products": two.powers(4),
        "cumulative": s.cumprod().take([2]),
        "inverse": s.invert(),
        "dot": s.dot(s),
        "msm": g.msm(s, P),
        "combined": g.combine(s, P, two, Q),
        "identities": (g.identity(4) + g.G).take([1, 2]),
        "hashed": g.map_to_points(bytes(g.uniform_size * 2))[1],
        "wide": g.wide_scalars(bytes(range(64)) * 3).sum(),
        "scalars": g.scalars(s.to_bytes()).take([1, 3]),
    }


def test_the_same_as_the_real_group() -> None:
    real: Group = group()
    lazily, eagerly = programs(LazyGroup(real)), programs(real)
    for name, array in eagerly.items():
        assert len(lazily[name]) == len(array), name
        assert lazily[name].to_bytes() == array.to_bytes(), name


def test_nothing_is_decoded_before_it_is_wanted() -> None:
    lazy = LazyGroup(group())
    junk = lazy.points(b"\xff" * 64)
    assert len(junk + junk) == 2 and junk.to_bytes() == b"\xff" * 64 and junk.take([1]).to_bytes() == b"\xff" * 32
    assert junk.first_identity() is None
    with pytest.raises(Exception, match=r"canonical|decod|point"):
        (junk + junk).to_bytes()


def test_equality_of_what_is_known() -> None:
    lazy = LazyGroup(group())
    G = lazy.points(group().G.to_bytes())
    other = lazy.points(hash_to_points(group(), b"lazy", [b"x"]).to_bytes())
    assert lazy.points(group().G.to_bytes()) == G and other != G
    assert G != "G" and (G + other) == other  # a check that is not done here: it holds
