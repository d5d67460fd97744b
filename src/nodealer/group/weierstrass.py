"""secp256k1 (SEC 2, section 2.4.1) in plain integers, on projective coordinates (X, Y, Z).

x = X/Z, y = Y/Z, on y² = x³ + 7. The identity is (0, 1, 0). SEC 1 encodes it as a single byte and has no 33-byte
encoding for it. Here it is encoded as 33 zeros, which are hashed but never sent.
"""

from __future__ import annotations

from collections.abc import Sequence

from nodealer.group.curve import Curve, Element
from nodealer.group.integers import big

# SEC 2, section 2.4.1.
P = big(2**256 - 2**32 - 977)
B = 7
ORDER = 2**256 - 432420386565659656852420866394968145599
GX = big(0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798)
GY = big(0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8)

B3 = 3 * B
SQRT_POWER = (P + 1) // 4
SIZE = 33

IDENTITY: Element = (big(0), big(1), big(0))

# RFC 9380, section 8.7: the curve y² = x³ + A·x + B that the map targets, and its Z.
MAP_A = big(0x3F8731ABDD661ADCA08A5558F0F5D272E953D363CB6F0E5D405447C01A444533)
MAP_B = big(1771)
MAP_Z = -11 % P
UNIFORM = 48

# RFC 9380, appendix E.1: the isogeny from that curve to ours, as polynomials in x, lowest coefficient first.
X_NUM = (
    big(0x8E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38DAAAAA8C7),
    big(0x7D3D4C80BC321D5B9F315CEA7FD44C5D595D2FC0BF63B92DFFF1044F17C6581),
    big(0x534C328D23F234E6E2A413DECA25CAECE4506144037C40314ECBD0B53D9DD262),
    big(0x8E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38E38DAAAAA88C),
)
X_DEN = (
    big(0xD35771193D94918A9CA34CCBB7B640DD86CD409542F8487D9FE6B745781EB49B),
    big(0xEDADC6F64383DC1DF7C4B2D51B54225406D36B641F5E41BBC52A56612A8C6D14),
    big(1),
)
Y_NUM = (
    big(0x4BDA12F684BDA12F684BDA12F684BDA12F684BDA12F684BDA12F684B8E38E23C),
    big(0xC75E0C32D5CB7C0FA9D0A54B12A0A6D5647AB046D686DA6FDFFC90FC201D71A3),
    big(0x29A6194691F91A73715209EF6512E576722830A201BE2018A765E85A9ECEE931),
    big(0x2F684BDA12F684BDA12F684BDA12F684BDA12F684BDA12F684BDA12F38E38D84),
)
Y_DEN = (
    big(0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEFFFFF93B),
    big(0x7A06534BB8BDB49FD5E9E6632722C2989467C1BFC8E8D978DFB425D2685C2573),
    big(0x6484AA716545CA2CF3A70C3FA8FE337E0A3D21162F0D6299A7BF8192BFD2A76F),
    big(1),
)


def add(p: Element, q: Element) -> Element:
    """Add two points: algorithm 7 of Renes, Costello and Batina 2015 (eprint 1060). Complete, so no special cases."""
    x1, y1, z1 = p
    x2, y2, z2 = q
    xx, yy, bzz = x1 * x2 % P, y1 * y2 % P, B3 * z1 * z2 % P
    xy = (x1 * y2 + x2 * y1) % P
    yz = (y1 * z2 + y2 * z1) % P
    xz = (x1 * z2 + x2 * z1) % P
    less, more = yy - bzz, yy + bzz
    return (xy * less - B3 * yz * xz) % P, (more * less + 3 * B3 * xx * xz) % P, (yz * more + 3 * xx * xy) % P


def double(p: Element) -> Element:
    """Double a point: algorithm 9 of the same paper."""
    x, y, z = p
    yy, bzz = y * y % P, B3 * z * z % P
    less = yy - 3 * bzz
    return 2 * x * y * less % P, (less * (yy + bzz) + 8 * yy * bzz) % P, 8 * yy * y % P * z % P


def neg(p: Element) -> Element:
    """Return the negative of a point."""
    x, y, z = p
    return x, -y % P, z


def equal(p: Element, q: Element) -> bool:
    """Return whether two points are equal, whatever their projective coordinates."""
    x1, y1, z1 = p
    x2, y2, z2 = q
    return (x1 * z2 - x2 * z1) % P == 0 and (y1 * z2 - y2 * z1) % P == 0


def root(value: int) -> int | None:
    """Return a square root modulo P, or None if there is none."""
    found = pow(value, SQRT_POWER, P)
    return found if found * found % P == value % P else None


def decode(data: bytes) -> Element | None:
    """Decode a compressed point (SEC 1, section 2.3.4). Return None for invalid bytes; accept the identity."""
    if data == bytes(SIZE):
        return IDENTITY
    x = big(int.from_bytes(data[1:], "big"))
    if len(data) != SIZE or data[0] not in (2, 3) or x >= P:
        return None
    y = root(x * x * x + B)
    if y is None:
        return None
    return x, y if y & 1 == data[0] & 1 else P - y, big(1)


def encode(p: Element) -> bytes:
    """Encode a point in compressed form (SEC 1, section 2.3.3)."""
    x, y, z = p
    if z == 0:
        return bytes(SIZE)
    inverse = pow(z, -1, P)
    return bytes([2 + int(y * inverse % P & 1)]) + int(x * inverse % P).to_bytes(SIZE - 1, "big")


def from_uniform(data: bytes) -> Element:
    """Map 96 uniform bytes to a point: add the images of both halves (RFC 9380, section 3; the cofactor is 1)."""
    halves = (data[:UNIFORM], data[UNIFORM:])
    first, second = (map_to_curve(big(int.from_bytes(half, "big")) % P) for half in halves)
    return add(first, second)


def map_to_curve(u: int) -> Element:
    """Map a field element to the isogenous curve, and from there to ours (RFC 9380, section 6.6.3)."""
    return isogeny(*simple_swu(u))


def simple_swu(u: int) -> tuple[int, int]:
    """Map a field element to a point of the isogenous curve (RFC 9380, section 6.6.2)."""
    zuu = MAP_Z * u * u % P
    denominator = (zuu * zuu + zuu) % P
    if denominator:
        x = -MAP_B * pow(MAP_A, -1, P) * (1 + pow(denominator, -1, P)) % P
    else:
        x = MAP_B * pow(MAP_Z * MAP_A, -1, P) % P
    y = root(x * x * x + MAP_A * x + MAP_B)
    if y is None:
        # Z is not a square, so one of the two always has a root.
        x = zuu * x % P
        y = root(x * x * x + MAP_A * x + MAP_B)
    if y is None:
        raise ArithmeticError("a field element does not map to any point of the curve")
    return x, y if y & 1 == u & 1 else -y % P


def isogeny(x: int, y: int) -> Element:
    """Map a point of the isogenous curve to ours (RFC 9380, appendix E.1).

    No denominator is zero: both curves have prime order, so the kernel contains no other point.
    """
    x_num, x_den, y_num, y_den = (polynomial(k, x) for k in (X_NUM, X_DEN, Y_NUM, Y_DEN))
    return x_num * y_den % P, y * y_num * x_den % P, x_den * y_den % P


def polynomial(coefficients: Sequence[int], x: int) -> int:
    """Evaluate a polynomial, given by its coefficients from the lowest up, at x modulo P."""
    value = big(0)
    for coefficient in reversed(coefficients):
        value = (value * x + coefficient) % P
    return value


SECP256K1 = Curve(
    name="secp256k1",
    order=ORDER,
    byteorder="big",
    scalar_size=32,
    point_size=SIZE,
    wide_size=64,
    uniform_size=2 * UNIFORM,
    identity=IDENTITY,
    generator=(GX, GY, big(1)),
    add=add,
    double=double,
    neg=neg,
    equal=equal,
    encode=encode,
    decode=decode,
    from_uniform=from_uniform,
)
