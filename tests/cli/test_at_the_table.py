"""What a person types to the table and not to the game, and what it is told about time and seats."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from cli.person import Reading, Seat, Typing
from client.looking import look, status_at
from engine.circle import Circle
from nodealer.cli.terminal.choices import waiting_choices
from nodealer.cli.terminal.event_lines import event_lines
from nodealer.client.changes import events_between
from nodealer.client.event_json import event_tag
from nodealer.client.events import ClockDrift, ProposalReceived
from nodealer.client.front_end import FrontEndGone
from nodealer.client.narrator import Narrator
from nodealer.client.status import TableTimes
from nodealer.client.time_limits import describe_time_limits, limits_for_bots, limits_for_people
from nodealer.client.timekeeper import Ticker
from nodealer.engine.bodies import Propose
from nodealer.engine.commands import (
    AdmitPlayer,
    AgreeToRoster,
    EndGame,
    MakeMove,
    ProposeRoster,
    RequestSeat,
    SendTick,
    VoteSkip,
)
from nodealer.engine.participant import Participant, PlainFrames
from nodealer.engine.replica import Applied, Outcome
from nodealer.errors import DecodeError
from nodealer.games.holdem.text import HoldemWords
from nodealer.games.text import Words
from nodealer.log.roster import Roster
from nodealer.log.session import Limits
from nodealer.wordlist import key_words

LIMITS = Limits(move=20_000, cards=20_000, bank=30_000, refill=0)


#: What the game says to a line that is no word to the table.
FOR_THE_GAME = ["[magenta]this game does not read typed moves[/magenta]", "  your move  ?=help"]


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
    assert seat.types("no") == ["You stay."]
    assert seat.types("yes") == FOR_THE_GAME, "nobody asks any more"
    seat.types("leave")
    assert seat.types("show") == ["You stay.", *FOR_THE_GAME], "a move is no answer, and goes to the game"
    assert seat.types("y") == FOR_THE_GAME
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
    (said,) = waiting_choices(status_at(seat.me), "Cy")
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
    assert not seat.circle.sit(seat.circle.homes[0], by_person=True).sits_out
    seat.sit()
    assert seat.me.sits_out and any("no one waits for you" in line for line in seat.lines)
    hand = seat.me.replica.state.hand.number + 1
    seat.hand(hand)
    assert 1 in seat.circle.people[0].replica.state.gone
    seat.types("back")
    seat.hand(hand + 1)
    assert 1 not in seat.circle.people[0].replica.state.gone


def test_before_the_players_have_agreed() -> None:
    """Others are still coming: there is nothing to lay, and nothing to leave."""
    seat = Seat(play=False)
    assert seat.looks() == []
    assert seat.types("") == ["The game has not begun yet. Type quit to stop for now."]
    assert any("have not agreed" in line for line in seat.types("leave"))


def test_enter_lays_the_table_out_of_turn() -> None:
    seat = Seat()
    seat.circle.waiting.extend(seat.me.command(MakeMove({"show": False})))
    seat.circle.play(until=lambda circle: bool(circle.people[2].options().must_move), decide=lambda one: [])
    seat.looks()
    assert seat.types("")[-1] == "  it is not your turn; waiting for Cy"


def test_who_is_waited_for_again_is_named_again() -> None:
    """The table went on without it, and now waits for it a second time."""
    seat = Seat()
    seat.circle.play(until=lambda circle: bool(circle.people[2].options().must_move), decide=_all_but(2))
    assert [line for line in seat.looks(6.0) if "waiting for Cy" in line]
    assert not [line for line in seat.looks(30.0) if "waiting for" in line], "once"
    seat.types("without Cy")
    seat.circle.waiting.extend(seat.circle.people[0].command(VoteSkip(frozenset({2}))))
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
        seat.circle.waiting.extend(seat.circle.people[place].command(VoteSkip(frozenset({2}))))
    while seat.circle.step():
        pass
    assert 'Cy {"show":false} automatically: the others voted not to wait' in seen(seat)


def _all_but(silent: int) -> Callable[[Participant], list[bytes]]:
    def decide(one: Participant) -> list[bytes]:
        waits = one.seat.number == silent or not one.options().must_move
        return [] if waits else one.command(MakeMove({"show": False}))

    return decide


def test_what_is_no_word_to_the_table_is_for_the_game() -> None:
    seat = Seat()
    assert seat.types("show") == FOR_THE_GAME and seat.types("  ") == ["", "  your move  ?=help"]


def test_somebody_new_is_proposed_and_agreed_to() -> None:
    seat = Seat(newcomers=1)
    seat.looks()
    seat.circle.waiting.extend(seat.circle.people[3].command(RequestSeat()))
    seat.circle.step()
    name = str(seat.circle.homes[3].name)
    line, words = seat.looks()
    assert line == f"[bold]{name}[/bold] would like to sit down. Type [bold]seat {name}[/bold] to propose it."
    assert " ".join(key_words(seat.circle.homes[3].identity.public)) in words
    assert seat.looks() == [], "said once"
    seat.circle.waiting.extend(seat.circle.people[0].command(AdmitPlayer(name)))
    seat.circle.step()
    _, line = seat.looks()
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
    seat.circle.waiting.extend(cy.command(ProposeRoster(Roster(everybody[1:]))))
    seat.typing.type("agree")
    seat.circle.step()
    assert sum("nothing to agree to" in line for line in seat.lines) == 2, "typed before it was told"
    assert any("Cy proposes a table of Bo, Cy, without Ada." in line for line in seat.lines)
    seat.circle.waiting.extend(ada.command(ProposeRoster(Roster(everybody[:2]))))
    seat.circle.step()
    assert any("Ada proposes a table of Ada, Bo, without Cy." in line for line in seat.looks())
    assert any("say whose" in line for line in seat.types("agree"))
    assert any("nothing to agree to" in line for line in seat.types("agree Bo"))
    seat.types("agree ada")
    seat.circle.step()
    assert {one.by: one.agreed for one in ada.replica.state.proposed.values()} == {2: {2}, 0: {0, 1}}


def test_seating_somebody_oneself() -> None:
    seat = Seat(newcomers=1)
    seat.circle.waiting.extend(seat.circle.people[3].command(RequestSeat()))
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
    seat.circle.waiting.extend(seat.circle.people[2].command(EndGame()))
    seat.circle.play(until=lambda circle: 2 in circle.people[1].replica.state.ended)
    seat.circle.play(until=lambda circle: bool(circle.people[1].options().must_move))
    told = [line for line in seat.looks() if "remove Cy" in line]
    assert told == ["Cy has left. Type [bold]remove Cy[/bold] to propose that they lose their seat."]
    assert not any("Cy has left" in line for line in seat.looks())
    seat.types("remove Cy")
    seat.circle.step()
    lines = seat.looks()
    assert any("the table without Cy" in line for line in lines) and any("need a new link" in line for line in lines)
    ada = seat.circle.people[0]
    (proposal,) = ada.replica.state.proposed
    assert ada.replica.state.proposed[proposal].by == 1
    seat.circle.waiting.extend(ada.command(AgreeToRoster(proposal)))
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
    seat.circle.waiting.extend(ada.command(ProposeRoster(ada.replica.state.roster)))
    seat.circle.step()
    assert any("you could not read the messages" in line and "another secret" in line for line in seat.looks())


def test_a_table_at_which_one_would_have_no_seat() -> None:
    """There is no box for it either: it is told that it would be out, and not that something is wrong with its key."""
    seat = Seat(keys=Refusing("there is no box for this participant"))
    ada = seat.circle.people[0]
    everybody = ada.replica.state.roster.members
    seat.circle.waiting.extend(ada.command(ProposeRoster(Roster((everybody[0], everybody[2])))))
    seat.circle.step()
    lines = seat.looks()
    assert any("Ada proposes a table of Ada, Cy, without you." in line for line in lines)
    assert not any("could not read" in line for line in lines)


def test_at_a_table_of_this_machine_nobody_is_kept_out() -> None:
    seat = Seat(network=False)
    assert any("tables on the network" in line for line in seat.types("remove Cy"))


def test_what_was_typed_of_seats_waits_for_a_move_on_its_way() -> None:
    seat = Seat(newcomers=1)
    seat.circle.waiting.extend(seat.circle.people[3].command(RequestSeat()))
    seat.circle.step()
    seat.looks()
    move = seat.me.command(MakeMove({"show": False}))
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
        seat.circle.waiting.extend(seat.circle.people[3].command(RequestSeat()))
        seat.circle.step()
        seat.looks()
        seat.circle.play(until=frames)
        return seat

    ended = until(lambda circle: circle.people[0].replica.state.hand.number == 1)
    last = len(ended.circle.frames) - 1
    seat = until(lambda circle: len(circle.frames) == last)
    seat.types(f"seat {seat.circle.homes[3].name}")
    seat.circle.play(until=lambda circle: bool(circle.people[0].replica.state.proposed))
    (one,) = seat.circle.people[0].replica.state.proposed.values()
    assert one.by == 1 and one.hand == 1
    late = [news for news in seat.circle.told(Applied) if news.entry.seat == 1 and news.outcome is Outcome.DROPPED]
    assert [type(news.body) for news in late] == [Propose], "it came too late"


def test_how_much_time_is_left() -> None:
    """When it is asked, when the bank runs, and when little is left of it."""
    seat = Seat(LIMITS)
    assert "[dim]You have about 20 s, plus 30 s in your time bank.[/dim]" in seat.looks()
    told = [line for line in seat.looks(60.0) if "bank" in line]
    assert [line.partition(":")[0] for line in told] == ["[magenta]Your time is up"] * 2
    assert "about 30 s" in told[0] and "about 10 s" in told[1]


def test_without_a_clock_nothing_is_said_about_time() -> None:
    seat = Seat()
    assert not [line for line in seat.lines if "You have about" in line]
    seat.looks()
    assert not [line for line in seat.looks(90.0) if "bank" in line or "time" in line]


def test_a_persons_program_votes_by_itself() -> None:
    seat = Seat(LIMITS)
    seat.circle.waiting.extend(seat.me.command(MakeMove({"show": False})))
    seat.circle.play(until=lambda circle: bool(circle.people[2].options().must_move), decide=lambda one: [])
    keeper = Ticker()
    for _ in range(60):
        seat.looks(1.0)
        seat.circle.waiting.extend(look(keeper, seat.circle.keeper, seat.now))
        while seat.circle.step():
            pass
    assert seat.circle.people[0].replica.state.hand.skip_votes.keys() == {1}
    assert any("Your program votes automatically" in line for line in seat.lines)


def test_a_timekeeper_that_runs_ahead_is_spoken_of() -> None:
    seat = Seat(LIMITS)
    seat.looks()
    for time in (0, 60_000):
        seat.circle.waiting.extend(seat.circle.keeper.command(SendTick(time)))
        while seat.circle.step():
            pass
        lines = seat.looks()
    assert any("60 s ahead" in line or "59 s ahead" in line or "58 s ahead" in line for line in lines)
    times, before, noted = TableTimes(), None, []
    for number, time in enumerate((200_000, 300_000, 400_000)):
        seat.circle.waiting.extend(seat.circle.keeper.command(SendTick(time)))
        while seat.circle.step():
            pass
        status = status_at(seat.me, float(number), times)
        noted += [event for event in events_between(before, status, 5.0) if isinstance(event, ClockDrift)]
        before = status
    assert [event_tag(event) for event in noted] == ["drift"]


def test_at_two_seats_it_is_said_what_is_left_without_a_timekeeper() -> None:
    """Half of two is one: it counts when somebody is late, and only the timekeeper says who is."""
    seat = Seat(LIMITS, seats=2)
    seat.circle.waiting.extend(seat.me.command(MakeMove({"show": False})))
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
    ui, proposal = Reading(Typing()), Circle(3, clock=LIMITS).greet().proposal()
    for _ in range(2):
        ui.show(ProposalReceived(proposal, None, Words()))
    assert len([line for line in ui.lines if "is the timekeeper" in line]) == 1


@pytest.mark.parametrize(("seconds", "move"), [(0.1, 1_000), (2.5, 2_500), (60.0, 60_000)])
def test_limits_are_what_a_session_may_have(seconds: float, move: int) -> None:
    assert limits_for_bots(seconds) == Limits(move, move, 0, 0)
    limits = limits_for_people(seconds)
    assert (limits.move, limits.bank) == (move, 2 * move) and limits.cards >= 30_000


# --- Going ---


@pytest.mark.parametrize("word", ["quit", "Q", "exit "])
@pytest.mark.parametrize("asked", [True, False])
def test_quit_ends_the_program_whether_it_is_asked_or_not(word: str, asked: bool) -> None:
    """Out of turn too: nothing is printed but how to continue, and no task is left with an error."""
    seat = Seat()
    if not asked:
        seat.circle.waiting.extend(seat.me.command(MakeMove({"show": False})))
        seat.circle.play(until=lambda circle: bool(circle.people[2].options().must_move), decide=lambda one: [])
    assert seat.types(word) == []
    assert isinstance(seat.task.exception(), FrontEndGone)


def test_what_a_file_holds_is_for_the_next_question() -> None:
    """Unless there is something to answer."""
    seat = Seat(typed=False)
    seat.circle.waiting.extend(seat.me.command(MakeMove({"show": False})))
    seat.circle.play(until=lambda circle: bool(circle.people[2].options().must_move), decide=lambda one: [])
    seat.looks()
    asked = len(seat.typing.asked)
    assert any("waiting for Cy" in line for line in seat.looks(6.0))
    assert len(seat.typing.asked) == asked + 1, "it is read from now on"
    assert any("no one is waiting for Zed" in line for line in seat.types("without Zed"))
    seat.types("without Cy")
    assert seat.circle.step() and seat.me.replica.state.hand.skip_votes.keys() == {1}


def test_who_only_looks_on_is_not_read() -> None:
    seat = Seat()
    ui = Reading(typing := Typing(), None)
    seat.runner.run(_three_statuses(ui, seat))
    assert not typing.asked


async def _three_statuses(ui: Reading, seat: Seat) -> None:
    commands = ui.commands()
    waiting = asyncio.ensure_future(anext(commands))
    for number in range(3):
        ui.status(status_at(seat.me, float(number)))
        await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait({waiting})
    await commands.aclose()


def test_a_line_for_the_question_before_is_for_the_table_or_nothing() -> None:
    """It was typed when that question was withdrawn, and never answers the next one."""
    seat = Seat()
    seat.circle.play(until=lambda circle: circle.people[1].replica.state.hand.number == 1)
    seat.typing.unasked = ["remove Cy\n", "show\n"]
    before = len(seat.lines)
    seat.circle.play(until=lambda circle: bool(circle.people[1].options().must_move))
    seat.looks()
    said = seat.lines[before:]
    assert any("Cy is present" in line for line in said) and any("started typing before" in line for line in said)
    assert seat.me.options().must_move
