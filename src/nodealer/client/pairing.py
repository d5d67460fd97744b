"""Pairing codes: the host tells one to a guest, who types it in and receives the invitation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from nodealer.client.events import CodeDied, CodeGiven, CodeUsed, TableEvent
from nodealer.client.relay_transport import Connect
from nodealer.errors import BadParameter, CodeDead, RelayError, RelayRefused
from nodealer.keys import Identity
from nodealer.proofs.checks import Entropy
from nodealer.relay.invitations import Invitation
from nodealer.relay.mailbox import OpenMailbox, receive_invitation, send_invitation
from nodealer.relay.pairing import Code, GuestExchange, HostExchange, PairedGuest, PairingRecord, new_code
from nodealer.relay.permissions import mailbox_name


@dataclass(frozen=True)
class PairingEnvironment:
    """What pairing needs from outside: entropy, connections to relays, and a monotonic clock in seconds."""

    entropy: Entropy
    connect: Connect
    clock: Callable[[], float]


class PairingCodes:
    """The pairing codes of a host, one per guest. A guest who uses one may sit down."""

    def __init__(
        self,
        invitation: Invitation,
        relay: str,
        identity: Identity,
        environment: PairingEnvironment,
        emit: Callable[[TableEvent], None],
        admit: Callable[[bytes, str], None],
    ) -> None:
        """Issue codes for this invitation. `emit` gets the news; `admit` gets the key and name of each guest."""
        self._invitation = invitation
        #: The relay's address as seen from this machine; guests use the one in the invitation.
        self._relay = relay
        self._identity = identity
        self._environment = environment
        self._emit = emit
        self._admit = admit
        self._record = PairingRecord()
        self._tasks: set[asyncio.Task[None]] = set()

    def issue(self) -> None:
        """Issue a new code, announce it, and wait for its guest in the background."""
        task = asyncio.ensure_future(self._issue())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """Stop waiting for guests. Guests in the middle of an exchange learn that their code is dead."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _issue(self) -> None:
        """Issue a code, wait for its guest, and report the result."""
        try:
            self._record.refuse_after_attacks()
        except CodeDead as tried:
            self._emit(CodeDied(str(tried), given=False))
            return
        try:
            guest = await self._exchange()
        except CodeDead as dead:
            self._record.count_failure(dead)
            self._emit(CodeDied(str(dead), given=True, more=self._stop_if_attacked()))
        except RelayError as error:
            self._emit(CodeDied(str(error), given=False))
        else:
            self._record.admit(guest)
            self._admit(guest.key, guest.name)
            self._emit(CodeUsed(guest.name))

    async def _exchange(self) -> PairedGuest:
        """Request a mailbox, announce its code, and return the guest who uses it."""
        environment = self._environment
        async with environment.connect(self._relay) as client:
            number = await client.mailbox()
            await client.open(mailbox_name(number))
            code, name = new_code(number, environment.entropy), self._invitation.relays[0]
            self._emit(CodeGiven(str(code), name))
            exchange = HostExchange(
                code, name, self._invitation, self._identity, environment.entropy, environment.clock()
            )
            return await send_invitation(exchange, OpenMailbox(client), environment.clock)

    def _stop_if_attacked(self) -> str:
        """Return why no more codes are issued, and cancel all unused codes; empty if codes are still allowed."""
        try:
            self._record.refuse_after_attacks()
        except CodeDead as tried:
            for task in self._tasks - {asyncio.current_task()}:
                task.cancel()
            return str(tried)
        return ""


async def use_code(
    code: Code, relay: str, identity: Identity, name: str, environment: PairingEnvironment
) -> Invitation:
    """Exchange a code for the invitation.

    Raise `BadParameter` if the relay does not know the code's number, and `CodeDead` or `RelayError` if the exchange
    fails. A code cannot be tried twice.
    """
    async with environment.connect(relay) as client:
        try:
            await client.open(mailbox_name(code.number))
        except RelayRefused as refused:
            if refused.code != "missing":
                raise
            raise BadParameter(
                f"no current code starts with {code.number} at {relay}. Check the number and the relay; codes expire "
                "after ten minutes"
            ) from None
        exchange = GuestExchange(code, relay, identity, name, environment.entropy, environment.clock())
        return (await receive_invitation(exchange, OpenMailbox(client), environment.clock)).invitation
