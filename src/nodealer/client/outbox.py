"""The outgoing side of one relay connection: frames are sealed, and sent once the relay has accepted a write token.

Frames are sealed with the key in use. The relay may not know its token yet: the player who proposed the key should have
registered it, but may not have. If the relay refuses the token, the client presents an earlier one, registers the new
one with it, and presents the new one again. If the relay accepts no more registrations, the client writes with the
earlier token.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from nodealer.errors import RelayRefused
from nodealer.relay.client_protocol import RelayClient
from nodealer.relay.sealing import TableSecret


class _RequestKind(Enum):
    """What the relay is asked to do."""

    #: Accept frames with this token.
    TOKEN = auto()
    #: Register this token as well.
    WRITER = auto()
    #: Register a token before it is needed; the answer does not matter.
    EARLY_WRITER = auto()


@dataclass(frozen=True)
class _PendingRequest:
    """A request that the relay has not answered yet."""

    kind: _RequestKind
    secret: TableSecret
    #: The secret in use when the request was sent.
    secret_in_use: TableSecret | None


class Outbox:
    """The outgoing side of one connection. A relay answers requests in the order in which they were sent."""

    def __init__(self, client: RelayClient, sender: bytes) -> None:
        """Send over this client. `sender` identifies this participant in its frames, on every connection."""
        self.url = client.url
        self._client = client
        self._sender = sender
        #: The secret that seals frames; None if this client can only read.
        self.secret: TableSecret | None = None
        #: The proposed secret whose token was registered in advance.
        self.registered_early: TableSecret | None = None
        #: Earlier secrets whose tokens were not tried yet.
        self._untried: list[TableSecret] = []
        #: Whether this connection registered the token of the secret in use.
        self._registered = False
        #: Whether the relay accepts frames.
        self._accepted = False
        #: Frames that wait until the relay accepts a token.
        self._waiting: list[bytes] = []
        #: Requests without an answer yet, oldest first.
        self._pending: deque[_PendingRequest] = deque()

    async def announce(self, secrets: Sequence[TableSecret]) -> None:
        """Write with the first of these secrets from now on; use another one's token while the relay refuses the first.

        Frames that are still waiting are dropped. Without secrets, nothing is sent.
        """
        self.secret, self._untried = (secrets[0], list(secrets[1:])) if secrets else (None, [])
        self._accepted = self._registered = False
        self._waiting.clear()
        if self.secret is not None:
            await self._request(_RequestKind.TOKEN, self.secret)

    async def register_early(self, secret: TableSecret) -> None:
        """Register the token of a proposed key.

        Call this before sending the proposal, so that the relay knows the token before anyone uses it.
        """
        if self._accepted:
            self.registered_early = secret
            await self._request(_RequestKind.EARLY_WRITER, secret)

    async def send(self, frame: bytes) -> None:
        """Send a frame now, or once a token is accepted; drop it if this client cannot write. Raises `RelayError`."""
        if self.secret is None:
            return
        if self._accepted:
            await self._client.append(self.secret.read_key.seal(self._sender, frame))
        elif any(one.secret_in_use is self.secret for one in self._pending):
            self._waiting.append(frame)

    async def on_answer(self, refused: RelayRefused | None = None) -> list[bytes]:
        """Process the relay's next answer, and return the frames that waited for it.

        `refused` is the refusal, or None if the relay accepted. Raise it if nothing can be written now.
        """
        if refused is not None and refused.code == "key" and self._pending:
            # This refers to a frame with the previous key. It will be sent again.
            return []
        if not self._pending:
            self._accepted = False
            raise refused or self._client.error("sent an answer to no request")
        request, secret = self._pending.popleft(), self.secret
        if request.kind is _RequestKind.EARLY_WRITER or request.secret_in_use is not secret or secret is None:
            return []
        if request.kind is _RequestKind.WRITER:
            self._registered = refused is None
            return await self._present_token(secret) if self._registered else self._start_writing()
        if refused is None:
            return self._start_writing() if request.secret is secret else await self._register_writer(secret)
        if self._registered:
            # An earlier token was accepted and still is.
            return self._start_writing()
        if not self._untried:
            raise refused
        return await self._present_token(self._untried.pop(0))

    def _start_writing(self) -> list[bytes]:
        """Mark the token as accepted, and return the waiting frames."""
        waiting, self._waiting, self._accepted = self._waiting, [], True
        return waiting

    async def _present_token(self, secret: TableSecret) -> list[bytes]:
        """Ask the relay to accept frames with this secret's token. Returns no frames."""
        await self._request(_RequestKind.TOKEN, secret)
        return []

    async def _register_writer(self, secret: TableSecret) -> list[bytes]:
        """Ask the relay to register this secret's token. Returns no frames."""
        await self._request(_RequestKind.WRITER, secret)
        return []

    async def _request(self, kind: _RequestKind, secret: TableSecret) -> None:
        """Send a request, and remember it until the relay answers."""
        self._pending.append(_PendingRequest(kind, secret, self.secret))
        if kind is _RequestKind.TOKEN:
            await self._client.send_token(secret.write_token)
        else:
            await self._client.send_writer(secret.write_token)

    async def send_end(self) -> None:
        """Tell the relay that the game is over and the table can be deleted soon. Does not wait for an answer."""
        if self._accepted:
            await self._client.send_end()

    def close(self) -> None:
        """Stop sending: the connection is gone."""
        self.secret = None
