"""The relay of a host who has none."""

from __future__ import annotations

import asyncio
import os
import socket
from contextlib import suppress
from pathlib import Path

import pytest

from nodealer.client import host_relay
from nodealer.client.host_relay import PORT, own_relay
from nodealer.errors import BadParameter, RelayRefused
from nodealer.relay.client import connect_to
from nodealer.relay.server.listener import serve_relay
from ports import free_port


@pytest.mark.parametrize(
    ("host", "bound"),
    [("127.0.0.1", "127.0.0.1"), ("localhost", "127.0.0.1"), ("[::1]", "127.0.0.1"), ("cards.example", "0.0.0.0")],
)
def test_what_listens_on_this_machine_only_is_not_open_to_others(
    tmp_path: Path, host: str, bound: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[object] = []

    def noted(*args: object, **options: object) -> object:
        seen.append(options["host"])
        return serve_relay(*args, **(options | {"host": "127.0.0.1"}))  # type: ignore[arg-type]

    monkeypatch.setattr(host_relay, "serve_relay", noted)

    async def run() -> None:
        port = free_port()
        listen, here = f"{host}:{port}", f"ws://127.0.0.1:{port}"
        async with own_relay(tmp_path / "relay.db", listen, "ab" * 16, os.urandom), connect_to(here) as client:
            with pytest.raises(RelayRefused, match="a single table"):
                await client.create("cd" * 16, bytes(32))
            await client.create("ab" * 16, bytes(32))

    asyncio.run(run())
    assert seen == [bound]
    assert (tmp_path / "relay.db").stat().st_mode & 0o077 == 0


def test_a_port_that_somebody_has_is_not_taken() -> None:
    with socket.socket() as taken, suppress(OSError):
        taken.bind(("", PORT))
        assert host_relay.free_port() not in (0, PORT)
    assert host_relay.free_port() > 0


def test_what_is_no_address(tmp_path: Path) -> None:
    async def run() -> None:
        async with own_relay(tmp_path / "relay.db", "here", "ab" * 16, os.urandom):
            pass

    with pytest.raises(BadParameter, match="HOST:PORT"):
        asyncio.run(run())


@pytest.mark.parametrize("again", [True, False])
def test_a_host_who_comes_back_to_a_game_that_is_over_waits_for_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, again: bool
) -> None:
    """They have lost its relay when it was stopped, and look for it only now and then."""
    monkeypatch.setattr(host_relay, "FAREWELL", 1.0)
    listen = f"127.0.0.1:{free_port()}"

    async def over() -> None:
        async with own_relay(tmp_path / "relay.db", listen, "ab" * 16, os.urandom, again=again):
            pass

    async def run() -> None:
        host = asyncio.ensure_future(over())
        await asyncio.sleep(0.5)
        assert host.done() == (not again)
        if again:
            async with connect_to(f"ws://{listen}") as client:
                await client.create("ab" * 16, bytes(32))
        await host

    asyncio.run(run())
