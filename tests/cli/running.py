"""Run the command: in a process of its own, or, where nothing depends on that, in this one."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from nodealer.cli import main

COMMAND = Path(sys.executable).with_name("nodealer")
#: The folder of the tests: games of theirs are found from there.
TESTS = Path(__file__).parents[1]


def environment(**changes: str) -> dict[str, str]:
    """This process's environment without what would change the outcome, and with `changes`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NODEALER_")}
    return {**kept, **changes}


def nodealer(*arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """The installed command."""
    command = [str(COMMAND), *arguments]
    return subprocess.run(command, env=environment(**changes), capture_output=True, text=True, check=False)


def called(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The same command in this process, which has loaded everything already: half a second less each time."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["nodealer", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
    code = ended.value.code
    assert isinstance(code, int)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def after(preparation: str, *arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """The command, in a process in which some Python ran before."""
    code = f"import sys; sys.argv = {['nodealer', *arguments]!r}\n{preparation}\nfrom nodealer.cli import main; main()"
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment(**changes), capture_output=True, text=True, check=False)
