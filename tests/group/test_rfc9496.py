"""The test vectors of RFC 9496 for ristretto255 (appendix A), and the relations between its constants."""

from __future__ import annotations

import pytest

from nodealer.errors import DecodeError
from nodealer.group import Group
from nodealer.group import edwards as e
from nodealer.group.integers import big

pytestmark = pytest.mark.sample

# A.1: the multiples 0 to 15 of the generator.
MULTIPLES = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76",
    "6a493210f7499cd17fecb510ae0cea23a110e8d5b901f8acadd3095c73a3b919",
    "94741f5d5d52755ece4f23f044ee27d5d1ea1e2bd196b462166b16152a9d0259",
    "da80862773358b466ffadfe0b3293ab3d9fd53c5ea6c955358f568322daf6a57",
    "e882b131016b52c1d3337080187cf768423efccbb517bb495ab812c4160ff44e",
    "f64746d3c92b13050ed8d80236a7f0007c3b3f962f5ba793d19a601ebb1df403",
    "44f53520926ec81fbd5a387845beb7df85a96a24ece18738bdcfa6a7822a176d",
    "903293d8f2287ebe10e2374dc1a53e0bc887e592699f02d077d5263cdd55601c",
    "02622ace8f7303a31cafc63f8fc48fdc16e1c8c8d234b2f0d6685282a9076031",
    "20706fd788b2720a1ed2a5dad4952b01f413bcf0e7564de8cdc816689e2db95f",
    "bce83f8ba5dd2fa572864c24ba1810f9522bc6004afe95877ac73241cafdab42",
    "e4549ee16b9aa03099ca208c67adafcafa4c3f3e4e5303de6026e3ca8ff84460",
    "aa52e000df2e16f55fb1032fc33bc42742dad6bd5a8fc0be0167436c5948501f",
    "46376b80f409b29dc2b5f6f0c52591990896e5716f41477cd30085ab7f10301e",
    "e0c418f7c8d9c4cdd7395b93ea124f3ad99021bb681dfc3302a9d99a2e53e64e",
]

# A.2, by class.
INVALID = {
    "non-canonical field element": """
00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f
f3ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f
edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f
""",
    "negative field element": """
0100000000000000000000000000000000000000000000000000000000000000
01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f
ed57ffd8c914fb201471d1c3d245ce3c746fcbe63a3679d51b6a516ebebe0e20
c34c4e1826e5d403b78e246e88aa051c36ccf0aafebffe137d148a2bf9104562
c940e5a4404157cfb1628b108db051a8d439e1a421394ec4ebccb9ec92a8ac78
47cfc5497c53dc8e61c91d17fd626ffb1c49e2bca94eed052281b510b1117a24
f1c6165d33367351b0da8f6e4511010c68174a03b6581212c71c0e1d026c3c72
87260f7a2f12495118360f02c26a470f450dadf34a413d21042b43b9d93e1309
""",
    "non-square x^2": """
26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371
4eac077a713c57b4f4397629a4145982c661f48044dd3f96427d40b147d9742f
de6a7b00deadc788eb6b6c8d20c0ae96c2f2019078fa604fee5b87d6e989ad7b
bcab477be20861e01e4a0e295284146a510150d9817763caf1a6f4b422d67042
2a292df7e32cababbd9de088d1d1abec9fc0440f637ed2fba145094dc14bea08
f4a9e534fc0d216c44b218fa0c42d99635a0127ee2e53c712f70609649fdff22
8268436f8c4126196cf64b3c7ddbda90746a378625f9813dd9b8457077256731
2810e5cbc2cc4d4eece54f61c6f69758e289aa7ab440b3cbeaa21995c2f4232b
""",
    "negative x*y": """
3eb858e78f5a7254d8c9731174a94f76755fd3941c0ac93735c07ba14579630e
a45fdc55c76448c049a1ab33f17023edfb2be3581e9c7aade8a6125215e04220
d483fe813c6ba647ebbfd3ec41adca1c6130c2beeee9d9bf065c8d151c5f396e
8a2e1d30050198c65a54483123960ccc38aef6848e1ec8f5f780e8523769ba32
32888462f8b486c68ad7dd9610be5192bbeaf3b443951ac1a8118419d9fa097b
227142501b9d4355ccba290404bde41575b037693cef1f438c47f8fbf35d1165
5c37cc491da847cfeb9281d407efc41e15144c876e0170b499a96a22ed31e01e
445425117cb8c90edcbc7c1cc0e74f747f2c1efa5630a967c64f287792a48a4b
""",
    "s = -1, so that y = 0": """
ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f
""",
}

# A.3: uniform bytes and the point they are mapped to.
MAPPED = [
    (
        "5d1be09e3d0c82fc538112490e35701979d99e06ca3e2b5b54bffe8b4dc772c1"
        "4d98b696a1bbfb5ca32c436cc61c16563790306c79eaca7705668b47dffe5bb6",
        "3066f82a1a747d45120d1740f14358531a8f04bbffe6a819f86dfe50f44a0a46",
    ),
    (
        "f116b34b8f17ceb56e8732a60d913dd10cce47a6d53bee9204be8b44f6678b27"
        "0102a56902e2488c46120e9276cfe54638286b9e4b3cdb470b542d46c2068d38",
        "f26e5b6f7d362d2d2a94c5d0e7602cb4773c95a2e5c31a64f133189fa76ed61b",
    ),
    (
        "8422e1bbdaab52938b81fd602effb6f89110e1e57208ad12d9ad767e2e25510c"
        "27140775f9337088b982d83d7fcf0b2fa1edffe51952cbe7365e95c86eaf325c",
        "006ccd2a9e6867e6a2c5cea83d3302cc9de128dd2a9a57dd8ee7b9d7ffe02826",
    ),
    (
        "ac22415129b61427bf464e17baee8db65940c233b98afce8d17c57beeb7876c2"
        "150d15af1cb1fb824bbd14955f2b57d08d388aab431a391cfc33d5bafb5dbbaf",
        "f8f0c87cf237953c5890aec3998169005dae3eca1fbb04548c635953c817f92a",
    ),
    (
        "165d697a1ef3d5cf3c38565beefcf88c0f282b8e7dbd28544c483432f1cec767"
        "5debea8ebb4e5fe7d6f6e5db15f15587ac4d4d4a1de7191e0c1ca6664abcc413",
        "ae81e7dedf20a497e10c304a765c1767a42d6e06029758d2d7e8ef7cc4c41179",
    ),
    (
        "a836e6c9a9ca9f1e8d486273ad56a78c70cf18f0ce10abb1c7172ddd605d7fd2"
        "979854f47ae1ccf204a33102095b4200e5befc0465accc263175485f0e17ea5c",
        "e2705652ff9f5e44d3e841bf1c251cf7dddb77d140870d1ab2ed64f1a9ce8628",
    ),
    (
        "2cdc11eaeb95daf01189417cdddbf95952993aa9cb9c640eb5058d09702c7462"
        "2c9965a697a3b345ec24ee56335b556e677b30e6f90ac77d781064f866a3c982",
        "80bd07262511cdde4863f8a7434cef696750681cb9510eea557088f76d9e5065",
    ),
]

# A.3: these four are the same, for the top bit is masked and the rest reduced.
MAPPED_ALIKE = [
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
    "1200000000000000000000000000000000000000000000000000000000000000",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "0000000000000000000000000000000000000000000000000000000000000080"
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000"
    "1200000000000000000000000000000000000000000000000000000000000080",
]
ALIKE = "304282791023b73128d277bdcb5c7746ef2eac08dde9f2983379cb8e5ef0517f"

BAD = [(name, encoding) for name, encodings in INVALID.items() for encoding in encodings.split()]


@pytest.fixture(scope="session")
def g(ristretto255: Group) -> Group:
    return ristretto255


def test_small_multiples(g: Group) -> None:
    assert (g.integers(range(16)) * g.G).to_bytes().hex() == "".join(MULTIPLES)


def test_small_multiples_by_addition(g: Group) -> None:
    total = g.identity(1)
    for encoding in MULTIPLES:
        assert total.to_bytes().hex() == encoding
        total = total + g.G


def test_small_multiples_decode(g: Group) -> None:
    data = bytes.fromhex("".join(MULTIPLES[1:]))
    points = g.points(data)
    assert points == g.integers(range(1, 16)) * g.G
    assert points.to_bytes() == data


def test_the_identity_is_refused_with_its_index(g: Group) -> None:
    with pytest.raises(DecodeError) as caught:
        g.points(bytes.fromhex(MULTIPLES[3] + MULTIPLES[0] + MULTIPLES[4]))
    assert caught.value.index == 1


@pytest.mark.parametrize("encoding", [pytest.param(encoding, id=f"{name}-{encoding[:6]}") for name, encoding in BAD])
@pytest.mark.parametrize("index", [0, 2])
def test_bad_encodings_are_refused_with_their_index(g: Group, encoding: str, index: int) -> None:
    encodings = MULTIPLES[1:5]
    encodings[index] = encoding
    with pytest.raises(DecodeError) as caught:
        g.points(bytes.fromhex("".join(encodings)))
    # Not as the identity, which the last of them would be if y = 0 were not refused.
    assert (caught.value.what, caught.value.index) == ("not a canonical point", index)


def test_the_first_of_two_bad_encodings_is_named(g: Group) -> None:
    for _, encoding in BAD:
        with pytest.raises(DecodeError) as caught:
            g.points(bytes.fromhex(MULTIPLES[1] + encoding + MULTIPLES[2] + BAD[0][1]))
        assert caught.value.index == 1


def test_the_curve_itself_refuses_them() -> None:
    """The identity is another matter: it is canonical, and refused one floor above."""
    assert [encoding for _, encoding in BAD if e.decode(bytes.fromhex(encoding)) is not None] == []
    assert e.decode(bytes(32)) is not None
    assert e.decode(bytes(31)) is None and e.decode(bytes(33)) is None


def test_there_are_29_bad_encodings() -> None:
    assert len(BAD) == len(set(BAD)) == 29


def test_the_bad_encodings_are_of_the_class_they_claim() -> None:
    """Guards the table above: a mistyped vector would most likely be refused too, but for another reason."""
    for name, encoding in BAD:
        s = int.from_bytes(bytes.fromhex(encoding), "little")
        if name == "non-canonical field element":
            assert s >= e.P
            continue
        assert s < e.P
        assert e.is_negative(s) == (name == "negative field element")
        # RFC 9496, section 4.3.1, with no check along the way.
        u1, u2 = 1 - s * s, 1 + s * s
        v = -(e.D * u1 * u1) - u2 * u2
        was_square, invsqrt = e.sqrt_ratio_m1(big(1), v * u2 * u2 % e.P)
        x = e.absolute(2 * s * invsqrt * u2)
        y = u1 * invsqrt * invsqrt * u2 * v % e.P
        assert name != "non-square x^2" or not was_square
        assert name != "negative x*y" or (was_square and e.is_negative(x * y))
        assert name != "s = -1, so that y = 0" or (s == e.P - 1 and y == 0)


@pytest.mark.parametrize(("uniform", "encoding"), MAPPED)
def test_one_way_map(g: Group, uniform: str, encoding: str) -> None:
    assert g.map_to_points(bytes.fromhex(uniform)).to_bytes().hex() == encoding


def test_one_way_map_of_an_array(g: Group) -> None:
    data = bytes.fromhex("".join(uniform for uniform, _ in MAPPED))
    assert g.map_to_points(data).to_bytes().hex() == "".join(encoding for _, encoding in MAPPED)


def test_one_way_map_masks_and_reduces(g: Group) -> None:
    assert g.map_to_points(bytes.fromhex("".join(MAPPED_ALIKE))).to_bytes().hex() == ALIKE * 4


def test_constants() -> None:
    """Section 4.1: each constant is what its name says; the vectors settle the signs."""
    assert e.D * 121666 % e.P == -121665 % e.P
    assert e.SQRT_M1**2 % e.P == e.P - 1
    assert e.SQRT_AD_MINUS_ONE**2 % e.P == (-e.D - 1) % e.P
    assert e.INVSQRT_A_MINUS_D**2 * (-1 - e.D) % e.P == 1
    assert e.ONE_MINUS_D_SQ == (1 - e.D**2) % e.P
    assert e.D_MINUS_ONE_SQ == (e.D - 1) ** 2 % e.P


@pytest.mark.parametrize(
    ("u", "v", "was_square", "root"),
    [
        # A.4.
        ("00", "00", True, "00"),
        ("00", "01", True, "00"),
        ("01", "00", False, "00"),
        ("02", "01", False, "3c5ff1b5d8e4113b871bd052f9e7bcd0582804c266ffb2d4f4203eb07fdb7c54"),
        ("04", "01", True, "02"),
        ("01", "04", True, "f6ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff3f"),
    ],
)
def test_square_roots(u: str, v: str, was_square: bool, root: str) -> None:
    a, b, c = (big(int.from_bytes(bytes.fromhex(x), "little")) for x in (u, v, root))
    assert e.sqrt_ratio_m1(a, b) == (was_square, c)
