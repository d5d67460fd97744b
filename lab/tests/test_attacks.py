"""Every attack with and without its defence: without it the attack works, with it the claimed outcome follows."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

import attack_table
from nodealer.audit.verify import verify_file
from nodealer.cheats.registry import OURS, cheat_names, find_cheat, installed_cheats
from nodealer.engine.phases import Phase
from nodealer.errors import BadParameter, IllegalMove
from nodealer.games.base import Done
from nodealer.log.file import save_log
from nodealer.protocols import MODES, make_protocol
from nodealer.protocols.base import Cheat
from nodealer_lab.attacks import ATTACKS, CHEATS, FAMILIES, find_attack
from nodealer_lab.attacks.base import Attack, AttackMethod, expected_outcome, sentence
from nodealer_lab.attacks.beyond import BEYOND
from nodealer_lab.attacks.comparison import AttackComparison, compare_runs, iter_cases
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.duel_seats import SEARCHED_DUEL
from nodealer_lab.attacks.matrix import AttackRow, row_of
from nodealer_lab.attacks.outcome import AttackOutcome, judge_log
from nodealer_lab.attacks.process import AttackProcess, AttackTask
from nodealer_lab.attacks.scene import (
    PlayedGame,
    Scene,
    modes_of,
    play_with_cheater,
    scene_of,
    small_game,
    small_protocol,
)
from sampling import DEEP

#: When a fault is seen, earliest first.
EARLIEST_FIRST: Final = ("at once", "at opening", "at the end", "never")
EVERYWHERE: Final = [(one.name, *case) for one in ATTACKS.values() for case in iter_cases(one, everywhere=True)]
#: The dealer's decks consist of large numbers, and dealing from them costs half without proofs.
DEALT, DEALT_QUICKLY = ("chain", b'{"deck":"dealer"}'), ("chain", b'{"deck":"dealer","proven":false}')


def first_case(attack: Attack) -> tuple[str, str, bytes]:
    """Return the case of an attack that `make test` carries out."""
    case, quick = (attack.name, *next(iter(iter_cases(attack)))), (attack.name, *DEALT_QUICKLY)
    return quick if case == (attack.name, *DEALT) and quick in EVERYWHERE else case


FIRST: Final = [first_case(one) for one in ATTACKS.values()]


@pytest.fixture(scope="module")
def child() -> Iterator[AttackProcess]:
    with AttackProcess() as child:
        yield child


@pytest.fixture(scope="module")
def table() -> dict[tuple[str, str, str], AttackRow]:
    """The results in the documentation, by attack, protocol and mode."""
    return {(row.attack, row.protocol, row.mode): row for row in attack_table.rows()}


@pytest.mark.parametrize(
    ("kind", "name", "mode"),
    [pytest.param(*case, marks=[] if case in FIRST else [pytest.mark.deep]) for case in EVERYWHERE],
)
def test_with_and_without_the_defence(
    kind: str, name: str, mode: bytes, child: AttackProcess, table: dict[tuple[str, str, str], AttackRow]
) -> None:
    both = compare_runs(child, find_attack(kind), name, mode, honestly=DEEP)
    assert not both.wrong, both.sentence
    assert row_of(both) == table.get((kind, name, mode.decode())), "run `make attacks`"


#: Attacks that play a game of their own with false messages of a seat in it. Not those whose messages are false on one
#: protocol only: on the others they read what honest seats send, or send it for a seat.
STAGED: Final = [
    (kind, name, mode)
    for kind, name, mode in EVERYWHERE
    if (way := find_attack(kind).on(small_protocol(name, mode)).way).play is not None
    and (way.forge or way.beside is not None)
    and (kind, name) not in {("another-place", "chain"), *(("only-friends", name) for name in MODES)}
]


@pytest.mark.deep
@pytest.mark.parametrize(("kind", "name", "mode"), STAGED)
def test_a_staged_attack_gains_nothing_without_its_lies(
    kind: str, name: str, mode: bytes, child: AttackProcess
) -> None:
    """The gain without the defence comes from the lies. For a seat with lies, `compare_runs` checks this."""
    try:
        outcome = child.run(AttackTask(kind, name, mode.decode(), weak=True, honest=True))
    except BadParameter as never:
        # The attack waits for a lucky game.
        assert "cannot be carried out: in 16 games" in str(never)
    else:
        assert outcome.gain is None


def test_the_results_are_complete_and_as_claimed(table: dict[tuple[str, str, str], AttackRow]) -> None:
    assert [(kind, name, mode.decode()) for kind, name, mode in EVERYWHERE] == list(table)
    assert {*FIRST} <= {*EVERYWHERE} and [kind for kind, _, _ in FIRST] == list(ATTACKS)
    for (kind, name, mode), row in table.items():
        scheme = find_attack(kind).on(small_protocol(name, mode.encode()))
        assert (row.claim, row.comes, row.named) == (scheme.claim.cheat, expected_outcome(scheme), scheme.claim.culprit)
        assert (row.without is None) == (not scheme.way.defence) and not row.wrong
        # Exactly the attacks that cannot be seen have no defence.
        assert bool(scheme.way.defence) == (expected_outcome(scheme) != "cannot be seen"), row


def test_the_summary_has_the_counts() -> None:
    page = attack_table.PAGE.read_text()
    assert attack_table.with_table(page) == page, "run `make diagrams`"
    assert [*attack_table.ABOUT] == [*FAMILIES]
    with pytest.raises(ValueError, match="markers"):
        attack_table.with_table("")


def test_the_matrix_has_every_row(table: dict[tuple[str, str, str], AttackRow]) -> None:
    """Each attack has a line and a section, and each row its cells there, with protocol and mode."""
    page = attack_table.matrix_page()
    sections = dict(re.findall(r"^### ([a-z-]+)\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL))
    assert {*ATTACKS} <= {*sections}
    for (kind, name, mode), row in table.items():
        attack = find_attack(kind)
        assert f"\n| [`{kind}`](#{kind}) | " in page and f"{row.who.capitalize()} {row.does}" in sections[kind]
        [first] = [
            line.split(" | ")[0].removeprefix("| ")
            for line in sections[kind].splitlines()
            if line.endswith(f" | {attack_table.result_of(row)} |")
            and line.startswith("| any |" if attack.without_cards else f"| {name} ")
        ]
        modes = first.removeprefix(name).strip(" ()")
        assert attack.without_cards or not modes or attack_table.mode_of(mode) in modes.split("; ")
    for one in BEYOND:
        assert f"| {one.what} | " in page and f"| {one.comes} | {one.why}" in page and one.test in page
    for around in attack_table.AROUND:
        assert f"| {around.who} | {around.does} | {around.comes} | `{around.test}` |\n" in page


@pytest.mark.parametrize("named", [one.test for one in (*attack_table.AROUND, *BEYOND) if one.test])
def test_the_tests_named_on_the_page_exist(named: str) -> None:
    file, _, test = named.partition("::")
    assert f"\ndef {test}(" in (attack_table.TESTS / file).read_text()


def test_every_dash_has_a_reason() -> None:
    reasons = (
        attack_table.PAGE.read_text()
        .partition("## Why some attacks are not tried on some protocols")[2]
        .partition("\n## ")[0]
    )
    dashes = {one.name for one in ATTACKS.values() if not one.without_cards and {*MODES} - {*one.protocols}}
    assert {*re.findall(r"`([a-z-]+)`", reasons)} >= dashes


#: Claims that no attack names: those that no message can violate, and two that `deals-again` and `withhold` cover.
UNTRIED: Final = {
    "a draw from elsewhere than the top",
    "leaving after the coins to try again: once, then the cards are public",
    "a player who leaves rather than publish a key",
}


@pytest.mark.parametrize(("name", "mode"), [(name, mode) for name in MODES for mode in modes_of(name)])
def test_every_claim_is_tried(name: str, mode: bytes) -> None:
    tried_there = {way.claim for attack in ATTACKS.values() for way in attack.ways.get(name, ())}
    claimed = {claim.cheat for claim in small_protocol(name, mode).claims.cheats}
    laws = {attack.law.claim.cheat for attack in ATTACKS.values() if attack.law is not None}
    assert claimed - tried_there - laws <= UNTRIED


# --- Defences ---


def methods_of(attack: Attack) -> list[AttackMethod]:
    return [attack.law.way] if attack.law is not None else [way for some in attack.ways.values() for way in some]


def test_every_defence_can_be_removed() -> None:
    removed = {one for attack in ATTACKS.values() for way in methods_of(attack) for one in way.defence}
    removed |= {one for attack in ATTACKS.values() for some in attack.law_defences.values() for one in some}
    assert removed
    for one in removed:
        function, code = one.weakened_code()
        assert function.__code__ is not code and function.__code__.co_name == code.co_name


@pytest.mark.parametrize(
    ("defence", "reason"),
    [
        (
            RemovedDefence("nodealer.proofs.checks:settled", "if"),
            "nodealer.proofs.checks:settled does not exist any more",
        ),
        (
            RemovedDefence("nodealer.proofs.checks:Check.seat", "if"),
            "nodealer.proofs.checks:Check.seat does not exist any more",
        ),
        (RemovedDefence("nodealer.proofs.checks:WEIGHT_BYTES", "16"), "is not a function"),
        (RemovedDefence("nodealer.proofs.checks:settle", "if nothing"), "'if nothing' 0 times instead of once"),
        (RemovedDefence("nodealer.proofs.checks:settle", "checks"), "'checks' . times instead of once"),
        (RemovedDefence("nodealer.proofs.checks:settle", "raise ProofRejected", "raise ("), "does not compile"),
        (RemovedDefence("nodealer.proofs.checks:settle", ", entropy: Entropy) -> None"), "does not compile"),
        (
            RemovedDefence("nodealer.proofs.checks:holds_without_entropy", "check: Check", "one: Check"),
            "other arguments",
        ),
    ],
)
def test_removing_a_missing_defence_is_an_error(defence: RemovedDefence, reason: str) -> None:
    with pytest.raises(BadParameter, match=reason):
        defence.remove()


def test_a_defence_is_removed_in_one_run_only(child: AttackProcess) -> None:
    task = AttackTask("double", "mask")
    assert child.run(AttackTask("double", "mask", weak=True)).gain is not None
    assert child.run(task).outcome == "at once"


def test_a_cheater_without_its_lies_is_honest(child: AttackProcess) -> None:
    """Both without forged messages and without additional ones."""
    for kind in ("double", "two-things"):
        assert child.run(AttackTask(kind, "mask", honest=True)) == AttackOutcome("never")
        assert child.run(AttackTask(kind, "mask", weak=True, honest=True)) == AttackOutcome("never")


def test_a_run_that_fails_says_why(child: AttackProcess) -> None:
    with pytest.raises(BadParameter, match=r"other-card on mask cannot be carried out: .* shown by its key"):
        child.run(AttackTask("other-card", "mask"))
    # There is no such seat: the fork breaks down, and the next task is carried out.
    with pytest.raises(BadParameter, match="broke down: Traceback"):
        child.run(AttackTask("double", "mask", seat=7))
    assert child.run(AttackTask("double", "mask")).culprit == 2
    with pytest.raises(BadParameter, match="is not running"):
        AttackProcess().run(AttackTask("double", "mask"))


def test_an_interrupted_run_leaves_no_process_behind() -> None:
    with pytest.raises(KeyboardInterrupt), AttackProcess() as stopped:
        process = stopped._process
        raise KeyboardInterrupt
    assert process is not None and process.returncode == -signal.SIGKILL
    # A process that dies is reported.
    with AttackProcess() as dead:
        assert dead._process is not None
        dead._process.kill()
        dead._process.wait()
        with pytest.raises(BadParameter, match="the process died"):
            dead.run(AttackTask("double", "mask"))


# --- Unexpected outcomes ---


def problem_of(
    weak: AttackOutcome | None,
    real: AttackOutcome,
    kind: str = "double",
    name: str = "mask",
    mode: bytes = b"{}",
    honest: AttackOutcome | None = None,
) -> str:
    attack = find_attack(kind)
    return AttackComparison(
        attack, name, mode.decode(), 2, attack.on(small_protocol(name, mode)), weak, real, honest
    ).wrong


def test_unexpected_outcomes_are_explained() -> None:
    works, caught = AttackOutcome("never", gain="reads a card"), AttackOutcome("at once", 2, "a false proof")
    assert problem_of(works, caught) == ""
    assert "proves nothing" in problem_of(AttackOutcome("never"), caught)
    assert problem_of(works, caught, honest=AttackOutcome("never")) == ""
    assert problem_of(works, caught, honest=works) == "it reads a card without a false message, so it proves nothing"
    assert problem_of(works, works) == "expected: at once; result: cannot be seen"
    assert problem_of(works, AttackOutcome("never")) == "expected: at once; result: gains nothing"
    assert problem_of(works, AttackOutcome("at once", 0, "a false proof")) == "it should name seat 2 but names 0"
    assert "seen at once, but still it reads" in problem_of(works, replace(caught, gain="reads a card"))
    late = AttackOutcome("at the end", 2, "a book", "reads a card")
    assert problem_of(works, late, "mark", "chain", b'{"proven":false}') == ""
    assert "not what named them" in problem_of(late, late, "mark", "chain", b'{"proven":false}')


def test_sentences() -> None:
    attack = find_attack("double")
    both = AttackComparison(
        attack,
        "mask",
        "{}",
        2,
        attack.on(make_protocol("mask")),
        AttackOutcome("never", gain="has a card in the deck twice"),
        AttackOutcome("at once", 2, "the proof is false"),
    )
    assert both.sentence == (
        "with shuffle.check removed: it has a card in the deck twice; "
        "with all defences: caught at once, Cleo named (the proof is false)"
    )
    assert replace(both, weak=None, real=AttackOutcome("never", gain="reads it")).sentence == (
        "it reads it; no log shows a fault"
    )
    assert replace(both, weak=None, real=AttackOutcome("never")).sentence == "it gains nothing"
    assert "at once, no one named" in replace(both, real=AttackOutcome("at once")).sentence


# --- A cheating seat ---


def check_audit(played: PlayedGame, claim: Cheat, scene: Scene, folder: Path) -> None:
    """Check that the log file alone shows what the claim says, and that the others could end the game."""
    cheater = scene.cheater
    assert played.lies
    save_log(folder / "log", played.config.session, played.log)
    # The small game is not installed, so the verifier needs to be given it.
    package = played.config.package
    report = verify_file(folder / "log", entropy=os.urandom, on=played.config.protocol.group, game=package)
    assert {fault.seat for fault in report.faults} == ({cheater} if claim.culprit else set()), report.reason
    assert report.verdict == ("fault" if claim.culprit else "clean")
    assert report.state is not None and report.state.phase is Phase.ENDED
    assert report.exit_code == (1 if claim.culprit else 0)
    assert set(report.gone) <= {cheater, scene.leaver} and not report.chronicle.vote_results, "no one was voted out"


def outcome_of(played: PlayedGame) -> AttackOutcome:
    return judge_log(played.config, played.log, played.lies)


@pytest.mark.parametrize("name", MODES)
def test_the_log_file_alone_shows_the_same(name: str, tmp_path: Path) -> None:
    attack, protocol = find_attack("double"), small_protocol(name)
    scene = scene_of(attack, protocol)
    check_audit(play_with_cheater(attack, scene), attack.on(protocol).claim, scene, tmp_path)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("cheater", [0, 1, 2])
@pytest.mark.parametrize(("kind", "name", "mode"), [case for case in EVERYWHERE if case[0] in CHEATS])
def test_from_any_seat(kind: str, name: str, mode: bytes, cheater: int, seed: int, tmp_path: Path) -> None:
    """A cheater is named from any seat, if the attack found its moment: at once if claimed, never later than the
    disclosures."""
    protocol, attack = small_protocol(name, mode), find_attack(kind)
    game = attack.on(protocol).way.game or small_game(name)
    if cheater >= game.seats or (b"dealer" in mode and seed):
        pytest.skip("no such seat, or too expensive")
    scene = scene_of(attack, protocol, seed, cheater)
    claim, played = attack.on(protocol).claim, play_with_cheater(attack, scene)
    if not played.lies:
        pytest.skip("the attack never found its moment")
    outcome = outcome_of(played)
    assert outcome.culprit == (cheater if claim.culprit else None)
    assert outcome.seen == claim.seen or claim.seen in ("at opening", "at the end"), outcome
    assert not claim.culprit or EARLIEST_FIRST.index(outcome.seen) < EARLIEST_FIRST.index("never")
    check_audit(played, claim, scene, tmp_path)


def test_an_attack_that_a_protocol_lacks_is_refused_with_its_claim() -> None:
    refused = [(attack, name) for attack in ATTACKS.values() for name in attack.instead]
    assert refused
    for attack, name in refused:
        protocol = make_protocol(name, modes_of(name)[0])
        with pytest.raises(BadParameter, match="does not have the cheat") as caught:
            attack.on(protocol)
        assert any(sentence(claim) in str(caught.value) for claim in protocol.claims.cheats)


def test_bots_can_play_the_cheats_of_the_lab() -> None:
    """Six come with the package, the others through the lab's entry points."""
    assert {*cheat_names()} == {*CHEATS} and cheat_names()[:6] == [*OURS]
    assert all(one is CHEATS[one.name] for one in installed_cheats() if one.name not in OURS)
    assert {one.name: one.does for one in OURS.values()} == {name: CHEATS[name].does for name in OURS}


def test_unknown_names_and_attacks_without_a_claim_are_refused() -> None:
    nameless = replace(find_attack("double"), ways={})
    with pytest.raises(BadParameter, match="it is not implemented"):
        nameless.on(make_protocol("mask"))
    with pytest.raises(BadParameter, match=r"unknown attack 'steal'; did you mean 'stall'\?"):
        find_attack("steal")
    with pytest.raises(BadParameter, match="unknown attack 'xyz'; `nodealer lab list` lists them all"):
        find_attack("xyz")
    with pytest.raises(BadParameter, match="unknown cheat 'steal'; choose from double"):
        find_cheat("steal")
    with pytest.raises(BadParameter, match=r"unknown cheat 'markk'; did you mean 'mark'\?"):
        find_cheat("markk")
    with pytest.raises(BadParameter, match="unknown cheat 'leak'"):
        find_cheat("leak")
    with pytest.raises(BadParameter, match="unknown protocol 'whist'; choose from mask"):
        list(iter_cases(find_attack("double"), "whist"))
    # An attack before any cards is the same on every protocol.
    assert (
        list(iter_cases(find_attack("two-bids"), "lock"))
        == list(iter_cases(find_attack("two-bids")))
        == [("mask", b"{}")]
    )
    with pytest.raises(BadParameter, match="other-card is not written for mask, only for chain, duel"):
        list(iter_cases(find_attack("other-card"), "mask"))


def test_an_honest_game_is_not_seen_as_an_attack() -> None:
    """The same players, with an attack that forges nothing."""
    quiet = replace(find_attack("double"), ways={"mask": (replace(find_attack("double").ways["mask"][0], forge={}),)})
    played = play_with_cheater(quiet, scene_of(quiet, make_protocol("mask")))
    assert not played.lies and outcome_of(played) == AttackOutcome("never")


# --- The smallest duel ---


def test_a_duel_takes_one_move_and_ends_when_a_player_leaves() -> None:
    rules = SEARCHED_DUEL.from_settings({})
    hand = rules.begin(0, (0, 1), None, {})
    with pytest.raises(IllegalMove, match="the move"):
        hand.moved(0, b'{"type":"stay"}')
    assert isinstance(hand.left((1,), cards=False).wants, Done)
    assert SEARCHED_DUEL.rules(rules.parameters) is rules


def test_an_attack_on_one_mode_is_carried_out_in_that_mode() -> None:
    assert list(iter_cases(find_attack("downgrade"), everywhere=True)) == [
        ("chain", b'{"proven":false}'),
        ("duel", b'{"mode":"committed"}'),
    ]
    every = {one for attack in ATTACKS.values() for one in attack.law_modes.items()}
    assert every and all(mode in modes_of(name) for name, mode in every)
