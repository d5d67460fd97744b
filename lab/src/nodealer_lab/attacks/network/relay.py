"""Attacks by the relay, by whoever has a link to it, and on the log that it carries."""

from __future__ import annotations

import hashlib
from collections import Counter
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from msgspec import Raw

from nodealer.audit.verify import verify_file
from nodealer.client.local_table import KEY_BYTES as LOCAL_KEY_BYTES
from nodealer.engine.bodies import Leave, Move, Word, read_body
from nodealer.engine.bodies import Without as SkipVote
from nodealer.engine.frame_result import Diverged
from nodealer.engine.store import MemoryPlayerStore
from nodealer.errors import IllegalMove
from nodealer.keys import KEY_BYTES, TAG_BYTES, Identity, derive
from nodealer.log.entry import Entry, read_entry, sign_entry
from nodealer.log.file import save_log
from nodealer.protocols.base import Cheat
from nodealer.relay.limits import RelayLimits
from nodealer.relay.permissions import MadeRecord, Refusal, TablePermissions, check_frame, permissions_of, record_bytes
from nodealer.relay.sealing import HEADER_BYTES, SENDER_BYTES, TableSecret
from nodealer.tape import DIGEST_BYTES, ROOT_BYTES
from nodealer.wire import encode
from nodealer_lab.attacks import defence
from nodealer_lab.attacks.base import Attack, AttackMethod, AttackScheme
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.scene import Scene, with_chips
from nodealer_lab.attacks.stage import AttackTable, awaits_move_of, blocking_duties, copy_store
from nodealer_lab.sim.highcard import Bet

# --- big frame ---
#
# Who has a link to play sends the relay a frame that is larger than any log can have a line.

BIG_FRAME_SIZE: Final = 100 << 20


def _play_big_frame(scene: Scene) -> AttackOutcome:
    token = TableSecret(scene.entropy(16), "0" * 32, 0).write_token
    rules = permissions_of([record_bytes(MadeRecord(hashlib.sha512(token).digest()))]) or TablePermissions()
    took = False
    with suppress(Refusal):
        check_frame(RelayLimits(), rules, rules.epoch_of(token), BIG_FRAME_SIZE, frames=0, total=0)
        took = True
    return AttackOutcome("never", gain="has the relay keep a frame of 100 MB" if took else None)


_BIG_FRAME_CLAIM: Final = Cheat("a frame of 100 MB", "never", False)
BIG_FRAME: Final = Attack(
    name="big-frame",
    does="sends the relay a frame of 100 MB",
    numbers=("A48",),
    who="someone with a link",
    law=AttackScheme(
        AttackMethod(
            _BIG_FRAME_CLAIM.cheat,
            play=_play_big_frame,
            defence=(RemovedDefence("nodealer.relay.permissions:check_frame", "not 0 < size <= largest", "False"),),
        ),
        _BIG_FRAME_CLAIM,
    ),
    tried_on=("mask",),
    without_cards=True,
)


# --- cut log ---
#
# Who has lost the last hand cuts it off a log, and shows the rest as all that was played.


def _play_cut_log(scene: Scene) -> AttackOutcome:
    stage = AttackTable(scene, hands=2)
    stage.run_to_end()
    replica = stage[0].replica
    log = replica.entries[: replica.state.chronicle.ends[0]]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        save_log(path, replica.config.session, log)
        report = verify_file(path, entropy=bytes, on=scene.protocol.group, game=scene.game)
    return stage.outcome("has a log called clean that lacks a hand" if report.verdict == "clean" else None)


_CUT_LOG_CLAIM: Final = Cheat("a log that is cut, and shown as the whole", "never", False)
CUT_LOG: Final = Attack(
    name="cut-log",
    does="cuts a hand that it lost off a log",
    numbers=("A45",),
    law=AttackScheme(
        AttackMethod(
            _CUT_LOG_CLAIM.cheat,
            play=_play_cut_log,
            defence=(
                RemovedDefence(
                    "nodealer.audit.verify:_verify_entries", "cut or replica.state.phase is not Phase.ENDED", "cut"
                ),
            ),
        ),
        _CUT_LOG_CLAIM,
    ),
)


# --- fork ---
#
# A relay shows two players the same words in two orders: for one of them an answer came in time, for the other not.

#: Who is late in one of the two histories; who sees which.
SLOW: Final = 2
FIRST: Final = 0
SECOND: Final = 1


def _play_fork(scene: Scene) -> AttackOutcome:
    """The two others say that they would not wait for a third, whose answer is on its way. One hears the answer before
    these words, the other one after them; what is said after that, both hear alike."""
    stage = AttackTable(scene)
    stage.run_until(awaits_move_of(SLOW))
    votes = [stage[seat].seat._send(SkipVote(blocking_duties(stage.state(seat), SLOW))) for seat in (FIRST, SECOND)]
    answer = stage.bot_decision(SLOW)
    stage.deliver_to(FIRST, [*answer, *votes])
    stage.deliver_to(SECOND, [*votes, *answer])
    stage.deliver_to(SLOW, [*answer, *votes])
    stage.run_to_end()
    histories = {stage.state(seat).hand.course for seat in (FIRST, SECOND)}
    noticed = any(isinstance(one, Diverged) for seat in (FIRST, SECOND) for one in stage.events[seat])
    parted = len(histories) == 2 or stage.state(FIRST).chronicle.statements != stage.state(SECOND).chronicle.statements
    return stage.outcome("has two players go on at two tables, and neither notices" if parted and not noticed else None)


_FORK_CLAIM: Final = Cheat("two histories for two players", "never", False)
FORK: Final = Attack(
    name="fork",
    does="shows two players two histories",
    numbers=("A42", "A45"),
    who="the relay",
    law=AttackScheme(
        AttackMethod(
            _FORK_CLAIM.cheat,
            play=_play_fork,
            defence=(
                defence.RemovedDefence(
                    "nodealer.engine.replica:Replica.append", "entry.seen not in self._heights", "False"
                ),
                defence.RemovedDefence(
                    "nodealer.engine.replica:Replica._change",
                    "self._heights[entry.seen]",
                    "self._heights.get(entry.seen, self.height)",
                ),
            ),
        ),
        _FORK_CLAIM,
    ),
    # Of two, whoever goes on alone hears words that cannot be right, and notices by these too.
    tried_on=("mask", "lock", "offset", "chain"),
)


# --- oversize ---
#
# A seat fills everybody's log with words of megabytes.

#: Below the limit of a message, which a proven shuffle of the largest deck needs.
OVERSIZE_SIZE: Final = 3 << 20


def _play_oversize(scene: Scene) -> AttackOutcome:
    stage = AttackTable(scene)
    stage.run_until(awaits_move_of(0))
    stage.sign_and_send(scene.cheater, Word("x" * OVERSIZE_SIZE))
    stage.run_to_end()
    size = sum(map(len, stage[0].replica.entries))
    return stage.outcome("fills everybody's log with megabytes" if size > OVERSIZE_SIZE else None)


_OVERSIZE_CLAIM: Final = Cheat("words of megabytes", "never", False)
OVERSIZE: Final = Attack(
    name="oversize",
    does="sends messages of megabytes",
    numbers=("A48",),
    law=AttackScheme(
        AttackMethod(
            _OVERSIZE_CLAIM.cheat,
            play=_play_oversize,
            defence=(
                RemovedDefence(
                    "nodealer.engine.transitions:_word", "len(body.text.encode()) > WORD_BYTES_MAX", "False"
                ),
            ),
        ),
        _OVERSIZE_CLAIM,
    ),
)


# --- replayed ---
#
# A relay brings a table what a player has said at an earlier one, with the same players and the same game.

VICTIM: Final = 0


def _play_replayed(scene: Scene) -> AttackOutcome:
    """At the earlier table the victim's second word was that it sits out. At the next one it has said one so far."""
    before = AttackTable(scene)
    before.take_pending()
    left = before[VICTIM].seat._send(Leave())
    stores = {
        seat: MemoryPlayerStore(one.home.name, one.home.identity, scene.entropy(ROOT_BYTES))
        for seat, one in enumerate(before.participants)
    }
    stage = AttackTable(scene, stores=stores)
    stage.send([left])
    stage.run_to_end()
    gone = any(VICTIM in state.gone for state in stage.states(1))
    return stage.outcome("has Ada sit out, by what she said at another table" if gone else None, seat=1)


_REPLAYED_CLAIM: Final = Cheat("what a seat has said at another table", "never", False)
REPLAYED: Final = Attack(
    name="replayed",
    does="delivers to a table what was said at an earlier one",
    numbers=("A43",),
    who="the relay",
    law=AttackScheme(
        AttackMethod(
            _REPLAYED_CLAIM.cheat,
            play=_play_replayed,
            # Without the nonces that all players add, two sessions of the same players have one number.
            defence=(RemovedDefence("nodealer.log.session:Session.id", "encode(self)", "encode(self.proposal)"),),
        ),
        _REPLAYED_CLAIM,
    ),
)


# --- restored ---
#
# A relay brings a player whose disk was restored from a copy the table again, slowly, so that it says something anew.
#
# The copy does not know what was signed since. Who would speak before it has heard all of the table gives one number to
# two entries, and is named for it.


def _play_restored(scene: Scene) -> AttackOutcome:
    """The copy is of the moment before the victim's move. Then it moves and the hand goes on; and then it is restored,
    is told how much there is to be heard, hears nothing of it, and is asked for its move again."""
    stage = AttackTable(scene)
    stage.run_until(awaits_move_of(VICTIM))
    copy = copy_store(stage.stores[VICTIM])
    stage.run_until(awaits_move_of(VICTIM + 1))
    known = stage[VICTIM].expects
    stage.restart(VICTIM, copy)
    stage.send(stage[VICTIM].resend(known))
    with suppress(IllegalMove):
        # Its person thinks of something else this time.
        stage.send(stage[VICTIM].leave())
    stage.run_to_end()
    fault = stage.state(1).fault
    return stage.outcome(
        "has Ada named for two words with one number" if fault is not None and fault.seat == VICTIM else None, seat=1
    )


_RESTORED_CLAIM: Final = Cheat("a player restored from a copy that is asked anew", "never", False)
RESTORED: Final = Attack(
    name="restored",
    does="has a player who was restored from a copy sign again",
    who="the relay",
    law=AttackScheme(
        AttackMethod(
            _RESTORED_CLAIM.cheat,
            play=_play_restored,
            defence=(RemovedDefence("nodealer.engine.participant:Participant.hearing", "self.missing > 0", "False"),),
        ),
        _RESTORED_CLAIM,
    ),
)


# --- sizes ---
#
# A relay cannot read a word, and sees how long each is: a fold is longer than a bet.

FOLDS: Final = 0
FOLD: Final = encode(Bet(0, fold=True))


def _play_sizes(scene: Scene) -> AttackOutcome:
    """It has the program, as everybody has, and makes a fold of its own to see how long one is: the how-manieth of its
    sender a frame is, it has counted."""
    stage = AttackTable(with_chips(scene))
    stage.run_until(awaits_move_of(FOLDS))
    stage.play_move(FOLDS, Bet(0, fold=True))
    log, key = stage[1].replica.entries, TableSecret(scene.entropy(16), "0" * 32, 0).reading
    senders = [scene.entropy(SENDER_BYTES) for _ in scene.names]
    told, counts = list[bool](), Counter[bytes]()
    for sender, frame in [(sender := senders[read_entry(data).entry.seat], key.seal(sender, data)) for data in log]:
        told.append(len(frame) == len(key.seal(sender, _fold(scene, counts[sender]))))
        counts[sender] += 1
    known = told == [_is_fold(data) for data in log] and any(told)
    return stage.outcome("knows who folds and when, and has not read a word" if known else None)


def _fold(scene: Scene, number: int) -> bytes:
    """What a fold looks like, of somebody and somewhere."""
    nothing = bytes(DIGEST_BYTES)
    body = Raw(encode(Move(nothing, Raw(FOLD))))
    return sign_entry(Identity(scene.entropy(LOCAL_KEY_BYTES)), Entry(nothing, nothing, 0, 0, number, nothing, body))


def _is_fold(data: bytes) -> bool:
    body = read_body(bytes(read_entry(data).entry.body))
    return isinstance(body, Move) and bytes(body.move) == FOLD


_SIZES_CLAIM: Final = Cheat("what is said, guessed by its length", "never", False)
SIZES: Final = Attack(
    name="sizes",
    does="guesses moves from the lengths of sealed frames",
    numbers=("A47",),
    who="the relay",
    law=AttackScheme(AttackMethod(_SIZES_CLAIM.cheat, play=_play_sizes, if_unseen="cannot be seen"), _SIZES_CLAIM),
)


# --- spoofed ---
#
# A seat says in another one's name that it leaves.


def _play_spoofed(scene: Scene) -> AttackOutcome:
    """Everything in the entry is as it should be but the key that it is signed with."""
    stage = AttackTable(scene)
    stage.run_until(awaits_move_of(VICTIM))
    replica = stage[scene.cheater].replica
    state = replica.state
    number = replica.signed_by(state.roster.member(VICTIM).key)
    said = Raw(encode(Leave()))
    entry = Entry(replica.config.session.id, state.roster.digest, state.hand.number, VICTIM, number, replica.head, said)
    stage.send([sign_entry(stage[scene.cheater].home.identity, entry)])
    stage.run_to_end()
    gone = any(VICTIM in state.gone for state in stage.states(1))
    return stage.outcome("has Ada leave, who never said so" if gone else None, seat=1)


_SPOOFED_CLAIM: Final = Cheat("words in another seat's name", "never", False)
SPOOFED: Final = Attack(
    name="spoofed",
    does="announces in another seat's name that this seat leaves",
    numbers=("A44",),
    law=AttackScheme(
        AttackMethod(
            _SPOOFED_CLAIM.cheat,
            play=_play_spoofed,
            defence=(
                RemovedDefence(
                    "nodealer.log.entry:authenticate",
                    "keys[entry.seat].verify(arrival.signature, arrival.signed)",
                    "pass",
                ),
            ),
        ),
        _SPOOFED_CLAIM,
    ),
)


# --- two tables ---
#
# A relay brings a table what a player has signed at another one with the same number, as if it had said two things.


def _play_two_tables(scene: Scene) -> AttackOutcome:
    """The victim plays at both tables with one key; its first entries there have the same numbers."""
    elsewhere = AttackTable(scene)
    elsewhere.run_until(awaits_move_of(VICTIM))
    other = MemoryPlayerStore("Ada", elsewhere.stores[VICTIM].identity, scene.entropy(ROOT_BYTES))
    stage = AttackTable(scene, stores={VICTIM: other})
    stage.run_until(awaits_move_of(VICTIM))
    said = [data for data in elsewhere[1].replica.entries if read_entry(data).entry.seat == VICTIM]
    stage.send(said[:1])
    stage.run_to_end()
    fault = stage.state(1).fault
    named = fault is not None and fault.seat == VICTIM
    return stage.outcome("has Ada named for what she said at another table" if named else None, seat=1)


_TWO_TABLES_CLAIM: Final = Cheat(
    "what a seat has signed at another table, as a second entry with one number", "never", False
)
TWO_TABLES: Final = Attack(
    name="two-tables",
    does="delivers to a table what a seat signed at another with the same number",
    numbers=("A43", "A46"),
    who="the relay",
    law=AttackScheme(
        AttackMethod(
            _TWO_TABLES_CLAIM.cheat,
            play=_play_two_tables,
            defence=(RemovedDefence("nodealer.log.entry:authenticate", "entry.session != session", "False"),),
        ),
        _TWO_TABLES_CLAIM,
    ),
)


# --- two time ---
#
# A relay has two frames of a player who was restored from a copy, and reads one of them by the other.
#
# No counter and no random state survives a restored process. With a key that does not hang on the words themselves, two
# texts are under one key stream.


def _play_two_time(scene: Scene) -> AttackOutcome:
    """It knows the text of the first, which is in the log that everybody has after the game, and wants the second."""
    stage = AttackTable(scene)
    stage.run_until(awaits_move_of(0))
    copy = copy_store(stage.stores[0])
    (said,) = stage[0].word("I think that I raise")
    stage.restart(0, copy)
    (again,) = stage[0].word("I think that I fold")
    key = TableSecret(scene.entropy(16), "0" * 32, 0).reading
    sender = scene.entropy(SENDER_BYTES)
    first, second = (key.seal(sender, text)[HEADER_BYTES:-TAG_BYTES] for text in (said, again))
    read = bytes(a ^ b ^ c for a, b, c in zip(first, second, said, strict=False))
    return stage.outcome("reads what Ada has said" if again.startswith(read) else None)


_TWO_TIME_CLAIM: Final = Cheat("two frames of a process that was restored from a copy", "never", False)
TWO_TIME: Final = Attack(
    name="two-time",
    does="reads a frame with the help of another that a restored process sealed",
    who="the relay",
    law=AttackScheme(
        AttackMethod(
            _TWO_TIME_CLAIM.cheat,
            play=_play_two_time,
            defence=(RemovedDefence("nodealer.relay.sealing:ReadKey._message_key", '"msg", words', '"msg"'),),
        ),
        _TWO_TIME_CLAIM,
    ),
)


# --- watcher ---
#
# Who has a link to watch makes a token of what it has, and writes to the table.


def _play_watcher(scene: Scene) -> AttackOutcome:
    """The relay knows the hash of the token, and nothing else of it."""
    secret = TableSecret(scene.entropy(16), "0" * 32, 0)
    rules = permissions_of([record_bytes(MadeRecord(hashlib.sha512(secret.write_token).digest()))])
    link = secret.reading
    token = derive(link.key, "write", link.table, link.epoch, size=KEY_BYTES)
    writes = rules is not None and rules.lets_write(rules.epoch_of(token))
    return AttackOutcome("never", gain="writes to a table that it may only watch" if writes else None)


_WATCHER_CLAIM: Final = Cheat("one who watches, and would write", "never", False)
WATCHER: Final = Attack(
    name="watcher",
    does="makes a write token from a spectator link",
    who="someone with a link",
    law=AttackScheme(
        AttackMethod(
            _WATCHER_CLAIM.cheat,
            play=_play_watcher,
            defence=(
                RemovedDefence("nodealer.relay.sealing:TableSecret.write_token", "self._base", "self.reading.key"),
            ),
        ),
        _WATCHER_CLAIM,
    ),
    tried_on=("mask",),
    without_cards=True,
)
