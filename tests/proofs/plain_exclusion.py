"""The proof about hidden cards a second time: one card, one face and one equation after the other.

Hashes, frames and secrets are made here from docs/spec/proofs.md, with integers for scalars; only single points are
added
and multiplied by the package. The prover lies wherever it is told to. Nothing is taken from `proofs/exclusion.py`,
`proofs/checks.py` or `proofs/transcript.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from nodealer.group import Group, Points
from nodealer.proofs.transcript import Context
from nodealer.tape import Tape


def frame(item: bytes | str | int) -> bytes:
    if isinstance(item, int):
        return b"i" + item.to_bytes(8, "little")
    data = item if isinstance(item, bytes) else item.encode()
    return (b"b" if isinstance(item, bytes) else b"s") + len(data).to_bytes(8, "little") + data


@dataclass
class PlainTranscript:
    """Everything that was absorbed, as one byte string."""

    data: bytes = b""

    def absorb(self, label: str, *items: bytes | str | int) -> None:
        self.data += frame(label) + frame(len(items)) + b"".join(map(frame, items))

    def challenges(self, label: str, group: Group, count: int) -> list[int]:
        self.absorb(label, group.name, count)
        wide = hashlib.shake_256(hashlib.sha512(self.data).digest()).digest(64 * count)
        self.absorb("challenge", wide)
        return [int.from_bytes(wide[at : at + 64], "little") % group.order for at in range(0, len(wide), 64)]

    def secrets(self, tape: Tape, label: str, group: Group, count: int) -> list[int]:
        """From the tape and the state: SHAKE256 of a frame, as tape.py says. No zero comes up in a test."""
        size = 64 * count
        parts: tuple[bytes | str | int, ...] = ("value", tape.seed, label, hashlib.sha512(self.data).digest(), 0, size)
        wide = hashlib.shake_256(b"".join(map(frame, parts))).digest(size)
        return [int.from_bytes(wide[at : at + 64], "little") % group.order for at in range(0, size, 64)]


def begun(context: Context) -> PlainTranscript:
    transcript = PlainTranscript()
    transcript.absorb("nodealer/proof", 1)
    place = (context.protocol, context.version, context.session, context.roster, context.hand, context.deck)
    transcript.absorb("context", *place, context.epoch, context.step, context.seat, context.anchor)
    return transcript


def times(n: int, point: Points) -> Points:
    """n·P."""
    group = point.group
    return group.scalars((n % group.order).to_bytes(32, "little")) * point


def total(group: Group, parts: Sequence[Points]) -> Points:
    found = group.identity(1)
    for part in parts:
        found = found + part
    return found


@dataclass(frozen=True)
class PlainMasked:
    """(u, msg) under the holder's key K and under published keys with this sum. `s` is for who holds it."""

    u: Points
    msg: Points
    off: int
    K: Points
    s: int = 0

    kind = "masked cards"

    @property
    def public(self) -> tuple[Points, ...]:
        return self.u, self.msg, self.K

    @property
    def w(self) -> Points:
        """M + s·u."""
        return self.msg - times(self.off, self.u)

    @property
    def face(self) -> Points:
        return self.w - times(self.s, self.u)

    def secret(self, y: int) -> int:
        return y * self.s % self.u.group.order

    def key_row(self, y: int, x: int) -> Points:
        """0 = y·K − x·G: the right side."""
        return times(y, self.K) - times(x, self.K.group.G)

    def key_image(self, Y: Points) -> Points:
        return Y.group.identity(1)

    def card_row(self, y: int, x: int) -> Points:
        """T = y·w − x·u: the right side."""
        return times(y, self.w) - times(x, self.u)


@dataclass(frozen=True)
class PlainLocked:
    """V under the holder's secret and under published ones with this product."""

    V: Points
    off: int
    K: Points
    s: int = 1

    kind = "locked cards"

    @property
    def public(self) -> tuple[Points, ...]:
        return self.V, self.K

    @property
    def own(self) -> Points:
        """s·M."""
        return times(pow(self.off, -1, self.V.group.order), self.V)

    @property
    def face(self) -> Points:
        return times(pow(self.s, -1, self.V.group.order), self.own)

    def secret(self, y: int) -> int:
        return y * pow(self.s, -1, self.V.group.order) % self.V.group.order

    def key_row(self, y: int, x: int) -> Points:
        """Y = x·K."""
        return times(x, self.K)

    def key_image(self, Y: Points) -> Points:
        return Y

    def card_row(self, y: int, x: int) -> Points:
        """T = x·s·M."""
        return times(x, self.own)


PlainCard = PlainMasked | PlainLocked


def joined(points: Sequence[Points]) -> bytes:
    return b"".join(point.to_bytes() for point in points)


def bind(transcript: PlainTranscript, group: Group, faces: Sequence[Points], cards: Sequence[PlainCard]) -> None:
    transcript.absorb("statement", "hidden cards, none of these faces", group.name, len(faces))
    transcript.absorb("statement", joined(faces))
    transcript.absorb("statement", cards[0].kind, len(cards))
    transcript.absorb("statement", *(joined(points) for points in zip(*(card.public for card in cards), strict=True)))
    transcript.absorb("statement", b"".join(card.off.to_bytes(32, "little") for card in cards))


@dataclass(frozen=True)
class PlainProof:
    """All that is sent."""

    Y: Points
    Z: list[Points]
    T: list[Points]
    C: list[Points] = field(default_factory=list)
    z: list[int] = field(default_factory=list)

    def to_bytes(self) -> bytes:
        """The proof without the products."""
        return b"\1" + b"".join(C.to_bytes() for C in self.C) + b"".join(z.to_bytes(32, "little") for z in self.z)


def weights_of(transcript: PlainTranscript, group: Group, sent: PlainProof) -> tuple[list[int], list[int]]:
    transcript.absorb("commitment", sent.Y.to_bytes(), joined(sent.Z), joined(sent.T))
    weights = transcript.challenges("weights", group, len(sent.Z) + len(sent.T))
    return weights[: len(sent.Z)], weights[len(sent.Z) :]


def refused(context: Context, faces: Sequence[Points], cards: Sequence[PlainCard], sent: PlainProof) -> list[str]:
    """What is wrong with a proof: the names of all checks that fail, each looked at by itself."""
    group, G = faces[0].group, faces[0].group.G
    f, h = len(faces), len(cards)
    assert (len(sent.Z), len(sent.T), len(sent.C), len(sent.z)) == (f, h, h + 3, h + 1)
    products = [point.to_bytes() for point in (*sent.Z, *sent.T)]
    found = ["distinct"] if len(set(products)) < f + h else []
    found += ["zero"] if sent.Y.first_identity() is not None else []
    transcript = begun(context)
    bind(transcript, group, faces, cards)
    alpha, beta = weights_of(transcript, group, sent)
    transcript.absorb("commitment", joined(sent.C))
    (c,) = transcript.challenges("challenge", group, 1)
    y, x = sent.z[0], sent.z[1:]
    if times(y, G) != times(c, sent.Y) + sent.C[0]:
        found.append("key of the products")
    left = total(group, [times(y * alpha[j], faces[j]) for j in range(f)])
    if left != total(group, [times(c * alpha[j], sent.Z[j]) for j in range(f)]) + sent.C[1]:
        found.append("faces")
    for i, card in enumerate(cards):
        if card.key_row(y, x[i]) != times(c, card.key_image(sent.Y)) + sent.C[2 + i]:
            found.append(f"key of card {i}")
    left = total(group, [times(beta[i], card.card_row(y, x[i])) for i, card in enumerate(cards)])
    if left != total(group, [times(c * beta[i], sent.T[i]) for i in range(h)]) + sent.C[2 + h]:
        found.append("cards")
    return found


def prove(
    context: Context,
    tape: Tape,
    faces: Sequence[Points],
    cards: Sequence[PlainCard],
    *,
    y: int | None = None,
    Y: Points | None = None,
    x: Callable[[list[int]], list[int]] | None = None,
    Z: Callable[[int, list[Points]], list[Points]] | None = None,
    T: Callable[[int, list[Points]], list[Points]] | None = None,
    weights: list[int] | None = None,
) -> PlainProof:
    """The honest prover. It may be told its y and its Y, and what to use for the x_i, Z and T, given the honest ones;
    and to take other weights than those that are hashed."""
    group, G, f, h = faces[0].group, faces[0].group.G, len(faces), len(cards)
    transcript = begun(context)
    bind(transcript, group, faces, cards)
    (drawn,) = transcript.secrets(tape, "y", group, 1)
    y = drawn if y is None else y
    used = [card.secret(y) for card in cards]
    used = used if x is None else x(used)
    honest_Z, honest_T = [times(y, face) for face in faces], [times(y, card.face) for card in cards]
    sent = PlainProof(
        times(y, G) if Y is None else Y,
        honest_Z if Z is None else Z(y, honest_Z),
        honest_T if T is None else T(y, honest_T),
    )
    alpha, beta = weights_of(transcript, group, sent)
    if weights is not None:
        alpha, beta = weights[:f], weights[f:]
    k, *k_x = transcript.secrets(tape, "hidden cards, none of these faces", group, h + 1)
    C = [times(k, G), total(group, [times(k * alpha[j], faces[j]) for j in range(f)])]
    C += [card.key_row(k, k_x[i]) for i, card in enumerate(cards)]
    C.append(total(group, [times(beta[i], card.card_row(k, k_x[i])) for i, card in enumerate(cards)]))
    transcript.absorb("commitment", joined(C))
    (c,) = transcript.challenges("challenge", group, 1)
    z = [(c * secret + nonce) % group.order for secret, nonce in zip((y, *used), (k, *k_x), strict=True)]
    return PlainProof(sent.Y, sent.Z, sent.T, C, z)
