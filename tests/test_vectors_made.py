"""docs/vectors.json is what we compute, on either arithmetic."""

from __future__ import annotations

import json

from nodealer.group import group
from proofs import statements
from vectors_made import FILE, PROOFS, proofs, vectors

PAGE = json.loads(FILE.read_text())


def test_the_file_is_as_computed() -> None:
    assert json.loads(json.dumps(vectors())) == PAGE, "make vectors, if what is hashed or proven was to change"


def test_the_proofs_are_the_same_on_the_reference() -> None:
    assert json.loads(json.dumps([*proofs(group("ristretto255", "reference"))])) == PAGE["proofs"]


def test_every_kind_of_statement_is_there_and_holds() -> None:
    for kind, told in zip(PROOFS, PAGE["proofs"], strict=False):
        case = PROOFS[kind](group(), 4)
        assert told["kind"] == kind
        assert case.accepts(bytes.fromhex(told["proof"]))
        assert not case.accepts(bytes.fromhex(told["proof"]), statements.OTHER_CONTEXTS["hand"])
