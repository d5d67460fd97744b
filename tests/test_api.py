"""The library api: what it gives, what it refuses, and that looking at it costs nothing."""

from __future__ import annotations

import subprocess
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import Raw
from msgspec.structs import replace

import nodealer
from nodealer.errors import BadParameter, Declined, DecodeError, IllegalMove, PeerFault
from nodealer.log.roster import Roster
from nodealer.log.session import Part, Proposal
from nodealer.play.frames import Proposed, read_frame, read_said, sign_frame


def test_importing_is_cheap() -> None:
    code = "import sys, nodealer; print(nodealer.__version__, [m for m in sys.modules if m.startswith('nodealer.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{nodealer.__version__} []\n"
    with pytest.raises(AttributeError):
        _ = nodealer.nothing
    assert all(hasattr(nodealer, name) for name in nodealer.__all__)


def test_named_faces_and_several_hands(tmp_path: Path) -> None:
    table = nodealer.table(["Ada", "Ben"])
    table.shuffle(["a", "b", "c", "d"])
    table.deal({"Ben": 1})
    table.next_hand()
    table.shuffle(["w", "x", "y", "z"])
    table.deal(Ada=1, Ben=1)
    seen = {*table.hand("Ada"), *table.hand("Ben"), *table.open(2)}
    assert seen == {"w", "x", "y", "z"}
    table.save(tmp_path / "log.jsonl")
    report = nodealer.verify(tmp_path / "log.jsonl")
    assert report.verdict == "clean" and report.exit_code == 0
    assert [(result["ended"], result["void"]) for result in report.as_json()["results"]] == [("finished", None)] * 2
    with pytest.raises(IllegalMove):
        table.open(1)


def test_cards_go_back() -> None:
    table = nodealer.table(["Ada", "Ben", "Cleo"], cards=6)
    table.shuffle(6)
    table.deal(Ada=2, Ben=1)
    table.give_back("Ada")
    assert table.hand("Ada") == []
    kept = table.hand("Ben")
    assert sorted([*kept, *table.open(5)]) == list(range(6))
    table.give_back("Ben", shuffled=False)
    assert table.hand("Ben") == []


def test_several_decks() -> None:
    table = nodealer.table(["Ada", "Ben"])
    table.shuffle(3, deck=0)
    table.shuffle(["x", "y"], deck=1)
    table.deal(deck=1, Ada=1)
    assert table.hand("Ada") == [] and table.hand("Ada", deck=1)[0] in ("x", "y")


def test_what_cannot_be_is_refused_and_nothing_happens() -> None:
    table = nodealer.table(["Ada", "Ben"], cards=10)
    refused: list[Callable[[], object]] = [
        lambda: table.open(1),
        lambda: table.deal(Ada=1),
        lambda: table.shuffle(11),
        lambda: table.shuffle(1),
        lambda: table.shuffle(["same", "same"]),
        lambda: table.shuffle(["bell\a", "two"]),
        lambda: table.shuffle(3, deck=99),
    ]
    for attempt in refused:
        with pytest.raises(IllegalMove):
            attempt()
    table.shuffle(3)
    refused = [lambda: table.shuffle(3), lambda: table.open(4), lambda: table.show("Ada"), lambda: table.open(0)]
    for attempt in refused:
        with pytest.raises(IllegalMove):
            attempt()
    with pytest.raises(BadParameter):
        table.deal(Eve=1)
    with pytest.raises(BadParameter):
        table.hand("Eve")
    assert len(table.open(3)) == 3


@pytest.mark.parametrize("names", [[], ["Ada"], ["Ada", "Ada"]])
def test_a_table_needs_players(names: list[str]) -> None:
    with pytest.raises(BadParameter):
        nodealer.table(names)


def test_names_that_nobody_may_have() -> None:
    with pytest.raises(DecodeError):
        nodealer.table(["Ada", "B\nen"])


def carry(players: list[nodealer.Player], *frames: bytes) -> None:
    waiting = deque(frames)
    while waiting:
        frame = waiting.popleft()
        for player in players:
            waiting.extend(player.receive(frame))


def proposal_of(frame: bytes) -> Proposal:
    read = read_frame(read_said("", frame).words)
    assert isinstance(read, Proposed)
    return read.proposal


def changed_to(frame: bytes, proposer: nodealer.Player, proposal: Proposal) -> bytes:
    """What a proposer would send who has a program of its own."""
    read = read_frame(read_said("", frame).words)
    assert isinstance(read, Proposed)
    return sign_frame(proposer._me.home.identity, "", replace(read, proposal=proposal))


CHANGES: dict[str, Callable[[Proposal], Proposal]] = {
    "rehearsal": lambda proposal: replace(proposal, rehearsal=True),
    "warns": lambda proposal: replace(proposal, protocol=Part("duel", 0, Raw(b'{"mode":"xor"}'))),
    "holdem": lambda proposal: replace(proposal, game=Part("holdem", 0)),
}


@pytest.mark.parametrize("said", CHANGES)
def test_a_player_looks_before_it_commits(said: str) -> None:
    players = [nodealer.Player("Ada"), nodealer.Player("Ben")]
    carry(players, *(player.hello() for player in players))
    good = players[0].propose(cards=5)
    bad = changed_to(good, players[0], CHANGES[said](proposal_of(good)))
    with pytest.raises(Declined, match=said):
        players[1].receive(bad)
    assert not players[1].ready


def test_a_player_is_not_called_by_another_name() -> None:
    """A roster that is not as its players offered is nobody's proposal."""
    players = [nodealer.Player("Ada"), nodealer.Player("Ben")]
    carry(players, *(player.hello() for player in players))
    good = players[0].propose(cards=5)
    one, two = proposal_of(good).roster.members
    swapped = Roster((replace(one, name="Ben"), replace(two, name="Ada")))
    bad = changed_to(good, players[0], replace(proposal_of(good), roster=swapped))
    assert players[1].receive(bad) == []
    assert players[0].receive(bad) == []
    carry(players, good)
    assert players[1].ready


def test_a_player_with_an_eye_of_its_own() -> None:
    looked: list[Proposal] = []

    def accept(proposal: Proposal) -> None:
        looked.append(proposal)
        if proposal.protocol.name != "lock":
            raise Declined("I play only lock")

    players = [nodealer.Player("Ada"), nodealer.Player("Ben", accept=accept)]
    carry(players, *(player.hello() for player in players))
    first = players[0].propose(cards=5)
    players[0].receive(first)
    with pytest.raises(Declined, match="only lock"):
        players[1].receive(first)
    # What it has to say about it goes out with the next thing it says.
    carry(players, *players[1].receive(b""), *players[0].receive(b""))
    carry(players, players[0].propose(protocol="lock", cards=5))
    assert players[1].ready and [proposal.protocol.name for proposal in looked] == ["mask", "lock"]


def test_before_anything_is_agreed() -> None:
    player = nodealer.Player("Ada")
    assert not player.ready and not player.ended and not player.in_hand
    for attempt in (player.hand, player.finish, lambda: player.shuffle(3), lambda: player.save("x")):
        with pytest.raises(IllegalMove):
            attempt()


def test_frames_that_are_none_change_nothing() -> None:
    players = [nodealer.Player("Ada"), nodealer.Player("Ben")]
    carry(players, *(player.hello() for player in players))
    carry(players, players[0].propose(cards=5))
    for junk in (b"", b"junk", b"{}", bytes(100)):
        assert players[0].receive(junk) == []
    carry(players, players[1].shuffle(5))
    first = players[0].open(1)
    carry(players, first)
    assert players[1].opened() == players[0].opened() and players[0].receive(first) == []


def test_two_ask_at_once_and_the_first_counts() -> None:
    players = [nodealer.Player("Ada"), nodealer.Player("Ben")]
    carry(players, *(player.hello() for player in players))
    carry(players, players[0].propose(cards=5))
    carry(players, players[0].shuffle(5))
    carry(players, players[0].open(1), players[1].open(2))
    assert len(players[0].opened()) == 1 and players[1].ready


def test_a_cheat_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nodealer.proofs import shuffle

    players = [nodealer.Player("Ada"), nodealer.Player("Eve")]
    carry(players, *(player.hello() for player in players))
    carry(players, players[0].propose(cards=4))
    honest = shuffle.prove
    made = []

    def once_false(*arguments: object) -> bytes:
        proof = honest(*arguments)  # type: ignore[arg-type]
        made.append(proof)
        return made[0] if len(made) == 2 else proof

    monkeypatch.setattr(shuffle, "prove", once_false)
    with pytest.raises(PeerFault) as caught:
        carry(players, players[0].shuffle(4))
    assert caught.value.seat == 1
    players[0].save(tmp_path / "evidence.jsonl")
    report = nodealer.verify(tmp_path / "evidence.jsonl")
    assert report.verdict == "fault" and [report.name(fault.seat) for fault in report.faults] == ["Eve"]
    assert "Eve (seat 1, key " in report.reason
