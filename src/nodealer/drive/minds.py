"""Who decides at a seat: a bot here, a person elsewhere."""

from __future__ import annotations

from typing import Protocol

from nodealer.play.bots import bot_for
from nodealer.play.participant import Participant
from nodealer.play.view import View
from nodealer.proofs.checks import Entropy
from nodealer.protocols.base import Duty
from nodealer.tape import expand
from nodealer.wire import Message


class Mind(Protocol):
    """Answers what a table waits for. May take its time; is cancelled when its answer is not wanted any more."""

    async def decide(self, view: View, question: Duty) -> Message | bytes:
        """The move of a seat whose turn it is, or, where the question is about a deck, a private choice."""


class BotMind:
    """A bot. What it draws comes from its root and the question, so that one that comes back decides the same."""

    def __init__(self, root: bytes) -> None:
        self._root = root

    async def decide(self, view: View, question: Duty) -> Message | bytes:
        return self.decision(view, question)

    def decision(self, view: View, question: Duty) -> Message | bytes:
        """The same, at once."""
        bot = bot_for(view.game, self._draws(question))
        return bot.move(view) if question.deck is None else bot.choose(view, question)

    def act(self, participant: Participant) -> list[bytes]:
        """Decide for a participant whatever its table waits for, and give what to send."""
        question = participant.options().question
        if question is None:
            return []
        return participant.answer(question, self.decision(participant.view(), question))

    def _draws(self, question: Duty) -> Entropy:
        drawn = 0

        def draw(size: int) -> bytes:
            nonlocal drawn
            drawn += 1
            return expand("mind", self._root, question.id, drawn, size=size)

        return draw
