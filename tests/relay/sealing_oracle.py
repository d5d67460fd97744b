"""Sealing a second time, from the text of the specification and `cryptography` alone: makes tests/vectors/sealing.json.

`python -m relay.sealing_oracle` in the folder of the tests writes it.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives import hmac
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

FILE: Final = Path(__file__).parents[1] / "vectors" / "sealing.json"
SALT: Final = b"nodealer/seal/v1"


def mac(key: bytes, data: bytes) -> bytes:
    state = hmac.HMAC(key, SHA512())
    state.update(data)
    return state.finalize()


def expand(key: bytes, info: bytes, size: int) -> bytes:
    return HKDFExpand(SHA512(), size, info).derive(key)


def part(value: bytes | str | int) -> bytes:
    if isinstance(value, int):
        return b"i" + value.to_bytes(8, "little")
    data = value if isinstance(value, bytes) else value.encode()
    return (b"b" if isinstance(value, bytes) else b"s") + len(data).to_bytes(8, "little") + data


def framed(*values: bytes | str | int) -> bytes:
    return b"".join(map(part, values))


def frame(S: bytes, table: str, epoch: int, sender: bytes, plaintext: bytes) -> dict[str, str]:
    B = mac(SALT, S)
    R, W = (expand(B, framed(name, table, epoch), 32) for name in ("read", "write"))
    PRK = mac(SALT, R)
    kt, ke = (expand(PRK, framed(name, table, epoch, sender), 64) for name in ("tag", "enc"))
    aad = framed("nodealer/frame/v1", table, epoch, sender)
    n = mac(kt, framed(aad, plaintext))[:32]
    sealed = ChaCha20Poly1305(expand(ke, framed("msg", n), 32)).encrypt(bytes(12), plaintext, aad)
    whole = epoch.to_bytes(8, "little") + sender + n + sealed
    return {"read": R.hex(), "write": W.hex(), "frame": whole.hex()}


def box(S: bytes, ephemeral: bytes, public: bytes, session: bytes, roster: bytes, epoch: int) -> bytes:
    e = X25519PrivateKey.from_private_bytes(ephemeral)
    E = e.public_key().public_bytes_raw()
    shared = e.exchange(X25519PublicKey.from_public_bytes(public))
    key = expand(mac(b"nodealer/box/v1", shared), framed(E, public, session, roster, epoch), 32)
    return E + ChaCha20Poly1305(key).encrypt(bytes(12), S, b"")


def vectors() -> dict[str, Any]:
    frames = []
    for S, table, epoch, sender, plaintext in (
        (bytes(range(16)), "T1", 0, bytes(16), b""),
        (bytes(range(16)), "T1", 0, bytes(range(16)), b"hello"),
        (bytes(range(32)), "a longer name, with ümlauts", 3, b"s" * 16, bytes(range(256)) * 5),
    ):
        given = {"secret": S.hex(), "table": table, "epoch": epoch, "sender": sender.hex(), "text": plaintext.hex()}
        frames.append({**given, **frame(S, table, epoch, sender, plaintext)})
    own, ephemeral, S = b"o" * 32, b"e" * 32, bytes(range(32))
    public = X25519PrivateKey.from_private_bytes(own).public_key().public_bytes_raw()
    session, roster = hashlib.sha256(b"session").digest(), hashlib.sha256(b"roster").digest()
    made = {
        "secret": S.hex(),
        "own": own.hex(),
        "ephemeral": ephemeral.hex(),
        "session": session.hex(),
        "roster": roster.hex(),
        "epoch": 2,
        "public": public.hex(),
        "box": box(S, ephemeral, public, session, roster, 2).hex(),
        "digest": hashlib.sha512(S).hexdigest(),
    }
    return {"frames": frames, "boxes": [made]}


if __name__ == "__main__":
    FILE.write_text(json.dumps(vectors(), indent=1) + "\n")
