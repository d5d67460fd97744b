"""Defences that more than one attack needs removed."""

from __future__ import annotations

from typing import Final

from nodealer_lab.attacks.defence import RemovedDefence

#: Checks the proof of a shuffle.
SHUFFLE_PROOF: Final = RemovedDefence(
    "nodealer.proofs.shuffle:check",
    "equations = (*_permutation_equations(relation, opened), *_relation_equations(relation, opened))",
    "equations = (Equation.sum((opened.x - opened.x, relation.statement[0])),)",
)
#: Checks the proof that each card stays the same when it gets its own key.
EACH_PROOF: Final = RemovedDefence(
    "nodealer.proofs.equality:check_many_equalities",
    "one, minus_s, minus_r = group.integers([1]), -responses[:m], -responses[m]",
    "c = one = minus_r = c - c; minus_s = responses[:m] - responses[:m]",
)
#: Checks the proof that many points were multiplied by one secret.
EQUALITY_PROOF: Final = RemovedDefence(
    "nodealer.proofs.equality:check_equality", "one = group.integers([1])", "one = c = z_hat = c - c"
)
#: Compares a published secret with its public key.
KEY_CHECK: Final = RemovedDefence(
    "nodealer.protocols.keyed_deck:refuse_wrong_keys", "if public != wanted:", "if False:"
)
#: Recomputes the messages of a seat from its disclosure.
BOOKS: Final = RemovedDefence("nodealer.engine.disclosure:refuse_false_disclosure", "if deed is not None:", "if False:")
#: Refuses the identity when points are read.
IDENTITY: Final = RemovedDefence(
    "nodealer.protocols.codec:read_points",
    "return group.points(data)",
    """size = group.point_size
        found = [data[at : at + size] for at in range(0, len(data), size)]
        points = [group.points(one) if any(one) else group.identity(1) for one in found]
        return points[0].concat(points[1:])""",
)
#: Refuses the identity in proofs.
IDENTITY_IN_PROOF: Final = RemovedDefence(
    "nodealer.proofs.encoding:decode_proof",
    "return group.points(data[1:boundary]), group.scalars(data[boundary:])",
    """found = [data[at : at + group.point_size] for at in range(1, boundary, group.point_size)]
        first, *rest = [group.points(one) if any(one) else group.identity(1) for one in found]
        return first.concat(rest), group.scalars(data[boundary:])""",
)
