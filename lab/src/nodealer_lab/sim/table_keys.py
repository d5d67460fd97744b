"""The key of a table as one participant has it: frames are sealed and opened as the transport over relays does it."""

from __future__ import annotations

from nodealer.client.keyring import Keyring
from nodealer.client.relay_transport import JUNK
from nodealer.engine.participant import Participant
from nodealer.errors import DecodeError
from nodealer.proofs.checks import Entropy
from nodealer.relay.sealing import SENDER_BYTES, ReadKey, TableSecret
from nodealer.tape import expand


class Seals:
    """Between one participant and the relay, where frames are sealed."""

    def __init__(self, participant: Participant, key: TableSecret | ReadKey, entropy: Entropy) -> None:
        self._keys = Keyring(participant, (key,), entropy)
        participant.refuse_key, participant.new_key = self._keys.refuse_key, self._keys.new_key
        self._sender = expand("sender", participant.home.root, key.table, size=SENDER_BYTES)
        self._in_use = self._keys.write_secret
        #: Whether something came that says that it has a later key than this participant has heard of.
        self.behind = False

    def seal(self, text: bytes) -> bytes | None:
        """The frame of a text; None by one who has no key to write with any more."""
        key = self._keys.write_secret
        return None if key is None else key.read_key.seal(self._sender, text)

    def open(self, frame: bytes) -> bytes:
        """The text of the next frame; junk, where it is of another key epoch than the one in which it comes."""
        key = self._keys.read_key
        try:
            return JUNK if key is None else key.open(frame)[1]
        except DecodeError:
            self.behind |= key is not None and key.is_before(frame)
            return JUNK

    @property
    def locked(self) -> bool:
        """Whether the key in use is none that this participant has."""
        return self._keys.read_key is None

    def changed(self) -> bool:
        """Whether the key to write with is another one than when this was last asked."""
        before, self._in_use = self._in_use, self._keys.write_secret
        return before is not self._in_use
