"""Tables in NATS JetStream: any number of relays on any number of machines, with one order.

A few streams hold all tables; a table's name determines its stream. The order is that of the stream, and a frame's
cursor is its sequence number there, so relays have nothing to agree on and nothing to remember. A table is kept under
three subjects: its frames, its notes, and when it may be deleted. docs/spec/relay-nats.md has the details.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from math import inf
from secrets import token_hex
from typing import Final, NamedTuple

from nats.aio.msg import Msg
from nats.errors import Error
from nats.js.api import ConsumerConfig, DeliverPolicy, DiscardPolicy, RawStreamMsg, StorageType, StreamConfig
from nats.js.errors import BadRequestError, NotFoundError

from nodealer.errors import BadParameter, RelayError
from nodealer.relay.messages import FRAME_BYTES_MAX, PAGE_BYTES, StoredFrame
from nodealer.relay.stores.base import FrameListener, FramePage, TableExtent, page_from
from nodealer.relay.stores.jetstream import (
    CONTROL,
    CREATE_TIMEOUTS,
    FIRST_CONNECT_SECONDS,
    RETRY_PAUSE,
    JetStreamSession,
    NatsConnection,
    TemporaryFailure,
    open_consumer,
    status_of,
)

#: The number of streams. All relays must use the same number for ever, because the table's name determines its stream.
SHARDS: Final = 4
#: The most replicas that JetStream allows per stream.
REPLICAS_MAX: Final = 5
#: For how many seconds a stream recognises a frame that is sent again.
DEDUPLICATION_SECONDS: Final = 120.0
#: How much of the server's largest message the headers of a frame may use.
HEADER_BYTES_MAX: Final = 256
#: The number of messages in one answer; even with the smallest ones, a page is larger than this.
BATCH: Final = 1000
#: How often an idle server sends a heartbeat, and how long it may be silent before the relay subscribes again.
HEARTBEAT: Final = 2.0
SILENCE: Final = 5.0
#: How often a server may answer that a frame is on its way before it is sent as another one.
ON_ITS_WAY: Final = 20

ID_HEADER: Final = "Nats-Msg-Id"
LAST_DELIVERED: Final = "Nats-Last-Consumer"
STALLED_HEADER: Final = "Nats-Consumer-Stalled"
#: The extent of the table as known to the sending relay, at some earlier frame: the numbers of a `TableTally`.
TALLY_HEADER: Final = "Nodealer-Tally"
#: When a table may be deleted, in seconds since 1970.
EXPIRES_HEADER: Final = "Nodealer-Expires"

#: JetStream's error code for this.
NO_MESSAGE_FOUND: Final = 10037


@dataclass(frozen=True)
class TableSubjects:
    """The stream and the subjects of a table."""

    stream: str
    frames: str
    notes: str
    expiry: str
    everything: str


def subjects_of(table: str) -> TableSubjects:
    """Return where a table is kept. Table names have only letters, digits and dashes, so subjects can contain them."""
    shard = sha256(table.encode()).digest()[0] % SHARDS
    root = f"{_root(shard)}.{table}"
    return TableSubjects(_stream(shard), f"{root}.frame", f"{root}.note", f"{root}.expiry", f"{root}.*")


def _stream(shard: int) -> str:
    """Return the name of a stream."""
    return f"nodealer-{shard}"


def _root(shard: int) -> str:
    """Return the prefix of the subjects of a stream."""
    return f"nodealer.{shard}"


def _consumer_from(subject: str, after: int) -> ConsumerConfig:
    """Return the configuration of a consumer that starts after a sequence number."""
    return ConsumerConfig(
        filter_subject=subject, deliver_policy=DeliverPolicy.BY_START_SEQUENCE, opt_start_seq=after + 1
    )


def _sequence_of(message: Msg) -> int:
    """Return a message's sequence number in its stream."""
    return message.metadata.sequence.stream


# The leader of a stream has everything that was ever acknowledged. A consumer may be on a server that lags behind.


async def _get(session: JetStreamSession, stream: str, subject: str, after: int | None = None) -> RawStreamMsg | None:
    """Return the last message of a subject, or the next one after a number; None if there is none."""
    try:
        if after is None:
            return await session.streams.get_last_msg(stream, subject)
        return await session.streams.get_msg(stream, after + 1, subject, next=True)
    except NotFoundError as error:
        if error.err_code != NO_MESSAGE_FOUND:
            raise
        return None


async def _get_range(
    session: JetStreamSession, stream: str, subject: str, after: int, until: int
) -> list[RawStreamMsg]:
    """Return the messages of a subject after one number and up to another.

    Each costs a request, so they should be few.
    """
    found: list[RawStreamMsg] = []
    while after < until and (message := await _get(session, stream, subject, after)) is not None:
        after = message.seq or until
        found.append(message)
    return found


class TableTally(NamedTuple):
    """A table's extent and its first frame, which differs if the table was deleted and created again."""

    first: int
    last: int
    frames: int
    bytes: int

    def extended_by(self, frames: Sequence[StoredFrame]) -> TableTally:
        """Return the tally after these further frames."""
        size = sum(len(frame) for _, frame in frames)
        return TableTally(self.first or frames[0][0], frames[-1][0], self.frames + len(frames), self.bytes + size)

    @property
    def extent(self) -> TableExtent:
        """Return the tally as a `TableExtent`."""
        return TableExtent(self.last, self.frames, self.bytes)


EMPTY_TALLY: Final = TableTally(0, 0, 0, 0)


async def _tally_at(session: JetStreamSession, subjects: TableSubjects, frame: RawStreamMsg) -> TableTally:
    """Return the tally of a table whose last frame is this one.

    The frame's header has the tally that its relay knew shortly before; only the rest is counted. A relay that writes
    to a table without being subscribed sends no tally, which makes this expensive.
    """
    before = _read_tally(frame.headers)
    if before != EMPTY_TALLY:
        first = await _get(session, subjects.stream, subjects.frames, 0)
        before = before if first is not None and first.seq == before.first else EMPTY_TALLY
    rest = await _get_range(session, subjects.stream, subjects.frames, before.last, frame.seq or 0)
    return before.extended_by([(message.seq or 0, message.data or b"") for message in rest]) if rest else before


def _write_tally(tally: TableTally) -> dict[str, str]:
    """Return the header with a tally."""
    return {TALLY_HEADER: " ".join(str(number) for number in tally)}


def _read_tally(headers: dict[str, str] | None) -> TableTally:
    """Parse the tally in a message's headers; the empty tally if there is none."""
    text = (headers or {}).get(TALLY_HEADER)
    return EMPTY_TALLY if text is None else TableTally(*(int(number) for number in text.split(" ", 3)))


class Follower:
    """Delivers the frames of one table as they arrive.

    If the server falls silent or a frame is missing, it subscribes again after the last delivered frame.
    """

    def __init__(
        self, connection: NatsConnection, subjects: TableSubjects, tally: TableTally, listener: FrameListener
    ) -> None:
        """Follow a table from the end of `tally` on, and pass its frames to `listener`."""
        self._connection = connection
        self._subjects = subjects
        self._listener = listener
        self.tally = tally
        self._attempts = 0
        self._task = asyncio.create_task(self._follow())

    async def stop(self) -> None:
        """Stop delivering."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _follow(self) -> None:
        """Listen, and listen again after every interruption; never returns."""
        while True:
            session = await self._connection.session()
            with suppress(Error, OSError):
                async with session.while_connected():
                    await self._listen(session)
            await asyncio.sleep(RETRY_PAUSE)

    async def _listen(self, session: JetStreamSession) -> None:
        """Deliver frames until something is missing. Raises `TemporaryFailure` or `TimeoutError`."""
        config = _consumer_from(self._subjects.frames, self.tally.last)
        config = config.evolve(idle_heartbeat=HEARTBEAT, flow_control=True, max_deliver=1)
        patience = CREATE_TIMEOUTS[min(self._attempts, len(CREATE_TIMEOUTS) - 1)]
        self._attempts += 1
        async with open_consumer(session, self._subjects.stream, config, push=patience) as source:
            heard = self._attempts = 0
            while True:
                async with asyncio.timeout(SILENCE):
                    messages = [await source.messages.get()]
                while not source.messages.empty():
                    messages.append(source.messages.get_nowait())
                frames: list[StoredFrame] = []
                try:
                    for message in messages:
                        heard += await self._handle(session, message, heard, frames)
                finally:
                    self._deliver(frames)

    async def _handle(self, session: JetStreamSession, message: Msg, heard: int, frames: list[StoredFrame]) -> int:
        """Process one message, which must follow the `heard` frames before it.

        Return 1 for a frame, which is added to `frames`, and 0 for a notice of the server. Raise `TemporaryFailure` if
        something before it is missing.
        """
        word, headers = status_of(message), message.headers or {}
        if word is None:
            if message.metadata.sequence.consumer != heard + 1:
                raise TemporaryFailure("a frame was skipped")
            frames.append((_sequence_of(message), message.data))
            return 1
        if word != CONTROL or int(headers.get(LAST_DELIVERED, heard)) != heard:
            raise TemporaryFailure("the server stopped delivering, or a frame was lost")
        if message.reply or STALLED_HEADER in headers:
            # The server waits for this acknowledgement.
            await session.client.publish(message.reply or headers[STALLED_HEADER])
        return 0

    def _deliver(self, frames: list[StoredFrame]) -> None:
        """Pass new frames to the listener, skipping those already delivered."""
        # A server that lags behind starts at its own position.
        frames = [frame for frame in frames if frame[0] > self.tally.last]
        if frames:
            self.tally = self.tally.extended_by(frames)
            self._listener(frames)


class NatsStore:
    """The streams of one server or cluster, for one relay."""

    def __init__(self, connection: NatsConnection) -> None:
        """Use this connection. Call `prepare` before anything else."""
        self._connection = connection
        self._following: dict[str, Follower] = {}
        self.largest = 0

    async def prepare(self, replicas: int) -> None:
        """Create missing streams. Raise `RelayError` if existing ones do not match."""

        async def limit(session: JetStreamSession) -> None:
            """Set the largest frame that the server accepts."""
            self.largest = min(FRAME_BYTES_MAX, session.client.max_payload - HEADER_BYTES_MAX)

        await self._connection.retry("no NATS server", limit, FIRST_CONNECT_SECONDS)
        for shard in range(SHARDS):
            await self._prepare_stream(shard, replicas)

    async def _prepare_stream(self, shard: int, replicas: int) -> None:
        """Create a stream if it is missing, and check its subjects and replicas."""
        wanted = StreamConfig(
            name=_stream(shard),
            subjects=[f"{_root(shard)}.>"],
            num_replicas=replicas,
            storage=StorageType.FILE,
            # If an operator sets a limit: keep what is stored, and refuse what is new.
            discard=DiscardPolicy.NEW,
            duplicate_window=DEDUPLICATION_SECONDS,
        )

        async def work(session: JetStreamSession) -> StreamConfig:
            """Return the stream's configuration; create the stream if there is none."""
            try:
                return (await session.streams.stream_info(_stream(shard))).config
            except NotFoundError:
                pass
            try:
                return (await session.streams.add_stream(wanted)).config
            except BadRequestError as error:
                # Another relay was faster, or not all servers are up yet.
                raise TemporaryFailure(error.description) from None

        found = await self._connection.retry(f"the stream {wanted.name}", work)
        if found.subjects != wanted.subjects:
            raise RelayError(
                f"the NATS stream {wanted.name} does not belong to a relay: its subjects are {found.subjects}"
            )
        if found.num_replicas != replicas:
            raise RelayError(
                f"the NATS stream {wanted.name} has {found.num_replicas} replicas, not {replicas}: "
                f"use that number, or change it with `nats stream edit --replicas {replicas} {wanted.name}`"
            )

    # --- Notes ---

    async def add_note(self, table: str, note: bytes) -> list[bytes]:
        """Add a note, and return all notes of the table in order."""
        subjects = subjects_of(table)
        # A retry must not write the note twice. But the same note added later is another one: the table may have been
        # deleted meanwhile.
        await self._publish(subjects.notes, note, token_hex(16))
        return await self.notes(table)

    async def notes(self, table: str) -> list[bytes]:
        """Return the notes of a table; an empty list if there is no such table."""
        subjects = subjects_of(table)

        async def work(session: JetStreamSession) -> list[RawStreamMsg]:
            """Fetch all messages with the table's notes."""
            last = await _get(session, subjects.stream, subjects.notes)
            return await _get_range(session, subjects.stream, subjects.notes, 0, (last.seq or 0) if last else 0)

        found = await self._connection.retry("the notes of a table", work)
        return [note.data or b"" for note in found]

    # --- Frames ---

    async def append(self, table: str, frame: bytes) -> None:
        """Append a frame. It is dropped if it is already there and was sent recently."""
        if not 0 < len(frame) <= self.largest:
            most = f"{self.largest} bytes, the limit that the NATS server's max_payload sets"
            raise RelayError(f"a frame of {len(frame)} bytes; it must have at least 1 byte and at most {most}")
        subjects, follower = subjects_of(table), self._following.get(table)
        headers = {} if follower is None else _write_tally(follower.tally)
        identity = sha256(table.encode() + b"\0" + frame).hexdigest()[:32]
        await self._publish(subjects.frames, frame, identity, headers)

    async def _publish(self, subject: str, data: bytes, identity: str, headers: dict[str, str] | None = None) -> None:
        """Publish a message. With the same identity, a retry is not stored twice."""
        on_its_way = 0

        async def work(session: JetStreamSession) -> None:
            """Publish the message once. Raises `TemporaryFailure` if it is not stored yet."""
            nonlocal on_its_way
            # A leader that dies may have seen a message without storing it, and still know its identity when it comes
            # back, so that it would never be stored. Better twice than never: participants drop duplicates.
            again = f"-{on_its_way // ON_ITS_WAY}" if on_its_way >= ON_ITS_WAY else ""
            known = await session.streams.publish(
                subject, data, headers={ID_HEADER: identity + again, **(headers or {})}
            )
            if not known.seq:
                on_its_way += 1
                raise TemporaryFailure("the message is not stored yet")

        await self._connection.retry("nothing could be kept", work)

    async def read(self, table: str, after: int) -> FramePage | None:
        """Return a page of frames after a cursor."""
        subjects = subjects_of(table)

        async def work(session: JetStreamSession) -> FramePage | None:
            """Fetch one page of frames after the cursor `after`, or return None if there are none."""
            async with open_consumer(session, subjects.stream, _consumer_from(subjects.frames, after)) as source:
                messages: list[Msg] = []
                if source.pending:
                    # A frame larger than a page is fetched alone.
                    messages = await source.fetch(BATCH, PAGE_BYTES) or await source.fetch(1)
            # A server that lags behind the reader starts at its own position, or has nothing yet.
            frames = [(_sequence_of(message), message.data) for message in messages if _sequence_of(message) > after]
            if not frames and await _get(session, subjects.stream, subjects.frames, after) is not None:
                raise TemporaryFailure("a server of the cluster has not caught up")
            return page_from(frames)

        return await self._connection.retry("a table cannot be read", work)

    def cached_page(self, table: str, after: int) -> FramePage | None:
        """Return None: every page is requested from the server."""
        return None

    async def count(self, table: str, after: int) -> int:
        """Return the number of frames after a cursor."""
        subjects = subjects_of(table)

        async def work(session: JetStreamSession) -> int:
            """Count the frames after the cursor `after`, from the tallies of the first and the last of them."""
            first = await _get(session, subjects.stream, subjects.frames, after)
            last = await _get(session, subjects.stream, subjects.frames)
            if first is None or last is None:
                return 0
            return (
                (await _tally_at(session, subjects, last)).frames
                - (await _tally_at(session, subjects, first)).frames
                + 1
            )

        return await self._connection.retry("a table cannot be read", work)

    # --- Subscriptions ---

    async def subscribe(self, table: str, listener: FrameListener) -> TableExtent:
        """Return the table's extent now, and pass every later frame to `listener` once it is stored."""
        subjects = subjects_of(table)
        await self.unsubscribe(table)

        async def work(session: JetStreamSession) -> TableTally:
            """Return the table's tally up to its last frame."""
            last = await _get(session, subjects.stream, subjects.frames)
            return EMPTY_TALLY if last is None else await _tally_at(session, subjects, last)

        tally = await self._connection.retry("a table cannot be read", work)
        self._following[table] = Follower(self._connection, subjects, tally, listener)
        return tally.extent

    async def unsubscribe(self, table: str) -> None:
        """Stop passing frames of this table to the listener."""
        follower = self._following.pop(table, None)
        if follower is not None:
            await follower.stop()

    # --- Size and deletion ---

    async def size(self) -> int:
        """Return the total bytes of all tables, including the overhead of the streams."""

        async def work(session: JetStreamSession) -> int:
            """Return the number of bytes in all streams."""
            infos = [await session.streams.stream_info(_stream(shard)) for shard in range(SHARDS)]
            return sum(info.state.bytes for info in infos)

        return await self._connection.retry("the streams say nothing of their size", work)

    async def expire(self, table: str, seconds: float) -> None:
        """Let the table be deleted this many seconds from now. This is stored in the stream, so any relay can do it."""
        subjects = subjects_of(table)
        until = {EXPIRES_HEADER: str(time.time() + seconds)}
        await self._publish(subjects.expiry, b"", token_hex(16), until)

    async def sweep(self, idle: float) -> int:
        """Delete tables that have expired or have not been written to for `idle` seconds; return how many."""
        return sum([await self._sweep_stream(shard, idle) for shard in range(SHARDS)])

    async def _sweep_stream(self, shard: int, idle: float) -> int:
        """Delete the old tables of one stream, and return how many there were."""
        stream, root, now = _stream(shard), _root(shard), time.time()

        async def work(session: JetStreamSession) -> dict[str, TableActivity]:
            """Return the last activity of each table in the stream that may be old enough to delete."""
            activities: dict[str, TableActivity] = {}
            oldest = await _get(session, stream, f"{root}.>", 0)
            if oldest is None or oldest.time is None:
                return activities
            # If no message is that old, no table can have been idle for so long.
            subjects = f"{root}.*.*" if oldest.time.timestamp() <= now - idle else f"{root}.*.expiry"
            last = ConsumerConfig(
                filter_subject=subjects, deliver_policy=DeliverPolicy.LAST_PER_SUBJECT, headers_only=True
            )
            async with open_consumer(session, stream, last) as source:
                while messages := await source.fetch(BATCH):
                    for message in messages:
                        activity = activities.setdefault(message.subject.split(".")[2], TableActivity())
                        activity.add(_sequence_of(message), message.metadata.timestamp, message.headers)
            return activities

        swept = 0
        for table, activity in (await self._connection.retry("the tables cannot be listed", work)).items():
            if activity.is_old(now, idle):
                swept += await self._delete_if_old(subjects_of(table), now, idle)
        return swept

    async def _delete_if_old(self, subjects: TableSubjects, now: float, idle: float) -> bool:
        """Delete a table if it is still old; return whether it was."""

        async def work(session: JetStreamSession) -> bool:
            """Look at the table again and delete its messages if it is old. Return whether it was."""
            # A server that was down for long may have reported an old state of the table. The leader knows the current
            # one.
            activity = TableActivity()
            for subject in (subjects.frames, subjects.notes, subjects.expiry):
                message = await _get(session, subjects.stream, subject)
                if message is not None:
                    activity.add(message.seq, message.time, message.headers)
            if not activity.last or not activity.is_old(now, idle):
                return False
            # Only up to what was seen: newer messages are not old.
            await session.streams.purge_stream(subjects.stream, seq=activity.last + 1, subject=subjects.everything)
            return True

        return await self._connection.retry("a table cannot be forgotten", work)

    async def close(self) -> None:
        """End all subscriptions and the connection."""
        for table in [*self._following]:
            await self.unsubscribe(table)
        await self._connection.close()


class TableActivity:
    """The last activity of a table, from its last messages."""

    def __init__(self) -> None:
        """Start with no message seen."""
        self.last = 0
        self._written = 0.0
        self._expires = inf

    def add(self, number: int | None, when: datetime | None, headers: dict[str, str] | None) -> None:
        """Take a message into account."""
        self.last = max(self.last, number or 0)
        self._written = max(self._written, when.timestamp() if when else 0)
        self._expires = min(self._expires, float((headers or {}).get(EXPIRES_HEADER, inf)))

    def is_old(self, now: float, idle: float) -> bool:
        """Return whether the table has expired, or has been idle for `idle` seconds."""
        return self._expires <= now or self._written <= now - idle


@asynccontextmanager
async def open_nats(urls: Sequence[str], *, replicas: int = 1) -> AsyncIterator[NatsStore]:
    """Open the store in a NATS server or cluster; some of a cluster's addresses are enough.

    Missing streams are created, each on `replicas` servers. Raise `RelayError` if there is no server, or none that can
    do this.
    """
    if not urls or not 1 <= replicas <= REPLICAS_MAX:
        raise BadParameter(f"NATS needs a server's address and 1 to {REPLICAS_MAX} replicas")
    store = NatsStore(NatsConnection(urls))
    try:
        await store.prepare(replicas)
        yield store
    finally:
        await store.close()
