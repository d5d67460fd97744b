"""The table key as one participant has it. Frames are sealed and opened as the relay transport does it."""

from __future__ import annotations

from nodealer.client.keyring import Keyring
from nodealer.client.relay_transport import JUNK
from nodealer.engine.participant import Participant
from nodealer.errors import DecodeError
from nodealer.relay.sealing import SENDER_BYTES
from nodealer.tape import expand


class FrameSealer:
    """Seals and opens the frames between one participant and the relay."""

    def __init__(self, participant: Participant, keys: Keyring) -> None:
        """Seal the frames of a participant with the key schedule that it was created with."""
        self._participant = participant
        self._keys = keys
        self._sender = expand("sender", participant.store.root, keys.table, size=SENDER_BYTES)
        self._in_use = self._keys.write_secret(self._participant)
        #: Whether a frame arrived under a later key than this participant has heard of.
        self.behind = False

    def seal(self, text: bytes) -> bytes | None:
        """Return the sealed frame, or None if this participant no longer has a write key."""
        key = self._keys.write_secret(self._participant)
        return None if key is None else key.read_key.seal(self._sender, text)

    def open(self, frame: bytes) -> bytes:
        """Return the plaintext of the next frame, or junk if the frame belongs to another key epoch."""
        key = self._keys.read_key(self._participant)
        try:
            return JUNK if key is None else key.open(frame)[1]
        except DecodeError:
            self.behind |= key is not None and key.is_before(frame)
            return JUNK

    @property
    def locked(self) -> bool:
        """True if this participant lacks the key in use."""
        return self._keys.read_key(self._participant) is None

    def has_new_key(self) -> bool:
        """Return whether the write key has changed since the last call."""
        before, self._in_use = self._in_use, self._keys.write_secret(self._participant)
        return before is not self._in_use
