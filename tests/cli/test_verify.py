"""`nodealer verify`: what is good is clean, and whatever is not gets its exit code, one sentence and no traceback."""

from __future__ import annotations

import base64
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from cli.logs import SEED, Log
from cli.running import after, called, nodealer
from conformance.harness import agree_session
from nodealer.cli.app import app
from nodealer.games.holdem.adapter import POKERKIT_VERSION
from nodealer.log.session import FORMAT_VERSION
from nodealer.wire import encode


def verdict(path: Path, code: int) -> dict[str, Any]:
    """The document of `--json`; people get one sentence with the same exit code."""
    done = called("verify", str(path), "--json")
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr and not done.stderr
    document = json.loads(done.stdout)
    for_people = called("verify", str(path))
    assert for_people.returncode == code
    if code:
        assert document["reason"] and document["reason"] in for_people.stdout.splitlines()[0]
    return dict(document)


def test_a_game_is_clean(log: Log) -> None:
    found = verdict(log.path, 0)
    assert set(found) == {
        *("verdict", "reason", "entries", "hands", "checks", "faults", "results", "not_proven"),
        *("withouts", "gone", "unchecked", "rosters", "chips", "charges", "dead"),
    }
    assert (found["verdict"], found["faults"], found["hands"]) == ("clean", [], 2)
    assert (found["withouts"], found["gone"], found["unchecked"]) == ([], [], [])
    assert [(result["void"], result["held"]) for result in found["results"]] == [(None, {})] * 2
    assert found["results"][0]["names"] == {"0": "Ada", "1": "Ben", "2": "Cleo"}
    (roster,) = found["rosters"]
    assert (roster["from_hand"], roster["agreed"], roster["chips"]) == (1, [0, 1, 2], {"0": 200, "1": 200, "2": 200})
    assert [(seat["seat"], seat["name"]) for seat in roster["seats"]] == [(0, "Ada"), (1, "Ben"), (2, "Cleo")]
    assert found["chips"] == {str(row["seat"]): row["after"] for row in found["results"][-1]["stacks"]}
    assert found["checks"]["signatures"] == found["entries"] == len(log.entries)
    assert found["checks"]["proofs"] == 2 * 3 * 2
    assert any("rehearsal" in sentence for sentence in found["not_proven"])
    text = nodealer("verify", str(log.path)).stdout
    assert "CLEAN" in text and "0 Ada" in text and "Not proven by any log" in text


def test_cut_in_the_middle_of_a_line(log: Log, target: Path) -> None:
    target.write_bytes(log.path.read_bytes()[:-100])
    assert verdict(target, 3)["verdict"] == "incomplete"


def test_hands_cut_off(log: Log, target: Path) -> None:
    log.save(target, log.entries[:-20])
    assert "not every seat has signed the end" in verdict(target, 3)["reason"]


def test_two_logs_spliced(log: Log, target: Path, tmp_path: Path) -> None:
    def played(seed: int, *options: str) -> list[bytes]:
        path = tmp_path / f"{seed}{''.join(options)}.jsonl"
        arguments = ["play", "--seed", str(seed), "--seats", "3", "--hands", "1", "--log", str(path), *options]
        assert CliRunner().invoke(app, arguments).exit_code == 0
        return Log(path).entries

    log.save(target, [*log.entries[:20], *played(SEED + 1)[20:]])
    assert verdict(target, 1)["verdict"] == "broken"
    # Rehearsals of one seed have one key a name, so here even the signatures are right.
    log.save(target, [*log.entries[:20], *played(SEED, "--stack", "90")[20:]])
    found = verdict(target, 1)
    assert found["verdict"] == "broken" and "another session" in found["reason"]


def test_an_entry_left_out_or_doubled(log: Log, target: Path) -> None:
    log.save(target, [*log.entries[:10], *log.entries[11:]])
    assert verdict(target, 1)["verdict"] == "broken"
    log.save(target, [*log.entries[:10], log.entries[9], *log.entries[10:]])
    assert "twice" in verdict(target, 1)["reason"]


@pytest.mark.parametrize("versions", [(("pokerkit", "0.0.1"),), (("something", "1"),), ()])
def test_other_versions(log: Log, target: Path, versions: tuple[tuple[str, str], ...]) -> None:
    proposal = msgspec.structs.replace(log.session.proposal, versions=versions)
    log.save(target, [], encode(agree_session(proposal, os.urandom)))
    assert f"here is pokerkit {POKERKIT_VERSION}" in verdict(target, 2)["reason"]


@pytest.mark.parametrize(("change", "to"), [(b'"ante":0', b'"ante":-1'), (b'"blinds":[1,2]', b'"blinds":[2,1]')])
def test_other_parameters(log: Log, target: Path, change: bytes, to: bytes) -> None:
    proposal = log.session.proposal
    assert change in bytes(proposal.game.parameters)
    parameters = msgspec.Raw(bytes(proposal.game.parameters).replace(change, to))
    proposal = msgspec.structs.replace(proposal, game=msgspec.structs.replace(proposal.game, parameters=parameters))
    log.save(target, [], encode(agree_session(proposal, os.urandom)))
    assert verdict(target, 2)["verdict"] == "not-a-log"


@pytest.mark.parametrize("part", ["game", "protocol"])
def test_a_game_or_protocol_that_is_not_here(log: Log, target: Path, part: str) -> None:
    # A name that would be a command to the terminal, if it were not taken as text.
    named = msgspec.structs.replace(getattr(log.session.proposal, part), name="[/bold]chess")
    session = agree_session(msgspec.structs.replace(log.session.proposal, **{part: named}), os.urandom)
    log.save(target, [], encode(session))
    assert "chess" in verdict(target, 2)["reason"]


@pytest.mark.parametrize("version", ["0", '"1-0"', '"1-99"', '"2"', "null", '{"a":[]}'])
def test_another_format_is_not_judged(log: Log, target: Path, version: str) -> None:
    """Whatever follows, even what would be broken here: nobody is accused."""
    first, _, rest = log.path.read_bytes().partition(b"\n")
    changed = first.replace(f'"version":"{FORMAT_VERSION}"'.encode(), f'"version":{version}'.encode(), 1)
    assert changed != first
    for body in (changed + b"\n" + rest, changed[:-1] + b',"more":1}\n' + rest + b"{}\n"):
        target.write_bytes(body)
        found = verdict(target, 2)
        assert found["verdict"] == "not-a-log" and "other format" in found["reason"] and found["faults"] == []


def test_changed_without_a_signature(log: Log, target: Path) -> None:
    number = log.first_of("shuffle")
    entry = bytearray(log.entries[number])
    entry[600] = ord("A") if entry[600] != ord("A") else ord("B")
    log.save(target, [*log.entries[:number], bytes(entry), *log.entries[number + 1 :]])
    found = verdict(target, 1)
    assert found["verdict"] == "broken" and f"entry {number}" in found["reason"]


def _proof(entry: bytes) -> tuple[bytes, bytes]:
    """The end of an entry's proof, and other bytes that are scalars as well."""
    proof = entry.split(b'"proof":"')[1].split(b'"')[0]
    raw = bytearray(base64.b64decode(proof))
    raw[-32] ^= 1
    return proof, base64.b64encode(raw)


@pytest.mark.parametrize("step", ["shuffle", "rekey"])
@pytest.mark.parametrize("rest", [False, True])
def test_a_false_proof_names_the_seat(log: Log, target: Path, step: str, rest: bool) -> None:
    number = log.first_of(step)
    false = log.signed_again(number, *_proof(log.entries[number]))
    log.save(target, [*log.entries[:number], false, *(log.entries[number + 1 :] if rest else [])])
    found = verdict(target, 1)
    assert found["verdict"] == "fault"
    (fault,) = found["faults"]
    assert (fault["entry"], fault["seat"], fault["name"]) == (number, 0, "Ada") and found["gone"] == [0]
    # The others would go on with the hand, and have not: what was built on the false entry is no log.
    assert found["results"] == []
    assert number + 1 <= found["entries"] <= number + 1 + (2 if rest else 0), "only what crossed with it may follow"


def test_a_false_key_names_the_seat(log: Log, target: Path) -> None:
    number = log.first_of("release")
    keys = log.entries[number].split(b'"keys":"')[1].split(b'"')[0]
    raw = bytearray(base64.b64decode(keys))
    raw[0] ^= 1
    false = log.signed_again(number, keys, base64.b64encode(raw))
    log.save(target, [*log.entries[:number], false])
    found = verdict(target, 1)
    assert found["verdict"] == "fault" and [fault["name"] for fault in found["faults"]] == ["Ada"]
    assert found["gone"] == [0] and found["results"] == []


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"hello\n", b"{}\n", os.urandom(10_000), b"\x00" * 5_000_000, b'{"a":' * 100_000],
    ids=["empty", "a line", "text", "an object", "random", "zeros", "nested"],
)
def test_not_a_log(target: Path, content: bytes) -> None:
    target.write_bytes(content)
    assert verdict(target, 2)["verdict"] == "not-a-log"


def test_no_file_and_a_folder(tmp_path: Path) -> None:
    assert "does not exist" in verdict(tmp_path / "none.jsonl", 2)["reason"]
    assert "not a file" in verdict(tmp_path, 2)["reason"]
    assert verdict(Path("."), 2)["reason"] == ". is not a file"


def test_a_huge_file_is_refused_at_once(target: Path) -> None:
    with target.open("wb") as file:
        file.truncate(1 << 30)
    start = time.monotonic()
    assert "1,073,741,824 bytes" in verdict(target, 2)["reason"]
    assert time.monotonic() - start < 20


def test_jobs_is_a_number() -> None:
    assert called("verify", "x", "--jobs", "0").returncode == 2


def test_several_files_at_once(log: Log, target: Path) -> None:
    log.save(target, log.entries[:-20])
    done = nodealer("verify", str(log.path), str(target), "--jobs", "2", "--json")
    documents = json.loads(done.stdout)
    assert [one["file"] for one in documents] == [str(log.path), str(target)]
    assert [one["verdict"] for one in documents] == ["clean", "incomplete"] and done.returncode == 3
    assert documents[0] == {"file": str(log.path)} | verdict(log.path, 0)
    target.write_bytes(b"no log")
    assert nodealer("verify", str(log.path), str(target)).returncode == 2
    log.save(target, log.entries[1:])
    text = nodealer("verify", str(target), str(log.path))
    assert text.returncode == 1 and text.stdout.index("BROKEN") < text.stdout.index("CLEAN")


#: In a process that checks a file: the system ends it.
_ENDED = """
import os, signal, nodealer.cli.verify as command
verify = command.verify_file
def ends(file, **more):
    return os.kill(os.getpid(), signal.SIGKILL) if file.name == "ends" else verify(file, **more)
command.verify_file = ends
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere workers are spawned, without this patch")
def test_a_process_that_is_ended_is_nobodys_fault(log: Log, tmp_path: Path) -> None:
    """It says nothing of a log: to end with 1, as with a traceback, would be to say that somebody cheated."""
    done = after(_ENDED, "verify", str(tmp_path / "ends"), str(log.path), "--jobs", "2", "--json")
    assert done.returncode == 2 and not done.stderr
    first, second = json.loads(done.stdout)
    assert (first["file"], second["file"]) == (str(tmp_path / "ends"), str(log.path))
    assert first["verdict"] == "not-a-log" and "was killed" in first["reason"]
