"""The general proof of linear relations: shapes, lengths, and what the statement binds."""

from __future__ import annotations

import pytest

from nodealer.errors import BadParameter, Malformed
from nodealer.group import Group, Points, concat
from nodealer.proofs import linear
from nodealer.proofs.linear import LinearRow, Statement

from .statements import CONTEXT, accepted, linear_relation, linear_statement, points, put, scalars, tape

KIND = "test of linear relations"


def verifies(statement: Statement, proof: bytes) -> bool:
    return accepted(lambda: linear.check(CONTEXT.transcript(), statement, proof))


def test_the_rebuild_relation(group: Group) -> None:
    """w − w' = s·u − ρ·K, with s·G and ρ·G public: what a holder proves when a deck is made anew."""
    s, rho = scalars(group, "s"), scalars(group, "rho")
    u, K, M = points(group, "u"), points(group, "K"), points(group, "M")
    w, w_new = M + s * u, M + rho * K

    def statement(w_new: Points) -> Statement:
        rows = (
            LinearRow(w - w_new, ((0, u), (1, -K))),
            LinearRow(s * group.G, ((0, group.G),)),
            LinearRow(rho * group.G, ((1, group.G),)),
        )
        return Statement("held card", (1, 1), rows)

    proof = linear.prove(CONTEXT.transcript(), tape("x"), statement(w_new), [s, rho])
    assert verifies(statement(w_new), proof)
    other = points(group, "another face") + rho * K
    assert not verifies(statement(other), proof)
    assert not verifies(statement(other), linear.prove(CONTEXT.transcript(), tape("x"), statement(other), [s, rho]))


def test_every_mix_of_lengths(group: Group) -> None:
    """Secrets and bases of one and of n, in one row, and a row whose terms all have length one."""
    n = 3
    a, b = scalars(group, "a"), scalars(group, "b", n)
    X, Y = points(group, "X", n), points(group, "Y")
    rows = {
        "both": LinearRow(a * X + b * Y + b * X + a * Y, ((0, X), (1, Y), (1, X), (0, Y))),
        "all alike": LinearRow(a * Y + group.identity(n), ((0, Y),)),
        "single": LinearRow(a * Y, ((0, Y),)),
    }
    for names in (["both"], ["both", "all alike"], ["single", "both"], ["both", "all alike", "single"]):
        statement = Statement(KIND, (1, n), tuple(rows[name] for name in names))
        proof = linear.prove(CONTEXT.transcript(), tape("x"), statement, [a, b])
        assert verifies(statement, proof), names
    # A row of equal images proven, one of them changed.
    alike = rows["all alike"]
    for index in range(n):
        false = Statement(KIND, (1,), (LinearRow(put(alike.image, index, X[index]), alike.terms),))
        assert not verifies(false, linear.prove(CONTEXT.transcript(), tape("x"), false, [a]))


def test_lengths_that_do_not_fit(group: Group) -> None:
    X = points(group, "X", 3)
    with pytest.raises(BadParameter, match="another length"):
        Statement(KIND, (2,), (LinearRow(X, ((0, X),)),))
    with pytest.raises(BadParameter, match="another length"):
        Statement(KIND, (1,), (LinearRow(X, ((0, X[:2]),)),))
    with pytest.raises(BadParameter, match="another length"):
        Statement(KIND, (3,), (LinearRow(X[0], ((0, X),)),))
    statement = Statement(KIND, (3,), (LinearRow(X, ((0, X),)),))
    for wrong in ([scalars(group, "s", 2)], [scalars(group, "s", 3)] * 2, []):
        with pytest.raises(BadParameter, match="lengths of the statement"):
            linear.prove(CONTEXT.transcript(), tape("x"), statement, wrong)


def test_identity_bases(group: Group) -> None:
    case = linear_relation(group, 3)
    for field in ("X", "Y"):
        array = case.public[field]
        for index in range(len(array)):
            with pytest.raises(Malformed, match=f"base {index} is the identity"):
                case.check(case.prove(), **{field: put(array, index, group.identity(1))})


def test_the_shape_of_a_statement_is_bound(group: Group) -> None:
    """Statements with the same points in other roles do not share proofs."""
    a = scalars(group, "a", 2)
    X = points(group, "X", 2)
    together = Statement(KIND, (2,), (LinearRow(a * X, ((0, X),)),))
    proof = linear.prove(CONTEXT.transcript(), tape("x"), together, [a])
    assert verifies(together, proof)
    images = a * X
    apart = Statement(KIND, (1, 1), (LinearRow(images[0], ((0, X[0]),)), LinearRow(images[1], ((1, X[1]),))))
    assert verifies(apart, linear.prove(CONTEXT.transcript(), tape("x"), apart, [a[0], a[1]]))
    exchanged = Statement(KIND, (1, 1), (LinearRow(images[1], ((1, X[1]),)), LinearRow(images[0], ((0, X[0]),))))
    renamed = Statement(KIND, (1, 1), (LinearRow(images[0], ((1, X[0]),)), LinearRow(images[1], ((0, X[1]),))))
    other_kind = Statement("another kind", (2,), together.rows)
    for statement in (apart, exchanged, renamed, other_kind):
        assert statement.commitment_count() == together.commitment_count()
        assert not verifies(statement, proof)


def test_which_secret_stands_where_is_bound(group: Group) -> None:
    """The same rows with their secrets renamed: the responses, renamed too, satisfy the rows but not the hash."""
    a, X = scalars(group, "a", 2), points(group, "X", 2)
    images = a * X
    first = Statement(KIND, (1, 1), (LinearRow(images[0], ((0, X[0]),)), LinearRow(images[1], ((1, X[1]),))))
    renamed = Statement(KIND, (1, 1), (LinearRow(images[0], ((1, X[0]),)), LinearRow(images[1], ((0, X[1]),))))
    proof = linear.prove(CONTEXT.transcript(), tape("x"), first, [a[0], a[1]])
    assert verifies(first, proof)
    exchanged = proof[:65] + proof[97:] + proof[65:97]
    assert len(exchanged) == len(proof)
    assert not verifies(renamed, exchanged)


def test_one_secret_in_two_rows_is_one_secret(group: Group) -> None:
    """Two rows that would need two secrets are not proven by either."""
    a, b = scalars(group, "a"), scalars(group, "b")
    X, Y = points(group, "X"), points(group, "Y")
    false = Statement(KIND, (1,), (LinearRow(a * X, ((0, X),)), LinearRow(b * Y, ((0, Y),))))
    for secret in (a, b, a + b):
        assert not verifies(false, linear.prove(CONTEXT.transcript(), tape("x"), false, [secret]))


def test_responses_may_be_zero(group: Group) -> None:
    """A response of zero is a scalar like any other: it decodes, and the equations decide."""
    case = linear_relation(group, 2)
    proof = case.prove()
    statement = linear_statement(case.public)
    zeroed = proof[: 1 + 32 * statement.commitment_count()] + concat(group.integers([0, 0, 0])).to_bytes()
    assert len(zeroed) == len(proof)
    assert len(case.check(zeroed).equations) == 3
    assert not case.accepts(zeroed)
