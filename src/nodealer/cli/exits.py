"""Exit codes, the same for every command, and which error gives which."""

from __future__ import annotations

from typing import Final

from nodealer.cli import text as phrases
from nodealer.cli.output import err, print_line, shown
from nodealer.errors import BackendMissing, LocalError, LogError, Malformed, NodealerError, PeerError, RelayError

GOOD: Final = 0
#: What was checked is bad.
BAD: Final = 1
#: It cannot be judged: wrong use, not a log, another format or version, too large.
UNJUDGED: Final = 2
#: Clean so far, and not complete.
INCOMPLETE: Final = 3
#: A backend, or the network, is not there.
NOT_THERE: Final = 4
INTERRUPTED: Final = 130
#: Nobody reads the output any more.
PIPE_CLOSED: Final = 141

#: The first kind that fits counts.
_CODES: Final[tuple[tuple[type[NodealerError], int], ...]] = (
    (BackendMissing, NOT_THERE),
    (RelayError, NOT_THERE),
    (LocalError, UNJUDGED),
    (Malformed, UNJUDGED),
    (LogError, BAD),
    (PeerError, BAD),
)


def exit_code(error: NodealerError) -> int:
    """The code that a command ends with when it fails with this error."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), BAD)


def explain(error: NodealerError) -> int:
    """Say on standard error what is wrong, in one sentence, and give the code to end with."""
    print_line(err(), phrases.error(shown(error)))
    return exit_code(error)
