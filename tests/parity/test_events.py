"""Every front end says the same thing about the same event."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from dataclasses import dataclass, replace
from os import urandom
from pathlib import Path

import pytest

from nodealer.audit.verify import verify_file
from nodealer.client import events
from nodealer.client.events import KeyStatus, TableEvent
from nodealer.engine.replica import Replica
from nodealer.engine.resolve import resolve_parts
from nodealer.engine.state import Config
from nodealer.games.text import Words
from nodealer.log.session import read_session
from nodealer.web import messages as doc
from nodealer.web.page_ui import PageUI
from nodealer.wordlist import key_words
from parity.front_ends import Notices, all_front_ends, notices

GOLDEN = Path(__file__).parents[1] / "golden" / "holdem-mask-timed.jsonl"
SESSION = read_session(GOLDEN.read_bytes().split(b"\n")[0])
CONFIG = Config(SESSION, *resolve_parts(SESSION.proposal))
NAMES = tuple(SESSION.proposal.roster.member(seat).name for seat in SESSION.proposal.roster.awaited)
KEY = SESSION.proposal.roster.members[0].key
WORDS = " ".join(key_words(KEY))
LINK, WATCH = "https://table.example/#player-link", "https://table.example/#watch-link"
RELAY = "ws://relay.example"


@dataclass(frozen=True)
class Sample:
    """An event, and what everyone who is shown it has to read: names, numbers, reasons and links."""

    event: TableEvent
    facts: tuple[str, ...] = ()
    #: What a program reads instead, if its line has codes and no sentence.
    codes: tuple[str, ...] | None = None

    def facts_for(self, end: str) -> tuple[str, ...]:
        """What has to be read in a front end."""
        return self.facts if end != "json" or self.codes is None else self.codes


SAMPLES = (
    # The log.
    Sample(events.ReadyForHand("Bea", 1, 5, 3), ("Bea", "3")),
    Sample(
        events.CardOperation(
            "Bea", 1, 5, 1, "shuffle", "shuffle", 900, ("shuffle",), "Bea shuffled", "verified", "", ""
        ),
        ("Bea shuffled",),
    ),
    Sample(events.Moved("Bea", {"type": "call"}, "calls", seat=1, entry=5, line="calls"), ("Bea", "calls")),
    Sample(events.Word("Bea", "good game", seat=1, entry=5), ("Bea", "good game")),
    Sample(events.WouldNotWait("Bea", ("Cy",), seat=1, entry=5), ("Bea", "votes to skip Cy")),
    Sample(events.WouldBreakOff("Bea", seat=1, entry=5), ("Bea", "votes to abort the hand")),
    Sample(events.LeaveSigned("Bea", 1, 5, True), ("Bea", "leaves the hand")),
    Sample(events.Ticked("Clock", 3, 5, 1000), ("1000",)),
    Sample(events.CardDisputed("Bea", 1, 5), ("Bea", "disputes a card")),
    Sample(events.HandDisclosed("Bea", 1, 5), ("Bea", "discloses this hand")),
    Sample(events.SeatsProposed("Bea", ("Ada", "Bea"), seat=1, entry=5), ("Bea", "proposes a change of players")),
    Sample(events.RosterAgreed("Bea", 1, 5), ("Bea", "agrees to the change")),
    Sample(events.EndSigned("Bea", 1, 5, True), ("Bea", "leaves the table")),
    Sample(events.CardsOpened("Bea", 1, ("A♠",), "A♠"), ("Bea", "A♠")),
    Sample(events.Peeked("Bea", 1, "looks at the top card"), ("Bea", "looks at the top card")),
    Sample(events.TableChanged("the pot is split"), ("the pot is split",)),
    Sample(events.Rolled((4, 2), line="rolls 4 and 2"), ("rolls 4 and 2",)),
    Sample(events.Unsealed("Bea", b"x", seat=1, line="had sealed x"), ("Bea", "had sealed x")),
    Sample(events.VoteDecided("Bea", 1, "gone", (0, 2), ""), ("Bea",)),
    Sample(events.Result(0, {}, {}, "Bea wins 40", line="Bea wins 40"), ("Bea wins 40",)),
    Sample(events.Result(0, {}, {}, "", "aborted", reason="the players aborted it"), ("the players aborted it",)),
    Sample(events.Fault("Bea", "x", seat=1, entry=5, finding="false shuffle"), ("Bea", "false shuffle")),
    Sample(events.Late("Bea", "move", seat=1, entry=5), ("Bea",)),
    Sample(events.Began(0, ("Ada", "Bea"))),
    Sample(events.Diverged("Bea", seat=1, theirs=b"\xaa" * 32, ours=b"\xbb" * 32), ("Bea", "aaaa", "bbbb")),
    Sample(events.Silenced("the table was rolled back"), ("the table was rolled back",)),
    # The lobby.
    Sample(events.Came("Bea", key=KEY), ("Bea",)),
    Sample(events.CheckedContact("Bea", KEY, KeyStatus.OTHER_KEY, "Bea has ANOTHER KEY"), ("Bea",)),
    Sample(events.ProposalReceived(SESSION.proposal, "a warning", Words()), ("holdem", "mask", "a warning", *NAMES)),
    Sample(events.PlayersHere(("Ada", "Bea"), True), ("Ada", "Bea")),
    Sample(events.MaySit("Bea", False, 2, 3), ("Bea",)),
    Sample(events.NotSitting("Bea", True), ("Bea",)),
    Sample(events.CannotBegin("two are too few"), ("two are too few",)),
    Sample(events.TimekeeperAwaited(), ("timekeeper",)),
    Sample(events.NoOneSeated(), ("seat",)),
    Sample(events.SeatRequested(), ("host",), ("lobby",)),
    Sample(events.LeftOut(), ("without you",)),
    Sample(events.Declined("Bea", "too late for me"), ("Bea", "too late for me")),
    Sample(events.CodeGiven("7-crater-lemon", RELAY), ("7-crater-lemon", RELAY)),
    Sample(events.CodeUsed("Bea"), ("Bea",), ("code-used",)),
    Sample(events.CodeDied("it expired", True), ("it expired",), ("code-dead",)),
    Sample(events.CodeDied("the relay is full", False), ("the relay is full",), ("code-dead",)),
    Sample(events.TableLinks(LINK, WATCH, (RELAY,), seats=3), (LINK, WATCH)),
    # The client's table.
    Sample(
        events.SessionOpened(
            SESSION.id, NAMES, SESSION.proposal, CONFIG.words, replica=Replica(CONFIG, entropy=urandom), seat=0
        ),
        (SESSION.id.hex()[:16], *NAMES[:-1]),
    ),
    Sample(events.Agreed(NAMES, ("one", "two", "three")), ("one two three",)),
    Sample(events.NewLinks(1, LINK, WATCH), (LINK, WATCH)),
    Sample(events.SeatAsked(("Bea", "Cy"), KEY), ("Bea, Cy",)),
    Sample(events.GotSeat(2), ("seat",)),
    Sample(events.SeatLost(), ("without you",), ("removed",)),
    Sample(events.ConnectionChanged("found", RELAY), ("connected",), ("found",)),
    Sample(events.ConnectionChanged("lost", RELAY, "it hung up"), ("connection", "reconnecting"), ("lost",)),
    Sample(events.ConnectionChanged("unheard", RELAY, "no token"), ("rejecting your messages",), ("unheard",)),
    Sample(events.ConnectionChanged("behind", RELAY), ("withholding",), ("behind",)),
    Sample(events.ConnectionChanged("locked", RELAY), ("new key",), ("locked",)),
    Sample(events.FramesMissing(7, 5.0), ("7",)),
    Sample(events.ClockDrift(37.0), ("37",)),
    Sample(events.WaitingFor("Bea", 6.0, "20:15:00"), ("Bea",)),
    Sample(events.TooFewPlayers(("Bea", "Cy")), ("Bea", "Cy")),
    Sample(events.BotDropped("Bea", 3, "the program was killed"), ("Bea", "the program was killed")),
    Sample(events.GameContinued()),
    Sample(events.LogCopyStopped("/tmp/copy", "disk full", "/tmp/log"), ("/tmp/copy", "disk full")),
    Sample(events.TableStuck("no answer from Bea"), ("no answer from Bea",)),
    Sample(events.OwnTime(20.0, 40.0), ("20", "40")),
    Sample(events.AsksToSit("Bea", key=KEY), ("Bea", WORDS)),
    Sample(
        events.RosterProposed("Bea", ("Ada", "Bea"), ("Cy",), False, False, "Clock", True, "there is no box"),
        ("Bea", "Cy", "there is no box"),
    ),
    Sample(events.PlayerAway("Bea", False), ("Bea",)),
    Sample(events.Unreadable(0, 3), ("cannot be opened",)),
    Sample(events.Unprovable(0), ("cannot be proven",)),
    Sample(events.DisclosureAsked(4, "Bea disputes it"), ("4", "Bea disputes it")),
    Sample(events.SittingOut(), ("back",)),
    Sample(events.Chatted("Bea", "hello there", seat=1), ("Bea", "hello there")),
    Sample(events.CommandRefused("leave", "not in this hand"), ("not in this hand",)),
    Sample(
        events.CheatAnnounced("Bea", 1, "mark", "marks a card", "it is noticed at once", "mark", "at once", True),
        ("Bea", "marks a card", "it is noticed at once"),
        ("Bea", "mark", "at once"),
    ),
    Sample(events.GameSummary(1.5, 80, 90_000, 60, 50_000), ("80",)),
    Sample(events.LogVerified("/tmp/log", verify_file(GOLDEN, entropy=urandom)), ("clean",)),
)

#: Where a front end does not read an event as such: it shows the status behind it (which test_status.py checks), or the
#: event is not for it. `json` is unchanged since programs read it: they follow the log lines.
STATUS = "shown with the status of the table"
PROGRAM = "a program is not addressed as a person, and sees the entries"
ELSEWHERE: dict[tuple[type, str], str] = {
    **dict.fromkeys(
        [
            (kind, page)
            for kind in (
                *(events.Came, events.CheckedContact, events.ProposalReceived, events.PlayersHere, events.MaySit),
                *(events.SeatRequested, events.TableLinks, events.Agreed, events.WaitingFor, events.TooFewPlayers),
                *(events.OwnTime, events.AsksToSit, events.RosterProposed, events.Unreadable, events.Unprovable),
                *(events.DisclosureAsked, events.SittingOut, events.Began, events.GameSummary, events.GameContinued),
            )
            for page in ("page", "tab")
        ],
        STATUS,
    ),
    **dict.fromkeys(
        [
            (kind, "json")
            for kind in (
                *(events.Began, events.Silenced, events.MaySit, events.NotSitting, events.CannotBegin),
                *(events.TimekeeperAwaited, events.NoOneSeated, events.LeftOut),
                *(events.GameContinued, events.LogCopyStopped, events.OwnTime, events.AsksToSit, events.RosterProposed),
                *(events.PlayerAway, events.Unreadable, events.Unprovable, events.DisclosureAsked, events.SittingOut),
                events.Chatted,
            )
        ],
        PROGRAM,
    ),
    **{(events.PlayerAway, page): "the page has no button to remove a player" for page in ("page", "tab")},
    **{(events.Ticked, end): "noise for a person" for end in ("terminal", "page", "tab")},
    (events.ReadyForHand, "terminal"): "noise for a person: the heading of the hand follows",
    **{(events.Late, end): "noise for a person" for end in ("terminal",)},
}
#: What the library is told, but no front end: it is in other events there.
LIBRARY_ONLY = {
    *(events.Went, events.Proposed, events.NotTaken, events.YourTurn, events.Dealt, events.Opened, events.Shown),
    *(events.Proven, events.GivenBack, events.Left, events.TimeIsUp, events.Seated, events.Ended),
}


@pytest.fixture(scope="module")
def sentences() -> Iterator[Notices]:
    with notices() as read:
        yield read


def test_there_is_a_sample_of_every_event() -> None:
    shown = {type(sample.event) for sample in SAMPLES}
    assert shown | LIBRARY_ONLY == set(typing.get_args(TableEvent))
    assert not shown & LIBRARY_ONLY
    assert {kind for kind, _ in ELSEWHERE} <= shown


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: type(sample.event).__name__)
def test_every_front_end_says_it(sample: Sample, sentences: Notices, tmp_path: Path) -> None:
    with all_front_ends(sentences, tmp_path) as ends:
        for name, end in ends.items():
            end.ui.show(sample.event)
            said = end.said()
            if (type(sample.event), name) in ELSEWHERE:
                assert not says(said, name, sample), f"{name} says it: it does not belong in the list of exceptions"
                continue
            assert said, f"{name} says nothing"
            missing = [fact for fact in sample.facts_for(name) if fact.casefold() not in said.casefold()]
            assert not missing, f"{name} does not say {missing}: {said}"


def says(said: str, name: str, sample: Sample) -> bool:
    """Whether something was said that has all the facts."""
    return bool(said) and all(fact.casefold() in said.casefold() for fact in sample.facts_for(name))


@pytest.mark.parametrize("end", ["page", "tab"])
def test_a_relay_cannot_erase_the_warning_that_it_may_withhold_something(
    end: str, sentences: Notices, tmp_path: Path
) -> None:
    """By breaking the connection, and taking it up again: a page that is opened afterwards still has the warning."""
    with all_front_ends(sentences, tmp_path) as ends:
        page = ends[end]
        for what in ("behind", "lost", "found"):
            page.ui.show(events.ConnectionChanged(what, RELAY, "it hung up"))
        assert isinstance(page.ui, PageUI)
        kept = [message.code for message in page.ui.presenter.snapshot() if isinstance(message, doc.Notice)]
        assert kept == ["behind", "found"]


def test_names_from_outside_cannot_style_or_control_a_front_end(sentences: Notices, tmp_path: Path) -> None:
    """A hostile name, reason or text is shown, and does nothing else."""
    evil = "[red]x[/red]\x1b[2J"
    with all_front_ends(sentences, tmp_path) as ends:
        for sample in SAMPLES:
            given = {
                name: evil for name in ("name", "reason", "by") if isinstance(getattr(sample.event, name, None), str)
            }
            for name, end in ends.items():
                if given and not isinstance(sample.event, events.SessionOpened):
                    end.ui.show(replace(sample.event, **given))  # type: ignore[arg-type]
                    said = end.said()
                    assert "\x1b" not in said.replace("\\x1b", ""), (name, sample.event)
                    if name == "terminal" and evil[:8] in said:
                        assert "[red]x" in said
