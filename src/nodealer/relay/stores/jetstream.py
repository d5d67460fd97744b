"""The store's access to NATS: a connection that is re-established, requests that are retried, and consumers.

The client library could reconnect by itself, but it gives up for good on some errors, and queues what is published in
the meantime. Here a lost connection is final, a new one is made, and requests are retried on it.
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

#: How many seconds a server has for one answer, and how long to wait before retrying.
ANSWER_SECONDS: Final = 2.0
RETRY_PAUSE: Final = 0.1
#: How many seconds a request is retried. A cluster whose leader has died elects another within four or five.
RETRY_SECONDS: Final = 20.0
#: How many seconds to wait before reconnecting.
RECONNECT_SECONDS: Final = 0.5
#: How many seconds a starting relay has to find the first server.
FIRST_CONNECT_SECONDS: Final = 5.0
#: A machine that has lost power does not close its connections: they are pinged at this interval, in seconds, and given
#: up after two unanswered pings.
PING_SECONDS: Final = 2
#: How many consumers are created at a time; more would only wait for each other.
CREATE_CONCURRENCY: Final = 16

#: Errors that retrying does not fix: not found, or a bad request. All others may be temporary.
PERMANENT_ERRORS: Final = (BadRequestError, MaxPayloadError, NotFoundError)


class TemporaryFailure(Error):
    """A result that may be different a moment later."""


class JetStreamSession:
    """One connection to a NATS server, which is not used again after it is lost."""

    def __init__(self, client: Client) -> None:
        """Use a connected client."""
        self.client = client
        self.streams: JetStreamContext = client.jetstream(timeout=ANSWER_SECONDS)
        #: After an interruption all tables are subscribed to again at once.
        self.create_slots = asyncio.Semaphore(CREATE_CONCURRENCY)
        self._limits: set[asyncio.Timeout] = set()

    @asynccontextmanager
    async def while_connected(self, deadline: float | None = None) -> AsyncIterator[None]:
        """Run a block until the deadline or the end of the connection. Raise `TimeoutError` then."""
        async with asyncio.timeout_at(deadline) as limit:
            self._limits.add(limit)
            try:
                yield
            finally:
                self._limits.discard(limit)

    def end(self) -> None:
        """Cancel all blocks in `while_connected`: the connection is lost."""
        for limit in self._limits:
            if not limit.expired():
                limit.reschedule(asyncio.get_running_loop().time())


class NatsConnection:
    """A connection to one of several servers, re-established until `close`."""

    def __init__(self, urls: Sequence[str]) -> None:
        """Connect to any of these servers, in the background."""
        self._urls = list(urls)
        self._session: JetStreamSession | None = None
        self._up = asyncio.Event()
        self._lost = asyncio.Event()
        self._last_error = ""
        self._closed = False
        self._task = asyncio.create_task(self._stay_connected())

    async def session(self) -> JetStreamSession:
        """Return the current session, waiting for a connection. Raise `RelayError` after `close`."""
        while True:
            await self._up.wait()
            if self._closed:
                raise RelayError("the store is closed")
            if self._session is not None and not self._session.client.is_closed:
                return self._session
            self._lost.set()
            self._up.clear()

    async def retry(
        self, what: str, work: Callable[[JetStreamSession], Awaitable[T]], seconds: float | None = None
    ) -> T:
        """Run `work` until it succeeds, and return its result. Raise `RelayError` if it fails for good or times out.

        `what` starts the error message.
        """
        deadline = asyncio.get_running_loop().time() + (RETRY_SECONDS if seconds is None else seconds)
        reason = ""
        while True:
            try:
                async with asyncio.timeout_at(deadline):
                    session = await self.session()
                async with session.while_connected(deadline):
                    return await work(session)
            except PERMANENT_ERRORS as error:
                raise RelayError(f"{what}: {_describe(error)}") from None
            except (Error, OSError) as error:
                # Not the deadline itself, which says less than the error before it.
                reason = _describe(error) if isinstance(error, Error) else reason or self._last_error or "no answer"
            if asyncio.get_running_loop().time() + RETRY_PAUSE >= deadline:
                raise RelayError(f"{what}: {reason}")
            await asyncio.sleep(RETRY_PAUSE)

    async def close(self) -> None:
        """Close the connection. All waiting requests fail."""
        self._closed = True
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        self._up.set()

    async def _stay_connected(self) -> None:
        """Connect, and reconnect whenever the connection is lost, until `close`."""
        # The library may swallow the cancellation.
        while not self._closed:
            self._lost.clear()
            client = Client()
            try:
                await self._connect(client)
                self._session = JetStreamSession(client)
                self._up.set()
                await self._lost.wait()
            except Exception as error:
                # This includes errors that the library does not expect: the next connection may do better.
                self._last_error = self._last_error or _describe(error)
            finally:
                self._up.clear()
                if self._session is not None:
                    self._session.end()
                await _close(client)
            await asyncio.sleep(RECONNECT_SECONDS)

    async def _connect(self, client: Client) -> None:
        """Connect a client to one of the servers."""

        async def on_error(error: Exception) -> None:
            """Remember why there is no connection. Later errors are reported to the request that failed."""
            self._last_error = _describe(error)

        async def on_closed() -> None:
            """Note that the connection is lost, so that a new one is made."""
            self._lost.set()

        await client.connect(
            self._urls,
            name="nodealer relay",
            allow_reconnect=False,
            max_reconnect_attempts=1,
            reconnect_time_wait=0,
            ping_interval=PING_SECONDS,
            max_outstanding_pings=2,
            error_cb=on_error,
            closed_cb=on_closed,
        )


async def _close(client: Client) -> None:
    """Close a client, within a second."""
    # If the server has disappeared, closing would wait for it.
    with suppress(Error, OSError):
        async with asyncio.timeout(1):
            await client.close()


def _describe(error: Exception) -> str:
    """Return the library's error message without its prefix."""
    if isinstance(error, APIError):
        return error.description or "JetStream does not answer (is it enabled, and does the cluster have a leader?)"
    return str(error).removeprefix("nats: ") or type(error).__name__


# --- Consumers ---

#: For a minute or two after a server has died, a cluster still places some consumers there and then does not answer.
#: The next one may be placed better.
CREATE_TIMEOUTS: Final = (0.3, 0.6, 1.2, ANSWER_SECONDS)
#: A consumer that is not used for this many seconds is deleted.
INACTIVE_SECONDS: Final = 10.0
#: The status codes that a server sends instead of a message.
NO_MESSAGES: Final = "404"
NO_MORE: Final = "408"
TOO_LARGE: Final = "409"
CONTROL: Final = "100"


def status_of(message: Msg) -> str | None:
    """Return the status code of a server's notice; None if it is a message of the stream."""
    return None if message.headers is None or message.reply.startswith("$JS.ACK.") else message.headers.get("Status")


class Consumer:
    """One reader's position in a stream. One server keeps it in memory, so it is lost if that server fails."""

    def __init__(self, session: JetStreamSession, stream: str, inbox: str, messages: asyncio.Queue[Msg]) -> None:
        """Prepare a consumer of a stream; `create` creates it on the server.

        Messages arrive at `inbox`, in the queue.
        """
        self._session = session
        self._stream = stream
        self._inbox = inbox
        self.messages = messages
        self.name = ""
        #: How many messages there were for it when it was created.
        self.pending = 0

    async def create(self, config: ConsumerConfig, attempts: Sequence[float]) -> None:
        """Create it on the server. Raise the last attempt's error if all attempts fail."""
        for number, seconds in enumerate(attempts, 1):
            try:
                async with self._session.create_slots:
                    info = await self._session.streams.add_consumer(self._stream, config, timeout=seconds)
            except TimeoutError:
                if number == len(attempts):
                    raise
            else:
                self.name, self.pending = info.name, info.num_pending or 0
                return

    async def fetch(self, count: int, size: int = 0) -> list[Msg]:
        """Return the next available messages: at most `count`, and at most `size` bytes unless 0."""
        wanted = {"batch": count, "no_wait": True} | ({"max_bytes": size} if size else {})
        request = f"$JS.API.CONSUMER.MSG.NEXT.{self._stream}.{self.name}"
        await self._session.client.publish(request, msgspec.json.encode(wanted), reply=self._inbox)
        messages: list[Msg] = []
        while len(messages) < count:
            async with asyncio.timeout(ANSWER_SECONDS):
                message = await self.messages.get()
            word = status_of(message)
            if word is None:
                messages.append(message)
            elif word in (NO_MESSAGES, NO_MORE, TOO_LARGE):
                break
            elif word != CONTROL:
                raise TemporaryFailure(f"a consumer was lost ({word})")
        return messages

    async def delete(self) -> None:
        """Delete it. The server would also do so by itself, but later."""
        if self.name:
            await self._session.client.publish(f"$JS.API.CONSUMER.DELETE.{self._stream}.{self.name}")


@asynccontextmanager
async def open_consumer(
    session: JetStreamSession, stream: str, config: ConsumerConfig, *, push: float | None = None
) -> AsyncIterator[Consumer]:
    """Open a consumer as configured, to fetch from.

    With `push`, open one that delivers, created within `push` seconds.
    """
    inbox, messages = session.client.new_inbox(), asyncio.Queue[Msg]()
    subscription = await session.client.subscribe(inbox, cb=messages.put)
    consumer = Consumer(session, stream, inbox, messages)
    here = {
        "ack_policy": AckPolicy.NONE,
        "mem_storage": True,
        "num_replicas": 1,
        "inactive_threshold": INACTIVE_SECONDS,
    }
    try:
        if push is None:
            await consumer.create(config.evolve(**here), CREATE_TIMEOUTS)
        else:
            # One attempt per inbox: if two were created, both would deliver.
            await consumer.create(config.evolve(deliver_subject=inbox, **here), (push,))
        yield consumer
    finally:
        with suppress(Error, OSError):
            await subscription.unsubscribe()
            await consumer.delete()
