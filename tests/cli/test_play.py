"""`nodealer play`: whole games by the real command, real processes and real sockets."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import IO, Any

import pytest
from typer.testing import CliRunner

from cli.calling import BEN_MOVES, BOTS_COME, PLACE
from cli.running import COMMAND, TESTS, called, environment, nodealer
from nodealer.cli import main
from nodealer.cli.app import app


def events(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


# --- Bots ---


@pytest.mark.parametrize(
    ("seats", "hands"),
    [(2, 2), pytest.param(4, 3, marks=pytest.mark.deep), pytest.param(9, 1, marks=pytest.mark.deep)],
)
def test_bots_play_and_the_log_is_clean(tmp_path: Path, seats: int, hands: int) -> None:
    """All hands are played, unless chance lets one seat win everything before: nobody is left to play with then."""
    path, stack = tmp_path / "game.jsonl", 100_000
    played = ("--seats", str(seats), "--hands", str(hands), "--ante", "1", "--stack", str(stack))
    done = nodealer("play", "--auto", "--json", *played, "--log", str(path))
    assert done.returncode == 0 and not done.stderr
    # On a slow machine bots are waited for.
    told = [event for event in events(done.stdout) if event["event"] != "waiting"]
    assert told[0]["event"] == "session" and len(told[0]["players"]) == seats
    results = [event["event"] for event in told].count("result")
    left_with_chips = sum(seat["after"] > 0 for seat in told[-1]["results"][-1]["stacks"])
    assert results == hands or (results < hands and left_with_chips == 1)
    assert told[-2]["event"] == "done" and told[-2]["crypto_bytes"] < told[-2]["bytes"]
    assert (told[-1]["event"], told[-1]["verdict"], told[-1]["log"]) == ("verified", "clean", str(path))
    for result in told[-1]["results"]:
        assert sum(seat["after"] for seat in result["stacks"]) == stack * seats
    assert nodealer("verify", str(path)).returncode == 0


def test_without_a_terminal_bots_play_all_seats() -> None:
    done = nodealer("play", "--seats", "2", "--hands", "1")
    assert done.returncode == 0
    assert "Hand 1" in done.stdout and "CLEAN" in done.stdout and "play money" in done.stdout


def test_one_seed_is_one_log(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for path in (one, two):
        done = nodealer("play", "--seed", "3", "--seats", "2", "--hands", "1", "--log", str(path))
        assert done.returncode == 0 and "seeds are public" in done.stdout
    assert one.read_bytes() == two.read_bytes()
    two.unlink()
    arguments = ["play", "--seed", "4", "--seats", "2", "--hands", "1", "--log", str(two)]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    assert one.read_bytes() != two.read_bytes()


# --- Wrong use ---


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--blinds", "2"), "blinds"),
        (("--blinds", "a/b"), "blinds"),
        (("--blinds", "5/2"), "blind"),
        (("--stack", "1"), "stack"),
        (("--game", "chess"), "chess"),
        (("--protocol", "trust"), "trust"),
        (("--seats", "10"), "seats"),
        (("--hands", "0"), "hands"),
        (("--seed", "-1"), "seed"),
    ],
)
def test_wrong_use_is_2_at_once(
    arguments: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["nodealer", "play", "--auto", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2 and said in capsys.readouterr().err


def test_help_tells_the_settings_of_every_game() -> None:
    for _ in range(2):
        done = called("play", "--help")
        said = " ".join(done.stdout.split())
        assert done.returncode == 0 and said.count("Games and their settings") == 1
        for told in ("--game holdem (4 seats, mask)", "--blinds: small and big blind (default: 1/2)", "--mode:"):
            assert told in said
        assert "--game free" not in said


def test_a_game_without_bots_is_not_played_here() -> None:
    done = called("play", "--game", "free", "--auto")
    assert done.returncode == 2 and "free has no bots" in done.stderr


def test_protocol_parameters_for_any_game(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    done = called("play", "--game", "wardens", "--seed", "1", "--parameters", '{"mode":"xor"}', "--log", str(path))
    assert done.returncode == 0 and b'"mode":"xor"' in path.read_bytes().splitlines()[0]


def test_a_log_that_cannot_be_written(tmp_path: Path) -> None:
    done = nodealer("play", "--auto", "--seats", "2", "--hands", "1", "--log", str(tmp_path / "no" / "x.jsonl"))
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "x.jsonl" in done.stderr and "Hand 1" not in done.stdout


# --- Interrupted, and abandoned ---


@contextmanager
def running(*arguments: str, **changes: str) -> Iterator[subprocess.Popen[str]]:
    command = [str(COMMAND), "play", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command,
        cwd=TESTS,
        env=environment(**changes),
        stdin=subprocess.DEVNULL,
        stdout=pipe,
        stderr=pipe,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
            except OSError:
                continue
            if int(parent) == pid:
                found.append(int(entry.name))
    return found


def wait_for(output: IO[str], kind: str) -> None:
    for line in output:
        if json.loads(line)["event"] == kind:
            return
    raise AssertionError(f"no {kind}")


def gone(pids: list[int]) -> bool:
    deadline = time.monotonic() + 60
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


needs_proc = pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")

#: Where a file is waited for that never comes: Ben's turn stays his, and a bot that is to come does not.
BEN_WAITS, NOBODY_COMES = ({name: "/nothing/there"} for name in (BEN_MOVES, BOTS_COME))


@needs_proc
@pytest.mark.parametrize("sent", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.deep)])
def test_what_was_interrupted_goes_on(tmp_path: Path, sent: signal.Signals) -> None:
    """Ctrl-C ends everything soon, also a player that is stopped. What was signed stays; the same game goes on."""
    log, kept = tmp_path / "mine.jsonl", {"XDG_STATE_HOME": str(tmp_path)}
    arguments = ("--auto", "--json", *PLACE, "--seats", "3", "--hands", "1", "--log", str(log))
    with running(*arguments, **kept, **BEN_WAITS) as process:
        assert process.stdout is not None and process.stderr is not None
        wait_for(process.stdout, "move")
        players = children(process.pid)
        assert len(players) == 4, "and one that keeps the time"
        if sent is signal.SIGINT:
            os.kill(players[1], signal.SIGSTOP)
        started = time.monotonic()
        os.kill(process.pid, sent)
        _, said = process.communicate(timeout=60)
        # Two seconds, where nobody else is at work on the machine; and nobody waits for the patience of the others.
        assert time.monotonic() - started < 20
    assert gone(players) and "Traceback" not in said
    if sent is signal.SIGINT:
        assert process.returncode == 130
        assert f"Stopped in hand 1. The unfinished log is in {log}. Continue with `nodealer resume`." in said
    before = log.read_bytes()
    assert called("verify", str(log)).returncode == 3
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path))
        (row,) = json.loads(called("games", "--json").stdout)
    assert (row["state"], row["hands"], row["of_hands"], row["log"]) == ("interrupted", 0, 1, str(log))
    with chdir(TESTS):
        done = nodealer("resume", "--json", **kept)
    assert done.returncode == 0, done.stdout + done.stderr
    assert events(done.stdout)[-1]["verdict"] == "clean" and log.read_bytes().startswith(before)
    assert (Path(tmp_path) / "nodealer" / "games" / row["game"] / "host" / "log.jsonl").read_bytes() == log.read_bytes()


@needs_proc
@pytest.mark.parametrize("sent", [signal.SIGKILL, pytest.param(signal.SIGSTOP, marks=pytest.mark.deep)])
def test_the_others_go_on_without_a_player_that_is_gone(sent: signal.Signals) -> None:
    table = (*PLACE, "--seats", "3", "--hands", "2", "--patience", "8")
    with running("--auto", "--json", *table, **BEN_WAITS) as process:
        assert process.stdout is not None and process.stderr is not None
        wait_for(process.stdout, "move")
        os.kill(children(process.pid)[1], sent)
        told, said = process.communicate()
    happened = events(told)
    assert process.returncode == 0 and not said
    assert happened[-1]["verdict"] == "clean" and happened[-1]["gone"] == [1] and happened[-1]["hands"] == 2
    dropped = [event for event in happened if event["event"] == "dropout"]
    assert [event["name"] for event in dropped] == (["Ben"] if sent is signal.SIGKILL else [])


@needs_proc
@pytest.mark.deep
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGSTOP])
def test_one_of_two_breaks_off_what_the_other_leaves(sent: signal.Signals) -> None:
    """Where nobody keeps the time the law lets one do no more, and afterwards end the log."""
    table = (*PLACE, "--seats", "2", "--hands", "5", "--patience", "8")
    with running("--auto", "--json", "--no-clock", *table, **BEN_WAITS) as process:
        assert process.stdout is not None and process.stderr is not None
        wait_for(process.stdout, "move")
        os.kill(children(process.pid)[1], sent)
        told, _ = process.communicate()
    happened = events(told)
    kinds = [event["event"] for event in happened]
    assert process.returncode == 0 and "void" in kinds and "stuck" not in kinds and kinds.count("break") == 2
    assert happened[-1]["verdict"] == "clean" and happened[-1]["gone"] == [1]


@needs_proc
def test_with_a_clock_one_of_two_goes_on_without_the_other() -> None:
    """One voter of two is half of the table: enough for what is late by the ticks."""
    table = (*PLACE, "--seats", "2", "--hands", "2", "--patience", "6")
    with running("--auto", "--json", *table, **BEN_WAITS) as process:
        assert process.stdout is not None and process.stderr is not None
        wait_for(process.stdout, "move")
        os.kill(children(process.pid)[1], signal.SIGKILL)
        told, _ = process.communicate()
    happened = events(told)
    kinds = [event["event"] for event in happened]
    assert "tick" in kinds and "statement" in kinds and "void" not in kinds and "break" not in kinds
    assert process.returncode == 0 and happened[-1]["verdict"] == "clean" and happened[-1]["gone"] == [1]


@needs_proc
def test_a_player_that_never_comes() -> None:
    with running("--auto", "--json", *PLACE, "--seats", "2", "--hands", "1", **NOBODY_COMES) as process:
        while len(players := children(process.pid)) < 2:
            time.sleep(0.01)
        os.kill(players[1], signal.SIGKILL)
        told, said = process.communicate()
    assert process.returncode == 4 and said == "nodealer: Ben did not come to the table, so nothing was played\n"
    assert [event["event"] for event in events(told)] == ["dropout"] and gone(players)


def test_nobody_reads_the_output() -> None:
    """The pipe has so little room that nothing more is played until somebody reads, or is gone."""
    with running("--json", "--seed", "1", "--seats", "2", "--hands", "3") as process:
        assert process.stdout is not None and process.stderr is not None
        fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, 4096)
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
        assert process.wait(timeout=50) == 141
    assert "Stopped" in said and "The unfinished log is in" in said and "Traceback" not in said


# --- A person ---


class Terminal:
    """A person at a terminal: reads what is on the screen and types."""

    def __init__(self, *arguments: str) -> None:
        self._main, other = pty.openpty()
        self.process = subprocess.Popen(
            [str(COMMAND), "play", *arguments],
            env=environment(TERM="dumb", COLUMNS="200"),
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
        )
        os.close(other)
        self.screen = ""

    def read_until(self, pattern: str, timeout: float = 100) -> str:
        """What comes until one of the pattern's alternatives does, or the program ends."""
        begin = len(self.screen)
        deadline = time.monotonic() + timeout
        while not re.search(pattern, self.screen[begin:]):
            left = deadline - time.monotonic()
            assert left > 0, f"waited for {pattern!r}:\n{self.screen}"
            if select.select([self._main], [], [], left)[0]:
                try:
                    self.screen += os.read(self._main, 4096).decode()
                except OSError:
                    break
        return self.screen[begin:]

    def type(self, text: str) -> None:
        os.write(self._main, text.encode())

    def close(self) -> int:
        try:
            return self.process.wait(timeout=60)
        finally:
            self.process.kill()
            os.close(self._main)


def test_a_person_plays_a_hand(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    person = Terminal("--seats", "2", "--hands", "1", "--log", str(path))
    said = person.read_until(r"\n> ")
    assert "you are Ada" in said and "your turn: " in said and "?=help" in said
    assert "You shuffled; proven" in said and "Ben shuffled; proven, you checked it: no one knows the order" in said
    for typed, answer in [("?\n", "check or call"), ("raise 99999\n", "you can"), ("juggle\n", "not a move")]:
        person.type(typed)
        assert answer in person.read_until(r"\n> ")
    while "CLEAN" not in said:
        person.type("s\n" if re.search(r"show your cards or muck them[^\n]*\s+> $", person.screen) else "C\n")
        said = person.read_until(r"\n> |CLEAN")
    person.read_until("signatures")
    assert person.close() == 0
    assert "Traceback" not in person.screen and "result" in person.screen
    assert nodealer("verify", str(path)).returncode == 0


def test_a_person_leaves() -> None:
    person = Terminal("--seats", "2", "--hands", "1")
    person.read_until(r"\n> ")
    person.type("\x04")
    assert person.close() == 130
    assert "Traceback" not in person.screen


def test_a_person_presses_ctrl_c(tmp_path: Path) -> None:
    """What was signed so far is kept."""
    path = tmp_path / "mine.jsonl"
    person = Terminal("--seats", "2", "--hands", "1", "--log", str(path))
    person.read_until(r"\n> ")
    os.killpg(person.process.pid, signal.SIGINT)
    said = "You stopped in hand 1. The unfinished log is in .*. Continue with `nodealer resume`."
    assert re.search(said, " ".join(person.read_until("nodealer resume`.").split()))
    assert person.close() == 130
    assert "Traceback" not in person.screen
    assert nodealer("verify", str(path)).returncode == 3


@needs_proc
def test_a_person_does_not_wait_for_ever() -> None:
    """What is said to the table is heard while nobody asks."""
    person = Terminal("--seats", "2", "--hands", "2")
    person.read_until(r"\n> ")
    (ben,) = children(person.process.pid)
    os.kill(ben, signal.SIGSTOP)
    person.type("c\n")
    said = person.read_until("leave: ")
    assert "waiting for Ben since" in said and "break: abort the hand" in said and "without Ben" not in said
    person.type("without Cleo\n")
    person.read_until("no one is waiting for Cleo")
    person.type("break\n")
    person.read_until("was aborted")
    os.kill(ben, signal.SIGKILL)
    person.read_until("end the log without the others' signatures")
    person.type("break\n")
    said = person.read_until("checked: ")
    assert "Ben has dropped out: its program was killed (SIGKILL)" in person.screen and "CLEAN" in said
    assert person.close() == 0 and "Traceback" not in person.screen
