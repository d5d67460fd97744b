"""A person's seat in the terminal: the table, the possible moves, and a prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Final, TypeVar

from nodealer.cards.operations import Peek, Seal
from nodealer.cli import text as phrases
from nodealer.cli.line_input import LineReader
from nodealer.cli.output import escape_markup, out, print_line, print_lines
from nodealer.engine.prompts import Decision, Question
from nodealer.errors import IllegalMove
from nodealer.games.text import Line, Text, Words, line, strong, table_lines
from nodealer.games.view import View
from nodealer.wire import Message, encode

T = TypeVar("T")

#: What can be typed at every prompt.
HELP: Final = ("?", "h", "help")
RULES: Final = ("??", "rules")
QUIT: Final = ("q", "quit", "exit")
YES: Final = ("y", "yes")
HINT: Final = "?=help"
PROMPT: Final = "> "


class Person:
    """Asks the person at the keyboard."""

    def __init__(
        self,
        words: Words,
        quiet: Callable[[], AbstractContextManager[None]] = nullcontext,
        lines: LineReader | None = None,
    ) -> None:
        """Ask in the game's `words`. `quiet` is a context that stops other output while the person types."""
        self._words = words
        self._console = out()
        self._quiet = quiet
        self._lines = lines or LineReader()
        #: Handles a command for the table, such as `leave`; returns whether the line was one.
        self.to_the_table: Callable[[str], bool] = lambda line: False
        #: Returns the table, for a person who asks for it out of turn.
        self.lay: Callable[[], Sequence[Text]] = lambda: ()
        #: What the person saw when they were last asked.
        self._last: View | None = None

    async def decide(self, question: Question) -> Decision:
        """Ask for a move, a choice about cards or a text to seal, until the answer is legal, and return it."""
        view, peek = question.view, question.peek
        with self._quiet():
            if question.seal is not None:
                decision: Decision = await self._seal(view, question.seal)
            else:
                decision = await (self._move(view) if peek is None else self._choose(view, peek))
        self._last = view
        return decision

    async def idle(self) -> None:
        """Read what the person types while nothing is asked, such as commands for the table. Runs until cancelled."""
        while True:
            text = await self._lines.next()
            word = text.strip().lower()
            if word in QUIT:
                raise KeyboardInterrupt
            if self.to_the_table(text):
                continue
            if not word or word in HELP:
                self._say(*self.lay(), *((_common_help(self._words),) if word else ()))
            elif word in RULES:
                self._say_rules()
            else:
                print_line(self._console, phrases.NOT_YOUR_TURN)

    def aside(self) -> AbstractContextManager[None]:
        """Return a context in which another line can be printed above an open question."""
        return self._lines.aside()

    @property
    def typed(self) -> bool:
        """Return whether a person types, and the input is not a file or a program."""
        return self._lines.typed

    async def _move(self, view: View) -> Message:
        """Ask for a move, and for confirmation if the game has doubts about it."""
        words = self._words

        def lay() -> Sequence[Text]:
            """Return the lines above the question: what is new, and the table as the person sees it."""
            news = () if self._last is None else words.news(self._last, view)
            return ("", *news, *words.table(view))

        def read(text: str) -> Message:
            """Parse the move that the person typed. Raises an error if the rules do not allow it."""
            move = words.read(view, text)
            if view.game is not None:
                view.game.moved(view.seat, encode(move))
            return move

        while True:
            move = await self._ask(lay, (_with_hint(words.prompt(view)),), words.help, read)
            doubt = words.sure(view, move)
            if not doubt or await self._confirm(doubt):
                return move

    async def _choose(self, view: View, peek: Peek) -> tuple[int, ...]:
        """Ask which of the cards that the person looks at to choose."""
        words = self._words
        *cards, asked = words.offer(view, peek)
        helped = words.choice_help(peek)
        return await self._ask(lambda: cards, (_with_hint(asked),), helped, lambda text: words.choose(view, peek, text))

    async def _seal(self, view: View, seal: Seal) -> bytes:
        """Ask for a text to seal."""
        words = self._words
        asked = (_with_hint(words.sealing(view, seal)),)
        return await self._ask(
            lambda: table_lines(words, view), asked, words.help, lambda text: words.seal(view, seal, text)
        )

    async def _ask(
        self, lay: Callable[[], Sequence[Text]], asked: Sequence[Text], helped: Sequence[Text], read: Callable[[str], T]
    ) -> T:
        """Ask until the typed text is valid. Enter alone shows the table again."""
        self._say(*lay())
        while True:
            self._say(*asked)
            text = await self._line()
            match " ".join(text.lower().split()):
                case word if word in HELP:
                    self._say(*helped, _common_help(self._words))
                case word if word in RULES:
                    self._say_rules()
                case "":
                    self._say(*lay())
                case _:
                    try:
                        return read(text)
                    except IllegalMove as error:
                        print_line(self._console, f"[magenta]{escape_markup(error)}[/magenta]")

    async def _confirm(self, doubt: str) -> bool:
        """Print the doubt and ask for yes or no. Return whether the answer was yes."""
        self._say(line("  ", strong(doubt), phrases.YES_OR_NO))
        return (await self._line()).strip().lower() in YES

    def _say_rules(self) -> None:
        """Print the game's rules, or say that it has none."""
        self._say(*(self._words.rules or (phrases.NO_RULES,)))

    def _say(self, *lines: Text) -> None:
        """Print the lines on the console."""
        print_lines(self._console, lines)

    async def _line(self) -> str:
        """Return a line that is for the game. Raises `KeyboardInterrupt` if the person quits."""
        while True:
            text = await self._lines.answer(PROMPT)
            if text.strip().lower() in QUIT:
                raise KeyboardInterrupt
            if not self.to_the_table(text):
                return text


def _with_hint(asked: Text) -> Line:
    """Add the hint about help to a prompt."""
    return line(asked, f"  {HINT}")


def _common_help(words: Words) -> Line:
    """Return the help line about what can be typed at every prompt."""
    rules = (strong("??"), phrases.HELP_RULES) if words.rules else ()
    away = (strong("sit out"), phrases.HELP_SIT_OUT, strong("leave"), phrases.HELP_LEAVE)
    return line("  ", *rules, phrases.HELP_TABLE, *away, strong("quit"), phrases.HELP_QUIT)
