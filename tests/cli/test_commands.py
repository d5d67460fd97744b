"""What holds for every command: help, errors in one sentence, exit codes."""

from __future__ import annotations

import itertools
import json
import re
import signal
import subprocess
import sys
from importlib.metadata import EntryPoints
from pathlib import Path

import pytest

import nodealer as package
from cli.running import after, called, environment, nodealer
from nodealer import errors
from nodealer.cli import commands
from nodealer.cli.app import _TopLevelCommands
from nodealer.cli.exits import exit_code
from nodealer.protocols import MODES, PROTOCOLS

NO_CORE = "sys.modules['nodealer.group._core'] = None"


def test_version() -> None:
    done = nodealer("--version")
    assert (done.returncode, done.stdout) == (0, f"nodealer {package.__version__}\n")


@pytest.mark.parametrize("command", ["", "game", *_TopLevelCommands.places, *_TopLevelCommands.elsewhere])
def test_every_command_has_help_with_an_example(command: str) -> None:
    done = called(*command.split(), "--help")
    assert done.returncode == 0
    assert f"Example: nodealer {command}" in done.stdout


@pytest.mark.parametrize(
    "arguments", [("bench",), ("bench", "dominoes"), ("nothing",), ("doctor", "--loud"), ("protocols", "mask")]
)
def test_wrong_use_is_2(arguments: tuple[str, ...]) -> None:
    done = called(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr and not done.stdout


@pytest.mark.parametrize("arguments", ["lab", "lab --help", "lab run double --protocol mask", "bench core --json"])
def test_without_the_lab_its_commands_say_how_to_install_it(arguments: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "entry_points", lambda **_: EntryPoints())
    done = called(*arguments.split())
    command = arguments.split(maxsplit=1)[0]
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"nodealer: `nodealer {command}` is part of nodealer-lab, which is not installed: "
        "run `pip install ./lab` in a checkout of nodealer\n"
    )
    assert f" {command} " not in called("--help").stdout


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("plya", "play"), ("verfy", "verify"), ("game chek", "check"), ("lab rnu", "run"), ("labb", "lab")],
)
def test_a_mistyped_command_gets_the_closest_name(typed: str, meant: str) -> None:
    done = called(*typed.split())
    assert done.returncode == 2 and not done.stdout
    assert f"No such command '{typed.rsplit(maxsplit=1)[-1]}'. Did you mean '{meant}'?" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        ("play --gmae hearts", "unknown option '--gmae'; did you mean '--game'?"),
        ("play --blind 1/2", "unknown option '--blind'; did you mean '--blinds'?"),
        ("host --sets 3", "unknown option '--sets'; did you mean '--seats'?"),
        ("play --game heart", "unknown game 'heart'; did you mean 'hearts'?"),
        ("play --protocol chian", "unknown protocol 'chian'; did you mean 'chain'?"),
        ("play --cheat Bne", "unknown seat 'Bne'; did you mean 'Ben'?"),
        ("play --cheat Ben:markk", "unknown cheat 'markk'; did you mean 'mark'?"),
        ("relay --limit frame_byte=3", "unknown limit 'frame_byte'; did you mean 'frame_bytes'?"),
        ("verify --jsn x", "--json"),
    ],
)
def test_a_mistyped_name_gets_the_closest_one(arguments: str, meant: str) -> None:
    done = called(*arguments.split())
    assert done.returncode == 2 and meant in " ".join(done.stderr.split()) and not done.stdout


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.BadParameter("x"), 2),
        (errors.IllegalMove("x"), 2),
        (errors.CardUnreadable(0, 1, "x"), 2),
        (errors.BackendMissing("x"), 4),
        (errors.Malformed("x"), 2),
        (errors.DecodeError("x"), 2),
        (errors.LogBroken("x"), 1),
        (errors.BadSignature("x"), 1),
        (errors.LogRolledBack("x"), 1),
        (errors.EntryRefused(0, "x"), 1),
        (errors.PeerFault(0, "x"), 1),
        (errors.ProofRejected(0, "x"), 1),
        (errors.RelayError("x"), 4),
    ],
)
def test_every_error_has_its_exit_code(error: errors.NodealerError, code: int) -> None:
    assert exit_code(error) == code


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"NODEALER_BACKEND": "abacus"}, "nodealer: NODEALER_BACKEND is native or reference, not 'abacus'\n"),
        ({"NODEALER_BACKEND": ""}, "nodealer: NODEALER_BACKEND is native or reference, not ''\n"),
    ],
)
def test_an_error_is_one_sentence(changes: dict[str, str], sentence: str) -> None:
    done = nodealer("doctor", **changes)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", sentence)


@pytest.mark.parametrize("arguments", [("doctor",), ("bench", "core"), ("bench", "proofs", "--json")])
def test_a_core_that_is_not_there_is_4(arguments: tuple[str, ...]) -> None:
    done = after(NO_CORE, *arguments, NODEALER_BACKEND="native")
    assert done.returncode == 4 and not done.stdout
    assert done.stderr.startswith("nodealer: the native core cannot be loaded")
    assert "make build" in done.stderr and "Traceback" not in done.stderr


def test_an_interrupt_is_130() -> None:
    code = (
        "import sys, time; sys.argv = ['nodealer', 'bench', 'log', '--json']\n"
        "from nodealer.cli import main\nfrom nodealer_lab.cli import bench\n"
        "def slow(effort):\n"
        "    print('started', flush=True); time.sleep(60); yield\n"
        "bench.SUITES = {'log': slow}\n"
        "main()"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "started\n"
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=30)
    assert running.returncode == 130
    assert "Traceback" not in said


def test_protocols_prints_the_claims_of_all() -> None:
    done = called("protocols", "--json")
    assert done.returncode == 0 and not done.stderr
    fields = {"name", "version", "parameters", "seats", "cards", "operations", "roles", "cheats", "dropout", "cost"}
    listed = json.loads(done.stdout)
    assert isinstance(listed, list)
    for claims in listed:
        assert set(claims) == fields
        assert all(set(cheat) == {"cheat", "seen", "culprit"} for cheat in claims["cheats"])
    # Every mode of every protocol, and what the weak ones warn of.
    warned = [(claims["name"], claims["parameters"]) for claims in listed if "warning" in claims["cost"]]
    assert warned == [
        ("chain", {"proven": False}),
        ("chain", {"deck": "dealer", "proven": False}),
        ("duel", {"mode": "committed"}),
        ("duel", {"mode": "xor"}),
    ]
    assert [claims["name"] for claims in listed if not claims["parameters"]] == list(PROTOCOLS)
    assert len(listed) == sum(map(len, MODES.values())) and MODES.keys() == PROTOCOLS.keys()
    shown = called("protocols")
    assert shown.returncode == 0
    assert all(claims["name"] in shown.stdout for claims in listed)
    assert shown.stdout.count("WARNING") == 4 and '{"mode":"committed"}' in shown.stdout


def test_without_protocols_the_list_is_empty() -> None:
    nothing = "import nodealer.protocols as p; p.PROTOCOLS.clear()"
    done = after(nothing, "protocols", "--json")
    assert (done.returncode, json.loads(done.stdout)) == (0, [])
    shown = after(nothing, "protocols")
    assert (shown.returncode, shown.stdout) == (0, "") and "no protocol" in shown.stderr


# --- Help, and the first line ---

COMMANDS = [*_TopLevelCommands.places, "game check", "game list"]


@pytest.mark.parametrize("command", ["", "game", *COMMANDS])
def test_help_names_no_types_and_fits(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = called(*command.split(), "--help")
    assert done.returncode == 0 and not re.search("<[a-zA-Z]", done.stdout)
    lines = [line.strip(" │") for line in done.stdout.splitlines()]
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    # Text that was broken into lines before, and is broken again: a short line in the middle of a paragraph.
    for one, two in itertools.pairwise(lines):
        prose = one[:1].isupper() and len(one) > 50 and two and "  " not in one + two
        assert not prose or len(one) + len(two.split()[0]) >= 70, (one, two)


#: Says what the process has cost so far, at the first thing that is written.
METER = """
import os, sys, time
class Meter:
    def isatty(self):
        return True
    def write(self, text):
        os.write(1, f"{time.process_time()} {text}".encode())
        os._exit(0)
"""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["--version"], "nodealer 1"), (["play"], "setting up the table"), (["demo"], "setting up the table")],
)
def test_the_first_line_comes_at_once(arguments: list[str], said: str) -> None:
    """At most four times what Python itself costs; the least of some runs in turn, because others use the machine."""
    run = f"sys.argv = {['nodealer', *arguments]!r}; sys.stdout = sys.stderr = Meter()"
    line = f"{METER}\n{run}\nfrom nodealer.cli import main; main()"
    costs: dict[str, list[float]] = {"nothing": [], "line": []}
    for _ in range(5):
        for what, code in (("nothing", f"{METER}\nMeter().write('')"), ("line", line)):
            told = subprocess.check_output([sys.executable, "-c", code], env=environment(), text=True)
            assert what == "nothing" or said in told
            costs[what].append(float(told.split()[0]))
    assert min(costs["line"]) <= 4 * min(costs["nothing"]), costs


def test_programs_need_no_first_line() -> None:
    assert "is setting up the table" not in called("play", "--stack", "1").stderr


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("pl", ["play"]),
        ("web se", ["serve"]),
        ("verify --jo", ["--jobs"]),
        ("play --protocol o", ["offset"]),
        ("host --game h", ["hearts", "holdem"]),
        ("lab run doub", ["double"]),
    ],
    ids=str,
)
def test_a_shell_completes_what_was_begun(words: str, completed: list[str]) -> None:
    line = f"nodealer {words}"
    asked = {"_NODEALER_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    command = [str(Path(sys.executable).parent / "nodealer")]
    done = subprocess.run(command, env={**environment(), **asked}, capture_output=True, text=True, check=False)
    assert done.stdout.split() == completed
