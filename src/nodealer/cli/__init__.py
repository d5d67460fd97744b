"""The commands. Everything a person sees of this package on a terminal is said here."""

from __future__ import annotations

import sys

from nodealer import __version__
from nodealer.cli import text as phrases


def main() -> None:
    """The command `nodealer`. Every known error is one sentence and an exit code; Ctrl-C is 130, a closed pipe 141."""
    _print_early(sys.argv[1:])
    from nodealer.cli.exits import INTERRUPTED, PIPE_CLOSED, explain  # late: an interrupt while we load is one too
    from nodealer.cli.output import PipeClosed
    from nodealer.errors import NodealerError

    try:
        from nodealer.cli.app import app
        from nodealer.cli.output import speak_plainly

        speak_plainly()
        app()
    except NodealerError as error:
        sys.exit(explain(error))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except PipeClosed:
        sys.exit(PIPE_CLOSED)


def _print_early(arguments: list[str]) -> None:
    """What can be said before everything is loaded, which takes a second: nobody should look at an empty screen."""
    if arguments == ["--version"]:
        sys.stdout.write(f"nodealer {__version__}\n")
        sys.exit()
    plays = arguments[:1] in (["play"], ["resume"], ["demo"]) and not {"--json", "--help"} & {*arguments}
    if plays and sys.stderr.isatty():
        sys.stderr.write(phrases.starting(__version__) + "\n")
