"""The sign of progress in a terminal, while cards are shuffled and dealt."""

from __future__ import annotations

from rich.console import Console
from rich.status import Status


class ProgressSign:
    """A moving sign with a text, in the last line of a terminal. Anything else that is printed has to stop it first."""

    def __init__(self, console: Console) -> None:
        """Show the sign on this console, if it is a terminal."""
        self._console = console
        self._status: Status | None = None
        self._hidden = False

    def show(self, text: str) -> None:
        """Show the sign with this text, unless it is hidden."""
        if not self._console.is_terminal or self._hidden:
            return
        if self._status is None:
            signs = "dots" if self._console.encoding.startswith("utf") else "line"
            self._status = self._console.status(text, spinner=signs)
            self._status.start()
        self._status.update(text)

    def stop(self) -> None:
        """Stop the sign until the next step."""
        if self._status is not None:
            self._status.stop()
            self._status = None

    def hide(self, hidden: bool) -> None:
        """Forbid or allow the sign: it would overwrite the line in which a person types."""
        self._hidden = hidden
        if hidden:
            self.stop()
