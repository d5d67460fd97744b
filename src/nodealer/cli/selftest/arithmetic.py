"""Self-tests of the group."""

from __future__ import annotations

from functools import partial
from typing import Final

from nodealer.cli.selftest.expect import expect, expect_refused
from nodealer.errors import DecodeError
from nodealer.group import Group, hash_to_points, msm, vartime_msm
from nodealer.group.hash import expand_message_xmd

#: RFC 9496, A.1: 1, 2, 3, … times the generator.
MULTIPLES: Final = (
    "e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76",
    "6a493210f7499cd17fecb510ae0cea23a110e8d5b901f8acadd3095c73a3b919",
    "94741f5d5d52755ece4f23f044ee27d5d1ea1e2bd196b462166b16152a9d0259",
    "da80862773358b466ffadfe0b3293ab3d9fd53c5ea6c955358f568322daf6a57",
    "e882b131016b52c1d3337080187cf768423efccbb517bb495ab812c4160ff44e",
    "f64746d3c92b13050ed8d80236a7f0007c3b3f962f5ba793d19a601ebb1df403",
    "44f53520926ec81fbd5a387845beb7df85a96a24ece18738bdcfa6a7822a176d",
    "903293d8f2287ebe10e2374dc1a53e0bc887e592699f02d077d5263cdd55601c",
)

#: RFC 9496, A.2: one encoding of each class, and the identity, which no one may send.
BAD: Final = {
    "a non-canonical field element": "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "a negative field element": "0100000000000000000000000000000000000000000000000000000000000000",
    "a non-square": "26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371",
    "a negative product": "3eb858e78f5a7254d8c9731174a94f76755fd3941c0ac93735c07ba14579630e",
    "a point with y = 0": "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "the identity": "0000000000000000000000000000000000000000000000000000000000000000",
}

#: RFC 9496, A.3.
UNIFORM: Final = (
    "5d1be09e3d0c82fc538112490e35701979d99e06ca3e2b5b54bffe8b4dc772c1"
    "4d98b696a1bbfb5ca32c436cc61c16563790306c79eaca7705668b47dffe5bb6"
)
MAPPED: Final = "3066f82a1a747d45120d1740f14358531a8f04bbffe6a819f86dfe50f44a0a46"

#: RFC 9380, K.3.
EXPANDED: Final = "6b9a7312411d92f921c6f68ca0b6380730a1a4d982c507211a90964c394179ba"

#: Our own.
HASHED: Final = (
    "d0261cabad850c67417dc8211cdaca2122956b75650897d2099baed8caa4022a"
    "ae50e7e01f80a7f0aa6be263401e375253a9705d308a9a4fafabfefcee2faa3b"
)
REDUCED: Final = "7a3c6282f02d37a05023b60d5428e6cc5961d4c31221937adae0b574e4d07205"


def multiples(group: Group) -> None:
    """Test multiples and sums of the generator."""
    wanted = bytes.fromhex("".join(MULTIPLES))
    numbers = group.integers(range(1, len(MULTIPLES) + 1))
    expect("a multiple by the table", (numbers * group.G).to_bytes(), wanted)
    expect("a multiple of a decoded point", (numbers * group.points(wanted[:32])).to_bytes(), wanted)
    expect("a decoded point", group.points(wanted).to_bytes(), wanted)
    expect("a sum", group.points(wanted).sum(), group.integers([36]) * group.G)


def bad_encodings(group: Group) -> None:
    """Test that invalid encodings of points and scalars are rejected."""
    for what, encoding in BAD.items():
        expect_refused(what, DecodeError, partial(group.points, bytes.fromhex(encoding)))
    order = group.order.to_bytes(group.scalar_size, "little")
    expect_refused("a scalar that is not reduced", DecodeError, partial(group.scalars, order))


def one_way_map(group: Group) -> None:
    """Test the map from bytes to points."""
    expect("the image", group.map_to_points(bytes.fromhex(UNIFORM)).to_bytes().hex(), MAPPED)


def scalars(group: Group) -> None:
    """Test the arithmetic of scalars."""
    x = group.wide_scalars(bytes(range(64)))
    expect("a reduced scalar", x.to_bytes().hex(), REDUCED)
    one = group.integers([1])
    expect("an inverse", x * x.invert(), one)
    expect("a difference", x - x, group.integers([0]))
    expect("a sum of powers", group.integers([3]).powers(4).sum(), group.integers([120]))
    expect("a product", group.integers([2, 3]).dot(group.integers([5, 7])), group.integers([31]))


def sums(group: Group) -> None:
    """Test multi-scalar multiplication, constant-time and variable-time."""
    x = group.wide_scalars(bytes(range(64))).powers(9)
    P = group.integers(range(1, 10)) * group.G
    wanted = (x * P).sum()
    expect("a constant-time sum", msm(x, P), wanted)
    expect("a variable-time sum", vartime_msm(x, P), wanted)
    expect("the sum by the scalars", x.dot(group.integers(range(1, 10))) * group.G, wanted)


def expansion(group: Group) -> None:
    """Test the expansion of a message."""
    found = expand_message_xmd("sha512", b"", b"QUUX-V01-CS02-with-expander-SHA512-256", 32)
    expect("the expanded message", found.hex(), EXPANDED)


def hashing(group: Group) -> None:
    """Test hashing to points."""
    points = hash_to_points(group, b"nodealer/doctor", [b"", b"abc"])
    expect("a hashed point", points.to_bytes().hex(), HASHED)
