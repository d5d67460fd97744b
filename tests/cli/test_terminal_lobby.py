"""Host and guests in a lobby: what was said of one does not count for another."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cli.person import Reading, Typing, Wire
from client.looking import status_at
from conformance.harness import Source
from nodealer.cli.identity_prompt import contacts_in
from nodealer.cli.json_ui import JsonUI
from nodealer.cli.terminal.ui import TerminalUI
from nodealer.client.events import NotSitting
from nodealer.client.game_loader import load_game
from nodealer.client.lobby import ANSWER_LIMIT, Guest, Host, LobbyRole, Onlooker, ask_first
from nodealer.client.setup import table_setup
from nodealer.client.table_client import Behaviour, TableClient
from nodealer.client.transport import Connected
from nodealer.engine.commands import DeclineProposal, ProposeSession, WithdrawOffer
from nodealer.engine.lobby import decline_rehearsals
from nodealer.engine.participant import Participant
from nodealer.engine.store import MemoryPlayerStore
from nodealer.keys import Identity, host_mark
from nodealer.log.session import Limits
from nodealer.protocols import make_protocol
from nodealer.tape import expand

CLOCK = Limits(move=1000, cards=1000, bank=1000, refill=1000)


class Client:
    """The client of one of those in the lobby, with a keyboard."""

    def __init__(self, door: Door, one: Participant, ui: Reading, role: LobbyRole) -> None:
        self.ui, self.wire = ui, Wire()
        client = TableClient(one, self.wire, ui, Behaviour(role=role), clock=lambda: door.now)
        self.wire.incoming.put_nowait(Connected(len(door.frames)))
        for frame in door.frames:
            self.wire.incoming.put_nowait(frame)
        self.task = asyncio.ensure_future(client.run())

    async def rest(self) -> None:
        """It has done all that there is to do now."""
        seen = self.ui.seen
        while not self.task.done() and (self.wire.incoming.qsize() or self.ui.seen < seen + 3):
            await asyncio.sleep(0)


class Door:
    """A lobby: the host is the first, and everybody hears all frames at once. The host has a client."""

    def __init__(
        self,
        folder: Path,
        *names: str,
        auto: bool = False,
        seats: int = 3,
        invites_keeper: bool = False,
        keeper: str | None = None,
    ) -> None:
        self.known = contacts_in(folder)
        self.people: dict[str, Participant] = {}
        self.clients: dict[str, Client] = {}
        self.frames: list[bytes] = []
        self.now = 0.0
        self._mark = host_mark(_identity(names[0]).public)
        self.typing = {name: Typing() for name in names}
        self.plan = table_setup(load_game("holdem"), load_game("holdem").settled({}), seats=seats, hands=1, clock=CLOCK)
        self.ui = Reading(self.typing[names[0]], None if auto else names[0])
        self.hosting = Host(
            self.plan,
            seats,
            self.ui.show,
            self.known,
            asks=not auto,
            invites_keeper=invites_keeper,
            keeper=None if keeper is None else _identity(keeper).public,
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
        if host:
            self.sit(name, self.ui, self.hosting)
        else:
            for number, frame in enumerate(self.frames):
                one.receive(frame, number)
            self.say(*one.resend())
        return one

    def sit(self, name: str, ui: Reading, role: LobbyRole) -> Client:
        """Somebody has a client from now on."""
        one = self.clients[name] = Client(self, self.people[name], ui, role)
        return one

    def say(self, *frames: bytes) -> None:
        waiting = list(frames)
        while waiting:
            self.frames.append(frame := waiting.pop(0))
            for name, one in self.people.items():
                if name in self.clients:
                    self.clients[name].wire.incoming.put_nowait(frame)
                    continue
                while one.next_frame_number < len(self.frames):
                    waiting += one.receive(self.frames[one.next_frame_number], one.next_frame_number).send

    async def looks(self, now: float | None = None) -> None:
        """All clients have done what there is to do, and everybody has heard of it."""
        self.now = self.now if now is None else now
        for _ in range(3):
            for client in list(self.clients.values()):
                await client.rest()
                sent, client.wire.sent = client.wire.sent, []
                self.say(*sent)

    async def acts(self, role: LobbyRole, one: Participant, now: float = 0.0) -> None:
        """Let a role act for one without a client."""
        await self.looks()
        for command in role.on_status(status_at(one, now)):
            self.say(*one.command(command))
        await self.looks()

    def asked(self, name: str) -> list[str]:
        """What somebody was asked."""
        return [prompt for prompt in self.typing[name].asked if prompt]

    async def type(self, name: str, line: str) -> None:
        """Somebody types, when all else is done."""
        await self.looks()
        self.typing[name].type(line)
        await self.looks()

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

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nodealer.client.table_client.WAKE_SECONDS", 0.0)
        asyncio.run(limited())


def test_a_yes_to_one_is_no_yes_to_another_of_that_name(tmp_path: Path) -> None:
    """The first Ben takes the offer back, and another key comes as Ben, before the host's line is looked at."""

    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben")
        await door.looks()
        assert door.asked("Ada") == ["Let Ben sit down? [Y/n] "]
        door.typing["Ada"].type("y")
        door.say(*door.people["Ben"].command(WithdrawOffer()))
        door.come("Ben", key="Eve")
        await door.looks()
        assert door.asked("Ada") == ["Let Ben sit down? [Y/n] "] * 2, "asked anew"

    run(work())


def test_what_is_neither_yes_nor_no_sends_nobody_away(tmp_path: Path) -> None:
    """Such as a word for the host's program, typed at the moment when somebody comes."""

    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", seats=2)
        for line in ("code", "perhaps", "yes"):
            await door.type("Ada", line)
        assert door.asked("Ada") == ["Let Ben sit down? [Y/n] "] * 3 and door.seated == ["Ada", "Ben"]

    run(work())


def test_who_has_declined_is_asked_again_when_it_comes_anew(tmp_path: Path) -> None:
    """Its program could not play what was proposed, say, and now it can. As long as it only stays it is not asked."""

    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", seats=2)
        await door.type("Ada", "y")
        ben = door.people["Ben"]
        guest = Guest(lambda news: None, door.known, asks=False)
        door.say(*ben.command(DeclineProposal("this game is not installed here")))
        for _ in range(2):
            await door.looks()
        assert door.asked("Ada") == ["Let Ben sit down? [Y/n] "] and not door.seated
        assert door.typing["Ada"].asked[-1] == "", "the host may say something else meanwhile"
        back = door.come("Ben")
        await door.acts(guest, back)
        await door.acts(guest, back)
        assert back.lobby.own_offer is not None and back.lobby.own_offer.number == 1
        assert not guest.on_status(status_at(back))
        assert door.asked("Ada") == ["Let Ben sit down? [Y/n] "] * 2
        await door.type("Ada", "y")
        assert door.seated == ["Ada", "Ben"]

    run(work())


def test_who_comes_back_and_is_asked_already_only_answers(tmp_path: Path) -> None:
    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", seats=2)
        await door.looks()
        ada, ben = door.people.values()
        for _ in range(2):
            assert ada.lobby.proposal is None
            proposes(door, hands=1)
            await door.looks()
            if not ben.lobby.has_declined:
                door.say(*ben.command(DeclineProposal("not now")))
                await door.looks()
        await door.acts(Guest(lambda news: None, door.known, asks=False), door.come("Ben"))
        assert ada.has_session

    run(work())


def test_who_is_sent_away_is_named_as_it_was_typed(tmp_path: Path) -> None:
    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben")
        for line in ("yes", "Without  Ben"):
            await door.type("Ada", line)
        assert door.ui.shown[-1] == NotSitting("Ben", True) and door.ui.lines[-1] == "Ben is not seated."

    run(work())


def test_what_a_host_may_type(tmp_path: Path) -> None:
    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", "Cleo")
        await door.type("Ada", "yes")
        await door.type("Ada", "no")
        for line in ("juggle", "?", "??"):
            said = len(door.ui.lines)
            await door.type("Ada", line)
            assert len(door.ui.lines) == said + 1, "only what works here is offered"
            assert door.ui.lines[-1].startswith("Type start to begin with the players seated, code for a pairing code")
        said = len(door.ui.lines)
        await door.type("Ada", "")
        assert len(door.ui.lines) == said, "Enter alone is nothing"
        await door.type("Ada", "code")
        assert "pairing codes are not available at this table" in door.ui.lines[-1]
        await door.type("Ada", "without Zed")
        assert door.ui.lines[-1] == "No one here is called Zed."
        await door.type("Ada", "Start")
        assert door.seated == ["Ada", "Ben"]

    run(work())


def test_the_name_of_who_was_sent_away_is_free(tmp_path: Path) -> None:
    """For somebody else; and then, when that one has gone, for the same person, about whom the host is asked anew. Who
    was sent away does not come again by itself."""

    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben")
        ben = door.people["Ben"]
        await door.type("Ada", "n")
        assert ben.lobby.own_offer is None and ben.resend() == []
        del door.people["Ben"]
        other = door.come("Ben", key="Eve")
        assert other.lobby.own_offer is not None
        await door.type("Ada", "y")
        door.say(*other.command(WithdrawOffer()))
        del door.people["Ben"]
        await door.looks()
        asked = len(door.asked("Ada"))
        again = Participant(ben.store, entropy=Source("Ben"), accept=ask_first, host=door._mark)
        for number, frame in enumerate(door.frames):
            again.receive(frame, number)
        door.people["Ben"] = again
        door.say(*again.resend())
        assert again.lobby.own_offer is not None and again.lobby.own_offer.number == 1
        await door.looks()
        assert door.asked("Ada")[asked:] == ["Let Ben sit down? [Y/n] "]

    run(work())


@pytest.mark.parametrize("again", ["Cleo", "Clock"])
def test_who_was_let_in_does_not_come_back_as_another(tmp_path: Path, again: str) -> None:
    """Under another name, or to keep the time."""

    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", "Dov")
        await door.type("Ada", "y")
        door.say(*door.people["Ben"].command(WithdrawOffer()))
        del door.people["Ben"]
        door.come(again, key="Ben", keeps_time=again == "Clock")
        await door.type("Ada", "y")
        await door.looks()
        assert door.asked("Ada")[0] == "Let Ben sit down? [Y/n] "
        assert f"Let {again} " in door.asked("Ada")[-1] and not door.seated

    run(work())


def test_who_was_let_in_may_come_again_as_the_same(tmp_path: Path) -> None:
    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", seats=2)
        door.hosting.admit(_identity("Ben").public, "Ben")
        door.say(*door.people["Ben"].command(WithdrawOffer()))
        del door.people["Ben"]
        door.come("Ben")
        await door.looks()
        assert door.seated == ["Ada", "Ben"] and not door.asked("Ada")

    run(work())


def proposes(door: Door, hands: int, on: tuple[str, bytes] | None = None) -> None:
    plan = door.plan if on is None else replace(door.plan, protocol=make_protocol(*on))
    host = door.people["Ada"]
    offers = {offer.name: offer for offer in host.offers}
    members = [offers[name].as_member(seat) for seat, name in enumerate(("Ada", "Ben"))]
    door.say(*host.command(ProposeSession(msgspec.structs.replace(plan.proposal(members), hands=hands))))


@pytest.mark.parametrize("line", ["", "y"])
def test_a_yes_to_one_proposal_is_no_yes_to_the_next(tmp_path: Path, line: str) -> None:
    """The host takes its proposal back and makes another one, after the guest has typed and before it is looked at."""

    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", seats=2)
        await door.looks()
        ben = asks_guest(door)
        proposes(door, hands=1)
        await door.looks()
        assert door.asked("Ben") == ["Do you want to play this? [Y/n] "]
        door.typing["Ben"].type(line)
        door.say(*door.people["Ada"].command(DeclineProposal("a mistake")))
        await door.clients["Ada"].rest()
        proposes(door, hands=9999)
        await door.looks()
        assert ben.lobby.is_considering and "DIFFERENT" in door.asked("Ben")[-1]
        # An Enter that was on its way is no answer either; a word is.
        for _ in range(2):
            await door.type("Ben", "")
            assert ben.lobby.is_considering
        await door.type("Ben", "yes")
        assert ben.has_session

    run(work())


def asks_guest(door: Door) -> Participant:
    """Ben has a client that asks at the keyboard."""
    ui = Reading(door.typing["Ben"], "Ben")
    ben = door.people["Ben"] = Participant(
        door.people["Ben"].store, entropy=Source("Ben"), accept=ask_first, host=door._mark
    )
    door.sit("Ben", ui, Guest(ui.show, door.known, asks=True))
    return ben


def test_what_is_typed_while_nothing_is_proposed_answers_nothing(tmp_path: Path) -> None:
    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", seats=2)
        await door.looks()
        ben = asks_guest(door)
        proposes(door, hands=1)
        await door.looks()
        door.say(*door.people["Ada"].command(DeclineProposal("a mistake")))
        await door.type("Ben", "yes")
        proposes(door, hands=1)
        await door.looks()
        assert ben.lobby.is_considering
        await door.type("Ben", "")
        assert ben.has_session, "the same again is the same"

    run(work())


def test_one_who_never_answers_does_not_keep_a_bot_from_playing_with_the_others(tmp_path: Path) -> None:
    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", "Cleo", auto=True)
        door.come("Dov")
        await door.looks(0.0)
        assert door.seated == ["Ada", "Ben", "Cleo"]
        await door.acts(Guest(lambda news: None, door.known, asks=False), door.people["Cleo"])
        for now in (1.0, ANSWER_LIMIT - 1):
            await door.looks(now)
        assert door.seated == ["Ada", "Ben", "Cleo"]
        await door.looks(ANSWER_LIMIT + 1)
        assert door.seated == ["Ada", "Cleo", "Dov"]

    run(work())


def test_at_two_seats_the_hosts_own_timekeeper_is_not_proposed(tmp_path: Path) -> None:
    """It would decide alone who is late; one that a guest brings may."""

    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", auto=True, seats=2, keeper="Clock")
        door.come("Clock", keeps_time=True)
        await door.looks(0.0)
        assert door.seated == ["Ada", "Ben"]

    run(work())


@pytest.mark.parametrize("seats", [2, 3])
def test_a_stranger_does_not_keep_the_time_of_a_bot(tmp_path: Path, seats: int) -> None:
    """Whoever has the link may come; who is late is not for everybody to say."""

    async def work() -> None:
        door = Door(tmp_path, *("Ada", "Ben", "Cleo")[:seats], auto=True, seats=seats)
        door.come("Eve", keeps_time=True)
        await door.looks()
        assert door.seated == ["Ada", "Ben", "Cleo"][:seats]

    run(work())


def test_a_timekeeper_that_the_host_has_asked_for_is_waited_for(tmp_path: Path) -> None:
    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", auto=True, seats=2, invites_keeper=True)
        for now in (0.0, 1000.0):
            await door.looks(now)
        assert not door.seated
        door.come("Clock", keeps_time=True)
        await door.looks(1001.0)
        assert door.seated == ["Ada", "Ben", "Clock"]

    run(work())


def test_a_person_is_asked_about_it_at_a_full_table_too(tmp_path: Path) -> None:
    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", seats=2, invites_keeper=True)
        door.hosting.admit(_identity("Ben").public, "Ben")
        door.come("Clock", keeps_time=True)
        await door.looks()
        assert door.asked("Ada") == ["Let Clock be the timekeeper? [Y/n] "] and not door.seated
        await door.type("Ada", "y")
        assert door.seated == ["Ada", "Ben", "Clock"]

    run(work())


def test_who_looks_on_is_told_that_there_is_no_game_yet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", seats=3)
        await door.looks()
        clock = door.come("Clock", keeps_time=True)
        onlooker = Onlooker(TerminalUI(name=None, network=True).show)
        for _ in range(2):
            await door.acts(onlooker, clock)
        door.come("Cleo")
        await door.acts(onlooker, clock)

    run(work())
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("The game has not begun yet. At the table: ")
    assert sorted(first.partition("table: ")[2].strip(".").split(", ")) == ["Ada", "Ben"]
    assert second == f"At the table: {first.partition('table: ')[2].strip('.')}, Cleo."


def test_a_timekeeper_that_never_answers_is_not_proposed_again(tmp_path: Path) -> None:
    """Not the host's own one either: its program may have ended."""

    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", "Cleo", auto=True, keeper="Clock")
        door.come("Clock", keeps_time=True)
        await door.looks(0.0)
        assert door.seated == ["Ada", "Ben", "Cleo", "Clock"]
        for name in ("Ben", "Cleo"):
            await door.acts(Guest(lambda news: None, door.known, asks=False), door.people[name])
        for now in (1.0, ANSWER_LIMIT + 2, ANSWER_LIMIT + 3, ANSWER_LIMIT + 20):
            await door.looks(now)
        assert door.seated == ["Ada", "Ben", "Cleo"]

    run(work())


@pytest.mark.parametrize("json", [False, True])
def test_a_guest_sees_what_a_host_has_set(tmp_path: Path, json: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """A host may propose a game as was said, on a protocol that promises less."""

    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", seats=2)
        await door.looks()
        proposes(door, hands=1, on=("chain", b'{"proven":false}'))
        show = JsonUI().show if json else TerminalUI(name=None, network=True).show
        Guest(show, door.known, asks=False).on_status(status_at(door.people["Ben"]))

    run(work())
    said = capsys.readouterr().out
    assert "proven" in said and "false" in said and "Nothing proves a shuffle here" in said


def test_enter_alone_is_no_when_somebody_has_not_answered(tmp_path: Path) -> None:
    async def work() -> None:
        door = Door(tmp_path, "Ada", "Ben", seats=2)
        await door.type("Ada", "")
        assert door.seated == ["Ada", "Ben"], "and yes to somebody who has come"
        await door.looks(16.0)
        assert door.asked("Ada")[-1] == "Ben has not answered. Go on without Ben? [y/N] "
        await door.type("Ada", "")
        assert door.seated == ["Ada", "Ben"]
        await door.looks(40.0)
        await door.type("Ada", "y")
        assert not door.seated

    run(work())
