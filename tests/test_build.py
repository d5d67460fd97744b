"""The package builds without Rust, and what is shipped as source is complete."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from nodealer import __version__
from nodealer.cheats.registry import OURS
from nodealer.cli.webpage import RELEASE, RELEASE_SOURCES
from nodealer.web.bundle.build import source_hash

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
    """An environment in which there is no cargo, and nothing that asks for a backend or leads to other sources."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NODEALER_", "CARGO", "PYTHON"))}
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
    rust = {path.relative_to(ROOT).as_posix() for path in (ROOT / "rust").rglob("*.rs") if "target" not in path.parts}
    assert rust | {"rust/Cargo.toml", "rust/Cargo.lock", "rust/glue/Cargo.toml", "setup.py", "LICENSE"} <= names
    assert {"src/nodealer/py.typed", "src/nodealer/group/_core.pyi"} <= names
    assert not [name for name in names if "target" in name.split("/") or name.endswith((".so", ".pyc"))]


def test_the_package_has_no_attack_simulator_or_benchmark() -> None:
    """The laboratory is a distribution of its own, of the same version."""
    modules = [path.relative_to(ROOT / "src").with_suffix("").parts for path in (ROOT / "src").rglob("*.py")]
    assert modules and not [parts for parts in modules if {"lab", "nodealer_lab", "attacks", "sim", "bench"} & {*parts}]
    cheats = {path.stem for path in (ROOT / "src/nodealer/cheats").glob("*.py")}
    assert cheats - {"__init__", "arrays", "base", "cheater", "registry"} == {name.replace("-", "_") for name in OURS}
    lab = tomllib.loads((ROOT / "lab/pyproject.toml").read_text())["project"]
    assert (lab["version"], lab["dependencies"]) == (__version__, [f"nodealer=={__version__}"])


@pytest.mark.deep
@pytest.mark.timeout(7200)  # it builds the core twice: on a busy machine half an hour each
@pytest.mark.skipif(not shutil.which("cargo"), reason="builds the native core")
def test_a_release_is_the_same_bytes_twice_and_installs_in_a_clean_environment(tmp_path: Path) -> None:
    out = ROOT / "dist/release"
    sums = [run(sys.executable, "deploy/release.py", env=dict(os.environ), cwd=ROOT) for _ in range(2)]
    assert sums[0] == sums[1] == (out / "SHA256SUMS").read_text()
    (wheel,) = out.glob("*.whl")
    run(sys.executable, "-m", "venv", str(tmp_path / "clean"), env=dict(os.environ), cwd=tmp_path)
    clean = tmp_path / "clean/bin"
    install = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", str(ROOT / "constraints.txt"))
    run(str(clean / "python"), *install, str(wheel), env=without_cargo(), cwd=tmp_path)
    found = json.loads(run(str(clean / "nodealer"), "doctor", "--json", env=without_cargo(), cwd=tmp_path))
    assert (found["backend"], found["ok"]) == ("native", True)
    play = ("play", "--auto", "--seats", "3", "--hands", "1", "--log", "game.jsonl")
    run(str(clean / "nodealer"), *play, env=without_cargo(), cwd=tmp_path)
    run(str(clean / "nodealer"), "verify", "game.jsonl", env=without_cargo(), cwd=tmp_path)
    notices = list((tmp_path / "clean").rglob("NOTICES.txt"))
    assert notices and "curve25519-dalek" in notices[0].read_text()


@pytest.fixture
def release() -> ModuleType:
    """deploy/release.py, which is no part of the package."""
    spec = importlib.util.spec_from_file_location("release", ROOT / "deploy/release.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_was_released_is_not_changed() -> None:
    told = "a released version is not changed: raise it and empty RELEASE; or, before the release, make stamp"
    assert bool(RELEASE) == bool(RELEASE_SOURCES)
    # Not the page itself: another compiler makes other bytes of the same sources. `make release` compares those.
    assert RELEASE_SOURCES in ("", source_hash()), told


def test_a_release_that_names_another_page_is_not_built(
    release: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module, bundle = tmp_path / release.STAMPED, tmp_path / "bundle.json"
    module.parent.mkdir(parents=True)
    module.write_text(release.stamped((ROOT / release.STAMPED).read_text(), "", ""))
    release.refuse_another_page(tmp_path)
    assert release.stamp_of(tmp_path) == "" and "names no page" in capsys.readouterr().err

    monkeypatch.setattr(release, "BUNDLE", bundle)
    with pytest.raises(SystemExit, match="no page in dist/web"):
        release.page_of(ROOT)
    bundle.write_text('{"sources": "others"}')
    with pytest.raises(SystemExit, match="of other sources"):
        release.page_of(ROOT)
    bundle.write_text(json.dumps({"sources": source_hash()}))
    digest = hashlib.sha256(bundle.read_bytes()).hexdigest()
    assert release.page_of(ROOT) == (digest, source_hash())

    monkeypatch.setattr(release, "page_of", lambda source: (digest, source_hash()))
    module.write_text(release.stamped(module.read_text(), digest, source_hash()))
    release.refuse_another_page(tmp_path)
    module.write_text(release.stamped(module.read_text(), "0" * 64, source_hash()))
    with pytest.raises(SystemExit, match="names another page"):
        release.refuse_another_page(tmp_path)
    with pytest.raises(SystemExit, match="does not say RELEASE once"):
        release.stamped("nothing", digest, source_hash())


def test_the_notices_name_what_the_core_is_locked_to() -> None:
    lock = (ROOT / "rust/Cargo.lock").read_text()
    locked = {tuple(re.findall(r'"(.*)"', part)[:2]) for part in lock.split("[[package]]")}
    named = set(re.findall(r"^--- (\S+) (\S+): ", (ROOT / "rust/NOTICES.txt").read_text(), re.MULTILINE))
    assert named and named <= locked, "make notices"
