"""Agents make the decisions at a seat. This module has the bots; people decide through a terminal or the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from nodealer.engine.commands import AnswerQuestion
from nodealer.engine.participant import Participant
from nodealer.engine.prompts import Decision, Question
from nodealer.games.base import Entropy
from nodealer.games.package import Bot, GamePackage
from nodealer.tape import expand


class Agent(Protocol):
    """Makes the decisions at a seat. It may take its time and is cancelled if its decision is no longer needed."""

    async def decide(self, question: Question) -> Decision:
        """Return a move, a choice about cards that the seat has peeked at, or what the seat seals."""


def bot_decision(bot: Bot, question: Question) -> Decision:
    """Return a bot's answer to a question."""
    view, peek = question.view, question.peek
    if question.seal is not None:
        return bot.seal(view, question.seal)
    return bot.move(view) if peek is None else bot.choose(view, peek)


class BotAgent:
    """An agent that plays with a game's bot.

    Its randomness is derived from its root and the question, so a bot that restarts decides the same way again.
    """

    def __init__(self, game: GamePackage | Callable[[], GamePackage], root: bytes) -> None:
        """Play this game's bot, with randomness derived from the secret `root`.

        If the game is not known before the lobby, pass a function that returns it then.
        """
        self._game = game
        self._root = root

    async def decide(self, question: Question) -> Decision:
        """Return the bot's decision."""
        return self._decide(question)

    def act(self, participant: Participant) -> list[bytes]:
        """Answer the participant's open question, if there is one, and return the frames to send."""
        question = participant.question()
        return [] if question is None else participant.command(AnswerQuestion(question, self._decide(question)))

    def _decide(self, question: Question) -> Decision:
        """Ask a new bot, whose randomness depends only on the root and the question."""
        game = self._game if isinstance(self._game, GamePackage) else self._game()
        return bot_decision(game.new_bot(self._entropy_for(question)), question)

    def _entropy_for(self, question: Question) -> Entropy:
        """Return an entropy source that always yields the same bytes for the same question."""
        draws = 0

        def draw(size: int) -> bytes:
            """Return the next `size` bytes of the stream for this question."""
            nonlocal draws
            draws += 1
            return expand("mind", self._root, question.duty.id, draws, size=size)

        return draw
