"""The transport over relays: seals what goes out, opens what comes in, and connects again by itself.

Frames are numbered by counting from the table's first one. All participants must count alike: a frame that does not
open takes its number too, and is handed on as junk that everybody passes over.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, suppress
from dataclasses import dataclass
from typing import Final

from nodealer.client.key_history import find_history, history, read_history
from nodealer.client.keyring import Keyring
from nodealer.client.loop import Connected, Disconnected, Event
from nodealer.client.outbox import Outbox
from nodealer.engine.participant import Participant
from nodealer.errors import BadParameter, DecodeError, RelayError, RelayRefused
from nodealer.proofs.checks import Entropy
from nodealer.relay.client_protocol import RelayClient
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
class RelayFound:
    """There is a connection to a relay, with the table."""

    relay: str


@dataclass(frozen=True)
class RelayLost:
    """There is no connection to a relay, or none any more, and why. The next try is after so many seconds."""

    relay: str
    reason: str
    wait: float
    #: Whether the relay was there, and ended it by its no to what was said. It may do that over every connection.
    refused: bool = False


@dataclass(frozen=True)
class Unheard:
    """A relay brings frames and does not take them, and why."""

    relay: str
    reason: str


@dataclass(frozen=True)
class Locked:
    """A seat has left, and what is said now has a new key, which this participant has not got: from here on it hears
    nothing. Who watches needs a new link."""

    relay: str
    epoch: int


@dataclass(frozen=True)
class Behind:
    """The relay brings what says that it has a later key than this participant has heard of. Either it withholds how
    the table got that key, and nothing said since can be read here; or it was made up. Comparing logs shows which."""

    relay: str


#: What to tell a person of the connection.
Line = RelayFound | RelayLost | Unheard | Locked | Behind
#: Is told of the connection. May raise, to give it up.
Tell = Callable[[Line], None]
#: A connection to the relay at an address. Raises `RelayError` when there is none.
Connect = Callable[[str], AbstractAsyncContextManager[RelayClient]]


def connect_here(relay: str) -> AbstractAsyncContextManager[RelayClient]:
    """By a socket of this machine; a tab has none, and brings its own."""
    from nodealer.relay.client import connect_to

    return connect_to(relay)


class RelayTransport:
    """A participant's way to its table, over one or several relays that have the same tables.

    With a `TableSecret` it reads and writes, with a `ReadKey` it only reads; `more` are the keys of further links, for
    the time after a seat left. `create` is for the one who opens the table: it lets a relay that does not
    know the table make it. What it takes from the world is given.
    """

    def __init__(
        self,
        participant: Participant,
        key: TableSecret | ReadKey,
        relays: Sequence[str],
        *,
        entropy: Entropy,
        more: Sequence[TableSecret | ReadKey] = (),
        create: bool = False,
        tell: Tell = lambda line: None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        connect: Connect = connect_here,
    ) -> None:
        if not relays:
            raise BadParameter("a table needs a relay")
        self._participant = participant
        self._keys = Keyring(participant, (key, *more), entropy)
        participant.refuse_key, participant.new_key = self._keys.refuse_key, self._keys.new_key
        if create and self._keys.first is None:
            raise BadParameter("who only reads cannot make a table")
        # Of the home and the table: whoever comes back says the same words as the same sender, in the same bytes.
        self._sender = expand("sender", participant.home.root, key.table, size=SENDER_BYTES)
        self._relays = tuple(relays)
        self._entropy = entropy
        self._create = create
        self._tell = tell
        self._clock = clock
        self._sleep = sleep
        self._connect = connect
        self._out: Outbox | None = None
        #: How many frames have come, and the cursor of the last one.
        self._heard = 0
        self._cursor: int | None = None
        #: The relays that did not know it, since one did.
        self._denied: set[str] = set()
        self._locked = False
        #: Whether the relay of now has opened the table.
        self._is_open = False
        #: The latest key epoch in which it was told, over this connection, that there is a later one.
        self._behind = -1
        #: The epochs in which it was said what the keys before them were.
        self._told: set[int] = set()

    # --- Out ---

    async def send(self, frame: bytes) -> None:
        """Put a frame into the order. What gets lost was not confirmed, and is sent again over the next connection."""
        out = self._out
        # Where the key has just changed: it is sent again with the new one.
        if out is not None and out.secret is self._keys.writing:
            try:
                await self._name_proposed(out)
                await out.send(frame)
            except RelayError as error:
                # If the connection has gone, whoever reads from it sees that too.
                self._tell(Unheard(out.url, str(error)))

    async def _name_proposed(self, out: Outbox) -> None:
        """The relay hears of a new key before those do who agree to it. Once over each connection is enough."""
        proposed = self._keys.proposed
        if proposed is not None and out.named is not proposed:
            await out.name_early(proposed)

    @property
    def secret(self) -> TableSecret | None:
        """The key in use, for a new link; None by one who only reads."""
        return self._keys.writing

    # --- In ---

    async def events(self) -> AsyncGenerator[Event, None]:
        """The frames of the table from the first one on, over as many connections as it takes; for ever."""
        self._heard, self._cursor = 0, None
        tries = failed = 0
        while True:
            relay, since = self._relays[tries % len(self._relays)], self._clock()
            self._is_open = False
            try:
                await self._look_back(relay)
                async with self._connect(relay) as client, aclosing(self._through(client)) as events:
                    async for event in events:
                        yield event
            except RelayError as error:
                reason, refused = str(error), self._is_open and isinstance(error, RelayRefused)
            yield Disconnected()
            tries += 1
            failed = 1 if self._clock() - since >= GOOD_AFTER else failed + 1
            wait = self._wait(failed)
            self._tell(RelayLost(relay, reason, wait, refused))
            await self._sleep(wait)

    async def _look_back(self, relay: str) -> None:
        """Who comes with a later key looks for the earlier ones. Who has the first one can do without: a later link may
        be somebody's lie, and must not keep it from its seat."""
        failed: RelayError | None = None
        for late in self._keys.late:
            try:
                async with self._connect(relay) as client:
                    self._keys.learn(await find_history(client, late, self._entropy))
            except RelayError as error:
                failed = error
        if failed is not None and not self._keys.begins:
            raise failed

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
        self._is_open = True
        self._tell(RelayFound(client.url))
        self._behind = -1
        out = self._out = Outbox(client, self._sender)
        try:
            await out.announce(self._keys.writers)
            yield Connected(known)
            while True:
                for cursor, frame in await self._read(client, out):
                    self._heard, self._cursor = self._heard + 1, cursor
                    yield self._opened(frame, out.url)
                    if out.secret is not self._keys.writing:
                        # The roster that this frame brought into force has a new key.
                        await out.announce(self._keys.writers)
                        yield Connected(max(known, self._heard))
        finally:
            self._out = None
            if self._participant.ended:
                with suppress(RelayError):
                    await out.say_end()
            out.close()

    async def _open(self, client: RelayClient) -> int:
        """How many frames there are that have not come. Fewer than none, where the relay has lost some that have."""
        if self._create and self._keys.first is not None:
            await client.create(self._keys.table, self._keys.first.write_token)
        try:
            frames = await client.open(self._keys.table, self._cursor)
        except RelayRefused as refused:
            if refused.code != "cursor":
                raise
            self._denied.add(client.url)
            if self._denied != set(self._relays):
                # One relay that is wrong, or lies, does not silence who has others.
                raise
            # They gave this cursor, and none of them knows it any more.
            return -self._heard
        self._denied.clear()
        return frames

    async def _read(self, client: RelayClient, out: Outbox) -> list[Stored]:
        """The next page. Answers that come before it are taken on the way."""
        while True:
            try:
                told = await client.read()
                if isinstance(told, list):
                    return told
            except RelayRefused as refused:
                await self._refused(refused, out)
            else:
                for frame in (*self._history(), *await out.answered()):
                    await self.send(frame)

    async def _refused(self, refused: RelayRefused, out: Outbox) -> None:
        """Go on, where the relay only does not let this one write: it still brings what others say."""
        try:
            for frame in await out.answered(refused):
                await self.send(frame)
        except RelayRefused as final:
            if final.code not in ("token", "key"):
                raise
            # While there is more to be heard, a new key may be in it.
            if not self._participant.hearing:
                self._tell(Unheard(out.url, str(final)))

    def _history(self) -> list[bytes]:
        """What the keys before this one were, for those who come later, where nobody here has said it yet."""
        keys = self._keys.earlier
        wanted = keys and len(keys) not in self._told and not self._participant.hearing
        return [history(keys)] if wanted else []

    def _opened(self, frame: bytes, relay: str) -> bytes:
        key = self._keys.reading
        if key is None and not self._locked:
            self._locked = True
            self._tell(Locked(relay, self._participant.epoch))
        try:
            text = JUNK if key is None else key.open(frame)[1]
        except DecodeError:
            # In the order of the table a key comes before what is sealed with it. Once with a key and a connection:
            # anybody who writes can say so, and must neither flood a person nor use up what is said when it is true.
            if key is not None and key.is_before(frame) and self._behind < key.epoch:
                self._behind = key.epoch
                self._tell(Behind(relay))
            return JUNK
        # What is false does not count: else one frame of a liar would keep all from saying what is true.
        if key is not None and (said := read_history(text, key)) and said == self._keys.earlier:
            self._told.add(key.epoch)
        return text
