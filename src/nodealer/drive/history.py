"""The keys of earlier epochs, in a frame of the table: who comes with a later key reads the table from its first frame.

Whoever has a new key says with it, once, what the earlier ones were. Participants pass the frame over: it is no entry.
Anybody at the table could say something false in it, so what it says is tried on the frames of those epochs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nodealer.errors import DecodeError
from nodealer.keys import KEY_BYTES
from nodealer.relay.client import RelayClient
from nodealer.relay.sealing import EPOCH_BYTES, ReadKey

_MARK: Final = b"nodealer/keys/v1"
#: How many frames of each epoch keys are tried on, and how large they may be: some may be anybody's junk.
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


async def find_history(client: RelayClient, key: ReadKey) -> list[ReadKey]:
    """The keys before this one, from the table. Raises `RelayError` where nobody has said them."""
    left = await client.open(key.table)
    samples: dict[int, list[bytes]] = {epoch: [] for epoch in range(key.epoch)}
    while left > 0:
        page = await client.read()
        if not isinstance(page, list):
            raise client.error("answers what nobody asked")
        for _, frame in page:
            left -= 1
            epoch = int.from_bytes(frame[:EPOCH_BYTES], "little")
            kept = samples.get(epoch, [])
            if epoch == key.epoch:
                found = read_history(_text(key, frame), key)
                if found and all(any(_text(one, frame) for frame in samples[one.epoch]) for one in found):
                    return found
            elif len(kept) < _TRIED and len(frame) <= _TRIED_BYTES_MAX:
                kept.append(frame)
    raise client.error("does not have the keys of the time before a seat left this table")


def _text(key: ReadKey, frame: bytes) -> bytes:
    try:
        return key.open(frame)[1]
    except DecodeError:
        return b""
