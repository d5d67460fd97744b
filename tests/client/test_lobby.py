"""Host, guests and onlookers in a lobby: what was said of one does not count for another."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from client.looking import status_at
from conformance.harness import Source
from nodealer.client import events
from nodealer.client.commands import IssueCode, StartGame, TurnAway
from nodealer.client.contacts import Contacts
from nodealer.client.durable_files import SmallFile
from nodealer.client.game_loader import load_game
from nodealer.client.lobby import ANSWER_AFTER, ANSWER_LIMIT, KEEPER_AFTER, Guest, Host, LobbyRole, Onlooker, ask_first
from nodealer.client.questions import Asked, LobbyQuestion
from nodealer.client.setup import table_setup
from nodealer.engine.commands import DeclineProposal, DismissOffer, ProposeSession, WithdrawOffer
from nodealer.engine.lobby import decline_rehearsals
from nodealer.engine.lobby_messages import ProposalDeclined
from nodealer.engine.participant import Participant
from nodealer.engine.store import MemoryPlayerStore
from nodealer.errors import BadParameter
from nodealer.keys import Identity, host_mark
from nodealer.log.session import Limits
from nodealer.protocols import make_protocol
from nodealer.tape import expand

GAME = load_game("holdem")
CLOCK = Limits(move=1000, cards=1000, bank=1000, refill=1000)


class Door:
    """A lobby: the host is the first, and everyone hears all frames at once."""

    def __init__(
        self,
        folder: Path,
        *names: str,
        auto: bool = False,
        seats: int = 3,
        invites_keeper: bool = False,
        keeper: str | None = None,
    ) -> None:
        self.known = Contacts(SmallFile(folder / "players", 1 << 16))
        self.people: dict[str, Participant] = {}
        self.frames: list[bytes] = []
        self.mark = host_mark(_identity(names[0]).public)
        self.setup = table_setup(GAME, GAME.settled({}), seats=seats, hands=1, clock=CLOCK)
        self.shown: list[events.TableEvent] = []
        self.codes = 0
        self.host = Host(
            self.setup,
            seats,
            self.shown.append,
            self.known,
            asks=not auto,
            keeper=None if keeper is None else _identity(keeper).public,
            invites_keeper=invites_keeper,
            issue_code=self.issue,
        )
        for name in names:
            self.come(name, host=name == names[0])

    def issue(self) -> None:
        self.codes += 1

    def come(self, name: str, *, key: str | None = None, host: bool = False, keeps_time: bool = False) -> Participant:
        home = MemoryPlayerStore(name, _identity(key or name), expand("root", name, key or "", size=32))
        accept = decline_rehearsals if host else ask_first
        one = Participant(home, entropy=Source(name), accept=accept, host=self.mark, keeps_time=keeps_time)
        return self.enter(name, one)

    def enter(self, name: str, one: Participant) -> Participant:
        self.people[name] = one
        for number, frame in enumerate(self.frames):
            one.receive(frame, number)
        self.say(*one.resend())
        return one

    def say(self, *frames: bytes) -> None:
        waiting = list(frames)
        while waiting:
            self.frames.append(waiting.pop(0))
            for one in self.people.values():
                while one.next_frame_number < len(self.frames):
                    waiting += one.receive(self.frames[one.next_frame_number], one.next_frame_number).send

    def looks(self, name: str, role: LobbyRole, now: float = 0.0) -> int:
        """Let a role look at the lobby, carry out what it wants, and return how much that was."""
        commands = list(role.on_status(status_at(self.people[name], now)))
        for command in commands:
            self.say(*self.people[name].command(command))
        return len(commands)

    def host_looks(self, now: float = 0.0) -> None:
        self.looks(next(iter(self.people)), self.host, now)

    def asked(self) -> tuple[Asked, str] | None:
        question = self.host.question
        return None if question is None else (question.asked, question.name)

    def answers(self, yes: bool, now: float = 0.0) -> None:
        """The host answers the open question."""
        assert self.host.question is not None
        self.host.answer(self.host.question, yes)
        self.host_looks(now)

    @property
    def seated(self) -> list[str]:
        proposal = next(iter(self.people.values())).lobby.proposal
        return [] if proposal is None else [member.name for member in proposal.roster.members]

    def guest(self, *, asks: bool = True) -> tuple[Guest, list[events.TableEvent]]:
        shown: list[events.TableEvent] = []
        return Guest(shown.append, self.known, asks=asks), shown

    def proposes(self, hands: int, on: tuple[str, bytes] | None = None) -> None:
        """The host proposes this many hands to Ada and Ben."""
        host, setup = self.people["Ada"], self.setup
        if on is not None:
            setup = table_setup(GAME, GAME.settled({}), seats=2, hands=1, protocol=on[0], parameters=on[1])
            assert make_protocol(*on).parameters == setup.protocol.parameters
        offers = {offer.name: offer for offer in host.offers}
        members = [offers[name].as_member(seat) for seat, name in enumerate(("Ada", "Ben"))]
        self.say(*host.command(ProposeSession(msgspec.structs.replace(setup.proposal(members), hands=hands))))

    def declines(self, name: str, reason: str) -> None:
        one = self.people[name]
        self.say(*one.command(DeclineProposal(reason)))
        self.host.on_declined(ProposalDeclined(one.store.identity.public, name, reason, mine=False))


def _identity(name: str) -> Identity:
    return Identity(expand("key", name, size=32))


def open_of(role: LobbyRole) -> LobbyQuestion | None:
    """Return what a role asks."""
    return role.question


def answer(role: LobbyRole, yes: bool) -> None:
    """Answer what a role asks."""
    assert role.question is not None
    role.answer(role.question, yes)


# --- The host ---


def test_who_arrives_is_shown_once_and_asked_about(tmp_path: Path) -> None:
    door = Door(tmp_path, "Ada")
    door.host_looks()
    assert door.asked() == (Asked.GUESTS, "") and not door.shown
    door.come("Ben")
    for _ in range(3):
        door.host_looks()
    assert [type(event) for event in door.shown] == [events.Came, events.CheckedContact]
    assert door.asked() == (Asked.SIT, "Ben")
    door.answers(True)
    assert door.shown[-1] == events.MaySit("Ben", False, 2, 3) and door.asked() == (Asked.GUESTS, "")


def test_a_yes_to_one_is_no_yes_to_another_of_that_name(tmp_path: Path) -> None:
    """The first Ben takes the offer back, and another key comes as Ben, before the host's answer arrives."""
    door = Door(tmp_path, "Ada", "Ben")
    door.host_looks()
    first = door.host.question
    assert first is not None and first.asked is Asked.SIT
    door.say(*door.people["Ben"].command(WithdrawOffer()))
    door.come("Ben", key="Eve")
    door.host_looks()
    assert door.asked() == (Asked.SIT, "Ben") and door.host.question != first, "asked again"
    door.host.answer(first, True)
    door.host_looks()
    assert door.asked() == (Asked.SIT, "Ben") and not door.seated
    assert not [event for event in door.shown if isinstance(event, events.MaySit)]


def test_who_has_declined_is_asked_again_when_they_come_again(tmp_path: Path) -> None:
    """Their program could not play what was proposed, say, and now it can. As long as they only stay, no one asks."""
    door = Door(tmp_path, "Ada", "Ben", seats=2)
    door.host_looks()
    door.answers(True)
    assert door.seated == ["Ada", "Ben"]
    door.declines("Ben", "this game is not installed here")
    for _ in range(2):
        door.host_looks()
    assert door.asked() == (Asked.GUESTS, "") and not door.seated
    back, (guest, _) = door.come("Ben"), door.guest(asks=False)
    assert door.looks("Ben", guest) and door.looks("Ben", guest)
    assert back.lobby.own_offer is not None and back.lobby.own_offer.number == 1
    assert not door.looks("Ben", guest)
    door.host_looks()
    assert door.asked() == (Asked.SIT, "Ben")
    door.answers(True)
    assert door.seated == ["Ada", "Ben"]


def test_who_is_sent_away_is_named_as_it_was_typed(tmp_path: Path) -> None:
    door = Door(tmp_path, "Ada", "Ben")
    door.host_looks()
    door.answers(True)
    door.host.command(TurnAway("Ben"))
    assert door.shown[-1] == events.NotSitting("Ben", True)
    door.host.command(TurnAway("Zoe"))
    assert door.shown[-1] == events.NotSitting("Zoe", False)
    door.host_looks()
    assert door.people["Ben"].lobby.own_offer is None


def test_the_name_of_who_was_sent_away_is_free(tmp_path: Path) -> None:
    """For someone else; and then, when that one has gone, for the same person, about whom the host is asked again. A
    player who was sent away does not come again on their own."""
    door = Door(tmp_path, "Ada", "Ben")
    ben = door.people["Ben"]
    door.host_looks()
    door.answers(False)
    door.host_looks()
    assert ben.lobby.own_offer is None and ben.resend() == []
    del door.people["Ben"]
    other = door.come("Ben", key="Eve")
    assert other.lobby.own_offer is not None
    door.host_looks()
    door.answers(True)
    door.say(*other.command(WithdrawOffer()))
    del door.people["Ben"]
    again = door.enter("Ben", Participant(ben.store, entropy=Source("Ben"), accept=ask_first, host=door.mark))
    assert again.lobby.own_offer is not None and again.lobby.own_offer.number == 1
    door.host_looks()
    assert door.asked() == (Asked.SIT, "Ben")


@pytest.mark.parametrize("again", ["Cleo", "Clock"])
def test_who_was_let_in_does_not_come_back_as_another(tmp_path: Path, again: str) -> None:
    """Under another name, or to keep the time."""
    door = Door(tmp_path, "Ada", "Ben", "Dov")
    door.host_looks()
    door.answers(True)
    door.say(*door.people["Ben"].command(WithdrawOffer()))
    del door.people["Ben"]
    door.come(again, key="Ben", keeps_time=again == "Clock")
    door.host_looks()
    assert door.asked() == (Asked.SIT, "Dov")
    door.answers(True)
    for _ in range(2):
        door.host_looks()
    assert door.asked() == (Asked.KEEP_TIME if again == "Clock" else Asked.SIT, again) and not door.seated


def test_who_was_let_in_may_come_again_as_the_same(tmp_path: Path) -> None:
    """By a pairing code, say."""
    door = Door(tmp_path, "Ada", "Ben", seats=2)
    door.host.admit(_identity("Ben").public, "Ben")
    door.say(*door.people["Ben"].command(WithdrawOffer()))
    del door.people["Ben"]
    door.come("Ben")
    door.host_looks()
    assert door.seated == ["Ada", "Ben"] and door.asked() is None


def test_the_host_may_start_with_fewer(tmp_path: Path) -> None:
    door = Door(tmp_path, "Ada", "Ben", seats=4)
    door.host_looks()
    door.host.command(StartGame())
    assert door.shown[-1] == events.NoOneSeated()
    door.answers(True)
    assert not door.seated
    door.host.command(StartGame())
    door.host_looks()
    assert door.seated == ["Ada", "Ben"]


def test_codes(tmp_path: Path) -> None:
    door = Door(tmp_path, "Ada")
    door.host.command(IssueCode())
    assert door.codes == 1
    without = Host(door.setup, 3, door.shown.append, door.known, asks=True)
    with pytest.raises(BadParameter, match="pairing codes are not available"):
        without.command(IssueCode())


def test_nothing_is_decided_before_all_frames_have_arrived(tmp_path: Path) -> None:
    door = Door(tmp_path, "Ada", "Ben", auto=True, seats=2)
    ada = door.people["Ada"]
    ada.resend(len(door.frames) + 1)
    door.host_looks()
    assert not door.seated and not door.shown
    door.say(b"junk")
    door.host_looks()
    assert door.seated == ["Ada", "Ben"]


# --- Players who do not answer ---


def test_one_who_never_answers_does_not_keep_a_bot_from_playing_with_the_others(tmp_path: Path) -> None:
    door = Door(tmp_path, "Ada", "Ben", "Cleo", auto=True)
    door.come("Dov")
    door.host_looks(0.0)
    assert door.seated == ["Ada", "Ben", "Cleo"]
    door.looks("Cleo", door.guest(asks=False)[0])
    for now in (1.0, ANSWER_LIMIT - 1):
        door.host_looks(now)
    assert door.seated == ["Ada", "Ben", "Cleo"]
    door.host_looks(ANSWER_LIMIT + 1)
    door.host_looks(ANSWER_LIMIT + 2)
    assert door.seated == ["Ada", "Cleo", "Dov"]


def test_a_person_is_asked_whether_to_wait_on(tmp_path: Path) -> None:
    door = Door(tmp_path, "Ada", "Ben", seats=2)
    door.host_looks()
    door.answers(True)
    door.host_looks()
    door.host_looks(ANSWER_AFTER - 1)
    assert door.seated == ["Ada", "Ben"] and door.asked() is None
    door.host_looks(ANSWER_AFTER)
    assert door.asked() == (Asked.UNANSWERED, "Ben")
    door.answers(False, ANSWER_AFTER)
    assert door.seated == ["Ada", "Ben"] and door.asked() is None, "the time begins again"
    door.host_looks(2 * ANSWER_AFTER)
    door.answers(True, 2 * ANSWER_AFTER)
    assert not door.seated and door.shown[-1] == events.NotSitting("Ben", True)
    door.host_looks(2 * ANSWER_AFTER)
    assert door.people["Ben"].lobby.own_offer is None


def test_an_answer_that_comes_meanwhile_withdraws_the_question(tmp_path: Path) -> None:
    door = Door(tmp_path, "Ada", "Ben", seats=2)
    door.host_looks()
    door.answers(True)
    door.host_looks()
    door.host_looks(ANSWER_AFTER)
    late = door.host.question
    assert late is not None
    door.looks("Ben", door.guest(asks=False)[0])
    assert door.people["Ada"].has_session
    door.host_looks(ANSWER_AFTER)
    assert door.asked() is None
    door.host.answer(late, True)
    assert not [event for event in door.shown if isinstance(event, events.NotSitting)]


# --- The timekeeper ---


def test_at_two_seats_the_hosts_own_timekeeper_is_not_proposed(tmp_path: Path) -> None:
    """It would decide alone who is late; one that a guest brings may."""
    door = Door(tmp_path, "Ada", "Ben", auto=True, seats=2, keeper="Clock")
    door.come("Clock", keeps_time=True)
    door.host_looks(0.0)
    assert door.seated == ["Ada", "Ben"]


def test_a_full_table_waits_a_while_for_the_hosts_own_timekeeper(tmp_path: Path) -> None:
    door = Door(tmp_path, "Ada", "Ben", "Cleo", auto=True, keeper="Clock")
    door.host_looks(0.0)
    door.host_looks(KEEPER_AFTER - 1)
    assert not door.seated
    door.host_looks(KEEPER_AFTER)
    assert door.seated == ["Ada", "Ben", "Cleo"]


@pytest.mark.parametrize("seats", [2, 3])
def test_a_stranger_does_not_keep_the_time_of_a_bot(tmp_path: Path, seats: int) -> None:
    """Anyone who has the link may come; not anyone may say who is late."""
    door = Door(tmp_path, *("Ada", "Ben", "Cleo")[:seats], auto=True, seats=seats)
    door.come("Eve", keeps_time=True)
    door.host_looks()
    assert door.seated == ["Ada", "Ben", "Cleo"][:seats]


def test_a_timekeeper_that_the_host_has_asked_for_is_waited_for(tmp_path: Path) -> None:
    door = Door(tmp_path, "Ada", "Ben", auto=True, seats=2, invites_keeper=True)
    for now in (0.0, 1000.0):
        door.host_looks(now)
    assert not door.seated and door.shown.count(events.TimekeeperAwaited()) == 1
    door.come("Clock", keeps_time=True)
    door.host_looks(1001.0)
    assert door.seated == ["Ada", "Ben", "Clock"]


def test_a_person_is_asked_about_it_at_a_full_table_too(tmp_path: Path) -> None:
    door = Door(tmp_path, "Ada", "Ben", seats=2, invites_keeper=True)
    door.host.admit(_identity("Ben").public, "Ben")
    door.come("Clock", keeps_time=True)
    door.host_looks()
    assert door.asked() == (Asked.KEEP_TIME, "Clock") and not door.seated
    door.answers(True)
    assert door.seated == ["Ada", "Ben", "Clock"]


def test_a_timekeeper_that_never_answers_is_not_proposed_again(tmp_path: Path) -> None:
    """Not the host's own one either: its program may have ended."""
    door = Door(tmp_path, "Ada", "Ben", "Cleo", auto=True, keeper="Clock")
    door.come("Clock", keeps_time=True)
    door.host_looks(0.0)
    assert door.seated == ["Ada", "Ben", "Cleo", "Clock"]
    for name in ("Ben", "Cleo"):
        door.looks(name, door.guest(asks=False)[0])
    for now in (1.0, ANSWER_LIMIT + 2, ANSWER_LIMIT + 3, ANSWER_LIMIT + 20):
        door.host_looks(now)
    assert door.seated == ["Ada", "Ben", "Cleo"]


# --- A guest ---


def test_a_guest_agrees_or_declines(tmp_path: Path) -> None:
    for yes in (True, False):
        door = Door(tmp_path, "Ada", "Ben", seats=2)
        guest, shown = door.guest()
        door.looks("Ben", guest)
        assert shown == [events.SeatRequested()] and open_of(guest) is None
        door.proposes(1)
        door.looks("Ben", guest)
        door.looks("Ben", guest)
        assert [type(event) for event in shown[1:]] == [events.ProposalReceived, events.CheckedContact]
        assert open_of(guest) == LobbyQuestion(Asked.PROPOSAL, about=door.people["Ben"].lobby.proposal)
        answer(guest, yes)
        door.looks("Ben", guest)
        ada, ben = door.people["Ada"], door.people["Ben"]
        assert ada.has_session is yes and ben.lobby.has_declined is not yes


def test_a_yes_to_one_proposal_is_no_yes_to_the_next(tmp_path: Path) -> None:
    """The host takes the proposal back and makes another one before the guest's answer arrives."""
    door = Door(tmp_path, "Ada", "Ben", seats=2)
    (guest, _), ben = door.guest(), door.people["Ben"]
    door.proposes(1)
    door.looks("Ben", guest)
    first = open_of(guest)
    assert first is not None
    door.say(*door.people["Ada"].command(DeclineProposal("a mistake")))
    door.proposes(9999)
    door.looks("Ben", guest)
    guest.answer(first, True)
    door.looks("Ben", guest)
    second = open_of(guest)
    assert second is not None and second.asked is Asked.ANOTHER and ben.lobby.is_considering
    guest.answer(second, True)
    door.looks("Ben", guest)
    assert ben.has_session


def test_an_answer_that_waits_does_not_count_for_a_proposal_that_came_between(tmp_path: Path) -> None:
    """The answer has been given, and the proposal was replaced before the guest's program looked again."""
    door = Door(tmp_path, "Ada", "Ben", seats=2)
    (guest, _), ben = door.guest(), door.people["Ben"]
    door.proposes(1)
    door.looks("Ben", guest)
    answer(guest, True)
    door.say(*door.people["Ada"].command(DeclineProposal("a mistake")))
    door.proposes(9999)
    door.looks("Ben", guest)
    assert ben.lobby.is_considering and open_of(guest) == LobbyQuestion(Asked.ANOTHER, about=ben.lobby.proposal)


def test_a_question_is_withdrawn_with_its_proposal(tmp_path: Path) -> None:
    door = Door(tmp_path, "Ada", "Ben", seats=2)
    (guest, shown), ben = door.guest(), door.people["Ben"]
    door.proposes(1)
    door.looks("Ben", guest)
    first = open_of(guest)
    door.say(*door.people["Ada"].command(DeclineProposal("a mistake")))
    door.looks("Ben", guest)
    assert first is not None and open_of(guest) is None
    guest.answer(first, True)
    door.proposes(1)
    door.looks("Ben", guest)
    assert ben.lobby.is_considering and open_of(guest) == first, "the same again is the same"
    assert len([event for event in shown if isinstance(event, events.ProposalReceived)]) == 1
    guest.answer(first, True)
    door.looks("Ben", guest)
    assert ben.has_session


def test_who_comes_back_and_is_asked_already_only_answers(tmp_path: Path) -> None:
    door = Door(tmp_path, "Ada", "Ben", seats=2)
    ada, ben = door.people.values()
    for _ in range(2):
        assert ada.lobby.proposal is None
        door.proposes(1)
        if not ben.lobby.has_declined:
            door.say(*ben.command(DeclineProposal("not now")))
    door.come("Ben")
    door.looks("Ben", door.guest(asks=False)[0])
    assert ada.has_session


def test_who_is_left_out_is_told_once(tmp_path: Path) -> None:
    door = Door(tmp_path, "Ada", "Ben", "Cleo", seats=2)
    guest, shown = door.guest()
    door.proposes(1)
    for _ in range(2):
        door.looks("Cleo", guest)
    assert shown == [events.SeatRequested(), events.LeftOut()] and open_of(guest) is None


def test_a_guest_sees_what_a_host_has_set(tmp_path: Path) -> None:
    """A host may propose a game as agreed, with a protocol that promises less."""
    door = Door(tmp_path, "Ada", "Ben", seats=2)
    guest, shown = door.guest()
    door.proposes(1, on=("chain", b'{"proven":false}'))
    door.looks("Ben", guest)
    (received,) = [event for event in shown if isinstance(event, events.ProposalReceived)]
    assert "proven" in received.protocol and "false" in received.protocol
    assert received.warning is not None and "Nothing proves a shuffle here" in received.warning


# --- An onlooker ---


def test_who_looks_on_is_told_that_there_is_no_game_yet(tmp_path: Path) -> None:
    door = Door(tmp_path, "Ada", "Ben", seats=3)
    door.come("Clock", keeps_time=True)
    shown: list[events.TableEvent] = []
    onlooker = Onlooker(shown.append)
    for _ in range(2):
        assert not door.looks("Clock", onlooker)
    door.come("Cleo")
    door.looks("Clock", onlooker)
    assert shown == [events.PlayersHere(("Ada", "Ben"), True), events.PlayersHere(("Ada", "Ben", "Cleo"), False)]


@pytest.mark.parametrize("command", [StartGame(), IssueCode(), TurnAway("Ben")])
def test_only_the_host_decides(tmp_path: Path, command: StartGame | IssueCode | TurnAway) -> None:
    door = Door(tmp_path, "Ada")
    for role in (Onlooker(door.shown.append), door.guest()[0]):
        with pytest.raises(BadParameter, match="only the host"):
            role.command(command)
        role.answer(LobbyQuestion(Asked.SIT, "Ben"), True)


def test_a_proposal_that_is_on_its_way_is_not_sent_again(tmp_path: Path) -> None:
    """A relay that keeps it to itself gets it once, and not several times a second."""
    door = Door(tmp_path, "Ada", "Bo", auto=True, seats=2)
    host = door.people["Ada"]
    (proposed,) = door.host.on_status(status_at(host, 0.0))
    frames = host.command(proposed)
    assert isinstance(proposed, ProposeSession) and not door.host.on_status(status_at(host, 1.0))
    door.say(*frames)
    assert not door.host.on_status(status_at(host, 2.0))
    (declined,) = door.host.on_status(status_at(host, 3.0 + ANSWER_LIMIT))
    frames = host.command(declined)
    (dismissed,) = door.host.on_status(status_at(host, 4.0 + ANSWER_LIMIT))
    frames += host.command(dismissed)
    shown = len(door.shown)
    assert isinstance(declined, DeclineProposal) and isinstance(dismissed, DismissOffer)
    assert not door.host.on_status(status_at(host, 5.0 + ANSWER_LIMIT)) and len(door.shown) == shown
    door.say(*frames)
    assert host.lobby.proposal is None and len(host.offers) == 1
