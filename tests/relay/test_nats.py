"""Tables in NATS JetStream: what every store promises, several relays on one server, and servers that are killed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator

import pytest

from nodealer.relay.stores.nats import NatsStore, open_nats
from relay.nats_servers import NatsServer, with_jetstream
from relay.store_contract import CONTRACT, Promise


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with with_jetstream(tmp_path_factory.mktemp("nats") / "one") as running:
        yield running


def on(server: NatsServer, work: Callable[[NatsStore], Awaitable[None]]) -> None:
    """Do something with a store; nothing of it may go on afterwards."""

    async def run() -> None:
        async with asyncio.timeout(60):
            async with open_nats([server.url]) as store:
                await work(store)
            await asyncio.sleep(0)
            assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(run())


@pytest.mark.parametrize("promise", CONTRACT, ids=lambda promise: promise.__name__)
def test_what_every_store_promises(server: NatsServer, promise: Promise) -> None:
    on(server, lambda store: promise(store, asyncio.sleep))
