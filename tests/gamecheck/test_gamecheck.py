"""The game check finds what is wrong with a game, and finds nothing in a sound one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from cli.running import called
from gamecheck import tiny
from nodealer.cards.operations import (
    Capability,
    Deal,
    Gift,
    Look,
    Mix,
    NewDeck,
    Pass,
    Peek,
    Place,
    Portion,
    Return,
    Show,
)
from nodealer.errors import BadParameter
from nodealer.gamecheck import QUICK, check, playthrough, tables
from nodealer.gamecheck.agreement import default_rules, refuse_bad_settings, refuse_other_rules
from nodealer.gamecheck.dealer import PlainDeck, with_finished
from nodealer.gamecheck.findings import Findings, Found
from nodealer.gamecheck.open_decks import CheckEffort, OpenDecks
from nodealer.gamecheck.other_process import refuse_other_processes
from nodealer.gamecheck.tables import OnProtocol, TableChecks, TableEffort, protocols_for
from nodealer.games.package import GamePackage
from nodealer.games.registry import find_game, resolve_game
from nodealer.group import group
from protocols.mask.kit import without
from protocols.mask.test_peek import begun

SOME = CheckEffort(games=1, others=1, hands=2, moments=5, finishes=1, seats=2)
ONE_TABLE = TableEffort(modes=False, hands=1, losses=3, leavings=2)


def on_open_decks(package: GamePackage, *counts: int, effort: CheckEffort = SOME) -> tuple[OpenDecks, Findings]:
    findings = Findings()
    decks = OpenDecks(package, package.from_settings(package.settled({})), effort, findings, lambda doing: None)
    decks.check(counts)
    return decks, findings


def at_tables(package: GamePackage, protocol: str, seats: int, effort: TableEffort = ONE_TABLE) -> Findings:
    findings = Findings()
    played = TableChecks(package, package.from_settings(package.settled({})), effort, findings, lambda doing: None)
    played.check(OnProtocol(protocol, b"{}"), seats)
    return findings


def agreed(package: GamePackage) -> Findings:
    findings = Findings()
    with findings.collect():
        refuse_other_rules(package, default_rules(package))
        refuse_bad_settings(package, findings)
    return findings


def said(findings: Findings) -> str:
    return "\n".join(one.what for one in findings.first.values())


# --- Sound games ---


@pytest.mark.parametrize(
    "package", [tiny.SOUND, tiny.game(tiny.InRounds), tiny.WITH_CHIPS], ids=["turns", "rounds", "chips"]
)
def test_a_sound_game_is_sound(package: GamePackage) -> None:
    decks, findings = on_open_decks(package, *((2,) if package is tiny.WITH_CHIPS else (2, 3, 9)))
    assert not findings, said(findings)
    assert decks.games and decks.probes.tried.hostile and decks.probes.tried.leavings and decks.probes.tried.finished
    assert decks.refused == ({} if package is tiny.WITH_CHIPS else {9: "four can play, and no more"})
    assert bool(decks.probes.tried.orders) == (package is not tiny.SOUND and package is not tiny.WITH_CHIPS)
    assert not (found := agreed(package)), said(found)


def test_rounds_are_tried_in_two_orders_however_few_moments_are_looked_at() -> None:
    decks, findings = on_open_decks(tiny.game(tiny.InRounds), 2, effort=replace(SOME, moments=2))
    assert not findings and decks.probes.tried.orders, said(findings)


def test_a_game_with_proofs() -> None:
    """Its bots can give every proof. Another player might not: that seat is removed, and the game goes on."""
    decks, findings = on_open_decks(tiny.PROVES, 2, 3)
    assert not findings and Capability.PROVE in decks.used, said(findings)
    _, findings = on_open_decks(tiny.BROKEN["Proves"][1], 2)
    assert "cannot prove it: one of its cards is one of these faces" in said(findings)


@pytest.mark.parametrize(("name", "seats"), [("wardens", 2), ("holdem", 3), ("games.outside:GAME", 4)])
def test_games_that_are_here_are_sound(name: str, seats: int) -> None:
    effort = CheckEffort(games=1, others=1, hands=1, moments=3, finishes=1, seats=1)
    _, findings = on_open_decks(resolve_game(name), seats, effort=effort)
    assert not findings, said(findings)
    assert not (found := agreed(resolve_game(name))), said(found)


@pytest.mark.parametrize(
    "protocol", ["lock", *(pytest.param(name, marks=pytest.mark.deep) for name in ("mask", "offset", "chain"))]
)
def test_a_sound_game_at_real_tables(protocol: str) -> None:
    assert not (findings := at_tables(tiny.game(tiny.InRounds), protocol, 3)), said(findings)


@pytest.mark.deep
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", ["holdem", "wardens", "games.outside:GAME"])
def test_games_are_sound_in_every_way(name: str) -> None:
    report = check(name, QUICK, lambda doing: None)
    assert report.ok, said(report.findings)


# --- Broken ones ---


@pytest.mark.parametrize("name", tiny.BROKEN)
def test_what_is_wrong_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playthrough, "STEPS_MAX", 100)
    kind, package = tiny.BROKEN[name]
    _, findings = on_open_decks(package, *((2,) if kind == "chips" else (2, 3)))
    assert kind in {found for found, _ in findings.first}, said(findings)


@pytest.mark.parametrize("name", tiny.AGREED)
def test_what_is_agreed_on_and_is_not_is_found(name: str) -> None:
    kind, package = tiny.AGREED[name]
    findings = agreed(package)
    assert kind in {found for found, _ in findings.first}, said(findings)


def test_the_author_is_told_the_line() -> None:
    _, findings = on_open_decks(tiny.BROKEN["FailsWhenTold"][1], 2)
    (finding,) = [one for one in findings.first.values() if one.kind == "told"]
    lines = Path(tiny.__file__).read_text().splitlines()
    file, _, line = str(finding.where).partition(":")
    assert file == "tiny.py" and "self.faces[3]" in lines[int(line) - 1]
    assert (
        "`told` was called with 2 Opened, 2 Finished and failed with KeyError: 3" in finding.what
        and "after 2 moves" in finding.what
    )


def test_the_author_is_told_the_field() -> None:
    for name, field in (("ThrowsDice", "`bids["), ("ComparesTooLittle", "`bids["), ("ChangesItself", "`bids[")):
        assert field in said(on_open_decks(tiny.BROKEN[name][1], 2)[1])
    assert "`generous` differs" in said(agreed(tiny.AGREED["misses a field"][1]))


def test_what_is_found_often_is_told_once() -> None:
    _, findings = on_open_decks(tiny.BROKEN["ReadsLoosely"][1], 2, 3)
    (finding,) = findings.as_json()
    assert finding["kind"] == "loose" and finding["times"] > 5


def test_another_process_hashes_otherwise() -> None:
    with pytest.raises(Found, match="in two processes, and they differ with 2 seats, in hand 1, after 2 moves"):
        refuse_other_processes("gamecheck.tiny:HASHES", [2])


def test_another_process_cannot_play() -> None:
    with pytest.raises(Found, match=r"In another process the game could not be played: .*no_such_game"):
        refuse_other_processes("no_such_game:GAME", [2])


@pytest.mark.deep
def test_processes_agree_on_a_sound_game() -> None:
    refuse_other_processes("gamecheck.tiny:SOUND", [2, 3])


# --- Real tables ---


def test_a_log_that_others_cannot_verify() -> None:
    findings = at_tables(tiny.VERIFIED_OTHERWISE, "mask", 2)
    assert "replay" in {kind for kind, _ in findings.first}, said(findings)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("FailsWhenTold", "table"),
        ("DealsTooMuch", "table"),
        ("AsksForMore", "table"),
        ("OnlyMay", "stuck"),
        ("AsksWithoutCards", "left"),
        ("FailsWhenMoved", "moved"),
    ],
)
def test_what_is_wrong_is_found_at_a_table_too(name: str, kind: str) -> None:
    findings = at_tables(tiny.BROKEN[name][1], "mask", 2)
    assert kind in {found for found, _ in findings.first}, said(findings)


def test_protocols_say_why_they_cannot_serve() -> None:
    rules = find_game("wardens").from_settings(find_game("wardens").settled({}))
    why = {on.name: on.why for on in protocols_for(rules, 2, modes=False)}
    assert why["duel"] is None and "cannot make a deck that belongs to one player" in str(why["lock"])
    assert len(list(protocols_for(rules, 2, modes=True))) > len(why)
    assert tables.QUICK.modes is False


# --- The command ---


@pytest.mark.deep
def test_the_command_on_a_sound_game() -> None:
    done = called("game", "check", "gamecheck.tiny:SOUND", "--json")
    document = json.loads(done.stdout)
    assert done.returncode == 0 and document["ok"] and document["findings"] == [] and document["game"] == "tiny"
    played = {one["name"]: one["played"] for one in document["protocols"]}
    assert played == {"mask": True, "lock": True, "offset": True, "chain": True, "duel": False}
    assert any("seats: four can play" in note for note in document["notes"])


def test_the_command_on_a_broken_game() -> None:
    done = called("game", "check", "gamecheck.tiny:FAILING")
    assert done.returncode == 1 and "✗ told tiny.py:" in done.stdout
    assert "No hand reached its end" in done.stdout and "FAILED: tiny version 1, 1 problem found" in done.stdout


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("no_such_module:GAME", "cannot be loaded"),
        ("gamecheck.tiny:Hand", "is not a game"),
        ("free", "has no bot"),
        ("nosuch", "unknown game 'nosuch'"),
    ],
)
def test_what_cannot_be_checked(place: str, said: str) -> None:
    done = called("game", "check", place)
    assert done.returncode == 2 and said in done.stderr


def test_the_games_that_are_here() -> None:
    told = json.loads(called("game", "list", "--json").stdout)
    assert {"free", "holdem", "wardens"} <= {one["name"] for one in told}
    assert "--blinds 1/2" in called("game", "list").stdout.replace("\n", " ")


def test_a_game_that_no_protocol_serves() -> None:
    with pytest.raises(BadParameter, match="no protocol can serve tiny"):
        check("gamecheck.tiny:UNSERVED", QUICK, lambda doing: None)


def test_what_a_leaver_had_laid_aside_is_in_the_open_deck_again() -> None:
    """As with real decks: otherwise a game would be checked with fewer cards than it will have."""
    deck, seats = PlainDeck.fresh(NewDeck(0, 6), bytes(32)), (0, 1, 2)
    for operation in (Deal(0, (Portion(0, 2), Portion(1, 1))), Return(0, (0,), Place.DISCARD)):
        deck, _ = deck.perform(operation, seats, lambda seen, peek: ())
    after = deck.without((0,))
    assert len(after.places.pile) == 5 and after.faces[2] not in {after.faces[at] for at in after.places.pile}


def test_open_decks_tell_what_true_ones_tell() -> None:
    """The same events at the same positions, also for private operations and when a seat leaves."""
    true = begun(group(), size=10)
    open_deck, seats = PlainDeck.fresh(NewDeck(0, 10), bytes(32)), (0, 1, 2)
    for operation in (
        Deal(0, tuple(Portion(seat, 2) for seat in seats)),
        Peek(0, 1, 2),
        Peek(0, 2, 3, Look.REORDER),
        Peek(0, 0, 2, Look.KEEP),
        Peek(0, 1, 3, Look.TAKE),
        Pass(0, (Gift(0, 1, (0,)), Gift(1, 2, (2,)))),
        Show(0, 2, (4,), to=0),
        Mix(0, 1, (3, 15, 18)),
        Mix(0, 0, (1,)),
        Return(0, (5,), Place.TOP, by=2, depth=1),
        Return(0, (21,), Place.DISCARD),
    ):
        true.events.clear()
        places = true.ask(operation).places
        open_deck, events = open_deck.perform(operation, seats, lambda seen, peek: true.chosen)
        assert [*true.events] == [*with_finished(operation, events)], operation
        there = open_deck.places
        assert (places.pile, places.held, places.discards, places.seen) == (
            there.pile,
            there.held,
            there.discards,
            there.seen,
        )
        assert len({open_deck.faces[at] for at in (*there.pile, *there.held, *there.discards)}) == 10
    without(true, 2)
    left, after = true.run(true.decks[0]).places, open_deck.without((2,))
    assert (left.pile, left.held, left.discards) == (after.places.pile, after.places.held, after.places.discards)
    assert len({after.faces[at] for at in (*left.pile, *left.held, *left.discards)}) == 10
