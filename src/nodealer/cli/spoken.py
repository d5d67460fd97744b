"""Spoken codes: a host gives one to a guest, who types it and gets the invitation."""

from __future__ import annotations

import asyncio
import time

from nodealer.cli.entropy import system_entropy
from nodealer.cli.lobbying import Hosting
from nodealer.cli.output import shown
from nodealer.cli.screen import Screen
from nodealer.errors import BadParameter, CodeDead, RelayError, RelayRefused
from nodealer.keys import Identity
from nodealer.relay.client import connect_to
from nodealer.relay.codes import Code, Desk, GuestExchange, HostExchange, new_code
from nodealer.relay.core import MAILBOX
from nodealer.relay.links import Invitation
from nodealer.relay.mailbox import OpenMailbox, get_invitation, give_invitation


class Codes:
    """The codes that a host gives, one for each guest. Who comes by one may sit."""

    def __init__(
        self, invitation: Invitation, relay: str, identity: Identity, screen: Screen, hosting: Hosting
    ) -> None:
        self._invitation = invitation
        #: How this machine reaches the relay; guests know it by the name in the invitation.
        self._relay = relay
        self._identity = identity
        self._screen = screen
        self._hosting = hosting
        self._desk = Desk()
        self._given: set[asyncio.Task[None]] = set()

    def give(self) -> None:
        """Make a new code, say it, and wait for its guest beside everything else."""
        task = asyncio.ensure_future(self._give())
        self._given.add(task)
        task.add_done_callback(self._given.discard)

    def stop(self) -> None:
        """Nobody is waited for any more."""
        for task in self._given:
            task.cancel()

    async def _give(self) -> None:
        try:
            self._desk.refuse_when_tried()
        except CodeDead as tried:
            self._say("code-dead", f"[red]There is no code:[/red] {shown(tried)}.")
            return
        try:
            async with connect_to(self._relay) as client:
                number = await client.mailbox()
                await client.open(f"{MAILBOX}{number}")
                code = new_code(number, system_entropy)
                self._tell(code)
                name = self._invitation.relays[0]
                now = time.monotonic()
                exchange = HostExchange(code, name, self._invitation, self._identity, system_entropy, now)
                guest = await give_invitation(exchange, OpenMailbox(client), time.monotonic)
        except CodeDead as dead:
            self._desk.dead(dead)
            self._say("code-dead", f"[red]No guest came by that code:[/red] {shown(dead)}. {self._what_now()}")
        except RelayError as error:
            self._say("code-dead", f"[red]There is no code:[/red] {shown(error)}.")
        else:
            self._desk.admit(guest)
            self._hosting.admit(guest.key, guest.name)
            self._say("code-used", f"{shown(guest.name)} has used the code, and may sit.")

    def _what_now(self) -> str:
        """Another code; or no more of them, and those that were given and not used are over too."""
        try:
            self._desk.refuse_when_tried()
        except CodeDead as tried:
            for task in self._given - {asyncio.current_task()}:
                task.cancel()
            return f"{shown(tried)}."
        return "Type code for another."

    def _tell(self, code: Code) -> None:
        self._screen.emit({"event": "code", "code": str(code), "relay": self._invitation.relays[0]})
        if not self._screen.json:
            self._screen.say(f"Say this to one guest, within ten minutes: [bold]{code}[/bold]")
            typed = f"nodealer join {code} --relay {self._invitation.relays[0]} --name NAME"
            self._screen.say(f"  [dim]Typed as: {shown(typed)}[/dim]")

    def _say(self, event: str, text: str) -> None:
        self._screen.emit({"event": event})
        if not self._screen.json:
            self._screen.say(text)


async def use_code(code: Code, relay: str, identity: Identity, name: str) -> Invitation:
    """The invitation that a code stands for. Raises `BadParameter` where the relay has none of its number,
    `CodeDead` or `RelayError`; the code is not tried again."""
    async with connect_to(relay) as client:
        try:
            await client.open(f"{MAILBOX}{code.number}")
        except RelayRefused as refused:
            if refused.code != "missing":
                raise
            raise BadParameter(
                f"no code begins with {code.number} at {relay} now: it is another number, another relay, or older than "
                "ten minutes"
            ) from None
        exchange = GuestExchange(code, relay, identity, name, system_entropy, time.monotonic())
        return (await get_invitation(exchange, OpenMailbox(client), time.monotonic)).invitation
