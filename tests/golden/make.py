"""Makes golden logs that are not there yet: `make golden`, for a new game, protocol or format, and never a test.

A golden log is made once. SHA256SUMS names every one that was ever made: what stands there is never made again, for
logs like it are in people's hands. A new format has logs of its own, beside the old ones.

One hand of what people have: every game on every protocol that it is played on, by the real command where there is one.
Beside each log stands the document of `nodealer verify --json` that it had when it was made.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from client.looking import look
from conformance.harness import Source
from nodealer.cards.operations import WITHOUT_CARDS, Look
from nodealer.client.agents import BotAgent
from nodealer.client.local_table import LocalTable, seat_players
from nodealer.client.policies import Policy, TimeoutVoter
from nodealer.client.timekeeper import Ticker
from nodealer.engine.bodies import Claim
from nodealer.engine.commands import (
    AdmitPlayer,
    AgreeToRoster,
    AnswerQuestion,
    ComeBack,
    LeaveHand,
    MakeMove,
    ProposeRoster,
    RequestSeat,
    VoteAbort,
    WriteNote,
)
from nodealer.engine.leave_policy import stay_for_hands
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.games import free
from nodealer.games.free import Free
from nodealer.games.free.rules import OPERATIONS
from nodealer.games.registry import find_game
from nodealer.log.file import save_log
from nodealer.log.roster import Roster
from nodealer.log.session import Limits
from nodealer.protocols import make_protocol
from nodealer.protocols.base import CardProtocol

HERE: Final = Path(__file__).parent
COMMAND: Final = (sys.executable, "-P", "-m", "nodealer.cli")
SIZE_MAX: Final = 300_000
SUMS: Final = "SHA256SUMS"

HOLDEM: Final = ("--seats", "3", "--hands", "1")
WARDENS: Final = ("--game", "wardens", "--hands", "1")
HEARTS: Final = ("--game", "hearts", "--hands", "1")
#: Two hands, so that the log goes on after the fault.
CHEATED: Final = ("--seats", "3", "--hands", "2", "--cheat")

#: Name of the log to the options of `nodealer play`. Where nobody cheats, everything comes from one seed.
PLAYED: Final = {
    "holdem-mask": HOLDEM,
    "holdem-lock": (*HOLDEM, "--protocol", "lock"),
    "holdem-offset": (*HOLDEM, "--protocol", "offset"),
    "holdem-chain": ("--seats", "2", "--hands", "1", "--protocol", "chain"),
    "hearts-mask": HEARTS,
    "wardens-duel": WARDENS,
    "wardens-duel-committed": (*WARDENS, "--mode", "committed"),
    "wardens-duel-xor": (*WARDENS, "--mode", "xor"),
    "holdem-mask-false-key": (*CHEATED, "2:false-key"),
    "holdem-mask-two-things": (*CHEATED, "2:two-things"),
    "holdem-lock-double": (*CHEATED, "2:double", "--protocol", "lock"),
    "holdem-offset-double": (*CHEATED, "2:double", "--protocol", "offset"),
    "holdem-chain-unproven-mark": (*CHEATED, "2:mark", "--protocol", "chain", "--parameters", '{"proven":false}'),
}
FREE: Final = "free-mask"
TIMED: Final = "holdem-mask-timed"
LEFT: Final = "free-mask-left"
BARE: Final = "free-mask-bare"
UNSEEN: Final = "free-mask-unseen"
CLAIM: Final = "free-mask-claim"


def log_of(name: str) -> Path:
    return HERE / f"{name}.jsonl"


def report_of(name: str) -> Path:
    return HERE / f"{name}.json"


class FalseClaim(NamedTuple):
    """Somebody says of a card that it can read that it does not open, with a true book."""

    deck: int
    position: int

    def made_by(self, one: Participant) -> list[bytes]:
        """No honest program signs that."""
        seed = one.seat._tape(one.replica.state.hand.number).seed
        return [one.seat._sign(Claim(self.deck, self.position, seed, ()))]


#: Seat to what it asks for; None where it leaves.
Asked = list[tuple[int, free.Move | FalseClaim | None]]


def play_free(
    name: str, *names: str, asked: Asked, on: CardProtocol | None = None, roles: Mapping[int, str] | None = None
) -> LocalTable:
    """A table without rules, on `mask` where nothing else is said, and a word."""
    protocol = on or make_protocol("mask")
    offered = frozenset(OPERATIONS) & (protocol.claims.operations | WITHOUT_CARDS)
    table = seat_players(
        names, protocol, Free(8, offered), Source(f"golden {name}"), stays=stay_for_hands(1), roles=roles
    )

    def decide(one: Participant) -> list[bytes]:
        if (question := one.question()) is not None and question.seal is not None:
            return one.command(AnswerQuestion(question, f"bid of {one.store.name}".encode()))
        if question is not None and question.peek is not None:
            chosen = tuple(question.view.seen_in(question.peek.deck))[::-1]
            return one.command(AnswerQuestion(question, chosen[:1] if question.peek.then is Look.TAKE else chosen))
        if not asked or one.seat.number != asked[0][0]:
            return []
        wanted = asked[0][1]
        if wanted is not None and one.options().move is None:
            return []
        asked.pop(0)
        if wanted is None:
            return one.command(LeaveHand())
        return wanted.made_by(one) if isinstance(wanted, FalseClaim) else one.command(MakeMove(wanted))

    table.send(table.seats[1].command(WriteNote("I bet 10")))
    table.run(decide)
    return table


def play_everything() -> LocalTable:
    """Every request that there is."""
    asked: Asked = [
        (0, free.Shuffle(0, 8, tuple("abcdefgh"))),
        (1, free.DealCards(0, ((0, 2), (1, 1), (2, 1)))),
        (0, free.OpenCards(0, 1)),
        (1, free.ShowCards(0, (2,))),
        (0, free.GiveBack(0, (0,), "top")),
        (2, free.GiveBack(0, (3,), "discard")),
        (0, free.GiveBack(0, (1,), "shuffled")),
        (2, free.DealCards(0, ((2, 1),))),
        (1, free.PutAway(0)),
        (0, free.Finish()),
    ]
    return play_free("free", "Ada", "Ben", "Cleo", asked=asked)


def play_left() -> LocalTable:
    """Two leave, one after the other, with cards in hands, on the table and laid aside; the deck is rebuilt twice."""
    asked: Asked = [
        (0, free.Shuffle(0, 8, tuple("abcdefgh"))),
        (1, free.DealCards(0, ((0, 2), (1, 1), (2, 1), (3, 1)))),
        (0, free.OpenCards(0, 1)),
        (0, free.GiveBack(0, (0,), "discard")),
        (3, None),
        (0, free.OpenCards(0, 1)),
        (2, None),
        (1, free.ShowCards(0, (2,))),
        (0, free.GiveBack(0, (1,), "shuffled")),
        (1, free.DealCards(0, ((0, 1), (1, 1)))),
        (0, free.Finish()),
    ]
    return play_free("left", "Ada", "Ben", "Cleo", "Dan", asked=asked)


def play_bare() -> LocalTable:
    """Dice and envelopes; one leaves with a closed one, and comes to another roll no more."""
    asked: Asked = [
        (0, free.Roll(15, (6, 6, 2, 1 << 32))),
        (1, free.SealAll(14)),
        (2, free.UnsealAll(14)),
        (1, free.Roll(15, (6, 6))),
        (0, free.SealAll(14, (0, 2))),
        (2, None),
        (0, free.UnsealAll(14)),
        (0, free.Roll(15, (52,))),
        (1, free.Finish()),
    ]
    return play_free("bare", "Ada", "Ben", "Cleo", asked=asked)


def play_unseen() -> LocalTable:
    """Cards that only some see: looked at, ordered, kept, searched for, passed, shown to one, shuffled in a hand, put
    back under others, exchanged; and one who has looked leaves."""
    asked: Asked = [
        (0, free.Shuffle(0, 8, tuple("abcdefgh"))),
        (1, free.DealCards(0, ((0, 2), (1, 1), (2, 1)))),
        (2, free.LookAt(0, 2, "look")),
        (0, free.LookAt(0, 3, "reorder")),
        (1, free.LookAt(0, 2, "keep")),
        (2, free.LookAt(0, 3, "take")),
        (0, free.PassOn(0, (0,), 1)),
        (2, free.ShowToOne(0, (3,), 0)),
        (1, free.MixHand(0, (2, 11, 16))),
        (0, free.Insert(0, (1,), 1)),
        (1, free.GiveBack(0, (18,), "discard")),
        (1, free.DealCards(0, ((1, 1),))),
        (2, free.LookAt(0, 2, "look")),
        (2, None),
        (0, free.LookAt(0, 2, "reorder")),
        (1, free.OpenCards(0, 1)),
        (0, free.Finish()),
    ]
    return play_free("unseen", "Ada", "Ben", "Cleo", asked=asked)


def play_timed() -> LocalTable:
    """Two players and who keeps the time: the first does not answer once, and gets the move of the rules."""
    game = find_game("holdem")
    rules, limits = game.from_settings(game.settled({})), Limits(move=5000, cards=5000, bank=3000, refill=1000)
    source = Source("golden timed")
    table = seat_players(
        ["Ada", "Ben", "Clock"],
        make_protocol("mask"),
        rules,
        source,
        stays=stay_for_hands(1),
        package=game,
        clock=limits,
    )
    minds = {one: BotAgent(game, one.store.root) for one in table.participants}
    ada, _, keeper = table.participants
    looks: dict[Participant, Policy] = {keeper: Ticker(), **{one: TimeoutVoter() for one in table.participants[:2]}}

    def decide(one: Participant) -> list[bytes]:
        late = one is ada and not one.replica.state.chronicle.vote_results
        return [] if late or one is keeper else minds[one].act(one)

    for now in range(200):
        table.run(decide)
        for one, policy in looks.items():
            table.send(look(policy, one, now / 2))
    return table


def play_claim() -> LocalTable:
    """Ada proves of her hidden cards what they are not. Cleo claims that a card does not open, which she can read: she
    is named, and the hand goes on without her."""
    asked: Asked = [
        (0, free.Shuffle(0, 8, tuple("abcdefgh"))),
        (1, free.DealCards(0, ((0, 2), (1, 1), (2, 1)))),
        (0, free.ProveCards(0, (0, 1), (1, 2))),
        (2, FalseClaim(0, 3)),
        (0, free.ShowCards(0, (0,))),
        (1, free.OpenCards(0, 1)),
        (0, free.Finish()),
    ]
    return play_free("claim", "Ada", "Ben", "Cleo", asked=asked)


def play_left_on(protocol: str, parameters: bytes = b"{}", *, roles: Mapping[int, str] | None = None) -> LocalTable:
    """Cards in hands, on the table and laid aside; one leaves, and those who stay go on as far as the protocol lets
    them."""
    asked: Asked = [
        (0, free.Shuffle(0, 8, tuple("abcdefgh"))),
        (1, free.DealCards(0, ((0, 2), (1, 2), (2, 1)))),
        (0, free.OpenCards(0, 1)),
        (1, free.ShowCards(0, (2,))),
        (0, free.GiveBack(0, (0,), "discard")),
        (2, None),
        (0, free.DealCards(0, ((0, 1),))),
        (1, free.ShowCards(0, (3,))),
        (0, free.Finish()),
    ]
    name = f"left {protocol} {parameters.decode()}"
    on = make_protocol(protocol, parameters)
    return play_free(name, "Ada", "Ben", "Cleo", *(["Server"] if roles else []), asked=asked, on=on, roles=roles)


def play_bots(name: str, *names: str, hands: int) -> tuple[LocalTable, dict[Participant, BotAgent]]:
    """Hold'em on `mask`, and who plays at it."""
    game = find_game("holdem")
    rules = game.from_settings(game.settled({}))
    table = seat_players(
        names, make_protocol("mask"), rules, Source(f"golden {name}"), stays=stay_for_hands(hands), package=game
    )
    return table, {one: BotAgent(game, one.store.root) for one in table.participants}


def play_seats() -> LocalTable:
    """Four hands. After the first one of three is put out by the others; later it asks for its seat, and gets it, and
    leaves in the middle of the last hand."""
    table, minds = play_bots("seats", "Ada", "Ben", "Cleo", hands=4)
    ada, ben, cleo = table.participants
    said = set[str]()

    def once(what: str, when: bool) -> bool:
        if not when or what in said:
            return False
        said.add(what)
        return True

    def decide(one: Participant) -> list[bytes]:
        state = ada.replica.state
        hand, proposed = state.hand.number, tuple(state.proposed)
        if one is ada and once("out", hand == 1):
            return ada.command(ProposeRoster(Roster(ada.members[:2])))
        if one is ben and proposed and once(f"agrees {hand}", True):
            return ben.command(AgreeToRoster(proposed[0]))
        if once("asks", hand == 2):  # at once: the others do not wait for her
            return [*cleo.command(ComeBack()), *cleo.command(RequestSeat())]
        if one is ada and once("lets in", bool(ada.seat_requests)):
            return ada.command(AdmitPlayer("Cleo"))
        if one is cleo and once("leaves", hand == 3 and cleo.is_in_roster and bool(one.options().must_move)):
            return cleo.command(LeaveHand())
        return minds[one].act(one)

    table.run(decide)
    return table


def play_broken() -> LocalTable:
    """One of two does not answer any more; the other breaks the hand off, and the bets go back."""
    table, minds = play_bots("broken", "Ada", "Ben", hands=2)
    ada, ben = table.participants

    def decide(one: Participant) -> list[bytes]:
        state = one.replica.state
        if state.hand.number == 0 or state.phase is not Phase.PLAYING:
            return minds[one].act(one)
        if one is ben:
            return []
        return ada.command(VoteAbort()) if ada.blocking_duties and not ada.options().must_move else minds[one].act(one)

    table.run(decide)
    return table


def digest_of(log: Path) -> str:
    return hashlib.sha256(log.read_bytes()).hexdigest()


def held(sums: Path) -> dict[str, str]:
    """Name of every golden log that was ever made, to its hash."""
    return {line[66:].removesuffix(".jsonl"): line[:64] for line in sums.read_text().splitlines()}


def missing(names: Iterable[str], folder: Path = HERE) -> list[str]:
    """Those that were never made. Raises `FileExistsError` for a log that is no longer as it was made."""
    before, wanted = held(folder / SUMS), []
    for name in names:
        log = folder / f"{name}.jsonl"
        if name not in before and not log.exists():
            wanted.append(name)
        elif not log.exists() or before.get(name) != digest_of(log):
            raise FileExistsError(f"{log.name} was made before, and is not made again: git checkout {log}")
    return wanted


TABLES: Final[Mapping[str, Callable[[], LocalTable]]] = {
    FREE: play_everything,
    LEFT: play_left,
    BARE: play_bare,
    UNSEEN: play_unseen,
    CLAIM: play_claim,
    TIMED: play_timed,
    "free-lock-left": partial(play_left_on, "lock"),
    "free-lock-server-left": partial(play_left_on, "lock", b'{"community":"server"}', roles={3: "server"}),
    "free-offset-left": partial(play_left_on, "offset"),
    "free-chain-dealer-left": partial(play_left_on, "chain", b'{"deck":"dealer"}'),
    "holdem-mask-seats": play_seats,
    "holdem-mask-broken": play_broken,
}
NAMES: Final = (*PLAYED, *TABLES)


def main() -> None:
    for name in missing(NAMES):
        log = log_of(name)
        if name in PLAYED:
            seed = () if "--cheat" in PLAYED[name] else ("--seed", "1")
            subprocess.run([*COMMAND, "play", "--auto", *seed, *PLAYED[name], "--log", str(log)], check=False)
        else:
            table = TABLES[name]()
            save_log(log, table.seats[0].replica.config.session, table.log)
        done = subprocess.run([*COMMAND, "verify", "--json", str(log)], check=False, capture_output=True)
        report_of(name).write_bytes(done.stdout)
        with (HERE / SUMS).open("a") as sums:
            sums.write(f"{digest_of(log)}  {log.name}\n")


if __name__ == "__main__":
    main()
