"""The tutorial's games are what their pages say: they play, are verified and sound, and can be installed."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from cli.running import COMMAND, called, environment
from conformance.harness import Source
from nodealer.client.agents import BotAgent
from nodealer.client.local_table import seat_players
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.phases import Phase
from nodealer.engine.replica import replay
from nodealer.game import (
    Ask,
    BadParameter,
    Card,
    Deal,
    Done,
    Gift,
    IllegalMove,
    Moved,
    NoneOf,
    Opened,
    Pass,
    Place,
    Portion,
    Prove,
    Return,
    Rolled,
    Turn,
    View,
    encode,
)
from nodealer.gamecheck.findings import Findings
from nodealer.gamecheck.open_decks import CheckEffort, OpenDecks
from nodealer.games.text import table_lines
from nodealer.games.view import NO_SEAT
from nodealer.protocols.mask import Mask

PAGE = (Path(__file__).parents[1] / "docs/build/tutorial.md").read_text()
FILE = "\n\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.S))
(MISTAKE,) = re.findall(r"```py\n(.*?)\n```", PAGE, re.S)
(PYPROJECT,) = re.findall(r"```toml\n(.*?)```", PAGE, re.S)
SHELL = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.S) for line in block.splitlines()]
CHECK = "nodealer game check crazyeights:GAME"
INSTALL = SHELL.index("pip install .")
#: The page promises a minute, on a machine that does nothing else: this counts the time that the check itself takes.
CHECK_SECONDS = 60
SOME = CheckEffort(games=1, others=1, hands=1, moments=4, finishes=1, seats=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where somebody has followed the page."""
    folder = tmp_path_factory.mktemp("author")
    (folder / "crazyeights.py").write_text(FILE)
    return folder


@pytest.fixture
def eights(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    yield from _imported(folder, monkeypatch)


def _imported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(folder))
    yield import_module("crazyeights")
    del sys.modules["crazyeights"]


def typed(folder: Path, line: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """A line of the page, as if it was typed there."""
    command, *arguments = shlex.split(line)
    run = [str(COMMAND)] if command == "nodealer" else [sys.executable, "-m", command]
    return subprocess.run(
        [*run, *arguments],
        cwd=folder,
        env=environment(**changes),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


# --- The commands of the page ---


def test_every_command_is_one_of_these() -> None:
    assert {line.partition(" -")[0] for line in SHELL} == {
        "nodealer play",
        "nodealer verify game.jsonl",
        "nodealer verify cheat.jsonl",
        "nodealer show game.jsonl",
        "nodealer game list",
        CHECK,
        "pip install .",
    }


def test_it_is_played_and_verified_as_the_page_says(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played, _, verified, shown = (line for line in SHELL[:INSTALL] if line != CHECK and "cheat" not in line)
    done = typed(folder, played)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "plays " in done.stdout and " won" in done.stdout and "CLEAN" in done.stdout
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [*sys.path])
    done = called(*shlex.split(verified)[1:])
    assert done.returncode == 0 and "CLEAN" in done.stdout and " won" in done.stdout
    done = called(*shlex.split(shown)[1:])
    assert done.returncode == 0 and "plays " in done.stdout and "shuffle" in done.stdout
    del sys.modules["crazyeights"]


@pytest.mark.deep
def test_it_is_played_without_a_terminal(folder: Path) -> None:
    (line,) = (line for line in SHELL if "--turns" in line)
    done = typed(folder, line)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "CLEAN" in done.stdout and "Cleo" not in done.stdout


@pytest.mark.deep
def test_a_cheat_at_it_is_named(folder: Path) -> None:
    cheated, verified = (line for line in SHELL if "cheat" in line)
    done = typed(folder, cheated)
    assert done.returncode == 1 and "FAULT: Ben" in done.stdout, done.stdout + done.stderr
    done = typed(folder, verified)
    assert done.returncode == 1 and "FAULT: Ben" in done.stdout, done.stdout + done.stderr


def test_its_table_is_shown_when_it_can_be(eights: ModuleType) -> None:
    """A page shows the table at every moment, also while the first card is on its way to it."""
    words, dealt = eights.EightsWords(), {0: (0,), 1: (1,)}
    begun = eights.Hand.begin(0, (0, 1), 9)
    view = View(0, {0: "Ada", 1: "Ben"}, 0, begun, {(0, 0): 17}, False)
    assert table_lines(words, view) == ()
    with pytest.raises(IndexError):
        table_lines(words, replace(view, my_turn=True))
    playing = replace(begun, requests=(), hands=dealt, table=((2, 30),), suit=2)
    shown = [str(line).strip() for line in table_lines(words, replace(view, game=playing))]
    assert shown[1] == "cards: Ben 1" and shown[2].endswith("6♦")
    assert table_lines(words, View(NO_SEAT, view.names, 0, playing, {}, False)) == ()


@pytest.mark.deep
def test_it_is_sound_within_a_minute(folder: Path) -> None:
    before = sum(os.times()[2:4])
    done = typed(folder, CHECK)
    assert done.returncode == 0 and "PASSED: crazyeights version 1" in done.stdout, done.stdout
    assert "not on lock: lock cannot shuffle cards back into the deck" in done.stdout
    assert sum(os.times()[2:4]) - before < CHECK_SECONDS


@pytest.mark.deep
def test_it_is_installed_by_its_entry_point(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "crazyeights.py").write_text(FILE)
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    site = tmp_path / "site"
    offline = f"--no-deps --no-index --no-build-isolation --disable-pip-version-check --target {site}"
    assert typed(tmp_path, SHELL[INSTALL].replace("install", f"install {offline}")).returncode == 0
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = typed(folder, "nodealer play --game crazyeights:GAME --auto --log installed.jsonl")
    assert done.returncode == 0, done.stdout + done.stderr
    (elsewhere / "game.jsonl").write_bytes((folder / "installed.jsonl").read_bytes())
    for line in SHELL[INSTALL + 1 :]:
        done = typed(elsewhere, line, PYTHONPATH=f"{site}:{':'.join(filter(None, sys.path))}")
        assert done.returncode == 0, done.stdout + done.stderr
        assert ("crazyeights" if "list" in line else "CLEAN") in done.stdout


# --- What the check says of it ---


def found(module: ModuleType, *counts: int) -> Findings:
    findings = Findings()
    decks = OpenDecks(module.GAME, module.CrazyEights(), SOME, findings, lambda doing: None)
    decks.check(counts)
    return findings


def test_it_is_sound_on_open_decks(eights: ModuleType) -> None:
    assert found(eights, 2, 5).as_json() == []


def test_the_mistake_of_the_page_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = re.search(r"            from_pile = .*?\n            return .*?\n", FILE)
    assert right is not None
    (tmp_path / "crazyeights.py").write_text(FILE.replace(right.group(), f"            {MISTAKE}\n"))
    for module in _imported(tmp_path, monkeypatch):
        (finding,) = [one for one in found(module, 9).as_json() if one["kind"] == "cards"]
        (quoted,) = re.findall(r"```text\n✗ cards\n(.*?)```", PAGE, re.S)
        assert finding["what"] == " ".join(quoted.split())


# --- The rules ---


def test_a_reshuffle(eights: ModuleType) -> None:
    """The pile is empty: what was played goes back but for the top card, and one of it is drawn."""
    hand = eights.Hand(0, (0, 1), 200, 0, (), hands={0: (1,), 1: (2,)}, table=((3, 7), (4, 9)), suit=0, pile=0)
    asked = hand.moved(0, b'{"type":"draw"}')
    assert isinstance(asked.wants, Ask)
    back, deal = asked.wants.operations
    assert back == Return(0, (3,), Place.SHUFFLED) and isinstance(deal, Deal)
    after = asked.told((Moved(Card(0, 0, 3), None), Moved(Card(0, 1, 52), 0)))
    assert after.wants == Turn((1,)) and after.hands[0] == (1, 52)
    assert after.table == ((4, 9),) and after.pile == 0
    # Nothing but the top card: who draws draws nothing.
    assert after.moved(1, b'{"type":"draw"}').wants == Turn((0,))


def test_an_eight_names_a_suit_and_a_lie_is_caught(eights: ModuleType) -> None:
    hand = eights.Hand(0, (0, 1), 200, 0, (), hands={0: (1, 5), 1: (2,)}, table=((4, 9),), suit=0, pile=40)
    eight = eights.EIGHT + 13
    for move in (
        f'{{"type":"play","place":1,"card":{eight},"suit":null}}',
        '{"type":"play","place":2,"card":3,"suit":null}',
        '{"type":"play","place":1,"card":14,"suit":null}',
        '{"type":"play","place":1,"card":52,"suit":null}',
    ):
        with pytest.raises(IllegalMove):
            hand.moved(0, move.encode())
    asked = hand.moved(0, f'{{"type":"play","place":1,"card":{eight},"suit":3}}'.encode())
    shown = asked.told((Opened(Card(0, 0, 1), eight),))
    assert shown.wants == Turn((1,)) and shown.suit == 3 and shown.hands[0] == (5,)
    caught = asked.told((Opened(Card(0, 0, 1), 20),)).wants
    assert isinstance(caught, Done) and caught.result["ended"] == "caught" and caught.result["winners"] == [1]


def test_its_ends_and_its_words(eights: ModuleType) -> None:
    hand = eights.Hand(0, (0, 1, 2), 200, 0, (), hands={0: (1,), 1: (2,), 2: (6, 7)}, table=((4, 9),), suit=0, pile=40)
    won = hand.moved(0, b'{"type":"play","place":1,"card":3,"suit":null}').told((Opened(Card(0, 0, 1), 3),)).wants
    assert isinstance(won, Done) and won.result["ended"] == "out of cards" and won.result["winners"] == [0]
    given_up = hand.left((0,), cards=False).wants
    assert isinstance(given_up, Done) and given_up.result["winners"] == [1]
    words, view = eights.GAME.words, View(0, {0: "Ada", 1: "Ben", 2: "Cleo"}, 0, hand, {(0, 1): 3}, my_turn=True)
    assert words.read(view, "1") == eights.Play(1, 3) and words.read(view, "1 S") == eights.Play(1, 3, 3)
    assert words.read(view, "d") == eights.Draw()
    for text in ("", "2", "1 x", "1 s s", "d d"):
        with pytest.raises(IllegalMove):
            words.read(view, text)
    assert words.result(won.result, view.names) == "Ada won"
    with pytest.raises(BadParameter):
        eights.CrazyEights(0)


# --- The second game ---

SECOND = (Path(__file__).parents[1] / "docs/build/gofish.md").read_text()
SECOND_FILE = "\n\n".join(re.findall(r"```python\n(.*?)```", SECOND, re.S))
SECOND_SHELL = [line for block in re.findall(r"```sh\n(.*?)```", SECOND, re.S) for line in block.splitlines()]


@pytest.fixture
def fish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    (tmp_path / "gofish.py").write_text(SECOND_FILE)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield import_module("gofish")
    del sys.modules["gofish"]


def test_the_second_is_sound_on_open_decks(fish: ModuleType) -> None:
    findings = Findings()
    OpenDecks(fish.GAME, fish.GoFish(5), SOME, findings, lambda doing: None).check((2, 3, 9))
    assert findings.as_json() == []


def test_what_is_said_is_proven_at_a_real_table(fish: ModuleType) -> None:
    """Two bots on `mask`, to the end of the hand: each sentence has its proof, and the log replays."""
    table = seat_players(
        ["Ada", "Ben"], Mask(), fish.GoFish(4), Source("fish"), stays=stay_for_hands(1), package=fish.GAME
    )
    minds = {one: BotAgent(fish.GAME, one.store.root) for one in table.participants}
    table.run(lambda one: minds[one].act(one))
    state = table.seats[0].replica.state
    (result,) = state.results
    assert state.phase is Phase.ENDED and result["ended"] == "all books"
    assert sum(one["books"] for one in result["books"]) == 4
    again = replay(table.seats[0].replica.config, table.log, entropy=Source("audit"))
    assert again.digest() == table.seats[1].replica.digest()


def test_who_denies_a_card_cannot_prove_it(fish: ModuleType) -> None:
    hand = fish.Hand(0, (0, 1), 4, (), active=0, hands={0: (0, 1), 1: (2, 3)}, pile=5)
    asks = hand.moved(0, encode(fish.AskFor(1, 2, 0)))
    assert asks.wants == Ask((Prove(0, (NoneOf(0, (0,), (0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15)),)),))
    asked = asks.told(())
    assert asked.wants == Turn((1,))
    # Whatever it answers: of all that it keeps it has to prove that none is of that rank, before anything moves.
    none = asked.moved(1, encode(fish.Answer(()))).wants.operations
    assert none == (Prove(0, (NoneOf(1, (2, 3), (8, 9, 10, 11)),)), Deal(0, (Portion(0, 1),)))
    proves, given, gives = asked.moved(1, encode(fish.Answer((3,)))).wants.operations
    assert proves == Prove(0, (NoneOf(1, (2,), (8, 9, 10, 11)),)) and given.claims[0].positions == (3,)
    assert gives == Pass(0, (Gift(1, 0, (3,)),))
    for move in (fish.Answer((2, 2)), fish.Answer((3, 2)), fish.Answer((0,)), fish.Fish(), fish.AskFor(0, 1, 2)):
        with pytest.raises(IllegalMove):
            asked.moved(1, encode(move))
    for move in (fish.Book((0, 1)), fish.Fish(), fish.AskFor(1, 4, 0), fish.AskFor(1, 2, 3), fish.AskFor(0, 2, 0)):
        with pytest.raises(IllegalMove):
            hand.moved(0, encode(move))


def test_the_ends_of_the_second(fish: ModuleType) -> None:
    hand = fish.Hand(0, (0, 1), 4, (), active=0, hands={0: (0, 1, 2, 3, 4), 1: (5,)}, pile=0)
    shows = hand.moved(0, encode(fish.Book((0, 1, 2, 3))))
    book = shows.told(tuple(Opened(Card(0, 0, at), 4 + at) for at in range(4)))
    assert book.books == {0: (1,)} and book.wants == Turn((0,))
    false = shows.told(tuple(Opened(Card(0, 0, at), 1 + at) for at in range(4)))
    assert false.wants.result["ended"] == "caught" and false.wants.result["winners"] == [1]
    assert hand.left((1,), cards=False).wants.result["ended"] == "given up"
    begun = fish.GoFish().begin(0, (0, 1, 2), None, {})
    assert begun.told((Rolled(1, (), (2,)),)).wants.result["ended"] == "no die"
    for ranks, seats in ((7, 1), (7, 6), (4, 4)):
        with pytest.raises(BadParameter):
            fish.GoFish(ranks).begin(0, tuple(range(seats)), None, {})


@pytest.mark.deep
def test_the_second_is_played_as_its_page_says(tmp_path: Path) -> None:
    (tmp_path / "gofish.py").write_text(SECOND_FILE)
    for line, word in zip(SECOND_SHELL, ("CLEAN", "CLEAN", "PASSED: gofish version 1"), strict=True):
        done = typed(tmp_path, line)
        assert done.returncode == 0 and word in done.stdout, done.stdout + done.stderr
