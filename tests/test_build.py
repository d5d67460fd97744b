"""The package builds without Rust, and what is shipped as source is complete."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHIPPED = ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE", "src", "rust")
NOT_SHIPPED = shutil.ignore_patterns("target", "*.so", "*.egg-info", "__pycache__")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what is needed to build, as a fresh clone has it."""
    copy = tmp_path / "checkout"
    copy.mkdir()
    for name in SHIPPED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=NOT_SHIPPED)
        else:
            shutil.copy(source, copy / name)
    return copy


def without_cargo(**changes: str) -> dict[str, str]:
    """An environment in which there is no cargo, and nothing that asks for a backend."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NODEALER_", "CARGO"))}
    folders = [folder for folder in kept["PATH"].split(os.pathsep) if not (Path(folder) / "cargo").exists()]
    return {**kept, "PATH": os.pathsep.join(folders), **changes}


def run(*command: str, env: dict[str, str], cwd: Path) -> str:
    done = subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_without_cargo_it_installs_and_works_on_the_reference(checkout: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    env = without_cargo()
    assert shutil.which("cargo", path=env["PATH"]) is None
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index")
    run(*pip, "--no-deps", "--no-build-isolation", "--target", str(site), str(checkout), env=env, cwd=tmp_path)
    assert not list(site.glob("nodealer/group/_core*.so"))

    env = without_cargo(PYTHONPATH=str(site))
    where = run(sys.executable, "-c", "import nodealer; print(nodealer.__file__)", env=env, cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(site)
    found = json.loads(run(sys.executable, "-m", "nodealer.cli", "doctor", "--json", env=env, cwd=tmp_path))
    assert (found["backend"], found["ok"]) == ("reference", True)
    laws = ("-k", "reference", "-p", "no:cacheprovider", str(ROOT / "tests/group/test_laws.py"))
    assert "passed" in run(sys.executable, "-m", "pytest", *laws, env=env, cwd=tmp_path)


def test_the_source_distribution_has_the_rust_sources_and_no_build(checkout: Path, tmp_path: Path) -> None:
    (checkout / "rust/target/release").mkdir(parents=True)
    (checkout / "rust/target/release/left.rs").write_text("// from a build\n")
    (checkout / "src/nodealer/group/_core.abi3.so").write_bytes(b"from a build")
    code = f"from setuptools import build_meta; build_meta.build_sdist({str(tmp_path)!r})"
    run(sys.executable, "-c", code, env=dict(os.environ), cwd=checkout)
    (archive,) = tmp_path.glob("nodealer-*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    sources = {
        path.relative_to(ROOT).as_posix() for path in (ROOT / "rust").rglob("*.rs") if "target" not in path.parts
    }
    assert sources | {"rust/Cargo.toml", "rust/Cargo.lock", "rust/glue/Cargo.toml", "setup.py", "LICENSE"} <= names
    assert {"src/nodealer/py.typed", "src/nodealer/group/_core.pyi"} <= names
    assert not [name for name in names if "target" in name.split("/") or name.endswith((".so", ".pyc"))]
