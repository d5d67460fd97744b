"""The Rust core, loaded only if it belongs to this package.

A core of another version, older than its sources or built without optimisation is refused: it looks like a working one,
but is wrong or hundreds of times slower.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType

from nodealer import __version__
from nodealer.errors import BackendMissing
from nodealer.group.api import Group

#: The version of the core that belongs to this package. Development versions (`1.0.0.dev0`) use the core of the release
#: they lead to, so that only a release changes rust/Cargo.toml.
CORE_VERSION = __version__.partition(".dev")[0]
_HOW_TO_FIX = "run `make build`"
_SOURCES = Path(__file__).parents[3] / "rust"


def load(sources: Path = _SOURCES) -> ModuleType:
    """Import and check the core. Raise `BackendMissing` if it is absent or unfit for use.

    If `sources` exist, as in a checkout, the core must have been built from them.
    """
    try:
        core = import_module("nodealer.group._core")
    except ImportError as error:
        raise BackendMissing(f"the native core cannot be loaded ({error}): {_HOW_TO_FIX}") from error
    version, profile, built_from = (getattr(core, name, None) for name in ("VERSION", "PROFILE", "SOURCE_HASH"))
    if version != CORE_VERSION:
        raise BackendMissing(f"the native core is of version {version}, not {CORE_VERSION}: {_HOW_TO_FIX}")
    if profile != "release":
        raise BackendMissing(f"the native core is a {profile} build, not a release build: {_HOW_TO_FIX}")
    if (sources / "Cargo.toml").is_file() and built_from != source_hash(sources):
        raise BackendMissing(f"the native core was not built from the sources in {sources}: {_HOW_TO_FIX}")
    return core


def source_hash(sources: Path) -> str:
    """Hash all sources as `rust/glue/build.rs` does: SHA-256 over each path and content, preceded by its length."""
    digest = sha256()
    for item in sorted(_iterate_sources(sources)):
        for part in item:
            digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()


def _iterate_sources(folder: Path, prefix: str = "") -> Iterator[tuple[bytes, bytes]]:
    """Yield the path and content of every source. Skip `target/`, where a build leaves thousands of files."""
    for path in folder.iterdir():
        if path.is_dir():
            if path.name != "target":
                yield from _iterate_sources(path, f"{prefix}{path.name}/")
        elif path.suffix == ".rs" or path.name in ("Cargo.toml", "Cargo.lock"):
            yield f"{prefix}{path.name}".encode(), path.read_bytes()


_CORE = load()
ristretto255: Group = _CORE.ristretto255
secp256k1: Group = _CORE.secp256k1
