"""A bot in its own process.

It is started as `python -m nodealer.cli.bot_process`, with its configuration as one line of JSON on standard input. A
bot that is killed and started again with the same home continues where it was.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from nodealer.audit.background import in_background
from nodealer.cli import text as phrases
from nodealer.client.agents import Agent, BotAgent
from nodealer.client.bot_roster_policy import BotRosterPolicy
from nodealer.client.entropy import system_entropy
from nodealer.client.events import ConnectionCode
from nodealer.client.folder_store import open_or_create_store
from nodealer.client.game_loader import load_game
from nodealer.client.keyring import Keyring
from nodealer.client.loop import Loop, Watch
from nodealer.client.policies import Policy, PolicyGroup, TimeoutVoter
from nodealer.client.relay_transport import (
    Behind,
    ConnectionEvent,
    KeyMissing,
    RelayFound,
    RelayLost,
    RelayTransport,
    WriteRefused,
)
from nodealer.engine.frame_result import Received
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.lobby import Expected
from nodealer.engine.lobby_messages import ProposalDeclined
from nodealer.engine.participant import Participant
from nodealer.engine.resolve import resolve_parts
from nodealer.errors import BadParameter, Declined, JournalLost, NodealerError, RelayError
from nodealer.log.control_characters import escape_controls
from nodealer.relay.invitations import Invitation, parse_link
from nodealer.wire import Message, decode


class PlayerConfig(Message, frozen=True):
    """The configuration of a bot's process, and of any player of a local table."""

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


def end_when_declined(step: Received) -> list[bytes]:
    """Raise `Declined` when this player has refused the proposal: a bot that does not agree has nothing to wait for."""
    for news in step.happened:
        if isinstance(news, ProposalDeclined) and news.mine:
            raise Declined(news.reason)
    return []


#: Called with a connection problem: its code, and a sentence for people.
ReportProblem = Callable[[ConnectionCode, str], None]


def report_on_stderr(code: ConnectionCode, sentence: str) -> None:
    """Print the sentence to standard error.

    If the bot exits with an error, its last line there is shown to the person.
    """
    sys.stderr.write(phrases.error(escape_controls(sentence)) + "\n")
    sys.stderr.flush()


async def play_seat(
    order: PlayerConfig,
    mind: Agent | None = None,
    follow: Callable[[Participant], Watch] | None = None,
    *,
    says: ReportProblem = report_on_stderr,
    looks: Policy | None = None,
    take_part: Callable[..., Participant] = Participant,
) -> Participant:
    """Play one seat of a local table until the game ends, and return its participant.

    Without `mind`, a bot decides. `follow` creates the watcher that sees each step, `says` reports connection problems,
    `looks` is the policy that is called at every tick, and `take_part` creates the participant. Without `looks`, the
    seat votes as bots do: it skips silent players after the configured patience.
    """
    game, invitation = load_game(order.game), parse_link(order.invitation)
    with open_or_create_store(Path(order.home), order.name, system_entropy) as home:
        keys = Keyring((invitation.key,), system_entropy)
        with in_background() as begin:
            participant = take_part(
                home,
                entropy=system_entropy,
                accept=order.expected.accept,
                stay_policy=stay_for_hands(order.hands),
                host=invitation.host,
                parts=partial(resolve_parts, game=game),
                check_runner=begin,
                keys=keys,
            )
        if looks is None and order.patience is not None:
            looks = PolicyGroup(TimeoutVoter(order.patience, frozenset(order.spared)), BotRosterPolicy())
        mind = mind or BotAgent(game, home.root)
        watch = end_when_declined if follow is None else follow(participant)
        transport = local_transport(invitation, participant, keys, says)
        await Loop(participant, transport, mind, watch=watch, policy=looks).run()
        return participant


class LocalRelayMonitor:
    """Watches the connection to a relay that is a process on this machine.

    A lost connection is retried. But a relay process that has ended does not come back, so a failed retry raises
    `RelayError`, which ends this player. Other problems are reported once each.
    """

    def __init__(self, says: ReportProblem = report_on_stderr) -> None:
        """Start as not connected. `says` reports problems."""
        self._says = says
        self._found = False
        self._said: set[type[ConnectionEvent]] = set()

    def __call__(self, line: ConnectionEvent) -> None:
        """Handle one connection event: ignore it, report it, or raise to end the player."""
        if isinstance(line, RelayLost) and not self._found:
            raise RelayError(line.reason)
        if isinstance(line, KeyMissing):
            raise BadParameter(phrases.SEAT_LOCKED_OUT)
        if isinstance(line, RelayLost) and line.refused:
            self._report_once(WriteRefused(line.relay, line.reason))
        elif isinstance(line, WriteRefused | Behind):
            self._report_once(line)
        self._found = isinstance(line, RelayFound) or (self._found and not isinstance(line, RelayLost))

    def _report_once(self, line: WriteRefused | Behind) -> None:
        """Report a problem, unless one of its kind was reported before."""
        if type(line) in self._said:
            return
        self._said.add(type(line))
        if isinstance(line, WriteRefused):
            self._says("unheard", phrases.seat_rejected(line.reason))
        else:
            self._says("behind", phrases.seat_newer_key(line.relay))


def local_transport(
    invitation: Invitation, participant: Participant, keys: Keyring, says: ReportProblem = report_on_stderr
) -> RelayTransport:
    """Create the transport to a table on this machine."""
    return RelayTransport(participant, keys, invitation.relays, entropy=system_entropy, emit=LocalRelayMonitor(says))


def main(take_part: Callable[..., Participant] = Participant) -> int:
    """Run a bot. Return 0 if its game has ended, 2 if it could not or would not play, 4 if the relay went away."""
    try:
        order = decode(PlayerConfig, sys.stdin.buffer.readline().strip(), what="the order")
        participant = asyncio.run(play_seat(order, take_part=take_part))
        if participant.silenced is not None:
            raise JournalLost(participant.silenced)
        return 0
    except KeyboardInterrupt:
        return 130
    except RelayError:
        return 4
    except NodealerError as error:
        from nodealer.cli.exits import NO_VERDICT, report_error  # late: slow to import, and most bots print nothing

        report_error(error)
        return NO_VERDICT


if __name__ == "__main__":
    raise SystemExit(main())
