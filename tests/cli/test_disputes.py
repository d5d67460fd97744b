"""What a person is told when a hand is disputed, and that nothing is opened before its word."""

from __future__ import annotations

import nodealer
from conformance.clear import ClearProtocol, bad_dealt_share
from engine.circle import Circle
from nodealer.cli.disputes import Disputes
from nodealer.cli.screen import Screen
from nodealer.engine.bodies import Book, Claim, read_body
from nodealer.engine.participant import Participant
from nodealer.group import group
from nodealer.log.entry import read_entry


class Saying(Screen):
    """A screen that only notes what is said."""

    def __init__(self) -> None:
        super().__init__(json=False)
        self.said: list[str] = []

    def say(self, text: object = "", **options: object) -> None:
        self.said.append(str(text))


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
    circle, screens = Lying(), {0: Saying(), 2: Saying()}
    disputes = {seat: Disputes(screen) for seat, screen in screens.items()}

    def decide(one: Participant) -> list[bytes]:
        seat = one.seat.number
        if seat not in disputes:
            return []
        if not disputes[seat].on_tick(one):
            return one.move({"show": True}) if one.options().must_move else []
        return []

    circle.play(decide=decide)
    assert bodies(circle, Claim) == [] and "cannot be opened" in screens[0].said[0]
    assert "discloses everything you held" in screens[0].said[1]
    circle.waiting.extend(circle.people[0].dispute())
    circle.play(decide=decide)
    assert bodies(circle, Claim) == [0] and 2 not in bodies(circle, Book)
    asked = [text for text in screens[2].said if "disputed" in text or "[bold]book" in text]
    assert len(asked) == 2 and "unchecked" in asked[1]
    circle.waiting.extend(circle.people[2].disclose())
    circle.play(decide=decide)
    assert 2 in bodies(circle, Book)


def test_what_cannot_be_proven_is_said_once() -> None:
    """Without a word on which card it is."""
    table = nodealer.table(["Ada", "Ben"], cards=6)
    table.shuffle(6)
    table.deal(Ada=1)
    table.move("Ada", {"type": "prove", "deck": 0, "positions": [0], "faces": table.hand("Ada")})
    for name in table.players:
        screen, person = Saying(), table.players[name]._me
        disputes = Disputes(screen)
        assert not disputes.on_tick(person) and not disputes.on_tick(person)
        assert [("cannot be proven" in text) for text in screen.said] == ([True, False] if name == "Ada" else [])
