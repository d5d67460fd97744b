"""Host and guests in a lobby: what was said of one does not count for another."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from nodealer.cli.browser_table import Page
from nodealer.cli.plan import create_plan
from nodealer.cli.screen import Screen
from nodealer.cli.terminal_lobby import LobbyScreen, Questions

from conformance.harness import Source
from nodealer.cli.identity_prompt import contacts_in
from nodealer.client.events import NotSitting
from nodealer.client.game_loader import load_game
from nodealer.client.lobby import ANSWER_LIMIT, Guest, Hosting, Onlooker, ask_first
from nodealer.engine.lobby import decline_rehearsals
from nodealer.engine.participant import Participant
from nodealer.engine.store import MemoryPlayerStore
from nodealer.keys import Identity, host_mark
from nodealer.log.session import Limits
from nodealer.tape import expand
from nodealer.web import messages as doc

CLOCK = Limits(move=1000, cards=1000, bank=1000, refill=1000)


class Typing:
    """A person who types what the test says."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._waits: asyncio.Future[str] | None = None

    async def answer(self, prompt: str) -> str:
        self.asked.append(prompt)
        self._waits = asyncio.get_running_loop().create_future()
        return await self._waits

    async def next(self) -> str:
        return await self.answer("")

    async def type(self, line: str) -> None:
        await asyncio.sleep(0)
        assert self._waits is not None and not self._waits.done()
        self._waits.set_result(line + "\n")
        await asyncio.sleep(0)
        await asyncio.sleep(0)


class Door:
    """A lobby: the host is the first, and everybody hears all frames at once."""

    def __init__(
        self, folder: Path, *names: str, auto: bool = False, seats: int = 3, invites_keeper: bool = False
    ) -> None:
        self.known = contacts_in(folder)
        self.people: dict[str, Participant] = {}
        self.frames: list[bytes] = []
        self._mark = host_mark(_identity(names[0]).public)
        self.typing = {name: Typing() for name in names}
        questions = None if auto else Questions(self.typing[names[0]])  # type: ignore[arg-type]
        self.plan = create_plan("holdem", load_game("holdem").settled({}), seats=seats, hands=1, clock=CLOCK)
        self.hosting = Hosting(
            self.plan, seats, LobbyScreen(Screen(json=True)), self.known, questions, invites_keeper=invites_keeper
        )
        for name in names:
            self.come(name, host=name == names[0])

    def come(self, name: str, *, key: str | None = None, host: bool = False, keeps_time: bool = False) -> Participant:
        home = MemoryPlayerStore(name, _identity(key or name), expand("root", name, key or "", size=32))
        one = self.people[name] = Participant(
            home,
            entropy=Source(name),
            accept=decline_rehearsals if host else ask_first,
            host=self._mark,
            keeps_time=keeps_time,
        )
        for number, frame in enumerate(self.frames):
            one.receive(frame, number)
        self.say(*one.resend())
        return one

    def say(self, *frames: bytes) -> None:
        waiting = list(frames)
        while waiting:
            self.frames.append(frame := waiting.pop(0))
            for one in self.people.values():
                while one.next_frame_number < len(self.frames):
                    waiting += one.receive(self.frames[one.next_frame_number], one.next_frame_number).send
            assert frame

    def host_looks(self, now: float = 0.0) -> None:
        self.say(*self.hosting.on_tick(next(iter(self.people.values())), now))

    @property
    def seated(self) -> list[str]:
        proposal = next(iter(self.people.values())).lobby.proposal
        return [] if proposal is None else [member.name for member in proposal.roster.members]


def _identity(name: str) -> Identity:
    return Identity(expand("key", name, size=32))


def run(work: Coroutine[Any, Any, None]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(60):
            await work

    asyncio.run(limited())


def test_a_yes_to_one_is_no_yes_to_another_of_that_name(tmp_path: Path) -> None:
    """The first Ben takes the offer back, and another key comes as Ben, before the host's line is looked at."""

    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben")
        host = door.typing["Ada"]
        door.host_looks()
        await asyncio.sleep(0)
        assert host.asked == ["Let Ben sit down? [Y/n] "]
        door.say(*door.people["Ben"].withdraw())
        await host.type("y")
        door.come("Ben", key="Eve")
        door.host_looks()
        await asyncio.sleep(0)
        assert host.asked == ["Let Ben sit down? [Y/n] "] * 2, "asked anew"

    run(work())


def test_what_is_neither_yes_nor_no_sends_nobody_away(tmp_path: Path) -> None:
    """Such as a word for the host's program, typed at the moment when somebody comes."""

    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", seats=2)
        host = door.typing["Ada"]
        for line in ("code", "perhaps", "yes"):
            door.host_looks()
            await host.type(line)
            door.host_looks()
        assert host.asked == ["Let Ben sit down? [Y/n] "] * 3 and door.seated == ["Ada", "Ben"]

    run(work())


def test_who_has_declined_is_asked_again_when_it_comes_anew(tmp_path: Path) -> None:
    """Its program could not play what was proposed, say, and now it can. As long as it only stays it is not asked."""

    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", seats=2)
        host = door.typing["Ada"]
        door.host_looks()
        await host.type("y")
        door.host_looks()
        ben = door.people["Ben"]
        guest = Guest(lambda news: None, door.known, None)
        door.say(*ben.decline("this game is not installed here"))
        door.hosting.declined(ben.store.identity.public)
        for _ in range(2):
            door.host_looks()
            await asyncio.sleep(0)
        assert host.asked == ["Let Ben sit down? [Y/n] ", ""] and not door.seated
        back = door.come("Ben")
        door.say(*guest.on_tick(back, 0.0))
        door.say(*guest.on_tick(back, 0.0))
        assert back.lobby.own_offer is not None and back.lobby.own_offer.number == 1 and not guest.on_tick(back, 0.0)
        door.host_looks()
        await asyncio.sleep(0)
        assert host.asked == ["Let Ben sit down? [Y/n] ", "", "Let Ben sit down? [Y/n] "]
        await host.type("y")
        door.host_looks()
        assert door.seated == ["Ada", "Ben"]

    run(work())


def test_who_comes_back_and_is_asked_already_only_answers(tmp_path: Path) -> None:
    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", seats=2)
        ada, ben = door.people.values()
        for _ in range(2):
            assert ada.lobby.proposal is None
            members = [offer.as_member(seat) for seat, offer in enumerate(ada.offers)]
            door.say(*ada.propose(door.plan.proposal(members)))
            if not ben.lobby.has_declined:
                door.say(*ben.decline("not now"))
        door.say(*Guest(lambda news: None, door.known, None).on_tick(door.come("Ben"), 0.0))
        assert ada.has_session

    run(work())


def test_who_is_sent_away_is_named_as_it_was_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben")
        told: list[object] = []
        monkeypatch.setattr(door.hosting, "_say", told.append)
        for line in ("yes", "Without  Ben"):
            door.host_looks()
            await door.typing["Ada"].type(line)
            door.host_looks()
        assert told[-1] == NotSitting("Ben", True)

    run(work())


def test_the_name_of_who_was_sent_away_is_free(tmp_path: Path) -> None:
    """For somebody else; and then, when that one has gone, for the same person, about whom the host is asked anew. Who
    was sent away does not come again by itself."""

    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben")
        host, ben = door.typing["Ada"], door.people["Ben"]
        door.host_looks()
        await host.type("n")
        door.host_looks()
        door.host_looks()
        assert ben.lobby.own_offer is None and ben.resend() == []
        del door.people["Ben"]
        other = door.come("Ben", key="Eve")
        assert other.lobby.own_offer is not None
        door.host_looks()
        await host.type("y")
        door.host_looks()
        door.say(*other.withdraw())
        del door.people["Ben"]
        again = Participant(ben.store, entropy=Source("Ben"), accept=ask_first, host=door._mark)
        for number, frame in enumerate(door.frames):
            again.receive(frame, number)
        door.people["Ben"] = again
        door.say(*again.resend())
        assert again.lobby.own_offer is not None and again.lobby.own_offer.number == 1
        asked = len(host.asked)
        door.host_looks()
        await asyncio.sleep(0)
        assert host.asked[asked:] == ["Let Ben sit down? [Y/n] "]

    run(work())


@pytest.mark.parametrize("again", ["Cleo", "Clock"])
def test_who_was_let_in_does_not_come_back_as_another(tmp_path: Path, again: str) -> None:
    """Under another name, or to keep the time."""

    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", "Dov")
        host = door.typing["Ada"]
        door.host_looks()
        await host.type("y")
        door.host_looks()
        door.say(*door.people["Ben"].withdraw())
        del door.people["Ben"]
        door.come(again, key="Ben", keeps_time=again == "Clock")
        door.host_looks()
        await host.type("y")
        for _ in range(2):
            door.host_looks()
        await asyncio.sleep(0)
        assert host.asked[0] == "Let Ben sit down? [Y/n] " and f"Let {again} " in host.asked[-1] and not door.seated

    run(work())


def test_who_was_let_in_may_come_again_as_the_same(tmp_path: Path) -> None:
    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", seats=2)
        door.hosting.admit(_identity("Ben").public, "Ben")
        door.say(*door.people["Ben"].withdraw())
        del door.people["Ben"]
        door.come("Ben")
        door.host_looks()
        assert door.seated == ["Ada", "Ben"] and not door.typing["Ada"].asked

    run(work())


def proposes(door: Door, hands: int, on: tuple[str, bytes] | None = None) -> None:
    plan = door.plan if on is None else replace(door.plan, protocol=on[0], parameters=on[1])
    host = door.people["Ada"]
    offers = {offer.name: offer for offer in host.offers}
    members = [offers[name].as_member(seat) for seat, name in enumerate(("Ada", "Ben"))]
    door.say(*host.propose(msgspec.structs.replace(plan.proposal(members), hands=hands)))


@pytest.mark.parametrize("line", ["", "y"])
def test_a_yes_to_one_proposal_is_no_yes_to_the_next(tmp_path: Path, line: str) -> None:
    """The host takes its proposal back and makes another one, after the guest has typed and before it is looked at."""

    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", seats=2)
        ben, typing = door.people["Ben"], door.typing["Ben"]
        guest = Guest(LobbyScreen(Screen(json=True)), door.known, Questions(typing))  # type: ignore[arg-type]

        def looks() -> None:
            door.say(*guest.on_tick(ben, 0.0))

        proposes(door, hands=1)
        looks()
        await typing.type(line)
        door.say(*door.people["Ada"].decline("a mistake"))
        proposes(door, hands=9999)
        looks()
        await asyncio.sleep(0)
        assert ben.lobby.is_considering and "DIFFERENT" in typing.asked[-1]
        # An Enter that was on its way is no answer either; a word is.
        await typing.type("")
        for _ in range(2):
            looks()
            assert ben.lobby.is_considering
        await typing.type("yes")
        looks()
        assert ben.has_session

    run(work())


def test_what_is_typed_while_nothing_is_proposed_answers_nothing(tmp_path: Path) -> None:
    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", seats=2)
        ben, typing = door.people["Ben"], door.typing["Ben"]
        guest = Guest(LobbyScreen(Screen(json=True)), door.known, Questions(typing))  # type: ignore[arg-type]
        proposes(door, hands=1)
        assert guest.on_tick(ben, 0.0) == []
        door.say(*door.people["Ada"].decline("a mistake"))
        assert guest.on_tick(ben, 0.0) == []
        await asyncio.sleep(0)
        proposes(door, hands=1)
        assert guest.on_tick(ben, 0.0) == []
        await typing.type("")
        door.say(*guest.on_tick(ben, 0.0))
        assert ben.has_session, "the same again is the same"

    run(work())


def test_one_who_never_answers_does_not_keep_a_bot_from_playing_with_the_others(tmp_path: Path) -> None:
    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", "Cleo", auto=True)
        door.come("Dov")
        cleo = Guest(LobbyScreen(Screen(json=True)), door.known, None)
        door.host_looks(0.0)
        assert door.seated == ["Ada", "Ben", "Cleo"]
        door.say(*cleo.on_tick(door.people["Cleo"], 0.0))
        for now in (1.0, ANSWER_LIMIT - 1):
            door.host_looks(now)
        assert door.seated == ["Ada", "Ben", "Cleo"]
        door.host_looks(ANSWER_LIMIT + 1)
        door.host_looks(ANSWER_LIMIT + 2)
        assert door.seated == ["Ada", "Cleo", "Dov"]

    run(work())


def test_at_two_seats_the_hosts_own_timekeeper_is_not_proposed(tmp_path: Path) -> None:
    """It would decide alone who is late; one that a guest brings may."""

    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", auto=True, seats=2)
        door.come("Clock", keeps_time=True)
        door.hosting._keeper = _identity("Clock").public
        door.host_looks(0.0)
        assert door.seated == ["Ada", "Ben"]

    run(work())


@pytest.mark.parametrize("seats", [2, 3])
def test_a_stranger_does_not_keep_the_time_of_a_bot(tmp_path: Path, seats: int) -> None:
    """Whoever has the link may come; who is late is not for everybody to say."""

    async def work() -> None:
        door = Door(tmp_path, *("Ada", "Ben", "Cleo")[:seats], auto=True, seats=seats)
        door.come("Eve", keeps_time=True)
        door.host_looks()
        assert door.seated == ["Ada", "Ben", "Cleo"][:seats]

    run(work())


def test_a_timekeeper_that_the_host_has_asked_for_is_waited_for(tmp_path: Path) -> None:
    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", auto=True, seats=2, invites_keeper=True)
        for now in (0.0, 1000.0):
            door.host_looks(now)
        assert not door.seated
        door.come("Clock", keeps_time=True)
        door.host_looks(1001.0)
        assert door.seated == ["Ada", "Ben", "Clock"]

    run(work())


def test_a_person_is_asked_about_it_at_a_full_table_too(tmp_path: Path) -> None:
    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", seats=2, invites_keeper=True)
        door.hosting.admit(_identity("Ben").public, "Ben")
        door.come("Clock", keeps_time=True)
        door.host_looks()
        await asyncio.sleep(0)
        assert door.typing["Ada"].asked == ["Let Clock be the timekeeper? [Y/n] "] and not door.seated
        await door.typing["Ada"].type("y")
        door.host_looks()
        assert door.seated == ["Ada", "Ben", "Clock"]

    run(work())


def test_who_looks_on_is_told_that_there_is_no_game_yet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", seats=3)
        clock, onlooker = door.come("Clock", keeps_time=True), Onlooker(LobbyScreen(Screen(json=False)))
        for _ in range(2):
            onlooker.on_tick(clock, 0.0)
        door.come("Cleo")
        onlooker.on_tick(clock, 0.0)

    run(work())
    first, second = capsys.readouterr().out.splitlines()
    assert first == "The game has not begun yet. At the table: Ada, Ben."
    assert second == "At the table: Ada, Ben, Cleo."


def test_a_timekeeper_that_never_answers_is_not_proposed_again(tmp_path: Path) -> None:
    """Not the host's own one either: its program may have ended."""

    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", "Cleo", auto=True)
        door.come("Clock", keeps_time=True)
        door.hosting._keeper = _identity("Clock").public
        door.host_looks(0.0)
        assert door.seated == ["Ada", "Ben", "Cleo", "Clock"]
        for name in ("Ben", "Cleo"):
            door.say(*Guest(LobbyScreen(Screen(json=True)), door.known, None).on_tick(door.people[name], 0.0))
        for now in (1.0, ANSWER_LIMIT + 2, ANSWER_LIMIT + 3, ANSWER_LIMIT + 20):
            door.host_looks(now)
        assert door.seated == ["Ada", "Ben", "Cleo"]

    run(work())


@pytest.mark.parametrize("json", [False, True])
def test_a_guest_sees_what_a_host_has_set(tmp_path: Path, json: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """A host may propose a game as was said, on a protocol that promises less."""

    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", seats=2)
        proposes(door, hands=1, on=("chain", b'{"proven":false}'))
        Guest(LobbyScreen(Screen(json)), door.known, None).on_tick(door.people["Ben"], 0.0)

    run(work())
    said = capsys.readouterr().out
    assert "proven" in said and "false" in said and "Nothing proves a shuffle here" in said


def test_an_answer_of_a_page_is_to_the_question_that_it_showed(tmp_path: Path) -> None:
    """A click may be on its way while another proposal takes the place of the one that it was for."""

    async def work() -> None:
        door, page = Door(tmp_path, "Ada", "Ben", seats=2), Page()
        ben = door.people["Ben"]
        guest = Guest(page.lobby.on_event, door.known, page.questions)
        proposes(door, hands=1)
        assert guest.on_tick(ben, 0.0) == [] and page.questions.question is not None
        first = page.questions.question.ask
        door.say(*door.people["Ada"].decline("a mistake"))
        proposes(door, hands=2, on=("chain", b'{"proven":false}'))
        assert guest.on_tick(ben, 0.0) == []
        assert page.lobby.proposal is not None and page.lobby.proposal.warning is not None
        assert "Nothing proves a shuffle here" in page.lobby.proposal.warning
        page.hub.on_message(doc.Answer(first, "y"))
        assert guest.on_tick(ben, 0.0) == [] and ben.lobby.is_considering
        page.hub.on_message(doc.Answer(page.questions.question.ask, "y"))
        door.say(*guest.on_tick(ben, 0.0))
        assert ben.has_session

    run(work())
