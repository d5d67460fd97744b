"""Several processes find exactly what one finds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from audit.conftest import HANDS, Game
from nodealer.audit import audit, parts
from nodealer.audit.scripts import Answered, Script, check_script
from nodealer.audit.skim import NotInParts, Skimmer
from nodealer.audit.verify import verify_file
from nodealer.errors import NodealerError
from nodealer.log.entry import sign_entry
from nodealer.play.bodies import Without
from nodealer.play.config import config_of
from nodealer.play.replica import replay
from nodealer.wire import encode


@pytest.fixture(autouse=True)
def short_logs_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "PARTS_BYTES_MIN", 0)


def skimmed(game: Game, entries: list[bytes] | None = None) -> tuple[Skimmer, list[Script]]:
    scripts: list[Script] = []
    skimmer = Skimmer(game.session, scripts.append)
    for data in game.entries if entries is None else entries:
        skimmer.append(data)
    skimmer.finish()
    return skimmer, scripts


# --- Skimming ---


def test_skimming_gives_the_state_that_checking_gives(game: Game) -> None:
    skimmer, scripts = skimmed(game)
    checked = replay(config_of(game.session), game.entries, entropy=os.urandom)
    assert skimmer.digest() == checked.digest()
    assert skimmer.state.results == checked.state.results
    assert len(scripts) == HANDS + 1


def test_every_entry_is_in_one_script(game: Game) -> None:
    _, scripts = skimmed(game)
    assert [number for script in scripts for number in range(script.first, script.last)] == list(
        range(len(game.entries))
    )


def test_the_scripts_hold_all_proofs(game: Game) -> None:
    _, scripts = skimmed(game)
    protocol = config_of(game.session).protocol
    found = [check_script(one, game.entries.__getitem__, game.session, protocol, os.urandom) for one in scripts]
    checked = replay(config_of(game.session), game.entries, entropy=os.urandom)
    assert sum(found) == checked.checks_settled == HANDS * 3 * 2


@pytest.mark.parametrize("step", ["shuffle", "rekey", "release"])
@pytest.mark.parametrize("hand", range(HANDS))
def test_a_false_message_is_seen_in_its_script(game: Game, step: str, hand: int) -> None:
    number, false = game.falsified(step, hand)
    entries = [*game.entries[:number], false]
    protocol = config_of(game.session).protocol
    with pytest.raises((NodealerError, NotInParts)):
        for script in skimmed(game, entries)[1]:
            check_script(script, entries.__getitem__, game.session, protocol, os.urandom)


def test_a_false_signature_is_seen_in_its_script(game: Game) -> None:
    number = len(game.entries) // 2
    entries = list(game.entries)
    entries[number] = sign_entry(game.keys[(game.entry(number).seat + 1) % 3], game.entry(number))
    _, scripts = skimmed(game, entries[: number + 1])
    protocol = config_of(game.session).protocol
    with pytest.raises(NodealerError):
        check_script(scripts[-1], entries.__getitem__, game.session, protocol, os.urandom)


def test_a_script_that_says_something_else_is_refused(game: Game) -> None:
    _, scripts = skimmed(game)
    protocol, script = config_of(game.session).protocol, scripts[0]

    def check(changed: Script) -> None:
        check_script(changed, game.entries.__getitem__, game.session, protocol, os.urandom)

    check(script)
    last = max(at for at, step in enumerate(script.steps) if isinstance(step, Answered))
    steps = [*script.steps[:last], *script.steps[last + 1 :]]
    for changed in (
        Script(script.first, script.last, script.steps, bytes(32)),
        Script(script.first, script.last, steps, script.outcome),
        Script(script.first, script.last, script.steps[::-1], script.outcome),
    ):
        with pytest.raises((NodealerError, KeyError)):
            check(changed)


def test_a_seat_that_leaves_is_not_for_parts(game: Game) -> None:
    number = next(n for n in range(len(game.entries)) if game.entry(n).hand == 0 and n > 20)
    skimmer = Skimmer(game.session, lambda script: None)
    for data in game.entries[:number]:
        skimmer.append(data)
    with pytest.raises(NotInParts):
        for seat in (0, 1):
            entry = game.entry(max(n for n in range(number) if game.entry(n).seat == seat))
            changes = {"seq": entry.seq + 1, "seen": skimmer.head, "body": encode(Without((2,)))}
            skimmer.append(_changed(game, entry, changes))


def _changed(game: Game, entry: object, changes: dict[str, object]) -> bytes:
    import msgspec

    body = changes.pop("body")
    assert isinstance(body, bytes)
    return game.signed(0, msgspec.structs.replace(entry, **changes, body=msgspec.Raw(body)))  # type: ignore[type-var]


# --- Processes ---


@pytest.mark.parametrize("jobs", [2, 3])
def test_a_good_log(game: Game, tmp_path: Path, jobs: int) -> None:
    path = game.save(tmp_path / "log")
    report = parts.verify_in_parts(path, jobs=jobs, entropy=os.urandom)
    assert report is not None and report.verdict == "clean"
    assert report.as_json() == verify_file(path, entropy=os.urandom).as_json()


def test_an_incomplete_log(game: Game, tmp_path: Path) -> None:
    path = game.save(tmp_path / "log", game.entries[: len(game.entries) // 2])
    report = parts.verify_in_parts(path, jobs=2, entropy=os.urandom)
    assert report is not None and report.as_json() == verify_file(path, entropy=os.urandom).as_json()
    path.write_bytes(path.read_bytes()[:-10])
    report = parts.verify_in_parts(path, jobs=2, entropy=os.urandom)
    assert report is not None and report.as_json() == verify_file(path, entropy=os.urandom).as_json()


@pytest.fixture(params=["this process", "the other"])
def alone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of two processes does all the checking."""
    if request.param == "the other":
        monkeypatch.setattr(parts, "_help", lambda scripts, replica, entropy: 0)
    else:
        monkeypatch.setattr(parts._Process, "_feed", lambda self: self._process.stdin.close())


@pytest.mark.usefixtures("alone")
def test_one_of_two_does_all(game: Game, tmp_path: Path) -> None:
    path = game.save(tmp_path / "log")
    report = parts.verify_in_parts(path, jobs=2, entropy=os.urandom)
    assert report is not None and report.as_json() == verify_file(path, entropy=os.urandom).as_json()


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("step", ["shuffle", "release"])
def test_a_fault_is_named_whoever_finds_it(game: Game, tmp_path: Path, step: str) -> None:
    number, false = game.falsified(step, 1)
    path = game.save(tmp_path / "log", [*game.entries[:number], false])
    assert parts.verify_in_parts(path, jobs=2, entropy=os.urandom) is None
    report = audit(path, entropy=os.urandom, jobs=2)
    assert report.verdict == "fault" and report.fault is not None
    assert (report.fault.entry, report.fault.seat) == (number, game.entry(number).seat)


@pytest.mark.usefixtures("alone")
def test_a_broken_log(game: Game, tmp_path: Path) -> None:
    last = len(game.entries) - 1
    signed_by_another = sign_entry(game.keys[(game.entry(last).seat + 1) % 3], game.entry(last))
    for entries in (game.entries[:30] + game.entries[31:], [*game.entries[:last], signed_by_another]):
        path = game.save(tmp_path / "log", entries)
        assert parts.verify_in_parts(path, jobs=2, entropy=os.urandom) is None
        assert audit(path, entropy=os.urandom, jobs=2).verdict == "broken"


def test_a_process_that_cannot_start(game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = game.save(tmp_path / "log")
    monkeypatch.setattr("sys.executable", "/bin/false")
    assert parts.verify_in_parts(path, jobs=2, entropy=os.urandom) is None
    assert audit(path, entropy=os.urandom, jobs=2).verdict == "clean"


def test_short_logs_and_no_logs_are_for_one_process(
    game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "PARTS_BYTES_MIN", 1 << 30)
    assert parts.verify_in_parts(game.save(tmp_path / "log"), jobs=2, entropy=os.urandom) is None
    assert parts.verify_in_parts(tmp_path, jobs=2, entropy=os.urandom) is None
    assert parts.verify_in_parts(tmp_path / "none", jobs=2, entropy=os.urandom) is None
