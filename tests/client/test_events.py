"""Every event has a `--json` line, or is listed here as one that has none."""

from __future__ import annotations

import dataclasses
import typing
from types import SimpleNamespace, UnionType
from typing import Any

import pytest

from nodealer.client import events
from nodealer.client.event_json import event_json, event_tag
from nodealer.client.event_text import event_text
from nodealer.client.events import KeyStatus, TableEvent
from nodealer.games.text import Words

#: What programs learn from other lines, or what only concerns a person at a terminal or page.
WITHOUT_A_LINE = {
    *(events.GameContinued, events.LogCopyStopped),
    *(events.Went, events.Proposed, events.NotTaken, events.Began, events.YourTurn, events.Dealt, events.Opened),
    *(events.Shown, events.Proven, events.Unprovable, events.GivenBack, events.Unreadable, events.Left),
    *(events.TimeIsUp, events.AsksToSit, events.Seated, events.Silenced, events.Ended),
    *(events.MaySit, events.NotSitting, events.CannotBegin, events.TimekeeperAwaited, events.NoOneSeated),
    *(events.LeftOut, events.OwnTime, events.RosterProposed, events.PlayerAway),
    *(events.DisclosureAsked, events.SittingOut, events.Chatted),
}
KINDS: list[type] = list(typing.get_args(TableEvent))

#: Values for fields of special types.
PROPOSAL = SimpleNamespace(
    game=SimpleNamespace(name="holdem", parameters=b'{"stack":20}'),
    protocol=SimpleNamespace(name="mask", parameters=b"{}"),
    roster=SimpleNamespace(members=(SimpleNamespace(name="Ada"),), timekeeper=SimpleNamespace(name="Tia")),
    clock=SimpleNamespace(move=1000, bank=2000),
    hands=3,
)
VALUES: dict[str, Any] = {
    "str": "text",
    "int": 1,
    "float": 1.26,
    "bool": False,
    "bytes": b"\1",
    "Text": "text",
    "Any": {"move": 1},
    "SignedProposal": PROPOSAL,
    "Words": Words(),
    "Report": SimpleNamespace(as_json=lambda: {"verdict": "clean"}),
    "KeyStatus": KeyStatus.NEW,
    "ConnectionCode": "lost",
    "Proposal": None,
    "Mapping[str, Any]": {"ended": "showdown"},
    "Mapping[str, int]": {},
}


def example(kind: type) -> TableEvent:
    """An event of this class."""
    given: dict[str, Any] = {}
    for one in dataclasses.fields(kind):
        wanted = str(one.type)
        if wanted.startswith("tuple"):
            given[one.name] = ()
        elif wanted.startswith("Literal"):
            given[one.name] = wanted.replace("'", '"').split('"')[1]
        elif one.default is dataclasses.MISSING or wanted in VALUES:
            given[one.name] = None if wanted.endswith("| None") else VALUES[wanted]
    return typing.cast(TableEvent, kind(**given))


@pytest.mark.parametrize("kind", KINDS)
def test_every_event_has_a_line_or_none(kind: type) -> None:
    event = example(kind)
    line, tag = event_json(event), event_tag(event)
    assert (line is None) == (kind in WITHOUT_A_LINE)
    assert (None if line is None else next(iter(line.items()))) == (None if tag is None else ("event", tag))
    assert isinstance(event_text(event), str)


def test_the_union_has_every_event() -> None:
    assert isinstance(TableEvent, UnionType)
    defined = {one for one in vars(events).values() if dataclasses.is_dataclass(one) and isinstance(one, type)}
    assert {one for one in defined if one.__module__ == events.__name__} == {*KINDS, events.Proposal}


def test_lines_that_depend_on_what_happened() -> None:
    moved = events.Moved("Ada", None, "", by_rules=True)
    assert event_json(moved) is None
    void = events.Result(0, {}, {}, "", "Ben left", reason="seat 1 left")
    assert event_json(void) == {"event": "void", "hand": 1, "reason": "seat 1 left"}
    assert event_json(events.CardsOpened("Ada", 0, ("A♠",), "A♠")) == {
        "event": "shows",
        "seat": 0,
        "name": "Ada",
        "cards": ["A♠"],
        "text": "A♠",
    }
    local = events.ConnectionChanged("lost", reason="no relay")
    assert event_json(local) == {"event": "connection", "what": "lost", "reason": "no relay"}
    assert event_json(events.Declined("", "no")) == {"event": "declined", "name": None, "reason": "no"}


def test_what_front_ends_need_does_not_change_what_a_user_of_the_library_sees() -> None:
    plain, shown = events.Word("Ada", "hi"), events.Word("Ada", "hi", seat=3, entry=7)
    assert plain == shown and repr(plain) == repr(shown) == "Word(name='Ada', text='hi')"
    assert hash(plain) == hash(shown)
