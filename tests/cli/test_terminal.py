"""A person at the terminal: what is asked, what is answered, and what a small or plain terminal makes of it."""

from __future__ import annotations

import asyncio
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from rich.console import Console

from cli.running import after
from games.dealer import CALL, SHOW, Dealer, script, table_of
from games.wardens_dealer import dealt
from nodealer.cards.operations import Look, Peek
from nodealer.cli import output
from nodealer.cli.terminal.input import LineReader
from nodealer.cli.terminal.ui import TYPED_MAX, TerminalUI
from nodealer.client.front_end import FrontEndGone
from nodealer.client.status import LobbyStatus, TableStatus
from nodealer.engine.prompts import Decision, Question
from nodealer.games.holdem import Call, Holdem, Muck, Raise, ShowHand
from nodealer.games.holdem.text import HoldemWords
from nodealer.games.text import Words
from nodealer.games.view import View
from nodealer.games.wardens import EndTurn
from nodealer.games.wardens.text import WardensWords


class Typed(LineReader):
    """Lines that somebody types."""

    def __init__(self, *lines: str) -> None:
        self._typed_lines = list(lines)

    async def answer(self, prompt: str) -> str:
        return self._typed_lines.pop(0)

    def take_unasked(self) -> list[str]:
        return []

    @contextmanager
    def aside(self) -> Iterator[None]:
        yield


class Playing(TerminalUI):
    """A person at a table whose game has these words."""

    def __init__(self, words: Words, made: Console, lines: LineReader) -> None:
        super().__init__(name="Ben", network=False, lines=lines)
        self.console, self._game = made, words

    @property
    def _words(self) -> Words:
        return self._game


def console(width: int = 60, encoding: str = "utf-8") -> tuple[Console, io.TextIOWrapper]:
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="")
    made = Console(file=file, width=width, force_terminal=True, color_system=None, highlight=False, emoji=False)
    return made, file


def asked(words: Words, view: View, *typed: str, peek: Peek | None = None, **of: object) -> tuple[Decision, str]:
    """What is decided, and what was on the screen."""
    made, file = console(**of)  # type: ignore[arg-type]
    person = Playing(words, made, Typed(*typed))
    decision = asyncio.run(person.prompt(Question(None, view, peek)))  # type: ignore[arg-type]
    assert not isinstance(decision, bool)
    file.flush()
    return decision, file.buffer.getvalue().decode(file.encoding)  # type: ignore[attr-defined]


def flop() -> View:
    dealer = Dealer.stacked("AcKd QcQd Ah7s9c 3d4s")
    hand = script(table_of({0: 1000, 1: 1000}, Holdem()), dealer, CALL, CALL)
    (seat,) = hand.wants.seats  # type: ignore[union-attr]
    cards = {(0, position): dealer.order[position] for position in hand.held[seat]}
    return View(seat, {0: "Ada", 1: "Ben"}, 0, hand, cards, True)


HOLDEM, WARDENS = HoldemWords(), WardensWords()


def test_help_is_everywhere() -> None:
    for words, view, move, said in (
        (HOLDEM, flop(), "check", "all in"),
        (WARDENS, dealt().view(), "e", "bury card 3"),
    ):
        for ask in ("?", "h", "HELP", " ? "):
            _, screen = asked(words, view, ask, move)
            assert said in screen and "the rules" in screen and "quit" in screen
        for ask in ("??", "rules", "Rules"):
            _, screen = asked(words, view, ask, move)
            assert str(words.rules[0]).strip() in " ".join(screen.split())


def test_help_while_choosing() -> None:
    view = dealt().view()
    peeked = View(view.seat, view.names, 0, view.game, view.cards, False, {(0, 7): 0, (0, 9): 1})
    decision, screen = asked(WARDENS, peeked, "?", "??", "", "x", "2", peek=Peek(0, 0, 2, Look.TAKE))
    assert decision == (9,) and "number of the card you keep" in screen and "rival's light to win" in screen
    assert screen.count("which one do you keep?") == 5 and screen.count("     1 ") == 2 and "no card 'x'" in screen


def test_wrong_words_change_nothing_and_are_explained() -> None:
    decision, screen = asked(HOLDEM, flop(), "juggle", "fold", "call", "raise 1", "bet 99999", "BET 20")
    assert decision == Raise(20)
    for said in ("is not a move;", "check instead of folding", "no bet to call", "raise to 2–998"):
        assert said in " ".join(screen.split())


def test_enter_alone_lays_the_table_again() -> None:
    decision, screen = asked(HOLDEM, flop(), "", "check")
    assert decision == Call() and screen.count("you are Ben") == 2


@pytest.mark.parametrize("word", ["quit", "Q", "exit "])
def test_quit_leaves(word: str) -> None:
    with pytest.raises(FrontEndGone):
        asked(HOLDEM, flop(), word)


def test_a_winner_is_mucked_only_after_a_yes() -> None:
    dealer = Dealer.stacked("KcKd AcAd 2h7s9c 3d4s")
    hand = script(table_of({0: 100, 1: 100}, Holdem()), dealer, *[CALL] * 8, SHOW)
    (seat,) = hand.wants.seats  # type: ignore[union-attr]
    view = View(seat, {0: "Ada", 1: "Ben"}, 0, hand, {(0, p): dealer.order[p] for p in hand.held[seat]}, True)
    assert asked(HOLDEM, view, "m", "no", "s")[0] == ShowHand() and asked(HOLDEM, view, "m", "", "s")[0] == ShowHand()
    decision, screen = asked(HOLDEM, view, "muck", "YES")
    assert decision == Muck() and "your pair of aces" in screen


def test_news_come_once() -> None:
    dealer = dealt()
    made, file = console()
    person = Playing(WARDENS, made, Typed("?", "e", "?", "e"))
    for _ in range(2):
        question = Question(None, dealer.view(), None)  # type: ignore[arg-type]
        assert asyncio.run(person.prompt(question)) == EndTurn()
        dealer.move(EndTurn())
        dealer.move(EndTurn())
    file.flush()
    screen = file.buffer.getvalue().decode()  # type: ignore[attr-defined]
    assert screen.count("new in your hand") == 1


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
@pytest.mark.parametrize("width", [40, 60])
def test_small_and_plain_terminals(encoding: str, width: int) -> None:
    for words, view, move in ((HOLDEM, flop(), "check"), (WARDENS, dealt().view(), "e")):
        _, screen = asked(words, view, "?", "??", move, width=width, encoding=encoding)
        assert all(len(line) <= width for line in screen.splitlines())
        assert "you are" in screen and "\x1b" not in screen
    _, screen = asked(HOLDEM, flop(), "check", encoding=encoding)
    assert ("Ah 7s 9c" if encoding == "ascii" else "A♥ 7♠ 9♣") in screen


def test_long_lines_go_on_below_their_beginning() -> None:
    made, file = console(width=40)
    output.print_lines(made, ["     1 " + "word " * 20, "short"])
    file.flush()
    first, *rest, last = file.buffer.getvalue().decode().splitlines()  # type: ignore[attr-defined]
    assert first.startswith("     1 word") and last == "short" and rest
    assert all(line.startswith("       word") for line in rest)


def test_a_word_that_is_longer_than_a_line_can_be_copied() -> None:
    made, file = console(width=40)
    path = "/home/" + "x" * 50
    output.print_line(made, f"The log is in [bold]{path}[/bold], and stays.")
    file.flush()
    assert path in file.buffer.getvalue().decode()  # type: ignore[attr-defined]


@pytest.fixture
def restored() -> Iterator[None]:
    streams = [(stream, stream.errors) for stream in (sys.stdout, sys.stderr, sys.stdin)]
    yield
    for stream, errors in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)


def test_whatever_is_said_can_be_written(restored: None) -> None:
    output.replace_unprintable()
    assert "A♠ 2…9 – Zoë".encode("ascii", "nodealer") == b"As 2...9 - Zo\\u{eb}"
    with pytest.raises(UnicodeDecodeError):
        b"\xff".decode("utf-8", "nodealer")


def test_a_whole_game_in_letters() -> None:
    done = after("", "play", "--seed", "5", "--seats", "2", "--hands", "1", PYTHONIOENCODING="ascii")
    assert done.returncode == 0 and not done.stderr and done.stdout.isascii() and "CLEAN" in done.stdout
    assert "Ada shuffled; proven: the same cards" in done.stdout
    # In a rehearsal everybody knows the order.
    assert "Ben shuffled; proven: the same cards" in done.stdout and "nobody knows" not in done.stdout


def test_commands_from_a_pipe_do_not_pile_up() -> None:
    """While nobody takes them, as without a connection."""
    made, paper = console()
    ui = Playing(HoldemWords(), made, Typed(*["sit out"] * (TYPED_MAX + 5), "q"))
    ui._status = TableStatus(0.0, "Ben")
    with pytest.raises(FrontEndGone):
        asyncio.run(ui._ask("> "))
    paper.seek(0)
    assert len(ui._typed) == TYPED_MAX and paper.read().count("sit: too many commands are waiting") == 5


def test_before_the_game_nothing_is_offered_that_does_not_work_there() -> None:
    """A guest who waits in the lobby, and types something."""
    made, file = console(width=200)
    person = Playing(HoldemWords(), made, Typed())
    offer = LobbyStatus((), None, bytes(32), None, (), has_seat=False, is_considering=False, has_declined=False)
    person._status = TableStatus(0.0, "Ben", lobby=offer)
    for line in ("?", "??", "", "call"):
        person._take_idle(line)
    file.flush()
    said = file.buffer.getvalue().decode().splitlines()  # type: ignore[attr-defined]
    assert said == ["The game has not begun yet. Type quit to stop for now."] * 4
