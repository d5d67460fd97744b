"""The folder of a tab: what is in it, how it is served, and how it is compared with a release."""

from __future__ import annotations

import ast
import asyncio
import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from nodealer.cli import webpage
from nodealer.errors import BadParameter, RelayError
from nodealer.web.bundle import build, check
from nodealer.web.bundle.content import BUNDLE, POLICY, RUNTIME_MARK, content_hash, page_files, seat_modules
from nodealer.web.bundle.link import linker_command
from nodealer.web.bundle.serve import create_app, read_list

ABSENT = {"cryptography", "fcntl", "gmpy2", "resource", "rich", "starlette", "typer", "uvicorn", "websockets", "socket"}


def test_a_seat_has_all_it_imports_and_nothing_that_a_browser_lacks() -> None:
    modules = seat_modules()
    names = {path.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for path in modules}
    for path, source in modules.items():
        # Only what is imported when the module is: what is asked for later is asked for by those who have it.
        for node in ast.parse(source).body:
            found = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found += [one.name for one in node.names] if isinstance(node, ast.Import) else []
            for name in found:
                assert name.partition(".")[0] not in ABSENT, f"{path} imports {name}"
                assert not name.startswith("nodealer") or name in names, f"{path} imports {name}, which is left out"
    assert not any(f"/{room}/" in path for path in modules for room in ("bundle", "cheats", "cli", "gamecheck"))


def test_the_page_is_the_same_page_with_another_link() -> None:
    files = page_files("runtime/abc")
    index = files["index.html"].decode()
    assert "unsafe-eval" not in index.replace("wasm-unsafe-eval", "") and "unsafe-inline" not in index
    assert "Content-Security-Policy" in index and "<script>" not in index
    assert b"/static/tab/worker.js" in files["static/js/link.js"]
    assert b"/runtime/abc/pyodide.mjs" in files["static/tab/worker.js"]
    assert not any(RUNTIME_MARK in data for data in files.values())
    assert {"service.js", "how/index.html", "game/holdem/table.js", "static/js/main.js"} <= set(files)
    assert "'unsafe-eval'" not in POLICY and "unsafe-inline" not in POLICY


def test_archives_hang_on_nothing_but_their_files() -> None:
    assert build.archive({"b": b"2", "a": b"1"}) == build.archive({"a": b"1", "b": b"2"})
    assert content_hash({"a": b"1"}) != content_hash({"a1": b""}) != content_hash({"a": b"2"})


def test_the_linker_gets_objects_and_nothing_of_emcc() -> None:
    ran = linker_command("lld", ["-s", "X", "a.o", "lib.rlib", "-L", "/x", "-o", "/out/core.wasm", "-O3", "-g0"])
    assert ran[0] == "lld" and ran[ran.index("-o") + 1] == "/out/core.wasm" and ran[-2:] == ["a.o", "lib.rlib"]
    assert "-O3" not in ran and "--export-if-defined=PyInit__core" in ran


def test_without_the_target_it_is_one_line_and_4(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("nodealer.web.bundle.build.shutil.which", lambda name: None)
    monkeypatch.delenv("NODEALER_WEB_CORE", raising=False)
    assert build.main() == 4
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "NODEALER_WEB_CORE" in said
    monkeypatch.setenv("NODEALER_WEB_CORE", str(tmp_path / "none.whl"))
    with pytest.raises(build.WebMissing, match=r"none\.whl"):
        build.core_for_tab(tmp_path)


def test_the_wheel_of_the_core_is_taken_where_it_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    wheel = build.save_core_wheel(tmp_path, b"the core")
    assert wheel.name.endswith("-cp311-abi3-pyemscripten_2026_0_wasm32.whl")
    monkeypatch.setenv("NODEALER_WEB_CORE", str(wheel))
    assert build.core_for_tab(tmp_path) == b"the core"


def all_files(folder: Path) -> dict[str, str]:
    """The hash of every file below a folder."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.deep
@pytest.mark.timeout(900)
def test_another_build_gives_the_same_bytes(bundle: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With the core out of its wheel, as one without Rust would build it."""
    (wheel,) = bundle.parent.glob("nodealer_core-*.whl")
    monkeypatch.setenv("NODEALER_WEB_CORE", str(wheel))
    for kept in ("npm", "wheels", "compressed"):
        shutil.copytree(build.ROOT / "build" / "web" / kept, tmp_path / "work" / kept)
    build.build(tmp_path / "web", tmp_path / "work")
    assert all_files(tmp_path / "web") == all_files(bundle)
    assert (tmp_path / wheel.name).read_bytes() == wheel.read_bytes()


@pytest.mark.deep
@pytest.mark.timeout(1800)
def test_a_build_in_another_folder_gives_the_same_bytes(bundle: Path, tmp_path: Path) -> None:
    """All of it, the core with its compiler too: nothing in it says where it was built."""
    there = tmp_path / "elsewhere" / "nodealer"
    for name in ("src", "rust"):
        shutil.copytree(build.ROOT / name, there / name, ignore=shutil.ignore_patterns("target", "__pycache__"))
    for kept in ("npm", "wheels", "compressed"):
        shutil.copytree(build.ROOT / "build" / "web" / kept, there / "build" / "web" / kept)
    environment = {name: value for name, value in os.environ.items() if name != "NODEALER_WEB_CORE"}
    environment["PYTHONPATH"] = str(there / "src")
    command = [sys.executable, "-m", "nodealer.web.bundle.build"]
    subprocess.run(command, env=environment, cwd=there, check=True, capture_output=True)
    assert all_files(there / "dist") == all_files(bundle.parent)


# --- Serving ---


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small one."""
    files = {"index.html": b"<p>", "how/index.html": b"<i>", "runtime/abc/seat.zip": b"zip", "static/js/main.js": b"1"}
    for path, data in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    (tmp_path / "runtime/abc/seat.zip.br").write_bytes(b"packed")
    (tmp_path / "secret.txt").write_bytes(b"not listed")
    listed = {path: hashlib.sha256(data).hexdigest() for path, data in files.items()}
    packed = {"runtime/abc/seat.zip.br": hashlib.sha256(b"packed").hexdigest()}
    (tmp_path / BUNDLE).write_text(json.dumps({"version": "0", "files": listed, "packed": packed}))
    return tmp_path


def asked(app: Any, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """What is answered."""
    sent: list[dict[str, Any]] = []
    scope = {"type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b""}
    scope |= {"headers": [(name.encode(), value.encode()) for name, value in headers.items()], "scheme": "http"}
    scope |= {"server": ("127.0.0.1", 80), "root_path": "", "http_version": "1.1"}

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    got = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], got, b"".join(one.get("body", b"") for one in sent[1:])


def test_it_is_served_with_what_keeps_it_apart(folder: Path) -> None:
    app = create_app(folder)
    for path in ("/", "/index.html", "/how", "/how/"):
        status, headers, _ = asked(app, path)
        assert status == 200 and headers["content-security-policy"] == POLICY and "no-cache" in headers["cache-control"]
    status, headers, data = asked(app, "/runtime/abc/seat.zip", **{"accept-encoding": "gzip, br;q=1.0"})
    assert (status, data, headers["content-encoding"]) == (200, b"packed", "br") and "immutable" in headers[
        "cache-control"
    ]
    assert asked(app, "/runtime/abc/seat.zip", **{"accept-encoding": "gzip"})[2] == b"zip"
    tag = asked(app, "/")[1]["etag"]
    assert asked(app, "/", **{"if-none-match": tag})[0] == 304
    for path in ("/secret.txt", "/../secret.txt", "/static", "/runtime/abc/seat.zip.br"):
        assert asked(app, path)[0] == 404


def test_whose_host_somebody_asks_for_is_no_part_of_the_path(folder: Path) -> None:
    app = create_app(folder)
    for host in ("x/bundle.json?", "x/static/js/main.js#", "[", "x:y"):
        assert asked(app, "/", host=host)[::2] == (200, b"<p>")
        assert asked(app, "/elsewhere", host=host)[0] == 404


def test_what_goes_out_compressed_is_what_the_list_names_too(folder: Path) -> None:
    (folder / "runtime/abc/seat.zip.br").write_bytes(b"something else")
    with pytest.raises(BadParameter, match=r"seat\.zip\.br does not match its hash"):
        create_app(folder)
    # What the list does not name is not served in the place of a file.
    listed = json.loads((folder / BUNDLE).read_text()) | {"packed": {}}
    (folder / BUNDLE).write_text(json.dumps(listed))
    assert asked(create_app(folder), "/runtime/abc/seat.zip", **{"accept-encoding": "br"})[2] == b"zip"


@pytest.mark.parametrize("path", ["../secret.txt", "/etc/passwd", "a/../../b", "", ".hidden", "a//b", "a b", "a\\b"])
def test_a_list_names_nothing_outside_of_its_folder(folder: Path, path: str) -> None:
    for files, packed in (({path: "0"}, {}), ({}, {path: "0"})):
        (folder / BUNDLE).write_text(json.dumps({"files": files, "packed": packed}))
        with pytest.raises(BadParameter, match="below its folder"):
            create_app(folder)


def test_a_folder_that_is_not_what_it_says_is_not_served(folder: Path) -> None:
    (folder / "static/js/main.js").write_bytes(b"2")
    with pytest.raises(BadParameter, match="does not match its hash"):
        create_app(folder)
    (folder / "static/js/main.js").unlink()
    with pytest.raises(BadParameter, match="missing"):
        create_app(folder)
    for text in ("{", "[]", '{"files":[]}', '{"files":{"a":1}}'):
        (folder / BUNDLE).write_text(text)
        with pytest.raises(BadParameter):
            read_list(folder)
    with pytest.raises(BadParameter, match="make web"):
        read_list(folder / "nowhere")


# --- Comparing ---


def test_what_a_host_serves_is_compared(folder: Path) -> None:
    release = read_list(folder)
    assert read_list(folder / BUNDLE) == release
    served = {f"https://cards.example/{path}": (folder / path).read_bytes() for path in release}
    served["https://cards.example/"] = served["https://cards.example/index.html"]
    assert check.compare("https://cards.example", release, served.get).ok
    changed = served | {"https://cards.example/": b"<script>"}
    assert check.compare("https://cards.example/", release, changed.get).others == ("index.html",)
    del served["https://cards.example/static/js/main.js"]
    found = check.compare("https://cards.example", release, served.get)
    assert not found.ok and found.missing == ("static/js/main.js",)
    with pytest.raises(BadParameter):
        check.compare("file:///etc/passwd", release, served.get)


def test_a_host_is_compared_by_the_one_hash_that_a_release_names(folder: Path) -> None:
    listed = (folder / BUNDLE).read_bytes()
    digest = hashlib.sha256(listed).hexdigest()
    served = {"https://cards.example/bundle.json": listed}
    assert check.release_files("https://cards.example", digest, served.get) == {BUNDLE: digest, **read_list(folder)}
    for other in (b'{"files":{}}', None):
        # A host that serves another list, which agrees with all of its files, is told apart by the hash alone.
        found = check.release_files("https://cards.example", digest, {"https://cards.example/bundle.json": other}.get)
        assert found == {BUNDLE: digest}
    for nonsense in (b"[]", b"{", b'{"files":[1]}', b'{"files":{"a":1}}'):
        with pytest.raises(BadParameter, match="list"):
            check.release_files(
                "https://a", hashlib.sha256(nonsense).hexdigest(), {"https://a/bundle.json": nonsense}.get
            )


def test_a_version_between_releases_has_nothing_to_compare_with() -> None:
    with pytest.raises(BadParameter, match="not a release"):
        webpage.check("https://cards.example", "")


def test_a_page_is_served_again_where_guests_know_it(folder: Path, tmp_path: Path) -> None:
    assert webpage.folder_of("https://cards.example") is None and webpage.folder_of(None) is None
    with webpage.serve_guest_page(str(folder)) as address:
        pass
    with webpage.serve_guest_page(webpage.folder_of(str(folder)), address) as again:
        assert again == address
        with urllib.request.urlopen(f"http://127.0.0.1:{address.rpartition(':')[2]}/{BUNDLE}", timeout=20) as answer:
            assert answer.read() == (folder / BUNDLE).read_bytes()
        with pytest.raises(BadParameter, match="again"), webpage.serve_guest_page(str(folder), address):
            pass


def test_nobody_there() -> None:
    with pytest.raises(RelayError, match="no page"):
        check.fetch("http://127.0.0.1:1/")


@pytest.fixture
def answers() -> Iterator[Callable[[bytes], str]]:
    """Hosts, each of which answers whoever comes with the same bytes; gives the address of each."""
    with ExitStack() as stack:

        def host(said: bytes) -> str:
            listening = stack.enter_context(socket.create_server(("127.0.0.1", 0)))

            def serve() -> None:
                with suppress(OSError):
                    while True:
                        asking, _ = listening.accept()
                        with asking, suppress(OSError):
                            asking.recv(1 << 16)
                            asking.sendall(said)

            thread = threading.Thread(target=serve, daemon=True)
            thread.start()
            stack.callback(listening.shutdown, socket.SHUT_RDWR)
            return f"http://127.0.0.1:{listening.getsockname()[1]}/"

        yield host


def test_a_host_that_does_not_answer_as_one_does(
    answers: Callable[[bytes], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    good = answers(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")
    assert check.fetch(good) == b"abc"
    # Whoever is sent on is at another address then, though what is there may be right.
    for code in (301, 302, 307, 308):
        sent_on = f"HTTP/1.1 {code} Moved\r\nLocation: {good}\r\nContent-Length: 0\r\n\r\n"
        with pytest.raises(RelayError, match="another address"):
            check.fetch(answers(sent_on.encode()))
    for nonsense in (b"\x00\x01\r\n\r\n", b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n", b"HTTP/9 a b\r\n"):
        with pytest.raises(RelayError, match="does not speak HTTP"):
            check.fetch(answers(nonsense))
    cut = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"
    with pytest.raises(RelayError, match="no page"):
        check.fetch(answers(cut))
    assert check.fetch(answers(b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")) is None
    monkeypatch.setattr(check, "FILE_BYTES_MAX", 1000)
    with pytest.raises(RelayError, match="too long or too slow"):
        check.fetch(answers(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 5000))
