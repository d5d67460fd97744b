"""New invitation links after a key change: the players at the table have the new key and can pass on new links."""

from __future__ import annotations

from nodealer.client.keyring import Keyring
from nodealer.engine.participant import Participant
from nodealer.relay.invitations import Invitation


class LinkRotation:
    """Produces the invitation for each new key, once."""

    def __init__(self, invitation: Invitation, keys: Keyring) -> None:
        """Start with the invitation by which this participant came, or which it gave out, and its key schedule."""
        self._invitation = invitation
        self._keys = keys
        #: The latest key epoch whose links were announced.
        self._epoch = 0

    def next_invitation(self, participant: Participant) -> Invitation | None:
        """Return an invitation with the key in use, if that key is new and not announced yet; else None."""
        secret = self._keys.write_secret(participant)
        if secret is not None and not participant.is_in_roster:
            # A player who is still asking for a seat joined with this key.
            self._epoch = max(self._epoch, secret.epoch)
        if participant.is_catching_up or not participant.is_in_roster or secret is None or secret.epoch <= self._epoch:
            return None
        self._epoch = secret.epoch
        return self._invitation.with_key(secret)
