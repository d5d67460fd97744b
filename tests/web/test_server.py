"""The door of the page: every check, and what it keeps out."""

from __future__ import annotations

import asyncio
import http.client
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from nodealer.errors import BadParameter
from nodealer.games.registry import find_game
from nodealer.web import messages as doc
from nodealer.web import server
from nodealer.web.hub import PAGES_MAX, WAITING_BYTES_MAX, WAITING_MAX, Hub
from nodealer.web.server import TokenGate, game_file, serve, static_files


class Source:
    """Other bytes each time."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, size: int) -> bytes:
        self.count += 1
        return self.count.to_bytes(size, "big")


@dataclass
class Served:
    hub: Hub
    door: TokenGate
    port: int
    token: str

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _ask(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    async def ask(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        return await asyncio.to_thread(self._ask, method, path, body, headers)

    async def enter(self, token: str | None = None, **headers: str) -> tuple[int, dict[str, str], bytes]:
        body = json.dumps({"token": self.token if token is None else token}).encode()
        return await self.ask("POST", "/enter", body, **({"Origin": self.origin} | headers))

    async def cookie(self) -> str:
        status, headers, _ = await self.enter()
        assert status == 204
        return headers["set-cookie"].partition(";")[0]

    def socket(self, cookie: str | None, *, origin: str | None = "", host: str | None = None) -> Any:
        headers = ({} if cookie is None else {"Cookie": cookie}) | ({} if host is None else {"Host": host})
        said = self.origin if origin == "" else origin
        return connect(f"ws://127.0.0.1:{self.port}/documents", origin=said, additional_headers=headers)  # type: ignore[arg-type]


@asynccontextmanager
async def page() -> AsyncIterator[Served]:
    hub, door = Hub(), TokenGate("t1", Source())
    async with serve(hub, door, lambda name: find_game(name) if name == "holdem" else None) as address:
        port = int(address.split(":")[2].partition("/")[0])
        yield Served(hub, door, port, address.partition("#")[2])


def run(test: Callable[[Served], Coroutine[Any, Any, None]]) -> None:
    async def within() -> None:
        async with page() as served:
            await test(served)

    asyncio.run(asyncio.wait_for(within(), 30))


def test_files_have_a_strict_policy_and_no_secret() -> None:
    async def files(served: Served) -> None:
        for path in ("/", "/how", "/static/js/main.js", "/static/css/page.css", "/game/holdem/table.js"):
            status, headers, body = await served.ask("GET", path)
            assert status == 200 and body
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
            assert headers["x-content-type-options"] == "nosniff" and "set-cookie" not in headers
            assert served.token.encode() not in body

    run(files)


NOT_THERE = """/nothing /static/../server.py /static/%2e%2e/server.py /static//etc/passwd /static/js/ /static/
/game/holdem/rules.py /game/holdem/..%2fpackage.py /game/wardens/table.js /game/none/table.js"""


@pytest.mark.parametrize("path", NOT_THERE.split())
def test_what_is_not_listed_is_not_there(path: str) -> None:
    async def nothing(served: Served) -> None:
        assert (await served.ask("GET", path))[0] == 404

    run(nothing)


def test_a_token_opens_once_and_gives_a_cookie_for_this_table_alone() -> None:
    async def once(served: Served) -> None:
        status, headers, _ = await served.enter()
        assert status == 204
        cookie = headers["set-cookie"]
        assert cookie.startswith("nodealer-t1=") and "HttpOnly" in cookie and "SameSite=strict" in cookie
        assert "Domain" not in cookie
        assert (await served.enter())[0] == 403
        assert (await served.enter(served.door.new_token()))[0] == 204

    run(once)


def test_a_wrong_token_opens_nothing_and_shuts_nobody_out() -> None:
    async def wrong(served: Served) -> None:
        for bad in ("", served.token[:-1], served.token + "0", "é", *("0" * 64,) * 21):
            assert (await served.enter(bad))[0] == 403
        assert (await served.enter())[0] == 204

    run(wrong)


def test_another_user_with_the_token_and_the_cookie_is_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    async def stranger(served: Served) -> None:
        monkeypatch.setattr(server, "is_other_user", lambda client, at: True)
        assert (await served.enter())[2] == b"wrong user"
        monkeypatch.setattr(server, "is_other_user", lambda client, at: False)
        cookie = await served.cookie()
        monkeypatch.setattr(server, "is_other_user", lambda client, at: True)
        with pytest.raises(InvalidStatus):
            async with served.socket(cookie):
                raise AssertionError("it was let in")

    run(stranger)


def test_the_door_reads_little_and_strictly() -> None:
    async def reads(served: Served) -> None:
        for body, status in ((b"x" * 2000, 413), (b"{}", 400), (b'{"token":1}', 400), (b'{"token":"a","b":1}', 400)):
            assert (await served.ask("POST", "/enter", body, Origin=served.origin))[0] == status
        assert (await served.ask("GET", "/enter", Origin=served.origin))[0] == 405

    run(reads)


def test_another_host_is_answered_nothing() -> None:
    async def rebound(served: Served) -> None:
        for host in (
            "evil.example",
            f"evil.example:{served.port}",
            "127.0.0.1",
            "localhost:1",
            f"127.0.0.1:{served.port}.",
        ):
            assert (await served.ask("GET", "/", Host=host))[0] == 403
            assert (await served.enter(Host=host, Origin=f"http://{host}"))[0] == 403
        assert (await served.ask("GET", "/", Host=f"localhost:{served.port}"))[0] == 200

    run(rebound)


def test_another_origin_cannot_enter() -> None:
    async def foreign(served: Served) -> None:
        origins = ("http://evil.example", "null", "https" + served.origin[4:], f"http://localhost:{served.port}")
        for origin in origins:
            assert (await served.enter(Origin=origin))[0] == 403
            assert (await served.ask("GET", "/", Origin=origin))[0] == 403
        body = json.dumps({"token": served.token}).encode()
        assert (await served.ask("POST", "/enter", body))[0] == 403
        assert (await served.enter())[0] == 204

    run(foreign)


def test_nobody_gets_a_document_without_the_cookie_the_host_and_the_origin() -> None:
    async def shut(served: Served) -> None:
        cookie = await served.cookie()
        name, _, key = cookie.partition("=")
        refused: list[Any] = [
            served.socket(None),
            served.socket(f"{name}={'0' * 64}"),
            served.socket(f"{name}="),
            served.socket(f"nodealer-t2={key}"),
            served.socket(cookie, origin=None),
            served.socket(cookie, origin="http://evil.example"),
            served.socket(cookie, host="evil.example"),
        ]
        for attempt in refused:
            with pytest.raises(InvalidStatus):
                async with attempt:
                    raise AssertionError("it was let in")
        assert served.hub.page_count == 0
        async with served.socket(cookie):
            pass

    run(shut)


async def told(connection: ClientConnection) -> dict[str, Any]:
    return dict(json.loads(await asyncio.wait_for(connection.recv(), 20)))


def test_documents_go_both_ways_and_a_page_that_comes_later_gets_everything() -> None:
    async def talk(served: Served) -> None:
        heard: list[doc.AnyClientMessage] = []
        served.hub.on_message = heard.append
        served.hub.snapshot = lambda: [doc.Notice("note", "code", {"code": "hello"})]
        cookie = await served.cookie()
        async with served.socket(cookie) as one, served.socket(cookie) as two:
            assert (await told(one))["of"] == (await told(two))["of"] == {"code": "hello"}
            served.hub.broadcast(doc.Notice("good", "found"))
            assert (await told(one))["code"] == (await told(two))["code"] == "found"
            await one.send('{"type":"chat","text":"hi"}')
            await one.send('{"type":"evil"}')
            refused = await told(one)
            assert refused["type"] == "refused" and heard == [doc.Chat("hi")]
            await two.send("x" * 70_000)
            with pytest.raises(ConnectionClosed):
                await told(two)

    run(talk)


def test_what_one_page_has_asked_for_is_brought_to_no_other() -> None:
    """A saved file would else be downloaded in every open page of the person."""

    async def saves() -> None:
        hub = Hub()
        hub.on_message = lambda said: hub.reply(doc.File("game.jsonl", "{}"))
        one, two = hub.connect(), hub.connect()
        hub.receive(one, '{"type":"save","what":"log"}')
        assert b"game.jsonl" in (one.get_nowait() or b"") and two.empty()
        hub.reply(doc.File("nobody.jsonl", ""))
        assert one.empty() and two.empty(), "nobody has asked"

    asyncio.run(saves())


def test_a_page_that_takes_nothing_and_one_too_many_are_sent_away() -> None:
    async def slow() -> None:
        hub = Hub()
        pages = [hub.connect() for _ in range(PAGES_MAX)]
        one_more = hub.connect()
        assert one_more.get_nowait() is None and hub.page_count == PAGES_MAX
        for _ in range(WAITING_MAX + 1):
            hub.broadcast(doc.QuestionClosed())
        assert hub.page_count == 0 and pages[0].qsize() == WAITING_MAX + 1

    asyncio.run(slow())


def test_a_page_that_says_nonsense_or_asks_for_much_and_takes_nothing_is_sent_away() -> None:
    async def greedy() -> None:
        hub = Hub()
        heard: list[doc.AnyClientMessage] = []
        hub.on_message = heard.append
        page, other = hub.connect(), hub.connect()
        for _ in range(WAITING_MAX + 5):
            hub.receive(page, "nonsense")
        assert hub.page_count == 1 and page.qsize() == WAITING_MAX + 1 and other.qsize() == 0
        hub.receive(page, '{"type":"leave"}')
        assert not heard
        file = doc.File("game.jsonl", "x" * (1 << 24))
        for _ in range(20):
            hub.broadcast(file)
        assert hub.page_count == 0 and other.size < WAITING_BYTES_MAX + (1 << 25)
        while await other.get() is not None:
            pass
        assert other.size == 0

    asyncio.run(greedy())


def test_a_port_that_is_taken_is_said() -> None:
    async def taken(served: Served) -> None:
        with pytest.raises(BadParameter, match="cannot serve the page"):
            async with serve(Hub(), TokenGate("t", Source()), lambda name: None, served.port):
                raise AssertionError("it was served twice")

    run(taken)


def test_the_page_asks_nobody_else() -> None:
    """No address of another host in what is served, but for the names of SVG."""
    for path, data in static_files().items():
        text = data.decode()
        assert "http" not in text.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", ""), path
        assert "innerHTML" not in text and "eval(" not in text and "style=" not in text, path


def test_only_files_of_a_table_come_from_a_game() -> None:
    game = find_game("holdem")
    assert game_file(game, "table.css") and game_file(game, "package.py") is None
    assert game_file(find_game("free"), "table.js") is None
