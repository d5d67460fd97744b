"""`nodealer relay`."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any, Final

import typer

from nodealer.cli import text as phrases
from nodealer.cli.commands import Command
from nodealer.client.suggestions import describe_unknown
from nodealer.errors import BadParameter
from nodealer.relay.limits import RelayLimits

PORT: Final = 7777


class RelayCommand(Command):
    """A command whose help lists every limit."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Format the help of the command, with the limits before its example."""
        example = self.epilog
        lines = [f"  {each.name}={each.default}: {each.metadata['meaning']}" for each in fields(RelayLimits)]
        self.epilog = "\n".join(["Limits, in bytes and seconds:", *lines, "", str(example)])
        try:
            super().format_help(ctx, formatter)
        finally:
            self.epilog = example


#: The class of this command.
COMMAND: Final = RelayCommand


def relay(
    listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Address to listen on. Port 0 picks a free port.")
    ] = f"127.0.0.1:{PORT}",
    store: Annotated[
        str | None,
        typer.Option(
            metavar="STORE",
            help="Where to store tables: memory, sqlite:PATH, or nats://HOST:PORT (comma-separated if several). "
            "Default: SQLite in your user's state directory.",
        ),
    ] = None,
    replicas: Annotated[
        int, typer.Option(min=1, max=5, metavar="N", help="Number of NATS servers that store each table.")
    ] = 1,
    cert: Annotated[str | None, typer.Option(metavar="FILE", help="TLS certificate chain (PEM). Needs --key.")] = None,
    key: Annotated[str | None, typer.Option(metavar="FILE", help="Private key of the certificate (PEM).")] = None,
    limit: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Change a limit (see below). May be repeated.")
    ] = None,
    trust_proxy: Annotated[
        bool,
        typer.Option("--trust-proxy", help="Trust X-Forwarded-For. Use it only behind a proxy that sets it."),
    ] = False,
    public_metrics: Annotated[
        bool, typer.Option("--public-metrics", help="Serve /metrics to other machines too.")
    ] = False,
) -> None:
    """Run a relay: it orders and stores the messages of tables, and can neither read nor change them.

    Prints its address, then logs one JSON line per event to standard error, but never messages, players or tables.
    /healthz and /metrics are for operators. See docs/spec/relay.md for the protocol and for operation.

    Exit codes: 0 stopped by Ctrl-C or SIGTERM, 4 it cannot listen or its store is unavailable.
    """
    limits = limits_of(limit or [])
    from nodealer.cli.relay_process import run  # late: no other command should wait for sockets

    run(
        listen,
        store,
        limits,
        replicas=replicas,
        certificate=(cert, key),
        trust_proxy=trust_proxy,
        public_metrics=public_metrics,
    )


def limits_of(said: list[str]) -> RelayLimits:
    """Return the default limits with the given changes. Raises `BadParameter`."""
    names = [each.name for each in fields(RelayLimits)]
    values: dict[str, int] = {}
    for one in said:
        name, _, value = one.partition("=")
        if name not in names:
            raise BadParameter(describe_unknown("limit", name, names))
        if not (value.isascii() and value.isdigit()):
            raise BadParameter(phrases.bad_limit(name, value))
        values[name] = int(value)
    return RelayLimits(**values)
