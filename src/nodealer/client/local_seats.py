"""The seats of a table on this machine: each player's own, and the spectator who convenes and oversees the game."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from nodealer.client.agents import Agent
from nodealer.client.bot_roster_policy import BotRosterPolicy
from nodealer.client.connection import ConnectionMonitor
from nodealer.client.keyring import Keyring
from nodealer.client.lobby import Onlooker
from nodealer.client.policies import Policy, TimeoutVoter
from nodealer.client.relay_transport import RelayTransport
from nodealer.client.setup import TableSetup
from nodealer.client.status import LOBBY_EXTRA, TableStatus
from nodealer.client.table_client import Behaviour, ClientOptions, TableClient
from nodealer.client.ui import UI, GuardedUI
from nodealer.engine.commands import Command, ProposeSession
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.lobby import Expected
from nodealer.engine.lobby_messages import ProposalDeclined
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.replica import CheckRunner, Replica, settle_in_process
from nodealer.engine.resolve import resolve_parts
from nodealer.engine.state import TableState
from nodealer.engine.store import PlayerStore
from nodealer.engine.votes import voters
from nodealer.errors import BadParameter, Declined, RelayError
from nodealer.games.package import GamePackage
from nodealer.proofs.checks import Entropy
from nodealer.relay.invitations import Invitation

#: After how many seconds of silence it counts that nothing more can come.
QUIET: Final = 1.0


class Stuck(Exception):
    """The players who are left cannot continue. `replica` is the table as far as they came."""

    def __init__(self, reason: str, replica: Replica) -> None:
        """Say why the table cannot go on."""
        super().__init__(reason)
        self.replica = replica


@dataclass(frozen=True)
class LocalSeat:
    """A player's seat at a table on this machine."""

    invitation: Invitation
    game: GamePackage
    #: What the player expects to play, and for how many hands.
    expected: Expected
    hands: int
    #: Whether a person decides.
    by_person: bool = False
    #: Decides; None if the front end asks a person or a program.
    agent: Agent | None = None
    #: After how many seconds it votes to go on without a silent player, and whom it never votes out; None for people,
    #: who decide that themselves.
    patience: float | None = None
    spared: tuple[str, ...] = ()

    @property
    def policies(self) -> tuple[Policy, ...]:
        """Return the policies that act for this seat on their own."""
        if self.by_person:
            return (TimeoutVoter(),)
        if self.patience is None:
            return ()
        return TimeoutVoter(self.patience, frozenset(self.spared)), BotRosterPolicy(self.invitation.host)


async def play_local_seat(
    seat: LocalSeat,
    store: PlayerStore,
    ui: UI,
    entropy: Entropy,
    *,
    make: Callable[..., Participant] = Participant,
    policies: Sequence[Policy] = (),
    check_runner: Callable[[], AbstractContextManager[CheckRunner]] = lambda: nullcontext(settle_in_process),
) -> Participant:
    """Play one seat of a local table until the game ends, and return its participant.

    `make` creates the participant, and `policies` are added to those of the seat. Raise `NotSeated` if the proposal is
    not the expected one, `RelayError` if the relay goes away, and `BadParameter` if the table goes on with a key that
    this seat does not have.
    """
    keys = Keyring((seat.invitation.key,), entropy)
    with check_runner() as runner:
        participant = make(
            store,
            entropy=entropy,
            accept=seat.expected.accept,
            stay_policy=stay_for_hands(seat.hands),
            host=seat.invitation.host,
            parts=partial(resolve_parts, game=seat.game),
            check_runner=runner,
            keys=keys,
            by_person=seat.by_person,
        )
    options = ClientOptions(expected=seat.expected.names, shows_log=seat.agent is None)
    behaviour = Behaviour(seat.agent, None, (*seat.policies, *policies))
    await _run(participant, keys, seat.invitation, GuardedUI(ui), entropy, behaviour, options)
    if not participant.is_over:
        raise BadParameter("the table has a new key, and this seat does not have it: it can no longer follow the game")
    return participant


async def convene(
    setup: TableSetup,
    invitation: Invitation,
    store: PlayerStore,
    ui: UI,
    entropy: Entropy,
    policies: Sequence[Policy],
    options: ClientOptions,
) -> Participant:
    """Propose the game once all players are there, then follow the log like any spectator until it ends.

    Raise `Declined` if a player does not agree, and what the policies raise: an `Overseer` ends the table.
    """
    keys = Keyring((invitation.key,), entropy)
    participant = Participant(
        store, entropy=entropy, host=invitation.host, parts=partial(resolve_parts, game=setup.game), keys=keys
    )
    behaviour = Behaviour(None, Convener(setup), policies)
    return await _run(participant, keys, invitation, GuardedUI(ui), entropy, behaviour, options)


async def _run(
    participant: Participant,
    keys: Keyring,
    invitation: Invitation,
    ui: UI,
    entropy: Entropy,
    behaviour: Behaviour,
    options: ClientOptions,
) -> Participant:
    """Run a participant over the relay of this machine."""
    monitor = ConnectionMonitor(ui.show, local=True)
    transport = RelayTransport(participant, keys, invitation.relays, entropy=entropy, emit=monitor)
    return await TableClient(participant, transport, ui, behaviour, options).run()


class Convener(Onlooker):
    """Proposes the game of a local table once all its players are there."""

    def __init__(self, setup: TableSetup) -> None:
        """Propose this game."""
        super().__init__(lambda event: None)
        self._setup = setup
        self._proposed = False

    def on_status(self, status: TableStatus) -> Sequence[Command]:
        """Propose when everyone has come."""
        lobby = status.lobby
        if self._proposed or lobby is None or status.is_catching_up or lobby.proposal is not None:
            return ()
        offers = {offer.name: offer for offer in lobby.offers}
        sitting = self._setup.sitting
        if not offers.keys() >= set(sitting):
            return ()
        self._proposed = True
        members = [offers[name].as_member(seat) for seat, name in enumerate(sitting)]
        return (ProposeSession(self._setup.proposal(members)),)

    def on_declined(self, declined: ProposalDeclined) -> None:
        """Raise `Declined`: the players of a local table have agreed before they come."""
        raise Declined(f"{declined.name} declined: {declined.reason}")


@dataclass
class Overseer:
    """Watches a local table, and ends it when nothing more can happen.

    Then `on_status` raises `Stuck`, or `RelayError` if the players have not even agreed on a game.
    """

    #: The players who should come.
    names: Sequence[str]
    #: How many seconds of silence are allowed; None if a person decides.
    limit: float | None = None
    #: While the table waits for one of these, no time counts.
    spared: Collection[str] = ()
    #: The players whose programs have ended.
    dropped: set[str] = field(default_factory=set)
    _heard: int = -1
    _quiet_since: float = 0.0

    def on_status(self, status: TableStatus) -> Iterable[Command]:
        """Check whether anything can still happen."""
        heard = status.frames if status.replica is None else status.replica.height
        if heard != self._heard or (status.has_session and status.awaited.keys() & set(self.spared)):
            self._heard, self._quiet_since = heard, status.now
        quiet, listed = status.now - self._quiet_since, ", ".join(status.awaited)
        if status.state is None:
            gone = [name for name in self.names if name in self.dropped]
            if gone or (self.limit is not None and quiet > self.limit + 2 * LOBBY_EXTRA):
                raise RelayError(f"{', '.join(gone) or listed} did not come to the table, so nothing was played")
        elif (
            status.replica is not None
            and status.awaited
            and (
                (self.limit is not None and quiet > self.limit)
                or (quiet > QUIET and status.awaited.keys() <= self.dropped and self._no_one_can_vote(status.state))
            )
        ):
            raise Stuck(f"no answer from {listed}, and too few players are left to continue", status.replica)
        return ()

    def _no_one_can_vote(self, state: TableState) -> bool:
        """Return whether too few players are left for any vote, when only the end of the game is missing."""
        seats = voters(state)
        here = [seat for seat in seats if state.all_members[seat].name not in self.dropped]
        return not here or (state.phase is Phase.BETWEEN and state.no_more_hands and 2 * len(here) < len(seats))
