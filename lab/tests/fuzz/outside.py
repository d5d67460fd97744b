"""What comes from other programs: orders for bots, wishes of a tab, posts to the door of a page, and what is said by
those who know the words of a code."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, Final

from starlette.requests import Request

from conformance.harness import Source
from fuzz import played
from fuzz.target import Target, text_of
from nodealer.client.bot_process import BotConfig
from nodealer.client.timekeeper_process import TimekeeperConfig
from nodealer.errors import BadParameter, CodeDead, Declined, DecodeError
from nodealer.relay.invitations import parse_link
from nodealer.relay.pairing import _A, _B, GuestIdentity, GuestSeals, HostInvitation, HostSeals
from nodealer.web.hub import Hub
from nodealer.web.server import TableServer, TokenGate
from nodealer.web.tab.setup import hosted_table_of, read_host_request
from nodealer.wire import NAME_BYTES_MAX, decode, encode

# --- Orders, wishes, and the door ---


def take_order(data: bytes) -> None:
    """A line on standard input, of whoever starts a bot or a timekeeper."""
    with suppress(DecodeError):
        order = decode(TimekeeperConfig, data, what="the order")
        with suppress(DecodeError):
            parse_link(order.invitation)
    bot = decode(BotConfig, data, what="the order")
    with suppress(Declined):
        bot.expected.accept(played.game("mask").config.session.proposal)
    parse_link(bot.invitation)


def wish(data: bytes) -> None:
    hosted_table_of(read_host_request(text_of(data)))


def knock(data: bytes) -> None:
    """What is posted to the door of a page: it lets in who has the token, and nobody else."""
    door = TokenGate("fuzz", Source("door"))
    server = TableServer(Hub(), door, lambda name: None, 1)
    right = door.token

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": data, "more_body": False}

    request = Request({"type": "http", "method": "POST", "path": "/enter", "headers": []}, receive)
    status = asyncio.run(server._enter(request)).status_code
    assert status in (204, 400, 403, 413)
    assert right is not None and (status != 204 or right.encode() in data)


# --- Behind the words of a code ---


def say_sealed(data: bytes) -> None:
    """Who knows the code can seal anything, and sign it: the exchange ends with it, or dies."""
    text = text_of(data)
    host_key, guest_key = played.CODE_HOST, played.CODE_GUEST
    for honest in (False, True):
        host, guest = played.confirmed()
        keys: Any = host._keys
        says, name = data, text[:NAME_BYTES_MAX] or "-"
        if honest:
            says = encode(
                GuestIdentity(guest_key.public, name, guest_key.sign(keys.guest_signed_bytes(guest_key.public, name)))
            )
        with suppress(CodeDead):
            for frame in host.receive(encode(GuestSeals(keys.seal(_B, says))), 0.0):
                host.receive(frame, 0.0)
        # Not every name is one: a row of brackets ends the exchange too.
        assert not honest or host.finished is None or host.finished.name == name
        if honest:
            signed = host_key.sign(keys.host_signed_bytes(host_key.public, guest_key.public, text))
            says = encode(HostInvitation(host_key.public, text, signed))
        with suppress(CodeDead):
            guest.receive(encode(HostSeals(keys.seal(_A, says))), 0.0)
        assert guest.finished is None or guest.finished.invitation.can_play


OUTSIDE: Final = (
    Target("order", take_order),
    Target("wish", wish, (BadParameter, DecodeError, Declined)),
    Target("door", knock, (), largest=1200),
    Target("words of a code", say_sealed, (), largest=2048),
)
