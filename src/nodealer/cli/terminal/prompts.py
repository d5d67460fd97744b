"""Prompts in a terminal: for decisions in the game, and for questions of the lobby."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

from nodealer.cards.operations import Peek, Seal
from nodealer.cli import text as phrases
from nodealer.cli.output import escape_markup
from nodealer.client.questions import Asked, LobbyQuestion
from nodealer.engine.prompts import Decision, Question
from nodealer.errors import IllegalMove
from nodealer.games.text import Line, Text, Words, line, strong, table_lines
from nodealer.games.view import View
from nodealer.log.control_characters import escape_controls
from nodealer.wire import Message, encode

T = TypeVar("T")

#: What can be typed at every prompt.
HELP: Final = ("?", "h", "help")
RULES: Final = ("??", "rules")
QUIT: Final = ("q", "quit", "exit")
YES: Final = ("y", "yes")
NO: Final = ("n", "no")
HINT: Final = "?=help"
PROMPT: Final = "> "

#: The prompt for each question of the lobby that is answered with yes or no.
_LOBBY: Final[dict[Asked, Callable[[str], str]]] = {
    Asked.SIT: phrases.ask_to_seat,
    Asked.KEEP_TIME: phrases.ask_to_keep_time,
    Asked.UNANSWERED: phrases.ask_to_go_on_without,
    Asked.PROPOSAL: lambda name: phrases.ASK_TO_ACCEPT,
    Asked.ANOTHER: lambda name: phrases.ASK_TO_ACCEPT_OTHER,
}
#: What Enter alone means. To another proposal it means nothing: it may have been meant for the one before.
_ENTER: Final[dict[Asked, bool]] = {
    Asked.SIT: True,
    Asked.KEEP_TIME: True,
    Asked.UNANSWERED: False,
    Asked.PROPOSAL: True,
}

#: Prints lines of a game.
Say = Callable[..., None]
#: Prints a prompt and returns the line that answers it.
Ask = Callable[[str], Awaitable[str]]


async def ask_in_lobby(question: LobbyQuestion, ask: Ask) -> bool:
    """Ask a question of the lobby until the answer is yes or no. Return whether it is yes."""
    prompt = _LOBBY[question.asked](escape_controls(question.name))
    while True:
        word = (await ask(prompt)).strip().lower()
        if word in YES or word in NO:
            return word in YES
        # It was not a "no", which would turn a player away, so the question is asked again.
        if not word and question.asked in _ENTER:
            return _ENTER[question.asked]


class GamePrompts:
    """Asks for decisions in a game until they are legal."""

    def __init__(self, say: Say, complain: Callable[[str], None], ask: Ask) -> None:
        """Print a game's lines with `say` and markup with `complain`, and read answers with `ask`."""
        self._say = say
        self._complain = complain
        self._ask_line = ask
        #: What the person saw when they were last asked.
        self._last: View | None = None

    async def decide(self, words: Words, question: Question) -> Decision:
        """Ask for a move, a choice about cards or a text to seal, in the words of the game, and return it."""
        view, peek = question.view, question.peek
        if question.seal is not None:
            decision: Decision = await self._seal(words, view, question.seal)
        else:
            decision = await (self._move(words, view) if peek is None else self._choose(words, view, peek))
        self._last = view
        return decision

    async def _move(self, words: Words, view: View) -> Message:
        """Ask for a move, and for confirmation if the game has doubts about it."""

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
            move = await self._ask(words, lay, words.prompt(view), words.help, read)
            doubt = words.sure(view, move)
            if not doubt or await self._confirm(doubt):
                return move

    async def _choose(self, words: Words, view: View, peek: Peek) -> tuple[int, ...]:
        """Ask which of the cards that the person looks at to choose."""
        *cards, asked = words.offer(view, peek)
        helped = words.choice_help(peek)
        return await self._ask(words, lambda: cards, asked, helped, lambda text: words.choose(view, peek, text))

    async def _seal(self, words: Words, view: View, seal: Seal) -> bytes:
        """Ask for a text to seal."""
        asked = words.sealing(view, seal)
        return await self._ask(
            words, lambda: table_lines(words, view), asked, words.help, lambda text: words.seal(view, seal, text)
        )

    async def _ask(
        self,
        words: Words,
        lay: Callable[[], Sequence[Text]],
        asked: Text,
        helped: Sequence[Text],
        read: Callable[[str], T],
    ) -> T:
        """Ask until the typed text is valid. Enter alone shows the table again."""
        self._say(*lay())
        while True:
            self._say(line(asked, f"  {HINT}"))
            text = await self._ask_line(PROMPT)
            match " ".join(text.lower().split()):
                case word if word in HELP:
                    self._say(*helped, common_help(words))
                case word if word in RULES:
                    self._say(*rules_lines(words))
                case "":
                    self._say(*lay())
                case _:
                    try:
                        return read(text)
                    except IllegalMove as error:
                        self._complain(f"[magenta]{escape_markup(error)}[/magenta]")

    async def _confirm(self, doubt: str) -> bool:
        """Print the doubt and ask for yes or no. Return whether the answer was yes."""
        self._say(line("  ", strong(doubt), phrases.YES_OR_NO))
        return (await self._ask_line(PROMPT)).strip().lower() in YES


def rules_lines(words: Words) -> Sequence[Text]:
    """Return the game's rules, or a line that says that it has none."""
    return words.rules or (phrases.NO_RULES,)


def common_help(words: Words) -> Line:
    """Return the help line about what can be typed at every prompt."""
    rules = (strong("??"), phrases.HELP_RULES) if words.rules else ()
    away = (strong("sit out"), phrases.HELP_SIT_OUT, strong("leave"), phrases.HELP_LEAVE)
    return line("  ", *rules, phrases.HELP_TABLE, *away, strong("quit"), phrases.HELP_QUIT)
