"""Records the behaviour of today: `python -m baseline.make` in the folder of the tests, and never a test.

A recording is made once. Only a change of behaviour that is meant makes one again: delete its file, and run this.
Archives of folders hold the keys of players who exist nowhere else.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from baseline import folders, games, pages
from baseline.masks import write_lines


def main() -> None:
    """Make the recordings that are missing."""
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name)
        for variable in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
            patch.setenv(variable, str(folder / variable))
        for game in games.NAMES:
            if not games.recording_of(game).exists():
                write_lines(games.recording_of(game), games.told(game, folder))
        for game in pages.TABLES:
            if not pages.recording_of(game).exists():
                write_lines(pages.recording_of(game), pages.told(game))
        if not folders.archive_of("local").exists():
            folders.record_local(folder)
        if not folders.archive_of("host").exists():
            folders.record_network(folder)


if __name__ == "__main__":
    main()
