"""The keys of earlier epochs, published in a frame of the table, so that late joiners can read it from the start.

A participant with a new key publishes the earlier ones with it, once. Other participants skip this frame, because it is
not a log entry. Anyone at the table could publish false keys, so the keys are tested on frames of their epochs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nodealer.errors import DecodeError
from nodealer.keys import KEY_BYTES
from nodealer.proofs.checks import Entropy
from nodealer.relay.client_protocol import RelayClient
from nodealer.relay.sealing import EPOCH_BYTES, ReadKey

_MARK: Final = b"nodealer/keys/v1"
#: How many frames of each epoch the keys are tested on, and how large those may be. The frames are sampled at random:
#: some may be junk, and no one should be able to predict which ones are used.
_SAMPLE_SIZE: Final = 16
_SAMPLE_FRAME_BYTES_MAX: Final = 1 << 12


def encode_history(keys: Sequence[ReadKey]) -> bytes:
    """Return the text of a frame that publishes the keys of all earlier epochs."""
    return _MARK + b"".join(key.key for key in keys)


def decode_history(text: bytes, key: ReadKey) -> list[ReadKey]:
    """Return the earlier keys that a decrypted frame publishes; an empty list if it is not such a frame."""
    if not text.startswith(_MARK) or len(text) != len(_MARK) + key.epoch * KEY_BYTES:
        return []
    encoded = text[len(_MARK) :]
    return [
        ReadKey(encoded[KEY_BYTES * epoch : KEY_BYTES * (epoch + 1)], key.table, epoch) for epoch in range(key.epoch)
    ]


async def fetch_history(client: RelayClient, key: ReadKey, entropy: Entropy) -> list[ReadKey]:
    """Read the table until a frame publishes the keys before `key`, and return them.

    Raise `RelayError` if no frame publishes keys that work.
    """
    left = await client.open(key.table)
    samples = {epoch: _Sample() for epoch in range(key.epoch)}
    while left > 0:
        page = await client.read()
        if not isinstance(page, list):
            raise client.error("sent an answer to no request")
        for _, frame in page:
            left -= 1
            epoch = int.from_bytes(frame[:EPOCH_BYTES], "little")
            if epoch == key.epoch:
                found = decode_history(_decrypt(key, frame), key)
                if found and all(samples[one.epoch].opens(one) for one in found):
                    return found
            elif epoch in samples and len(frame) <= _SAMPLE_FRAME_BYTES_MAX:
                samples[epoch].add(frame, entropy)
    raise client.error("does not have the keys from before a seat left this table")


class _Sample:
    """A uniform random sample of the frames of one epoch."""

    def __init__(self) -> None:
        """Start with an empty sample."""
        self._seen = 0
        self._kept: list[bytes] = []

    def add(self, frame: bytes, entropy: Entropy) -> None:
        """Offer a frame to the sample (reservoir sampling)."""
        self._seen += 1
        if len(self._kept) < _SAMPLE_SIZE:
            self._kept.append(frame)
        elif (place := int.from_bytes(entropy(8), "little") % self._seen) < _SAMPLE_SIZE:
            self._kept[place] = frame

    def opens(self, key: ReadKey) -> bool:
        """Return whether a key opens any of the sampled frames."""
        return any(_decrypt(key, frame) for frame in self._kept)


def _decrypt(key: ReadKey, frame: bytes) -> bytes:
    """Return the text of a frame; empty if the key does not open it."""
    try:
        return key.open(frame)[1]
    except DecodeError:
        return b""
