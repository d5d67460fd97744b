"""The results of the attacks, as pages of the documentation.

python attack_table.py                           write the counts in docs/internals/attacks.md from attacks.json
python attack_table.py --carry-out [NAME ...]    first carry out all attacks, or these, and update attacks.json

`make docs` builds the page with every row, "Attack matrix", from the same file.
"""

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
from nodealer_lab.attacks import ATTACKS, FAMILIES, find_attack
from nodealer_lab.attacks.base import Attack, OutcomeLabel
from nodealer_lab.attacks.beyond import BEYOND
from nodealer_lab.attacks.matrix import AttackRow, carry_out, row_of
from nodealer_lab.attacks.scene import modes_of

PAGE: Final = Path(__file__).parents[1] / "docs" / "internals" / "attacks.md"
ROWS: Final = PAGE.with_suffix(".json")
BEGIN, END = "<!-- attacks: written by `make diagrams` -->", "<!-- end of the attacks -->"
TESTS: Final = Path(__file__).parent


@dataclass(frozen=True)
class Around:
    """An attack on what is around the cards, its result, and the test that tries it."""

    who: str
    does: str
    comes: str
    test: str


AROUND: Final = (
    Around(
        "the relay",
        "shows two players two histories",
        "each notices that the logs have diverged before a card opens",
        "relay/test_liar.py::test_two_histories",
    ),
    Around(
        "the relay",
        "drops, repeats or reorders frames, or sends junk",
        "the hand ends, or nothing is opened; no one is named",
        "relay/test_liar.py::test_a_frame_that_is_dropped",
    ),
    Around(
        "the relay",
        "shows an old table to a player who comes back",
        "the player's seat signs nothing and says why",
        "relay/test_liar.py::test_an_old_table_for_who_comes_back",
    ),
    Around(
        "the relay",
        "promises frames and does not deliver them",
        "the player is silent and, from the lobby on, sees why",
        "cli/test_network_seat.py::test_what_a_relay_holds_back_is_said_in_the_lobby_too",
    ),
    Around(
        "the relay",
        "accepts the connection and never answers",
        "the client gives up after a minute; there may be another relay",
        "relay/test_client.py::test_a_relay_that_never_answers",
    ),
    Around(
        "the relay",
        "sends a guest its own link for the number of a table before the host's link arrives",
        "the second link is refused, with a message that one of the two is false",
        "cli/test_game_catalogue.py::test_a_link_for_a_table_of_that_number_is_not_the_link",
    ),
    Around(
        "a spectator with a link",
        "writes",
        "refused: reading keys give no write token",
        "relay/test_listener.py::test_a_watcher_that_writes",
    ),
    Around(
        "the maker of a link",
        "names the key of an epoch that no table has reached, to exhaust the reader's memory",
        "the link is refused",
        "relay/test_invitations.py::test_what_is_no_invitation",
    ),
    Around(
        "the host",
        "withdraws a proposal and makes another while the guest answers",
        "the answer does not count for the new proposal",
        "cli/test_terminal_lobby.py::test_a_yes_to_one_proposal_is_no_yes_to_the_next",
    ),
    Around(
        "the host",
        "proposes the agreed game in a mode that promises less",
        "the guest sees all settings and the protocol's warning",
        "cli/test_terminal_lobby.py::test_a_guest_sees_what_a_host_has_set",
    ),
    Around(
        "a guest",
        "takes the place of another guest of the same name while the host answers",
        "the host is asked again",
        "cli/test_terminal_lobby.py::test_a_yes_to_one_is_no_yes_to_another_of_that_name",
    ),
    Around(
        "a guest",
        "is admitted, and comes back under another name or as timekeeper",
        "the host is asked again",
        "cli/test_terminal_lobby.py::test_who_was_let_in_does_not_come_back_as_another",
    ),
    Around(
        "a guest",
        "takes another guest's name",
        "the other guest sees it and may come under another name",
        "cli/test_network.py::test_a_name_that_somebody_has_taken",
    ),
    Around(
        "a guest",
        "never answers a proposal",
        "the host goes on without them",
        "cli/test_terminal_lobby.py::test_one_who_never_answers_does_not_keep_a_bot_from_playing_with_the_others",
    ),
    Around(
        "a guest",
        "asks for a seat again and again, under a different name each time",
        "each seat is notified once per roster",
        "engine/test_coming_back.py::test_who_asks_again_and_again_is_told_of_once",
    ),
    Around(
        "a player",
        "proposes the same table with a new key, and junk in the others' boxes",
        "no one agrees to a key they cannot open, not even bots",
        "client/test_keyring.py::test_a_bot_is_not_locked_out_by_a_roster_that_puts_nobody_out",
    ),
    Around(
        "a player",
        "proposes a new key and does not register its token with the relay",
        "a player who is refused with the new token registers it with the old one",
        "client/test_epochs.py::test_a_proposer_that_does_not_tell_the_relay",
    ),
    Around(
        "a player",
        "proposes a new key with a false box for one seat, and bots agree",
        "that seat's program reports it, and continues with a link from any other player",
        "client/test_epochs.py::test_who_was_given_a_false_box_goes_on_with_a_link",
    ),
    Around(
        "a player",
        "uses up the writer names that the relay accepts",
        "messages use the new key and are sent with the old token",
        "client/test_epochs.py::test_a_relay_that_takes_no_more_names",
    ),
    Around(
        "a player",
        "registers the writer of a later key too early, so that it never counts",
        "it is registered again with the key in use",
        "relay/test_permissions.py::test_a_writer_that_was_named_too_early_is_named_again",
    ),
    Around(
        "a player",
        "proposes friends, one after another, at a table of bots",
        "bots follow only the host about who joins",
        "engine/test_coming_back.py::test_bots_take_the_hosts_word_on_who_comes_and_nobody_elses",
    ),
    Around(
        "a player",
        "has bots give away the seat of a player who only sits out",
        "bots agree after three hands without that player",
        "engine/test_coming_back.py::test_bots_agree_to_leave_out_who_is_away_and_nobody_else",
    ),
    Around(
        "a player who was removed",
        "writes with the old token, reads with the old key, and has old frames repeated",
        "the relay refuses, nothing opens, and frames of an earlier key are ignored",
        "client/test_epochs.py::test_frames_of_an_earlier_epoch_count_for_nothing",
    ),
    Around(
        "a relay",
        "sends a player at its table a link with a key that never existed",
        "the box in the log counts, and the player keeps the seat",
        "client/test_relay_transport.py::test_a_false_link_of_a_later_key_keeps_nobody_from_its_seat",
    ),
    Around(
        "anyone",
        "sends such a link with the highest key number, so that no true one is later, or with a relay of their own",
        "true links are kept beside it, and known relays come first",
        "cli/test_game_catalogue.py::test_a_false_link_of_a_later_key_does_not_keep_a_true_one_out",
    ),
    Around(
        "a player",
        "lies about the earlier keys before anyone has said what they were",
        "the others still send the truth, and players who come later find it",
        "client/test_keyring.py::test_a_lie_about_the_earlier_keys_does_not_keep_the_truth_from_being_said",
    ),
    Around(
        "a player",
        "sends junk that names a key too early, so that nothing is found to test the earlier keys on",
        "the frames to test them on are drawn at random",
        "client/test_keyring.py::test_junk_that_was_sent_first_does_not_hide_the_earlier_keys",
    ),
    Around(
        "a player who was removed",
        "registered writers with the relay before",
        "they do not count: only the key in use can register the next",
        "relay/test_permissions.py::test_who_leaves_leaves_no_key_behind",
    ),
    Around(
        "someone who hears a pairing code's number",
        "guesses words, plays the host, or sends back what was said",
        "the code is dead after one try, and nothing was sent under its key",
        "relay/test_pairing.py::test_a_wrong_code",
    ),
    Around(
        "a stranger on the host's network",
        "makes tables on the host's own relay to fill its disk",
        "refused: that relay makes only one table",
        "relay/test_listener.py::test_a_relay_for_one_table_makes_no_others",
    ),
    Around(
        "a stranger",
        "opens connections and never sends, floods, or never reads",
        "dropped, read slowly, cut off",
        "relay/test_listener.py::test_a_reader_that_never_reads_is_cut_off",
    ),
    Around(
        "anyone with a link",
        "reads a table from every position and takes pages slowly, so that copies of pages fill the relay's disk",
        "at most one old file is kept, and no copies are made if the disk has little room",
        "relay/test_page_cache.py::test_readers_who_stay_keep_one_file_and_not_more",
    ),
    Around(
        "another user of the machine",
        "uses up the login attempts of a person's page",
        "there is no limit to use up",
        "web/test_server.py::test_a_wrong_token_opens_nothing_and_shuts_nobody_out",
    ),
    Around(
        "anyone",
        "plays once under the name of a known player",
        "from then on a warning says that there are two players of that name",
        "client/test_contacts.py::test_two_who_were_called_the_same",
    ),
    Around(
        "chance",
        "kills a player or the relay at any moment",
        "the hand ends as if undisturbed, and nothing that was received is lost",
        "cli/test_network.py::test_killed_at_every_stage",
    ),
)


def rows() -> list[AttackRow]:
    """Return the results of all attacks when they were last carried out."""
    return msgspec.json.decode(ROWS.read_bytes(), type=list[AttackRow])


def carried_out(names: Sequence[str]) -> None:
    """Carry out all attacks, or those of these names, everywhere, and update the file of results."""
    attacks = [find_attack(name) for name in names] or list(ATTACKS.values())
    new = [row_of(both) for both in carry_out(attacks, everywhere=True, on_start=print)]
    again = {one.name for one in attacks}
    kept = [row for row in rows() if row.attack not in again] if names else []
    every = sorted([*kept, *new], key=lambda row: list(ATTACKS).index(row.attack))
    ROWS.write_bytes(b"[\n" + b",\n".join(map(msgspec.json.encode, every)) + b"\n]\n")
    if wrong := [row for row in new if row.wrong]:
        raise SystemExit("\n".join(f"{row.attack} on {row.protocol} {row.mode}: {row.wrong}" for row in wrong))


def mode_of(parameters: str) -> str:
    """Return the parameters of a mode that differ from the default, for people."""
    set_to = ", ".join(f"{key}: {json.dumps(value)}" for key, value in json.loads(parameters).items())
    return set_to.replace('"', "") or "default"


def has_every_mode(attack: Attack, protocol: str, tried: list[str]) -> bool:
    """Return whether the result holds in every mode. Table rules are the same in all, unless they are about one."""
    modes = [mode.decode() for mode in modes_of(protocol)]
    return tried == (modes[:1] if attack.law is not None else modes)


def in_modes(attack: Attack, protocol: str, results: dict[str, str]) -> str:
    """Return the result in each mode, or only once if it is the same in all of them."""
    if len(set(results.values())) <= 1 and (not results or has_every_mode(attack, protocol, list(results))):
        return next(iter(results.values()), "–")
    modes: dict[str, list[str]] = {}
    for mode, one in results.items():
        modes.setdefault(one, []).append(mode_of(mode))
    return "; ".join(f"{one} ({'; '.join(where)})" for one, where in modes.items())


# --- The summary, docs/internals/attacks.md ---


#: Family to what its attacks are about.
ABOUT: Final = {
    "shuffles": "the order of the cards and the contents of the deck",
    "cards": "single cards, when they are dealt, shown or played",
    "proofs": "false proofs that a weaker verifier would accept, and what true proofs might reveal",
    "encodings": "how faces are represented as points and numbers",
    "the table": "signing two versions, voting others out alone, sitting at two seats",
    "secrets": "keys, tapes and disclosures, and what a coalition can work out",
    "operations": "passing, peeking, searching, dice, sealed bids, and rebuilding a deck after a player leaves",
    "table rules": "votes, clocks, disclosures, and the price of leaving",
    "the network": "the relay, links, pairing codes, and players who are not who they claim to be",
}


def counted(every: Sequence[AttackRow]) -> Iterator[str]:
    """Yield a table of the results on each protocol. An attack in another mode counts again."""
    outcomes = get_args(OutcomeLabel)
    yield f"| protocol | tried | {' | '.join(outcomes)} |"
    yield f"| --- |{' ---: |' * (1 + len(outcomes))}"
    for name in MODES:
        came = Counter(row.comes for row in every if row.protocol == name and not find_attack(row.attack).without_cards)
        yield f"| `{name}` | {came.total()} | {' | '.join(str(came[one]) for one in outcomes)} |"
    came = Counter(row.comes for row in every if find_attack(row.attack).without_cards)
    yield f"| before any cards | {came.total()} | {' | '.join(str(came[one]) for one in outcomes)} |"
    came = Counter(row.comes for row in every)
    yield f"| all | {came.total()} | {' | '.join(str(came[one]) for one in outcomes)} |"


def summary() -> Iterator[str]:
    """Yield the lines between the markers of the summary page."""
    every = rows()
    named = sum(row.named for row in every)
    yield f"{len(ATTACKS)} attacks, carried out {len(every)} times. The culprit is named in {named} of these runs.\n"
    yield from counted(every)
    yield "\n| family | attacks | what they attack |"
    yield "| --- | ---: | --- |"
    yield from (f"| {family} | {len(attacks)} | {ABOUT[family]} |" for family, attacks in FAMILIES.items())


def with_table(page: str) -> str:
    """Return the summary page with the counts between its markers."""
    between = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
    text = f"{BEGIN}\n\n{chr(10).join(summary())}\n\n{END}"
    page, count = between.subn(lambda _: text, page)
    if count != 1:
        raise ValueError("the page needs the markers of its table once")
    return page


# --- The page with every row, which only the site has ---


def matrix_page() -> str:
    """Return the page with the result of every attack on every protocol."""
    every = rows()
    return "\n".join((*_opening(), *summary(), "", *_matrix(every), *_details(every), *_beyond(), *_around(), ""))


def _opening() -> Iterator[str]:
    yield "# Attack matrix\n"
    yield "Every attack of the lab on every protocol and mode. `make docs` builds this page from"
    yield "`docs/internals/attacks.json`. [Attacks](attacks.md) explains what the results mean, how the attacks are"
    yield "run, and why some are not tried on some protocols.\n"
    yield "The numbers A1 to A50 are those of the list of attacks that the project started from. A defence is named"
    yield "by the function it is in.\n"


def _matrix(every: Sequence[AttackRow]) -> Iterator[str]:
    """Yield a table for each family: attacks by protocols."""
    yield "## Results by family\n"
    for family, attacks in FAMILIES.items():
        yield f"### {family.capitalize()}\n"
        yield f"| attack | number | {' | '.join(MODES)} |"
        yield f"| --- | --- |{' --- |' * len(MODES)}"
        for attack in attacks:
            mine = [row for row in every if row.attack == attack.name]
            cells = [
                in_modes(attack, name, {row.mode: row.comes for row in mine if row.protocol == name}) for name in MODES
            ]
            cells = [mine[0].comes] * len(MODES) if attack.without_cards else cells
            yield f"| [`{attack.name}`](#{attack.name}) | {', '.join(attack.numbers) or '–'} | {' | '.join(cells)} |"
        yield ""


def _details(every: Sequence[AttackRow]) -> Iterator[str]:
    """Yield a section for each attack."""
    yield "## Each attack\n"
    for attack in ATTACKS.values():
        yield f"### {attack.name}\n"
        numbers = f" ({', '.join(attack.numbers)})" if attack.numbers else ""
        yield f"{attack.who.capitalize()} {attack.does}{numbers}.\n"
        yield "| protocol | what it is there | without the defence | with it | culprit named |"
        yield "| --- | --- | --- | --- | --- |"
        yield from of_protocols(attack, [row for row in every if row.attack == attack.name])
        yield ""


def of_protocols(attack: Attack, mine: Sequence[AttackRow]) -> Iterator[str]:
    """Yield a row for all modes of a protocol that have the same result."""
    for name in MODES:
        results: dict[str, list[str]] = {}
        for row in mine:
            if row.protocol == name:
                results.setdefault(result_of(row), []).append(mode_of(row.mode))
        for line, where in results.items():
            all_modes = has_every_mode(attack, name, [row.mode for row in mine if row.protocol == name])
            beside = "" if len(results) == 1 and all_modes else f" ({'; '.join(where)})"
            yield f"| {'any' if attack.without_cards else name + beside} | {line} |"
        if not results and name in attack.instead:
            words, why = attack.instead[name]
            yield f"| {name} | {why}; what can be tried is {words} | – | – | – |"


def result_of(row: AttackRow) -> str:
    """Return the cells of a row, without the protocol."""
    functions = " and ".join(f"`{one}`" for one in row.defence)
    weak = f"{functions} removed: it {row.without}" if row.without else "–"
    gained = f": it {row.why}" if row.comes == "cannot be seen" else ""
    return f"{row.claim} | {weak} | {row.comes}{gained} | {'yes' if row.named else 'no'}"


def _beyond() -> Iterator[str]:
    yield "## Attacks without a program\n"
    yield "| number | attack | protocols | result | why |"
    yield "| --- | --- | --- | --- | --- |"
    for no in BEYOND:
        tried = f" Tested by `{no.test}`." if no.test else ""
        yield f"| {no.number} | {no.what} | {', '.join(no.only) or 'all'} | {no.comes} | {no.why}{tried} |"
    yield ""


def _around() -> Iterator[str]:
    yield "## Around the cards\n"
    yield "| who | does what | result | tested by |"
    yield "| --- | --- | --- | --- |"
    for one in AROUND:
        yield f"| {one.who} | {one.does} | {one.comes} | `{one.test}` |"


if __name__ == "__main__":
    if sys.argv[1:2] == ["--carry-out"]:
        carried_out(sys.argv[2:])
    PAGE.write_text(with_table(PAGE.read_text()))
