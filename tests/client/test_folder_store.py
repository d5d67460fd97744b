"""Stores in a folder: one process at a time, no acknowledged data is lost, and every error has a clear message."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conformance.harness import Game
from nodealer.client import folder_store
from nodealer.client.folder_store import FolderStore, open_or_create_store
from nodealer.engine.store import PlayerStore
from nodealer.errors import BadParameter, DecodeError, HomeUnusable, JournalLost, LogRolledBack, OtherFormat
from nodealer.keys import Identity
from nodealer.log.file import save_log
from nodealer.log.journal import Sent
from nodealer.log.session import FORMAT_VERSION, Session
from nodealer.wire import MESSAGE_BYTES_MAX, encode

from .table import DyingJournal, HomeGame, tiny

TESTS = Path(__file__).parents[1]
KEY, ROOT = bytes(range(32)), bytes(range(100, 132))
OTHER_KEY = bytes(32)
FRAMES = [b'{"type":"offer","name":"Ada"}', b'{"type":"offer","name":"B\\no"}']
ENTRIES = [b'{"entry":0}', b'{"entry":1}']
RECORD = Sent(b"an entry")


class Killed(BaseException):
    """An exception that nothing catches, like a kill."""


@cache
def session() -> Session:
    return tiny().config.session


def made(path: Path, name: str | None = "Ada") -> FolderStore:
    return FolderStore.create(path, name, KEY, ROOT)


def lived_in(path: Path) -> None:
    """Return a closed store with something in every file."""
    with made(path) as home:
        for frame in FRAMES:
            home.append_lobby_frame(frame)
        home.save_session(session())
        home.append(ENTRIES[0])
        home.journal.write(RECORD)
        home.append(ENTRIES[1])


@contextmanager
def running(*command: str) -> Iterator[subprocess.Popen[str]]:
    """Run a Python process that can import the test modules, and end it afterwards."""
    path = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path}
    pipe = subprocess.PIPE
    child = subprocess.Popen([sys.executable, *command], env=environment, stdin=pipe, stdout=pipe, text=True)
    with child:
        try:
            yield child
        finally:
            child.kill()


# --- What it keeps ---


def test_what_goes_in_comes_out(tmp_path: Path) -> None:
    lived_in(tmp_path / "home")
    for _ in range(2):
        with FolderStore.open(tmp_path / "home") as opened:
            home: PlayerStore = opened
            assert (home.name, home.identity.public, home.root) == ("Ada", Identity(KEY).public, ROOT)
            assert list(home.lobby) == FRAMES and home.session == session()
            assert list(home.entries) == ENTRIES == list(home.entries)
            assert home.journal.records == (RECORD,)


def test_one_who_only_watches(tmp_path: Path) -> None:
    with made(tmp_path / "home", None) as home:
        assert home.name is None and home.session is None and list(home.entries) == [] and list(home.lobby) == []
    with FolderStore.open(tmp_path / "home") as home:
        assert home.name is None and home.session is None and list(home.entries) == [] and list(home.lobby) == []


def test_entries_are_those_of_the_moment_it_was_opened(tmp_path: Path) -> None:
    with made(tmp_path / "home") as home:
        home.save_session(session())
        home.append(ENTRIES[0])
        assert list(home.entries) == []
    with FolderStore.open(tmp_path / "home") as home:
        home.append(ENTRIES[1])
        assert list(home.entries) == ENTRIES[:1]


def test_its_log_is_a_log(tmp_path: Path) -> None:
    lived_in(tmp_path / "home")
    save_log(tmp_path / "saved", session(), ENTRIES)
    assert (tmp_path / "home" / "log.jsonl").read_bytes() == (tmp_path / "saved").read_bytes()


def test_one_who_plays_with_the_users_own_key(tmp_path: Path) -> None:
    """Nothing secret of the key is in the store, and no other key is accepted."""
    me, path = Identity(KEY), tmp_path / "home"
    for _ in range(2):
        with open_or_create_store(path, "Ada", lambda size: ROOT, me) as home:
            assert home.identity.public == me.public and home.root == ROOT
    saved = json.loads((path / "home.json").read_text())
    assert base64.b64decode(saved["user"]) == me.public and "key" not in saved
    with pytest.raises(BadParameter, match="a user's own key; that key is needed"):
        FolderStore.open(path)
    with pytest.raises(BadParameter, match="belongs to another key than yours"):
        FolderStore.open(path, Identity(OTHER_KEY))
    FolderStore.open(path, me).close()


def test_a_home_with_its_own_key_needs_no_user(tmp_path: Path) -> None:
    lived_in(tmp_path / "home")
    assert "user" not in json.loads((tmp_path / "home" / "home.json").read_text())
    with FolderStore.open(tmp_path / "home", Identity(OTHER_KEY)) as home:
        assert home.identity.public == Identity(KEY).public


@pytest.mark.parametrize("change", [{"key": None}, {"user": base64.b64encode(KEY).decode()}])
def test_a_home_with_no_key_or_two(tmp_path: Path, change: dict[str, Any]) -> None:
    lived_in(tmp_path / "home")
    path = tmp_path / "home" / "home.json"
    changed = {name: value for name, value in (json.loads(path.read_text()) | change).items() if value is not None}
    path.write_text(json.dumps(changed, separators=(",", ":")))
    with pytest.raises(HomeUnusable, match=r"is damaged: .*either its own key or its user's public key"):
        FolderStore.open(tmp_path / "home")


def test_only_its_owner_may_look(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        (tmp_path / "there").mkdir(0o777)
        lived_in(tmp_path / "there")
        lived_in(tmp_path / "new")
    finally:
        os.umask(before)
    for folder in (tmp_path / "there", tmp_path / "new"):
        assert folder.stat().st_mode & 0o777 == 0o700
        modes = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
        assert modes == dict.fromkeys(("home.json", "lock", "journal", "lobby", "log.jsonl"), 0o600)


@pytest.mark.parametrize("link", [os.link, os.symlink])
@pytest.mark.parametrize("planted", ["home.json.partial", "journal.partial", "lobby.partial", "journal", "lobby"])
def test_nothing_is_written_through_what_others_left(tmp_path: Path, planted: str, link: Callable[..., None]) -> None:
    """Someone who could write to the folder earlier may have left files or links under our names."""
    theirs = tmp_path / "theirs"
    theirs.touch()
    (tmp_path / "home").mkdir(0o777)
    link(theirs, tmp_path / "home" / planted)
    lived_in(tmp_path / "home")
    assert theirs.read_bytes() == b"" and not (tmp_path / "home" / planted).is_symlink()


def test_a_home_that_somebody_else_has_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its creator has the key, and would see the cards of anyone who plays from it."""
    lived_in(tmp_path / "home")
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    with pytest.raises(HomeUnusable, match=r"home\.json belongs to another user"):
        FolderStore.open(tmp_path / "home")
    with pytest.raises(HomeUnusable, match="belongs to another user"):
        open_or_create_store(tmp_path / "home", "Ada", os.urandom)


def test_a_lock_is_no_link(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "lock").symlink_to(tmp_path / "theirs")
    with pytest.raises(HomeUnusable, match="lock"):
        made(tmp_path / "home")
    assert not (tmp_path / "theirs").exists()


def test_nothing_secret_is_shown(tmp_path: Path) -> None:
    with made(tmp_path / "home") as home:
        assert repr(home) == f"<FolderStore {tmp_path / 'home'}>"
    saved = folder_store.SavedStore(format="nodealer-home", version=FORMAT_VERSION, name=None, key=KEY, root=ROOT)
    assert repr(saved) == "<Saved>"


# --- What reaches the disk, and in which order ---


def test_what_a_record_has_seen_is_on_the_disk_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    for call in ("write", "fsync"):
        real: Callable[..., Any] = getattr(os, call)

        def traced(descriptor: int, *data: Any, call: str = call, real: Callable[..., Any] = real) -> Any:
            done.append(f"{call} {Path(os.readlink(f'/proc/self/fd/{descriptor}')).name}")
            return real(descriptor, *data)

        monkeypatch.setattr(os, call, traced)
    made(tmp_path / "home").close()
    created = [tmp_path.name, "journal.partial", "home", "lobby.partial", "home", "home.json.partial", "home"]
    opened = ["fsync home", "fsync lobby", "fsync journal"]
    assert [what for what in done if what.startswith("fsync")] == [f"fsync {name}" for name in created] + opened
    done.clear()
    home = FolderStore.open(tmp_path / "home")
    assert done == opened
    done.clear()
    home.append_lobby_frame(FRAMES[0])
    assert done == ["write lobby", "fsync lobby"]
    done.clear()
    home.save_session(session())
    assert done == ["write log.jsonl.partial", "fsync log.jsonl.partial", "fsync home", "fsync log.jsonl"]
    done.clear()
    home.append(ENTRIES[0])
    home.append(ENTRIES[1])
    home.journal.write(RECORD)
    home.journal.write(RECORD)
    recorded = ["write journal", "fsync journal"]
    assert done == ["write log.jsonl", "write log.jsonl", "fsync log.jsonl", *recorded, *recorded]
    home.close()


def killed_at(count: int, monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> bool:
    """Return whether `act` reached system call number `count`, at which it is killed."""
    calls = 0
    with monkeypatch.context() as patch:
        for name in ("mkdir", "open", "write", "fsync", "chmod", "replace"):
            found: Callable[..., Any] = getattr(os, name)

            def dies(*arguments: Any, real: Callable[..., Any] = found, **options: Any) -> Any:
                nonlocal calls
                calls += 1
                if calls == count:
                    raise Killed
                return real(*arguments, **options)

            patch.setattr(os, name, dies)
        try:
            act()
        except Killed:
            return True
    return False


def test_killed_anywhere_while_it_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is either a complete store with the first key, or none, and it can be created with another."""
    kept: list[str] = []
    for count in range(1, 100):
        path = tmp_path / str(count)
        if not killed_at(count, monkeypatch, lambda: made(path).close()):
            break
        if (path / "home.json").exists():
            with pytest.raises(HomeUnusable, match="there is already a home in"):
                FolderStore.create(path, "Bo", OTHER_KEY, ROOT)
        else:
            with pytest.raises(HomeUnusable, match=str(path)):
                FolderStore.open(path)
            FolderStore.create(path, "Bo", OTHER_KEY, ROOT).close()
        with FolderStore.open(path) as home:
            kept.append(home.name or "")
            assert home.identity.public == Identity(KEY if home.name == "Ada" else OTHER_KEY).public
    assert kept == sorted(kept, reverse=True) and set(kept) == {"Ada", "Bo"} and len(kept) > 20


def test_killed_anywhere_while_it_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = []
    for count in range(1, 100):
        home = made(tmp_path / str(count))
        if not killed_at(count, monkeypatch, lambda: home.save_session(session())):
            break
        home.close()
        with FolderStore.open(tmp_path / str(count)) as home:
            begun.append(home.session is not None)
            if home.session is None:
                home.save_session(session())
            assert home.session == session()
            home.append(ENTRIES[0])
            home.journal.write(RECORD)
    home.close()
    assert begun == sorted(begun) and set(begun) == {False, True}


# --- One at a time ---


def test_two_in_one_process(tmp_path: Path) -> None:
    home = made(tmp_path / "home")
    with pytest.raises(HomeUnusable, match=f"^another program is playing from {tmp_path / 'home'}$"):
        FolderStore.open(tmp_path / "home")
    home.close()
    FolderStore.open(tmp_path / "home").close()


def test_two_who_make_it(tmp_path: Path) -> None:
    lock = folder_store._lock(tmp_path, os.O_CREAT)
    with pytest.raises(HomeUnusable, match="another program is playing from"):
        made(tmp_path)
    os.close(lock)
    made(tmp_path).close()


def test_somebody_who_was_quicker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = folder_store._lock

    def late(folder: Path, create: int = 0) -> int:
        monkeypatch.setattr(folder_store, "_lock", lock)
        FolderStore.create(folder, "Bo", OTHER_KEY, ROOT).close()
        return lock(folder, create)

    monkeypatch.setattr(folder_store, "_lock", late)
    with pytest.raises(HomeUnusable, match="there is already a home in"):
        made(tmp_path / "home")
    with FolderStore.open(tmp_path / "home") as home:
        assert home.name == "Bo"


def test_a_disk_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*arguments: object) -> None:
        raise OSError("no locks available")

    monkeypatch.setattr(fcntl, "flock", fails)
    with pytest.raises(HomeUnusable, match="lock: no locks available"):
        made(tmp_path / "home")


def test_a_home_that_is_forgotten_stays_locked(tmp_path: Path) -> None:
    """Its journal may still be in use."""
    journal = made(tmp_path / "home").journal
    with pytest.raises(HomeUnusable, match="another program"):
        FolderStore.open(tmp_path / "home")
    journal.close()


def test_a_process_that_was_forked_off_signs_nothing(tmp_path: Path) -> None:
    """It shares lock and journal: both processes would use one number for two entries."""
    with made(tmp_path / "home") as home:
        home.save_session(session())
        child = os.fork()
        if not child:
            try:
                home.journal.write(RECORD)
            except HomeUnusable:
                os._exit(3)
            finally:
                os._exit(4)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
        home.journal.write(RECORD)
    with FolderStore.open(tmp_path / "home") as home:
        assert home.journal.records == (RECORD,)


def test_what_is_closed_takes_no_more(tmp_path: Path) -> None:
    with made(tmp_path / "home") as home:
        home.save_session(session())
    home.close()
    with pytest.raises(HomeUnusable, match="cannot write to"):
        home.journal.write(RECORD)
    with pytest.raises(HomeUnusable, match="cannot write to"):
        home.append(ENTRIES[0])
    with pytest.raises(HomeUnusable, match="cannot write to"):
        home.append_lobby_frame(FRAMES[0])


WRITER = """
import sys
from pathlib import Path
from nodealer.client.folder_store import FolderStore
from nodealer.log.journal import Sent
home = FolderStore.open(Path(sys.argv[1]))
number = 0
while True:
    home.append_lobby_frame(b'{"frame":%d}' % number)
    home.append(b'{"entry":%d}' % number)
    home.journal.write(Sent(b"%d" % number))
    print(number, flush=True)
    number += 1
"""


def test_killed_while_it_writes(tmp_path: Path) -> None:
    """The store is locked while the process lives; afterwards all acknowledged data is there."""
    path = tmp_path / "home"
    with made(path) as home:
        home.save_session(session())
    with running("-c", WRITER, str(path)) as child:
        assert child.stdout is not None
        for _ in range(30):
            child.stdout.readline()
        with pytest.raises(HomeUnusable, match="another program is playing from"):
            FolderStore.open(path)
        with pytest.raises(HomeUnusable, match="there is already a home in"):
            made(path)
        child.kill()
        acknowledged = 30 + child.stdout.read().count("\n")
    with FolderStore.open(path) as home:
        for kept, expected in (
            (list(home.lobby), b'{"frame":%d}'),
            (list(home.entries), b'{"entry":%d}'),
            ([record.entry for record in home.journal.records if isinstance(record, Sent)], b"%d"),
        ):
            assert kept == [expected % number for number in range(len(kept))]
            assert acknowledged <= len(kept) <= acknowledged + 2


# --- A full disk ---

FULL = """
import resource, signal, sys
from pathlib import Path
from nodealer.client.folder_store import FolderStore
from nodealer.errors import HomeUnusable
from nodealer.log.journal import Sent

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
path, file = Path(sys.argv[1]), sys.argv[2]

def room(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

def write(home, number):
    match file:
        case "journal": home.journal.write(Sent(b"%040d" % number))
        case "log.jsonl": home.append(b'{"entry":%d}' % number)
        case "lobby": home.append_lobby_frame(b'{"frame":%d}' % number)

def fails(act, home, number):
    try:
        act(home, number)
    except HomeUnusable as error:
        return str(error)
    sys.exit(f"{act} took number {number}")

for start in (0, 100):
    with FolderStore.open(path) as home:
        room((path / file).stat().st_size + 500)
        number = start
        try:
            while True:
                write(home, number)
                number += 1
        except HomeUnusable as error:
            print(error)
        size = (path / file).stat().st_size
        room(resource.RLIM_INFINITY)
        for _ in range(3):
            print(fails(write, home, number))
        if file == "log.jsonl":
            print(fails(lambda home, number: home.journal.write(Sent(b"")), home, 0))
        assert (path / file).stat().st_size == size
        print(number - start, "kept")
with FolderStore.open(path) as home:
    write(home, 200)
"""


@pytest.mark.parametrize("file", ["journal", "log.jsonl", "lobby"])
def test_a_full_disk(tmp_path: Path, file: str) -> None:
    """What did not fit is not stored, nothing is written after it, and reopening the store works."""
    path = tmp_path / "home"
    with made(path) as home:
        home.save_session(session())
    with running("-c", FULL, str(path), file) as child:
        out, _ = child.communicate(timeout=60)
    assert child.returncode == 0
    *_, kept = lines = out.splitlines()
    count = int(kept.removesuffix(" kept"))
    refused = f"cannot write to {path / file}: it was closed, or an earlier write failed; open the home again"
    once = [f"cannot use {path / file}: File too large", *[refused] * (4 if file == "log.jsonl" else 3)]
    assert lines[: len(once)] == lines[len(once) + 1 : -1] == once and count > 5
    with FolderStore.open(path) as home:
        numbers = {
            "journal": [int(record.entry) for record in home.journal.records if isinstance(record, Sent)],
            "log.jsonl": [json.loads(entry)["entry"] for entry in home.entries],
            "lobby": [json.loads(frame)["frame"] for frame in home.lobby],
        }[file]
    first = [number for number in numbers if number < 100]
    assert numbers == [*range(len(first)), *range(100, 100 + count), 200] and len(first) > 5


# --- What cannot be used ---


def damaged(path: Path, file: str, change: Callable[[bytes], bytes]) -> str:
    """Return the error for a used store in which one file was changed."""
    lived_in(path)
    target = path / file
    target.write_bytes(change(target.read_bytes()))
    changed = {one.name: one.read_bytes() for one in path.iterdir()}
    with pytest.raises((HomeUnusable, OtherFormat)) as caught:
        FolderStore.open(path)
    said = str(caught.value)
    for secret in (KEY, ROOT):
        assert secret.hex() not in said and base64.b64encode(secret).decode() not in said
    assert str(path) in said and "\n" not in said
    assert {one.name: one.read_bytes() for one in path.iterdir()} == changed
    return said


def saying(**changes: object) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        return encode({**json.loads(data), **changes})

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (saying(version="1-0"), "other format: it is version '1-0'"),
        (saying(version="9", key=["anything"], more=1), "other format: it is version '9'"),
        (saying(version=None), "other format"),
        (saying(format="nodealer-log"), "is not a home"),
        (lambda data: b"{}", "is not a home"),
        (lambda data: b"", "cannot be read"),
        (lambda data: b"[]", "cannot be read"),
        (lambda data: b"\xff", "cannot be read"),
        (lambda data: data[:-9], "cannot be read"),
        (lambda data: data + b"\n", "not in its canonical encoding"),
        (lambda data: data.replace(b'"name"', b' "name"'), "not in its canonical encoding"),
        (saying(more=1), "unknown field"),
        (saying(key=""), "length >= 32"),
        (saying(key="?"), "base64"),
        (saying(root=base64.b64encode(bytes(33)).decode()), "length <= 32"),
        (saying(name=7), "name"),
        (saying(name="a" * 5000), "cannot be read"),
    ],
)
def test_another_home_json(tmp_path: Path, change: Callable[[bytes], bytes], said: str) -> None:
    assert said in damaged(tmp_path / "home", "home.json", change)
    with pytest.raises(OtherFormat if "other format" in said else HomeUnusable):
        FolderStore.open(tmp_path / "home")


@pytest.mark.parametrize(
    ("file", "change", "said"),
    [
        ("journal", lambda data: b"garbage\n" + data, "damaged: line 1"),
        ("journal", lambda data: data + b"\n", "damaged: line 2"),
        ("lobby", lambda data: b"garbage\n" + data, "damaged: a frame cannot be read"),
        ("lobby", lambda data: data + b"{ }\n", "damaged: a frame is not in its canonical encoding"),
        ("lobby", lambda data: data + b"[]\n", "damaged: a frame cannot be read"),
        ("lobby", lambda data: b"\n" + data, "damaged: line 1 is empty"),
        ("log.jsonl", lambda data: b"garbage\n" + data, "damaged: the first line"),
        ("log.jsonl", lambda data: data.partition(b"\n")[2], "damaged: the first line is not the first line of a log"),
        ("log.jsonl", lambda data: b"", "damaged: the first line"),
        ("log.jsonl", lambda data: data.replace(FORMAT_VERSION.encode(), b"1-0", 1), "damaged: other format"),
    ],
)
def test_damaged_lines(tmp_path: Path, file: str, change: Callable[[bytes], bytes], said: str) -> None:
    assert said in damaged(tmp_path / "home", file, change)


def test_a_damaged_line_among_the_entries(tmp_path: Path) -> None:
    """Entries are read one at a time, so the error comes when the damaged one is read."""
    lived_in(tmp_path / "home")
    with (tmp_path / "home" / "log.jsonl").open("ab") as file:
        file.write(b"\n" + ENTRIES[0] + b"\n")
    with FolderStore.open(tmp_path / "home") as home:
        entries = home.entries
        assert [next(entries), next(entries)] == ENTRIES
        with pytest.raises(HomeUnusable, match="is damaged: line 4 is empty"):
            next(entries)
        os.truncate(tmp_path / "home" / "log.jsonl", 0)
        with pytest.raises(HomeUnusable, match="line 1 is empty, too long or missing"):
            next(home.entries)


@pytest.mark.parametrize("file", ["home.json", "lock", "journal", "lobby", "log.jsonl"])
def test_a_file_is_gone(tmp_path: Path, file: str) -> None:
    lived_in(tmp_path / "home")
    (tmp_path / "home" / file).unlink()
    with pytest.raises(HomeUnusable, match="its log is missing" if file == "log.jsonl" else f"{file}: No such file"):
        FolderStore.open(tmp_path / "home")
    assert not (tmp_path / "home" / file).exists()


@pytest.mark.parametrize("file", ["journal", "lobby", "log.jsonl"])
def test_a_torn_line(tmp_path: Path, file: str) -> None:
    lived_in(tmp_path / "home")
    path = tmp_path / "home" / file
    whole = path.read_bytes()
    for torn in (b"{", whole[-9:-1], bytes(100)):
        path.write_bytes(whole + torn)
        with FolderStore.open(tmp_path / "home") as home:
            assert (list(home.lobby), list(home.entries), home.journal.records) == (FRAMES, ENTRIES, (RECORD,))
        assert path.read_bytes() == whole


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(HomeUnusable, match="No such file"):
        FolderStore.open(tmp_path / "home")
    with pytest.raises(HomeUnusable, match="No such file"):
        made(tmp_path / "no" / "home")
    (tmp_path / "file").touch()
    with pytest.raises(HomeUnusable, match="File exists"):
        made(tmp_path / "file")
    with pytest.raises(HomeUnusable, match="Not a directory"):
        FolderStore.open(tmp_path / "file")


@pytest.mark.parametrize("left", ["letters.txt", "log.jsonl", "journal", "lobby"])
def test_not_where_something_else_is(tmp_path: Path, left: str) -> None:
    """A journal is never combined with another key, and a folder with other contents is not touched."""
    (tmp_path / left).write_bytes(b"something")
    tmp_path.chmod(0o755)
    with pytest.raises(HomeUnusable, match="is not empty; a home needs its own folder"):
        made(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [left] and tmp_path.stat().st_mode & 0o777 == 0o755


def test_not_twice(tmp_path: Path) -> None:
    lived_in(tmp_path / "home")
    with pytest.raises(HomeUnusable, match=f"^there is already a home in {tmp_path / 'home'}$"):
        FolderStore.create(tmp_path / "home", "Ada", OTHER_KEY, ROOT)


def test_a_path_stays_what_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with made(Path("home")) as home:
        monkeypatch.chdir("/")
        home.save_session(session())
    assert (tmp_path / "home" / "log.jsonl").exists()


@pytest.mark.parametrize("bad", [{"key": KEY[1:]}, {"root": ROOT + b"a"}, {"key": "a" * 32}, {"root": None}])
def test_bad_secrets(tmp_path: Path, bad: dict[str, Any]) -> None:
    with pytest.raises(BadParameter, match="must have 32 bytes"):
        FolderStore.create(tmp_path / "home", "Ada", **({"key": KEY, "root": ROOT} | bad))
    assert not (tmp_path / "home").exists()


def test_a_bad_name(tmp_path: Path) -> None:
    with pytest.raises(DecodeError, match="the name begins or ends with a space"):
        made(tmp_path / "home", " Ada")
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("frame", [b"", b"[]", b"{ }", b"{\n}", b'{"a":1}\n', b"\xff", b'{"a":1,"a":1}'])
def test_what_is_no_frame_is_not_kept(tmp_path: Path, frame: bytes) -> None:
    with made(tmp_path / "home") as home:
        with pytest.raises(BadParameter, match="cannot save this frame: a frame of the lobby"):
            home.append_lobby_frame(frame)
        home.append_lobby_frame(FRAMES[0])
        assert list(home.lobby) == FRAMES[:1]


@pytest.mark.parametrize("entry", [b"", b"{\n}", b"a" * (2 * MESSAGE_BYTES_MAX + 1)])
def test_what_is_no_line_is_not_kept(tmp_path: Path, entry: bytes) -> None:
    with made(tmp_path / "home") as home:
        home.save_session(session())
        with pytest.raises(BadParameter, match="takes only single lines"):
            home.append(entry)
        home.append(ENTRIES[0])
    with FolderStore.open(tmp_path / "home") as home:
        assert list(home.entries) == ENTRIES[:1]


def test_one_table_and_nothing_before_it(tmp_path: Path) -> None:
    with made(tmp_path / "home") as home:
        with pytest.raises(BadParameter, match="before the players have agreed"):
            home.append(ENTRIES[0])
        with pytest.raises(BadParameter, match="before the players have agreed"):
            home.journal.write(RECORD)
        home.save_session(session())
        with pytest.raises(BadParameter, match="already agreed"):
            home.save_session(session())


# --- A seat ---


@cache
def undisturbed() -> Game:
    return tiny().play()


def die() -> None:
    raise Killed


def killed_with(path: Path, record: int) -> HomeGame:
    """Return a table whose seat 0 was killed just after this journal record was written."""
    table = HomeGame(path)
    table.sit(DyingJournal(table.home.journal, record, die))
    with pytest.raises(Killed):
        table.play()
    return table


def test_a_seat_comes_back_with_the_same_bytes(tmp_path: Path) -> None:
    """It is killed after every journal record in turn."""
    records = undisturbed().persons[0].journal.records
    for count in range(1, len(records) + 1):
        table = killed_with(tmp_path / str(count), count)
        table.come_back()
        assert table.home.journal.records == records[:count]
        table.go_on()
        assert table.log == undisturbed().log and table.home.journal.records == records
        table.home.close()


def test_a_killed_process_comes_back_with_the_same_bytes(tmp_path: Path) -> None:
    with running("-m", "client.table", str(tmp_path / "killed"), "5") as child:
        child.communicate(timeout=60)
    assert child.returncode == -signal.SIGKILL
    # The other seats as they were, and seat 0 from the store of the killed process.
    table = killed_with(tmp_path / "other", 5)
    table.path = tmp_path / "killed"
    table.come_back()
    assert list(table.home.entries) == table.log
    table.go_on()
    assert table.log == undisturbed().log
    table.home.close()


def put_back(path: Path, file: str) -> HomeGame:
    """Return a finished table in which one file of seat 0's store was replaced by an older copy."""
    old = path.parent / "old"

    def save(game: Game) -> bool:
        if len(game.log) == 4:
            shutil.copy(path / file, old)
        return False

    table = HomeGame(path)
    table.play(until=save)
    shutil.copy(old, path / file)
    return table


def test_an_old_journal_with_a_newer_log(tmp_path: Path) -> None:
    table = put_back(tmp_path / "home", "journal")
    with pytest.raises(JournalLost, match="the log has an entry of seat 0 that is not in its journal"):
        table.come_back()
    table.home.close()


def test_an_old_log_with_a_newer_journal(tmp_path: Path) -> None:
    table = put_back(tmp_path / "home", "log.jsonl")
    with pytest.raises(LogRolledBack, match="lacks a head that this seat has seen"):
        table.come_back()
    table.home.close()
