"""Both verifiers say the same of games by chance (`games.py`), and of logs that once were told apart."""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
import pytest
from msgspec import Raw

from nodealer.engine.bodies import Cards, Claim, Move, Propose, Without
from nodealer.keys import Identity, box_signed_bytes
from nodealer.log.entry import Entry, sign_entry
from nodealer.log.roster import Roster
from nodealer.wire import encode

from .games import Game, Kind
from .judging import Said, differences, ours, theirs
from .test_told_again import ADA, BEN, CLEO, Telling

PROTOCOLS: Final = ("mask", "mask", "lock", "offset")
#: In how many of a hundred entries somebody does what no program does.
WILD: Final = (0, 5, 15, 40)


def kinds(count: int) -> list[Kind]:
    """Tables of all sorts, in a fixed order."""
    free = [
        Kind(
            "free",
            PROTOCOLS[n % 4],
            2 + n % 3,
            2 + n % 4,
            n % 3,
            n % 5 == 4,
            WILD[n % 7 % 4],
            20 + 13 * n % 90,
            not n % 2,
        )
        for n in range(count)
    ]
    holdem = [
        Kind("holdem", PROTOCOLS[n % 4], 2 + n % 3, 52, n % 4, n % 3 == 2, n % 8, 40 + 17 * n % 100)
        for n in range(count // 10)
    ]
    return [*free, *holdem]


def played(folder: Path, all_kinds: list[Kind], seed: str) -> list[Path]:
    logs = []
    for number, kind in enumerate(all_kinds):
        log = folder / f"{number:05}-{kind.game}-{kind.protocol}.jsonl"
        Game(kind, f"{seed} {number}").play().write(log)
        logs.append(log)
    return logs


def test_both_say_the_same_of_games_by_chance(tmp_path: Path) -> None:
    logs = played(tmp_path, kinds(9), "a few")
    assert differences(logs) == []


@pytest.mark.deep
@pytest.mark.timeout(14400)
def test_both_say_the_same_of_many_games_by_chance(tmp_path: Path) -> None:
    logs = played(tmp_path, kinds(1000), "many")
    assert {ours(log)[0] for log in logs} == {"clean", "fault", "broken", "incomplete"}
    assert differences(logs) == []


# --- Told again, up to some entry of the small game, and then otherwise ---

Tell = Callable[[Telling], Said]


def raw(told: Telling, seat: int, body: bytes, *, back: int = 0) -> None:
    """Bytes for a body, signed on the log as it was so many entries ago. Taken or not, they are in the file."""
    key, state = Identity(base64.b64decode(told.secrets[seat]["key"])), told.replica.state
    seen = told.replica._heads[-1 - back]
    seq, roster = told.replica.count_signed_by(key.public), state.roster.digest
    entry = Entry(told.session.id, roster, state.hand.number, seat, seq, seen, Raw(body))
    told.lines.append(sign_entry(key, entry))


def after(told: Telling, verdict: str, *faults: tuple[int, int], more: int = 0) -> Said:
    exits = {"fault": 1, "broken": 1, "incomplete": 3}
    return verdict, exits[verdict], list(faults), told.replica.height + more, {"0": 0, "1": 0, "2": 0}


def closed_duty(told: Telling, seat: int, kind: str) -> bytes:
    """One of this seat that was open one entry ago."""
    last = json.loads(told.was[told.replica.height - 1])["entry"]
    assert (last["seat"], last["body"]["type"]) == (seat, kind)
    return base64.b64decode(last["body"]["duty"])


def own_closed_duty_in_a_vote(told: Telling) -> Said:
    """It counts for nothing, whosever it was."""
    raw(told, ADA, encode(Without((closed_duty(told, ADA, "move"),))), back=1)
    return after(told, "incomplete", more=1)


def late_answer_of_another_kind(told: Telling) -> Said:
    raw(told, ADA, encode(Cards(closed_duty(told, ADA, "move"), Raw(b"{}"))), back=1)
    return after(told, "incomplete", more=1)


def late_answer_with_blanks(told: Telling) -> Said:
    duty = base64.b64encode(closed_duty(told, ADA, "move"))
    raw(told, ADA, b'{"type":"move","duty":"' + duty + b'","move": {}}', back=1)
    return after(told, "broken")


def late_answer_with_half_a_character(told: Telling) -> Said:
    raw(told, ADA, encode(Move(closed_duty(told, ADA, "move"), Raw(rb'"\ud800"'))), back=1)
    return after(told, "broken")


def late_answer_that_hides_how_deep_it_is(told: Telling) -> Said:
    deep = b'["' + b"]" * 64 + b'",' + b"[" * 80 + b"]" * 81
    raw(told, ADA, encode(Move(closed_duty(told, ADA, "move"), Raw(deep))), back=1)
    return after(told, "broken")


def empty_word_of_an_earlier_hand(told: Telling) -> Said:
    raw(told, ADA, b'{"type":"word","text":""}')
    return after(told, "broken")


def claim_about_no_deck(told: Telling) -> Said:
    number = told.say(BEN, Claim(16, 0, told.tape(BEN).seed, ()))
    return after(told, "fault", (BEN, number))


def seats_of_envelopes_in_their_order(told: Telling) -> Said:
    told.move(ADA, {"type": "seal", "deck": 7, "seats": [2, 0]})
    duty = next(one.duty for one in told.replica.state.duties.of_seat(CLEO).values() if one.duty.kind == "seal")
    message = told.replica.state.hand.decks[7].message(duty, told.tape(CLEO), b"x")
    told.say(CLEO, Cards(duty.id, Raw(message)))
    return after(told, "incomplete")


def seat_with_another_box(told: Telling) -> Said:
    roster = told.replica.state.roster
    other = Identity(bytes(range(32)))
    key = Identity(base64.b64decode(told.secrets[ADA]["key"]))
    signature = key.sign(box_signed_bytes(key.public, other.box))
    ada = msgspec.structs.replace(roster.members[0], box=other.box, box_signature=signature)
    raw(told, BEN, encode(Propose(Roster((ada, *roster.members[1:])), (), None)))
    return after(told, "broken")


def roster_with_one_seat_that_plays(told: Telling) -> Said:
    """A server beside it is not enough."""
    roster = told.replica.state.roster
    raw(told, BEN, encode(Propose(Roster(roster.members[:1]), (), None)))
    return after(told, "broken")


def card_that_was_laid_aside_given_back(told: Telling) -> Said:
    held = [p for p, seat in told.replica.state.hand.decks[0].places.held.items() if seat == BEN]
    told.move(BEN, {"type": "give back", "deck": 0, "positions": held, "place": "discard"})
    told.move(BEN, {"type": "give back", "deck": 0, "positions": held, "place": "bottom"})
    return after(told, "incomplete")


CASES: Final[dict[str, tuple[int, Tell]]] = {
    tell.__name__: (entries, tell)
    for entries, tell in [
        (4, own_closed_duty_in_a_vote),
        (4, late_answer_of_another_kind),
        (4, late_answer_with_blanks),
        (4, late_answer_with_half_a_character),
        (4, late_answer_that_hides_how_deep_it_is),
        (4, empty_word_of_an_earlier_hand),
        (34, claim_about_no_deck),
        (22, seats_of_envelopes_in_their_order),
        (22, card_that_was_laid_aside_given_back),
        (0, seat_with_another_box),
        (0, roster_with_one_seat_that_plays),
    ]
}


def test_both_say_the_same_of_what_was_told_apart(tmp_path: Path) -> None:
    logs, expected = [], dict[str, Said]()
    for name, (entries, tell) in CASES.items():
        told = Telling(entries)
        expected[name] = tell(told)
        logs.append(tmp_path / f"{name}.jsonl")
        told.write(logs[-1])
    assert {log.stem: ours(log) for log in logs} == expected
    assert {log.stem: one for log, one in zip(logs, theirs(logs), strict=True)} == expected
