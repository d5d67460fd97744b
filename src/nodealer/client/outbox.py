"""What goes out over one connection to a relay: sealed, and only once the relay has taken a write token.

Frames are sealed with the key in use. The relay may not have heard of its token yet: whoever proposed the key should
have named it there, and may not have. So who is refused with it shows an earlier token, names the new one, and shows
that again; and where the relay takes no more names, it writes with the earlier one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from nodealer.errors import RelayRefused
from nodealer.relay.client_protocol import RelayClient
from nodealer.relay.sealing import TableSecret


class _About(Enum):
    """What a relay is asked."""

    #: Take frames by this token.
    TOKEN = auto()
    #: Take this token too.
    NAME = auto()
    #: The same, before it is needed: the answer changes nothing.
    EARLY_NAME = auto()


@dataclass(frozen=True)
class _Question:
    about: _About
    secret: TableSecret
    #: The secret that was in use then.
    of: TableSecret | None


class Outbox:
    """One connection's way out. A relay answers in the order in which it is asked."""

    def __init__(self, client: RelayClient, sender: bytes) -> None:
        self.url = client.url
        self._client = client
        self._sender = sender
        #: What frames are sealed with; None by one who only reads.
        self.secret: TableSecret | None = None
        #: What was named before it is needed.
        self.named: TableSecret | None = None
        #: Earlier ones, whose tokens have not been tried.
        self._left: list[TableSecret] = []
        #: Whether the token of the secret in use was named here.
        self._named = False
        #: Whether the relay takes frames.
        self._taken = False
        #: Frames that wait for the relay's word on the token.
        self._waiting: list[bytes] = []
        #: What was asked and is not answered.
        self._asked: deque[_Question] = deque()

    async def announce(self, secrets: Sequence[TableSecret]) -> None:
        """Write with the first of these from here on; with the token of another one, while the relay does not take
        its own. What still waits is not sent. Without secrets nothing is."""
        self.secret, self._left = (secrets[0], list(secrets[1:])) if secrets else (None, [])
        self._taken = self._named = False
        self._waiting.clear()
        if self.secret is not None:
            await self._ask(_About.TOKEN, self.secret)

    async def name_early(self, secret: TableSecret) -> None:
        """Let the relay take the token of a key that is only proposed. Asked before the proposal is sent, it is known
        there before anybody has heard of it."""
        if self._taken:
            self.named = secret
            await self._ask(_About.EARLY_NAME, secret)

    async def send(self, frame: bytes) -> None:
        """Send a frame, now or when a token is taken; never, where none is. Raises `RelayError`."""
        if self.secret is None:
            return
        if self._taken:
            await self._client.append(self.secret.reading.seal(self._sender, frame))
        elif any(one.of is self.secret for one in self._asked):
            self._waiting.append(frame)

    async def answered(self, refused: RelayRefused | None = None) -> list[bytes]:
        """The relay has said yes or no. Gives what waited for it. Raises the no, where nothing can be written now."""
        if refused is not None and refused.code == "key" and self._asked:
            # That was a frame by the key of before, which is not in use any more. It is sent again.
            return []
        if not self._asked:
            self._taken = False
            raise refused or self._client.error("answers what nobody asked")
        asked, secret = self._asked.popleft(), self.secret
        if asked.about is _About.EARLY_NAME or asked.of is not secret or secret is None:
            return []
        if asked.about is _About.NAME:
            self._named = refused is None
            return await self._show(secret) if self._named else self._open()
        if refused is None:
            return self._open() if asked.secret is secret else await self._name(secret)
        if self._named:
            # An earlier token was taken, and still is.
            return self._open()
        if not self._left:
            raise refused
        return await self._show(self._left.pop(0))

    def _open(self) -> list[bytes]:
        """The relay takes frames: those that waited."""
        waiting, self._waiting, self._taken = self._waiting, [], True
        return waiting

    async def _show(self, secret: TableSecret) -> list[bytes]:
        await self._ask(_About.TOKEN, secret)
        return []

    async def _name(self, secret: TableSecret) -> list[bytes]:
        await self._ask(_About.NAME, secret)
        return []

    async def _ask(self, about: _About, secret: TableSecret) -> None:
        self._asked.append(_Question(about, secret, self.secret))
        if about is _About.TOKEN:
            await self._client.say_token(secret.write_token)
        else:
            await self._client.say_writer(secret.write_token)

    async def say_end(self) -> None:
        """The relay need not keep the table for long. Its answer is not waited for."""
        if self._taken:
            await self._client.say_end()

    def close(self) -> None:
        """The connection has gone."""
        self.secret = None
