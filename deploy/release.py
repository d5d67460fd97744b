"""The wheel and the source distribution of what is committed, the same bytes wherever they are built.

    make release        builds them into dist/release, with their hashes in SHA256SUMS

Nothing of the machine gets into them: they are built from a fresh copy of the commit, all times are the commit's, and
the compiler is told other names for its folders. What remains is the toolchain: BUILT-WITH.txt beside the files names
rustc, setuptools and Python.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import platform
import subprocess
import sys
import tarfile
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]


def _said(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def checkout(folder: Path) -> int:
    """A copy of the commit, and when it was made."""
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
    return int(_said("git", "log", "-1", "--format=%ct"))


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
    out.mkdir(parents=True, exist_ok=True)
    for old in out.iterdir():
        old.unlink()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder).resolve() / "source"
        when = checkout(source)
        made = built(source, out, when)
    for path in made:
        if path.name.endswith(".tar.gz"):
            normal(path, when)
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in made)
    (out / "SHA256SUMS").write_text(sums)
    tools = f"{_said('rustc', '--version')}\nPython {platform.python_version()}\nsetuptools {version('setuptools')}\n"
    (out / "BUILT-WITH.txt").write_text(f"commit {_said('git', 'rev-parse', 'HEAD')}\n{tools}")
    sys.stdout.write(sums)


if __name__ == "__main__":
    main()
