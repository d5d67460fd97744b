"""A relay as a process of its own: its store, its socket, and how it stops."""

from __future__ import annotations

import asyncio
import json
import signal
import ssl
import sys
import time
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from platformdirs import user_state_path

from nodealer.cli import text as phrases
from nodealer.cli.output import escape_markup, out
from nodealer.client.address import parse_address
from nodealer.client.entropy import system_entropy
from nodealer.errors import BackendMissing, BadParameter
from nodealer.relay.limits import RelayLimits
from nodealer.relay.server.listener import serve_relay
from nodealer.relay.stores.base import Store
from nodealer.relay.stores.memory import MemoryStore
from nodealer.relay.stores.sqlite import open_sqlite


def run(
    listen: str,
    store: str | None,
    limits: RelayLimits,
    *,
    replicas: int,
    certificate: tuple[str | None, str | None],
    trust_proxy: bool,
    public_metrics: bool,
) -> None:
    """Serve until SIGINT or SIGTERM."""
    host, port = parse_address(listen, refusal=phrases.bad_listen(listen, "127.0.0.1:7777"))
    tls = tls_context(*certificate)
    options = {"limits": limits, "trust_proxy": trust_proxy, "public_metrics": public_metrics}
    asyncio.run(_serve(host, port, tls, open_store(store, replicas), options))


async def _serve(
    host: str, port: int, tls: ssl.SSLContext | None, opening: AbstractAsyncContextManager[Store], options: Any
) -> None:
    """Serve with an open store until a signal comes."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with (
        opening as store,
        serve_relay(store, host=host, port=port, tls=tls, entropy=system_entropy, log=log, **options) as relay,
    ):
        url = f"{'wss' if tls else 'ws'}://{f'[{host}]' if ':' in host else host}:{relay.port}"
        out().print(phrases.relay_listens(escape_markup(url)), soft_wrap=True)
        log("started", {"store": type(store).__name__})
        await stop.wait()
        log("stopping", {"connections": relay.metrics.connections})
    log("stopped", {})


def log(event: str, facts: dict[str, Any]) -> None:
    """Write one line of JSON to standard error."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    # A relay continues when its log is not read.
    with suppress(OSError, ValueError):
        sys.stderr.write(json.dumps({"time": now, "event": event, **facts}, separators=(",", ":")) + "\n")
        sys.stderr.flush()


def tls_context(certificate: str | None, key: str | None) -> ssl.SSLContext | None:
    """Return the TLS context, or None without a certificate. Raises `BadParameter`."""
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise BadParameter(phrases.CERT_AND_KEY)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise BadParameter(phrases.cannot_use_certificate(certificate, key, error.strerror or error)) from None
    return context


def open_store(said: str | None, replicas: int) -> AbstractAsyncContextManager[Store]:
    """Open the store that was asked for. Raises `BadParameter`."""
    if said is None:
        return open_sqlite(user_state_path("nodealer") / "relay.db", time.time)
    if said == "memory":
        return nullcontext(MemoryStore(time.monotonic))
    kind, _, path = said.partition(":")
    if kind == "sqlite" and path:
        return open_sqlite(Path(path), time.time)
    urls = said.split(",")
    if all(url.startswith("nats://") for url in urls):
        return _nats(urls, replicas)
    raise BadParameter(phrases.bad_store(said))


def _nats(urls: list[str], replicas: int) -> AbstractAsyncContextManager[Store]:
    """Open the store on these NATS servers. Raises `BackendMissing` if the client library is not installed."""
    try:
        from nodealer.relay.stores.nats import open_nats
    except ModuleNotFoundError:
        raise BackendMissing(phrases.NATS_MISSING) from None
    return open_nats(urls, replicas=replicas)
