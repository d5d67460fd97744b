"""Who decides at a seat: a bot here, a person elsewhere."""

from __future__ import annotations

from typing import Protocol

from nodealer.engine.participant import Participant
from nodealer.engine.prompts import Decision, Question
from nodealer.games.base import Entropy
from nodealer.games.package import Bot, GamePackage
from nodealer.tape import expand


class Agent(Protocol):
    """Answers what a table waits for. May take its time; is cancelled when its answer is not wanted any more."""

    async def decide(self, question: Question) -> Decision:
        """The move of a seat whose turn it is, a choice about cards that it looked at, or what it seals."""


def answer_of(bot: Bot, question: Question) -> Decision:
    """What a bot decides."""
    view, peek = question.view, question.peek
    if question.seal is not None:
        return bot.seal(view, question.seal)
    return bot.move(view) if peek is None else bot.choose(view, peek)


class BotAgent:
    """A bot. What it draws comes from its root and the question, so that one that comes back decides the same."""

    def __init__(self, game: GamePackage, root: bytes) -> None:
        self._game = game
        self._root = root

    async def decide(self, question: Question) -> Decision:
        return self._decision(question)

    def act(self, participant: Participant) -> list[bytes]:
        """Decide for a participant what its table waits for, if it does, and give what to send."""
        question = participant.question()
        return [] if question is None else participant.answer(question, self._decision(question))

    def _decision(self, question: Question) -> Decision:
        return answer_of(self._game.new_bot(self._draws(question)), question)

    def _draws(self, question: Question) -> Entropy:
        drawn = 0

        def draw(size: int) -> bytes:
            nonlocal drawn
            drawn += 1
            return expand("mind", self._root, question.duty.id, drawn, size=size)

        return draw
