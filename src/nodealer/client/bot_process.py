"""A bot in its own process.

It is started as `python -m nodealer.client.bot_process`, with its configuration as one line of JSON on standard input.
A bot that is killed and started again with the same home continues where it was.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from nodealer.audit.background import in_background
from nodealer.client.agents import BotAgent
from nodealer.client.entropy import system_entropy
from nodealer.client.events import ConnectionChanged, TableEvent
from nodealer.client.folder_store import open_or_create_store
from nodealer.client.game_loader import load_game
from nodealer.client.local_seats import LocalSeat, play_local_seat
from nodealer.client.ui import SilentUI
from nodealer.engine.lobby import Expected
from nodealer.engine.participant import Participant
from nodealer.errors import JournalLost, NodealerError, RelayError
from nodealer.log.control_characters import escape_controls
from nodealer.relay.invitations import parse_link
from nodealer.wire import Message, decode

#: The exit codes of a process that could not or would not play, whose relay went away, and that was interrupted.
REFUSED: Final = 2
UNAVAILABLE: Final = 4
INTERRUPTED: Final = 130


class BotConfig(Message, frozen=True):
    """The configuration of a bot's process."""

    #: The player link.
    invitation: str
    name: str
    hands: int
    #: What it expects to play, and where that game is found.
    expected: Expected
    game: str
    #: The folder of its home.
    home: str
    #: After how many seconds it votes to go on without a silent player; None to wait forever.
    patience: float | None = None
    #: The players that it never votes out for being slow: people.
    spared: tuple[str, ...] = ()


class BotUI(SilentUI):
    """The front end of a bot's process: prints connection problems to standard error.

    If the bot fails, the last line there is shown to the person.
    """

    def __init__(self) -> None:
        """Start with nothing printed."""
        self._printed: set[str] = set()

    def show(self, event: TableEvent) -> None:
        """Print a connection problem, unless one of its kind was printed before."""
        if not isinstance(event, ConnectionChanged) or event.what in self._printed:
            return
        self._printed.add(event.what)
        if event.what == "unheard":
            print_error(f"The relay is rejecting the messages of this seat: {event.reason}")
        elif event.what == "behind":
            print_error("The relay delivers messages with a newer key than this seat's: it may be withholding some.")


def print_error(sentence: object) -> None:
    """Print a sentence to standard error."""
    sys.stderr.write(f"nodealer: {escape_controls(sentence)}\n")
    sys.stderr.flush()


async def run_bot(config: BotConfig, make: Callable[..., Participant] = Participant) -> None:
    """Play a bot's seat until the game ends. `make` creates the participant.

    Raise `JournalLost` if the bot can sign nothing more, and otherwise as `play_local_seat`.
    """
    game = load_game(config.game)
    with open_or_create_store(Path(config.home), config.name, system_entropy) as store:
        seat = LocalSeat(
            parse_link(config.invitation),
            game,
            config.expected,
            config.hands,
            agent=BotAgent(game, store.root),
            patience=config.patience,
            spared=config.spared,
        )
        participant = await play_local_seat(seat, store, BotUI(), system_entropy, make=make, check_runner=in_background)
    if participant.silenced is not None:
        raise JournalLost(participant.silenced)


def main(make: Callable[..., Participant] = Participant) -> int:
    """Run a bot. Return 0 if its game has ended, 2 if it could not or would not play, 4 if the relay went away."""
    try:
        config = decode(BotConfig, sys.stdin.buffer.readline().strip(), what="the order")
        asyncio.run(run_bot(config, make))
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except RelayError:
        return UNAVAILABLE
    except NodealerError as error:
        print_error(error)
        return REFUSED


if __name__ == "__main__":
    raise SystemExit(main())
