"""The transport over relays: seals what goes out, opens what comes in, and connects again by itself.

Frames are numbered by counting from the table's first one. All participants must count alike: a frame that does not
open takes its number too, and is handed on as junk that everybody passes over.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

from nodealer.drive.loop import Connected, Disconnected, Event
from nodealer.errors import BadParameter, DecodeError, RelayError, RelayRefused
from nodealer.play.participant import Participant
from nodealer.proofs.checks import Entropy
from nodealer.relay.client import RelayClient, connect_to
from nodealer.relay.messages import Stored
from nodealer.relay.sealing import SENDER_BYTES, ReadKey, TableSecret
from nodealer.tape import expand
from nodealer.wire import LOG_ENTRIES_MAX

#: What a frame is handed on as that this table's keys do not open.
JUNK: Final = b""
#: Seconds before the first try to connect again, and at most.
FIRST_WAIT: Final = 0.5
LONGEST_WAIT: Final = 30.0
#: A connection that lasted this long was a good one: after it the waiting begins anew.
GOOD_AFTER: Final = 10.0


@dataclass(frozen=True)
class Found:
    """There is a connection to a relay, with the table."""

    relay: str


@dataclass(frozen=True)
class Lost:
    """There is no connection to a relay, or none any more, and why. The next try is after so many seconds."""

    relay: str
    reason: str
    wait: float


@dataclass(frozen=True)
class Unheard:
    """A relay brings frames and does not take them, and why."""

    relay: str
    reason: str


#: What to tell a person of the connection.
Line = Found | Lost | Unheard
#: Is told of the connection. May raise, to give it up.
Tell = Callable[[Line], None]


class SealedTransport:
    """A participant's way to its table, over one or several relays that have the same tables.

    With a `TableSecret` it reads and writes, with a `ReadKey` it only reads. `create` is for the one who opens the
    table: it lets a relay that does not know the table make it. What it takes from the world is given.
    """

    def __init__(
        self,
        participant: Participant,
        key: TableSecret | ReadKey,
        relays: Sequence[str],
        *,
        entropy: Entropy,
        create: bool = False,
        tell: Tell = lambda line: None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        if not relays:
            raise BadParameter("a table needs a relay")
        if create and not isinstance(key, TableSecret):
            raise BadParameter("who only reads cannot make a table")
        self._reading = key.reading if isinstance(key, TableSecret) else key
        self._writing = key if isinstance(key, TableSecret) else None
        self._table = key.table
        # Of the home and the table: whoever comes back says the same words as the same sender, in the same bytes.
        self._sender = expand("sender", participant.home.root, key.table, size=SENDER_BYTES)
        self._relays = tuple(relays)
        self._entropy = entropy
        self._create = create
        self._tell = tell
        self._clock = clock
        self._sleep = sleep
        self._client: RelayClient | None = None
        #: Frames that wait for the relay's word on the write token; None when it is known.
        self._waiting: list[bytes] | None = None
        self._may_write = False
        #: How many frames have come, and the cursor of the last one.
        self._heard = 0
        self._cursor: int | None = None

    async def send(self, frame: bytes) -> None:
        """Put a frame into the order. What gets lost was not confirmed, and is sent again over the next connection."""
        if self._client is None or self._writing is None:
            return
        if self._waiting is not None:
            self._waiting.append(frame)
        elif self._may_write:
            try:
                await self._client.append(self._reading.seal(self._sender, frame))
            except RelayError as error:
                # If the connection has gone, whoever reads from it sees that too.
                self._tell(Unheard(self._client.url, str(error)))

    async def events(self) -> AsyncGenerator[Event, None]:
        """The frames of the table from the first one on, over as many connections as it takes; for ever."""
        self._heard, self._cursor = 0, None
        tries = failed = 0
        while True:
            relay, since = self._relays[tries % len(self._relays)], self._clock()
            try:
                async with connect_to(relay) as client, aclosing(self._through(client)) as events:
                    async for event in events:
                        yield event
            except RelayError as error:
                reason = str(error)
            yield Disconnected()
            tries += 1
            failed = 1 if self._clock() - since >= GOOD_AFTER else failed + 1
            wait = self._wait(failed)
            self._tell(Lost(relay, reason, wait))
            await self._sleep(wait)

    def _wait(self, failed: int) -> float:
        """Seconds until the next try. All relays are tried before anything is waited for; then longer and longer, and
        not all clients at the same moment."""
        rounds, place = divmod(failed, len(self._relays))
        if place:
            return 0.0
        longest = min(FIRST_WAIT * 2.0 ** min(rounds - 1, 16), LONGEST_WAIT)
        return longest * (0.5 + int.from_bytes(self._entropy(2), "little") / (1 << 17))

    async def _through(self, client: RelayClient) -> AsyncGenerator[Event, None]:
        """What comes over one connection, until it breaks."""
        known = self._heard + await self._open(client)
        if known > LOG_ENTRIES_MAX:
            raise client.error(f"says that the table has {known} frames, and no log has more than {LOG_ENTRIES_MAX}")
        self._client, self._may_write = client, False
        try:
            self._tell(Found(client.url))
            await self._ask_to_write(client)
            yield Connected(known)
            while True:
                for cursor, frame in await self._read(client):
                    self._heard, self._cursor = self._heard + 1, cursor
                    yield self._opened(frame)
        finally:
            self._client, self._waiting = None, None

    async def _open(self, client: RelayClient) -> int:
        """How many frames there are that have not come. Fewer than none, where the relay has lost some that have."""
        if self._create and self._writing is not None:
            await client.create(self._table, self._writing.write_token)
        try:
            return await client.open(self._table, self._cursor)
        except RelayRefused as refused:
            if refused.code != "cursor":
                raise
            # It gave this cursor, and does not know it any more.
            return -self._heard

    async def _ask_to_write(self, client: RelayClient) -> None:
        if self._writing is not None:
            self._waiting = []
            await client.say_token(self._writing.write_token)

    async def _read(self, client: RelayClient) -> list[Stored]:
        """The next page. Answers that come before it are taken on the way."""
        while True:
            try:
                told = await client.read()
            except RelayRefused as refused:
                if self._waiting is None:
                    raise
                # It still brings what others say.
                self._waiting = None
                self._tell(Unheard(client.url, str(refused)))
                continue
            if isinstance(told, list):
                return told
            if self._waiting is None:
                raise client.error("answers what nobody asked")
            waiting, self._waiting, self._may_write = self._waiting, None, True
            for frame in waiting:
                await self.send(frame)

    def _opened(self, frame: bytes) -> bytes:
        try:
            return self._reading.open(frame)[1]
        except DecodeError:
            return JUNK
