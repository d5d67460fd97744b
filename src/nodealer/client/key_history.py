"""The keys of earlier epochs, in a frame of the table: who comes with a later key reads the table from its first frame.

Whoever has a new key says with it, once, what the earlier ones were. Participants pass the frame over: it is no entry.
Anybody at the table could say something false in it, so what it says is tried on the frames of those epochs.
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
#: How many frames of each epoch keys are tried on, and how large they may be. They are drawn by lot: some may be
#: anybody's junk, and nobody shall know which ones are looked at.
_TRIED: Final = 16
_TRIED_BYTES_MAX: Final = 1 << 12


def history(keys: Sequence[ReadKey]) -> bytes:
    """What a frame of the next epoch says of all earlier ones."""
    return _MARK + b"".join(key.key for key in keys)


def read_history(text: bytes, key: ReadKey) -> list[ReadKey]:
    """The keys before this one, if a frame that it opens says what they were; else none."""
    if not text.startswith(_MARK) or len(text) != len(_MARK) + key.epoch * KEY_BYTES:
        return []
    said = text[len(_MARK) :]
    return [ReadKey(said[KEY_BYTES * epoch : KEY_BYTES * (epoch + 1)], key.table, epoch) for epoch in range(key.epoch)]


async def find_history(client: RelayClient, key: ReadKey, entropy: Entropy) -> list[ReadKey]:
    """The keys before this one, from the table. Raises `RelayError` where nobody has said them."""
    left = await client.open(key.table)
    samples = {epoch: _Sample() for epoch in range(key.epoch)}
    while left > 0:
        page = await client.read()
        if not isinstance(page, list):
            raise client.error("answers what nobody asked")
        for _, frame in page:
            left -= 1
            epoch = int.from_bytes(frame[:EPOCH_BYTES], "little")
            if epoch == key.epoch:
                found = read_history(_text(key, frame), key)
                if found and all(samples[one.epoch].opens(one) for one in found):
                    return found
            elif epoch in samples and len(frame) <= _TRIED_BYTES_MAX:
                samples[epoch].add(frame, entropy)
    raise client.error("does not have the keys of the time before a seat left this table")


class _Sample:
    """Some frames of an epoch, each as likely as any other."""

    def __init__(self) -> None:
        self._seen = 0
        self._kept: list[bytes] = []

    def add(self, frame: bytes, entropy: Entropy) -> None:
        self._seen += 1
        if len(self._kept) < _TRIED:
            self._kept.append(frame)
        elif (place := int.from_bytes(entropy(8), "little") % self._seen) < _TRIED:
            self._kept[place] = frame

    def opens(self, key: ReadKey) -> bool:
        return any(_text(key, frame) for frame in self._kept)


def _text(key: ReadKey, frame: bytes) -> bytes:
    try:
        return key.open(frame)[1]
    except DecodeError:
        return b""
