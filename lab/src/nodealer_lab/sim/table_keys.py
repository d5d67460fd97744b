"""The table key as one participant has it. Frames are sealed and opened as the relay transport does it."""

from __future__ import annotations

from nodealer.client.keyring import Keyring
from nodealer.client.relay_transport import JUNK
from nodealer.engine.participant import Participant
from nodealer.errors import DecodeError
from nodealer.proofs.checks import Entropy
from nodealer.relay.sealing import SENDER_BYTES, ReadKey, TableSecret
from nodealer.tape import expand


class FrameSealer:
    """Seals and opens the frames between one participant and the relay."""

    def __init__(self, participant: Participant, key: TableSecret | ReadKey, entropy: Entropy) -> None:
        """Seal the frames of a participant, starting with this key of the table, and follow its key changes."""
        self._keys = Keyring(participant, (key,), entropy)
        participant.refuse_key, participant.new_key = self._keys.refuse_key, self._keys.new_key
        self._sender = expand("sender", participant.store.root, key.table, size=SENDER_BYTES)
        self._in_use = self._keys.write_secret
        #: Whether a frame arrived under a later key than this participant has heard of.
        self.behind = False

    def seal(self, text: bytes) -> bytes | None:
        """Return the sealed frame, or None if this participant no longer has a write key."""
        key = self._keys.write_secret
        return None if key is None else key.read_key.seal(self._sender, text)

    def open(self, frame: bytes) -> bytes:
        """Return the plaintext of the next frame, or junk if the frame belongs to another key epoch."""
        key = self._keys.read_key
        try:
            return JUNK if key is None else key.open(frame)[1]
        except DecodeError:
            self.behind |= key is not None and key.is_before(frame)
            return JUNK

    @property
    def locked(self) -> bool:
        """True if this participant lacks the key in use."""
        return self._keys.read_key is None

    def has_new_key(self) -> bool:
        """Return whether the write key has changed since the last call."""
        before, self._in_use = self._in_use, self._keys.write_secret
        return before is not self._in_use
