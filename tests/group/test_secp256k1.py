"""secp256k1: published vectors, all that is no point, and OpenSSL (by way of `cryptography`) as a second opinion."""

from __future__ import annotations

import secrets
from functools import reduce
from operator import eq
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given, settings
from hypothesis import strategies as st

from nodealer.errors import BadParameter, DecodeError
from nodealer.group import Group, concat, group, hash_to_points, msm
from nodealer.group import weierstrass as w
from nodealer.group.curve import Element
from nodealer.group.hash import expand_message_xmd
from nodealer.group.integers import big
from nodealer.group.weierstrass import SECP256K1 as C
from sampling import times

from .group_facts import ORDERS, decoded, encoded

pytestmark = pytest.mark.sample

P = 2**256 - 2**32 - 977
ORDER = ORDERS["secp256k1"]

# The multiples 1 to 16 of the generator of SEC 2, section 2.4.1: the vectors of C. Batson, which k256 has as well.
MULTIPLES = [
    "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
    "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5",
    "02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9",
    "02e493dbf1c10d80f3581e4904930b1404cc6c13900ee0758474fa94abe8c4cd13",
    "022f8bde4d1a07209355b4a7250a5c5128e88b84bddc619ab7cba8d569b240efe4",
    "03fff97bd5755eeea420453a14355235d382f6472f8568a18b2f057a1460297556",
    "025cbdf0646e5db4eaa398f365f2ea7a0e3d419b7e0330e39ce92bddedcac4f9bc",
    "022f01e5e15cca351daff3843fb70f3c2f0a1bdd05e5af888a67784ef3e10a2a01",
    "03acd484e2f0c7f65309ad178a9f559abde09796974c57e714c35f110dfc27ccbe",
    "03a0434d9e47f3c86235477c7b1ae6ae5d3442d49b1943c2b752a68e2a47e247c7",
    "03774ae7f858a9411e5ef4246b70c65aac5649980be5c17891bbec17895da008cb",
    "03d01115d548e7561b15c38f004d734633687cf4419620095bc5b0f47070afe85a",
    "03f28773c2d975288bc7d1d205c3748651b075fbc6610e58cddeeddf8f19405aa8",
    "03499fdf9e895e719cfd64e67f07d38e3226aa7b63678949e6e49b241a60e823e4",
    "02d7924d4f7d43ea965a465ae3095ff41131e5946f3c85f79e44adbcf8e27e080e",
    "03e60fce93b59e9ec53011aabc21c23e97b2a31369b87a5ae9c44ee89e2a6dec0a",
]


@pytest.fixture(scope="session")
def g(secp256k1: Group) -> Group:
    return secp256k1


def compressed(x: int, y: int) -> bytes:
    return bytes([2 + y % 2]) + x.to_bytes(32, "big")


# --- Vectors ---


def test_the_handle(g: Group) -> None:
    assert g.name == "secp256k1" and g.order == ORDER
    assert (g.scalar_size, g.point_size, g.wide_size, g.uniform_size) == (32, 33, 64, 96)


def test_small_multiples(g: Group) -> None:
    data = bytes.fromhex("".join(MULTIPLES))
    points = g.integers(range(1, 17)) * g.G
    assert points.to_bytes() == data
    assert g.points(data) == points and g.points(data).to_bytes() == data
    assert g.identity(1).to_bytes() == bytes(33) and (g.integers([0]) * g.G).to_bytes() == bytes(33)


def test_small_multiples_by_addition(g: Group) -> None:
    total = g.identity(1)
    for encoding in MULTIPLES:
        total = total + g.G
        assert total.to_bytes().hex() == encoding
        assert (-total).to_bytes() == bytes([5 - bytes.fromhex(encoding)[0]]) + bytes.fromhex(encoding)[1:]


def test_scalars_are_big_endian_and_wide_ones_little_endian(g: Group) -> None:
    assert g.integers([1]).to_bytes() == bytes(31) + b"\1"
    assert g.scalars(bytes(31) + b"\5") == g.integers([5])
    assert g.wide_scalars(b"\5" + bytes(63)) == g.integers([5])
    wide = bytes(range(100, 164))
    assert decoded(g, g.wide_scalars(wide).to_bytes()) == [int.from_bytes(wide, "little") % ORDER]


@pytest.mark.parametrize("value", [0, 1, 2, ORDER - 1, ORDER, ORDER + 1, 2**256 - 1, 2**256, ORDER**2, 2**512 - 1])
def test_wide_scalars_are_reduced_exactly(g: Group, value: int) -> None:
    assert decoded(g, g.wide_scalars(value.to_bytes(64, "little")).to_bytes()) == [value % ORDER]


# RFC 9380, appendix J.8.1, secp256k1_XMD:SHA-256_SSWU_RO_: message, P, u[0], u[1], Q0, Q1.
DST = b"QUUX-V01-CS02-with-secp256k1_XMD:SHA-256_SSWU_RO_"
HASHED: list[tuple[bytes, list[int]]] = [
    (
        b"",
        [
            0xC1CAE290E291AEE617EBAEF1BE6D73861479C48B841EABA9B7B5852DDFEB1346,
            0x64FA678E07AE116126F08B022A94AF6DE15985C996C3A91B64C406A960E51067,
            0x6B0F9910DD2BA71C78F2EE9F04D73B5F4C5F7FC773A701ABEA1E573CAB002FB3,
            0x1AE6C212E08FE1A5937F6202F929A2CC8EF4EE5B9782DB68B0D5799FD8F09E16,
            0x74519EF88B32B425A095E4EBCC84D81B64E9E2C2675340A720BB1A1857B99F1E,
            0xC174FA322AB7C192E11748BEED45B508E9FDB1CE046DEE9C2CD3A2A86B410936,
            0x44548ADB1B399263DED3510554D28B4BEAD34B8CF9A37B4BD0BD2BA4DB87AE63,
            0x96EB8E2FAF05E368EFE5957C6167001760233E6DD2487516B46AE725C4CCE0C6,
        ],
    ),
    (
        b"abc",
        [
            0x3377E01EAB42DB296B512293120C6CEE72B6ECF9F9205760BD9FF11FB3CB2C4B,
            0x7F95890F33EFEBD1044D382A01B1BEE0900FB6116F94688D487C6C7B9C8371F6,
            0x128AAB5D3679A1F7601E3BDF94CED1F43E491F544767E18A4873F397B08A2B61,
            0x5897B65DA3B595A813D0FDCC75C895DC531BE76A03518B044DAAA0F2E4689E00,
            0x07DD9432D426845FB19857D1B3A91722436604CCBBBADAD8523B8FC38A5322D7,
            0x604588EF5138CFFE3277BBD590B8550BCBE0E523BBAF1BED4014A467122EB33F,
            0xE9EF9794D15D4E77DDE751E06C182782046B8DAC05F8491EB88764FC65321F78,
            0xCB07CE53670D5314BF236EE2C871455C562DD76314AA41F012919FE8E7F717B3,
        ],
    ),
    (
        b"abcdef0123456789",
        [
            0xBAC54083F293F1FE08E4A70137260AA90783A5CB84D3F35848B324D0674B0E3A,
            0x4436476085D4C3C4508B60FCF4389C40176ADCE756B398BDEE27BCA19758D828,
            0xEA67A7C02F2CD5D8B87715C169D055A22520F74DAEB080E6180958380E2F98B9,
            0x7434D0D1A500D38380D1F9615C021857AC8D546925F5F2355319D823A478DA18,
            0x576D43AB0260275ADF11AF990D130A5752704F79478628761720808862544B5D,
            0x643C4A7FB68AE6CFF55EDD66B809087434BBAFF0C07F3F9EC4D49BB3C16623C3,
            0xF89D6D261A5E00FE5CF45E827B507643E67C2A947A20FD9AD71039F8B0E29FF8,
            0xB33855E0CC34A9176EAD91C6C3ACB1AACB1CE936D563BC1CEE1DCFFC806CAF57,
        ],
    ),
    (
        b"q128_" + b"q" * 128,
        [
            0xE2167BC785333A37AA562F021F1E881DEFB853839BABF52A7F72B102E41890E9,
            0xF2401DD95CC35867FFED4F367CD564763719FBC6A53E969FB8496A1E6685D873,
            0xEDA89A5024FAC0A8207A87E8CC4E85AA3BCE10745D501A30DEB87341B05BCDF5,
            0xDFE78CD116818FC2C16F3837FEDBE2639FAB012C407EAC9DFE9245BF650AC51D,
            0x9C91513CCFE9520C9C645588DFF5F9B4E92EAF6AD4AB6F1CD720D192EB58247A,
            0xC7371DCD0134412F221E386F8D68F49E7FA36F9037676E163D4A063FBF8A1FB8,
            0x10FEE3284D7BE6BD5912503B972FC52BF4761F47141A0015F1C6AE36848D869B,
            0x0B163D9B4BF21887364332BE3EFF3C870FA053CF508732900FC69A6EB0E1B672,
        ],
    ),
    (
        b"a512_" + b"a" * 512,
        [
            0xE3C8D35AAAF0B9B647E88A0A0A7EE5D5BED5AD38238152E4E6FD8C1F8CB7C998,
            0x8446EEB6181BF12F56A9D24E262221CC2F0C4725C7E3803024B5888EE5823AA6,
            0x8D862E7E7E23D7843FE16D811D46D7E6480127A6B78838C277BCA17DF6900E9F,
            0x68071D2530F040F081BA818D3C7188A94C900586761E9115EFA47AE9BD847938,
            0xB32B0AB55977B936F1E93FDC68CEC775E13245E161DBFE556BBB1F72799B4181,
            0x2F5317098360B722F132D7156A94822641B615C91F8663BE69169870A12AF9E8,
            0x148F98780F19388B9FA93E7DC567B5A673E5FCA7079CD9CDAFD71982EC4C5E12,
            0x3989645D83A433BC0C001F3DAC29AF861F33A6FD1E04F4B36873F5BFF497298A,
        ],
    ),
]


@pytest.mark.parametrize(("message", "values"), HASHED, ids=lambda value: repr(value[:8]) if value else "empty")
def test_hash_to_curve(g: Group, message: bytes, values: list[int]) -> None:
    point = hash_to_points(g, DST, [message])
    assert point.to_bytes() == compressed(values[0], values[1])
    assert g.points(compressed(values[0], values[1])) == point


@pytest.mark.parametrize(("message", "values"), HASHED, ids=lambda value: repr(value[:8]) if value else "empty")
def test_hash_to_curve_step_by_step(message: bytes, values: list[int]) -> None:
    uniform = expand_message_xmd("sha256", message, DST, 96)
    u = [int.from_bytes(half, "big") % P for half in (uniform[:48], uniform[48:])]
    assert u == values[2:4]
    for number, (x, y) in zip(u, (values[4:6], values[6:8]), strict=True):
        assert C.equal(w.map_to_curve(big(number)), (big(x), big(y), big(1)))


def test_hashing_an_array(g: Group) -> None:
    points = hash_to_points(g, DST, [message for message, _ in HASHED])
    assert points.to_bytes() == b"".join(compressed(values[0], values[1]) for _, values in HASHED)


# --- The map at its edges ---


def uniform(first: int, second: int) -> bytes:
    return first.to_bytes(48, "big") + second.to_bytes(48, "big")


def root_of(value: int) -> int:
    found = pow(value, (P + 1) // 4, P)
    assert found * found % P == value % P
    return found


# Where Z²u⁴ + Zu² is zero: at zero, and where Zu² = -1, that is u² = 1/11.
EXCEPTIONAL = [0, *(root for root in [root_of(pow(11, -1, P))] for root in (root, P - root))]


def test_the_exceptional_inputs_of_the_map(g: Group) -> None:
    for u in EXCEPTIONAL:
        assert (w.MAP_Z * u * u % P) in (0, P - 1)
        x, y = w.simple_swu(big(u))
        assert (y * y - x**3 - w.MAP_A * x - w.MAP_B) % P == 0 and x * w.MAP_Z * w.MAP_A % P == w.MAP_B
        image = C.encode(w.map_to_curve(big(u)))
        assert g.map_to_points(uniform(u, 1)) == g.points(image) + g.points(C.encode(w.map_to_curve(big(1))))


def test_the_map_reduces_both_halves(g: Group) -> None:
    plain = g.map_to_points(uniform(5, 7))
    assert g.map_to_points(uniform(5 + P, 7 + 3 * P)) == plain
    top = 2**384 - 1
    assert g.map_to_points(uniform(top, 7)) == g.map_to_points(uniform(top % P, 7))
    assert plain == g.map_to_points(uniform(7, 5)) != g.map_to_points(uniform(5, 8))


def test_equal_halves_double_and_opposite_ones_cancel(g: Group) -> None:
    """sgn0(-u) ≠ sgn0(u): the images are opposite points, and their sum is the identity."""
    one = g.points(C.encode(w.map_to_curve(big(5))))
    assert g.map_to_points(uniform(5, 5)) == g.integers([2]) * one
    assert g.map_to_points(uniform(5, P - 5)).first_identity() == 0


def test_the_isogeny_leads_from_its_curve_to_ours() -> None:
    for u in range(40):
        x, y, z = w.map_to_curve(big(u))
        assert z % P and (y * y * z - x**3 - 7 * z**3) % P == 0


# --- What is no point ---


def bad_points() -> dict[str, bytes]:
    x = int(MULTIPLES[0][2:], 16)
    y = root_of(x**3 + 7)
    square = next(x for x in range(1, 100) if pow(x**3 + 7, (P - 1) // 2, P) == 1)
    no_square = next(x for x in range(1, 100) if pow(x**3 + 7, (P - 1) // 2, P) == P - 1)
    bad = {
        "off the curve": bytes([2]) + no_square.to_bytes(32, "big"),
        "off the curve, odd": bytes([3]) + no_square.to_bytes(32, "big"),
        # 7 has no root.
        "x = 0": bytes([2]) + bytes(32),
        "x = p": bytes([2]) + P.to_bytes(32, "big"),
        "x = p + that of a point": bytes([2]) + (P + square).to_bytes(32, "big"),
        "x = 2^256 - 1": bytes([3]) + b"\xff" * 32,
        "uncompressed": b"\x04" + x.to_bytes(32, "big"),
        "hybrid": b"\x06" + x.to_bytes(32, "big"),
        "hybrid, odd": b"\x07" + x.to_bytes(32, "big"),
        "compact": b"\x05" + x.to_bytes(32, "big"),
        "y without prefix": y.to_bytes(33, "big"),
    }
    prefixes = {
        f"prefix {prefix}": bytes([prefix]) + x.to_bytes(32, "big") for prefix in range(256) if prefix not in (2, 3)
    }
    return bad | prefixes


BAD = bad_points()


@pytest.mark.parametrize("index", [0, 2])
def test_what_is_no_point_is_refused_with_its_index(g: Group, index: int) -> None:
    for name, encoding in BAD.items():
        encodings = [bytes.fromhex(encoding) for encoding in MULTIPLES[:4]]
        encodings[index] = encoding
        with pytest.raises(DecodeError) as caught:
            g.points(b"".join(encodings))
        assert (caught.value.what, caught.value.index) == ("not a canonical point", index), name


def test_infinity_is_refused_in_every_form(g: Group) -> None:
    with pytest.raises(DecodeError) as caught:
        g.points(bytes.fromhex(MULTIPLES[3]) + bytes(33))
    assert (caught.value.what, caught.value.index) == ("the identity where a point is due", 1)
    for data in (b"\0", bytes(65), b"\4" + bytes(64)):
        with pytest.raises(DecodeError) as caught:
            g.points(data)
        assert caught.value.index is None
    for prefix in (2, 3, 4, 5, 255):
        with pytest.raises(DecodeError) as caught:
            g.points(bytes([prefix]) + bytes(32))
        assert (caught.value.what, caught.value.index) == ("not a canonical point", 0)


def test_other_lengths_of_sec1_are_refused(g: Group) -> None:
    key = ec.derive_private_key(5, ec.SECP256K1()).public_key()
    for data in (key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint), bytes.fromhex(MULTIPLES[0])[1:]):
        with pytest.raises(DecodeError) as caught:
            g.points(data)
        assert caught.value.index is None


def test_the_largest_coordinates_decode(g: Group) -> None:
    """x just below p, where a check for x ≥ p is off by one if anywhere."""
    found = [x for x in range(P - 60, P) if pow(x**3 + 7, (P - 1) // 2, P) == 1]
    assert found and found[-1] > P - 10
    data = b"".join(bytes([2 + x % 2]) + x.to_bytes(32, "big") for x in found)
    assert g.points(data).to_bytes() == data


@pytest.mark.parametrize("value", [ORDER, ORDER + 1, P, 2**256 - 1])
def test_scalars_from_the_order_on_are_refused(g: Group, value: int) -> None:
    with pytest.raises(DecodeError) as caught:
        g.scalars(encoded(g, 3, value))
    assert (caught.value.what, caught.value.index) == ("not a canonical scalar", 1)


# --- Two groups side by side ---


def test_two_groups_do_not_mix(g: Group) -> None:
    other = group("ristretto255", g.backend)
    x, p = g.integers([5]), g.G
    uses: list[Any] = [
        lambda: x + other.integers([5]),
        lambda: x * other.integers([5]),
        lambda: x * other.G,
        lambda: other.integers([5]) * p,
        lambda: p + other.G,
        lambda: concat(p, other.G),
        lambda: msm(x, other.G),
        lambda: other.msm(x, other.G),
        lambda: other.vartime_msm(other.integers([5]), p),
    ]
    for use in uses:
        with pytest.raises(BadParameter):
            use()
    assert eq(x, other.integers([5])) is False and eq(p, other.G) is False


# --- OpenSSL ---


def public(secret: int) -> bytes:
    key = ec.derive_private_key(secret, ec.SECP256K1()).public_key()
    return key.public_bytes(Encoding.X962, PublicFormat.CompressedPoint)


def test_public_keys_are_those_of_openssl(g: Group) -> None:
    values = [1, 2, 3, ORDER - 1, ORDER - 2, ORDER // 2, 2**128, *(1 + secrets.randbelow(ORDER - 1) for _ in range(20))]
    scalars = g.scalars(encoded(g, *values))
    expected = b"".join(map(public, values))
    assert (scalars * g.G).to_bytes() == expected
    assert (scalars * g.G.take([0])).to_bytes() == expected  # without the table
    assert g.points(expected) == scalars * g.G


def test_products_are_those_of_openssl(g: Group) -> None:
    """ECDH gives the x of secret·point; that of (secret + 1)·point then settles the sign."""
    for _ in range(10):
        secret, other = (1 + secrets.randbelow(ORDER - 2) for _ in range(2))
        peer = ec.derive_private_key(other, ec.SECP256K1()).public_key()
        point = g.points(peer.public_bytes(Encoding.X962, PublicFormat.CompressedPoint))
        for factor in (secret, secret + 1):
            shared = ec.derive_private_key(factor, ec.SECP256K1()).exchange(ec.ECDH(), peer)
            scalar = g.scalars(encoded(g, factor))
            for product in (
                scalar * point,
                scalar * point.tabled(),
                g.msm(scalar, point),
                g.vartime_msm(scalar, point),
            ):
                assert product.to_bytes()[1:] == shared
        assert g.scalars(encoded(g, secret + 1)) * point - g.scalars(encoded(g, secret)) * point == point


def test_openssl_decodes_what_we_encode(g: Group) -> None:
    points = hash_to_points(g, b"test", [bytes([i]) for i in range(8)])
    for i in range(8):
        data = points[i].to_bytes()
        numbers = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256K1(), data).public_numbers()
        assert compressed(numbers.x, numbers.y) == data


# --- Sums of products at every size that is treated differently ---

EDGES = [0, 1, 2, 15, 16, 17, 31, 32, 33, 2**128 - 1, 2**128, 2**255, ORDER // 2, ORDER - 2, ORDER - 1]


@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 52, 149, 150, 151, 256, 257, 600])
def test_native_sums_of_products(count: int) -> None:
    g = group("secp256k1", "native")
    values = [EDGES[i] if i < len(EDGES) else pow(3, 500 + i, ORDER) for i in range(count)]
    logs = [pow(5, 300 + i, ORDER) if i % 7 else i for i in range(count)]  # identities, and some points twice
    scalars, points = g.scalars(encoded(g, *values)), g.scalars(encoded(g, *logs)) * g.G
    expected = g.scalars(encoded(g, sum(x * y for x, y in zip(values, logs, strict=True)) % ORDER)) * g.G
    assert g.msm(scalars, points) == g.vartime_msm(scalars, points) == (scalars * points).sum() == expected


@pytest.mark.parametrize("count", [8, 52, 151])
def test_sums_of_one_point_and_its_opposite(count: int) -> None:
    """Every addition of the sum meets equal or opposite points."""
    g = group("secp256k1", "native")
    ones, point = g.integers([1] * count), concat(*([g.G[0]] * count))
    signs = concat(g.integers([1]), *(-g.integers([1]) if i % 2 else g.integers([1]) for i in range(1, count)))
    for use in (g.msm, g.vartime_msm):
        assert use(ones, point) == g.integers([count]) * g.G
        assert use(signs, point) == g.integers([count % 2]) * g.G
        assert use(ones, g.identity(count)) == g.identity(1)
        assert use(g.integers([0] * count), point) == g.identity(1)


@given(st.sampled_from(EDGES) | st.integers(0, ORDER - 1), st.binary(min_size=96, max_size=96))
@settings(deadline=None, max_examples=times(20, deep=300))
def test_native_multiplications_agree(value: int, seed: bytes) -> None:
    g, r = group("secp256k1", "native"), group("secp256k1", "reference")
    scalar, point = g.scalars(encoded(g, value)), g.map_to_points(seed)
    expected = (r.scalars(encoded(r, value)) * r.map_to_points(seed)).to_bytes()
    for product in (scalar * point, scalar * point.tabled(), g.msm(scalar, point), g.vartime_msm(scalar, point)):
        assert product.to_bytes() == expected


def test_many_encodings_are_those_of_each(g: Group) -> None:
    """Many are encoded with one inversion, which an identity among them must not spoil."""
    points = g.integers([i % 5 for i in range(60)]) * g.G
    assert points.to_bytes() == b"".join(points[i].to_bytes() for i in range(60))
    assert g.identity(3).to_bytes() == bytes(99)


# --- The reference's arithmetic ---


def affine(p: Element) -> tuple[int, int] | None:
    x, y, z = p
    return None if z % P == 0 else (int(x * pow(z, -1, P) % P), int(y * pow(z, -1, P) % P))


def chord(p: tuple[int, int] | None, q: tuple[int, int] | None) -> tuple[int, int] | None:
    """The law of the school book, with all its cases."""
    if p is None or q is None:
        return q if p is None else p
    (x1, y1), (x2, y2) = p, q
    if x1 == x2 and (y1 + y2) % P == 0:
        return None
    slope = 3 * x1 * x1 * pow(2 * y1, -1, P) if p == q else (y2 - y1) * pow(x2 - x1, -1, P)
    x = (slope * slope - x1 - x2) % P
    return x, (slope * (x1 - x) - y1) % P


@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(1, P - 1)), min_size=2, max_size=5))
@settings(deadline=None, max_examples=times(30, deep=1000))
def test_complete_addition_is_that_of_the_school_book(terms: list[tuple[int, int]]) -> None:
    multiples: list[Element] = [C.identity]
    for _ in range(4):
        multiples.append(C.add(multiples[-1], C.generator))
    points = []
    for factor, scale in terms:
        point = multiples[factor] if factor >= 0 else C.neg(multiples[-factor])
        points.append(tuple(coordinate * scale % P for coordinate in point))  # the same point in other coordinates
    total = reduce(C.add, points)
    assert affine(total) == reduce(chord, map(affine, points))
    assert affine(C.double(total)) == chord(affine(total), affine(total))
    x, y, z = total
    assert (y * y * z - x**3 - 7 * z**3) % P == 0 and (z % P or y % P)
    assert C.equal(total, C.identity) == (sum(factor for factor, _ in terms) == 0)


def test_constants() -> None:
    assert P == w.P and w.P % 4 == 3 and pow(w.MAP_Z, (P - 1) // 2, P) == P - 1
    assert (w.GY**2 - w.GX**3 - 7) % P == 0
    assert ORDER == w.ORDER and C.equal(
        C.add(C.generator, reduce(C.add, [C.generator] * 2)), reduce(C.add, [C.generator] * 3)
    )
    assert w.decode(bytes(33)) is C.identity and w.decode(bytes(32)) is None and w.decode(b"\2" * 34) is None
    assert w.decode(b"") is None
