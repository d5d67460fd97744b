"""Attacks on the keys of a table when a player is removed."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from functools import partial
from typing import Final

from msgspec.structs import replace

from nodealer.client.keyring import Keyring
from nodealer.engine.bodies import Box, Propose
from nodealer.engine.commands import AgreeToRoster
from nodealer.engine.participant import Participant
from nodealer.engine.rosters import proposal_id
from nodealer.errors import IllegalMove
from nodealer.keys import KEY_BYTES
from nodealer.log.roster import Roster
from nodealer.relay.permissions import (
    MadeRecord,
    PermissionRecord,
    ReachedRecord,
    RekeyedRecord,
    encode_record,
    permissions_of,
)
from nodealer.relay.sealing import TableSecret
from nodealer_lab.attacks.base import Attack, AttackMethod, with_own_claim
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.scene import Scene
from nodealer_lab.attacks.stage import AttackTable, awaits_move_of

# --- false box ---

VICTIM: Final = 0


def _play_false_box(scene: Scene) -> AttackOutcome:
    """Propose a key with a false box: it opens, but no one else has the secret in it.

    The attack: a player proposes a new key but puts another secret into one seat's box, so that this seat is shut out
    when all agree.
    """
    link = TableSecret(scene.entropy(16), "0" * 32, 0)
    ring = Keyring([link], scene.entropy)
    stage = AttackTable(scene, makers={VICTIM: partial(Participant, keys=Keyring([link], scene.entropy))})
    stage.run_until(awaits_move_of(0))
    state = stage.state(scene.cheater)
    roster, key = state.roster, ring.create_key(stage[scene.cheater], state.roster)
    other = TableSecret(scene.entropy(KEY_BYTES), link.table, 1)
    session = stage[VICTIM].session.id
    false = other.box(scene.entropy(KEY_BYTES), roster.member(VICTIM).box, session, roster.digest)
    boxes = tuple(Box(VICTIM, false) if box.seat == VICTIM else box for box in key.boxes)
    stage.sign_and_send(scene.cheater, Propose(roster, (), replace(key, boxes=boxes)))
    proposal = proposal_id(roster, scene.cheater, state.hand.number)
    stage.run_until(lambda state: proposal in state.proposed)
    agreed = []
    with suppress(IllegalMove):
        agreed = stage[VICTIM].command(AgreeToRoster(proposal))
    return stage.outcome("makes Ada agree to a key that she cannot read with" if agreed else None)


FALSE_BOX: Final = Attack(
    name="false-box",
    does="proposes a new key, and puts a different one into a seat's box",
    law=with_own_claim(
        AttackMethod(
            "a new key with a different secret in one seat's box",
            play=_play_false_box,
            defence=(
                RemovedDefence(
                    "nodealer.relay.sealing:open_box", "not hmac.compare_digest(secret_digest(found), digest)", "False"
                ),
            ),
        )
    ),
)


# --- old key ---

REMOVED: Final = 1


def _play_old_key(scene: Scene) -> AttackOutcome:
    """Propose a roster without a player and without a new key, and have an honest seat agree.

    The attack: a friend of a removed player proposes the roster without a new key, so that the removed player can go on
    reading.
    """
    link = TableSecret(scene.entropy(16), "0" * 32, 0)
    stage = AttackTable(scene, makers={0: partial(Participant, keys=Keyring([link], scene.entropy))})
    stage.run_until(awaits_move_of(0))
    state = stage.state(scene.cheater)
    roster = Roster(tuple(member for member in state.roster.members if member.seat != REMOVED))
    stage.sign_and_send(scene.cheater, Propose(roster, (), None))
    proposal = proposal_id(roster, scene.cheater, state.hand.number)
    stage.run_until(lambda state: proposal in state.proposed)
    agreed = []
    with suppress(IllegalMove):
        agreed = stage[0].command(AgreeToRoster(proposal))
    return stage.outcome("lets the removed player go on reading" if agreed else None)


OLD_KEY: Final = Attack(
    name="old-key",
    does="proposes to remove a friend and keep the key",
    who="a coalition",
    law=with_own_claim(
        AttackMethod(
            "a roster that removes a player and keeps the key",
            play=_play_old_key,
            defence=(
                RemovedDefence(
                    "nodealer.client.keyring:Keyring.refuse_key", "leavers(state.roster, one.roster)", "False"
                ),
            ),
        )
    ),
    # At a table of two no one can be removed.
    tried_on=("mask", "lock", "offset", "chain"),
)


# --- put out ---


def _play_put_out(scene: Scene) -> AttackOutcome:
    """Try to write after the table has a new key, which an honest player registered and the relay has seen in use.

    The attack: a removed player had registered keys with the relay before, and goes on writing with one of them.
    """
    first, own, new = (TableSecret(scene.entropy(32), "0" * 32, epoch) for epoch in (0, 1, 1))
    records: tuple[PermissionRecord, ...] = (
        MadeRecord(_token_hash(first)),
        RekeyedRecord(_token_hash(own), 0),
        RekeyedRecord(_token_hash(new), 0),
        ReachedRecord(2),
    )
    rules = permissions_of([encode_record(record) for record in records])
    tokens = (first.write_token, own.write_token)
    writes = rules is not None and any(rules.epoch_of(token) is not None for token in tokens)
    return AttackOutcome("never", gain="writes to a table that it was removed from" if writes else None)


def _token_hash(secret: TableSecret) -> bytes:
    """Return the hash by which the relay recognises the write token of this key."""
    return hashlib.sha512(secret.write_token).digest()


PUT_OUT: Final = Attack(
    name="put-out",
    does="writes with a key that it left behind when it was removed",
    who="a player who was removed",
    law=with_own_claim(
        AttackMethod(
            "a removed player who writes with an old key or one left behind",
            play=_play_put_out,
            defence=(
                RemovedDefence(
                    "nodealer.relay.permissions:TablePermissions._is_valid", "epoch == self.reached", "True"
                ),
            ),
        )
    ),
    tried_on=("mask",),
    without_cards=True,
)
