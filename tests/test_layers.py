"""Who imports whom, and what of the world each room may touch: lists of what is allowed, and all else is not.

What is not caught, because nobody does it by accident: modules reached as attributes of others, and names in strings.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src" / "nodealer"
#: The laboratory: a project of its own, which may import the package. Its commands are a room of their own.
LAB = Path(__file__).parents[1] / "lab" / "src" / "nodealer_lab"
LAB_ROOMS = {"lab/cli"}

#: The arrows of the design; an arrow includes all that its target may import. Beyond the design: cards read tape and
#: wire, keys the core, and tapes its secret orders; and the library for developers, which the package opens when
#: somebody asks for it.
ARROWS: dict[str, set[str]] = {
    "errors": set(),
    "wire": {"errors"},
    "tape": {"errors", "group"},
    "wordlist": {"tape"},
    "cpace": {"group"},
    "keys": {"tape", "group"},
    "records": set(),
    "printable": set(),
    "cards": {"errors", "records", "tape", "wire"},
    "group": {"errors"},
    "proofs": {"group", "tape"},
    "protocols": {"proofs", "cards"},
    "log": {"tape", "keys", "wire"},
    "games": {"cards", "printable", "tape", "wire"},
    "game": {"cards", "games"},
    "engine": {"protocols", "games", "log", "printable", "wordlist"},
    "audit": {"engine"},
    "relay": {"keys", "wire", "wordlist", "cpace"},
    "client": {"engine", "relay", "audit", "wordlist", "games"},
    "web": {"client", "audit"},
    "events": {"client"},
    "api": {"audit", "client", "events"},
    "__init__": {"api", "errors", "events", "game"},
    "cheats": {"engine"},
    "gamecheck": {"client"},
    "cli": {"cheats", "gamecheck", "web"},
    "lab": {"api", "cheats", "client", "relay"},
    "lab/cli": {"cli", "lab"},
}

#: Modules without any effect: every room may use them.
PLAIN = {"__future__", "abc", "bisect", "collections", "collections.abc", "contextlib", "copy", "dataclasses", "enum"}
PLAIN |= {"functools", "heapq", "itertools", "math", "operator", "struct", "types", "typing"}

#: What else of the world a room may import. Time, entropy, disks and networks are arguments to all rooms above `audit`.
OUTSIDE: dict[str, set[str]] = {
    "wire": {"msgspec"},
    "tape": {"hashlib"},
    "wordlist": {"hashlib"},
    "cpace": {"hashlib"},
    "keys": {"hashlib", "hmac"},
    "group": {"hashlib"},
    "proofs": {"hashlib"},
    "protocols": {"hashlib", "msgspec"},
    "log": {"msgspec", "re", "unicodedata"},
    "games": {"msgspec"},
    "engine": {"msgspec"},
    "web": {"msgspec"},
    "client": {"msgspec"},
    "relay": {"asyncio", "base64", "binascii", "hashlib", "hmac", "msgspec", "re"},
    "audit": {"concurrent.futures", "pathlib"},
    "api": {"msgspec", "pathlib", "secrets"},
    "cheats": {"msgspec"},
    "gamecheck": {"hashlib", "importlib", "io", "json", "msgspec", "os", "pathlib", "subprocess", "sys"},
    "lab/cli": {"msgspec", "pathlib", "rich", "time", "typer"},
    "lab": {"asyncio", "cryptography", "fcntl", "gc", "gmpy2", "hashlib", "importlib", "io", "json", "msgspec", "os"}
    | {"pathlib", "platform", "resource", "shutil", "signal", "statistics", "subprocess", "sys", "tempfile", "time"},
    "cli": {
        "asyncio",
        "atexit",
        "codecs",
        "concurrent.futures",
        "getpass",
        "hashlib",
        "importlib",
        "io",
        "json",
        "msgspec",
        "multiprocessing",
        "os",
        "pathlib",
        "platform",
        "platformdirs",
    }
    | {
        "rich",
        "secrets",
        "segno",
        "shlex",
        "signal",
        "sys",
        "tempfile",
        "threading",
        "time",
        "typer",
        "unicodedata",
        "uvicorn",
        "webbrowser",
    },
}

#: Single files that may do more than their room: the only ones in which bytes meet a disk, a socket or a library that
#: has effects of its own.
FILES: dict[str, set[str]] = {
    "__init__.py": {"importlib"},
    "group/__init__.py": {"importlib", "os"},
    "group/native.py": {"importlib", "pathlib"},
    "group/cpu.py": {"pathlib"},
    "group/modp.py": {"concurrent.futures", "os"},
    "log/file.py": {"pathlib"},
    "client/table_client.py": {"asyncio", "time"},
    "client/network_game.py": {"time"},
    "client/ui.py": {"asyncio"},
    "client/bot_process.py": {"asyncio", "pathlib", "sys"},
    "client/entropy.py": {"secrets"},
    "client/game_catalogue.py": {"os", "pathlib"},
    "client/game_loader.py": {"os", "sys"},
    "client/local_host.py": {"asyncio", "pathlib"},
    "client/local_relay.py": {"time"},
    "client/log_export.py": {"os", "pathlib"},
    "client/processes.py": {"asyncio", "pathlib", "signal", "sys"},
    "client/suggestions.py": {"difflib"},
    "client/timekeeper_process.py": {"asyncio", "pathlib", "sys"},
    "client/durable_files.py": {"fcntl", "os", "pathlib"},
    "client/identity.py": {"hashlib", "os", "pathlib", "stat", "unicodedata"},
    "client/relay_transport.py": {"asyncio", "time"},
    "client/pairing.py": {"asyncio"},
    "client/journal.py": {"pathlib"},
    "client/seat_names.py": {"re"},
    "client/folder_store.py": {"fcntl", "os", "pathlib"},
    "client/host_relay.py": {"asyncio", "pathlib", "socket", "time"},
    "client/saved_games.py": {"pathlib", "platformdirs", "time"},
    "client/table_folders.py": {"pathlib"},
    "games/registry.py": {"importlib", "importlib.metadata"},
    "games/holdem/adapter.py": {"importlib.metadata", "pokerkit", "warnings"},
    "games/holdem/export.py": {"pokerkit"},
    "cheats/registry.py": {"difflib", "importlib.metadata"},
    "cli/commands.py": {"importlib.metadata"},
    "cli/webpage.py": {"socket"},
    "cli/relay_process.py": {"datetime", "ssl"},
    "lab/attacks/__init__.py": {"difflib"},
    "lab/attacks/process.py": {"traceback"},
    "lab/attacks/defence.py": {"ast", "inspect", "textwrap"},
    "lab/bench/page.py": {"playwright"},
    "lab/bench/servers.py": {"socket", "starlette", "uvicorn", "websockets"},
    "lab/bench/tab/chromium.py": {"http", "playwright", "threading"},
    "lab/bench/traffic.py": {"select"},
    "lab/bench/websocket_wire.py": {"base64", "socket", "struct"},
    "lab/bench/memory.py": {"concurrent.futures"},
    "lab/sim/runs.py": {"concurrent.futures"},
    "lab/browser.py": {"playwright", "queue", "re", "socket", "threading"},
    "web/hub.py": {"asyncio"},
    "web/lobby.py": {"segno"},
    "web/page_ui.py": {"asyncio"},
    "web/controller.py": {"asyncio", "pathlib", "time"},
    "web/socket_owner.py": {"os", "pathlib", "socket", "sys"},
    "web/bundle/build.py": {
        "base64",
        "hashlib",
        "io",
        "json",
        "os",
        "pathlib",
        "shutil",
        "subprocess",
        "sys",
        "zipfile",
    },
    "web/bundle/check.py": {"hashlib", "http.client", "time", "urllib"},
    "web/bundle/content.py": {"hashlib", "json", "pathlib", "re"},
    "web/bundle/link.py": {"os", "sys"},
    "web/bundle/serve.py": {"hashlib", "pathlib", "starlette"},
    "web/tab/worker.py": {"asyncio", "pyodide", "secrets", "time", "traceback"},
    "web/tab/practice.py": {"asyncio"},
    "web/tab/table.py": {"pathlib", "time"},
    "web/server.py": {"asyncio", "hmac", "importlib", "socket", "starlette", "uvicorn"},
    "relay/client.py": {"ipaddress", "websockets"},
    "relay/server/fanout.py": {"websockets"},
    "relay/server/listener.py": {"http", "logging", "ssl", "websockets"},
    "relay/server/sockets.py": {"ipaddress", "os", "ssl", "websockets"},
    "relay/stores/base.py": {"os", "pathlib", "tempfile"},
    "relay/stores/jetstream.py": {"nats"},
    "relay/stores/nats.py": {"datetime", "nats", "secrets", "time"},
    "relay/stores/page_cache.py": {"os", "pathlib", "weakref"},
    "relay/stores/sqlite.py": {"concurrent.futures", "fcntl", "os", "pathlib", "queue", "sqlite3", "threading"},
}

#: What may be missing where a seat runs, a browser for one: asked for in a `try` that can do without it …
OPTIONAL = {"cli/terminal/input.py": {"readline", "termios"}, "group/integers.py": {"gmpy2"}}
#: … or inside a function, when it is needed. Start-up time is a reason in `cli` and in the lab only.
LATE = {
    "keys.py": {"cryptography", "nodealer.group"},
    "group/order.py": {"nodealer.group"},
    "wordlist.py": {"mnemonic"},
    "client/relay_transport.py": {"nodealer.relay.client"},
}
LATE_ROOMS = {"cli", "lab", "lab/cli"}
#: The rooms that a seat needs, and what a browser's Python lacks.
SEAT = {"errors", "wire", "tape", "wordlist", "keys", "cards", "group", "cpace", "proofs"}
SEAT |= {"protocols", "log", "games", "engine"}
NOT_IN_A_BROWSER = {"cryptography", "fcntl", "gmpy2", "resource", "rich", "starlette", "typer", "uvicorn", "websockets"}

#: Names that reach around every list, and names that belong to a terminal.
NEVER = {"eval", "exec", "compile", "__import__", "__builtins__", "__loader__", "__spec__"}
#: … but for this: a defence is removed by making a function anew, in a process of the lab's own.
MAKES_ANEW = {"lab/attacks/defence.py": {"exec", "compile"}}
TERMINAL = {"open", "input", "print", "breakpoint"}
TERMINAL_ROOMS = {"cli", "lab", "lab/cli"}

#: What all games may import of their room. Which games there are, and where, is not for them.
GAMES_SHARE = {"bank", "base", "package", "pots", "text", "turns", "view"}

#: What an arrow would reach, and is not for this room: the core is behind the keys, and a library brings no sockets.
NOT_FOR = {room: {"group"} for room in ("wordlist", "cards", "log", "games", "game", "relay")} | {"api": {"relay"}}


def reach(room: str) -> set[str]:
    """All rooms that a room may import."""
    seen: set[str] = set()
    todo = [room]
    while todo:
        for target in ARROWS[todo.pop()] - seen:
            seen.add(target)
            todo.append(target)
    return seen - NOT_FOR.get(room, set())


@dataclass(frozen=True)
class Import:
    """A module that a file imports, where, and what it takes from it."""

    module: str
    names: tuple[str, ...] = ()
    level: int = 0
    late: bool = False
    optional: bool = False

    def allowed_by(self, modules: set[str]) -> bool:
        """By its own name or by that of a package it is in. `import a.b` binds `a`, so that `a` must be allowed."""
        parts = self.module.split(".")
        prefixes = {".".join(parts[:end]) for end in range(1, len(parts) + 1)}
        return bool(modules & (prefixes if self.names else {parts[0], *(prefixes & PLAIN)}))


def imports(tree: ast.Module) -> Iterator[Import]:
    """Every import of a file, those for the type checker included."""
    late, optional = set[int](), set[int]()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            late |= {id(inner) for inner in ast.walk(node)}
        if isinstance(node, ast.Try) and any(_catches_import_error(handler) for handler in node.handlers):
            optional |= {id(inner) for statement in node.body for inner in ast.walk(statement)}
    for node in ast.walk(tree):
        here = {"late": id(node) in late, "optional": id(node) in optional}
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, late=here["late"], optional=here["optional"]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = tuple(alias.name for alias in node.names)
            yield Import(node.module or "", names, node.level, late=here["late"], optional=here["optional"])


def _catches_import_error(handler: ast.ExceptHandler) -> bool:
    return isinstance(handler.type, ast.Name) and handler.type.id in ("ImportError", "ModuleNotFoundError")


def files(src: Path, lab: bool) -> Iterator[tuple[str, str, Path]]:
    """Every file below a folder: its name in the lists, its room, and its path."""
    for path in sorted(src.rglob("*.py")):
        file = path.relative_to(src).as_posix()
        room = file.partition("/")[0].removesuffix(".py")
        if lab:
            file, room = f"lab/{file}", f"lab/{room}" if f"lab/{room}" in LAB_ROOMS else "lab"
        yield file, room, path


def violations(src: Path, lab: bool = False) -> Iterator[str]:
    for file, room, path in files(src, lab):
        tree = ast.parse(path.read_text())
        if room not in ARROWS:
            yield f"{file}: {room} is not a room of the design"
            continue
        found = [*names_used(file, room, tree)]
        for imported in imports(tree):
            if imported.level:
                found.append("a relative import")
            elif imported.module.partition(".")[0] == "nodealer":
                found += inside(src, file, room, imported)
            elif lab and imported.module.partition(".")[0] == "nodealer_lab":
                if room == "lab" and imported.module.startswith("nodealer_lab.cli"):
                    found.append("lab may not import its commands")
            else:
                found += outside(file, room, imported)
            if imported.late and room not in LATE_ROOMS and not imported.allowed_by(LATE.get(file, set())):
                found.append(f"imports {imported.module} inside a function")
        yield from (f"{file}: {what}" for what in found)


def names_used(file: str, room: str, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        banned = (NEVER if room in TERMINAL_ROOMS else NEVER | TERMINAL) - MAKES_ANEW.get(file, set())
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in banned:
            yield f"{room} may not use {node.id}"


def inside(src: Path, file: str, room: str, imported: Import) -> Iterator[str]:
    """What is wrong with an import of another module of the package."""
    _, *rest = imported.module.split(".")
    if not rest and not imported.names:
        if room not in LATE_ROOMS:
            yield f"{room} may not import all of nodealer: from nodealer import …"
        return
    for target in [rest[0]] if rest else imported.names:
        if target not in {room, "__version__", *reach(room)}:
            yield f"{room} may not import {target}"
    if room in ("protocols", "games") and file != f"{room}/__init__.py":
        yield from _siblings(src, file, room, imported, rest)


def _siblings(src: Path, file: str, room: str, imported: Import, rest: list[str]) -> Iterator[str]:
    """Protocols, and games, do not know each other. What is shared among them stands beside them in their room."""
    if not rest or rest[0] != room:
        return
    own = file.split("/")[1].removesuffix(".py")
    for target in rest[1:2] or imported.names:
        shared = target in GAMES_SHARE if room == "games" else (src / room / f"{target}.py").is_file()
        if not shared and target != own:
            yield f"{own} may not import {target} of {room}"


def outside(file: str, room: str, imported: Import) -> Iterator[str]:
    """What is wrong with an import of a module of the standard library or of another package."""
    allowed = PLAIN | OUTSIDE.get(room, set()) | FILES.get(file, set())
    if imported.late:
        allowed = allowed | LATE.get(file, set())
    if imported.optional:
        allowed = allowed | OPTIONAL.get(file, set())
    if not imported.allowed_by(allowed):
        yield f"{room} may not import {imported.module}"


#: What makes one string of bytes of several values, to be hashed.
HASHES = {"digest", "framed", "expand", "absorb"}


def hashes_repr(node: ast.AST) -> bool:
    """Whether a call hashes what Python shows of a value: renaming a field would make another hash of it."""
    if not isinstance(node, ast.Call):
        return False
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
    inner = [part for argument in (*node.args, *node.keywords) for part in ast.walk(argument)]
    shows = (isinstance(part, ast.Call) and getattr(part.func, "id", None) == "repr" for part in inner)
    formats = (isinstance(part, ast.FormattedValue) and part.conversion == ord("r") for part in inner)
    return called in HASHES and (any(shows) or any(formats))


def bad_style(src: Path) -> Iterator[str]:
    """`assert` is gone under -O, so it checks nothing; a bare `except` hides what it should show; and no hash is of a
    `repr`."""
    for path in sorted(src.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if hashes_repr(node):
                yield f"{path.relative_to(src)}:{node.lineno}: a repr is hashed"  # type: ignore[attr-defined]
            if isinstance(node, ast.Assert):
                yield f"{path.relative_to(src)}:{node.lineno}: assert"
            if isinstance(node, ast.ExceptHandler) and node.type is None:
                yield f"{path.relative_to(src)}:{node.lineno}: bare except"


def test_layers() -> None:
    assert list(violations(SRC)) == []
    assert list(violations(LAB, lab=True)) == []


def test_the_package_does_not_know_the_lab() -> None:
    """Not even in a string: the lab is found through entry points only."""
    assert [path.name for path in SRC.rglob("*.py") if "nodealer_lab" in path.read_text()] == []


def test_no_asserts_no_bare_excepts_and_no_repr_under_a_hash() -> None:
    assert list(bad_style(SRC)) == [] == list(bad_style(LAB))


def test_nothing_is_allowed_that_nobody_uses() -> None:
    """Arrows of rooms that exist, and the exceptions."""
    used: dict[str, set[str]] = {}
    taken: dict[str, set[str]] = {}
    for file, room, path in (*files(SRC, lab=False), *files(LAB, lab=True)):
        for imported in imports(ast.parse(path.read_text())):
            taken.setdefault(file, set()).add(imported.module)
            parts = imported.module.split(".")
            if parts[0] == "nodealer":
                rooms = parts[1:2] or imported.names
                used.setdefault(room, set()).update(rooms)
    for room, arrows in ARROWS.items():
        exist = {arrow for arrow in arrows if arrow in used or arrow == "errors"}
        # Whoever may import all need not.
        assert room not in used or room.startswith(("lab", "cli")) or exist <= used[room], room
    for table in (FILES, OPTIONAL, LATE):
        for file, modules in table.items():
            unused = {m for m in modules if not any(f"{name}.".startswith(f"{m}.") for name in taken.get(file, ()))}
            assert not unused, (file, unused)


def test_no_list_lets_a_seat_import_what_a_browser_lacks() -> None:
    for room in SEAT:
        assert not (PLAIN | OUTSIDE.get(room, set())) & NOT_IN_A_BROWSER
    for file, modules in FILES.items():
        assert file.partition("/")[0] not in SEAT or not modules & NOT_IN_A_BROWSER


def test_a_seat_loads_where_these_are_missing() -> None:
    """Every module of the rooms that a seat needs, in an interpreter that has none of it, and no Rust core."""
    files = [path.relative_to(SRC).with_suffix("") for path in sorted(SRC.rglob("*.py"))]
    modules = [".".join(("nodealer", *file.parts)).removesuffix(".__init__") for file in files if file.parts[0] in SEAT]
    missing = sorted(NOT_IN_A_BROWSER)
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({missing!r} + ['nodealer.group._core']))\n"
        "from importlib import import_module\n"
        f"for name in {modules!r}:\n"
        "    if name != 'nodealer.group.native':\n"
        "        import_module(name)\n"
        f"print(len({modules!r}), *(name for name in {missing!r} if sys.modules[name] is not None))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{len(modules)}\n", "")


# --- The test of the test ---

PROBES = [
    ("tape.py", "from nodealer.log import entry", "tape may not import log"),
    ("tape.py", "from nodealer import log", "tape may not import log"),
    ("wire.py", "from nodealer import errors, cards", "wire may not import cards"),
    ("cards/a.py", "import nodealer.games.base", "cards may not import games"),
    ("proofs/a.py", "from nodealer import cards", "proofs may not import cards"),
    ("proofs/a.py", "import nodealer.protocols.base as base", "proofs may not import protocols"),
    ("proofs/a.py", "import nodealer", "may not import all of nodealer"),
    ("proofs/a.py", "from nodealer import *", "proofs may not import *"),
    ("proofs/a.py", "from ..play import seat", "relative import"),
    ("proofs/a.py", "from . import labels", "relative import"),
    ("group/a.py", "from nodealer.proofs import labels", "group may not import proofs"),
    ("games/a.py", "import nodealer.protocols.base", "games may not import protocols"),
    ("games/a.py", "from nodealer.log.roster import Roster", "games may not import log"),
    ("log/a.py", "from nodealer.proofs.checks import settle", "log may not import proofs"),
    ("log/a.py", "from nodealer.group import group", "log may not import group"),
    ("relay/a.py", "from nodealer.group import native", "relay may not import group"),
    ("log/a.py", "if TYPE_CHECKING:\n    from nodealer.engine.seat import Seat", "log may not import engine"),
    ("engine/a.py", "from nodealer.audit import verify", "engine may not import audit"),
    ("relay/a.py", "from nodealer.log.entry import read_entry", "relay may not import log"),
    ("audit/a.py", "from nodealer.cli import app", "audit may not import cli"),
    ("cheats/a.py", "import nodealer.client.ui", "cheats may not import client"),
    ("cheats/a.py", "from nodealer_lab.attacks import ATTACKS", "cheats may not import nodealer_lab"),
    ("cli/a.py", "def f() -> None:\n    import nodealer_lab", "cli may not import nodealer_lab"),
    ("gamecheck/a.py", "import nodealer.cheats.base", "gamecheck may not import cheats"),
    ("gamecheck/a.py", "import nodealer.cli", "gamecheck may not import cli"),
    ("api.py", "from nodealer.relay import client", "api may not import relay"),
    ("room/a.py", "", "not a room"),
    ("protocols/mask/a.py", "from nodealer.protocols.lock import deck", "mask may not import lock"),
    ("protocols/mask/a.py", "from nodealer.protocols import lock", "mask may not import lock"),
    ("protocols/mask/a.py", "import nodealer.protocols.duel.bits as bits", "mask may not import duel"),
    ("protocols/mask/a.py", "from nodealer.protocols import make_protocol", "mask may not import make_protocol"),
    ("protocols/stages.py", "from nodealer.protocols.mask.deck import MaskDeck", "stages may not import mask"),
    ("games/holdem/a.py", "from nodealer.games.wardens import pool", "holdem may not import wardens"),
    ("games/holdem/a.py", "from nodealer.games import free", "holdem may not import free"),
    ("games/free/a.py", "from nodealer.games.holdem.hand import Hand", "free may not import holdem"),
    ("games/holdem/a.py", "from nodealer.games.registry import find", "holdem may not import registry"),
    ("games/package.py", "from nodealer.games.registry import find", "package may not import registry"),
    ("games/view.py", "from nodealer.games.wardens.hand import WardensGame", "view may not import wardens"),
    ("games/pots.py", "from nodealer.games.holdem.hand import Hand", "pots may not import holdem"),
    ("engine/a.py", "import time", "engine may not import time"),
    ("engine/a.py", "from os import urandom", "engine may not import os"),
    ("engine/a.py", "from threading import Thread", "engine may not import threading"),
    ("engine/a.py", "import datetime as d", "engine may not import datetime"),
    ("log/entry.py", "import secrets", "log may not import secrets"),
    ("log/roster.py", "from pathlib import Path", "log may not import pathlib"),
    ("log/journal.py", "import os", "log may not import os"),
    ("client/journal.py", "import fcntl", "client may not import fcntl"),
    ("client/a.py", "from os import urandom", "client may not import os"),
    ("protocols/mask/a.py", "def f() -> None:\n    import random", "protocols may not import random"),
    ("protocols/mask/a.py", "def f() -> None:\n    from nodealer.proofs import linear", "inside a function"),
    ("protocols/a.py", "class A:\n    async def f(self) -> None:\n        import hashlib", "inside a function"),
    ("protocols/a.py", "import multiprocessing.pool", "protocols may not import multiprocessing.pool"),
    ("audit/a.py", "from multiprocessing import Pool", "audit may not import multiprocessing"),
    ("games/a.py", "from importlib import import_module", "games may not import importlib"),
    ("games/holdem/adapter.py", "import importlib.metadata", "games may not import importlib.metadata"),
    ("games/holdem/adapter.py", "from importlib import import_module", "games may not import importlib"),
    ("games/a.py", "import pokerkit", "games may not import pokerkit"),
    ("proofs/a.py", "data = open('/etc/passwd')", "proofs may not use open"),
    ("games/a.py", "read = open", "games may not use open"),
    ("games/a.py", "name = __import__('o' + 's')", "games may not use __import__"),
    ("engine/a.py", "eval('1')", "engine may not use eval"),
    ("cli/a.py", "exec('pass')", "cli may not use exec"),
    ("api.py", "print('hello')", "api may not use print"),
    ("wire.py", "__builtins__['open']", "wire may not use __builtins__"),
    ("proofs/a.py", "import builtins", "proofs may not import builtins"),
    ("keys.py", "from cryptography.exceptions import InvalidSignature", "keys may not import cryptography"),
    ("log/a.py", "def f() -> None:\n    import cryptography", "log may not import cryptography"),
    ("group/modp.py", "import gmpy2", "group may not import gmpy2"),
    ("group/integers.py", "import gmpy2", "group may not import gmpy2"),
    ("group/integers.py", "try:\n    import gmpy2\nexcept OSError:\n    pass", "group may not import gmpy2"),
    ("group/integers.py", "try:\n    pass\nexcept ImportError:\n    import gmpy2", "group may not import gmpy2"),
    ("engine/a.py", "import rich.console", "engine may not import rich.console"),
    ("games/a.py", "from typer import Typer", "games may not import typer"),
    ("relay/permissions.py", "from websockets.sync.client import connect", "relay may not import websockets"),
    ("cli/a.py", "def f() -> None:\n    from random import choice", "cli may not import random"),
]


@pytest.mark.parametrize(("file", "text", "found"), PROBES)
def test_the_test_finds(tmp_path: Path, file: str, text: str, found: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    assert any(found in violation for violation in violations(tmp_path))


@pytest.mark.parametrize(
    "text",
    [
        "assert True",
        "try:\n    pass\nexcept:\n    pass",
        "digest('a', repr(b))",
        "tape.framed('a', encode(repr(b)))",
        "expand('a', f'{b!r}', size=32)",
        "transcript.absorb('a', *(repr(b) for b in c))",
    ],
)
def test_the_style_test_finds(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.py").write_text(text)
    assert len(list(bad_style(tmp_path))) == 1


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("client/folder_store.py", "import fcntl\nimport os\nfrom pathlib import Path"),
        ("engine/a.py", "from nodealer.wire import encode\nfrom nodealer.proofs import checks, linear"),
        ("engine/a.py", "from nodealer import errors, tape\nimport nodealer.log.entry as entry"),
        ("cli/a.py", "from nodealer import __version__\nfrom rich.console import Console\nprint(open('a'))"),
        ("group/a.py", "import collections.abc\nfrom nodealer import __version__"),
        ("group/integers.py", "try:\n    import gmpy2\nexcept ImportError:\n    gmpy2 = None"),
        ("keys.py", "def f() -> None:\n    from cryptography.exceptions import InvalidSignature"),
        ("games/holdem/a.py", "from nodealer.games.base import Game\nfrom nodealer.games.holdem.hand import Hand"),
        ("games/holdem/a.py", "from nodealer.games import base\nfrom nodealer.games.holdem import hand"),
        ("games/holdem/a.py", "from nodealer.games.package import Bot\nfrom nodealer.games.view import View"),
        ("games/holdem/a.py", "from nodealer.games import turns\nfrom nodealer.games.pots import Pot"),
        ("games/holdem/adapter.py", "from importlib.metadata import version"),
        ("games/__init__.py", "from nodealer.games.holdem import Holdem\nfrom nodealer.games.free import Free"),
        ("protocols/__init__.py", "from nodealer.protocols.mask import Mask\nfrom nodealer.protocols.lock import Lock"),
        ("protocols/mask/a.py", "from nodealer.protocols.mask import deck\nfrom nodealer.proofs import shuffle"),
        ("relay/server/listener.py", "import asyncio\nfrom websockets.asyncio.server import serve"),
        ("relay/permissions.py", "from nodealer.wire import LIMITS\nfrom nodealer.errors import RelayError"),
        ("api.py", "import secrets\nfrom nodealer.audit.verify import verify_file"),
        ("__init__.py", "from importlib import import_module\nfrom nodealer import errors, events, game"),
        ("api/a.py", "from nodealer.client.local_table import Carrier\nfrom nodealer import events"),
        ("proofs/a.py", "def opener(open_: int) -> None:\n    path.open()"),
        ("engine/a.py", "class Duties:\n    open: tuple[int, ...]"),
    ],
)
def test_what_is_allowed_is_allowed(tmp_path: Path, file: str, text: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    assert list(violations(tmp_path)) == []


@pytest.mark.parametrize(
    ("file", "text", "found"),
    [
        ("a.py", "import nodealer.cli", "lab may not import cli"),
        ("a.py", "import nodealer.web.page", "lab may not import web"),
        ("a.py", "import random", "lab may not import random"),
        ("sim/a.py", "from nodealer_lab.cli import bench", "lab may not import its commands"),
        ("cli/a.py", "import nodealer.web.page", ""),
        ("cli/a.py", "import random", "lab/cli may not import random"),
        ("a.py", "import nodealer\nimport time\n\ndef f() -> None:\n    import nodealer.engine.seat", ""),
        ("a.py", "from nodealer_lab.sim import world", ""),
    ],
)
def test_what_the_lab_may_import(tmp_path: Path, file: str, text: str, found: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    said = list(violations(tmp_path, lab=True))
    assert any(found in one for one in said) if found else not said
