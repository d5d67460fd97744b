"""Looking up games: by installed name, or by a place a person types, but never by a place in a log."""

from __future__ import annotations

import sys
import tomllib
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from nodealer.errors import BadParameter
from nodealer.games import registry
from nodealer.games.registry import GROUP, OURS, find_game, game_names, is_installed, load_game, resolve_game

from . import outside

PLACE = "games.outside:GAME"


def installing(monkeypatch: pytest.MonkeyPatch, **places: str | tuple[str, ...]) -> None:
    """Pretend that distributions with these games are installed."""
    points = [
        EntryPoint(name, place, GROUP)
        for name, several in places.items()
        for place in ([several] if isinstance(several, str) else several)
    ]
    monkeypatch.setattr(registry, "entry_points", EntryPoints(points).select)


@pytest.mark.parametrize("name", OURS)
def test_ours_are_there_without_any_installation(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    installing(monkeypatch)
    package = find_game(name)
    assert package.name == name and name in game_names() and is_installed(name) and resolve_game(name) is package
    rules = package.from_settings(package.settled({}))
    assert (rules.name, rules.version) == (package.name, package.version)
    assert package.rules(rules.parameters) == rules


def test_ours_are_declared_like_any_other() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert project["entry-points"][GROUP] == OURS


def test_another_distribution_brings_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    installing(monkeypatch, highest=PLACE, broken="no.such.module:GAME")
    assert find_game("highest") is outside.GAME and game_names() == sorted({*OURS, "highest", "broken"})
    with pytest.raises(BadParameter, match=r"cannot be loaded: ModuleNotFoundError"):
        find_game("broken")


def test_only_what_is_asked_for_is_loaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "explodes_when_loaded.py").write_text("raise SystemExit('loaded')")
    monkeypatch.syspath_prepend(tmp_path)
    installing(monkeypatch, highest=PLACE, other="explodes_when_loaded:GAME")
    assert find_game("highest") is outside.GAME
    with pytest.raises(BadParameter):
        find_game("third")
    assert "explodes_when_loaded" not in sys.modules


def test_built_in_names_cannot_be_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    installing(monkeypatch, holdem=PLACE)
    assert find_game("holdem") is not outside.GAME


def test_a_name_that_two_games_have_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    installing(monkeypatch, highest=(PLACE, "games.outside:OLDER"))
    with pytest.raises(BadParameter, match="more than one"):
        find_game("highest")
    installing(monkeypatch, highest=(PLACE, PLACE))
    assert find_game("highest") is outside.GAME


def test_a_game_has_the_name_it_is_installed_by(monkeypatch: pytest.MonkeyPatch) -> None:
    installing(monkeypatch, lowest=PLACE)
    with pytest.raises(BadParameter, match="calls itself 'highest'"):
        find_game("lowest")


@pytest.mark.parametrize("name", [PLACE, "os:system", "chess", "", "games.outside", "../highest"])
def test_a_name_is_never_a_place(name: str) -> None:
    assert not is_installed(name)
    with pytest.raises(BadParameter, match="unknown game"):
        find_game(name)


def test_places() -> None:
    assert load_game(PLACE) is resolve_game(PLACE) is outside.GAME
    for place in ("games.outside:", "games.outside:Highest", "games.outside:NONE", ":GAME", "no_such:GAME", ".x:GAME"):
        with pytest.raises(BadParameter):
            resolve_game(place)


def test_a_module_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fails_at_once.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(BadParameter, match="ZeroDivisionError"):
        resolve_game("fails_at_once:GAME")
