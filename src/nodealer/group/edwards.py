"""ristretto255 (RFC 9496) in plain integers, on extended twisted Edwards coordinates (X, Y, Z, T).

x = X/Z, y = Y/Z, xy = T/Z, on -x² + y² = 1 + d·x²·y². Each element of the group is a coset of four points, so compare
elements only with `equal`, and identify them only by `encode`.
"""

from __future__ import annotations

from nodealer.group.curve import Curve, Element
from nodealer.group.integers import big

# RFC 9496, section 4.1.
P = big(2**255 - 19)
D = big(37095705934669439343138083508754565189542113879843219016388785533085940283555)
SQRT_M1 = big(19681161376707505956807079304988542015446066515923890162744021073123829784752)
SQRT_AD_MINUS_ONE = big(25063068953384623474111414158702152701244531502492656460079210482610430750235)
INVSQRT_A_MINUS_D = big(54469307008909316920995813868745141605393597292927456921205312896311721017578)
ONE_MINUS_D_SQ = big(1159843021668779879193775521855586647937357759715417654439879720876111806838)
D_MINUS_ONE_SQ = big(40440834346308536858101042469323190826248399146238708352240133220865137265952)
ORDER = 2**252 + 27742317777372353535851937790883648493

D2 = 2 * D % P
SQRT_POWER = (P - 5) // 8
MASK_255 = (1 << 255) - 1
SIZE = 32

IDENTITY: Element = (big(0), big(1), big(1), big(0))


def add(p: Element, q: Element) -> Element:
    """Add two points (RFC 8032, section 5.1.4). The formula is complete: there are no special cases."""
    x1, y1, z1, t1 = p
    x2, y2, z2, t2 = q
    a = (y1 - x1) * (y2 - x2)
    b = (y1 + x1) * (y2 + x2)
    c = t1 * t2 % P * D2
    d = 2 * z1 * z2
    e, f, g, h = (b - a) % P, (d - c) % P, (d + c) % P, (b + a) % P
    return e * f % P, g * h % P, f * g % P, e * h % P


def double(p: Element) -> Element:
    """Double a point (RFC 8032, section 5.1.4)."""
    x, y, z, _ = p
    a, b = x * x, y * y
    h = a + b
    e = (h - (x + y) * (x + y)) % P
    g = (a - b) % P
    f = (2 * z * z + g) % P
    h %= P
    return e * f % P, g * h % P, f * g % P, e * h % P


def neg(p: Element) -> Element:
    """Return the negative of a point."""
    x, y, z, t = p
    return -x % P, y, z, -t % P


def equal(p: Element, q: Element) -> bool:
    """Return whether two points represent the same element (RFC 9496, section 4.3.3)."""
    x1, y1, _, _ = p
    x2, y2, _, _ = q
    return (x1 * y2 - y1 * x2) % P == 0 or (y1 * y2 - x1 * x2) % P == 0


def is_negative(value: int) -> bool:
    """Return the least significant bit of the reduced value, which RFC 9496 (section 4.1) calls its sign."""
    return value % P & 1 == 1


def absolute(value: int) -> int:
    """Return the value or its negative, whichever is not negative (RFC 9496, section 4.1)."""
    return -value % P if is_negative(value) else value % P


def sqrt_ratio_m1(u: int, v: int) -> tuple[bool, int]:
    """Return (True, √(u/v)), or (False, √(i·u/v)) if u/v is not a square (RFC 9496, section 4.2)."""
    v3 = v * v % P * v % P
    r = u * v3 % P * pow(u * v3 % P * v3 % P * v % P, SQRT_POWER, P) % P
    check = v * r % P * r % P
    correct, flipped = check == u % P, check == -u % P
    if flipped or check == -u * SQRT_M1 % P:
        r = r * SQRT_M1 % P
    return correct or flipped, absolute(r)


def decode(data: bytes) -> Element | None:
    """Decode an element (RFC 9496, section 4.3.1). Return None for invalid bytes; accept the identity."""
    s = big(int.from_bytes(data, "little"))
    if len(data) != SIZE or s >= P or is_negative(s):
        return None
    ss = s * s % P
    u1, u2 = 1 - ss, 1 + ss
    u2_sqr = u2 * u2 % P
    v = -(D * u1 * u1 + u2_sqr) % P
    was_square, invsqrt = sqrt_ratio_m1(big(1), v * u2_sqr % P)
    den_x = invsqrt * u2 % P
    den_y = invsqrt * den_x * v % P
    x = absolute(2 * s * den_x)
    y = u1 * den_y % P
    t = x * y % P
    if not was_square or is_negative(t) or y == 0:
        return None
    return x, y, big(1), t


def encode(p: Element) -> bytes:
    """Encode an element (RFC 9496, section 4.3.2)."""
    x, y, z, t = p
    u1 = (z + y) * (z - y) % P
    u2 = x * y % P
    _, invsqrt = sqrt_ratio_m1(big(1), u1 * u2 % P * u2 % P)
    den1, den2 = invsqrt * u1 % P, invsqrt * u2 % P
    z_inv = den1 * den2 % P * t % P
    if is_negative(t * z_inv):
        x, y, den_inv = y * SQRT_M1 % P, x * SQRT_M1 % P, den1 * INVSQRT_A_MINUS_D % P
    else:
        den_inv = den2
    if is_negative(x * z_inv):
        y = -y
    return int(absolute(den_inv * (z - y))).to_bytes(SIZE, "little")


def from_uniform(data: bytes) -> Element:
    """Map 64 uniform bytes to an element: add the images of both halves, without their top bits (RFC 9496, 4.3.4)."""
    halves = (int.from_bytes(data[:SIZE], "little"), int.from_bytes(data[SIZE:], "little"))
    first, second = (field_to_element(big(half & MASK_255) % P) for half in halves)
    return add(first, second)


def field_to_element(t: int) -> Element:
    """Map a field element to a group element with MAP, Elligator 2 for this group (RFC 9496, section 4.3.4)."""
    r = SQRT_M1 * t * t % P
    u = (r + 1) * ONE_MINUS_D_SQ % P
    v = (-1 - r * D) * (r + D) % P
    was_square, s = sqrt_ratio_m1(u, v)
    c = -1 if was_square else r
    if not was_square:
        s = -absolute(s * t)
    n = (c * (r - 1) * D_MINUS_ONE_SQ - v) % P
    w0, w1 = 2 * s * v % P, n * SQRT_AD_MINUS_ONE % P
    w2, w3 = (1 - s * s) % P, (1 + s * s) % P
    return w0 * w3 % P, w2 * w1 % P, w1 * w3 % P, w0 * w2 % P


def ed25519_base() -> Element:
    """Return the base point of edwards25519 (RFC 8032: y = 4/5, x even), our generator (RFC 9496, section 4)."""
    y = 4 * pow(big(5), -1, P) % P
    _, x = sqrt_ratio_m1(y * y - 1, D * y * y + 1)
    return x, y, big(1), x * y % P


RISTRETTO255 = Curve(
    name="ristretto255",
    order=ORDER,
    byteorder="little",
    scalar_size=32,
    point_size=SIZE,
    wide_size=64,
    uniform_size=64,
    identity=IDENTITY,
    generator=ed25519_base(),
    add=add,
    double=double,
    neg=neg,
    equal=equal,
    encode=encode,
    decode=decode,
    from_uniform=from_uniform,
)
