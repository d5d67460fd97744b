"""Run the real command in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

COMMAND = Path(sys.executable).with_name("nodealer")


def environment(**changes: str) -> dict[str, str]:
    """This process's environment without what would change the outcome, and with `changes`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NODEALER_")}
    return {**kept, **changes}


def nodealer(*arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """The installed command."""
    command = [str(COMMAND), *arguments]
    return subprocess.run(command, env=environment(**changes), capture_output=True, text=True, check=False)


def after(preparation: str, *arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """The command, in a process in which some Python ran before."""
    code = f"import sys; sys.argv = {['nodealer', *arguments]!r}\n{preparation}\nfrom nodealer.cli import main; main()"
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment(**changes), capture_output=True, text=True, check=False)
