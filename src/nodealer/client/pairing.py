"""Spoken codes: a host gives one to a guest, who types it and gets the invitation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from nodealer.client.relay_transport import Connect
from nodealer.errors import BadParameter, CodeDead, RelayError, RelayRefused
from nodealer.keys import Identity
from nodealer.proofs.checks import Entropy
from nodealer.relay.invitations import Invitation
from nodealer.relay.mailbox import OpenMailbox, get_invitation, give_invitation
from nodealer.relay.pairing import Code, Desk, GuestExchange, HostExchange, PairedGuest, new_code
from nodealer.relay.permissions import mailbox_name


@dataclass(frozen=True)
class CodeGiven:
    """A code for one guest, to be said aloud, and the relay where it is good."""

    code: str
    relay: str


@dataclass(frozen=True)
class CodeUsed:
    """Somebody has come by a code, and may sit."""

    name: str


@dataclass(frozen=True)
class CodeDied:
    """Nobody came by a code that was `given`, or there is none to be given; and why there are no more, if so."""

    reason: str
    given: bool
    more: str = ""


CodeNews = CodeGiven | CodeUsed | CodeDied


@dataclass(frozen=True)
class Surroundings:
    """What codes take from the world: entropy, a way to relays, and a clock in seconds that does not jump."""

    entropy: Entropy
    connect: Connect
    clock: Callable[[], float]


class PairingCodes:
    """The codes that a host gives, one for each guest. Who comes by one may sit."""

    def __init__(
        self,
        invitation: Invitation,
        relay: str,
        identity: Identity,
        world: Surroundings,
        tell: Callable[[CodeNews], None],
        admit: Callable[[bytes, str], None],
    ) -> None:
        self._invitation = invitation
        #: How this machine reaches the relay; guests know it by the name in the invitation.
        self._relay = relay
        self._identity = identity
        self._world = world
        self._tell = tell
        self._admit = admit
        self._desk = Desk()
        self._given: set[asyncio.Task[None]] = set()

    def give(self) -> None:
        """Make a new code, say it, and wait for its guest beside everything else."""
        task = asyncio.ensure_future(self._give())
        self._given.add(task)
        task.add_done_callback(self._given.discard)

    async def stop(self) -> None:
        """Nobody is waited for any more, and who has come is told so."""
        for task in self._given:
            task.cancel()
        await asyncio.gather(*self._given, return_exceptions=True)

    async def _give(self) -> None:
        try:
            self._desk.refuse_when_tried()
        except CodeDead as tried:
            self._tell(CodeDied(str(tried), given=False))
            return
        try:
            guest = await self._exchange()
        except CodeDead as dead:
            self._desk.dead(dead)
            self._tell(CodeDied(str(dead), given=True, more=self._no_more()))
        except RelayError as error:
            self._tell(CodeDied(str(error), given=False))
        else:
            self._desk.admit(guest)
            self._admit(guest.key, guest.name)
            self._tell(CodeUsed(guest.name))

    async def _exchange(self) -> PairedGuest:
        world = self._world
        async with world.connect(self._relay) as client:
            number = await client.mailbox()
            await client.open(mailbox_name(number))
            code, name = new_code(number, world.entropy), self._invitation.relays[0]
            self._tell(CodeGiven(str(code), name))
            exchange = HostExchange(code, name, self._invitation, self._identity, world.entropy, world.clock())
            return await give_invitation(exchange, OpenMailbox(client), world.clock)

    def _no_more(self) -> str:
        """Why there are no more codes, if so: then those that were given and not used are over too."""
        try:
            self._desk.refuse_when_tried()
        except CodeDead as tried:
            for task in self._given - {asyncio.current_task()}:
                task.cancel()
            return str(tried)
        return ""


async def use_code(code: Code, relay: str, identity: Identity, name: str, world: Surroundings) -> Invitation:
    """The invitation that a code stands for. Raises `BadParameter` where the relay has none of its number,
    `CodeDead` or `RelayError`; the code is not tried again."""
    async with world.connect(relay) as client:
        try:
            await client.open(mailbox_name(code.number))
        except RelayRefused as refused:
            if refused.code != "missing":
                raise
            raise BadParameter(
                f"no code begins with {code.number} at {relay} now: it is another number, another relay, or older than "
                "ten minutes"
            ) from None
        exchange = GuestExchange(code, relay, identity, name, world.entropy, world.clock())
        return (await get_invitation(exchange, OpenMailbox(client), world.clock)).invitation
