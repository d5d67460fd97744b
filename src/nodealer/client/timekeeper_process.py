"""A timekeeper in its own process.

It is started as `python -m nodealer.client.timekeeper_process`, with its configuration as one line of JSON on standard
input, which stays open as long as the timekeeper is needed; or as `nodealer timekeeper`. Started again with the same
home, it continues where it was.
"""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from pathlib import Path

from nodealer.audit.background import in_background
from nodealer.client.bot_process import INTERRUPTED, REFUSED, print_error
from nodealer.client.connection import ConnectionMonitor
from nodealer.client.entropy import system_entropy
from nodealer.client.folder_store import open_or_create_store
from nodealer.client.game_loader import load_game_or_none
from nodealer.client.keyring import Keyring
from nodealer.client.lobby import Onlooker
from nodealer.client.relay_transport import RelayTransport
from nodealer.client.saved_games import games_folder
from nodealer.client.table_client import Behaviour, ClientOptions, TableClient
from nodealer.client.timekeeper import Ticker
from nodealer.client.ui import UI, GuardedUI, SilentUI
from nodealer.engine.participant import Participant
from nodealer.engine.resolve import resolve_parts
from nodealer.errors import BadParameter, NodealerError
from nodealer.relay.invitations import Invitation, parse_link
from nodealer.tape import expand
from nodealer.wire import Message, decode


class TimekeeperConfig(Message, frozen=True):
    """The configuration of a timekeeper's process."""

    #: The player link, the table's name at the relay, and the addresses of its relays for this machine.
    invitation: str
    table: str
    relays: tuple[str, ...]
    name: str
    #: Where the game is found; None for the installed one that is proposed.
    game: str | None
    #: The folder of its home.
    home: str


def timekeeper_config(invitation: Invitation, *, name: str, game: str | None) -> TimekeeperConfig:
    """Return the configuration of a user's timekeeper, with its home among the user's own.

    Raise `BadParameter` for a spectator link.
    """
    # From the whole invitation: another link may have the same table number.
    of = expand("timekeeper", invitation.table_secret().secret, invitation.host, size=8).hex()
    home = games_folder().parent / "timekeeper" / f"{invitation.table}-{of}"
    home.parent.mkdir(parents=True, exist_ok=True)
    return TimekeeperConfig(invitation.link, invitation.table, invitation.relays, name, game, str(home))


async def keep_time(config: TimekeeperConfig, ui: UI, *, patient: bool = False, shows_log: bool = True) -> None:
    """Keep the time of a table until its end.

    Raise `NotSeated` if the table has another timekeeper, `BadParameter` if the players go on with another key, and,
    unless it is `patient`, `RelayError` if there is no relay at first.
    """
    invitation, game = parse_link(config.invitation), load_game_or_none(config.game)
    with open_or_create_store(Path(config.home), config.name, system_entropy) as store:
        keys = Keyring((invitation.key,), system_entropy)
        with in_background() as runner:
            participant = Participant(
                store,
                entropy=system_entropy,
                table=config.table,
                host=invitation.host,
                parts=partial(resolve_parts, game=game),
                check_runner=runner,
                keeps_time=True,
                keys=keys,
            )
        ui = GuardedUI(ui)
        monitor = ConnectionMonitor(ui.show, len(config.relays), patient=patient, shows_first=True)
        transport = RelayTransport(participant, keys, config.relays, entropy=system_entropy, emit=monitor)
        behaviour = Behaviour(None, Onlooker(ui.show), (Ticker(),))
        await TableClient(participant, transport, ui, behaviour, ClientOptions(shows_log=shows_log)).run()
    if not participant.is_over:
        raise BadParameter("the players continue with another key, and without this timekeeper")


async def _keep_until_orphaned(config: TimekeeperConfig) -> None:
    """Keep the time until the table has ended, or the program that started this one has gone.

    The successor of that program needs the home. The relay may go and come back meanwhile.
    """
    keeping = asyncio.ensure_future(keep_time(config, SilentUI(), patient=True, shows_log=False))
    gone = asyncio.ensure_future(_end_of_input())
    try:
        await asyncio.wait({keeping, gone}, return_when=asyncio.FIRST_COMPLETED)
        if keeping.done():
            keeping.result()
    finally:
        keeping.cancel()
        gone.cancel()
        await asyncio.gather(keeping, gone, return_exceptions=True)


async def _end_of_input() -> None:
    """Wait until standard input is closed."""
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    try:
        await reader.read()
    finally:
        transport.close()


def main() -> int:
    """Run a timekeeper.

    Return 0 if its table has ended or the program that started it has gone, 2 if it could not or would not keep the
    time.
    """
    try:
        config = decode(TimekeeperConfig, sys.stdin.buffer.readline().strip(), what="the order")
        asyncio.run(_keep_until_orphaned(config))
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except NodealerError as error:
        print_error(error)
        return REFUSED


if __name__ == "__main__":
    raise SystemExit(main())
