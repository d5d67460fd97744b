"""What only the native core has: the checks when it is loaded, threads, and what it takes of memory."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from nodealer.errors import BackendMissing, BadParameter, DecodeError
from nodealer.group import _core, native

pytestmark = pytest.mark.sample

G = _core.ristretto255
N = 600  # enough for several threads in every operation that uses them


@pytest.fixture(autouse=True)
def threads_as_before() -> Iterator[None]:
    before = _core.threads()
    yield
    _core.set_threads(before)


def scalars(count: int) -> _core.Ristretto255Scalars:
    return G.wide_scalars(bytes(i * i % 251 for i in range(64 * count)))


def points(count: int) -> _core.Ristretto255Points:
    return G.map_to_points(bytes(i * i % 241 for i in range(64 * count)))


# --- the checks when it is loaded


def test_the_core_says_which_code_it_runs() -> None:
    assert _core.CODE in ("avx512", "avx2", "serial")


def test_the_core_is_accepted() -> None:
    assert native.ristretto255 is _core.ristretto255 is native.load().ristretto255
    assert _core.PROFILE == "release"


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("VERSION", "0.0.9", "version 0.0.9"),
        ("PROFILE", "debug", "debug build"),
        ("SOURCE_HASH", "0" * 64, "not built from the sources"),
    ],
)
def test_an_unfit_core_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, value: str, reason: str
) -> None:
    """With sources of its own: a core that was installed from a wheel has none beside it."""
    (tmp_path / "Cargo.toml").write_text("[workspace]\n")
    monkeypatch.setattr(_core, name, value)
    with pytest.raises(BackendMissing, match=f"{reason}.*make build"):
        native.load(tmp_path)


def test_a_core_without_marks_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(_core, "VERSION")
    with pytest.raises(BackendMissing):
        native.load()


def test_a_missing_core_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nodealer.group._core", None)
    with pytest.raises(BackendMissing, match=r"_core.*make build"):
        native.load()


def test_without_sources_there_is_nothing_to_compare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_core, "SOURCE_HASH", "0" * 64)
    native.load(tmp_path)


def test_the_hash_sees_every_source_and_nothing_else(tmp_path: Path) -> None:
    def write(name: str, text: str) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return native.source_hash(tmp_path)

    first = write("Cargo.toml", "a")
    assert write("target/release/build/made.rs", "x") == first
    assert write("notes.txt", "x") == first
    seen = [first, write("core/src/a.rs", "b"), write("core/src/b.rs", ""), write("Cargo.lock", "c")]
    seen.append(write("core/src/a.rs", "bb"))
    (tmp_path / "core/src/b.rs").rename(tmp_path / "core/src/c.rs")
    seen.append(native.source_hash(tmp_path))
    assert len(set(seen)) == len(seen)


def test_the_hash_does_not_walk_through_what_a_build_leaves(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "core/target/debug").mkdir(parents=True)
    (tmp_path / "target").mkdir()
    walked, iterdir = list[str](), Path.iterdir

    def walk(path: Path) -> Iterator[Path]:
        walked.append(path.name)
        return iterdir(path)

    monkeypatch.setattr(Path, "iterdir", walk)
    native.source_hash(tmp_path)
    assert walked == [tmp_path.name, "core"]


# --- threads


def everything() -> list[bytes]:
    """Every operation that may use threads."""
    x, P = scalars(N), points(N)
    results = [x * P, x * G.G, x * P[0], P + P, P - P[3], -P, G.points(P.to_bytes()), G.msm(x, P), G.vartime_msm(x, P)]
    return [r.to_bytes() for r in results] + [r.to_bytes() for r in (x * x, x + x, x - x[1], -x, x.invert())]


@pytest.mark.parametrize("count", [2, 3, 64])
def test_threads_change_no_result(count: int) -> None:
    _core.set_threads(1)
    alone = everything()
    _core.set_threads(count)
    assert everything() == alone


def test_the_first_bad_encoding_is_named_whoever_finds_it() -> None:
    data = bytearray(points(N).to_bytes())
    for index in (590, 301, 300):
        data[32 * index] |= 1
    for count in (1, 2, 7):
        _core.set_threads(count)
        with pytest.raises(DecodeError) as caught:
            G.points(bytes(data))
        assert caught.value.index == 300


def test_the_number_of_threads_can_be_set() -> None:
    _core.set_threads(3)
    assert _core.threads() == 3
    wrong: list[object] = [0, -1, 2**70, True, "2", 1.0, None]
    for value in wrong:
        with pytest.raises(BadParameter):
            _core.set_threads(value)  # type: ignore[arg-type]
    assert _core.threads() == 3


@pytest.mark.parametrize(("value", "expected"), [("1", "1"), ("5", "5"), ("0", "refused"), ("two", "refused")])
def test_the_environment_sets_the_number_of_threads(value: str, expected: str) -> None:
    program = (
        "from nodealer.errors import BadParameter\n"
        "try:\n"
        "    from nodealer.group import _core\n"
        "    print(_core.threads())\n"
        "except BadParameter as error:\n"
        "    print('refused' if 'NODEALER_THREADS' in str(error) else error)\n"
    )
    environment = os.environ | {"NODEALER_THREADS": value}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == expected


def test_python_threads_share_arrays() -> None:
    x, P = scalars(N), points(N)
    expected = G.msm(x, P).to_bytes()
    with ThreadPoolExecutor(8) as pool:
        sums = [pool.submit(lambda: (x * P).sum().to_bytes()) for _ in range(16)]
        assert {future.result() for future in sums} == {expected}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.timeout(60)
def test_a_fork_does_not_hang() -> None:
    program = (
        "import os\n"
        "from nodealer.group import _core\n"
        "_core.set_threads(4)\n"
        "work = lambda: _core.ristretto255.map_to_points(bytes(64 * 600)).to_bytes()\n"
        "before = work()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(0 if work() == before else 1)\n"
        "raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=50)


# --- memory, and what must not leave it


def test_a_point_takes_at_most_200_bytes() -> None:
    assert sys.getsizeof(points(N)) <= 200 * N


def test_arrays_are_not_copied_or_pickled_by_accident() -> None:
    for array in (scalars(2), points(2)):
        for leak in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError):
                leak(array)


def test_arrays_cannot_be_made_or_changed_from_outside() -> None:
    for kind in (_core.Ristretto255, _core.Ristretto255Scalars, _core.Ristretto255Points):
        with pytest.raises(TypeError):
            kind()
    with pytest.raises(AttributeError):
        G.name = "other"  # type: ignore[misc]


# --- the yardsticks


@pytest.mark.parametrize("kind", ["fixed_base", "variable_base", "msm", "vartime_msm", "decode", "encode"])
def test_yardsticks_measure_something(kind: str) -> None:
    assert 0 < _core.yardstick(kind, 20, 1, 1) < 10
    assert 0 < _core.yardstick(kind, 21, 2, 1) < 10


def test_yardsticks_refuse_nonsense() -> None:
    nonsense: list[tuple[str, int, int, int]] = [
        ("sort", 1, 1, 1),
        ("msm", 0, 1, 1),
        ("msm", 1, 0, 1),
        ("msm", 1, 1, 0),
    ]
    for arguments in nonsense:
        with pytest.raises(BadParameter):
            _core.yardstick(*arguments)
