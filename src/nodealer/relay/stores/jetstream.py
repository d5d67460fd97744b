"""What the store asks of NATS: a connection that comes back, questions asked until they are answered, and consumers.

The client library would reconnect by itself, but gives up for good at some errors, and keeps what was published in the
meantime for later. Here a lost connection is the end of it, a new one is made, and whoever asked asks again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final, TypeVar

import msgspec
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error, MaxPayloadError
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig
from nats.js.errors import APIError, BadRequestError, NotFoundError

from nodealer.errors import RelayError

T = TypeVar("T")

#: How many seconds a server has for one answer, and how long to wait before asking again.
ATTEMPT: Final = 2.0
PAUSE: Final = 0.1
#: How many seconds a question is asked again. A cluster whose leader has died has another after four or five.
PATIENCE: Final = 20.0
#: How many seconds to wait before the servers are tried again.
AGAIN: Final = 0.5
#: How many seconds there are to find the first server, when a relay starts.
FIRST: Final = 5.0
#: A connection whose machine has lost its power says nothing: it is asked every so many seconds, and believed lost when
#: two in a row stay without an answer.
PING: Final = 2
#: Consumers that are made at a time: more only wait for each other.
MAKING: Final = 16

#: What JetStream's answers are about: this one is not there, or was not well asked. All else may pass.
FINAL: Final = (BadRequestError, MaxPayloadError, NotFoundError)


class NotYet(Error):
    """An answer that may be another one a moment later."""


class JetStreamSession:
    """One connection, as long as it lasts."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.streams: JetStreamContext = client.jetstream(timeout=ATTEMPT)
        #: After a pause all tables are followed again at once.
        self.making = asyncio.Semaphore(MAKING)
        self._limits: set[asyncio.Timeout] = set()

    @asynccontextmanager
    async def lasting(self, deadline: float | None = None) -> AsyncIterator[None]:
        """Until the deadline, or the end of the connection. Raises `TimeoutError` then."""
        async with asyncio.timeout_at(deadline) as limit:
            self._limits.add(limit)
            try:
                yield
            finally:
                self._limits.discard(limit)

    def end(self) -> None:
        """Whoever waits for an answer on this connection gets none."""
        for limit in self._limits:
            if not limit.expired():
                limit.reschedule(asyncio.get_running_loop().time())


class Link:
    """A connection to one of several servers, and after it another one, until `close`."""

    def __init__(self, urls: Sequence[str]) -> None:
        self._urls = list(urls)
        self._session: JetStreamSession | None = None
        self._up = asyncio.Event()
        self._lost = asyncio.Event()
        self._trouble = ""
        self._closed = False
        self._keeper = asyncio.create_task(self._keep())

    async def session(self) -> JetStreamSession:
        """The connection, when there is one. Raises `RelayError` after `close`."""
        while True:
            await self._up.wait()
            if self._closed:
                raise RelayError("the store is closed")
            if self._session is not None and not self._session.client.is_closed:
                return self._session
            self._lost.set()
            self._up.clear()

    async def ask(
        self, what: str, work: Callable[[JetStreamSession], Awaitable[T]], patience: float | None = None
    ) -> T:
        """Do some work, again and again until it is done. Raises `RelayError` if it cannot be done, or not in time."""
        deadline = asyncio.get_running_loop().time() + (PATIENCE if patience is None else patience)
        trouble = ""
        while True:
            try:
                async with asyncio.timeout_at(deadline):
                    session = await self.session()
                async with session.lasting(deadline):
                    return await work(session)
            except FINAL as error:
                raise RelayError(f"{what}: {_sentence(error)}") from None
            except (Error, OSError) as error:
                # Not the deadline itself: that says less than what came before it.
                trouble = _sentence(error) if isinstance(error, Error) else trouble or self._trouble or "no answer"
            if asyncio.get_running_loop().time() + PAUSE >= deadline:
                raise RelayError(f"{what}: {trouble}")
            await asyncio.sleep(PAUSE)

    async def close(self) -> None:
        """Let the connection go, and all who wait for it."""
        self._closed = True
        self._keeper.cancel()
        await asyncio.gather(self._keeper, return_exceptions=True)
        self._up.set()

    async def _keep(self) -> None:
        # The library may swallow the request to end.
        while not self._closed:
            self._lost.clear()
            client = Client()
            try:
                await self._connect(client)
                self._session = JetStreamSession(client)
                self._up.set()
                await self._lost.wait()
            except Exception as error:
                # Also what the library does not expect itself: the next connection may do better.
                self._trouble = self._trouble or _sentence(error)
            finally:
                self._up.clear()
                if self._session is not None:
                    self._session.end()
                await _close(client)
            await asyncio.sleep(AGAIN)

    async def _connect(self, client: Client) -> None:
        async def heard(error: Exception) -> None:
            """While there is no connection this says why. Later, who asked hears of it."""
            self._trouble = _sentence(error)

        async def closed() -> None:
            self._lost.set()

        await client.connect(
            self._urls,
            name="nodealer relay",
            allow_reconnect=False,
            max_reconnect_attempts=1,
            reconnect_time_wait=0,
            ping_interval=PING,
            max_outstanding_pings=2,
            error_cb=heard,
            closed_cb=closed,
        )


async def _close(client: Client) -> None:
    # Where the other side is gone without a word, the good-bye would wait for it.
    with suppress(Error, OSError):
        async with asyncio.timeout(1):
            await client.close()


def _sentence(error: Exception) -> str:
    """What the library says, without its name before it."""
    if isinstance(error, APIError):
        return error.description or "JetStream does not answer (is it switched on, and has the cluster a leader?)"
    return str(error).removeprefix("nats: ") or type(error).__name__


# --- Consumers ---

#: For a minute or two after a server has died, a cluster goes on to place consumers there, by chance, and then says
#: nothing. The next one may be placed better.
PLACING: Final = (0.3, 0.6, 1.2, ATTEMPT)
#: A consumer that nobody asks or hears any more is gone after so many seconds.
ORPHANED: Final = 10.0
#: What a server says instead of a message.
NO_MESSAGES: Final = "404"
NO_MORE: Final = "408"
TOO_LARGE: Final = "409"
CONTROL: Final = "100"


def status(message: Msg) -> str | None:
    """Which word of the server's this is, if it is not a message of the stream."""
    return None if message.headers is None or message.reply.startswith("$JS.ACK.") else message.headers.get("Status")


class Consumer:
    """A server's place in a stream, for one reader. It is in memory of one server, and lost with it."""

    def __init__(self, session: JetStreamSession, stream: str, inbox: str, heard: asyncio.Queue[Msg]) -> None:
        self._session = session
        self._stream = stream
        self._inbox = inbox
        self.heard = heard
        self.name = ""
        #: How many messages there were for it when it was made.
        self.pending = 0

    async def make(self, config: ConsumerConfig, attempts: Sequence[float]) -> None:
        """Have it made. Raises what the last attempt raised."""
        for number, seconds in enumerate(attempts, 1):
            try:
                async with self._session.making:
                    info = await self._session.streams.add_consumer(self._stream, config, timeout=seconds)
            except TimeoutError:
                if number == len(attempts):
                    raise
            else:
                self.name, self.pending = info.name, info.num_pending or 0
                return

    async def fetch(self, count: int, size: int = 0) -> list[Msg]:
        """The next messages: all there are, but no more than `count`, and of no more than `size` bytes, unless 0."""
        wanted = {"batch": count, "no_wait": True} | ({"max_bytes": size} if size else {})
        request = f"$JS.API.CONSUMER.MSG.NEXT.{self._stream}.{self.name}"
        await self._session.client.publish(request, msgspec.json.encode(wanted), reply=self._inbox)
        messages: list[Msg] = []
        while len(messages) < count:
            async with asyncio.timeout(ATTEMPT):
                message = await self.heard.get()
            word = status(message)
            if word is None:
                messages.append(message)
            elif word in (NO_MESSAGES, NO_MORE, TOO_LARGE):
                break
            elif word != CONTROL:
                raise NotYet(f"a reader was lost ({word})")
        return messages

    async def drop(self) -> None:
        """Say that it is not needed. The server finds out anyway, but later."""
        if self.name:
            await self._session.client.publish(f"$JS.API.CONSUMER.DELETE.{self._stream}.{self.name}")


@asynccontextmanager
async def consumer(
    session: JetStreamSession, stream: str, config: ConsumerConfig, *, push: float | None = None
) -> AsyncIterator[Consumer]:
    """A consumer as configured: one that is asked; or one that tells by itself, to be there in `push` seconds."""
    inbox, heard = session.client.new_inbox(), asyncio.Queue[Msg]()
    subscription = await session.client.subscribe(inbox, cb=heard.put)
    made = Consumer(session, stream, inbox, heard)
    here = {"ack_policy": AckPolicy.NONE, "mem_storage": True, "num_replicas": 1, "inactive_threshold": ORPHANED}
    try:
        if push is None:
            await made.make(config.evolve(**here), PLACING)
        else:
            # One attempt for each inbox: of two that were made both would tell.
            await made.make(config.evolve(deliver_subject=inbox, **here), (push,))
        yield made
    finally:
        with suppress(Error, OSError):
            await subscription.unsubscribe()
            await made.drop()
