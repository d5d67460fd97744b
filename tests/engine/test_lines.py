"""What is in a log is one line of UTF-8: whatever JSON stands in it that nobody looks at."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from engine.circle import Circle
from nodealer.client.folder_store import FolderStore
from nodealer.log.entry import read_entry, sign_entry

DUTY = b"A" * 43 + b"="
#: JSON that is kept byte for byte where nobody reads it, and that no file of lines, or no other reader, can hold.
ODD = [b'{"show":\ntrue}', b'{"show":\rtrue}', b'{"show":\ttrue}', b'"\xff"', b'"\xed\xa0\x80"']


def in_a_folder(circle: Circle, path: Path) -> FolderStore:
    """The first player's home, in a folder, as far as it has come."""
    mine = circle.homes[0]
    home = FolderStore.create(path, mine.name, bytes(32), mine.root)
    home.identity = mine.identity
    return home


@pytest.mark.parametrize("odd", ODD)
def test_an_entry_that_is_no_line_stops_nobody(tmp_path: Path, odd: bytes) -> None:
    """A second entry with one number goes into the log unread; whoever keeps the log must be able to."""
    circle = Circle(hands=1)
    with in_a_folder(circle, tmp_path / "home") as home:
        circle.homes[0] = home  # type: ignore[call-overload]
        circle.people[0] = circle.sit(home)
        circle.play(until=lambda circle: circle.people[0].has_session and circle.people[0].replica.height > 6)
        first = read_entry(next(data for data in circle.log if read_entry(data).entry.seat == 2)).entry
        body = b'{"type":"move","duty":"' + DUTY + b'","move":' + odd + b"}"
        second = msgspec.structs.replace(first, body=msgspec.Raw(body))
        circle.waiting.append(sign_entry(circle.homes[2].identity, second))
        circle.play()
        assert circle.people[0].replica.state.faults == () and len(circle.digests()) == 1
