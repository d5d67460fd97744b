"""The keys of a table, epoch by epoch: the first one came with the invitation, the others in boxes in the log.

Nothing of them is kept beside the log and the identity, which opens the boxes: who comes back finds them all again.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from nodealer.engine.bodies import Box, NewKey
from nodealer.engine.participant import Participant
from nodealer.engine.state import KeyChange
from nodealer.errors import BadParameter, DecodeError
from nodealer.keys import KEY_BYTES
from nodealer.log.roster import Roster
from nodealer.proofs.checks import Entropy
from nodealer.relay.sealing import ReadKey, TableSecret, open_box, secret_digest


class Keyring:
    """What a participant can read and write with. A frame counts in the key epoch in which it comes, and in no other:
    so all pass over the same ones, whatever keys they have."""

    def __init__(self, participant: Participant, keys: Iterable[TableSecret | ReadKey], entropy: Entropy) -> None:
        """`keys` are those of the invitations; who was not there while a seat left has got more than one."""
        self._participant = participant
        self._entropy = entropy
        self._given = {key.epoch: key for key in keys}
        #: What was in this participant's boxes.
        self._boxed: dict[int, TableSecret] = {}
        self._fresh: dict[tuple[bytes, int], tuple[TableSecret, NewKey]] = {}
        if not self._given or len({key.table for key in self._given.values()}) != 1:
            raise BadParameter("the keys of one table are needed, and of no other")
        self.table = next(iter(self._given.values())).table

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
    def writers(self) -> list[TableSecret]:
        """Whose tokens the relay may take from this participant now, the best first: that of the key in use, and those
        of before, for a relay that nobody has told of the new one."""
        if self.writing is None:
            return []
        keys = [self._key(epoch) for epoch in range(len(self._participant.keys), -1, -1)]
        return [key for key in keys if isinstance(key, TableSecret)]

    @property
    def first(self) -> TableSecret | None:
        """The secret with which the table was made."""
        key = self._given.get(0)
        return key if isinstance(key, TableSecret) else None

    @property
    def earlier(self) -> list[ReadKey]:
        """What opens the frames before the epoch in which something is said now; none, where one is missing."""
        keys = [self._key(epoch) for epoch in range(len(self._participant.keys))]
        found = [key.reading if isinstance(key, TableSecret) else key for key in keys if key is not None]
        return found if len(found) == len(keys) else []

    @property
    def late(self) -> list[ReadKey]:
        """Keys of links that came after a seat had left, without the ones before them; or of links that lie."""
        given = [key for epoch, key in self._given.items() if epoch and epoch - 1 not in self._given]
        return [key.reading if isinstance(key, TableSecret) else key for key in given]

    @property
    def begins(self) -> bool:
        """Whether there is one for the first frames."""
        return 0 in self._given

    def learn(self, keys: Iterable[ReadKey]) -> None:
        """Keys of other epochs."""
        for key in keys:
            self._given.setdefault(key.epoch, key)

    def _key(self, epoch: int) -> TableSecret | ReadKey | None:
        """The one in the box first: the log says its hash, and a link can say anything."""
        if epoch and epoch not in self._boxed:
            with suppress(DecodeError):
                self._boxed[epoch] = self.opened(self._participant.keys[epoch - 1], epoch)
        return self._boxed.get(epoch) or self._given.get(epoch)

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

    # defence: old-key
    def refuse_key(self, proposal: bytes) -> None:
        """Raise `DecodeError` for a proposed roster that comes with a key that is not in this participant's box, or
        without one though somebody leaves."""
        state = self._participant.replica.state
        one = state.proposed.get(proposal)
        if one is None:
            return
        if one.key is not None:
            self.opened(KeyChange(one.roster.digest, one.key), len(self._participant.keys) + 1)
        elif leavers(state.roster, one.roster):
            raise DecodeError("somebody leaves, and would go on reading")

    def new_key(self, roster: Roster) -> NewKey | None:
        """The key that comes with a roster that this participant proposes: where somebody leaves, and else none. Who
        comes has the key in use already, from the link with which it asked."""
        if not leavers(self._participant.replica.state.roster, roster):
            return None
        return self.fresh(roster)

    @property
    def proposed(self) -> TableSecret | None:
        """The secret that this participant has made for the next epoch."""
        after = len(self._participant.keys) + 1
        return next((secret for secret, _ in self._fresh.values() if secret.epoch == after), None)

    def fresh(self, roster: Roster) -> NewKey:
        """A secret for those in a roster, who get it in boxes: for the epoch that begins with the roster. The same one
        again, where a first try to propose it did not come to anything."""
        place = roster.digest, len(self._participant.keys) + 1
        if place not in self._fresh:
            self._fresh = {place: self._made(roster)}
        return self._fresh[place][1]

    def _made(self, roster: Roster) -> tuple[TableSecret, NewKey]:
        secret = TableSecret(self._entropy(KEY_BYTES), self.table, len(self._participant.keys) + 1)
        session = self._participant.session.id
        boxes = tuple(
            Box(member.seat, secret.box(self._entropy(KEY_BYTES), member.box, session, roster.digest))
            for member in roster.members
        )
        return secret, NewKey(secret_digest(secret), boxes)


def leavers(before: Roster, after: Roster) -> set[int]:
    """The seats that one roster has and the next one has not."""
    return set(before.seats) - set(after.seats)
