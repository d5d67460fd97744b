"""Attacks by the relay, by someone with a link to it, and on the log that it carries."""

from __future__ import annotations

import hashlib
from collections import Counter
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from msgspec import Raw

from nodealer.audit.verify import verify_file
from nodealer.engine.bodies import Leave, Move, Word, read_body
from nodealer.engine.bodies import Without as SkipVote
from nodealer.engine.commands import LeaveHand, WriteNote
from nodealer.engine.frame_result import Diverged
from nodealer.engine.store import MemoryPlayerStore
from nodealer.errors import IllegalMove
from nodealer.keys import KEY_BYTES, TAG_BYTES, Identity, derive
from nodealer.log.entry import Entry, read_entry, sign_entry
from nodealer.log.file import save_log
from nodealer.relay.limits import RelayLimits
from nodealer.relay.permissions import MadeRecord, Refusal, TablePermissions, check_frame, encode_record, permissions_of
from nodealer.relay.sealing import HEADER_BYTES, SENDER_BYTES, TableSecret
from nodealer.tape import DIGEST_BYTES, ROOT_BYTES
from nodealer.wire import encode
from nodealer_lab.attacks import defence
from nodealer_lab.attacks.base import Attack, AttackMethod, with_own_claim
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.scene import Scene, with_chips
from nodealer_lab.attacks.stage import AttackTable, awaits_move_of, blocking_duties, copy_store
from nodealer_lab.sim.highcard import Bet

# --- big frame ---

BIG_FRAME_SIZE: Final = 100 << 20


def _play_big_frame(scene: Scene) -> AttackOutcome:
    """Check a frame of 100 MB against the limits of the relay.

    The attack: someone with a player link sends the relay a frame that is larger than any line of a log can be.
    """
    token = TableSecret(scene.entropy(16), "0" * 32, 0).write_token
    rules = permissions_of([encode_record(MadeRecord(hashlib.sha512(token).digest()))]) or TablePermissions()
    took = False
    with suppress(Refusal):
        check_frame(RelayLimits(), rules, rules.epoch_of(token), BIG_FRAME_SIZE, frames=0, total=0)
        took = True
    return AttackOutcome("never", gain="makes the relay store a frame of 100 MB" if took else None)


BIG_FRAME: Final = Attack(
    name="big-frame",
    does="sends the relay a frame of 100 MB",
    numbers=("A48",),
    who="someone with a link",
    law=with_own_claim(
        AttackMethod(
            "a frame of 100 MB",
            play=_play_big_frame,
            defence=(RemovedDefence("nodealer.relay.permissions:check_frame", "not 0 < size <= largest", "False"),),
        )
    ),
    tried_on=("mask",),
    without_cards=True,
)


# --- cut log ---


def _play_cut_log(scene: Scene) -> AttackOutcome:
    """Save a log without its last hand, and verify it.

    The attack: a player who lost the last hand cuts it off the log and presents the rest as everything that was played.
    """
    stage = AttackTable(scene, hands=2)
    stage.run_to_end()
    replica = stage[0].replica
    log = replica.entries[: replica.state.chronicle.hand_ends[0]]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        save_log(path, replica.config.session, log)
        report = verify_file(path, entropy=bytes, on=scene.protocol.group, game=scene.game)
    return stage.outcome("gets a log without its last hand accepted as clean" if report.verdict == "clean" else None)


CUT_LOG: Final = Attack(
    name="cut-log",
    does="cuts a hand that it lost off a log",
    numbers=("A45",),
    law=with_own_claim(
        AttackMethod(
            "a shortened log that is presented as complete",
            play=_play_cut_log,
            defence=(
                RemovedDefence(
                    "nodealer.audit.verify:_verify_entries", "cut or replica.state.phase is not Phase.ENDED", "cut"
                ),
            ),
        )
    ),
)


# --- fork ---

#: The seat that is late in one of the two histories, and the seats that see one each.
SLOW: Final = 2
FIRST: Final = 0
SECOND: Final = 1


def _play_fork(scene: Scene) -> AttackOutcome:
    """Let two seats vote to skip the third, whose answer is on its way.

    One of them receives the answer before the votes, the other after them. Everything after that reaches both alike.

    The attack: a relay shows two players the same entries in two orders. For one of them an answer came in time, for
    the other it did not.
    """
    stage = AttackTable(scene)
    stage.run_until(awaits_move_of(SLOW))
    votes = [stage[seat].seat._sign(SkipVote(blocking_duties(stage.state(seat), SLOW))) for seat in (FIRST, SECOND)]
    answer = stage.bot_decision(SLOW)
    stage.deliver_to(FIRST, [*answer, *votes])
    stage.deliver_to(SECOND, [*votes, *answer])
    stage.deliver_to(SLOW, [*answer, *votes])
    stage.run_to_end()
    histories = {stage.state(seat).hand.game_digest for seat in (FIRST, SECOND)}
    noticed = any(isinstance(one, Diverged) for seat in (FIRST, SECOND) for one in stage.events[seat])
    parted = (
        len(histories) == 2 or stage.state(FIRST).chronicle.vote_results != stage.state(SECOND).chronicle.vote_results
    )
    return stage.outcome(
        "makes two players continue in two histories, and neither notices" if parted and not noticed else None
    )


FORK: Final = Attack(
    name="fork",
    does="shows two players two histories",
    numbers=("A42", "A45"),
    who="the relay",
    law=with_own_claim(
        AttackMethod(
            "two histories for two players",
            play=_play_fork,
            defence=(
                defence.RemovedDefence(
                    "nodealer.engine.replica:Replica.append", "entry.seen not in self._heights", "False"
                ),
                defence.RemovedDefence(
                    "nodealer.engine.replica:Replica._change_from",
                    "self._heights[entry.seen]",
                    "self._heights.get(entry.seen, self.height)",
                ),
            ),
        )
    ),
    # At a table of two, the one who goes on alone also notices it by entries that cannot be right.
    tried_on=("mask", "lock", "offset", "chain"),
)


# --- oversize ---

#: Below the limit of a message, which allows a proven shuffle of the largest deck.
OVERSIZE_SIZE: Final = 3 << 20


def _play_oversize(scene: Scene) -> AttackOutcome:
    """Send a note of megabytes, and measure the log of another seat.

    The attack: a seat fills all logs with messages of megabytes.
    """
    stage = AttackTable(scene)
    stage.run_until(awaits_move_of(0))
    stage.sign_and_send(scene.cheater, Word("x" * OVERSIZE_SIZE))
    stage.run_to_end()
    size = sum(map(len, stage[0].replica.entries))
    return stage.outcome("fills all logs with megabytes" if size > OVERSIZE_SIZE else None)


OVERSIZE: Final = Attack(
    name="oversize",
    does="sends messages of megabytes",
    numbers=("A48",),
    law=with_own_claim(
        AttackMethod(
            "messages of megabytes",
            play=_play_oversize,
            defence=(
                RemovedDefence(
                    "nodealer.engine.transitions:_apply_word", "len(body.text.encode()) > WORD_BYTES_MAX", "False"
                ),
            ),
        )
    ),
)


# --- replayed ---

VICTIM: Final = 0


def _play_replayed(scene: Scene) -> AttackOutcome:
    """Replay what the victim signed at the earlier table: that it sits out. The numbers fit the next table.

    The attack: a relay delivers to a table what a player sent at an earlier one, with the same players and the same
    game.
    """
    before = AttackTable(scene)
    before.take_pending()
    left = before[VICTIM].seat._sign(Leave())
    stores = {
        seat: MemoryPlayerStore(one.store.name, one.store.identity, scene.entropy(ROOT_BYTES))
        for seat, one in enumerate(before.participants)
    }
    stage = AttackTable(scene, stores=stores)
    stage.send([left])
    stage.run_to_end()
    gone = any(VICTIM in state.gone for state in stage.states(1))
    return stage.outcome("makes Ada sit out with what she signed at another table" if gone else None, seat=1)


REPLAYED: Final = Attack(
    name="replayed",
    does="delivers to a table what was said at an earlier one",
    numbers=("A43",),
    who="the relay",
    law=with_own_claim(
        AttackMethod(
            "what a seat signed at another table",
            play=_play_replayed,
            # Without the nonces that all players add, two sessions of the same players would have the same number.
            defence=(RemovedDefence("nodealer.log.session:Session.id", "encode(self)", "encode(self.proposal)"),),
        )
    ),
)


# --- restored ---


def _play_restored(scene: Scene) -> AttackOutcome:
    """Back up the victim before its move, play on, and restore it.

    The relay then announces how many frames there are, delivers none of them, and the victim is asked for its move
    again.

    The attack: a relay delivers the table slowly to a player whose disk was restored from a backup, so that they sign
    something again.

    The backup does not contain what was signed since. A player who sends before they have received the whole table
    signs two entries with one number, and is named for it.
    """
    stage = AttackTable(scene)
    stage.run_until(awaits_move_of(VICTIM))
    copy = copy_store(stage.stores[VICTIM])
    stage.run_until(awaits_move_of(VICTIM + 1))
    known = stage[VICTIM].next_frame_number
    stage.restart(VICTIM, copy)
    stage.send(stage[VICTIM].resend(known))
    with suppress(IllegalMove):
        # This time the person decides otherwise.
        stage.send(stage[VICTIM].command(LeaveHand()))
    stage.run_to_end()
    fault = stage.state(1).fault
    return stage.outcome(
        "gets Ada blamed for two entries with one number" if fault is not None and fault.seat == VICTIM else None,
        seat=1,
    )


RESTORED: Final = Attack(
    name="restored",
    does="has a player who was restored from a copy sign again",
    who="the relay",
    law=with_own_claim(
        AttackMethod(
            "a player restored from a backup who is asked again",
            play=_play_restored,
            defence=(
                RemovedDefence(
                    "nodealer.engine.participant:Participant.is_catching_up", "self.missing_frames > 0", "False"
                ),
            ),
        )
    ),
)


# --- sizes ---

FOLDER: Final = 0
FOLD: Final = encode(Bet(0, fold=True))


def _play_sizes(scene: Scene) -> AttackOutcome:
    """Compare each frame with a fold of the relay's own making.

    The relay has the program like everyone, and has counted how many frames each sender has sent.

    The attack: a relay cannot read frames but sees their lengths, and a fold is longer than a bet.
    """
    stage = AttackTable(with_chips(scene))
    stage.run_until(awaits_move_of(FOLDER))
    stage.play_move(FOLDER, Bet(0, fold=True))
    log, key = stage[1].replica.entries, TableSecret(scene.entropy(16), "0" * 32, 0).read_key
    senders = [scene.entropy(SENDER_BYTES) for _ in scene.names]
    guessed_folds, counts = list[bool](), Counter[bytes]()
    for sender, frame in [(sender := senders[read_entry(data).entry.seat], key.seal(sender, data)) for data in log]:
        guessed_folds.append(len(frame) == len(key.seal(sender, _make_fold(scene, counts[sender]))))
        counts[sender] += 1
    known = guessed_folds == [_is_fold(data) for data in log] and any(guessed_folds)
    return stage.outcome("knows who folds and when, without reading a frame" if known else None)


def _make_fold(scene: Scene, number: int) -> bytes:
    """Return an entry with a fold, signed with any key and with the sender's entry number."""
    nothing = bytes(DIGEST_BYTES)
    body = Raw(encode(Move(nothing, Raw(FOLD))))
    return sign_entry(Identity(scene.entropy(KEY_BYTES)), Entry(nothing, nothing, 0, 0, number, nothing, body))


def _is_fold(data: bytes) -> bool:
    """Return whether an entry is a fold."""
    body = read_body(bytes(read_entry(data).entry.body))
    return isinstance(body, Move) and bytes(body.move) == FOLD


SIZES: Final = Attack(
    name="sizes",
    does="guesses moves from the lengths of sealed frames",
    numbers=("A47",),
    who="the relay",
    law=with_own_claim(
        AttackMethod("moves, guessed from the lengths of frames", play=_play_sizes, if_unseen="cannot be seen")
    ),
)


# --- spoofed ---


def _play_spoofed(scene: Scene) -> AttackOutcome:
    """Sign an entry of the victim with the cheater's key. Everything else in it is right.

    The attack: a seat announces in another seat's name that it leaves.
    """
    stage = AttackTable(scene)
    stage.run_until(awaits_move_of(VICTIM))
    replica = stage[scene.cheater].replica
    state = replica.state
    number = replica.count_signed_by(state.roster.member(VICTIM).key)
    body = Raw(encode(Leave()))
    entry = Entry(replica.config.session.id, state.roster.digest, state.hand.number, VICTIM, number, replica.head, body)
    stage.send([sign_entry(stage[scene.cheater].store.identity, entry)])
    stage.run_to_end()
    gone = any(VICTIM in state.gone for state in stage.states(1))
    return stage.outcome("makes Ada leave although she never said so" if gone else None, seat=1)


SPOOFED: Final = Attack(
    name="spoofed",
    does="announces in another seat's name that this seat leaves",
    numbers=("A44",),
    law=with_own_claim(
        AttackMethod(
            "a message in another seat's name",
            play=_play_spoofed,
            defence=(
                RemovedDefence(
                    "nodealer.log.entry:authenticate",
                    "keys[entry.seat].verify(arrival.signature, arrival.signed)",
                    "pass",
                ),
            ),
        )
    ),
)


# --- two tables ---


def _play_two_tables(scene: Scene) -> AttackOutcome:
    """Let the victim play at two tables with one key. Its first entries there have the same numbers.

    The attack: a relay delivers to a table what a player signed at another with the same number, as if they had signed
    two things.
    """
    elsewhere = AttackTable(scene)
    elsewhere.run_until(awaits_move_of(VICTIM))
    other = MemoryPlayerStore("Ada", elsewhere.stores[VICTIM].identity, scene.entropy(ROOT_BYTES))
    stage = AttackTable(scene, stores={VICTIM: other})
    stage.run_until(awaits_move_of(VICTIM))
    entries = [data for data in elsewhere[1].replica.entries if read_entry(data).entry.seat == VICTIM]
    stage.send(entries[:1])
    stage.run_to_end()
    fault = stage.state(1).fault
    named = fault is not None and fault.seat == VICTIM
    return stage.outcome("gets Ada blamed for what she signed at another table" if named else None, seat=1)


TWO_TABLES: Final = Attack(
    name="two-tables",
    does="delivers to a table what a seat signed at another with the same number",
    numbers=("A43", "A46"),
    who="the relay",
    law=with_own_claim(
        AttackMethod(
            "what a seat signed at another table, as a second entry with the same number",
            play=_play_two_tables,
            defence=(RemovedDefence("nodealer.log.entry:authenticate", "entry.session != session", "False"),),
        )
    ),
)


# --- two time ---


def _play_two_time(scene: Scene) -> AttackOutcome:
    """Read the second text with the first, which is in the log that everyone has after the game.

    The attack: a relay has two frames of a player who was restored from a backup, and reads one with the help of the
    other.

    Neither counters nor random state survive the restoration of a process. With a key that does not depend on the text
    itself, two texts would be under one key stream.
    """
    stage = AttackTable(scene)
    stage.run_until(awaits_move_of(0))
    copy = copy_store(stage.stores[0])
    (known,) = stage[0].command(WriteNote("I think that I raise"))
    stage.restart(0, copy)
    (again,) = stage[0].command(WriteNote("I think that I fold"))
    key = TableSecret(scene.entropy(16), "0" * 32, 0).read_key
    sender = scene.entropy(SENDER_BYTES)
    first, second = (key.seal(sender, text)[HEADER_BYTES:-TAG_BYTES] for text in (known, again))
    read = bytes(a ^ b ^ c for a, b, c in zip(first, second, known, strict=False))
    return stage.outcome("reads what Ada wrote" if again.startswith(read) else None)


TWO_TIME: Final = Attack(
    name="two-time",
    does="reads a frame with the help of another that a restored process sealed",
    who="the relay",
    law=with_own_claim(
        AttackMethod(
            "two frames of a process that was restored from a backup",
            play=_play_two_time,
            defence=(RemovedDefence("nodealer.relay.sealing:ReadKey._message_key", '"msg", words', '"msg"'),),
        )
    ),
)


# --- watcher ---


def _play_watcher(scene: Scene) -> AttackOutcome:
    """Derive a token from a spectator link. The relay knows only the hash of the true one.

    The attack: someone with a spectator link derives a token from what they have, and writes to the table.
    """
    secret = TableSecret(scene.entropy(16), "0" * 32, 0)
    rules = permissions_of([encode_record(MadeRecord(hashlib.sha512(secret.write_token).digest()))])
    link = secret.read_key
    token = derive(link.key, "write", link.table, link.epoch, size=KEY_BYTES)
    writes = rules is not None and rules.can_write(rules.epoch_of(token))
    return AttackOutcome("never", gain="writes to a table that it may only watch" if writes else None)


WATCHER: Final = Attack(
    name="watcher",
    does="makes a write token from a spectator link",
    who="someone with a link",
    law=with_own_claim(
        AttackMethod(
            "a spectator who tries to write",
            play=_play_watcher,
            defence=(
                RemovedDefence("nodealer.relay.sealing:TableSecret.write_token", "self._base", "self.read_key.key"),
            ),
        )
    ),
    tried_on=("mask",),
    without_cards=True,
)
