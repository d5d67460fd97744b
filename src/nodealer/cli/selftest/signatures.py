"""Self-tests of the identity keys."""

from __future__ import annotations

from functools import partial
from typing import Final

from nodealer.cli.selftest.expect import expect, expect_refused
from nodealer.errors import BadSignature, DecodeError
from nodealer.group import Group
from nodealer.keys import Identity, VerifyingKey

#: RFC 8032, 7.1, test 2.
SECRET: Final = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"
PUBLIC: Final = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
MESSAGE: Final = b"\x72"
SIGNATURE: Final = (
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
    "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
)

#: Keys of small order, for which one signature would fit every message; one of mixed order, about which two readers may
#: disagree; one that is not reduced; one off the curve.
WEAK: Final = {
    "the key of order 1": "0100000000000000000000000000000000000000000000000000000000000000",
    "a key of order 2": "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "a key of order 4": "0000000000000000000000000000000000000000000000000000000000000000",
    "a key of order 8": "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "a key of mixed order": "ea5ef8400c31ef41e28f22e718b43f66981b29cf645af2a0e223799bedaace47",
    "a key that is not canonical": "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "a key off the curve": "0200000000000000000000000000000000000000000000000000000000000000",
}


def ed25519(group: Group) -> None:
    """Test signatures."""
    key = Identity(bytes.fromhex(SECRET))
    expect("the public key", key.public.hex(), PUBLIC)
    signature = key.sign(MESSAGE)
    expect("the signature", signature.hex(), SIGNATURE)
    verifier = VerifyingKey(key.public)
    verifier.verify(signature, MESSAGE)
    expect_refused("a signature of another message", BadSignature, partial(verifier.verify, signature, b"\x73"))


def weak_keys(group: Group) -> None:
    """Test that weak public keys are rejected."""
    for what, key in WEAK.items():
        expect_refused(what, DecodeError, partial(VerifyingKey, bytes.fromhex(key)))
