"""Something that a seat writes down now and shows later: a secret bid, a vote, a guess.

To seal is to say a commitment; to unseal, the value and its blinding. A seat that never unseals has shown nothing, and
what that costs the game says. The value is a person's choice: the tape does not know it, the journal does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Final

import msgspec

from nodealer.errors import BadParameter
from nodealer.protocols.base import Binding
from nodealer.protocols.promises import Promise
from nodealer.tape import Tape
from nodealer.wire import Digest, Message, decode, encode

#: What one envelope holds.
VALUE_BYTES_MAX: Final = 1024
#: A commitment, and what stands around it.
SEAL_LIMIT: Final = 128
#: A value in base64, its blinding, and what stands around them.
UNSEAL_LIMIT: Final = 1536


class Seal(Message, frozen=True, tag="seal"):
    """I have written something down, and this is its commitment."""

    commitment: Digest


class Unseal(Message, frozen=True, tag="unseal"):
    """What I had written down."""

    blinding: Digest
    value: Annotated[bytes, msgspec.Meta(max_length=VALUE_BYTES_MAX)]


@dataclass(frozen=True)
class Envelope:
    """A place for one value of one seat. `anchor` is that of the duty to seal it: no two of a hand have the same."""

    binding: Binding = field(repr=False)
    seat: int
    anchor: bytes

    def _promise(self, value: bytes) -> Promise:
        return Promise("value", self.binding, self.seat, self.anchor, value)

    def seal(self, tape: Tape, value: bytes) -> bytes:
        """The message that fixes a value and shows nothing of it."""
        if len(value) > VALUE_BYTES_MAX:
            raise BadParameter(f"{len(value)} bytes do not fit into an envelope of {VALUE_BYTES_MAX}")
        promise = self._promise(value)
        return encode(Seal(promise.commitment(promise.blinding(tape))))

    def unseal(self, tape: Tape, value: bytes) -> bytes:
        """The message that shows it."""
        return encode(Unseal(self._promise(value).blinding(tape), value))

    def sealed(self, message: bytes) -> Sealed:
        """This envelope with what its seat has put into it."""
        return Sealed(self, decode(Seal, message, what="the seal", limit=SEAL_LIMIT).commitment)


@dataclass(frozen=True)
class Sealed:
    """An envelope that is not open yet."""

    envelope: Envelope
    commitment: bytes

    def opened(self, message: bytes) -> bytes:
        """The value. Raises `PeerFault` where it is not the one that was sealed."""
        said = decode(Unseal, message, what="what is unsealed", limit=UNSEAL_LIMIT)
        self.envelope._promise(said.value).refuse_other(self.commitment, said.blinding)
        return said.value
