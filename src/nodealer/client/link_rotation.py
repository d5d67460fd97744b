"""When the table has a new key: whoever sits there has it, and tells those who would watch, or come, by which links."""

from __future__ import annotations

from nodealer.engine.participant import Participant
from nodealer.relay.invitations import Invitation
from nodealer.relay.sealing import TableSecret


class LinkRotation:
    """The links of each new key, once."""

    def __init__(self, invitation: Invitation) -> None:
        self._invitation = invitation
        #: The key epoch whose links were told.
        self._epoch = 0

    def new(self, one: Participant, secret: TableSecret | None) -> Invitation | None:
        """The invitation with the key in use, `secret`, if it is one of which nothing was said yet."""
        if secret is not None and not one.sits:
            # Who asks for a seat has come with this key.
            self._epoch = max(self._epoch, secret.epoch)
        if one.hearing or not one.sits or secret is None or secret.epoch <= self._epoch:
            return None
        self._epoch = secret.epoch
        return self._invitation.rekeyed(secret)
