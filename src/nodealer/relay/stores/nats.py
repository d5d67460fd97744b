"""Tables in NATS JetStream: any number of relays on any number of machines, and one order.

A few streams hold all tables; which one holds a table is in its name. The order is that of the stream, and the cursor
of a frame is its number there, so that relays have nothing to agree on and nothing to remember. What is kept of a table
stands under three subjects: its frames, its notes, and when it may be forgotten. docs/spec/relay-nats.md has the rest.
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
from nodealer.relay.messages import FRAME_BYTES_MAX, PAGE_BYTES, Stored
from nodealer.relay.stores.base import FramePage, Hear, Standing, page_of
from nodealer.relay.stores.jetstream import (
    CONTROL,
    FIRST,
    PAUSE,
    PLACING,
    JetStreamSession,
    Link,
    NotYet,
    consumer,
    status,
)

#: Streams. All relays must say the same, for ever: the name of a table says which one it is in.
SHARDS: Final = 4
#: Each stream is kept by at most so many servers: that is what JetStream can.
REPLICAS_MAX: Final = 5
#: For so many seconds a stream knows a frame that is sent again.
MEMORY: Final = 120.0
#: What the headers of a frame may take of the largest message that a server lets in.
HEADERS: Final = 256
#: Messages in one answer: of the least size, a page of them is larger than this.
BATCH: Final = 1000
#: How often a server that has nothing to tell says so, and how long it may be silent before it is asked anew.
HEARTBEAT: Final = 2.0
SILENCE: Final = 5.0
#: How often a frame may be said to be on its way before it is sent as another one.
ON_ITS_WAY: Final = 20

ID: Final = "Nats-Msg-Id"
LAST_TOLD: Final = "Nats-Last-Consumer"
STALLED: Final = "Nats-Consumer-Stalled"
#: How the table stood for the relay that sends a frame, at some earlier frame: the numbers of a `Tally`.
TALLY: Final = "Nodealer-Tally"
#: When a table may be forgotten, in seconds since 1970.
EXPIRES: Final = "Nodealer-Expires"

#: JetStream's number for it.
NO_MESSAGE_FOUND: Final = 10037


@dataclass(frozen=True)
class TableSubjects:
    """Where a table is kept."""

    stream: str
    frames: str
    notes: str
    expiry: str
    everything: str


def place(table: str) -> TableSubjects:
    """Names of tables are letters, digits and dashes, and can stand in a subject as they are."""
    shard = sha256(table.encode()).digest()[0] % SHARDS
    root = f"{_root(shard)}.{table}"
    return TableSubjects(_stream(shard), f"{root}.frame", f"{root}.note", f"{root}.expiry", f"{root}.*")


def _stream(shard: int) -> str:
    return f"nodealer-{shard}"


def _root(shard: int) -> str:
    return f"nodealer.{shard}"


def _from(subject: str, after: int) -> ConsumerConfig:
    return ConsumerConfig(
        filter_subject=subject, deliver_policy=DeliverPolicy.BY_START_SEQUENCE, opt_start_seq=after + 1
    )


def _number(message: Msg) -> int:
    return message.metadata.sequence.stream


# What the leader of a stream says, which has all that was ever acknowledged. A consumer may be with a server that lags.


async def _get(session: JetStreamSession, stream: str, subject: str, after: int | None = None) -> RawStreamMsg | None:
    """The last message under a subject, or the next one after a number; `None` where there is none."""
    try:
        if after is None:
            return await session.streams.get_last_msg(stream, subject)
        return await session.streams.get_msg(stream, after + 1, subject, next=True)
    except NotFoundError as error:
        if error.err_code != NO_MESSAGE_FOUND:
            raise
        return None


async def _range(session: JetStreamSession, stream: str, subject: str, after: int, until: int) -> list[RawStreamMsg]:
    """The messages under a subject after one number and up to another, where they are few: each is asked for."""
    found: list[RawStreamMsg] = []
    while after < until and (message := await _get(session, stream, subject, after)) is not None:
        after = message.seq or until
        found.append(message)
    return found


class TableTally(NamedTuple):
    """How a table stands, and its first frame: one that was forgotten and made again has another."""

    first: int
    last: int
    frames: int
    bytes: int

    def and_then(self, frames: Sequence[Stored]) -> TableTally:
        """With these after it."""
        size = sum(len(frame) for _, frame in frames)
        return TableTally(self.first or frames[0][0], frames[-1][0], self.frames + len(frames), self.bytes + size)

    @property
    def standing(self) -> Standing:
        return Standing(self.last, self.frames, self.bytes)


NONE: Final = TableTally(0, 0, 0, 0)


async def _tally(session: JetStreamSession, where: TableSubjects, frame: RawStreamMsg) -> TableTally:
    """How a table stood when this was its last frame. It says how the table stood shortly before for the relay that
    sent it: only the rest is counted. A relay that does not follow what it writes to says nothing, and costs much."""
    before = _read_tally(frame.headers)
    if before != NONE:
        first = await _get(session, where.stream, where.frames, 0)
        before = before if first is not None and first.seq == before.first else NONE
    rest = await _range(session, where.stream, where.frames, before.last, frame.seq or 0)
    return before.and_then([(message.seq or 0, message.data or b"") for message in rest]) if rest else before


def _write_tally(tally: TableTally) -> dict[str, str]:
    return {TALLY: " ".join(str(number) for number in tally)}


def _read_tally(headers: dict[str, str] | None) -> TableTally:
    text = (headers or {}).get(TALLY)
    return NONE if text is None else TableTally(*(int(number) for number in text.split(" ", 3)))


class Follower:
    """Tells the frames of one table as they come. When the server falls silent, or a frame is missing, it starts anew
    after the last frame that was told."""

    def __init__(self, link: Link, where: TableSubjects, tally: TableTally, hear: Hear) -> None:
        self._link = link
        self._place = where
        self._hear = hear
        self.tally = tally
        self._attempts = 0
        self._task = asyncio.create_task(self._follow())

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _follow(self) -> None:
        while True:
            session = await self._link.session()
            with suppress(Error, OSError):
                async with session.lasting():
                    await self._listen(session)
            await asyncio.sleep(PAUSE)

    async def _listen(self, session: JetStreamSession) -> None:
        config = _from(self._place.frames, self.tally.last)
        config = config.evolve(idle_heartbeat=HEARTBEAT, flow_control=True, max_deliver=1)
        patience = PLACING[min(self._attempts, len(PLACING) - 1)]
        self._attempts += 1
        async with consumer(session, self._place.stream, config, push=patience) as source:
            heard = self._attempts = 0
            while True:
                async with asyncio.timeout(SILENCE):
                    messages = [await source.heard.get()]
                while not source.heard.empty():
                    messages.append(source.heard.get_nowait())
                frames: list[Stored] = []
                try:
                    for message in messages:
                        heard += await self._take(session, message, heard, frames)
                finally:
                    self._tell(frames)

    async def _take(self, session: JetStreamSession, message: Msg, heard: int, frames: list[Stored]) -> int:
        """One of the server's messages, after so many frames of it; gives how many frames it is. Raises `NotYet` when
        something before it is missing."""
        word, headers = status(message), message.headers or {}
        if word is None:
            if message.metadata.sequence.consumer != heard + 1:
                raise NotYet("a frame was skipped")
            frames.append((_number(message), message.data))
            return 1
        if word != CONTROL or int(headers.get(LAST_TOLD, heard)) != heard:
            raise NotYet("the server tells no more, or has told more than was heard")
        if message.reply or STALLED in headers:
            # It waits until we say that we have heard all this.
            await session.client.publish(message.reply or headers[STALLED])
        return 0

    def _tell(self, frames: list[Stored]) -> None:
        # A server that is not as far as we are starts where it is.
        frames = [frame for frame in frames if frame[0] > self.tally.last]
        if frames:
            self.tally = self.tally.and_then(frames)
            self._hear(frames)


class NatsStore:
    """The streams of one server or cluster, for one relay."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._following: dict[str, Follower] = {}
        self.largest = 0

    async def prepare(self, replicas: int) -> None:
        """Make what is not there. Raises `RelayError` when what is there is not what was asked for."""

        async def limit(session: JetStreamSession) -> None:
            self.largest = min(FRAME_BYTES_MAX, session.client.max_payload - HEADERS)

        await self._link.ask("no NATS server", limit, FIRST)
        for shard in range(SHARDS):
            await self._prepare_stream(shard, replicas)

    async def _prepare_stream(self, shard: int, replicas: int) -> None:
        wanted = StreamConfig(
            name=_stream(shard),
            subjects=[f"{_root(shard)}.>"],
            num_replicas=replicas,
            storage=StorageType.FILE,
            # Where somebody sets a limit: what is kept stays, and what is new is refused.
            discard=DiscardPolicy.NEW,
            duplicate_window=MEMORY,
        )

        async def work(session: JetStreamSession) -> StreamConfig:
            try:
                return (await session.streams.stream_info(_stream(shard))).config
            except NotFoundError:
                pass
            try:
                return (await session.streams.add_stream(wanted)).config
            except BadRequestError as error:
                # Another relay was quicker, or not all servers are there yet.
                raise NotYet(error.description) from None

        found = await self._link.ask(f"the stream {wanted.name}", work)
        if found.subjects != wanted.subjects:
            raise RelayError(f"the NATS stream {wanted.name} is not one of a relay: its subjects are {found.subjects}")
        if found.num_replicas != replicas:
            raise RelayError(
                f"the NATS stream {wanted.name} has {found.num_replicas} replicas, not {replicas}: "
                f"say so, or change it with `nats stream edit --replicas {replicas} {wanted.name}`"
            )

    # --- Notes ---

    async def note(self, table: str, note: bytes) -> list[bytes]:
        """Put a note down; gives all notes of the table in their order."""
        where = place(table)
        # Said once, written once; but said later again it is another note: the table may have been forgotten meanwhile.
        await self._publish(where.notes, note, token_hex(16))
        return await self.notes(table)

    async def notes(self, table: str) -> list[bytes]:
        """The notes of a table; none where there is no table."""
        where = place(table)

        async def work(session: JetStreamSession) -> list[RawStreamMsg]:
            last = await _get(session, where.stream, where.notes)
            return await _range(session, where.stream, where.notes, 0, (last.seq or 0) if last else 0)

        found = await self._link.ask("the notes of a table", work)
        return [note.data or b"" for note in found]

    # --- Frames ---

    async def append(self, table: str, frame: bytes) -> None:
        """Put a frame into the order. It is dropped when it is there already, and was sent not long ago."""
        if not 0 < len(frame) <= self.largest:
            most = f"{self.largest} bytes, as the NATS server's max_payload says"
            raise RelayError(f"a frame of {len(frame)} bytes, where 1 byte is the least and the most is {most}")
        where, follower = place(table), self._following.get(table)
        headers = {} if follower is None else _write_tally(follower.tally)
        identity = sha256(table.encode() + b"\0" + frame).hexdigest()[:32]
        await self._publish(where.frames, frame, identity, headers)

    async def _publish(self, subject: str, data: bytes, identity: str, headers: dict[str, str] | None = None) -> None:
        """Have it written. Asked again with the same identity, it is not written twice."""
        on_its_way = 0

        async def work(session: JetStreamSession) -> None:
            nonlocal on_its_way
            # A leader that dies may have heard of a message and not kept it; and knows its identity when it comes back,
            # so that it never would be kept. Rather twice than never: participants drop what they have.
            again = f"-{on_its_way // ON_ITS_WAY}" if on_its_way >= ON_ITS_WAY else ""
            known = await session.streams.publish(subject, data, headers={ID: identity + again, **(headers or {})})
            if not known.seq:
                on_its_way += 1
                raise NotYet("what was sent is on its way, and not kept yet")

        await self._link.ask("nothing could be kept", work)

    async def read(self, table: str, after: int) -> FramePage | None:
        """A page of frames after a cursor."""
        where = place(table)

        async def work(session: JetStreamSession) -> FramePage | None:
            async with consumer(session, where.stream, _from(where.frames, after)) as source:
                messages: list[Msg] = []
                if source.pending:
                    # A frame that is larger than a page comes alone.
                    messages = await source.fetch(BATCH, PAGE_BYTES) or await source.fetch(1)
            # A server that is not as far as the reader starts where it is, or has nothing yet.
            frames = [(_number(message), message.data) for message in messages if _number(message) > after]
            if not frames and await _get(session, where.stream, where.frames, after) is not None:
                raise NotYet("a server of the cluster has not caught up")
            return page_of(frames)

        return await self._link.ask("a table cannot be read", work)

    def at_hand(self, table: str, after: int) -> FramePage | None:
        """None is: the server is asked."""
        return None

    async def count(self, table: str, after: int) -> int:
        """How many frames stand after a cursor."""
        where = place(table)

        async def work(session: JetStreamSession) -> int:
            first = await _get(session, where.stream, where.frames, after)
            last = await _get(session, where.stream, where.frames)
            if first is None or last is None:
                return 0
            return (await _tally(session, where, last)).frames - (await _tally(session, where, first)).frames + 1

        return await self._link.ask("a table cannot be read", work)

    # --- Following ---

    async def follow(self, table: str, hear: Hear) -> Standing:
        """How the table stands now. From here on `hear` is told every frame after that, once it is kept."""
        where = place(table)
        await self.unfollow(table)

        async def work(session: JetStreamSession) -> TableTally:
            last = await _get(session, where.stream, where.frames)
            return NONE if last is None else await _tally(session, where, last)

        tally = await self._link.ask("a table cannot be read", work)
        self._following[table] = Follower(self._link, where, tally, hear)
        return tally.standing

    async def unfollow(self, table: str) -> None:
        """Tell no more of this table."""
        follower = self._following.pop(table, None)
        if follower is not None:
            await follower.stop()

    # --- What all tables take, and how they go ---

    async def size(self) -> int:
        """Bytes that all tables have, and what the streams add to them."""

        async def work(session: JetStreamSession) -> int:
            infos = [await session.streams.stream_info(_stream(shard)) for shard in range(SHARDS)]
            return sum(info.state.bytes for info in infos)

        return await self._link.ask("the streams say nothing of their size", work)

    async def expire(self, table: str, seconds: float) -> None:
        """The table may be forgotten so many seconds from now. That stands in the stream: any relay may do it then."""
        where = place(table)
        until = {EXPIRES: str(time.time() + seconds)}
        await self._publish(where.expiry, b"", token_hex(16), until)

    async def sweep(self, idle: float) -> int:
        """Forget the tables that have expired, and those that nobody has written to for `idle` seconds."""
        return sum([await self._sweep_stream(shard, idle) for shard in range(SHARDS)])

    async def _sweep_stream(self, shard: int, idle: float) -> int:
        stream, root, now = _stream(shard), _root(shard), time.time()

        async def work(session: JetStreamSession) -> dict[str, Trace]:
            traces: dict[str, Trace] = {}
            oldest = await _get(session, stream, f"{root}.>", 0)
            if oldest is None or oldest.time is None:
                return traces
            # Where nothing is that old, nobody can have been idle for so long.
            subjects = f"{root}.*.*" if oldest.time.timestamp() <= now - idle else f"{root}.*.expiry"
            last = ConsumerConfig(
                filter_subject=subjects, deliver_policy=DeliverPolicy.LAST_PER_SUBJECT, headers_only=True
            )
            async with consumer(session, stream, last) as source:
                while messages := await source.fetch(BATCH):
                    for message in messages:
                        trace = traces.setdefault(message.subject.split(".")[2], Trace())
                        trace.add(_number(message), message.metadata.timestamp, message.headers)
            return traces

        swept = 0
        for table, trace in (await self._link.ask("the tables cannot be listed", work)).items():
            if trace.is_old(now, idle):
                swept += await self._purge(place(table), now, idle)
        return swept

    async def _purge(self, where: TableSubjects, now: float, idle: float) -> bool:
        async def work(session: JetStreamSession) -> bool:
            # A server that was away for long may have told of the table as it was then. The leader knows.
            trace = Trace()
            for subject in (where.frames, where.notes, where.expiry):
                message = await _get(session, where.stream, subject)
                if message is not None:
                    trace.add(message.seq, message.time, message.headers)
            if not trace.last or not trace.is_old(now, idle):
                return False
            # Up to what was seen: what has just come is not old.
            await session.streams.purge_stream(where.stream, seq=trace.last + 1, subject=where.everything)
            return True

        return await self._link.ask("a table cannot be forgotten", work)

    async def close(self) -> None:
        """Let go of everything."""
        for table in [*self._following]:
            await self.unfollow(table)
        await self._link.close()


class Trace:
    """What the last messages of a table say of it."""

    def __init__(self) -> None:
        self.last = 0
        self._written = 0.0
        self._expires = inf

    def add(self, number: int | None, when: datetime | None, headers: dict[str, str] | None) -> None:
        self.last = max(self.last, number or 0)
        self._written = max(self._written, when.timestamp() if when else 0)
        self._expires = min(self._expires, float((headers or {}).get(EXPIRES, inf)))

    def is_old(self, now: float, idle: float) -> bool:
        return self._expires <= now or self._written <= now - idle


@asynccontextmanager
async def open_nats(urls: Sequence[str], *, replicas: int = 1) -> AsyncIterator[NatsStore]:
    """The tables that a NATS server keeps, or a cluster, of which some addresses are enough. Streams are made where
    there are none, each on `replicas` servers. Raises `RelayError` when there is no server, or none that can."""
    if not urls or not 1 <= replicas <= REPLICAS_MAX:
        raise BadParameter(f"NATS needs the address of a server, and 1 to {REPLICAS_MAX} replicas")
    store = NatsStore(Link(urls))
    try:
        await store.prepare(replicas)
        yield store
    finally:
        await store.close()
