"""The transport over relays: seals outgoing frames, opens incoming ones, and reconnects by itself.

Frames are numbered from the table's first one. All participants must count alike, so a frame that cannot be opened
takes a number too; it is passed on as junk, which everyone skips.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, suppress
from dataclasses import dataclass
from typing import Final

from nodealer.client.key_history import decode_history, encode_history, fetch_history
from nodealer.client.keyring import Keyring
from nodealer.client.outbox import Outbox
from nodealer.client.transport import Connected, Disconnected, Event
from nodealer.engine.participant import Participant
from nodealer.errors import BadParameter, DecodeError, RelayError, RelayRefused
from nodealer.proofs.checks import Entropy
from nodealer.relay.client_protocol import RelayClient
from nodealer.relay.messages import StoredFrame
from nodealer.relay.sealing import SENDER_BYTES
from nodealer.tape import expand
from nodealer.wire import LOG_ENTRIES_MAX

#: Stands for a frame that this table's keys do not open.
JUNK: Final = b""
#: Seconds before the first attempt to reconnect, and the maximum.
FIRST_WAIT: Final = 0.5
LONGEST_WAIT: Final = 30.0
#: After a connection that lasted this many seconds, the backoff starts from the beginning.
GOOD_AFTER: Final = 10.0


@dataclass(frozen=True)
class RelayFound:
    """Connected to a relay that has the table."""

    relay: str


@dataclass(frozen=True)
class RelayLost:
    """The connection to a relay failed or was lost. The next attempt is in `wait` seconds."""

    relay: str
    reason: str
    wait: float
    #: Whether the relay ended the connection by refusing a message. It may do so on every connection.
    refused: bool = False


@dataclass(frozen=True)
class WriteRefused:
    """A relay delivers frames but does not accept any, and why."""

    relay: str
    reason: str


@dataclass(frozen=True)
class KeyMissing:
    """A seat has left, and this participant does not have the new key: it can no longer read the table.

    A spectator needs a new link.
    """

    relay: str
    epoch: int


@dataclass(frozen=True)
class Behind:
    """A frame claims a later key than this participant knows of.

    Either the relay withholds the key change, and nothing sent since can be read here; or the claim is made up.
    Comparing logs shows which.
    """

    relay: str


#: What a person should know about the connection.
ConnectionEvent = RelayFound | RelayLost | WriteRefused | KeyMissing | Behind
#: Receives connection events. May raise, to give up.
Emit = Callable[[ConnectionEvent], None]
#: Opens a connection to a relay. Raises `RelayError` if that fails.
Connect = Callable[[str], AbstractAsyncContextManager[RelayClient]]


def connect_here(relay: str) -> AbstractAsyncContextManager[RelayClient]:
    """Connect through a socket of this machine. A browser tab has no sockets and passes its own function."""
    from nodealer.relay.client import connect_to

    return connect_to(relay)


class RelayTransport:
    """A participant's connection to its table, over one or more relays that share their tables.

    `keys` is the key schedule with which the participant was created: with a `TableSecret` it reads and writes, with a
    `ReadKey` it only reads. With `create`, the table is created on relays that do not have it. Entropy, clock, sleep
    and connections are passed in.
    """

    def __init__(
        self,
        participant: Participant,
        keys: Keyring,
        relays: Sequence[str],
        *,
        entropy: Entropy,
        create: bool = False,
        emit: Emit = lambda event: None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        connect: Connect = connect_here,
    ) -> None:
        """Connect nothing yet; `events` does.

        `emit` gets changes of the connection. Raises `BadParameter` without a relay.
        """
        if not relays:
            raise BadParameter("a table needs a relay")
        self._participant = participant
        self._keys = keys
        if create and self._keys.first_secret is None:
            raise BadParameter("a key that can only read cannot create a table")
        # Derived from the store and the table: a participant who returns is the same sender and sends the same bytes.
        self._sender = expand("sender", participant.store.root, keys.table, size=SENDER_BYTES)
        self._relays = tuple(relays)
        self._entropy = entropy
        self._create = create
        self._emit = emit
        self._clock = clock
        self._sleep = sleep
        self._connect = connect
        self._outbox: Outbox | None = None
        #: How many frames have arrived, and the cursor of the last one.
        self._received = 0
        self._cursor: int | None = None
        #: The relays that did not know this cursor, since one last did.
        self._missing_at: set[str] = set()
        self._locked = False
        #: Whether the current relay has opened the table.
        self._is_open = False
        #: The latest key epoch for which `Behind` was emitted on this connection.
        self._behind_epoch = -1
        #: The epochs in which the earlier keys were already published.
        self._announced_epochs: set[int] = set()

    # --- Out ---

    async def send(self, frame: bytes) -> None:
        """Submit a frame to the order.

        A frame that gets lost was not confirmed, and is sent again after reconnecting.
        """
        out = self._outbox
        # If the key has just changed, the frame will be sent again with the new one.
        if out is not None and out.secret is self._keys.write_secret(self._participant):
            try:
                await self._register_proposed(out)
                await out.send(frame)
            except RelayError as error:
                # If the connection is lost, the reading side notices too.
                self._emit(WriteRefused(out.url, str(error)))

    async def _register_proposed(self, out: Outbox) -> None:
        """Register a proposed key with the relay before anyone can agree to it. Once per connection is enough."""
        proposed = self._keys.proposed_secret(self._participant)
        if proposed is not None and out.registered_early is not proposed:
            await out.register_early(proposed)

    # --- In ---

    async def events(self) -> AsyncGenerator[Event, None]:
        """Yield the table's frames from the first one on, over as many connections as necessary; never ends."""
        self._received, self._cursor = 0, None
        tries = failed = 0
        while True:
            relay, since = self._relays[tries % len(self._relays)], self._clock()
            self._is_open = False
            try:
                await self._fetch_key_history(relay)
                async with self._connect(relay) as client, aclosing(self._connection_events(client)) as events:
                    async for event in events:
                        yield event
            except RelayError as error:
                reason, refused = str(error), self._is_open and isinstance(error, RelayRefused)
            yield Disconnected()
            tries += 1
            failed = 1 if self._clock() - since >= GOOD_AFTER else failed + 1
            wait = self._backoff(failed)
            self._emit(RelayLost(relay, reason, wait, refused))
            await self._sleep(wait)

    async def _fetch_key_history(self, relay: str) -> None:
        """Find the earlier keys for links with a later one.

        A participant who has the first key does not depend on this: a later link may be false, and must not cost them
        their seat.
        """
        failed: RelayError | None = None
        for later_key in self._keys.keys_without_history:
            try:
                async with self._connect(relay) as client:
                    self._keys.add(await fetch_history(client, later_key, self._entropy))
            except RelayError as error:
                failed = error
        if failed is not None and not self._keys.has_first_key:
            raise failed

    def _backoff(self, failed: int) -> float:
        """Return the seconds until the next attempt.

        All relays are tried before waiting. Then the delay grows, with jitter so that clients do not all return at
        once.
        """
        rounds, place = divmod(failed, len(self._relays))
        if place:
            return 0.0
        longest = min(FIRST_WAIT * 2.0 ** min(rounds - 1, 16), LONGEST_WAIT)
        return longest * (0.5 + int.from_bytes(self._entropy(2), "little") / (1 << 17))

    async def _connection_events(self, client: RelayClient) -> AsyncGenerator[Event, None]:
        """Yield the events of one connection until it breaks."""
        known = self._received + await self._open(client)
        if known > LOG_ENTRIES_MAX:
            raise client.error(f"says that the table has {known} frames; a log has at most {LOG_ENTRIES_MAX}")
        self._is_open = True
        self._emit(RelayFound(client.url))
        self._behind_epoch = -1
        out = self._outbox = Outbox(client, self._sender)
        try:
            await out.announce(self._keys.write_secrets(self._participant))
            yield Connected(known)
            while True:
                for cursor, frame in await self._read_page(client, out):
                    self._received, self._cursor = self._received + 1, cursor
                    yield self._decrypt(frame, out.url)
                    if out.secret is not self._keys.write_secret(self._participant):
                        # This frame put a roster with a new key into force.
                        await out.announce(self._keys.write_secrets(self._participant))
                        yield Connected(max(known, self._received))
        finally:
            self._outbox = None
            if self._participant.has_ended:
                with suppress(RelayError):
                    await out.send_end()
            out.close()

    async def _open(self, client: RelayClient) -> int:
        """Open the table, and return how many frames are still to come; negative if the relay has lost some."""
        if self._create and self._keys.first_secret is not None:
            await client.create(self._keys.table, self._keys.first_secret.write_token)
        try:
            frames = await client.open(self._keys.table, self._cursor)
        except RelayRefused as refused:
            if refused.code != "cursor":
                raise
            self._missing_at.add(client.url)
            if self._missing_at != set(self._relays):
                # One relay that is wrong or lies must not cut off a client that has others.
                raise
            # The relays issued this cursor, and none of them knows it any more.
            return -self._received
        self._missing_at.clear()
        return frames

    async def _read_page(self, client: RelayClient, out: Outbox) -> list[StoredFrame]:
        """Return the next page of frames, processing answers that arrive before it."""
        while True:
            try:
                answer = await client.read()
                if isinstance(answer, list):
                    return answer
            except RelayRefused as refused:
                await self._on_refusal(refused, out)
            else:
                for frame in (*self._history(), *await out.on_answer()):
                    await self.send(frame)

    async def _on_refusal(self, refused: RelayRefused, out: Outbox) -> None:
        """Continue if the relay only refuses writes, because it still delivers the frames of others; else raise."""
        try:
            for frame in await out.on_answer(refused):
                await self.send(frame)
        except RelayRefused as final:
            if final.code not in ("token", "key"):
                raise
            # While frames are missing, one of them may bring the new key.
            if not self._participant.is_catching_up:
                self._emit(WriteRefused(out.url, str(final)))

    def _history(self) -> list[bytes]:
        """Return the frame that publishes the earlier keys, if no one has published them yet in this epoch."""
        keys = self._keys.earlier_keys(self._participant)
        wanted = keys and len(keys) not in self._announced_epochs and not self._participant.is_catching_up
        return [encode_history(keys)] if wanted else []

    def _decrypt(self, frame: bytes, relay: str) -> bytes:
        """Return a frame's text; `JUNK` if it does not open. Emit `KeyMissing` or `Behind` if that explains it."""
        key = self._keys.read_key(self._participant)
        if key is None and not self._locked:
            self._locked = True
            self._emit(KeyMissing(relay, self._participant.key_epoch))
        try:
            text = JUNK if key is None else key.open(frame)[1]
        except DecodeError:
            # In the table's order a key comes before the frames sealed with it. Emitted once per key and connection:
            # any writer can make this claim, and must neither flood a person nor use up the report for when it is true.
            if key is not None and key.is_before(frame) and self._behind_epoch < key.epoch:
                self._behind_epoch = key.epoch
                self._emit(Behind(relay))
            return JUNK
        # False keys do not count: otherwise one frame of a liar would keep everyone from publishing the true ones.
        if (
            key is not None
            and (history := decode_history(text, key))
            and history == self._keys.earlier_keys(self._participant)
        ):
            self._announced_epochs.add(key.epoch)
        return text
