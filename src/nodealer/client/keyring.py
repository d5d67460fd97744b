"""The keys of a table, one per epoch: the first comes with the invitation, later ones in sealed boxes in the log.

Only the log and the identity, which opens the boxes, are stored. A participant who returns finds all keys in them
again.
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
    """The keys with which a participant reads and writes at a table.

    A frame counts only in the key epoch in which it arrives. So all participants skip the same frames, whichever keys
    they have.
    """

    def __init__(self, keys: Iterable[TableSecret | ReadKey], entropy: Entropy) -> None:
        """`keys` come from invitations. A player who was away while a seat left has more than one."""
        self._entropy = entropy
        self._linked = {key.epoch: key for key in keys}
        #: The secrets from this participant's boxes, by epoch.
        self._boxed: dict[int, TableSecret] = {}
        self._created: dict[tuple[bytes, int], tuple[TableSecret, NewKey]] = {}
        if not self._linked or len({key.table for key in self._linked.values()}) != 1:
            raise BadParameter("the keys must all belong to one table")
        self.table = next(iter(self._linked.values())).table

    def read_key(self, participant: Participant) -> ReadKey | None:
        """Return the key that opens the next frame; None if this participant does not have it."""
        key = self._key_of(participant, participant.key_epoch)
        return key.read_key if isinstance(key, TableSecret) else key

    def write_secret(self, participant: Participant) -> TableSecret | None:
        """Return the secret that seals outgoing frames; None if this participant can only read."""
        key = self._key_of(participant, len(participant.key_changes))
        return key if isinstance(key, TableSecret) else None

    def write_secrets(self, participant: Participant) -> list[TableSecret]:
        """Return the secrets whose tokens the relay may accept now, the preferred one first.

        The first is the one in use. Earlier ones follow, for a relay that does not know the new token yet.
        """
        if self.write_secret(participant) is None:
            return []
        keys = [self._key_of(participant, epoch) for epoch in range(len(participant.key_changes), -1, -1)]
        return [key for key in keys if isinstance(key, TableSecret)]

    @property
    def first_secret(self) -> TableSecret | None:
        """Return the secret with which the table was created, if this participant has it."""
        key = self._linked.get(0)
        return key if isinstance(key, TableSecret) else None

    def earlier_keys(self, participant: Participant) -> list[ReadKey]:
        """Return the read keys of all earlier epochs; an empty list if one is missing."""
        keys = [self._key_of(participant, epoch) for epoch in range(len(participant.key_changes))]
        found = [key.read_key if isinstance(key, TableSecret) else key for key in keys if key is not None]
        return found if len(found) == len(keys) else []

    @property
    def keys_without_history(self) -> list[ReadKey]:
        """Return keys from links that were made after a key change, if the keys before them are missing.

        Such a link was made after a seat left the table, or it is forged.
        """
        given = [key for epoch, key in self._linked.items() if epoch and epoch - 1 not in self._linked]
        return [key.read_key if isinstance(key, TableSecret) else key for key in given]

    @property
    def has_first_key(self) -> bool:
        """Return whether this participant can read the table's first frames."""
        return 0 in self._linked

    def add(self, keys: Iterable[ReadKey]) -> None:
        """Add keys of other epochs. Keys that are already known are kept."""
        for key in keys:
            self._linked.setdefault(key.epoch, key)

    def _key_of(self, participant: Participant, epoch: int) -> TableSecret | ReadKey | None:
        """Return the key of an epoch.

        The boxed one takes precedence: the log has its hash; a link can contain anything.
        """
        if epoch and epoch not in self._boxed:
            with suppress(DecodeError):
                self._boxed[epoch] = self.open_change(participant, participant.key_changes[epoch - 1], epoch)
        return self._boxed.get(epoch) or self._linked.get(epoch)

    # --- Boxes ---

    def open_change(self, participant: Participant, change: KeyChange, epoch: int) -> TableSecret:
        """Return the secret in this participant's box. Raise `DecodeError` if there is none, or a false one."""
        own = participant.seat.number if participant.has_seat else None
        box = next((one.box for one in change.key.boxes if one.seat == own), None)
        if box is None:
            raise DecodeError("there is no box for this participant")
        return open_box(
            box,
            participant.store.identity.box_secret,
            session=participant.session.id,
            roster=change.roster,
            table=self.table,
            epoch=epoch,
            digest=change.key.digest,
        )

    # defence: old-key
    def refuse_key(self, participant: Participant, proposal: bytes) -> None:
        """Raise `DecodeError` if this participant could not use the key of a proposed roster.

        That is so if its box does not hold the key, or if a seat leaves and the proposal has no new key.
        """
        state = participant.replica.state
        one = state.proposed.get(proposal)
        if one is None:
            return
        if one.key is not None:
            self.open_change(participant, KeyChange(one.roster.digest, one.key), len(participant.key_changes) + 1)
        elif leavers(state.roster, one.roster):
            raise DecodeError("a seat leaves, but the key does not change: it could go on reading")

    def new_key(self, participant: Participant, roster: Roster) -> NewKey | None:
        """Return the new key for a roster that this participant proposes; None if no seat leaves.

        Newcomers already have the key in use, from the link with which they asked for a seat.
        """
        if not leavers(participant.replica.state.roster, roster):
            return None
        return self.create_key(participant, roster)

    def proposed_secret(self, participant: Participant) -> TableSecret | None:
        """Return the secret that this participant created for the next epoch, if any."""
        after = len(participant.key_changes) + 1
        return next((secret for secret, _ in self._created.values() if secret.epoch == after), None)

    def create_key(self, participant: Participant, roster: Roster) -> NewKey:
        """Create a secret for the epoch that starts with a roster, in one box per member.

        If an earlier attempt to propose the same roster failed, its secret is reused.
        """
        place = roster.digest, len(participant.key_changes) + 1
        if place not in self._created:
            self._created = {place: self._create_secret(participant, roster)}
        return self._created[place][1]

    def _create_secret(self, participant: Participant, roster: Roster) -> tuple[TableSecret, NewKey]:
        """Create a secret for the next epoch, with one box per member of the roster."""
        secret = TableSecret(self._entropy(KEY_BYTES), self.table, len(participant.key_changes) + 1)
        session = participant.session.id
        boxes = tuple(
            Box(member.seat, secret.box(self._entropy(KEY_BYTES), member.box, session, roster.digest))
            for member in roster.members
        )
        return secret, NewKey(secret_digest(secret), boxes)


def leavers(before: Roster, after: Roster) -> set[int]:
    """Return the seats that are in the old roster but not in the new one."""
    return set(before.seats) - set(after.seats)
