"""Key epochs: when a seat leaves, those who stay have a key that the leaver does not have."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import pytest
from msgspec.structs import replace

from client.around import SECRET, Around, SealedCircle, over, real, soon, without_last
from client.looking import look
from conformance.harness import NAMES, Source
from engine.circle import Circle, shows_if_even
from nodealer.client.bot_roster_policy import BotRosterPolicy, agrees_to
from nodealer.client.events import SeatLost
from nodealer.client.key_history import encode_history, fetch_history
from nodealer.client.keyring import Keyring
from nodealer.client.relay_transport import (
    ConnectionEvent,
    KeyMissing,
    RelayFound,
    RelayLost,
    RelayTransport,
    WriteRefused,
)
from nodealer.client.transport import Connected, Disconnected
from nodealer.engine.bodies import Box, NewKey, Propose
from nodealer.engine.commands import AgreeToRoster, ProposeRoster
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.rosters import proposal_id
from nodealer.engine.store import MemoryPlayerStore
from nodealer.errors import BadParameter, DecodeError, IllegalMove
from nodealer.keys import Identity
from nodealer.log.roster import Roster
from nodealer.relay.client import connect_to, writer_of
from nodealer.relay.messages import Rekey
from nodealer.relay.sealing import ReadKey, TableSecret
from nodealer.wire import encode
from relay.liar import Liar


def between(hands: int = 3, watchers: int = 1) -> SealedCircle:
    """Return the circle after its first hand."""
    circle = SealedCircle(3, hands=hands, watchers=watchers)
    circle.play(until=lambda circle: circle.people[0].has_session and circle.people[0].replica.state.hand.number == 1)
    return circle


def proposing(one: Participant, roster: Roster, key: NewKey | None) -> list[bytes]:
    """Propose a roster with this key, even if it should have another."""
    return [one.seat.propose_roster(roster, None, key)]


@dataclass(frozen=True)
class Ring:
    """The keyring of a participant, and the participant."""

    one: Participant
    keys: Keyring

    @property
    def read_key(self) -> ReadKey | None:
        return self.keys.read_key(self.one)

    @property
    def write_secret(self) -> TableSecret | None:
        return self.keys.write_secret(self.one)

    @property
    def proposed_secret(self) -> TableSecret | None:
        return self.keys.proposed_secret(self.one)

    @property
    def earlier_keys(self) -> list[ReadKey]:
        return self.keys.earlier_keys(self.one)

    def refuse_key(self, proposal: bytes) -> None:
        self.keys.refuse_key(self.one, proposal)

    def new_key(self, roster: Roster) -> NewKey | None:
        return self.keys.new_key(self.one, roster)

    def create_key(self, roster: Roster) -> NewKey:
        return self.keys.create_key(self.one, roster)


def rings(circle: SealedCircle) -> list[Ring]:
    """Return everyone's keyrings."""
    return [Ring(one, circle.keyring_of(one)) for one in circle.people]


def ring(one: Participant, *keys: TableSecret | ReadKey) -> Ring:
    """Return the keyring that a participant would have with these links."""
    return Ring(one, Keyring(keys, Source(f"keys of {one.store.name}")))


def settled(circle: SealedCircle) -> SealedCircle:
    while circle.step():
        pass
    return circle


def rekeyed(circle: SealedCircle, keys: list[Ring]) -> None:
    """Let two of three agree on a roster without the third, with a new key that takes effect after the hand."""
    settled(circle)
    one = circle.people[0]
    roster = without_last(one)
    proposal = proposal_id(roster, 0, one.replica.state.hand.number)
    circle.waiting.extend(one.command(ProposeRoster(roster)))
    settled(circle)
    keys[1].refuse_key(proposal)
    circle.waiting.extend(circle.people[1].command(AgreeToRoster(proposal)))
    assert [one.key_epoch for one in circle.people] == [0] * 4 and keys[0].write_secret is SECRET
    circle.play(until=lambda circle: bool(circle.people[0].key_changes))


# --- Keys in the log ---


def test_who_stays_has_the_new_key_and_who_leaves_has_not() -> None:
    circle = between()
    keys = rings(circle)
    rekeyed(circle, keys)
    assert [one.key_epoch for one in circle.people] == [1] * 4
    ada, bo, cy, watcher = keys
    assert ada.write_secret is not None and ada.write_secret == bo.write_secret and ada.read_key == bo.read_key
    assert ada.write_secret.epoch == 1 and ada.write_secret is ada.write_secret and ada.read_key is not None
    assert (cy.write_secret, cy.read_key, watcher.read_key, watcher.write_secret) == (None, None, None, None)
    # A spectator with a new link can go on reading.
    again = ring(circle.people[3], SECRET.read_key, ada.read_key)
    assert again.read_key == ada.read_key and again.write_secret is None
    circle.play(decide=shows_if_even)
    assert circle.people[0].replica.state.phase is Phase.ENDED


def test_who_comes_back_hears_each_frame_in_its_epoch() -> None:
    circle = between()
    keys = rings(circle)
    rekeyed(circle, keys)
    change = len(circle.frames)
    circle.play(decide=shows_if_even)
    again = circle.sit(circle.homes[1])
    its, epochs = ring(again, SECRET), list[int]()
    again.resend(len(circle.frames))
    for number, frame in enumerate(circle.frames):
        epochs.append(again.key_epoch)
        assert its.read_key is not None and its.read_key.epoch == again.key_epoch
        again.receive(frame, number)
    assert epochs == [0] * change + [1] * (len(circle.frames) - change)
    assert its.write_secret == keys[1].write_secret, "what is said now has the newest key, from the first frame on"


def test_a_seat_that_comes_back_has_a_key_again() -> None:
    circle = between(hands=4)
    keys = rings(circle)
    everybody = circle.people[0].replica.state.roster
    rekeyed(circle, keys)
    link = keys[0].read_key
    assert link is not None
    settled(circle)
    circle.waiting.extend(proposing(circle.people[0], everybody, keys[0].create_key(everybody)))
    settled(circle)
    circle.waiting.extend(circle.people[1].command(AgreeToRoster(proposal_id(everybody, 0, 2))))
    circle.play(until=lambda circle: len(circle.people[0].key_changes) == 2)
    again = ring(circle.people[2], SECRET, link)
    assert again.write_secret == keys[0].write_secret == keys[1].write_secret and again.write_secret is not None
    assert (
        again.write_secret.epoch == 2 and again.earlier_keys == [SECRET.read_key, link] and keys[2].earlier_keys == []
    )


def test_a_key_of_a_proposal_that_lapses_counts_for_nothing() -> None:
    circle = between(hands=4)
    one = circle.people[0]
    settled(circle)
    circle.waiting.extend(one.command(ProposeRoster(without_last(one))))
    circle.play(decide=shows_if_even)
    assert one.replica.state.phase is Phase.ENDED and not one.key_changes and one.key_epoch == 0


@pytest.mark.parametrize("boxes", [(), (0,), (0, 1, 2), (1, 0), (0, 0), (0, 2)])
def test_a_box_for_each_seat_of_the_roster_and_no_other(boxes: tuple[int, ...]) -> None:
    circle = between()
    settled(circle)
    one, key = circle.people[0], NewKey(bytes(64), tuple(Box(seat, bytes(80)) for seat in boxes))
    with pytest.raises(IllegalMove, match="one box for each seat"):
        proposing(one, without_last(one), key)


@pytest.mark.parametrize(
    "key",
    [
        b'{"digest":"AAAA","boxes":[]}',
        b'{"digest":"%s","boxes":[{"seat":0,"box":"AAAA"}]}' % (b"A" * 86 + b"=="),
        b'{"boxes":[]}',
        b'{"digest":"%s"}' % (b"A" * 86 + b"=="),
    ],
)
def test_both_or_none_and_of_their_sizes(key: bytes) -> None:
    circle = between()
    settled(circle)
    one = circle.people[0]
    body = encode(Propose(without_last(one), ())).replace(b'"key":null', b'"key":' + key)
    before = one.replica.height
    one.receive(circle.by_hand(0, body), len(circle.frames))
    assert one.replica.height == before, "refused"


@pytest.mark.parametrize("wrong", ["box", "digest", "roster", "another"])
def test_a_seat_does_not_agree_to_a_key_that_it_cannot_open(wrong: str) -> None:
    circle = between()
    keys, one = rings(circle), circle.people[0]
    settled(circle)
    roster = without_last(one)
    key = keys[0].create_key(replace(roster, members=roster.members[::-1]) if wrong == "roster" else roster)
    if wrong == "roster":
        key = replace(key, boxes=key.boxes[::-1])
    if wrong == "digest":
        key = replace(key, digest=bytes(64))
    if wrong == "box":
        key = replace(key, boxes=(key.boxes[0], replace(key.boxes[1], box=key.boxes[0].box)))
    if wrong == "another":
        # A box that is valid for this seat and epoch, but holds another secret than the others.
        other = TableSecret(bytes(32), SECRET.table, 1).box(
            bytes(31) + b"e", roster.member(1).box, one.session.id, roster.digest
        )
        key = replace(key, boxes=(key.boxes[0], Box(1, other)))
    circle.waiting.extend(proposing(one, roster, key))
    settled(circle)
    proposal = proposal_id(roster, 0, 1)
    with pytest.raises(DecodeError):
        keys[1].refuse_key(proposal)
    two = circle.people[1]
    with pytest.raises(IllegalMove, match="cannot read with"):
        two.command(AgreeToRoster(proposal))


def test_a_bot_is_not_locked_out_by_a_roster_that_puts_nobody_out() -> None:
    """A seat proposes the same roster with a new key, and junk in the other boxes."""
    circle = between()
    settled(circle)
    one, two = circle.people[:2]
    roster = one.replica.state.roster
    key = rings(circle)[0].create_key(roster)
    key = replace(key, boxes=(key.boxes[0], *(replace(box, box=bytes(80)) for box in key.boxes[1:])))
    circle.waiting.extend(proposing(one, roster, key))
    settled(circle)
    (proposed,) = two.replica.state.proposed.values()
    assert not agrees_to(two.replica.state, None, proposed) and look(BotRosterPolicy(None), two, 0.0) == []
    with pytest.raises(IllegalMove, match="cannot read with"):
        two.command(AgreeToRoster(*two.replica.state.proposed))


def test_who_leaves_must_not_go_on_reading() -> None:
    """A roster without a seat and without a new key is rejected; one that keeps everyone needs none."""
    circle = between()
    keys, one = rings(circle), circle.people[0]
    settled(circle)
    assert keys[0].new_key(one.replica.state.roster) is None
    circle.waiting.extend(proposing(one, without_last(one), None))
    settled(circle)
    with pytest.raises(DecodeError, match="could go on reading"):
        keys[1].refuse_key(proposal_id(without_last(one), 0, 1))
    keys[1].refuse_key(bytes(32))


def test_the_keys_of_one_table() -> None:
    one = Circle().people[0]
    for keys in ([], [SECRET, TableSecret(bytes(16), "1" * 32, 1)]):
        with pytest.raises(BadParameter):
            ring(one, *keys)


# --- Over a relay ---


def test_a_seat_leaves_and_hears_nothing_more() -> None:
    async def work(table: Around) -> None:
        await asyncio.gather(*table.tasks[:2])
        ada, bo, cy, watcher = table.circle.people
        assert ada.replica.state.phase is Phase.ENDED and ada.replica.digest() == bo.replica.digest()
        assert len(ada.key_changes) == 1 and ada.members == ada.replica.state.roster.members[:2]
        for gone, name in ((cy, NAMES[2]), (watcher, "watcher")):
            assert gone.replica.height == ada.replica.state.chronicle.key_heights[0]
            if gone is cy:
                assert table.shown[2][-1] == SeatLost(), "the client ends, and does not even try"
                await table.tasks[2]
            else:
                assert [line for line in table.told[name] if isinstance(line, KeyMissing)]
            assert gone.replica.state.roster == ada.replica.state.roster and not gone.replica.state.faults
        assert not any(
            isinstance(line, KeyMissing | WriteRefused | RelayLost) for name in NAMES[:2] for line in table.told[name]
        )

    over(real, work)


def test_the_relay_learns_of_the_writer_before_anybody_hears_of_the_key() -> None:
    liar = Liar()

    async def work(table: Around) -> None:
        await asyncio.gather(*table.tasks[:2])
        secret = table.ways[0]._keys._key_of(table.circle.people[0], 1)
        assert isinstance(secret, TableSecret)
        said = {(name, asked.writer) for name, asked in liar.asked if isinstance(asked, Rekey)}
        assert said == {(NAMES[0], writer_of(secret.write_token))}, "however often it is tried"
        first = next(number for number, frame in enumerate(liar.frames) if frame[0] == 1)
        assert all(frame[0] == 1 for frame in liar.frames[first:]), "from the first frame on, and only then"

    over(liar.on, work)


@pytest.mark.parametrize("relay", [real, Liar().on], ids=["relay", "liar"])
def test_who_was_away_finds_the_new_key_in_the_log(relay: Callable[[], Any]) -> None:
    """The old token is no longer accepted; what arrives contains the new key."""

    async def work(table: Around) -> None:
        ada, bo = table.circle.people[:2]
        while not ada.key_changes:
            await asyncio.sleep(0)
        # The agreement was its own, and may not have reached it yet.
        if (out := table.ways[1]._outbox) is not None:
            socket: Any = out._client._connection
            socket._connection.transport.abort()
        await asyncio.gather(*table.tasks[:2])
        assert bo.replica.digest() == ada.replica.digest()
        assert not any(isinstance(line, WriteRefused | KeyMissing) for line in table.told[NAMES[1]])

    over(relay, work)


# --- Who comes later ---


async def heard_by(way: RelayTransport, one: Participant, frames: int) -> None:
    """Let a participant receive this many frames."""
    async with aclosing(way.events()) as events:
        while one.next_frame_number < frames:
            event = await anext(events)
            if isinstance(event, Connected):
                one.resend(event.known)
            elif isinstance(event, bytes):
                one.receive(event, one.next_frame_number)


def test_with_a_new_link_all_is_heard_from_the_first_frame_on() -> None:
    """This works even if someone at the table published false earlier keys."""
    liar = Liar()

    async def work(table: Around) -> None:
        ada = table.circle.people[0]
        await asyncio.gather(*table.tasks[:2])
        key = rings(table.circle)[0].read_key
        assert key is not None and key.epoch == 1
        place = next(number for number, frame in enumerate(liar.frames) if frame[0] == 1)
        for text in (
            encode_history([replace_key(SECRET.read_key)]),
            encode_history([]),
            encode_history([SECRET.read_key] * 2),
        ):
            liar.frames.insert(place, key.seal(bytes(16), text))
        keys = Keyring([key], Source("new"))
        new = table.circle.sit(MemoryPlayerStore(None, Identity(bytes(32)), bytes(32)), keys=keys)
        told: list[ConnectionEvent] = []
        relay = table.told[NAMES[0]][0].relay
        way = RelayTransport(new, keys, [relay], entropy=Source("new"), emit=told.append, sleep=soon)
        await heard_by(way, new, len(liar.frames))
        assert new.replica.digest() == ada.replica.digest() and [type(line) for line in told] == [RelayFound]

    over(liar.on, work)


def replace_key(key: ReadKey) -> ReadKey:
    return ReadKey(bytes(32), key.table, key.epoch)


def test_a_lie_about_the_earlier_keys_does_not_keep_the_truth_from_being_said() -> None:
    """A fast liar publishes false keys before anyone has published the true ones."""
    liar = Liar()

    def lied_to(way: RelayTransport, keys: Ring) -> None:
        says = way._history

        def after_a_lie() -> list[bytes]:
            key = keys.read_key
            if key is not None and key.epoch == 1:
                way._decrypt(key.seal(bytes(16), encode_history([replace_key(SECRET.read_key)])), "")
            return says()

        way._history = after_a_lie  # type: ignore[method-assign]

    async def work(table: Around) -> None:
        for way, keys in zip(table.ways[:2], rings(table.circle)[:2], strict=True):
            lied_to(way, keys)
        await asyncio.gather(*table.tasks[:2])
        key = rings(table.circle)[0].read_key
        assert key is not None and key.epoch == 1
        said = [key.open(frame)[1] for frame in liar.frames if frame[0] == 1]
        assert 1 <= said.count(encode_history([SECRET.read_key])) <= 2

    over(liar.on, work)


def test_junk_that_was_sent_first_does_not_hide_the_earlier_keys() -> None:
    """A writer sends as many frames for a future epoch as are sampled, before that epoch begins."""
    liar = Liar()

    async def work() -> None:
        liar.writers = [b""]
        later = TableSecret(bytes(32), SECRET.table, 1).read_key
        liar.frames += [bytes(90) for _ in range(32)]
        liar.frames += [SECRET.read_key.seal(bytes(16), b"%d" % number) for number in range(200)]
        liar.frames += [later.seal(bytes(16), encode_history([SECRET.read_key]))]
        async with asyncio.timeout(60), liar.on() as url, connect_to(url) as client:
            assert await fetch_history(client, later, Source("lot")) == [SECRET.read_key]

    asyncio.run(work())


def test_where_nobody_has_said_the_earlier_keys() -> None:
    liar = Liar()

    async def work() -> None:
        liar.writers = [b""]
        later = TableSecret(bytes(32), SECRET.table, 1).read_key
        liar.frames += [
            SECRET.read_key.seal(bytes(16), b"x"),
            later.seal(bytes(16), encode_history([replace_key(later)])),
        ]
        told: list[ConnectionEvent] = []
        async with asyncio.timeout(60), liar.on() as url:
            keys = Keyring([later], Source("new"))
            circle = Circle()
            one = circle.sit(circle.homes[0], keys=keys)
            way = RelayTransport(one, keys, [url], entropy=Source("new"), emit=told.append, sleep=soon)
            async with aclosing(way.events()) as events:
                assert [await anext(events) for _ in range(2)] == [Disconnected()] * 2
        assert isinstance(told[0], RelayLost) and "before a seat left" in told[0].reason

    asyncio.run(work())
