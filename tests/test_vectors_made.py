"""docs/spec/vectors.json is what we compute, on either arithmetic."""

from __future__ import annotations

import json

import pytest

from nodealer.errors import DecodeError
from nodealer.group import group
from nodealer.protocols.codec import read_points, read_secrets
from nodealer.tape import digest
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


def test_what_is_no_encoding_is_refused() -> None:
    told = PAGE["encodings"]
    assert len(told["no points"]) == 7 and len(told["no scalars"]) == 3
    for read, none in ((read_points, told["no points"]), (read_secrets, told["no scalars"])):
        for encoded in none:
            with pytest.raises(DecodeError):
                read(group(), bytes.fromhex(encoded), 1, "it")


def test_what_the_table_hashes_is_the_hash_of_what_is_told() -> None:
    for told in PAGE["digests"]:
        items = (bytes.fromhex(item["bytes"]) if isinstance(item, dict) else item for item in told["items"])
        assert digest(told["label"], *items).hex() == told["H"], told["what"]
