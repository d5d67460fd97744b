"""The commands. Everything a person sees of this package on a terminal is said here."""

from __future__ import annotations

import sys


def main() -> None:
    """The command `nodealer`. Every known error is one sentence and an exit code; Ctrl-C is 130, a closed pipe 141."""
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
