"""`bench relay`: its rows on a tiny run, and what makes one fail."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from threading import Thread

import pytest

from nodealer.errors import BadParameter
from nodealer_lab.bench import relay, traffic
from nodealer_lab.bench.rounds import BenchEffort
from nodealer_lab.bench.rows import BenchRow
from nodealer_lab.bench.server_process import Server
from nodealer_lab.bench.traffic import SEATS, Traffic
from nodealer_lab.bench.websocket_wire import BroadcastDialect, RelayDialect, Wire


def test_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "_REST", 0.0)
    rows = list(relay.run(BenchEffort(pairs=1, seconds=0.0, most=1, shrink=200)))
    assert [row.required for row in rows] == [2.0, 3.0, 1.0, 1.0, None, None, 1.6, 0.5, 8.0, None]
    assert all(row.ok is None and (row.seconds, row.value) != (None, None) for row in rows)
    assert rows[6].n == {"connections": 30, "tables": 5, "frames each": 2} and rows[7].n == {"frames": 50}


def test_a_row_is_judged_and_what_cannot_be_measured_has_failed() -> None:
    rows = [BenchRow("a", {}, required=2.0), BenchRow("b", {}, required=0.5, sense="min"), BenchRow("c", {})]

    def failing() -> Iterator[relay.Figures]:
        yield {"value": 1.0}
        raise BadParameter("the server has hung up")

    def judge(figures: Iterator[relay.Figures], shrink: int = 1) -> list[bool | None]:
        return [row.ok for row in relay.judge(BenchEffort(shrink=shrink), rows, figures)]

    good: list[relay.Figures] = [{"ratio": 2.0}, {"ratio": 0.5}, {"value": 9.0}]
    assert judge(iter(good)) == [True, True, None] and judge(iter(good), 2) == [None, None, None]
    assert judge(iter([{"value": 2.1}, {"ratio": 0.4}, {"value": 9.0}])) == [False, False, None]
    assert judge(failing()) == [False, False, None]
    assert {row.note for row in relay.judge(BenchEffort(), rows, failing())} == {"the server has hung up"}


@pytest.mark.parametrize("dialect", [BroadcastDialect(), RelayDialect()], ids=["bare", "relay"])
def test_every_frame_reaches_all_six(dialect: BroadcastDialect | RelayDialect) -> None:
    kind = ("broadcast",) if isinstance(dialect, BroadcastDialect) else ("relay", "memory")
    with Server(*kind) as server, Traffic(server.port, dialect, 2) as traffic:
        assert len(traffic.run_paced(1000.0, 30)) == 30 and traffic._received == 30 * SEATS
        assert traffic.run_chained(4, lambda number: number < 20) > 0 and len(traffic._delays) == 20
        assert server.cpu > 0 and server.peak >= server.resident > 0


def test_a_server_that_does_not_start() -> None:
    with pytest.raises(BadParameter, match="does not start"):
        Server("plain", "many")


def answering(*answers: bytes) -> int:
    """The port of a server that says this, and hangs up."""

    def answer() -> None:
        with listening, listening.accept()[0] as connection:
            for one in answers:
                connection.recv(4096)
                connection.sendall(one)

    listening = socket.create_server(("127.0.0.1", 0))
    Thread(target=answer).start()
    return int(listening.getsockname()[1])


@pytest.mark.parametrize(
    ("answers", "found"),
    [
        ((b"HTTP/1.1 403 Forbidden\r\n\r\n",), "403"),
        ((b"HTTP/1.1 101 ",), "hung up"),
        ((b"HTTP/1.1 101 \r\n\r\n", b'\x81\x12{"type":"refused"}'), "refused"),
    ],
)
def test_a_server_that_does_not_let_in(answers: tuple[bytes, ...], found: str) -> None:
    with pytest.raises(BadParameter, match=found), Wire(answering(*answers)) as wire:
        wire.start_handshake()
        wire.finish_handshake()
        wire.send_text(b"a room")
        wire.wait_for_answer()


def test_a_server_that_brings_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic, "LONGEST", 0.1)
    with Server("broadcast") as server, Traffic(server.port, BroadcastDialect(), 1) as six:
        monkeypatch.setattr(six, "_start", lambda: 0.0)
        with pytest.raises(BadParameter, match="the server delivered only 1 frames"):
            six.run_paced(1000.0, 2)
    with Wire(answering(b"HTTP/1.1 101 \r\n\r\n\x82\x0a" + bytes(8))) as wire:
        wire.start_handshake()
        wire.finish_handshake()
        with pytest.raises(BadParameter, match="hung up"):
            wire.skip_messages(10)
