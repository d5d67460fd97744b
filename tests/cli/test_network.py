"""Tables across the network, by the real command: a process for each person, each with its own key and folders."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cli.running import COMMAND, TESTS, called, environment
from nodealer.relay.invitations import Invitation
from nodealer.relay.sealing import TableSecret
from ports import free_port

#: A small game, found in the folder of the tests, from which the processes are started.
GAME = ("--game", "games.outside:GAME")
#: Enough that nobody has played them all before a test has seen the first and killed somebody.
MANY_HANDS = ("--hands", "20")
#: Enough where a person plays: nothing goes on without it.
SOME_HANDS = ("--hands", "8")
#: The longest that anything here may take, on a machine that does much else.
LONG = 150.0

#: What a person sees when it is asked.
PROMPT = r"\n> "

Event = dict[str, Any]


class Somebody:
    """A person with a key and folders of its own, and at most one process."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        self.folder = folder / name
        self.folder.mkdir()
        self._output = self.folder / "output"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def folders(self) -> dict[str, str]:
        return {"XDG_STATE_HOME": str(self.folder / "state"), "XDG_CONFIG_HOME": str(self.folder / "config")}

    def start(self, *arguments: str) -> Somebody:
        return self.run(*arguments, "--json")

    def run(self, *arguments: str) -> Somebody:
        with self._output.open("ab") as output:
            self._process = subprocess.Popen(
                [str(COMMAND), *arguments],
                env=environment(**self.folders),
                cwd=TESTS,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        return self

    @property
    def events(self) -> list[Event]:
        """All that was said as JSON, by all processes of this person."""
        told: list[Event] = []
        for line in self._output.read_text().splitlines():
            with suppress(json.JSONDecodeError):
                event = json.loads(line)
                told += [event] if isinstance(event, dict) else []
        return told

    def until(self, wanted: Callable[[Event], bool]) -> Event:
        """The first event that is wanted."""
        found: list[Event] = []

        def there() -> bool:
            found[:] = [event for event in self.events if wanted(event)]
            return bool(found)

        self.wait_until(there)
        return found[0]

    def wait_until(self, done: Callable[[], bool]) -> None:
        deadline = time.monotonic() + LONG
        while time.monotonic() < deadline:
            if done():
                return
            time.sleep(0.05)
        raise AssertionError(f"{self.name}: {self._output.read_text()[-2000:]}")

    @property
    def log(self) -> bytes:
        """The log as this person keeps it, if the game has begun."""
        (path, *_) = [*self.folder.glob("state/nodealer/games/*/seat/log.jsonl"), None]
        return b"" if path is None else path.read_bytes()

    def event(self, kind: str) -> Event:
        return self.until(lambda event: event.get("event") == kind)

    @property
    def said(self) -> str:
        return self._output.read_text()

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    @property
    def code(self) -> int | None:
        """How the process ended, once it has."""
        assert self._process is not None
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(LONG)
        return None

    def ends_with(self, code: int) -> str:
        said = self._output.read_text() if self.code == code else ""
        assert self.code == code, self._output.read_text()[-3000:]
        return said

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill()


class Typist(Somebody):
    """The same at a terminal: reads what is on the screen, and types."""

    def run(self, *arguments: str) -> Typist:
        self._terminal, other = pty.openpty()
        self._process = subprocess.Popen(
            [str(COMMAND), *arguments],
            env=environment(TERM="dumb", COLUMNS="200", **self.folders),
            cwd=TESTS,
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
        )
        os.close(other)
        self._seen = len(self.said) if self._output.exists() else 0
        threading.Thread(target=self._copy, args=(self._terminal,), daemon=True).start()
        return self

    def _copy(self, terminal: int) -> None:
        with self._output.open("ab", buffering=0) as output, suppress(OSError):
            while data := os.read(terminal, 4096):
                output.write(data)

    def reads(self, wanted: str) -> re.Match[str]:
        """Wait until something is on the screen, below what was read before."""
        found: list[re.Match[str]] = []

        def there() -> bool:
            shown = self._output.read_text() if self._output.exists() else ""
            match = re.search(wanted, shown[self._seen :])
            if match is not None:
                self._seen += match.end()
                found.append(match)
            return match is not None

        self.wait_until(there)
        return found[0]

    def types(self, line: str) -> None:
        os.write(self._terminal, f"{line}\n".encode())

    def is_asked(self) -> None:
        """Wait until it is this one's move."""
        self.reads(PROMPT)

    def plays(self, until: Callable[[], bool]) -> None:
        """Answer whatever is asked, until something has come. What was asked last may have been read already."""
        self.types("t")

        def there() -> bool:
            while (match := re.search(PROMPT, self._output.read_text()[self._seen :])) is not None:
                self._seen += match.end()
                self.types("t")
            return until()

        self.wait_until(there)

    def plays_on(self) -> None:
        """The same, to the end of the game."""
        process = self._process
        assert process is not None
        while process.poll() is None:
            enough = len(self.said) + 1000
            self.plays(partial(self._has_gone_on, process, enough))

    def _has_gone_on(self, process: subprocess.Popen[bytes], enough: int) -> bool:
        return len(self.said) > enough or process.poll() is not None


People = Callable[[str], Somebody]


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    everybody: list[Somebody] = []

    def person(name: str) -> Somebody:
        everybody.append(Somebody(tmp_path, name))
        return everybody[-1]

    yield person
    for one in everybody:
        one.stop()


@pytest.fixture
def typists(tmp_path: Path) -> Iterator[Callable[[str], Typist]]:
    everybody: list[Typist] = []

    def person(name: str) -> Typist:
        everybody.append(Typist(tmp_path, name))
        return everybody[-1]

    yield person
    for one in everybody:
        one.stop()


def relay_of(operator: Somebody) -> tuple[str, str]:
    """A relay of its own, as an option for a host."""
    address = f"127.0.0.1:{free_port()}"
    operator.run("relay", "--listen", address, "--store", "memory")
    operator.until(lambda event: event.get("event") == "started")
    return "--relay", f"ws://{address}"


def own_relay() -> tuple[str, str]:
    """The host's own relay, as an option for a host."""
    return "--listen", f"127.0.0.1:{free_port()}"


def hosted(host: Somebody, seats: int, relay: tuple[str, str], *more: str) -> tuple[str, str]:
    """A table; gives the links to play and to watch."""
    host.start("host", *GAME, "--seats", str(seats), "--hands", "1", "--name", host.name, *relay, *more)
    table = host.event("table")
    return table["link"], table["watch"]


def join(guest: Somebody, link: str, *more: str) -> Somebody:
    return guest.start("join", link, "--name", guest.name, "--auto", *GAME, *more)


def test_strangers_play_and_everybody_has_the_same_words_and_log(people: People) -> None:
    """One more comes than there are seats, and is told so."""
    host, guests = people("Ada"), [people("Ben"), people("Cleo"), people("Dov")]
    link, to_watch = hosted(host, 3, relay_of(people("relay")), "--auto")
    watcher = people("Wim").start("watch", to_watch, *GAME)
    for guest in guests:
        join(guest, link)
    for one in (host, watcher):
        one.ends_with(0)
    (left_out,) = [guest for guest in guests if guest.code == 2]
    assert "no seat for you" in left_out.ends_with(2)
    everybody = [host, watcher, *(guest for guest in guests if guest is not left_out)]
    assert len({one.event("words")["words"] for one in everybody}) == 1
    verified = [one.event("verified") for one in everybody]
    assert {one["verdict"] for one in verified} == {"clean"}
    assert len({Path(one["log"]).read_bytes() for one in verified}) == 1
    (kept,) = json.loads(called_as(host, "games", "--json"))
    assert kept["what"] == "games.outside:GAME (hosted)" and kept["players"][0] == "Ada"
    assert kept["verdict"] == "clean"


def called_as(one: Somebody, *arguments: str) -> str:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in one.folders.items():
            patch.setenv(name, value)
        done = called(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def played(event: Event) -> bool:
    """The deck has been made."""
    return event.get("event") == "cards" and event["entry"] >= 4


def test_killed_and_come_back(people: People) -> None:
    """A guest, and then the host with its relay, are killed in the middle of a game. It ends as any other."""
    host, guest = people("Ada"), people("Ben")
    link, _ = hosted(host, 2, own_relay(), "--auto", *MANY_HANDS)
    join(guest, link)
    guest.until(played)
    guest.kill()
    assert not any(event.get("event") == "done" for event in guest.events)
    # The same link goes on at the same seat.
    join(guest, link)
    host.kill()
    host.start("resume")
    for one in (host, guest):
        one.ends_with(0)
        assert one.event("verified")["verdict"] == "clean"
    assert len({one.event("words")["words"] for one in (host, guest)}) == 1


#: What a seat tells of a game before its end, one line each.
STAGES = 16


def kept_relay(operator: Somebody, address: str) -> Somebody:
    """A relay that has what it had before it was killed."""
    store = f"sqlite:{operator.folder / 'relay.db'}"
    return operator.run("relay", "--listen", address, "--store", store)


@pytest.mark.deep
@pytest.mark.parametrize("stage", range(STAGES))
@pytest.mark.parametrize("whom", ["relay", "guest", "host", "host with its relay"])
def test_killed_at_every_stage(people: People, whom: str, stage: int) -> None:
    """The hand ends as undisturbed: all are there, and what anybody had heard before is in the log of all."""
    host, guests, relay = people("Ada"), [people("Ben"), people("Cleo")], people("relay")
    address = f"127.0.0.1:{free_port()}"
    own = whom == "host with its relay"
    if not own:
        kept_relay(relay, address).until(lambda event: event.get("event") == "started")
    link, _ = hosted(host, 3, ("--listen", address) if own else ("--relay", f"ws://{address}"), "--auto")
    for guest in guests:
        join(guest, link)
    everybody = [host, *guests]
    victim = {"relay": relay, "guest": guests[0]}.get(whom, host)
    seen = guests[1] if victim is relay else victim
    # Who was never there does not wait for a relay or a host that may never come.
    host.wait_until(lambda: {"Ben", "Cleo"} <= {event.get("name") for event in host.events})
    before_that = len(seen.events)
    seen.wait_until(lambda: len(seen.events) >= before_that + stage)
    victim.kill()
    before = [one.log for one in everybody]
    if victim is relay:
        kept_relay(relay, address)
    elif victim is host:
        host.start("resume")
    else:
        join(victim, link)
    for one in everybody:
        one.ends_with(0)
    verified = [one.event("verified") for one in everybody]
    assert {one["verdict"] for one in verified} == {"clean"} and all(not one["gone"] for one in verified)
    assert len({one.event("words")["words"] for one in everybody}) == 1
    (log,) = {one.log for one in everybody}
    assert all(log.startswith(heard) for heard in before)


def test_a_name_that_somebody_has_taken(people: People) -> None:
    """It is said, and does not leave the other one at the door for ever."""
    host, first, other = people("Ada"), people("Ben"), people("Bo")
    link, _ = hosted(host, 3, own_relay(), "--auto")
    join(first, link)
    host.until(lambda event: event.get("event") == "offer" and event["name"] == "Ben")
    other.start("join", link, "--name", "BEN", "--auto", *GAME)
    assert "another --name" in other.ends_with(2)
    join(other, link)
    for one in (host, first, other):
        one.ends_with(0)
    assert {one["name"] for one in host.events if one.get("event") == "offer"} == {"Ben", "Bo"}


def test_somebody_keeps_the_time_of_a_table(people: People) -> None:
    """At two seats it is neither player's machine; one is killed for good, and the other goes on."""
    host, guest, keeper = people("Ada"), people("Ben"), people("Tim")
    link, _ = hosted(host, 2, relay_of(people("relay")), "--auto", "--timekeeper", "--clock", "4", *MANY_HANDS)
    keeper.start("timekeeper", link, *GAME)
    host.until(lambda event: event.get("event") == "offer")
    join(guest, link)
    guest.until(played)
    guest.kill()
    assert keeper.event("late")["name"] == "Ben"
    host.ends_with(0)
    keeper.ends_with(0)
    verified = host.event("verified")
    assert verified["verdict"] == "clean" and verified["gone"] == [1]


# --- Seats that come and go ---


def by_hand(host: Typist, seats: int, relay: tuple[str, str], *more: str) -> tuple[str, str]:
    """A table that a person opens; gives the links to play and to watch."""
    host.run("host", *GAME, "--seats", str(seats), "--name", host.name, "--terminal", *relay, *more)
    to_watch, link = (host.reads(r"nodealer:#\S+")[0] for _ in range(2))
    return link, to_watch


def lets_sit(host: Typist, guest: Somebody) -> None:
    host.reads(rf"Let {guest.name} sit down\? \[Y/n\] ")
    host.types("y")


def test_a_newcomer_asks_for_a_seat_and_plays(people: People, typists: Callable[[str], Typist]) -> None:
    """A person and a bot play; a third one asks while they do, is let in by the person, and the bot agrees."""
    host, bot, newcomer = typists("Ada"), people("Ben"), people("Dan")
    link, _ = by_hand(host, 3, own_relay(), *SOME_HANDS)
    join(bot, link)
    lets_sit(host, bot)
    host.reads("Ben may sit")
    host.types("start")
    host.is_asked()
    join(newcomer, link, "--ask")
    newcomer.event("asks")
    host.reads("Dan.* would like to sit")
    host.types("seat Dan")
    host.plays_on()
    for one in (host, bot, newcomer):
        one.ends_with(0)
    verified = [one.event("verified") for one in (bot, newcomer)]
    assert {one["verdict"] for one in verified} == {"clean"} and verified[0]["hands"] == 8
    assert len({one.log for one in (host, bot, newcomer)}) == 1
    assert [event["name"] for event in bot.events if event.get("event") == "move"].count("Dan") >= 4


def test_who_has_left_is_taken_out_and_reads_no_more(people: People, typists: Callable[[str], Typist]) -> None:
    """Three play, one of them leaves for good. The table goes on with a new key: an old link reads nothing of it, a new
    one does, and with the new link to play somebody else takes a seat."""
    host, bot, leaver = typists("Ada"), people("Ben"), typists("Cleo")
    link, to_watch = by_hand(host, 3, relay_of(people("relay")), *SOME_HANDS)
    join(bot, link)
    lets_sit(host, bot)
    leaver.run("join", link, "--name", "Cleo", "--terminal", *GAME)
    lets_sit(host, leaver)
    leaver.reads(r"\[Y/n\] ")
    leaver.types("y")
    before = people("Vi").start("watch", to_watch, *GAME)
    leaver.is_asked()
    host.is_asked()
    host.types("remove Cleo")
    host.reads("is present; only absent players")
    leaver.types("leave")
    leaver.reads("for good")
    leaver.types("yes")
    host.plays(lambda: any(event.get("event") == "end" and event["name"] == "Cleo" for event in bot.events))
    host.types("remove Cleo")
    bot.until(lambda event: event.get("text") == "agrees to the change of players")
    # Killed before it is in force, it comes back by the old link, and finds the new key at home.
    bot.kill()
    join(bot, link)
    # By its own screen, not the bot's lines, which may come when all hands are played.
    host.plays(lambda: "A player has left" in host.said)
    key = bot.event("key")
    assert key["epoch"] == 1 and "the table without Cleo" in host.said
    # Whoever has only the old key hears that there is a new one, and nothing of what is said with it.
    assert "for a new link" in leaver.ends_with(3) and "locked" in before.ends_with(3)
    after = people("Wim").start("watch", key["watch"], *GAME)
    newcomer = join(people("Dan"), key["link"], "--ask")
    newcomer.event("asks")
    host.reads("Dan.* would like to sit")
    host.types("seat Dan")
    host.plays_on()
    everybody = [host, bot, newcomer, after]
    for one in everybody:
        one.ends_with(0)
    (log,) = {one.log for one in everybody}
    assert {one.event("verified")["verdict"] for one in everybody[1:]} == {"clean"}
    old = people("Xi").start("watch", to_watch, *GAME)
    assert "locked" in old.ends_with(3)
    for one in (leaver, before, old):
        assert log.startswith(one.log) and len(one.log) < len(log)


@pytest.mark.deep
def test_who_was_taken_out_asks_for_its_seat_again(people: People, typists: Callable[[str], Typist]) -> None:
    """It sits out for so long that a bot agrees. With the new link it has its number again, and the log it had."""
    host, bot, rests = typists("Ada"), people("Ben"), typists("Cleo")
    link, _ = by_hand(host, 3, relay_of(people("relay")), *MANY_HANDS)
    join(bot, link)
    lets_sit(host, bot)
    rests.run("join", link, "--name", "Cleo", "--terminal", *GAME)
    lets_sit(host, rests)
    rests.reads(r"\[Y/n\] ")
    rests.types("y")
    rests.is_asked()
    rests.types("sit out")
    rests.reads("You sit out from the next hand on")
    rests.plays(lambda: "Cleo turns up" in rests.said)
    host.plays(lambda: "Cleo has been away" in host.said)
    host.types("remove Cleo")
    host.plays(lambda: any(event.get("event") == "key" for event in bot.events))
    assert "The others go on without you" in rests.ends_with(3)
    rests.run("join", bot.event("key")["link"], "--name", "Cleo", "--terminal", "--ask", *GAME)
    host.reads("Cleo.* would like to sit")
    host.types("seat Cleo")
    host.plays(lambda: bool(re.search(PROMPT, rests.said[rests._seen :])))
    rests.types("leave")
    rests.reads(r"\(yes or no\)")
    rests.types("yes")
    host.plays_on()
    for one in (host, bot):
        one.ends_with(0)
    assert bot.event("verified")["verdict"] == "clean"


def test_a_code_is_for_one_guest(people: People) -> None:
    host, guest, other = people("Ada"), people("Ben"), people("Eve")
    hosted(host, 2, own_relay(), "--auto", "--code")
    code = host.event("code")
    other.start("join", code["code"], "--name", "Eve", "--auto", *GAME)
    assert "--relay URL" in other.ends_with(2)
    number = code["code"].partition("-")[0]
    other.start("join", f"{number}1-zoo-zoo", "--relay", code["relay"], "--name", "Eve", "--auto", *GAME)
    assert f"no current code starts with {number}1 at" in other.ends_with(2)
    guest.start("join", code["code"], "--relay", code["relay"], "--name", "Ben", "--auto", *GAME)
    host.event("code-used")
    other.start("join", code["code"], "--relay", code["relay"], "--name", "Eve", "--auto", *GAME)
    # The code is used; or the two have played by now, and the host's relay is gone with it.
    assert other.code in (1, 4), other.said
    assert other.code == 4 or "someone else has used this code" in other.said
    for one in (host, guest):
        one.ends_with(0)


def test_a_link_that_nobody_else_on_the_machine_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command stands in the list of processes for all who look; standard input does not."""
    reading, writing = os.pipe()
    os.write(writing, b" hello! \n{}\n")
    os.close(writing)
    with os.fdopen(reading) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        done = called("join", "-", "--name", "Ben", "--auto")
        assert done.returncode == 2 and "not an invitation" in done.stderr
        assert os.read(reading, 9) == b"{}\n", "the rest is for a program that plays"
        assert called("watch", "-").returncode == 2, "there is nothing more"


def test_what_is_no_invitation_or_leads_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    nowhere = Invitation((f"ws://127.0.0.1:{free_port()}",), TableSecret(bytes(16), "00" * 16, 0), bytes(16))
    for text, code, said in (
        ("hello!", 2, "not an invitation"),
        (nowhere.link[:-9], 2, "incomplete"),
        (nowhere.for_spectators().link, 2, "spectator link"),
        (nowhere.link, 4, "cannot connect"),
    ):
        done = called("join", text, "--name", "Ben", "--auto")
        assert done.returncode == code and said in done.stderr, (text, done.stderr)
    # Who was never there does not wait for ever.
    assert called("join", nowhere.link, "--auto").returncode == 4
    other = Invitation(nowhere.relays, TableSecret(bytes(16), "11" * 16, 0), bytes(16))
    done = called("join", other.link, "--auto")
    assert done.returncode == 2 and "whoami" in done.stderr
    # Nor does a host give a link to a table that is nowhere.
    done = called("host", "--relay", nowhere.relays[0], "--name", "Ada", "--auto", "--json")
    assert done.returncode == 4 and "link" not in done.stdout


@pytest.mark.parametrize("code", [False, True], ids=["link", "pairing code"])
def test_a_person_needs_a_terminal_to_play_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, code: bool) -> None:
    """Without one, neither a table nor a code is used up: one sentence says what to do."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("sys.stdin", io.StringIO())
    nowhere = Invitation((f"ws://127.0.0.1:{free_port()}",), TableSecret(bytes(16), "00" * 16, 0), bytes(16))
    invitation = ("7-crater-lemon", "--relay", nowhere.relays[0]) if code else (nowhere.link,)
    for command in (("host", *own_relay()), ("join", *invitation)):
        done = called(*command, "--terminal", "--name", "Ada")
        assert done.returncode == 2 and not done.stdout, done.stderr
        assert done.stderr.count("\n") == 1 and "run this in a terminal, or with --auto" in done.stderr
    assert not [*tmp_path.rglob("*.db")]


def test_a_clock_is_not_both_set_and_off() -> None:
    for command in ("host", "play"):
        done = called(command, "--clock", "5", "--no-clock")
        assert done.returncode == 2 and "--clock and --no-clock cannot be combined" in done.stderr


def test_the_end_of_the_input_in_a_lobby_is_no_error(typists: Callable[[str], Typist]) -> None:
    host = typists("Ada")
    by_hand(host, 2, own_relay())
    host.types("\x04")
    assert "Traceback" not in host.ends_with(130) and "nodealer resume" in host.said
