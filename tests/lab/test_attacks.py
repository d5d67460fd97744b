"""Every attack on every protocol that has it: what comes of it is what the claims say, and the log shows it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

import attack_table
from nodealer.audit.verify import verify_file
from nodealer.cli.entropy import rehearsal_entropy
from nodealer.errors import BadParameter
from nodealer.games.found import find
from nodealer.games.package import GamePackage
from nodealer.group import group
from nodealer.lab.attacks import ATTACKS, attack_of
from nodealer.lab.attacks.base import Attack, sentence
from nodealer.lab.attacks.outcome import Came, what_came
from nodealer.lab.attacks.trial import Trial, tried
from nodealer.lab.sim.highcard import GAME as HIGHCARD
from nodealer.log.file import save_log
from nodealer.play.phases import Phase
from nodealer.protocols import MODES, make_protocol
from nodealer.protocols.base import CardProtocol, Cheat

#: Decks that the dealer makes are of large numbers. Few of them are enough here.
SLOW: Final = {b'{"deck":"dealer"}': b'{"deck":"dealer","kappa":1}'} | {
    b'{"deck":"dealer","proven":false}': b'{"deck":"dealer","kappa":1,"proven":false}'
}
#: A seat that serves and does not play is given by the table, and no attack is about it.
SERVED: Final = b'{"community":"server"}'
#: How early something is seen.
EARLIER: Final = ("at once", "at opening", "at the end", "never")


def protocol_of(name: str, mode: bytes) -> CardProtocol:
    """On a group that is quick, where the protocol lets one choose."""
    if mode in SLOW:
        return make_protocol(name, SLOW[mode])
    return make_protocol(name, mode, group() if name == "chain" else None)


def cases() -> Iterator[tuple[str, bytes, str]]:
    """Protocol, mode and attack, of all that there are."""
    for name, modes in MODES.items():
        for mode in modes:
            for attack in ATTACKS.values():
                if mode != SERVED and name not in attack.instead:
                    yield name, mode, attack.name


def game_for(name: str) -> GamePackage:
    """The smallest that the protocol serves."""
    return find("wardens") if name == "duel" else replace(HIGHCARD, seats=3)


def carried_out(protocol: CardProtocol, attack: Attack, cheater: int, seed: int = 4) -> Trial:
    game = game_for(protocol.claims.name)
    # A hand more of the small game, in which a cheater that is not caught begins with something.
    hands = 1 if protocol.claims.name == "duel" else 2
    return tried(attack, protocol, game, rehearsal_entropy(seed, attack.name), cheater=cheater, hands=hands)


def came(trial: Trial) -> Came:
    return what_came(trial.config, trial.log, trial.lies, os.urandom)


def agrees(trial: Trial, claim: Cheat, cheater: int, folder: Path) -> None:
    """Who only has the file sees what the claim says, and the others could end the game."""
    assert trial.lies
    save_log(folder / "log", trial.config.session, trial.log)
    # The small game is not one that is installed: whoever reads its log has to be given it.
    package = game_for(trial.config.protocol.claims.name)
    report = verify_file(folder / "log", entropy=os.urandom, on=trial.config.protocol.group, game=package)
    assert {fault.seat for fault in report.faults} == ({cheater} if claim.culprit else set()), report.reason
    assert report.verdict == ("fault" if claim.culprit else "clean")
    assert report.state is not None and report.state.phase is Phase.ENDED
    assert report.exit_code == (1 if claim.culprit else 0)
    assert set(report.gone) <= {cheater} and not report.chronicle.statements, "it has thrown nobody out"


def is_deep(name: str, mode: bytes, kind: str) -> bool:
    """What takes long; and what the law says of all modes alike, in all modes but the first."""
    return mode in SLOW or (attack_of(kind).law is not None and mode != MODES[name][0])


@pytest.mark.parametrize(
    ("name", "mode", "kind"),
    [pytest.param(*case, marks=[pytest.mark.deep] if is_deep(*case) else []) for case in cases()],
)
def test_what_comes_of_it_is_what_is_claimed(name: str, mode: bytes, kind: str, tmp_path: Path) -> None:
    """The last to shuffle knows where its cards come to lie: it doubles one that another gets, and marks one that
    nobody does."""
    protocol, attack, cheater = protocol_of(name, mode), attack_of(kind), 1 if name == "duel" else 2
    claim, trial = attack.on(protocol).claim, carried_out(protocol, attack, cheater)
    found = came(trial)
    assert (found.seen, found.culprit) == (claim.seen, cheater if claim.culprit else None), found.fault
    agrees(trial, claim, cheater, tmp_path)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("cheater", [0, 1, 2])
@pytest.mark.parametrize(("name", "mode", "kind"), list(cases()))
def test_from_any_seat(name: str, mode: bytes, kind: str, cheater: int, seed: int, tmp_path: Path) -> None:
    """Wherever it sits it is named, if it came to it: never later than when all books are open, and at once where that
    is claimed."""
    protocol, attack = protocol_of(name, mode), attack_of(kind)
    if cheater >= (2 if name == "duel" else 3) or (mode in SLOW and seed):
        pytest.skip("no such seat, or too dear")
    claim, trial = attack.on(protocol).claim, carried_out(protocol, attack, cheater, seed)
    if not trial.lies:
        pytest.skip("it never came to it")
    found = came(trial)
    assert found.culprit == (cheater if claim.culprit else None)
    assert found.seen == claim.seen or claim.seen in ("at opening", "at the end"), found
    assert not claim.culprit or EARLIER.index(found.seen) < EARLIER.index("never")
    agrees(trial, claim, cheater, tmp_path)


def test_what_a_protocol_does_not_have_is_refused_with_its_claim() -> None:
    refused = [(attack, name, mode) for attack in ATTACKS.values() for name in attack.instead for mode in MODES[name]]
    assert refused
    for attack, name, mode in refused:
        protocol = make_protocol(name, mode)
        with pytest.raises(BadParameter, match="does not have the cheat") as caught:
            attack.on(protocol)
        assert any(sentence(claim) in str(caught.value) for claim in protocol.claims.cheats)


def test_an_attack_that_nobody_claims_anything_about_is_refused() -> None:
    nameless = replace(attack_of("double"), ways={})
    with pytest.raises(BadParameter, match="nobody has written it"):
        nameless.on(make_protocol("mask"))
    with pytest.raises(BadParameter, match="there is no cheat 'steal'; there are double"):
        attack_of("steal")


def test_an_honest_game_is_not_seen_as_an_attack() -> None:
    """The same players, with an attack that has no moment."""
    quiet = replace(attack_of("double"), ways={"mask": (replace(attack_of("double").ways["mask"][0], forge={}),)})
    trial = carried_out(make_protocol("mask"), quiet, 2)
    assert not trial.lies and came(trial) == Came("never", None)


def test_the_page_says_what_the_claims_say() -> None:
    page = attack_table.PAGE.read_text()
    assert attack_table.with_table(page) == page, "run `make diagrams`"
    with pytest.raises(ValueError, match="markers"):
        attack_table.with_table("")


@pytest.mark.parametrize("named", [one.test for one in attack_table.AROUND])
def test_what_is_said_of_the_way_to_the_cards_is_tried(named: str) -> None:
    file, _, test = named.partition("::")
    assert f"\ndef {test}(" in (attack_table.TESTS / file).read_text()
