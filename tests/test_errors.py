"""The tree of errors: whose each one is, and what it says to a person."""

from __future__ import annotations

import inspect

import pytest

from nodealer import errors
from nodealer.errors import (
    BadParameter,
    BadSignature,
    CardUnreadable,
    DecodeError,
    EntryAhead,
    EntryRefused,
    LocalError,
    LogError,
    Malformed,
    NodealerError,
    PeerError,
    PeerFault,
    ProofRejected,
    SawAnother,
)


def classes() -> list[type[NodealerError]]:
    return [one for _, one in inspect.getmembers(errors, inspect.isclass) if issubclass(one, NodealerError)]


def test_one_root_and_the_drawn_tree() -> None:
    """The tree in the module's docstring is the tree: every class in it, under its parent."""
    parents: list[str] = []
    drawn: dict[str, str] = {}
    for line in (errors.__doc__ or "").splitlines():
        name = line.strip(" |+-").split(" ")[0]
        if name in vars(errors) and ("+-" in line or name == "NodealerError"):
            depth = (line.index("+-") - 1) // 4 + 1 if "+-" in line else 0
            parents[depth:] = [name]
            drawn[name] = parents[depth - 1] if depth else "Exception"
    assert drawn == {one.__name__: one.__bases__[0].__name__ for one in classes()}


@pytest.mark.parametrize("one", classes(), ids=lambda one: one.__name__)
def test_every_error_says_what_it_means(one: type[NodealerError]) -> None:
    assert one.__doc__ and one.__doc__.strip().endswith(".")


def test_who_is_named() -> None:
    """Only what a seat signed names a seat; what anybody could have written names nobody."""
    naming = {one for one in classes() if issubclass(one, PeerError)}
    assert naming == {PeerError, EntryRefused, EntryAhead, SawAnother, PeerFault, ProofRejected}
    assert not issubclass(BadSignature, PeerError) and issubclass(BadSignature, LogError)
    assert not issubclass(EntryRefused, PeerFault), "a refused entry is no fault"
    assert issubclass(DecodeError, Malformed) and issubclass(BadParameter, LocalError)


def test_what_they_carry_and_say() -> None:
    refused = EntryRefused(2, "not due", 7)
    assert (refused.seat, refused.entry, refused.reason) == (2, 7, "not due")
    assert str(refused) == "seat 2, entry 7: not due"
    assert str(PeerFault(0, "false")) == "seat 0: false"
    rejected = ProofRejected(1, "shuffle", 3)
    assert rejected.check == "shuffle" and "does not verify" in str(rejected)
    assert str(DecodeError("a card", 4)) == "a card (element 4)" and str(DecodeError("a card")) == "a card"
    unreadable = CardUnreadable(1, 5, "no face")
    assert (unreadable.deck, unreadable.position) == (1, 5) and "card 5 of deck 1" in str(unreadable)
