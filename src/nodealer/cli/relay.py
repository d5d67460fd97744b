"""`nodealer relay`."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any, Final

import typer

from nodealer.cli.commands import Command
from nodealer.errors import BadParameter
from nodealer.relay.limits import RelayLimits

PORT: Final = 7777


class RelayCommand(Command):
    """Its help tells every limit."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The help of the command, with the limits before its example."""
        example = self.epilog
        told = [f"  {each.name}={each.default}: {each.metadata['meaning']}" for each in fields(RelayLimits)]
        self.epilog = "\n".join(["Limits, in bytes and seconds:", *told, "", str(example)])
        try:
            super().format_help(ctx, formatter)
        finally:
            self.epilog = example


#: How it is made a command.
COMMAND: Final = RelayCommand


def relay(
    listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where to listen; port 0 is a free one.")
    ] = f"127.0.0.1:{PORT}",
    store: Annotated[
        str | None,
        typer.Option(
            metavar="STORE",
            help="Where tables are kept: memory, sqlite:PATH, or nats://HOST:PORT, several with commas. "
            "Default: SQLite, among what programs of this user leave behind.",
        ),
    ] = None,
    replicas: Annotated[
        int, typer.Option(min=1, max=5, metavar="N", help="On how many NATS servers each table is kept.")
    ] = 1,
    cert: Annotated[
        str | None, typer.Option(metavar="FILE", help="Certificate chain for TLS, in PEM; with --key.")
    ] = None,
    key: Annotated[str | None, typer.Option(metavar="FILE", help="Private key of the certificate, in PEM.")] = None,
    limit: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Another limit than below; any number of times.")
    ] = None,
    trust_proxy: Annotated[
        bool,
        typer.Option("--trust-proxy", help="Take addresses from X-Forwarded-For: only behind a proxy that sets it."),
    ] = False,
    public_metrics: Annotated[
        bool, typer.Option("--public-metrics", help="Show /metrics to others than this machine.")
    ] = False,
) -> None:
    """Run a relay: it orders and keeps what the players of a table send, and can neither read nor change it.

    Says in one line where it listens, then logs one JSON line an event on standard error: never what is said, by whom,
    or at which table. /healthz and /metrics are for operators. Ends with 0 when it is told to, by Ctrl-C or SIGTERM,
    with 4 when it cannot listen or its store is not there. docs/spec/relay.md has the protocol and how to operate it.
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
    """The limits, with those that were said. Raises `BadParameter`."""
    names = {each.name for each in fields(RelayLimits)}
    values: dict[str, int] = {}
    for one in said:
        name, _, value = one.partition("=")
        if name not in names:
            raise BadParameter(f"there is no limit {name!r}; see `nodealer relay --help`")
        if not (value.isascii() and value.isdigit()):
            raise BadParameter(f"the limit {name} is a whole number, not {value!r}")
        values[name] = int(value)
    return RelayLimits(**values)
