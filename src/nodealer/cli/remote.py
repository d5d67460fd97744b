"""One seat at a table across the network, from the lobby to the verified log: a host's, a guest's, or a watcher's."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from nodealer.audit.background import in_background
from nodealer.audit.verify import Report, verify_file
from nodealer.cli.attention import Attention, AtTheTable
from nodealer.cli.entropy import system_entropy
from nodealer.cli.invited import TableFolder
from nodealer.cli.lines import Lines
from nodealer.cli.lobbying import Guest, Hosting, Questions, ask_first
from nodealer.cli.logcopy import LogCopy, follow_all
from nodealer.cli.output import PipeClosed, err, shown, visible
from nodealer.cli.program import Program
from nodealer.cli.screen import Screen
from nodealer.cli.terminal import Person
from nodealer.cli.verify import print_report
from nodealer.drive.loop import Loop
from nodealer.drive.minds import BotMind, Mind
from nodealer.drive.patience import Looks, Patience
from nodealer.errors import BadParameter, IllegalMove
from nodealer.games.package import GamePackage
from nodealer.play.config import parts_of
from nodealer.play.frames import OtherVersion, Refuses
from nodealer.play.participant import Decision, Participant, Question, Step
from nodealer.play.phases import Phase
from nodealer.play.stays import while_it_lasts

#: After how many seconds a bot would go on without somebody.
PATIENCE = 60.0


class Chair:
    """Who sits here: in the lobby it looks on, and knows what is played when the players have agreed.

    Then `seat` makes the mind and what looks at the clock.
    """

    def __init__(
        self, participant: Participant, lobby: Looks | None, seat: Callable[[Participant], tuple[Mind | None, Looks]]
    ) -> None:
        self._participant = participant
        self._lobby = lobby
        self._seat = seat
        self._seated: tuple[Mind | None, Looks] | None = None

    def look(self, participant: Participant, now: float) -> list[bytes]:
        """What to say now."""
        if not participant.begun:
            return [] if self._lobby is None else self._lobby.look(participant, now)
        return self._now[1].look(participant, now)

    async def decide(self, question: Question) -> Decision:
        """The move, or the choice."""
        mind = self._now[0]
        if mind is None:
            raise IllegalMove("who watches decides nothing")
        return await mind.decide(question)

    @property
    def _now(self) -> tuple[Mind | None, Looks]:
        if self._seated is None:
            self._seated = self._seat(self._participant)
        return self._seated


@dataclass(frozen=True)
class Sitting:
    """How somebody sits at a table across the network."""

    table: TableFolder
    screen: Screen
    #: None for a person at the keyboard; else whether a bot plays, or a program.
    auto: bool
    copies: Sequence[LogCopy] = ()

    @property
    def watches(self) -> bool:
        """Whether this is no player."""
        return self.table.what.name is None

    @property
    def by_hand(self) -> bool:
        """Whether a person is at the keyboard."""
        return not (self.auto or self.screen.json or self.watches)

    def seat(self, participant: Participant, lines: Lines) -> tuple[Mind | None, Looks]:
        """Who decides, and who looks at the clock, now that it is known what is played."""
        config, screen = participant.replica.config, self.screen
        names = [member.name for member in participant.members]
        game = config.package
        if self.watches or game is None:
            return None, Attention(screen, names)
        if self.auto:
            return BotMind(game, participant.home.root), Patience(PATIENCE)
        if screen.json:
            return Program(game, screen), Attention(screen, names)
        person = Person(game.words, screen.asking, lines)
        return person, AtTheTable(person, screen, names)
