"""The keys of a table, epoch by epoch: the first one came with the invitation, the others in boxes in the log.

Nothing of them is kept beside the log and the identity, which opens the boxes: who comes back finds them all again.
"""

from __future__ import annotations

from collections.abc import Iterable

from nodealer.errors import BadParameter, DecodeError
from nodealer.keys import KEY_BYTES
from nodealer.log.roster import Roster
from nodealer.play.bodies import Box, NewKey
from nodealer.play.participant import Participant
from nodealer.play.state import KeyChange
from nodealer.proofs.checks import Entropy
from nodealer.relay.sealing import ReadKey, TableSecret, open_box, secret_digest


class Keyring:
    """What a participant can read and write with. A frame counts in the key epoch in which it comes, and in no other:
    so all pass over the same ones, whatever keys they have."""

    def __init__(self, participant: Participant, keys: Iterable[TableSecret | ReadKey]) -> None:
        """`keys` are those of the invitations; who watched while a seat left has got more than one."""
        self._participant = participant
        self._keys = {key.epoch: key for key in keys}
        self._fresh: dict[tuple[bytes, int], tuple[TableSecret, NewKey]] = {}
        if not self._keys or len({key.table for key in self._keys.values()}) != 1:
            raise BadParameter("the keys of one table are needed, and of no other")
        self.table = next(iter(self._keys.values())).table

    @property
    def reading(self) -> ReadKey | None:
        """What opens the next frame; None for one who has not got the key of its epoch."""
        key = self._key(self._participant.epoch)
        return key.reading if isinstance(key, TableSecret) else key

    @property
    def writing(self) -> TableSecret | None:
        """What seals what is said now; None for one who only reads."""
        key = self._key(len(self._participant.keys))
        return key if isinstance(key, TableSecret) else None

    @property
    def first(self) -> TableSecret | None:
        """The secret with which the table was made."""
        key = self._keys.get(0)
        return key if isinstance(key, TableSecret) else None

    @property
    def earlier(self) -> list[ReadKey]:
        """What opens the frames before the epoch in which something is said now; none, where one is missing."""
        keys = [self._key(epoch) for epoch in range(len(self._participant.keys))]
        found = [key.reading if isinstance(key, TableSecret) else key for key in keys if key is not None]
        return found if len(found) == len(keys) else []

    @property
    def late(self) -> ReadKey | None:
        """A key of one who came after a seat had left, and has not got the earlier ones."""
        given = (key for epoch, key in self._keys.items() if epoch and epoch - 1 not in self._keys)
        return next((key for key in given if isinstance(key, ReadKey)), None)

    def learn(self, keys: Iterable[ReadKey]) -> None:
        """Keys of other epochs."""
        for key in keys:
            self._keys.setdefault(key.epoch, key)

    def _key(self, epoch: int) -> TableSecret | ReadKey | None:
        if epoch not in self._keys and epoch > 0:
            try:
                self._keys[epoch] = self.opened(self._participant.keys[epoch - 1], epoch)
            except DecodeError:
                return None
        return self._keys.get(epoch)

    # --- Boxes ---

    def opened(self, change: KeyChange, epoch: int) -> TableSecret:
        """The secret in the box for this participant. Raises `DecodeError` where there is none, or a false one."""
        me = self._participant
        own = me.seat.number if me.seated else None
        box = next((one.box for one in change.key.boxes if one.seat == own), None)
        if box is None:
            raise DecodeError("there is no box for this participant")
        return open_box(
            box,
            me.home.identity.box_secret,
            session=me.session.id,
            roster=change.roster,
            table=self.table,
            epoch=epoch,
            digest=change.key.digest,
        )

    def refuse_key(self, proposal: bytes) -> None:
        """Raise `DecodeError` for a proposed roster that comes with a key that is not in this participant's box."""
        one = self._participant.replica.state.proposed.get(proposal)
        if one is not None and one.key is not None:
            self.opened(KeyChange(one.roster.digest, one.key), len(self._participant.keys) + 1)

    def fresh(self, roster: Roster, entropy: Entropy) -> tuple[TableSecret, NewKey]:
        """A secret for those in a roster, who get it in boxes: for the epoch that begins with the roster. The same one
        again, where a first try to propose it did not come to anything."""
        place = roster.digest, len(self._participant.keys) + 1
        if place not in self._fresh:
            self._fresh = {place: self._made(roster, entropy)}
        return self._fresh[place]

    def _made(self, roster: Roster, entropy: Entropy) -> tuple[TableSecret, NewKey]:
        secret = TableSecret(entropy(KEY_BYTES), self.table, len(self._participant.keys) + 1)
        session = self._participant.session.id
        boxes = tuple(
            Box(member.seat, secret.box(entropy(KEY_BYTES), member.box, session, roster.digest))
            for member in roster.members
        )
        return secret, NewKey(secret_digest(secret), boxes)
