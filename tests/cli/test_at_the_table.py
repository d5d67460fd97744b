"""What a person types to the table and not to the game, and what it is told about time and seats."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import cast

import pytest

from conformance.games import TinyRules
from engine.circle import Circle
from nodealer.cli.choices import waiting_choices
from nodealer.cli.narrator import event_lines
from nodealer.cli.screen import Screen
from nodealer.cli.terminal import Person
from nodealer.cli.wait_notices import PersonAtTable, WaitNotices
from nodealer.client.event_json import event_tag
from nodealer.client.events import ClockDrift, TableEvent
from nodealer.client.narrator import Narrator
from nodealer.client.time_limits import describe_time_limits, limits_for_bots, limits_for_people
from nodealer.client.timekeeper import Ticker
from nodealer.engine.participant import KeySchedule, Participant, PlainFrames
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Applied
from nodealer.errors import DecodeError
from nodealer.games.holdem.text import HoldemWords
from nodealer.games.text import Text, Words
from nodealer.log.roster import Roster
from nodealer.log.session import Limits
from nodealer.wordlist import key_words

LIMITS = Limits(move=20_000, cards=20_000, bank=30_000, refill=0)


class Typing:
    """Somebody at a keyboard."""

    def __init__(self) -> None:
        self.to_the_table: Callable[[str], bool] = lambda line: False
        self.lay: Callable[[], Sequence[Text]] = lambda: ()
        self.typed = True

    def aside(self) -> AbstractContextManager[None]:
        return nullcontext()

    async def idle(self) -> None:
        await asyncio.sleep(0)


class Reading(Screen):
    """A screen whose lines somebody reads."""

    def __init__(self) -> None:
        super().__init__(json=False)
        self.lines: list[str] = []
        self.events: list[TableEvent] = []

    def say(self, text: str) -> None:
        self.lines.append(text)

    def emit(self, event: TableEvent) -> None:
        self.events.append(event)


class Seat:
    """A person at the second seat of a table."""

    def __init__(
        self,
        clock: Limits | None = None,
        newcomers: int = 0,
        seats: int = 3,
        *,
        across: bool = True,
        keys: KeySchedule | None = None,
    ) -> None:
        rules = TinyRules(stake=10, passes=True, deck_max=12)
        self.circle = Circle(seats, rules=rules, hands=9, clock=clock, newcomers=newcomers)
        self.circle.people[1] = self.circle.sit(self.circle.homes[1], by_person=True, keys=keys)
        self.typing, self.screen, self.now = Typing(), Reading(), 0.0
        self.circle.play(until=lambda circle: bool(circle.people[1].options().must_move))
        self.me = self.circle.people[1]
        names = [member.name for member in self.me.members]
        self.table = PersonAtTable(cast(Person, self.typing), self.screen, names, across=across)

    def types(self, line: str) -> list[str]:
        """What is said to that."""
        assert self.typing.to_the_table(line)
        return self.looks()

    def looks(self, seconds: float = 0.0) -> list[str]:
        before = len(self.screen.lines)

        async def look() -> None:
            self.circle.waiting.extend(self.table.on_tick(self.me, self.now))

        for _ in range(1 + round(2 * seconds)):
            asyncio.run(look())
            self.now += 0.5
        return self.screen.lines[before:]

    def hand(self, number: int) -> None:
        self.circle.play(
            until=lambda circle: (
                circle.people[0].replica.state.hand.number == number
                and circle.people[0].replica.state.phase is Phase.PLAYING
            )
        )


def test_sitting_out_and_coming_back() -> None:
    seat = Seat()
    assert any("type sit out" in line for line in seat.types("sit down"))
    assert any("keep your chips" in line for line in seat.types("sit out"))
    seat.hand(1)
    assert seat.circle.people[0].replica.state.gone == {1}
    assert any("from the next hand on" in line for line in seat.types("back"))
    seat.hand(2)
    assert not seat.circle.people[0].replica.state.gone


def test_leaving_also_for_who_sits_out() -> None:
    seat = Seat()
    seat.types("sit out")
    seat.hand(1)
    leaves(seat)
    seat.circle.play(until=lambda circle: 1 in circle.people[0].replica.state.ended)


def leaves(seat: Seat) -> None:
    """It is asked, and says yes."""
    assert any("Leave the table for good?" in line for line in seat.types("leave"))
    assert any("You leave the table" in line for line in seat.types("yes"))


def test_leaving_is_asked_about_first() -> None:
    seat = Seat()
    (line,) = seat.types("leave")
    assert "what you have put in stays in" in line and "(yes or no)" in line
    seat.types("no")
    assert seat.screen.lines[-1] == "You stay."
    assert not seat.typing.to_the_table("yes"), "nobody asks any more"
    seat.types("leave")
    assert not seat.typing.to_the_table("show"), "a move is no answer, and goes to the game"
    assert not seat.typing.to_the_table("y") and seat.screen.lines[-1] == "You stay."
    seat.circle.step()
    assert 1 not in seat.circle.people[0].replica.state.gone


def test_who_left_may_come_back_until_the_hand_is_over() -> None:
    seat = Seat()
    leaves(seat)
    while seat.circle.step():
        pass
    assert seat.circle.people[0].replica.state.gone == {1}
    assert any("from the next hand on" in line for line in seat.types("back"))
    seat.hand(1)
    assert not seat.circle.people[0].replica.state.gone


def test_who_left_for_good_does_not_come_back() -> None:
    seat = Seat()
    leaves(seat)
    seat.circle.play(until=lambda circle: 1 in circle.people[0].replica.state.ended)
    assert any("left this table for good" in line for line in seat.types("back"))
    (said,) = waiting_choices(seat.me, "Cy")
    assert "nothing more is needed from you" in said


@pytest.mark.parametrize("word", ["leave", "sit out"])
def test_who_left_and_whose_program_ended_is_not_dealt_in_again(word: str) -> None:
    """Until it says so."""
    seat = Seat()
    if word == "leave":
        leaves(seat)
    else:
        seat.types(word)
        seat.hand(1)
    while seat.circle.step():
        pass
    again = seat.circle.sit(seat.circle.homes[1], by_person=True)
    assert again.sits_out and not seat.circle.sit(seat.circle.homes[0], by_person=True).sits_out
    for number, frame in enumerate(seat.circle.frames):
        again.receive(frame, number)
    seat.me = seat.circle.people[1] = again
    hand = again.replica.state.hand.number + 1
    seat.hand(hand)
    assert 1 in seat.circle.people[0].replica.state.gone
    seat.table = PersonAtTable(cast(Person, seat.typing), seat.screen, ["Ada", "Bo", "Cy"])
    assert any("no one waits for you" in line for line in seat.looks())
    seat.types("back")
    seat.hand(hand + 1)
    assert 1 not in seat.circle.people[0].replica.state.gone


def test_before_the_players_have_agreed() -> None:
    """Others are still coming: there is nothing to lay, and nothing to leave."""
    seat = Seat()
    seat.me = Circle(3).people[1]
    assert seat.looks() == []
    assert [str(line) for line in seat.typing.lay()][1] == "  no hand is being played"
    assert any("have not agreed" in line for line in seat.types("leave"))


def test_enter_lays_the_table_out_of_turn() -> None:
    seat = Seat()
    seat.circle.waiting.extend(seat.me.move({"show": False}))
    seat.circle.play(until=lambda circle: bool(circle.people[2].options().must_move), decide=lambda one: [])
    seat.looks()
    assert [str(line) for line in seat.typing.lay()][-1] == "  it is not your turn; waiting for Cy"


def test_who_is_waited_for_again_is_named_again() -> None:
    """The table went on without it, and now waits for it a second time."""
    seat = Seat()
    seat.circle.play(until=lambda circle: bool(circle.people[2].options().must_move), decide=_all_but(2))
    assert [line for line in seat.looks(6.0) if "waiting for Cy" in line]
    assert not [line for line in seat.looks(30.0) if "waiting for" in line], "once"
    seat.types("without Cy")
    seat.circle.waiting.extend(seat.circle.people[0].vote_skip([2]))
    seat.circle.play(until=lambda circle: circle.people[0].replica.state.hand.number == 1, decide=_all_but(2))
    seat.circle.play(until=lambda circle: bool(circle.people[2].options().must_move), decide=_all_but(2))
    assert [line for line in seat.looks(6.0) if "waiting for Cy" in line]


def seen(seat: Seat) -> list[str]:
    """What the first player reads."""
    one = seat.circle.people[0]
    narrator = Narrator.for_table(one.replica.config, 0)
    applied = (news for news in seat.circle.happened[0] if isinstance(news, Applied))
    return [line.strip() for news in applied for event in narrator.describe(news) for line in event_lines(event)]


def test_sitting_out_is_not_told_as_leaving() -> None:
    seat = Seat()
    seat.types("sit out")
    seat.hand(1)
    assert "Bo sits out" in seen(seat) and not [line for line in seen(seat) if "Bo leaves" in line]
    leaves(seat)
    seat.circle.play(until=lambda circle: 1 in circle.people[0].replica.state.ended)
    assert seen(seat).count("Bo leaves the table") == 1
    other = Seat()
    leaves(other)
    while other.circle.step():
        pass
    assert "Bo leaves the hand" in seen(other)


def test_which_move_the_rules_made_is_told() -> None:
    seat = Seat()
    seat.circle.play(until=lambda circle: bool(circle.people[2].options().must_move), decide=_all_but(2))
    for place in (0, 1):
        seat.circle.waiting.extend(seat.circle.people[place].vote_skip([2]))
    while seat.circle.step():
        pass
    assert 'Cy {"show":false} automatically: the others voted not to wait' in seen(seat)


def _all_but(silent: int) -> Callable[[Participant], list[bytes]]:
    def decide(one: Participant) -> list[bytes]:
        waits = one.seat.number == silent or not one.options().must_move
        return [] if waits else one.move({"show": False})

    return decide


def test_what_is_no_word_to_the_table_is_for_the_game() -> None:
    seat = Seat()
    assert not seat.typing.to_the_table("show") and not seat.typing.to_the_table("  ")


def test_somebody_new_is_proposed_and_agreed_to() -> None:
    seat = Seat(newcomers=1)
    seat.circle.waiting.extend(seat.circle.people[3].request_seat())
    seat.circle.step()
    name = str(seat.circle.homes[3].name)
    line, words = seat.looks()
    assert line == f"[bold]{name}[/bold] would like to sit down. Type [bold]seat {name}[/bold] to propose it."
    assert " ".join(key_words(seat.circle.homes[3].identity.public)) in words
    assert seat.looks() == [], "said once"
    seat.circle.waiting.extend(seat.circle.people[0].admit(name))
    seat.circle.step()
    (line,) = seat.looks()
    assert "proposes a table of Ada, Bo, Cy, Dee. Type [bold]agree Ada[/bold]" in line
    seat.types("agree")
    seat.hand(1)
    assert 3 in seat.circle.people[0].replica.state.roster.seats


def test_an_agreement_is_to_what_the_person_means() -> None:
    """Of two tables that are proposed the first one must not be the one that is agreed to, and never one unseen."""
    seat = Seat()
    ada, _, cy = seat.circle.people[:3]
    everybody = ada.replica.state.roster.members
    assert any("nothing to agree to" in line for line in seat.types("agree"))
    seat.circle.waiting.extend(cy.propose_roster(Roster(everybody[1:])))
    seat.circle.step()
    assert any("nothing to agree to" in line for line in seat.types("agree")), "typed before it was told"
    assert any("Cy proposes a table of Bo, Cy, without Ada." in line for line in seat.screen.lines)
    seat.circle.waiting.extend(ada.propose_roster(Roster(everybody[:2])))
    seat.circle.step()
    assert any("Ada proposes a table of Ada, Bo, without Cy." in line for line in seat.looks())
    assert any("say whose" in line for line in seat.types("agree"))
    assert any("nothing to agree to" in line for line in seat.types("agree Bo"))
    seat.types("agree ada")
    seat.circle.step()
    assert {one.by: one.agreed for one in ada.replica.state.proposed.values()} == {2: {2}, 0: {0, 1}}


def test_seating_somebody_oneself() -> None:
    seat = Seat(newcomers=1)
    seat.circle.waiting.extend(seat.circle.people[3].request_seat())
    seat.circle.step()
    assert any("no player named Zed" in line for line in seat.types("seat Zed"))
    seat.types(f"seat {seat.circle.homes[3].name}")
    seat.circle.step()
    (one,) = seat.circle.people[0].replica.state.proposed.values()
    assert one.by == 1


def test_taking_somebody_out() -> None:
    """Not who is there. Of who has left it is said once that one may, and what it means."""
    seat = Seat()
    assert any("Cy is present" in line for line in seat.types("remove cy"))
    assert any("say who" in line for line in seat.types("remove"))
    seat.circle.waiting.extend(seat.circle.people[2].end_game())
    seat.circle.play(until=lambda circle: 2 in circle.people[1].replica.state.ended)
    seat.circle.play(until=lambda circle: bool(circle.people[1].options().must_move))
    told = [line for line in seat.looks() if "Cy" in line]
    assert told == ["Cy has left. Type [bold]remove Cy[/bold] to propose that they lose their seat."]
    assert not any("Cy has left" in line for line in seat.looks())
    lines = seat.types("remove Cy")
    assert any("the table without Cy" in line for line in lines) and any("need a new link" in line for line in lines)
    seat.circle.step()
    ada = seat.circle.people[0]
    (proposal,) = ada.replica.state.proposed
    assert ada.replica.state.proposed[proposal].by == 1
    seat.circle.waiting.extend(ada.agree_to_roster(proposal))
    seat.circle.play(until=lambda circle: circle.people[0].replica.state.roster.seats == (0, 1))


class Refusing(PlainFrames):
    """Keys with which no proposed table could be read."""

    def __init__(self, problem: str) -> None:
        self.problem = problem

    def refuse_key(self, participant: Participant, proposal: bytes) -> None:
        raise DecodeError(self.problem)


def test_a_table_at_which_one_could_not_read() -> None:
    """Nobody else can see what is in one's box, and the others may agree."""
    seat = Seat(keys=Refusing("the box holds another secret"))
    ada = seat.circle.people[0]
    seat.circle.waiting.extend(ada.propose_roster(ada.replica.state.roster))
    seat.circle.step()
    assert any("you could not read the messages" in line and "another secret" in line for line in seat.looks())


def test_a_table_at_which_one_would_have_no_seat() -> None:
    """There is no box for it either: it is told that it would be out, and not that something is wrong with its key."""
    seat = Seat(keys=Refusing("there is no box for this participant"))
    ada = seat.circle.people[0]
    everybody = ada.replica.state.roster.members
    seat.circle.waiting.extend(ada.propose_roster(Roster((everybody[0], everybody[2]))))
    seat.circle.step()
    lines = seat.looks()
    assert any("Ada proposes a table of Ada, Cy, without you." in line for line in lines)
    assert not any("could not read" in line for line in lines)


def test_at_a_table_of_this_machine_nobody_is_kept_out() -> None:
    seat = Seat(across=False)
    assert any("tables on the network" in line for line in seat.types("remove Cy"))


def test_what_was_typed_of_seats_waits_for_a_move_on_its_way() -> None:
    seat = Seat(newcomers=1)
    seat.circle.waiting.extend(seat.circle.people[3].request_seat())
    seat.circle.step()
    seat.looks()
    move = seat.me.move({"show": False})
    assert seat.types(f"seat {seat.circle.homes[3].name}") == [] and not seat.circle.waiting
    seat.circle.waiting.extend(move)
    seat.circle.step()
    seat.looks()
    while seat.circle.step():
        pass
    (one,) = seat.circle.people[0].replica.state.proposed.values()
    assert one.by == 1


def test_what_was_said_of_seats_when_the_hand_ended_is_said_again() -> None:
    """An entry counts in its own hand. The person does not know that the hand was over."""

    def until(frames: Callable[[Circle], bool]) -> Seat:
        seat = Seat(newcomers=1)
        seat.circle.waiting.extend(seat.circle.people[3].request_seat())
        seat.circle.step()
        seat.looks()
        seat.circle.play(until=frames)
        return seat

    ended = until(lambda circle: circle.people[0].replica.state.hand.number == 1)
    last = len(ended.circle.frames) - 1
    seat = until(lambda circle: len(circle.frames) == last)
    seat.types(f"seat {seat.circle.homes[3].name}")
    states = [one.replica for one in seat.circle.people]
    seat.circle.play(until=lambda circle: not circle.people[1].seat.unconfirmed)
    assert states[0].state.hand.number == 1 and not states[0].state.proposed, "it came too late"
    seat.looks()
    seat.circle.play(until=lambda circle: bool(circle.people[0].replica.state.proposed))
    (one,) = states[0].state.proposed.values()
    assert one.by == 1 and one.hand == 1


def test_how_much_time_is_left() -> None:
    """When it is asked, when the bank runs, and when little is left of it."""
    seat = Seat(LIMITS)
    assert "[dim]You have about 20 s, plus 30 s in your time bank.[/dim]" in seat.looks()
    told = [line for line in seat.looks(60.0) if "bank" in line]
    assert [line.partition(":")[0] for line in told] == ["[magenta]Your time is up"] * 2
    assert "about 30 s" in told[0] and "about 10 s" in told[1]


def test_without_a_clock_nothing_is_said_about_time() -> None:
    assert not [line for line in Seat().looks(90.0) if "bank" in line or "time" in line]


def test_a_persons_program_votes_by_itself() -> None:
    seat = Seat(LIMITS)
    seat.circle.waiting.extend(seat.me.move({"show": False}))
    seat.circle.play(until=lambda circle: bool(circle.people[2].options().must_move), decide=lambda one: [])
    keeper = Ticker()
    for _ in range(60):
        seat.looks(1.0)
        seat.circle.waiting.extend(keeper.on_tick(seat.circle.keeper, seat.now))
        while seat.circle.step():
            pass
    assert seat.circle.people[0].replica.state.hand.skip_votes.keys() == {1}
    assert any("Your program votes automatically" in line for line in seat.screen.lines)


def test_a_timekeeper_that_runs_ahead_is_spoken_of() -> None:
    seat = Seat(LIMITS)
    seat.looks()
    for time in (0, 60_000):
        seat.circle.waiting.extend(seat.circle.keeper.send_tick(time))
        while seat.circle.step():
            pass
        lines = seat.looks()
    assert any("60 s ahead" in line or "59 s ahead" in line or "58 s ahead" in line for line in lines)
    noted = Reading()
    noted.json = True
    attention = WaitNotices(noted, [])
    for number, time in enumerate((200_000, 300_000, 400_000)):
        seat.circle.waiting.extend(seat.circle.keeper.send_tick(time))
        while seat.circle.step():
            pass
        attention.on_tick(seat.me, float(number))
    assert [event_tag(event) for event in noted.events if isinstance(event, ClockDrift)] == ["drift"]


def test_at_two_seats_it_is_said_what_is_left_without_a_timekeeper() -> None:
    """Half of two is one: it counts when somebody is late, and only the timekeeper says who is."""
    seat = Seat(LIMITS, seats=2)
    seat.circle.waiting.extend(seat.me.move({"show": False}))
    seat.circle.play(until=lambda circle: bool(circle.people[0].options().must_move), decide=lambda one: [])
    said = " ".join(seat.looks(6.0))
    assert "without Ada[/bold]: go on without Ada, once they are late" in said
    assert "If the timekeeper is silent too, no one can be late, and all you can do is leave" in said


# --- What it means ---


def test_the_lobby_says_what_it_means() -> None:
    two, three = Circle(2).greet().proposal(), Circle(3).greet().proposal()
    assert (
        describe_time_limits(two, Words())
        == "There is no timekeeper: a player who is losing can undo the hand by not answering."
    )
    assert "half of the table together can undo the hand" in describe_time_limits(three, Words())
    timed = Circle(3, clock=LIMITS).greet().proposal()
    said = describe_time_limits(timed, HoldemWords())
    assert said.startswith("Clock is the timekeeper: 20 s per move, plus a time bank of 30 s. ")
    assert "the rules move for them (check or fold; show at a showdown)" in said
    assert "could delay your move and time you out" in said
    assert "is dropped from the hand" in describe_time_limits(timed, Words()), "a game may have no such move"


def test_it_is_said_once() -> None:
    screen, proposal = Reading(), Circle(3, clock=LIMITS).greet().proposal()
    for _ in range(2):
        screen.say_time(proposal, Words())
    assert len(screen.lines) == 1


@pytest.mark.parametrize(("seconds", "move"), [(0.1, 1_000), (2.5, 2_500), (60.0, 60_000)])
def test_limits_are_what_a_session_may_have(seconds: float, move: int) -> None:
    assert limits_for_bots(seconds) == Limits(move, move, 0, 0)
    limits = limits_for_people(seconds)
    assert (limits.move, limits.bank) == (move, 2 * move) and limits.cards >= 30_000
