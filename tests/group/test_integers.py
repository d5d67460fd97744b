"""Large integers with gmpy2 and without it: the same numbers, and the groups work on either."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from types import ModuleType

import pytest

from nodealer.group import integers
from nodealer.group.modp import ORDER, P


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module as it is where gmpy2 is missing."""
    monkeypatch.setitem(sys.modules, "gmpy2", None)
    spec = importlib.util.find_spec("nodealer.group.integers")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_both_give_the_same_numbers(plain: ModuleType) -> None:
    assert (plain.BACKEND, integers.BACKEND) == ("python", "gmpy2")
    p, q = int(P), int(ORDER)
    for value in (1, 2, 3, 4, 2**64, p - 1, p - 4, 3**900):
        assert type(plain.big(value)) is int and integers.big(value) == value
        assert plain.invert(value, p) == integers.invert(value, p) and value * plain.invert(value, p) % p == 1
        assert plain.is_square(value, p) == integers.is_square(value, p) == (pow(value, q, p) == 1)
        assert plain.lowest_bit(value) == integers.lowest_bit(value) == len(bin(value)) - len(bin(value).rstrip("0"))
        for exponent in (1, 5, q, q + 7):
            results = {f(value, exponent, p) for m in (plain, integers) for f in (m.power, m.secret_power)}
            assert results == {pow(value, exponent, p)}
    plain.let_threads_run()


def test_the_groups_work_without_gmpy2() -> None:
    code = (
        "import sys; sys.modules['gmpy2'] = None\n"
        "from nodealer.group import group\n"
        "for name in ('ristretto255', 'secp256k1', 'modp2048'):\n"
        "    g = group(name, 'reference')\n"
        "    uniform = b''.join(bytes([i]) * g.uniform_size for i in range(1, 5))\n"
        "    x, P = g.integers([5, 7, 9, 11]), g.map_to_points(uniform)\n"
        "    made = [x * P, x * g.G, g.msm(x, P), g.vartime_msm(x, P), -P, g.points(P.to_bytes())]\n"
        "    print(name, g.backend, *(array.to_bytes().hex() for array in made))\n"
    )

    def run(code: str) -> list[list[str]]:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        return [line.split() for line in done.stdout.splitlines()]

    without, with_gmpy2 = run(code), run(code.partition("\n")[2])
    assert [line[:2] for line in without] == [
        ["ristretto255", "reference"], ["secp256k1", "reference"], ["modp2048", "python"]
    ]  # fmt: skip
    assert [line[2:] for line in without] == [line[2:] for line in with_gmpy2]
