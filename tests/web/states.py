"""Twelve states of the page, each as the documents that a page gets that loads then: the same ones every time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Page

from games import outside
from nodealer.audit.verify import verify_file
from nodealer.cli.play_page import page_offers
from nodealer.client.agents import BotAgent
from nodealer.client.game_loader import load_game
from nodealer.client.setup import table_setup
from nodealer.engine.participant import Participant
from nodealer.games.package import GamePackage
from nodealer.log.file import save_log
from nodealer.web import messages as doc
from nodealer.web.lobby import qr_rows

from .searching import GAME as SEARCHING
from .tables import NAMES, Table
from .told import Document, Told

LINK = "https://relay.example/#play.7Fq2v0Zk3mT1cXw9bLr8dYh5nJs4aGe6uPo_QiBfVtMxKzCyWlDgHjNvRwSxTqE2A1B3C4D5"


def nothing(page: Page, told: Told) -> None:
    """The state is there as it is loaded."""


@dataclass(frozen=True)
class State:
    """What the page is told, what one does then to see it, and on a phone."""

    name: str
    documents: list[Document]
    do: Callable[[Page, Told], None] = nothing
    #: Whether the panels are what is to be seen.
    panels: bool = False
    #: What is awaited.
    there: str = ".felt"


class Reached(Exception):
    """The moment is there."""


@dataclass
class Seen:
    """A table that is stopped at a moment."""

    table: Table
    silent: set[int] = field(default_factory=set)

    def until(self, there: Callable[[Document], bool]) -> list[Document]:
        """Bots play all seats until the first of them is asked and the view is so. What its page gets then."""
        first, page, mind = self.table.people[0], self.table.pages[0], None

        def decide(one: Participant) -> list[bytes]:
            nonlocal mind
            mind = mind or BotAgent(self.table.package, first.store.root)
            question = one.question()
            if question is None:
                return mind.act(one)
            page.ask(question)
            if there(self.now("view")):
                raise Reached
            page.withdraw_question()
            return mind.act(one)

        try:
            self.table.play(decide)
        except Reached:
            return self.everything()
        raise AssertionError("the game is over")

    def step_until(self, there: Callable[[], bool]) -> list[Document]:
        """The same at any moment."""
        for _ in range(5000):
            if there():
                return self.everything()
            self.table.play(steps=1)
        raise AssertionError("it never came")

    def now(self, kind: str) -> Document:
        return next(one for one in self.everything() if one["type"] == kind)

    def count(self, kind: str) -> int:
        return sum(one["type"] == kind for one in self.everything())

    def everything(self) -> list[Document]:
        return [json.loads(doc.encode_message(one)) for one in self.table.pages[0].presenter.snapshot()]


def first_with(there: Callable[[Document], bool], **table: Any) -> Seen:
    """The first of numbered games in which the first player is asked at such a moment."""
    for number in count():
        seen = Seen(Table(label=f"sheet {number}", **table))
        try:
            seen.until(there)
        except AssertionError:
            continue
        return seen
    raise AssertionError


def states() -> Iterator[State]:
    """All of them."""
    yield start()
    yield lobby()
    yield shuffling()
    flop = first_with(lambda view: len(view["page"]["board"]) == 3 and view["page"]["called"], seats=5, hands=2)
    yield State("flop", flop.everything(), there="#actions .betting")
    yield away()
    yield from ended(flop)
    yield caught()
    yield nine()
    yield from collectible()


def showcase() -> State:
    """Return the state in the README's screenshot: a flop, with a pair and three of six players still in."""

    def there(view: Document) -> bool:
        page = view["page"]
        in_hand = sum(seat["in"] for seat in page.get("seats", ()))
        return len(page["board"]) == 3 and "pair" in (page["called"] or "") and in_hand >= 3

    return State("showcase", first_with(there, seats=6, hands=1).everything(), there="#actions .betting")


def offers() -> doc.Offers:
    game = load_game("holdem")
    return page_offers(table_setup(game, game.settled({}), seats=4, hands=3).with_bots("Ada"))


def start() -> State:
    hello: Document = {"type": "hello", "page": 1, "program": "0", "role": "player", "name": "Ada"}
    return State("start", [hello, json.loads(doc.encode_message(offers()))], there=".start")


def lobby() -> State:
    hello: Document = {"type": "hello", "page": 1, "program": "0", "role": "player", "name": "Ada"}
    people = (
        doc.LobbyPerson("Ada", "here", you=True),
        doc.LobbyPerson("Ben", "here", known="known"),
        doc.LobbyPerson("Cleo", "here", known="other key", warn=True),
    )
    question = doc.LobbyQuestion(1, "sit", "Cleo", ("y", "n"))
    told = doc.Lobby(people, 4, LINK, LINK.replace("play", "watch"), qr_rows(LINK), None, question)
    return State("lobby", [hello, json.loads(doc.encode_message(told))], there=".qr")


def shuffling() -> State:
    seen = Seen(Table(label="sheet", seats=6))
    documents = seen.step_until(lambda: sum(one["kind"] == "shuffle" for one in proofs(seen)) == 3)
    return State("shuffling", documents)


def proofs(seen: Seen) -> list[Document]:
    return [one for one in seen.everything() if one["type"] == "proof"]


def at_a_table(view: Document) -> bool:
    return bool(view["page"].get("seats"))


def asked() -> State:
    """The first of two is asked for its first move."""
    return State("asked", Seen(Table(label="sheet", seats=2)).until(at_a_table), there="#actions .betting")


def crowded(count: int) -> State:
    """The same for more, by hand: every other seat is one like the second."""
    state = asked()
    named = [{"seat": seat, "name": NAMES[seat]} for seat in range(1, count)]

    def more(seats: list[Document]) -> list[Document]:
        first, second = sorted(seats, key=lambda one: one["seat"])
        return [first, *(second | {key: one[key] for key in one if key in second} for one in named)]

    for one in state.documents:
        if one["type"] in ("table", "view"):
            one["seats"] = more(one["seats"])
        if one["type"] == "view":
            one["page"]["seats"] = more(one["page"]["seats"])
    return replace(state, name=f"{count} seats")


def plain(count: int) -> State:
    """A game without a table of its own, whose hands and words are long."""
    seen = Seen(Table(label="sheet", seats=count, hands=1, package=outside.GAME))
    documents = seen.until(lambda view: bool(view["mine"]))
    view = next(one for one in documents if one["type"] == "view")
    view["mine"] = [view["mine"][0] | {"name": f"the {number}"} for number in range(13)]
    view["text"] = [[[f"a line of text that is not short, number {number}", ""]] for number in range(13)]
    return State(f"plain, {count} seats", documents, there=".typed input")


def away() -> State:
    """The second of three does not answer, and the first may say so; what is left of its own time is shown."""
    seen = Seen(Table(label="sheet", seats=3))
    documents = seen.until(at_a_table)
    view = next(one for one in documents if one["type"] == "view")
    view["turn"] = [1]
    view["seats"][1]["waited"] = 42
    view["seats"][1]["left"] = 18_000
    view["may"] |= {"vote": True, "votes_needed": 2, "voters": 3, "break_off": True, "breaks_needed": 2}
    return State("a player is away", [one for one in documents if one["type"] != "ask"], there="#table-rules button")


def ended(seen: Seen) -> Iterator[State]:
    table = seen.table
    table.pages[0].withdraw_question()
    table.waiting.extend(BotAgent(table.package, table.people[0].store.root).act(table.people[0]))
    table.play()
    replica, page = table.people[0].replica, table.pages[0].presenter
    with TemporaryDirectory() as folder:
        log = Path(folder) / "game.jsonl"
        save_log(log, replica.config.session, replica.entries)
        report = verify_file(log, entropy=table.source)
    page.send(doc.Verdict(report.verdict, report.as_json(), 412.0))
    page.send(offers())
    page.send(doc.TableOver(again=True))
    yield State("the end", seen.everything(), there=".verdict .stamp")
    page.send(doc.ChatLine(1, "Ben", "That river again! Well played."))
    page.send(doc.ChatLine(0, "Ada", "Pure skill. One more?"))
    yield State("log and chat", seen.everything(), lambda page, told: page.click("#tab-log"), panels=True)
    again = page.stored_replay(1)
    assert again is not None

    def replay(shown: Page, told: Told) -> None:
        shown.click("#tab-hands")
        told.tell(json.loads(doc.encode_message(again)))
        shown.wait_for_selector(".player:not([hidden])")
        for _ in range(len(again.frames) * 2 // 3):
            shown.click("[aria-label=Forward]")

    yield State("replay", seen.everything(), replay, panels=True)


def caught() -> State:
    """A false shuffle of the third, as it stands when the others have stopped."""
    seen = Seen(Table(label="sheet", seats=4))
    documents = seen.step_until(lambda: sum(one["kind"] == "shuffle" for one in proofs(seen)) == 3)
    false = [one for one in documents if one["type"] == "proof"][-1]
    false["state"] = "false"
    reason = "the proof of the shuffle does not hold: the deck has a card that was not in it before"
    fault = {"type": "fault", "entry": false["entry"], "seat": 2, "name": "Cleo", "check": "shuffle", "reason": reason}
    view = next(one for one in documents if one["type"] == "view")
    view["seats"][2]["state"] = "out"
    cheat = {"type": "cheat", "seat": 2, "name": "Cleo", "does": "shuffles one card twice", "came": None,
             "claim": "a card doubled in a shuffle: noticed at once, and the culprit is named"}  # fmt: skip
    return State("caught", [*documents, cheat, fault], panels=True, there=".alarm:not([hidden])")


def nine() -> State:
    seen = first_with(lambda view: len(view["page"]["board"]) >= 3, seats=9, hands=1)
    return State("nine seats", seen.everything(), there="#actions .betting")


def collectible() -> Iterator[State]:
    field_ = first_with(lambda view: sum(len(side["wardens"]) for side in view["page"]["sides"]) >= 4,
                        game="wardens", protocol="duel", seats=2, hands=1)  # fmt: skip
    yield State("field", field_.everything(), there=".units .unit")
    package: GamePackage = SEARCHING
    search = Seen(Table("wardens", "duel", seats=2, hands=1, label="sheet", package=package))
    documents = search.until(lambda view: search.now("ask")["for"] == "choose")
    yield State("search", documents, there="dialog[open] .choice")
