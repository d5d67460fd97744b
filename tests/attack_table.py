"""The tables in docs/internals/attacks.md: `python attack_table.py` in this folder writes them from
docs/internals/attacks.json, and with
`--carry-out [NAME ...]` it carries all attacks, or those, out everywhere before, and writes what came of them there."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, get_args

import msgspec

from nodealer.protocols import MODES
from nodealer_lab.attacks import ATTACKS, attack_of
from nodealer_lab.attacks.base import Attack, Outcome
from nodealer_lab.attacks.beyond import BEYOND
from nodealer_lab.attacks.matrix import Row, carry_out, row_of
from nodealer_lab.attacks.scene import modes_of

PAGE: Final = Path(__file__).parents[1] / "docs" / "internals" / "attacks.md"
ROWS: Final = PAGE.with_suffix(".json")
BEGIN, END = "<!-- attacks: written by `make diagrams` -->", "<!-- end of the attacks -->"
AROUND_BEGIN, AROUND_END = "<!-- around the cards: written by `make diagrams` -->", "<!-- end of what is around -->"
TESTS: Final = Path(__file__).parent


@dataclass(frozen=True)
class Around:
    """An attack on what is around the cards, what comes of it, and the test that tries it."""

    who: str
    does: str
    comes: str
    test: str


AROUND: Final = (
    Around(
        "the relay",
        "shows two players two histories",
        "each sees that the logs have parted before a card opens",
        "relay/test_liar.py::test_two_histories",
    ),
    Around(
        "the relay",
        "drops, repeats or reorders frames, or sends junk",
        "the hand ends, or nothing is opened; nobody is named",
        "relay/test_liar.py::test_a_frame_that_is_dropped",
    ),
    Around(
        "the relay",
        "shows an old table to who comes back",
        "it signs nothing, and says why",
        "relay/test_liar.py::test_an_old_table_for_who_comes_back",
    ),
    Around(
        "the relay",
        "promises frames and does not bring them",
        "the player is silent; from the lobby on it is told why",
        "cli/test_remote.py::test_what_a_relay_holds_back_is_said_in_the_lobby_too",
    ),
    Around(
        "the relay",
        "takes the connection and never answers",
        "given up after a minute: there may be another relay",
        "relay/test_client.py::test_a_relay_that_never_answers",
    ),
    Around(
        "the relay",
        "sends somebody a link of its own for the number of a table, before the host's link comes",
        "the second link is refused, and the sentence says that one of the two is false",
        "cli/test_shelf.py::test_a_link_for_a_table_of_that_number_is_not_the_link",
    ),
    Around(
        "who has a link to watch",
        "writes",
        "refused: reading keys give no token",
        "relay/test_server.py::test_a_watcher_that_writes",
    ),
    Around(
        "who makes a link",
        "names the key of an epoch that no table has reached, so that its reader runs out of memory",
        "the link is refused",
        "relay/test_links.py::test_what_is_no_invitation",
    ),
    Around(
        "the host",
        "takes its proposal back and makes another one while the guest answers",
        "the answer does not count for the other one",
        "cli/test_lobbying.py::test_a_yes_to_one_proposal_is_no_yes_to_the_next",
    ),
    Around(
        "the host",
        "proposes the game that was agreed on, on a mode that promises less",
        "the guest is shown all that is set, and the protocol's warning",
        "cli/test_lobbying.py::test_a_guest_sees_what_a_host_has_set",
    ),
    Around(
        "a guest",
        "comes in the place of another one of its name, while the host answers",
        "the host is asked anew",
        "cli/test_lobbying.py::test_a_yes_to_one_is_no_yes_to_another_of_that_name",
    ),
    Around(
        "a guest",
        "is let in, and comes back under another name, or to keep the time",
        "the host is asked anew",
        "cli/test_lobbying.py::test_who_was_let_in_does_not_come_back_as_another",
    ),
    Around(
        "a guest",
        "takes another guest's name",
        "the other one is told, and may come under another",
        "cli/test_network.py::test_a_name_that_somebody_has_taken",
    ),
    Around(
        "a guest",
        "never answers a proposal",
        "the host goes on without it",
        "cli/test_lobbying.py::test_one_who_never_answers_does_not_keep_a_bot_from_playing_with_the_others",
    ),
    Around(
        "a guest",
        "asks for a seat again and again, each time under another name",
        "each seat is told once for each roster",
        "play/test_coming_back.py::test_who_asks_again_and_again_is_told_of_once",
    ),
    Around(
        "a player",
        "proposes the table as it is with a new key, and junk in the others' boxes",
        "nobody agrees to a key that it cannot open, bots neither",
        "drive/test_keyring.py::test_a_bot_is_not_locked_out_by_a_roster_that_puts_nobody_out",
    ),
    Around(
        "a player",
        "proposes a new key, and does not tell the relay of its token",
        "who is refused with the new token names it by the old one",
        "drive/test_epochs.py::test_a_proposer_that_does_not_tell_the_relay",
    ),
    Around(
        "a player",
        "proposes a new key with a false box for one seat, and bots agree",
        "that one's program says so, and it goes on with a link from any other player",
        "drive/test_epochs.py::test_who_was_given_a_false_box_goes_on_with_a_link",
    ),
    Around(
        "a player",
        "uses up the names of writers that the relay takes",
        "what is said has the new key, and goes by the old token",
        "drive/test_epochs.py::test_a_relay_that_takes_no_more_names",
    ),
    Around(
        "a player",
        "names the writer of a later key before its time, so that it never counts",
        "it is named again by the key in use",
        "relay/test_core.py::test_a_writer_that_was_named_too_early_is_named_again",
    ),
    Around(
        "a player",
        "proposes its friends, one after the other, at a table of bots",
        "bots take the host's word on who comes, and nobody else's",
        "play/test_coming_back.py::test_bots_take_the_hosts_word_on_who_comes_and_nobody_elses",
    ),
    Around(
        "a player",
        "has bots take the seat of one who only rests",
        "bots agree after three hands without it",
        "play/test_coming_back.py::test_bots_agree_to_leave_out_who_is_away_and_nobody_else",
    ),
    Around(
        "a player who was put out",
        "writes by the old token, reads with the old key, and has old frames repeated",
        "the relay refuses, nothing opens, and frames of an earlier key count for nothing",
        "drive/test_epochs.py::test_frames_of_an_earlier_epoch_count_for_nothing",
    ),
    Around(
        "a relay",
        "sends somebody who sits at its table a link of a key that there never was",
        "the box in the log counts, and the seat is kept",
        "drive/test_sealed.py::test_a_false_link_of_a_later_key_keeps_nobody_from_its_seat",
    ),
    Around(
        "somebody",
        "sends such a link with the highest number of a key, so that no true one is later; or with a relay of its own",
        "true links are kept beside it, and the relays that are known come first",
        "cli/test_shelf.py::test_a_false_link_of_a_later_key_does_not_keep_a_true_one_out",
    ),
    Around(
        "a player",
        "says false things of the earlier keys, before anybody has said what they were",
        "the others say it all the same, and who comes later finds it",
        "drive/test_keyring.py::test_a_lie_about_the_earlier_keys_does_not_keep_the_truth_from_being_said",
    ),
    Around(
        "a player",
        "sends junk that names a key before its time, so that nothing is found to try the earlier keys on",
        "which frames they are tried on is drawn by lot",
        "drive/test_keyring.py::test_junk_that_was_sent_first_does_not_hide_the_earlier_keys",
    ),
    Around(
        "a player who was put out",
        "has named writers of its own to the relay before",
        "they do not count: only who has the key in use names the next",
        "relay/test_core.py::test_who_leaves_leaves_no_key_behind",
    ),
    Around(
        "who hears a spoken code's number",
        "tries words, plays the host, or sends back what was said",
        "the code is dead after one try, and nothing was sent under its key",
        "relay/test_codes.py::test_a_wrong_code",
    ),
    Around(
        "a stranger in the host's network",
        "makes tables on the host's own relay, to fill its disk",
        "refused: it makes one table",
        "relay/test_server.py::test_a_relay_for_one_table_makes_no_others",
    ),
    Around(
        "a stranger",
        "opens connections and never speaks, floods, or never reads",
        "let go of, read slowly, cut off",
        "relay/test_server.py::test_a_reader_that_never_reads_is_cut_off",
    ),
    Around(
        "who has a link",
        "reads a table from all its places and takes pages slowly, so that copies of pages fill the relay's disk",
        "one old file is held and not more, and where the disk has little room there are no copies",
        "relay/test_shelf.py::test_readers_who_stay_keep_one_file_and_not_more",
    ),
    Around(
        "another user of the machine",
        "uses up the tries at the door of a person's page",
        "there is nothing to use up",
        "web/test_server.py::test_a_wrong_token_opens_nothing_and_shuts_nobody_out",
    ),
    Around(
        "somebody",
        "plays once under the name of a player who is known",
        "from then on it is said that there are two of that name",
        "drive/test_known.py::test_two_who_were_called_the_same",
    ),
    Around(
        "chance",
        "kills a player or the relay, at any moment",
        "the hand ends as undisturbed, and nothing that was heard is lost",
        "cli/test_network.py::test_killed_at_every_stage",
    ),
)


def rows() -> list[Row]:
    """What came of every attack, the last time that all were carried out."""
    return msgspec.json.decode(ROWS.read_bytes(), type=list[Row])


def carried_out(names: Sequence[str]) -> None:
    """Carry attacks out everywhere, those of these names or all, and write down what came of them."""
    attacks = [attack_of(name) for name in names] or list(ATTACKS.values())
    new = [row_of(both) for both in carry_out(attacks, everywhere=True, doing=print)]
    again = {one.name for one in attacks}
    kept = [row for row in rows() if row.attack not in again] if names else []
    every = sorted([*kept, *new], key=lambda row: list(ATTACKS).index(row.attack))
    ROWS.write_bytes(b"[\n" + b",\n".join(map(msgspec.json.encode, every)) + b"\n]\n")
    if wrong := [row for row in new if row.wrong]:
        raise SystemExit("\n".join(f"{row.attack} on {row.protocol} {row.mode}: {row.wrong}" for row in wrong))


def mode_of(parameters: str) -> str:
    """What is not as by default."""
    set_to = ", ".join(f"{key}: {json.dumps(value)}" for key, value in json.loads(parameters).items())
    return set_to.replace('"', "") or "as by default"


def has_every_mode(attack: Attack, protocol: str, tried: list[str]) -> bool:
    """Whether what came of an attack is so in every mode: a law is the same in all, unless it is about one of them."""
    modes = [mode.decode() for mode in modes_of(protocol)]
    return tried == (modes[:1] if attack.law is not None else modes)


def in_modes(attack: Attack, protocol: str, told: dict[str, str]) -> str:
    """What is told of each mode, once where it is the same in all there are."""
    if len(set(told.values())) <= 1 and (not told or has_every_mode(attack, protocol, list(told))):
        return next(iter(told.values()), "–")
    modes: dict[str, list[str]] = {}
    for mode, one in told.items():
        modes.setdefault(one, []).append(mode_of(mode))
    return "; ".join(f"{one} ({'; '.join(where)})" for one, where in modes.items())


def matrix(every: Sequence[Row]) -> Iterator[str]:
    """Attacks by protocols."""
    yield f"| attack | of the list | {' | '.join(MODES)} |"
    yield f"| --- | --- |{' --- |' * len(MODES)}"
    for attack in ATTACKS.values():
        mine = [row for row in every if row.attack == attack.name]
        cells = [
            in_modes(attack, name, {row.mode: row.comes for row in mine if row.protocol == name}) for name in MODES
        ]
        cells = [mine[0].comes] * len(MODES) if attack.anywhere else cells
        yield f"| [`{attack.name}`](#{attack.name}) | {', '.join(attack.of) or '–'} | {' | '.join(cells)} |"
    for no in BEYOND:
        cells = [no.comes if name in (no.only or MODES) else "–" for name in MODES]
        yield f"| {no.what} | {no.of} | {' | '.join(cells)} |"
    yield ""


def counted(every: Sequence[Row]) -> Iterator[str]:
    """How many were tried on each protocol, and what came of them: an attack in another mode is another one."""
    outcomes = get_args(Outcome)
    yield f"| protocol | tried | {' | '.join(outcomes)} |"
    yield f"| --- |{' ---: |' * (1 + len(outcomes))}"
    for name in MODES:
        came = Counter(row.comes for row in every if row.protocol == name and not attack_of(row.attack).anywhere)
        yield f"| {name} | {came.total()} | {' | '.join(str(came[one]) for one in outcomes)} |"
    came = Counter(row.comes for row in every if attack_of(row.attack).anywhere)
    yield f"| before any cards | {came.total()} | {' | '.join(str(came[one]) for one in outcomes)} |"
    came = Counter(row.comes for row in every)
    yield f"| all | {came.total()} | {' | '.join(str(came[one]) for one in outcomes)} |"
    yield ""


def lines() -> Iterator[str]:
    every = rows()
    named = sum(row.named for row in every)
    yield f"{len(ATTACKS)} attacks, carried out {len(every)} times; in {named} of them the culprit is named.\n"
    yield from counted(every)
    yield from matrix(every)
    for attack in ATTACKS.values():
        yield f"### {attack.name}\n"
        numbers = f" ({', '.join(attack.of)})" if attack.of else ""
        yield f"{attack.who.capitalize()} that {attack.does}{numbers}.\n"
        yield "| protocol | what it is there | without the defence | as it is | named |"
        yield "| --- | --- | --- | --- | --- |"
        yield from of_protocols(attack, [row for row in every if row.attack == attack.name])
        yield ""
    yield "### What no program here sits at a table with\n"
    yield "| of the list | what | comes | why |"
    yield "| --- | --- | --- | --- |"
    for no in BEYOND:
        tried = f" Tried by `{no.test}`." if no.test else ""
        yield f"| {no.of} | {no.what} | {no.comes} | {no.why}{tried} |"
    yield ""


def of_protocols(attack: Attack, mine: Sequence[Row]) -> Iterator[str]:
    """A line for all modes of a protocol in which the same comes of it."""
    for name in MODES:
        told: dict[str, list[str]] = {}
        for row in mine:
            if row.protocol == name:
                told.setdefault(_told(row), []).append(mode_of(row.mode))
        for line, where in told.items():
            all_modes = has_every_mode(attack, name, [row.mode for row in mine if row.protocol == name])
            beside = "" if len(told) == 1 and all_modes else f" ({'; '.join(where)})"
            yield f"| {'any' if attack.anywhere else name + beside} | {line} |"
        if not told and name in attack.instead:
            words, why = attack.instead[name]
            yield f"| {name} | {why}; what can be tried is {words} | – | – | – |"


def _told(row: Row) -> str:
    functions = " and ".join(f"`{one}`" for one in row.defence)
    weak = f"{functions} removed: it {row.without}" if row.without else "–"
    gained = f": it {row.why}" if row.comes == "cannot be seen" else ""
    return f"{row.claim} | {weak} | {row.comes}{gained} | {'the culprit' if row.named else 'nobody'}"


def around() -> Iterator[str]:
    yield "| who | does what | what comes of it | tried by |"
    yield "| --- | --- | --- | --- |"
    for one in AROUND:
        yield f"| {one.who} | {one.does} | {one.comes} | `{one.test}` |"
    yield ""


def with_table(page: str) -> str:
    """The page with the tables between their markers."""
    for begin, end, table in ((BEGIN, END, lines()), (AROUND_BEGIN, AROUND_END, around())):
        between = re.compile(f"{re.escape(begin)}.*{re.escape(end)}", re.DOTALL)
        text = f"{begin}\n\n{chr(10).join(table)}\n{end}"
        page, count = between.subn(lambda _, text=text: text, page)  # type: ignore[misc]
        if count != 1:
            raise ValueError("the page needs the markers of its tables once")
    return page


if __name__ == "__main__":
    if sys.argv[1:2] == ["--carry-out"]:
        carried_out(sys.argv[2:])
    PAGE.write_text(with_table(PAGE.read_text()))
