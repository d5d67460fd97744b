"""`bench hand --protocol chain`: its rows, on a tiny hand."""

from __future__ import annotations

from nodealer.protocols.chain.parameters import ChainParameters
from nodealer_lab.bench import chain
from nodealer_lab.bench.rounds import BenchEffort

TINY = BenchEffort(pairs=1, seconds=0.0, shrink=13)


def test_a_pass_over_a_deck() -> None:
    rows = list(chain.pass_rows(TINY, 2))
    assert [row.required for row in rows] == [1.1, 0.65]


def test_modes() -> None:
    modes = list(chain.modes(chain.KAPPAS))
    assert len(modes) == 6 and {mode.proven for mode in modes} == {False, True}
    assert {mode.kappa for mode in modes if mode.deck == "dealer"} == {1, 8}
    assert "1 in 41" in chain.describe_mode(ChainParameters("dealer", 8), 6)
    assert "1 in" not in chain.describe_mode(ChainParameters(), 6)


def test_a_hand() -> None:
    rows = list(chain.hand_rows(ChainParameters(proven=True), 2, 9))
    assert [row.name.split(" (")[0] for row in rows] == ["play a hand, CPU of one seat", "verify its log", "saved log"]
