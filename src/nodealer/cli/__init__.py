"""The commands of nodealer, and everything that they print to a terminal."""

from __future__ import annotations

import sys

from nodealer import __version__
from nodealer.cli import text as phrases


def main() -> None:
    """Run the command `nodealer` and exit.

    A known error prints one sentence; Ctrl-C exits with 130, a closed pipe with 141.
    """
    _print_early(sys.argv[1:])
    from nodealer.cli.exits import (
        INTERRUPTED,
        PIPE_CLOSED,
        report_error,
    )  # late: an interrupt during these imports counts too
    from nodealer.cli.output import PipeClosed
    from nodealer.client.front_end import FrontEndGone
    from nodealer.errors import NodealerError

    try:
        from nodealer.cli.app import app
        from nodealer.cli.output import replace_unprintable

        replace_unprintable()
        app()
    except NodealerError as error:
        sys.exit(report_error(error))
    except PipeClosed:
        sys.exit(PIPE_CLOSED)
    except (KeyboardInterrupt, FrontEndGone):
        sys.exit(INTERRUPTED)


def _print_early(arguments: list[str]) -> None:
    """Handle `--version`, and greet a person who starts a game, before the imports that take a second."""
    if arguments == ["--version"]:
        sys.stdout.write(f"nodealer {__version__}\n")
        sys.exit()
    plays = arguments[:1] in (["play"], ["resume"], ["demo"]) and not {"--json", "--help"} & {*arguments}
    if plays and sys.stderr.isatty():
        sys.stderr.write(phrases.starting(__version__) + "\n")
