"""Builds the static folder for browser tabs. `make web` runs this as `python -m nodealer.web.bundle.build`.

The Python runtime is the npm package `pyodide`. A seat also needs some wheels, each pinned by its hash, this package,
and the core, which is built here for the runtime's ABI or taken from the wheel in NODEALER_WEB_CORE. Everything is
compiled by the Python version that will run it, with asserts on. The same sources give the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from nodealer import __version__
from nodealer.errors import LocalError
from nodealer.web.bundle.content import BUNDLE, FILES, PACKED, content_hash, page_files, seat_modules

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[3]
TARGET: Final = "wasm32-unknown-emscripten"
ABI: Final = "pyemscripten_2026_0_wasm32"
#: The wheels a seat needs, with their hashes.
WHEELS: Final[dict[str, str]] = json.loads((HERE / "wheels.json").read_text())
#: The files of the npm package that a tab loads.
RUNTIME: Final = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json")
CORE: Final = "nodealer/group/_core.abi3.so"
#: Parts of a wheel that no seat needs: tests and types.
_LEFT_OUT: Final = ("/tests/", ".pyi", "py.typed", "RECORD", "entry_points.txt")
_DATE: Final = (1980, 1, 1, 0, 0, 0)
MISSING: Final = 4


class WebMissing(LocalError):
    """The bundle cannot be built here. The message says why."""


def build(out: Path, work: Path) -> dict[str, int]:
    """Build the folder and return the size of each file in bytes. Files ending in `.br` are the compressed ones."""
    work.mkdir(parents=True, exist_ok=True)
    core = core_for_tab(work)
    pyodide = _install_pyodide(work)
    stage = work / "stage"
    shutil.rmtree(stage, ignore_errors=True)
    with zipfile.ZipFile(pyodide / "python_stdlib.zip") as standard:
        standard.extractall(stage / "standard")
    for name, digest in WHEELS.items():
        _unpack_wheel(_download_wheel(work, name, digest), stage / "seat")
    for path, data in seat_modules().items():
        _write(stage / "seat" / path, data)
    _run(["node", str(HERE / "precompile.mjs"), str(stage), str(pyodide)], "node")
    _write(stage / "seat" / CORE, core)
    runtime = {name: (pyodide / name).read_bytes() for name in RUNTIME}
    runtime["python_stdlib.zip"] = archive(_read_tree(stage / "standard"))
    runtime["seat.zip"] = archive(_read_tree(stage / "seat"))
    place = f"runtime/{content_hash(runtime)[:16]}"
    files = page_files(place) | {f"{place}/{name}": data for name, data in runtime.items()}
    files["notices.txt"] = license_notices(work, pyodide)
    made = work / "made"
    shutil.rmtree(made, ignore_errors=True)
    for path, data in files.items():
        _write(made / path, data)
    _run(["node", str(HERE / "compress.mjs"), str(made), str(work / "compressed")], "node")
    file_list = {
        "version": __version__,
        "sources": source_hash(),
        FILES: {path: _sha256(data) for path, data in files.items()},
        PACKED: {path: _sha256(data) for path, data in _read_tree(made).items() if path not in files},
    }
    _write(made / BUNDLE, (json.dumps(file_list, indent=1, sort_keys=True) + "\n").encode())
    # A server that is running meanwhile has either the old folder or the new one, never a mixture.
    shutil.rmtree(out, ignore_errors=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    made.rename(out)
    save_core_wheel(out.parent, core)
    return {path.relative_to(out).as_posix(): path.stat().st_size for path in sorted(out.rglob("*")) if path.is_file()}


def source_hash() -> str:
    """Return one hash of everything the folder is built from."""
    rust = [path for path in (ROOT / "rust").rglob("*") if path.suffix in (".rs", ".toml", ".lock")]
    made = {str(path): path.read_bytes() for path in rust if "target" not in path.relative_to(ROOT).parts}
    mine = {path.name: path.read_bytes() for path in HERE.iterdir() if path.is_file()}
    named = {path.removeprefix(str(ROOT)): data for path, data in made.items()}
    return content_hash(named | mine | seat_modules() | page_files(""))


def is_current(out: Path) -> bool:
    """Return whether a folder was built from the current sources."""
    try:
        return bool(json.loads((out / BUNDLE).read_bytes())["sources"] == source_hash())
    except (OSError, ValueError, KeyError):
        return False


# --- The core ---


def core_for_tab(work: Path) -> bytes:
    """Return the core as a WebAssembly module. Raises `WebMissing` if it cannot be built or found."""
    given = os.environ.get("NODEALER_WEB_CORE")
    if given:
        try:
            with zipfile.ZipFile(given) as wheel:
                return wheel.read(CORE)
        except (OSError, KeyError, zipfile.BadZipFile) as error:
            raise WebMissing(f"NODEALER_WEB_CORE is not a wheel of the core: {given}: {error}") from None
    if shutil.which("cargo") is None or shutil.which("rustc") is None:
        raise WebMissing("cargo is not installed, and NODEALER_WEB_CORE is not set to a wheel of the core")
    sysroot = Path(_run(["rustc", "--print", "sysroot"], "rustc").strip())
    libraries = sysroot / "lib" / "rustlib"
    if not (libraries / TARGET).is_dir():
        try:
            _run(["rustup", "target", "add", TARGET], "rustup")
        except WebMissing:
            raise WebMissing(
                f"the Rust target {TARGET} could not be installed (`rustup target add {TARGET}`), and "
                "NODEALER_WEB_CORE is not set to a wheel of the core"
            ) from None
    linker = next(libraries.glob("*/bin/rust-lld"), None)
    if linker is None:
        raise WebMissing(f"rust-lld was not found below {libraries}")
    rust, program = ROOT / "rust", work / "emcc"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {HERE / "link.py"} "$@"\n')
    program.chmod(0o755)
    cargo = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    prefix = f"CARGO_TARGET_{TARGET.upper().replace('-', '_')}"
    environment = {
        "PYO3_NO_PYTHON": "1",
        "NODEALER_LLD": str(linker),
        f"{prefix}_LINKER": str(program),
        # Keep the paths of this machine out of panic messages.
        f"{prefix}_RUSTFLAGS": f"--remap-path-prefix={cargo}=cargo --remap-path-prefix={rust}=rust",
    }
    command = ["cargo", "build", "--quiet", "--locked", "--release", "-p", "nodealer-core", "--target", TARGET]
    _run(command, "cargo", rust, environment)
    return (rust / "target" / TARGET / "release" / "_core.wasm").read_bytes()


def save_core_wheel(folder: Path, core: bytes) -> Path:
    """Write the core as a wheel for this ABI, so that others can build the folder without Rust."""
    name = f"nodealer_core-{__version__}"
    info = f"{name}.dist-info"
    tag = f"cp311-abi3-{ABI}"
    wheel = f"Wheel-Version: 1.0\nGenerator: nodealer\nRoot-Is-Purelib: false\nTag: {tag}\n"
    metadata = f"Metadata-Version: 2.1\nName: nodealer-core\nVersion: {__version__}\nLicense: MIT\n"
    files = {CORE: core, f"{info}/METADATA": metadata.encode(), f"{info}/WHEEL": wheel.encode()}
    record = "".join(f"{path},sha256={_record_hash(data)},{len(data)}\n" for path, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    path = folder / f"{name}-{tag}.whl"
    _write(path, archive(files, zipfile.ZIP_DEFLATED))
    return path


# --- Pinned dependencies ---


def _install_pyodide(work: Path) -> Path:
    """Install the npm package exactly as in the lock file, and return its folder."""
    folder = work / "npm"
    wanted = b"".join((HERE / name).read_bytes() for name in ("package.json", "package-lock.json"))
    stamp = folder / "node_modules" / ".nodealer"
    if not stamp.is_file() or stamp.read_text() != _sha256(wanted):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, folder)
        _run(["npm", "ci", "--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts"], "npm", folder)
        stamp.write_text(_sha256(wanted))
    return folder / "node_modules" / "pyodide"


def _download_wheel(work: Path, name: str, digest: str) -> Path:
    """Download a wheel unless it is there, and return its path. Raises `WebMissing` if its hash is wrong."""
    path = work / "wheels" / name
    if not path.is_file():
        project, version, *_ = name.split("-")
        platform = ["--platform", ABI, "--python-version", "314", "--implementation", "cp", "--abi", "cp314"]
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--only-binary=:all:", *(platform if ABI in name else ()), "-d", str(path.parent)]
        _run([*command, f"{project}=={version}"], "pip")
    if not path.is_file() or _sha256(path.read_bytes()) != digest:
        raise WebMissing(f"{name} does not match its pinned hash")
    return path


def license_notices(work: Path, pyodide: Path) -> bytes:
    """Return the licences of everything in the folder."""
    texts = [
        "What runs in this page besides nodealer (MIT), and its licences.\n",
        "Pyodide 314.0.7: Mozilla Public License 2.0, https://github.com/pyodide/pyodide\n",
        "CPython 3.14 with its standard library: PSF License 2, https://docs.python.org/3/license.html\n",
        "Emscripten's runtime: MIT, https://github.com/emscripten-core/emscripten\n",
        "In the core, from crates.io, under MIT, Apache-2.0 or BSD-3-Clause: see rust/Cargo.lock of the sources.\n",
    ]
    for name in sorted(WHEELS):
        with zipfile.ZipFile(work / "wheels" / name) as wheel:
            project, version, *_ = name.split("-")
            texts.append(f"\n--- {project} {version} ---\n")
            names = [one for one in sorted(wheel.namelist()) if "LICENSE" in one and ".dist-info" in one]
            texts += [wheel.read(one).decode() for one in names]
    return "\n".join(texts).encode()


# --- Files ---


def archive(files: Mapping[str, bytes], how: int = zipfile.ZIP_STORED) -> bytes:
    """Return a zip file of these files, with the same bytes every time.

    Stored, because the server compresses it better.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", how) as zip_file:
        for path, data in sorted(files.items()):
            entry = zipfile.ZipInfo(path, _DATE)
            entry.external_attr = 0o644 << 16
            entry.compress_type = how
            zip_file.writestr(entry, data)
    return out.getvalue()


def _read_tree(folder: Path) -> dict[str, bytes]:
    """Read all files below a folder, by relative path."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _unpack_wheel(wheel: Path, folder: Path) -> None:
    """Unpack a wheel into a folder, without what a seat does not need."""
    with zipfile.ZipFile(wheel) as files:
        for name in files.namelist():
            if not any(part in f"/{name}" for part in _LEFT_OUT) and not _is_foreign_word_list(name):
                _write(folder / name, files.read(name))


def _is_foreign_word_list(name: str) -> bool:
    """Return whether this is a word list of another language."""
    return "wordlist/" in name and not name.endswith("english.txt")


def _write(path: Path, data: bytes) -> None:
    """Write a file, creating its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _sha256(data: bytes) -> str:
    """Return the SHA-256 hash of the data in hex."""
    return hashlib.sha256(data).hexdigest()


def _record_hash(data: bytes) -> str:
    """Return a hash in the format of a wheel's RECORD file."""
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _run(
    command: list[str], program: str, folder: Path | None = None, environment: Mapping[str, str] | None = None
) -> str:
    """Run a command and return its output. Raises `WebMissing` if it is not installed or fails."""
    try:
        done = subprocess.run(
            command, cwd=folder, env={**os.environ, **(environment or {})}, capture_output=True, text=True, check=False
        )
    except OSError:
        raise WebMissing(f"{program} is not installed") from None
    if done.returncode != 0:
        output: Iterable[str] = (done.stderr or done.stdout).strip().splitlines()[-12:]
        raise WebMissing(f"{program} failed: " + "\n".join(line[:300] for line in output))
    return done.stdout


def main(arguments: Sequence[str] = ()) -> int:
    """Build the folder and print its sizes. With --if-old, only if the sources have changed."""
    out = ROOT / "dist" / "web"
    if "--if-old" in arguments and is_current(out):
        return 0
    try:
        sizes = build(out, ROOT / "build" / "web")
    except WebMissing as missing:
        sys.stderr.write(f"nodealer: cannot build the page for browser tabs: {missing}\n")
        return MISSING
    wire = sum(size for path, size in sizes.items() if path.endswith(".br"))
    for path, size in sizes.items():
        if size > 100_000:
            sys.stdout.write(f"{size:>12,}  {path}\n")
    sys.stdout.write(f"{wire:>12,}  total, compressed\n")
    sys.stdout.write(f"{_sha256((out / BUNDLE).read_bytes())}  {out.relative_to(ROOT)}/{BUNDLE}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
