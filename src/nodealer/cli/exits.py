"""Exit codes, which are the same for every command, and the exit code of each kind of error."""

from __future__ import annotations

from typing import Final

from nodealer.cli import text as phrases
from nodealer.cli.output import err, escape_markup, print_line
from nodealer.errors import BackendMissing, LocalError, LogError, Malformed, NodealerError, PeerError, RelayError

GOOD: Final = 0
#: The check failed.
BAD: Final = 1
#: There is no verdict: wrong use, not a log, another format or version, too large.
NO_VERDICT: Final = 2
#: Clean so far, but incomplete.
INCOMPLETE: Final = 3
#: A backend or the network is unavailable.
UNAVAILABLE: Final = 4
INTERRUPTED: Final = 130
#: The reader of the output has gone.
PIPE_CLOSED: Final = 141

#: The first match counts.
_CODES: Final[tuple[tuple[type[NodealerError], int], ...]] = (
    (BackendMissing, UNAVAILABLE),
    (RelayError, UNAVAILABLE),
    (LocalError, NO_VERDICT),
    (Malformed, NO_VERDICT),
    (LogError, BAD),
    (PeerError, BAD),
)


def exit_code(error: NodealerError) -> int:
    """Return the exit code for this error."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), BAD)


def report_error(error: NodealerError) -> int:
    """Print the error as one sentence on standard error, and return the exit code."""
    print_line(err(), phrases.error(escape_markup(error)))
    return exit_code(error)
