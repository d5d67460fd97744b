"""What a person is told when a hand is disputed, and that nothing is opened before its word."""

from __future__ import annotations

import nodealer
from cli.person import Reading, Typing
from client.looking import status_at
from conformance.clear import ClearProtocol, bad_dealt_share
from engine.circle import Circle
from nodealer.client.changes import events_between
from nodealer.client.status import TableStatus, TableTimes
from nodealer.engine.bodies import Book, Claim, read_body
from nodealer.engine.commands import DiscloseHand, DisputeCard, MakeMove
from nodealer.engine.participant import Participant
from nodealer.group import group
from nodealer.log.entry import read_entry


class Person:
    """A person at a terminal, who reads what is new."""

    def __init__(self, network: bool = True) -> None:
        self._ui, self._times = Reading(Typing(), network=network), TableTimes()
        self._before: TableStatus | None = None

    def look(self, one: Participant) -> bool:
        """Show what is new, and return whether a dispute waits for an answer."""
        status = status_at(one, 0.0, self._times)
        for event in events_between(self._before, status, 5.0):
            self._ui.show(event)
        self._ui.status(status)
        self._before = status
        return status.options.unreadable is not None or bool(status.options.hands_to_disclose)

    @property
    def said(self) -> list[str]:
        return self._ui.lines


class Lying(Circle):
    """Seat 1 gives false shares of the cards that are dealt. At the other seats are people."""

    def sit(self, home, **options):  # type: ignore[no-untyped-def]
        honest, options = self.protocol, {"by_person": home is not self.homes[1]} | options
        if len(getattr(self, "people", ())) == 0 and home is self.homes[1]:
            self.protocol = ClearProtocol(group(), lies={(1, "share"): bad_dealt_share})
            parts = self.parts(None)
            options = {"parts": lambda proposal: parts} | options
        try:
            return super().sit(home, **options)
        finally:
            self.protocol = honest


def bodies(circle: Circle, kind: type) -> list[int]:
    """Who has said something of a kind."""
    entries = [read_entry(data).entry for data in circle.log]
    return [entry.seat for entry in entries if isinstance(read_body(bytes(entry.body)), kind)]


def test_it_asks_says_what_it_shows_and_does_it() -> None:
    circle, disputes = Lying(), {0: Person(), 2: Person()}

    def decide(one: Participant) -> list[bytes]:
        seat = one.seat.number
        if seat not in disputes:
            return []
        if not disputes[seat].look(one):
            return one.command(MakeMove({"show": True})) if one.options().must_move else []
        return []

    circle.play(decide=decide)
    assert bodies(circle, Claim) == [] and "cannot be opened" in disputes[0].said[0]
    assert "discloses everything you held" in disputes[0].said[1]
    circle.waiting.extend(circle.people[0].command(DisputeCard()))
    circle.play(decide=decide)
    assert bodies(circle, Claim) == [0] and 2 not in bodies(circle, Book)
    asked = [text for text in disputes[2].said if "disputed" in text or "[bold]book" in text]
    assert len(asked) == 2 and "unchecked" in asked[1]
    circle.waiting.extend(circle.people[2].command(DiscloseHand()))
    circle.play(decide=decide)
    assert 2 in bodies(circle, Book)


def test_what_cannot_be_proven_is_said_once() -> None:
    """Without a word on which card it is."""
    table = nodealer.table(["Ada", "Ben"], cards=6)
    table.shuffle(6)
    table.deal(Ada=1)
    table.move("Ada", {"type": "prove", "deck": 0, "positions": [0], "faces": table.hand("Ada")})
    for name in table.players:
        person, one = Person(), table.players[name]._me
        assert not person.look(one) and not person.look(one)
        assert [("cannot be proven" in text) for text in person.said] == ([True, False] if name == "Ada" else [])
