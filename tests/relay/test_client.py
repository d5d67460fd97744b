"""A relay client: what it requests, and what it rejects from a relay that sends nonsense."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Awaitable, Callable, Sequence

import pytest
from websockets.asyncio.server import ServerConnection, serve

from nodealer.errors import RelayError, RelayRefused
from nodealer.relay import client as relay_client
from nodealer.relay.client import RelayClient, connect_to, writer_of
from nodealer.relay.messages import (
    FRAME_BYTES_MAX,
    PAGE_BYTES_MAX,
    TEXT_BYTES_MAX,
    Accepted,
    Create,
    Created,
    End,
    MailboxIssued,
    Open,
    Opened,
    Refused,
    Rekey,
    RelayRequest,
    RequestMailbox,
    Token,
    encode_page,
    parse_request,
)
from nodealer.wire import encode
from relay.liar import Liar

TABLE, TOKEN = "a" * 32, bytes(32)
OPENED = encode(Opened(1, 100)).decode()
Work = Callable[[RelayClient], Awaitable[None]]


def against(says: Sequence[str | bytes], work: Work) -> None:
    """Run a client against a relay that answers each message with the next of these, and then sends the rest."""

    async def handle(connection: ServerConnection) -> None:
        await connection.recv()
        for one in says:
            await connection.send(one)
        await connection.wait_closed()

    async def run() -> None:
        async with asyncio.timeout(60), serve(handle, "127.0.0.1", 0, compression=None) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            async with connect_to(f"ws://127.0.0.1:{port}/") as client:
                await work(client)

    asyncio.run(run())


def test_a_table_is_made_and_opened_and_written_to() -> None:
    async def work() -> None:
        liar = Liar()
        async with asyncio.timeout(60), liar.on() as url, connect_to(url) as client:
            await client.create(TABLE, TOKEN)
            assert await client.open(TABLE) == 0
            await client.send_token(TOKEN)
            assert await client.read() == Accepted()
            for frame in (b"one", b"two"):
                await client.append(frame)
                assert (await client.read())[0][1] == frame  # type: ignore[index]
            await client.send_writer(bytes([1]) * 32)
            await client.send_end()
            assert [await client.read(), await client.read()] == [Accepted(), Accepted()]
            async with connect_to(url) as other:
                assert await other.open(TABLE, 1) == 1
                assert await other.read() == [(2, b"two")]
        asked = [asked for _, asked in liar.asked]
        writer = writer_of(TOKEN)
        assert asked[:3] == [Create(TABLE, writer), Open(TABLE, None), Token(TOKEN)] and len(writer) == 64
        assert asked[3:5] == [Rekey(writer_of(bytes([1]) * 32)), End()]

    asyncio.run(work())


def test_a_mailbox() -> None:
    async def work(client: RelayClient) -> None:
        assert await client.mailbox() == 17

    against([encode(MailboxIssued(17)).decode()], work)
    assert parse_request('{"type":"mailbox"}') == RequestMailbox()


@pytest.mark.parametrize(
    "told",
    [
        OPENED[:-1],
        OPENED + " ",
        "",
        "[]",
        '{"type":"surprise"}',
        encode(Created()).decode(),
        '{"type":"opened","frames":-1,"largest":1}',
        '{"type":"opened","frames":9007199254740992,"largest":1}',
        encode(Refused("x", "y" * TEXT_BYTES_MAX)).decode(),
        encode_page([(1, b"before it was asked for")]),
        b"",
        "\N{REPLACEMENT CHARACTER}",
    ],
)
def test_nonsense_instead_of_an_answer(told: str | bytes) -> None:
    async def work(client: RelayClient) -> None:
        with pytest.raises(RelayError, match=r"the relay ws://127.0.0.1:.*/ sent (something invalid|the wrong answer)"):
            await client.open(TABLE)

    against([told], work)


@pytest.mark.parametrize(
    "told",
    [
        b"",
        b"\0" * 11,
        struct.pack(">QI", 1, 9) + b"cut",
        struct.pack(">QI", 1, 0),
        struct.pack(">QI", 1, 1 << 30) + b"a gigabyte, it says",
        struct.pack(">QI", 1 << 60, 1) + b"x",
        encode_page([(2, b"x")]) + encode_page([(2, b"y")]),
        encode_page([(2, b"x")]) + encode_page([(1, b"y")]),
        encode_page([(1, b"x")])[:-1] + b"",
        encode(Created()).decode(),
        OPENED,
        "text",
    ],
)
def test_nonsense_instead_of_a_page(told: str | bytes) -> None:
    async def work(client: RelayClient) -> None:
        await client.open(TABLE)
        with pytest.raises(RelayError, match=r"the relay ws://127.0.0.1:.*/ sent (something invalid|an unexpected)"):
            await client.read()

    against([OPENED, told], work)


@pytest.mark.parametrize(("after", "cursors"), [(None, (5, 5)), (None, (5, 4)), (7, (7,)), (7, (8, 3))])
def test_cursors_grow_from_page_to_page(after: int | None, cursors: tuple[int, ...]) -> None:
    async def work(client: RelayClient) -> None:
        await client.open(TABLE, after)
        with pytest.raises(RelayError, match="sent old frames again"):
            for _ in cursors:
                await client.read()

    against([OPENED, *(encode_page([(cursor, b"x")]) for cursor in cursors)], work)


def test_a_message_that_is_too_large_is_not_read() -> None:
    async def work(client: RelayClient) -> None:
        await client.open(TABLE)
        with pytest.raises(RelayError, match="closed the connection"):
            await client.read()

    against([OPENED, bytes(PAGE_BYTES_MAX + 1)], work)


def test_the_largest_page_is_read() -> None:
    async def work(client: RelayClient) -> None:
        await client.open(TABLE)
        assert len((await client.read())[0][1]) == FRAME_BYTES_MAX  # type: ignore[index]

    against([OPENED, encode_page([(1, bytes(FRAME_BYTES_MAX))])], work)


def test_what_is_refused_has_a_reason() -> None:
    refused = encode(Refused("full", "there are too many tables")).decode()

    async def at_once(client: RelayClient) -> None:
        with pytest.raises(RelayRefused, match="refused: there are too many tables") as error:
            await client.create(TABLE, TOKEN)
        assert error.value.code == "full"

    async def later(client: RelayClient) -> None:
        await client.open(TABLE)
        with pytest.raises(RelayRefused, match="too many"):
            await client.read()

    against([refused], at_once)
    against([OPENED, refused], later)


def test_a_frame_that_the_relay_does_not_take_is_not_sent() -> None:
    async def work(client: RelayClient) -> None:
        await client.open(TABLE)
        with pytest.raises(RelayError, match="accepts frames of at most 100 bytes"):
            await client.append(bytes(101))

    against([OPENED], work)


# --- Connections ---


def test_a_relay_that_goes_away() -> None:
    async def work() -> None:
        async with asyncio.timeout(60), Liar().on() as url, connect_to(url) as client:
            await client.create(TABLE, TOKEN)
            await client._connection.close()
            for attempt in (client.read(), client.send_token(TOKEN), client.append(b"")):
                with pytest.raises(RelayError, match="closed the connection"):
                    await attempt

    asyncio.run(work())


def test_a_relay_that_never_answers() -> None:
    """It accepts connections and answers pings. There may be another relay, so clients do not wait for ever."""

    class Mute(Liar):
        def answer(self, name: str, asked: RelayRequest) -> None:
            return None

    async def work() -> None:
        async with asyncio.timeout(60), Mute().on() as url, connect_to(url) as client:
            assert client._timeout is None, "one of this machine may be busy"
            client._timeout = 0.05
            for attempt in (client.create(TABLE, TOKEN), client.open(TABLE), client.mailbox()):
                with pytest.raises(RelayError, match=r"has not answered for 0\.05 seconds"):
                    await attempt

    asyncio.run(work())


@pytest.mark.parametrize("number", [0, -1, 1_000_000, 1 << 52])
def test_a_mailbox_that_no_code_can_name(number: int) -> None:
    async def work(client: RelayClient) -> None:
        with pytest.raises(RelayError, match="sent something invalid"):
            await client.mailbox()

    against([f'{{"type":"mailbox","number":{number}}}'], work)


@pytest.mark.parametrize("url", ["ws://127.0.0.1:9/", "ws://", "nonsense", "http://127.0.0.1/", "ws://\N{SNOWMAN}..x/"])
def test_a_relay_that_is_not_there(url: str) -> None:
    async def work() -> None:
        with pytest.raises(RelayError, match="cannot connect to a relay at"):
            async with asyncio.timeout(60), connect_to(url):
                pass

    asyncio.run(work())


def test_who_has_heard_enough_goes_at_once() -> None:
    """The relay's close frame comes after all frames: a client that does not read would wait for it in vain."""

    async def work() -> None:
        liar = Liar()
        liar.writers, liar.frames = [b""], [bytes(1000)] * 5000
        async with asyncio.timeout(8), liar.on() as url, connect_to(url) as client:
            assert await client.open(TABLE) == 5000 and await client.read()

    asyncio.run(work())


def proxied(url: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Return how a relay is reached with a proxy in the environment."""
    given: dict[str, object] = {}

    async def connect(url: str, **options: object) -> None:
        given.update(options)
        raise OSError("enough")

    monkeypatch.setattr(relay_client, "connect", connect)

    async def work() -> None:
        async with connect_to(url):
            pass

    with pytest.raises(RelayError, match="enough"):
        asyncio.run(work())
    return given


@pytest.mark.parametrize("host", ["127.0.0.1:1", "127.8.8.8", "[::1]:7", "localhost:80"])
def test_a_relay_of_this_machine_is_reached_directly(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = proxied(f"ws://{host}/", monkeypatch)
    assert given["proxy"] is None and given["ping_interval"] is None


@pytest.mark.parametrize("host", ["example.org", "10.0.0.1:8", "[2001:db8::1]", "localhost.example.org"])
def test_another_relay_as_the_system_says_and_with_pings(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = proxied(f"wss://{host}/", monkeypatch)
    assert given["proxy"] is True and given["compression"] is None
    interval, timeout = given["ping_interval"], given["ping_timeout"]
    assert isinstance(interval, float) and isinstance(timeout, float) and interval + timeout <= 60
