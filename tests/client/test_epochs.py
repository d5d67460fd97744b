"""Attacks on key changes: by the proposer, by a player who left, by replay, and by a kill at a bad moment."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from msgspec.structs import replace

from client.around import SECRET, Around, over, real, without_last
from client.test_keyring import between, proposing, ring, rings, settled
from conformance.harness import NAMES, Source
from nodealer.client.keyring import Keyring
from nodealer.client.relay_transport import (
    JUNK,
    Behind,
    ConnectionEvent,
    KeyMissing,
    RelayLost,
    RelayTransport,
    WriteRefused,
)
from nodealer.engine.bodies import Box
from nodealer.engine.commands import AdmitPlayer, AgreeToRoster, ProposeRoster, RequestSeat
from nodealer.engine.phases import Phase
from nodealer.engine.rosters import proposal_id
from nodealer.errors import DecodeError, IllegalMove, RelayRefused
from nodealer.relay.client import RelayClient, connect_to
from nodealer.relay.limits import RelayLimits
from nodealer.relay.messages import Accepted, Rekey
from nodealer.relay.sealing import EPOCH_BYTES, SENDER_BYTES, TableSecret
from relay.liar import Liar

#: A key that one player made up.
OTHER = TableSecret(bytes(range(32)), SECRET.table, 1)


def is_well(table: Around) -> None:
    """Assert that the remaining players finished with one key and without connection problems."""
    ada, bo = table.circle.people[:2]
    assert ada.replica.state.phase is Phase.ENDED and ada.replica.digest() == bo.replica.digest()
    assert len(ada.key_changes) == 1 and table.secret_of(ada) == table.secret_of(bo)
    assert not any(
        isinstance(line, KeyMissing | WriteRefused | RelayLost | Behind)
        for name in NAMES[:2]
        for line in table.told[name]
    )


def test_who_is_not_shown_how_the_table_got_its_key_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A later key is reported once, and once more for another key; a made-up frame does not use up the report.

    Frames of an earlier key, or no frames, are not reported.
    """
    told = list[ConnectionEvent]()
    circle = between()
    one = circle.people[0]
    way = RelayTransport(one, circle.keyring_of(one), ["ws://a"], entropy=Source("behind"), emit=told.append)
    later = OTHER.read_key.seal(bytes(SENDER_BYTES), b"said with the new key")
    for frame in (b"", later[: EPOCH_BYTES + 3], SECRET.read_key.seal(bytes(SENDER_BYTES), b"x")[:-1] + b"?"):
        assert way._decrypt(frame, "ws://a") == JUNK
    assert told == []
    assert way._decrypt(later, "ws://a") == way._decrypt(later, "ws://a") == JUNK
    assert told == [Behind("ws://a")]
    monkeypatch.setattr(Keyring, "read_key", lambda self, participant: OTHER.read_key)
    assert way._decrypt(later, "ws://a") != JUNK == way._decrypt(b"", "ws://a") and len(told) == 1
    latest = TableSecret(OTHER.secret, SECRET.table, 2).read_key.seal(bytes(SENDER_BYTES), b"said with the next key")
    assert way._decrypt(latest, "ws://a") == way._decrypt(latest, "ws://a") == JUNK
    assert told == [Behind("ws://a")] * 2
    assert not OTHER.read_key.is_before(SECRET.read_key.seal(bytes(SENDER_BYTES), b"x"))


# --- Who proposes ---


async def nothing(out: object) -> None:
    """Do nothing in place of registering a proposed key."""


def test_a_proposer_that_does_not_tell_the_relay() -> None:
    """A client that is refused with the new token registers it: no one is locked out, whoever is first."""
    liar = Liar()

    async def work(table: Around) -> None:
        table.ways[0]._register_proposed = nothing  # type: ignore[method-assign]
        await asyncio.gather(*table.tasks[:2])
        is_well(table)
        assert {name for name, asked in liar.asked if isinstance(asked, Rekey)} <= set(NAMES[:2])
        assert liar.frames[-1][0] == 1

    over(liar.on, work)


def test_the_same_with_a_real_relay() -> None:
    async def work(table: Around) -> None:
        table.ways[0]._register_proposed = nothing  # type: ignore[method-assign]
        await asyncio.gather(*table.tasks[:2])
        is_well(table)

    over(real, work)


async def answer(client: RelayClient) -> str:
    """What a relay says to the last question: `yes`, or why not."""
    while True:
        try:
            if isinstance(await client.read(), Accepted):
                return "yes"
        except RelayRefused as refused:
            return refused.code


def test_a_relay_that_takes_no_more_names() -> None:
    """A player has used up the registrations. Frames have the new key, and are sent with the old token."""

    async def work(table: Around) -> None:
        relay = table.ways[0]._relays[0]
        while not table.circle.people[0].has_session:
            await asyncio.sleep(0)
        async with connect_to(relay) as client:
            await client.open(SECRET.table)
            await client.send_token(SECRET.write_token)
            assert await answer(client) == "yes"
            for number in range(2):
                await client.send_writer(bytes([number]) * 32)
                assert await answer(client) == ("yes", "full")[number]
        await asyncio.gather(*table.tasks[:2])
        is_well(table)

    over(lambda: real(RelayLimits(rekeys_per_table=1)), work)


def test_two_proposals_at_once() -> None:
    """Each has its own key: the first one agreed on counts, with its key, for both."""
    circle = between(hands=4)
    keys = rings(circle)
    settled(circle)
    ada, bo = circle.people[:2]
    roster = without_last(ada)
    circle.waiting.extend([*ada.command(ProposeRoster(roster)), *bo.command(ProposeRoster(roster))])
    settled(circle)
    ids = [proposal_id(roster, by, 1) for by in (0, 1)]
    assert set(ids) == set(ada.replica.state.proposed) and keys[0].proposed_secret != keys[1].proposed_secret
    circle.waiting.extend([*ada.command(AgreeToRoster(ids[1])), *bo.command(AgreeToRoster(ids[0]))])
    circle.play(until=lambda circle: bool(circle.people[0].key_changes))
    assert (
        len(ada.key_changes) == 1 and keys[0].write_secret == keys[1].write_secret and keys[0].write_secret is not None
    )
    assert not ada.replica.state.proposed
    for ring_ in keys[:2]:
        assert ring_.proposed_secret is None, "what was made for the epoch that has begun is not made again"


def test_who_was_given_a_false_box_goes_on_with_a_link() -> None:
    """The others cannot see the box and agree. Any of them can give the key to the cheated player."""
    circle = between(hands=4)
    keys = rings(circle)
    settled(circle)
    ada, bo, cy = circle.people[:3]
    roster = ada.replica.state.roster
    key = keys[0].create_key(roster)
    circle.waiting.extend(proposing(ada, roster, replace(key, boxes=(key.boxes[0], Box(1, bytes(80)), key.boxes[2]))))
    settled(circle)
    (proposal,) = cy.replica.state.proposed
    keys[2].refuse_key(proposal)
    with pytest.raises(DecodeError):
        keys[1].refuse_key(proposal)
    circle.waiting.extend(cy.command(AgreeToRoster(proposal)))
    circle.play(until=lambda circle: bool(circle.people[1].key_changes))
    link = keys[2].write_secret
    assert (
        link is not None and link == keys[0].write_secret and keys[1].write_secret is None and keys[1].read_key is None
    )
    assert ring(bo, SECRET, link).write_secret == link and bo.is_in_roster


# --- Who has left ---


def test_who_has_left_can_neither_write_nor_read() -> None:
    async def work(table: Around) -> None:
        await asyncio.gather(*table.tasks[:2])
        is_well(table)
        async with connect_to(table.ways[2]._relays[0]) as client:
            left, later = await client.open(SECRET.table), list[bytes]()
            while left:
                page = await client.read()
                assert isinstance(page, list)
                left -= len(page)
                later += [frame for _, frame in page if int.from_bytes(frame[:EPOCH_BYTES], "little")]
            assert later
            for frame in later:
                # Changing a frame's epoch number does not help either.
                for changed in (frame, bytes(EPOCH_BYTES) + frame[EPOCH_BYTES:]):
                    with pytest.raises(DecodeError):
                        SECRET.read_key.open(changed)
            for token in (SECRET.write_token, OTHER.write_token):
                await client.send_token(token)
                assert await answer(client) == "token"
            await client.send_writer(OTHER.write_token)
            assert await answer(client) == "token"

    over(real, work)


class Replaying(Liar):
    """A relay that repeats all frames of the first epoch in the second, along with the leaver's new ones."""

    def __init__(self) -> None:
        super().__init__()
        self.repeated = False
        self.said = b""

    def take(self, name: str, frame: bytes) -> None:
        if frame[0] and not self.repeated:
            self.repeated = True
            self.frames += [*self.frames, self.said]
        super().take(name, frame)


def test_frames_of_an_earlier_epoch_count_for_nothing() -> None:
    """Repeated frames and new, correctly signed ones of the leaver are all skipped, by everyone alike."""
    liar = Replaying()

    async def work(table: Around) -> None:
        cy = table.circle.people[2]
        while not cy.has_session:
            await asyncio.sleep(0)
        liar.said = SECRET.read_key.seal(bytes(16), table.circle.by_hand(2, b'{"type":"leave"}'))
        heard = list[bytes]()
        opened = table.ways[1]._decrypt
        table.ways[1]._decrypt = lambda frame, relay: heard.append(opened(frame, relay)) or heard[-1]  # type: ignore[method-assign,func-returns-value]
        await asyncio.gather(*table.tasks[:2])
        is_well(table)
        assert liar.repeated and heard.count(JUNK) > 20

    over(liar.on, work)


# --- Killed ---


@pytest.mark.parametrize("confirmed", [False, True])
def test_killed_between_agreeing_and_the_new_key(confirmed: bool) -> None:
    """The store has everything needed: its identity opens the box, and the box is in the log."""
    circle = between(hands=4)
    keys = rings(circle)
    settled(circle)
    ada, bo = circle.people[:2]
    circle.waiting.extend(ada.command(ProposeRoster(without_last(ada))))
    settled(circle)
    agreed = bo.command(AgreeToRoster(proposal_id(without_last(ada), 0, 1)))
    if confirmed:
        circle.waiting.extend(agreed)
        settled(circle)
    assert not bo.key_changes
    circle.bring_back(1)
    again = circle.people[1]
    its = ring(again, SECRET)
    assert its.write_secret is SECRET
    circle.waiting.extend(again.resend(len(circle.frames)))
    circle.play(until=lambda circle: bool(circle.people[0].key_changes))
    assert its.write_secret is not None and its.write_secret == keys[0].write_secret and its.write_secret.epoch == 1


def test_the_proposer_is_killed_and_has_the_key_that_it_made() -> None:
    circle = between(hands=4)
    keys = rings(circle)
    settled(circle)
    ada, bo = circle.people[:2]
    circle.waiting.extend(ada.command(ProposeRoster(without_last(ada))))
    made = keys[0].proposed_secret
    settled(circle)
    circle.bring_back(0)
    its = ring(circle.people[0], SECRET)
    circle.waiting.extend(circle.people[0].resend(len(circle.frames)))
    settled(circle)
    circle.waiting.extend(bo.command(AgreeToRoster(proposal_id(without_last(ada), 0, 1))))
    circle.play(until=lambda circle: bool(circle.people[1].key_changes))
    assert its.write_secret == made == keys[1].write_secret and made is not None


# --- Who comes later ---


def test_who_was_taken_out_comes_back_with_a_new_link() -> None:
    """The link has the key in use, which is enough to ask for a seat and to be let in.

    A false link is not believed for an epoch for which there is a box.
    """
    circle = between(hands=6)
    keys = rings(circle)
    settled(circle)
    ada, bo, cy = circle.people[:3]
    circle.waiting.extend(ada.command(ProposeRoster(without_last(ada))))
    settled(circle)
    circle.waiting.extend(bo.command(AgreeToRoster(proposal_id(without_last(ada), 0, 1))))
    circle.play(until=lambda circle: bool(circle.people[0].key_changes))
    link = keys[0].write_secret
    assert link is not None and ring(cy, SECRET).write_secret is None
    its = ring(cy, SECRET, link)
    assert (
        its.write_secret == link
        and its.keys.keys_without_history == []
        and ring(cy, link).keys.keys_without_history == [link.read_key]
    )
    settled(circle)
    circle.waiting.extend(cy.command(RequestSeat()))
    settled(circle)
    with suppress(IllegalMove):
        circle.waiting.extend(ada.command(AdmitPlayer(NAMES[2])))
    settled(circle)
    (proposal,) = ada.replica.state.proposed
    assert ada.replica.state.proposed[proposal].key is None, "nobody leaves"
    keys[1].refuse_key(proposal)
    circle.waiting.extend(bo.command(AgreeToRoster(proposal)))
    circle.play(until=lambda circle: circle.people[0].replica.state.roster.seats == (0, 1, 2))
    assert its.write_secret == keys[0].write_secret == link and len(ada.key_changes) == 1 and cy.is_in_roster
    assert ring(bo, SECRET, OTHER).write_secret == link
