"""Tables in NATS JetStream: any number of relays on any number of machines, and one order.

A few streams hold all tables; which one holds a table is in its name. The order is that of the stream, and the cursor
of a frame is its number there, so that relays have nothing to agree on and nothing to remember. What is kept of a table
stands under three subjects: its frames, its notes, and when it may be forgotten. docs/relay-nats.md has the rest.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from secrets import token_hex
from typing import Final

from nats.aio.msg import Msg
from nats.errors import Error
from nats.js.api import ConsumerConfig, DeliverPolicy, DiscardPolicy, RawStreamMsg, StorageType, StreamConfig
from nats.js.errors import BadRequestError, NotFoundError

from nodealer.errors import BadParameter, RelayError
from nodealer.relay.messages import FRAME_BYTES_MAX, PAGE_BYTES, Stored
from nodealer.relay.stores.base import Hear, Standing
from nodealer.relay.stores.jetstream import CONTROL, FIRST, PAUSE, Link, NotYet, Session, consumer, status

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
SIZE: Final = "Nats-Msg-Size"
LAST_TOLD: Final = "Nats-Last-Consumer"
STALLED: Final = "Nats-Consumer-Stalled"
#: How the table stood for the relay that sends a frame, at some earlier frame: three numbers as in `Standing`.
STANDING: Final = "Nodealer-Standing"
#: When a table may be forgotten, in seconds since 1970.
EXPIRES: Final = "Nodealer-Expires"

BEHIND: Final = "a server of the cluster has not caught up"
NOTHING: Final = Standing(0, 0, 0)


@dataclass(frozen=True)
class Place:
    """Where a table is kept."""

    stream: str
    frames: str
    notes: str
    expiry: str
    everything: str


def place(table: str) -> Place:
    """Names of tables are letters, digits and dashes, and can stand in a subject as they are."""
    shard = sha256(table.encode()).digest()[0] % SHARDS
    root = f"{_root(shard)}.{table}"
    return Place(_stream(shard), f"{root}.frame", f"{root}.note", f"{root}.expiry", f"{root}.*")


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


async def _last(session: Session, stream: str, subject: str) -> RawStreamMsg | None:
    """The last message under a subject, said by the leader, which has all that was ever acknowledged."""
    try:
        return await session.streams.get_last_msg(stream, subject)
    except NotFoundError as error:
        if error.description != "no message found":
            raise
        return None


class Follower:
    """Tells the frames of one table as they come. When the server falls silent, or a frame is missing, it starts anew
    after the last frame that was told."""

    def __init__(self, link: Link, where: Place, standing: Standing, hear: Hear) -> None:
        self._link = link
        self._place = where
        self._hear = hear
        self.standing = standing
        self._task = asyncio.create_task(self._follow())

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _follow(self) -> None:
        while True:
            session = await self._link.session()
            with suppress(Error, OSError):
                await self._listen(session)
            await asyncio.sleep(PAUSE)

    async def _listen(self, session: Session) -> None:
        config = _from(self._place.frames, self.standing.last)
        config = config.evolve(idle_heartbeat=HEARTBEAT, flow_control=True, max_deliver=1)
        async with consumer(session, self._place.stream, config, push=True) as source:
            heard = 0
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

    async def _take(self, session: Session, message: Msg, heard: int, frames: list[Stored]) -> int:
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
        frames = [frame for frame in frames if frame[0] > self.standing.last]
        if frames:
            size = self.standing.bytes + sum(len(frame) for _, frame in frames)
            self.standing = Standing(frames[-1][0], self.standing.frames + len(frames), size)
            self._hear(frames)


class NatsStore:
    """The streams of one server or cluster, for one relay."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._following: dict[str, Follower] = {}
        self.largest = 0

    async def prepare(self, replicas: int) -> None:
        """Make what is not there. Raises `RelayError` when what is there is not what was asked for."""

        async def limit(session: Session) -> None:
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

        async def work(session: Session) -> StreamConfig:
            try:
                return (await session.streams.stream_info(_stream(shard))).config
            except NotFoundError:
                with suppress(BadRequestError):
                    return (await session.streams.add_stream(wanted)).config
                raise NotYet("another relay made it differently") from None

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
        number = await self._publish(where, where.notes, note, token_hex(16))
        return await self._notes(where, number)

    async def notes(self, table: str) -> list[bytes]:
        """The notes of a table; none where there is no table."""
        return await self._notes(place(table), 0)

    async def _notes(self, where: Place, at_least: int) -> list[bytes]:
        async def work(session: Session) -> list[bytes]:
            last = await _last(session, where.stream, where.notes)
            until = max(at_least, last.seq or 0 if last else 0)
            return [message.data async for message in _range(session, where.stream, where.notes, 0, until)]

        return await self._link.ask("the notes of a table", work)

    # --- Frames ---

    async def append(self, table: str, frame: bytes) -> None:
        """Put a frame into the order. It is dropped when it is there already, and was sent not long ago."""
        if not 0 < len(frame) <= self.largest:
            most = f"{self.largest} bytes, as the NATS server's max_payload says"
            raise RelayError(f"a frame of {len(frame)} bytes, where 1 byte is the least and the most is {most}")
        where, follower = place(table), self._following.get(table)
        headers = {} if follower is None else {STANDING: _written(follower.standing)}
        identity = sha256(table.encode() + b"\0" + frame).hexdigest()[:32]
        await self._publish(where, where.frames, frame, identity, headers)

    async def _publish(
        self, where: Place, subject: str, data: bytes, identity: str, headers: dict[str, str] | None = None
    ) -> int:
        """The number that it got. Asked again with the same identity, it is not written twice."""
        on_its_way = 0

        async def work(session: Session) -> int:
            nonlocal on_its_way
            # A leader that dies may have heard of a message and not kept it; and knows its identity when it comes back,
            # so that it never would be kept. Rather twice than never: participants drop what they have.
            again = f"-{on_its_way // ON_ITS_WAY}" if on_its_way >= ON_ITS_WAY else ""
            known = await session.streams.publish(subject, data, headers={ID: identity + again, **(headers or {})})
            if known.seq:
                return known.seq
            on_its_way += 1
            raise NotYet("what was sent is on its way, and not kept yet")

        return await self._link.ask("nothing could be kept", work)

    async def read(self, table: str, after: int) -> list[Stored]:
        """The next frames after a cursor: about a page of them, none where there are no more."""
        where = place(table)

        async def work(session: Session) -> list[Stored]:
            async with consumer(session, where.stream, _from(where.frames, after), push=False) as source:
                messages: list[Msg] = []
                if source.pending:
                    # A frame that is larger than a page comes alone.
                    messages = await source.fetch(BATCH, PAGE_BYTES) or await source.fetch(1)
            if not messages:
                last = await _last(session, where.stream, where.frames)
                if last is not None and (last.seq or 0) > after:
                    raise NotYet(BEHIND)
            return [(_number(message), message.data) for message in messages if _number(message) > after]

        return await self._link.ask("a table cannot be read", work)

    async def count(self, table: str, after: int) -> int:
        """How many frames stand after a cursor."""
        where = place(table)

        async def work(session: Session) -> int:
            async with consumer(session, where.stream, _from(where.frames, after), push=False) as source:
                return source.pending

        return await self._link.ask("a table cannot be read", work)

    # --- Following ---

    async def follow(self, table: str, hear: Hear) -> Standing:
        """How the table stands now. From here on `hear` is told every frame after that, once it is kept."""
        where = place(table)
        await self.unfollow(table)
        standing = await self._link.ask("a table cannot be read", lambda session: _standing(session, where))
        self._following[table] = Follower(self._link, where, standing, hear)
        return standing

    async def unfollow(self, table: str) -> None:
        """Tell no more of this table."""
        follower = self._following.pop(table, None)
        if follower is not None:
            await follower.stop()

    # --- What all tables take, and how they go ---

    async def size(self) -> int:
        """Bytes that all tables have, and what the streams add to them."""

        async def work(session: Session) -> int:
            infos = [await session.streams.stream_info(_stream(shard)) for shard in range(SHARDS)]
            return sum(info.state.bytes for info in infos)

        return await self._link.ask("the streams say nothing of their size", work)

    async def expire(self, table: str, seconds: float) -> None:
        """The table may be forgotten so many seconds from now. That stands in the stream: any relay may do it then."""
        where = place(table)
        until = {EXPIRES: str(time.time() + seconds)}
        await self._publish(where, where.expiry, b"", token_hex(16), until)

    async def sweep(self, idle: float) -> int:
        """Forget the tables that have expired, and those that nobody has written to for `idle` seconds."""
        return sum([await self._sweep_stream(shard, idle) for shard in range(SHARDS)])

    async def _sweep_stream(self, shard: int, idle: float) -> int:
        stream, every = _stream(shard), f"{_root(shard)}.*.*"
        config = ConsumerConfig(filter_subject=every, deliver_policy=DeliverPolicy.LAST_PER_SUBJECT, headers_only=True)

        async def work(session: Session) -> dict[str, Trace]:
            traces: dict[str, Trace] = {}
            async with consumer(session, stream, config, push=False) as source:
                while messages := await source.fetch(BATCH):
                    for message in messages:
                        traces.setdefault(message.subject.split(".")[2], Trace()).add(message)
            return traces

        now, swept = time.time(), 0
        for table, trace in (await self._link.ask("the tables cannot be listed", work)).items():
            if trace.expires <= now or trace.written <= now - idle:
                await self._purge(place(table), trace.last)
                swept += 1
        return swept

    async def _purge(self, where: Place, last: int) -> None:
        async def work(session: Session) -> None:
            # Up to what was seen: a frame that has just come makes it a table in use.
            await session.streams.purge_stream(where.stream, seq=last + 1, subject=where.everything)

        await self._link.ask("a table cannot be forgotten", work)

    async def close(self) -> None:
        """Let go of everything."""
        for table in [*self._following]:
            await self.unfollow(table)
        await self._link.close()


class Trace:
    """What the last messages of a table say of it."""

    def __init__(self) -> None:
        self.last = 0
        self.written = 0.0
        self.expires = float("inf")

    def add(self, message: Msg) -> None:
        self.last = max(self.last, _number(message))
        self.written = max(self.written, message.metadata.timestamp.timestamp())
        headers = message.headers or {}
        if EXPIRES in headers:
            self.expires = float(headers[EXPIRES])


async def _range(
    session: Session, stream: str, subject: str, after: int, until: int, *, bare: bool = False
) -> AsyncIterator[Msg]:
    """All messages under a subject, after one number and up to another; bare ones have their headers only."""
    if until <= after:
        return
    async with consumer(session, stream, _from(subject, after).evolve(headers_only=bare), push=False) as source:
        number = after
        while number < until:
            messages = await source.fetch(BATCH)
            if not messages:
                raise NotYet(BEHIND)
            for message in messages:
                number = _number(message)
                if after < number <= until:
                    yield message


async def _standing(session: Session, where: Place) -> Standing:
    """How a table stands at its last frame. That one says how it stood shortly before, and only the rest is counted."""
    last = await _last(session, where.stream, where.frames)
    if last is None or last.seq is None:
        return NOTHING
    before = _read_standing((last.headers or {}).get(STANDING))
    frames, size = before.frames, before.bytes
    async for message in _range(session, where.stream, where.frames, before.last, last.seq, bare=True):
        frames += 1
        size += int((message.headers or {}).get(SIZE, 0))
    return Standing(last.seq, frames, size)


def _written(standing: Standing) -> str:
    return f"{standing.last} {standing.frames} {standing.bytes}"


def _read_standing(text: str | None) -> Standing:
    return NOTHING if text is None else Standing(*(int(number) for number in text.split(" ", 2)))


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
