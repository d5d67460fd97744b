"""The wheel and the source distribution of what is committed, the same bytes wherever they are built.

    make stamp          writes the hashes of the page in dist/web and of its sources into the package: the last change
    make release        builds them into dist/release, with their hashes in SHA256SUMS

Nothing of the machine gets into them: they are built from a fresh copy of the commit, all times are the commit's, and
the compiler is told other names for its folders. What remains is the toolchain: BUILT-WITH.txt beside the files names
rustc, setuptools and Python.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
#: Where the hash of the page stands. No part of the page: it can name what it is not in.
STAMPED: Final = "src/nodealer/cli/webpage.py"
_STAMP: Final = re.compile(
    r'^RELEASE: Final = "([0-9a-f]{64}|)"\n(#: .*\n)RELEASE_SOURCES: Final = "(?:[0-9a-f]{64}|)"$', re.MULTILINE
)
BUNDLE: Final = ROOT / "dist" / "web" / "bundle.json"


def _said(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def checkout(folder: Path, commit: str) -> int:
    """A copy of the commit, and when it was made."""
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
    return int(_said("git", "log", "-1", "--format=%ct", commit))


def stamp_of(source: Path) -> str:
    """The hash of the page that sources name; empty between releases."""
    ((digest, _),) = _STAMP.findall((source / STAMPED).read_text())
    return str(digest)


def stamped(text: str, digest: str, sources: str) -> str:
    """The module that names the page and its sources, with other hashes."""
    named = rf'RELEASE: Final = "{digest}"\n\2RELEASE_SOURCES: Final = "{sources}"'
    text, count = _STAMP.subn(named, text)
    if count != 1:
        raise SystemExit(f"release: {STAMPED} does not say RELEASE once")
    return text


def page_of(source: Path) -> tuple[str, str]:
    """The hash of the page of these sources, and theirs. Ends the program where dist/web is of others."""
    code = "from nodealer.web.bundle.build import source_hash; print(source_hash())"
    environment = {**os.environ, "PYTHONPATH": str(source / "src"), "NODEALER_BACKEND": "reference"}
    said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    sources = said.stdout.strip()
    try:
        bundle = BUNDLE.read_bytes()
    except OSError:
        raise SystemExit("release: there is no page in dist/web: make web") from None
    if json.loads(bundle)["sources"] != sources:
        raise SystemExit("release: the page in dist/web is of other sources: commit everything, and make web")
    return hashlib.sha256(bundle).hexdigest(), sources


def refuse_another_page(source: Path) -> None:
    """Who has this release asks hosts for the page that it names: that must be the page of these sources."""
    stamp = stamp_of(source)
    if not stamp:
        sys.stderr.write("release: this is no release: it names no page (make stamp, and commit)\n")
    elif stamp != page_of(source)[0]:
        raise SystemExit("release: it names another page than that of its sources: make stamp, and commit")


def built(source: Path, out: Path, when: int) -> list[Path]:
    """What setuptools builds, with nothing in it of where and when."""
    cargo = os.environ.get("CARGO_HOME", str(Path.home() / ".cargo"))
    names = {str(source): "/nodealer", cargo: "/cargo", _said("rustc", "--print", "sysroot"): "/rust"}
    environment = {
        **os.environ,
        "SOURCE_DATE_EPOCH": str(when),
        "NODEALER_NATIVE": "require",
        "RUSTFLAGS": " ".join(f"--remap-path-prefix={path}={name}" for path, name in names.items()),
        "CARGO_TARGET_DIR": str(source / "target"),
    }
    for what in ("sdist", "wheel"):
        code = f"from setuptools import build_meta; build_meta.build_{what}({str(out)!r})"
        subprocess.run([sys.executable, "-c", code], cwd=source, env=environment, check=True, stdout=subprocess.DEVNULL)
    return sorted(out.iterdir())


def normal(path: Path, when: int) -> None:
    """A source distribution with its files in order, all of one time and of nobody."""
    with tarfile.open(path) as files:
        members = [(one, files.extractfile(one)) for one in sorted(files.getmembers(), key=lambda one: one.name)]
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as again:
            for member, data in members:
                member.mtime, member.uid, member.gid, member.uname, member.gname = when, 0, 0, "", ""
                member.mode, member.pax_headers = 0o755 if member.isdir() else 0o644, {}
                again.addfile(member, data)
    path.write_bytes(gzip.compress(out.getvalue(), mtime=when))


def main() -> None:
    """Build, and say what came of it."""
    out = ROOT / "dist" / "release"
    commit = _said("git", "rev-parse", "HEAD")  # once: it takes minutes, and somebody may commit meanwhile
    shutil.rmtree(out, ignore_errors=True)  # one that was broken off leaves folders too
    out.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder).resolve() / "source"
        when = checkout(source, commit)
        refuse_another_page(source)
        made = built(source, out, when)
    for path in made:
        if path.name.endswith(".tar.gz"):
            normal(path, when)
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in made)
    (out / "SHA256SUMS").write_text(sums)
    tools = f"{_said('rustc', '--version')}\nPython {platform.python_version()}\nsetuptools {version('setuptools')}\n"
    (out / "BUILT-WITH.txt").write_text(f"commit {commit}\n{tools}")
    sys.stdout.write(sums)


def stamp() -> None:
    """Write the hash of the page into the package."""
    digest, sources = page_of(ROOT)
    module = ROOT / STAMPED
    module.write_text(stamped(module.read_text(), digest, sources))
    sys.stdout.write(f"{digest}  {BUNDLE.relative_to(ROOT)}\n")


if __name__ == "__main__":
    stamp() if sys.argv[1:] == ["--stamp"] else main()
