"""What goes out over one connection to a relay: sealed, and only once the relay has taken the write token."""

from __future__ import annotations

import asyncio
from collections import deque

from nodealer.errors import RelayError, RelayRefused
from nodealer.relay.client import RelayClient
from nodealer.relay.sealing import TableSecret


class Outgoing:
    """One connection's way out. A relay answers in the order in which it is asked."""

    def __init__(self, client: RelayClient, sender: bytes) -> None:
        self.url = client.url
        self._client = client
        self._sender = sender
        #: What is written with; None by one who only reads.
        self.secret: TableSecret | None = None
        self._taken = False
        #: Frames that wait for the relay's word on the token.
        self._waiting: list[bytes] = []
        #: What was asked and is not answered: tokens of these secrets, and writers.
        self._asked: deque[TableSecret | asyncio.Future[None]] = deque()

    async def announce(self, secret: TableSecret | None) -> None:
        """Write with this from here on. What still waits is not sent."""
        self.secret, self._taken = secret, False
        self._waiting.clear()
        if secret is not None:
            self._asked.append(secret)
            await self._client.say_token(secret.write_token)

    async def send(self, frame: bytes) -> None:
        """Send a frame, now or when the token is taken; never, where it is not. Raises `RelayError`."""
        if self.secret is None:
            return
        if self._taken:
            await self._client.append(self.secret.reading.seal(self._sender, frame))
        elif self.secret in self._asked:
            self._waiting.append(frame)

    async def register(self, secret: TableSecret) -> None:
        """Let the relay take the token of a later key epoch too, and wait until it does. Raises `RelayError`."""
        answer = asyncio.get_running_loop().create_future()
        self._asked.append(answer)
        await self._client.say_writer(secret.write_token)
        await answer

    def answered(self, refused: RelayRefused | None = None) -> list[bytes]:
        """The relay has said yes or no. Gives what waited for it. Raises the no, where nothing can be written now."""
        if not self._asked:
            self._taken = False
            raise refused or self._client.error("answers what nobody asked")
        asked = self._asked.popleft()
        if isinstance(asked, asyncio.Future):
            _settle(asked, refused)
        elif asked is self.secret:
            waiting, self._waiting, self._taken = self._waiting, [], refused is None
            if refused is not None:
                raise refused
            return waiting
        return []

    def close(self) -> None:
        """The connection has gone: what was asked is never answered."""
        self.secret = None
        for asked in self._asked:
            if isinstance(asked, asyncio.Future):
                _settle(asked, self._client.error("has gone away"))


def _settle(answer: asyncio.Future[None], error: RelayError | None) -> None:
    if answer.done():
        return
    if error is None:
        answer.set_result(None)
    else:
        answer.set_exception(error)
