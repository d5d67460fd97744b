"""A seat passes on a deck that it can read again, with a false proof, and hopes that the next one goes on before it
looks at the proof: one secret times points of the cheater's choice shows an order, or reads a card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

from msgspec.structs import replace

from nodealer.cheats.cheater import Cheater
from nodealer.errors import NodealerError
from nodealer.group import Points, concat
from nodealer.log.entry import read_entry
from nodealer.play.bodies import Cards, read_body
from nodealer.play.happened import Step
from nodealer.proofs.encoding import encodings
from nodealer.protocols.chain.messages import ChainShuffle
from nodealer.protocols.codec import read_message
from nodealer.protocols.duel.messages import DuelShuffle
from nodealer.protocols.lock.messages import Cascade
from nodealer.protocols.mask.messages import MaskShares, MaskTags
from nodealer.protocols.mask.rebuild import held_by
from nodealer.protocols.mask.tagging import masked
from nodealer.protocols.offset.messages import OffsetShuffle, RevealOffset
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.duelling import SMALL_DUEL
from nodealer_lab.attacks.encodings.multiples import order_of
from nodealer_lab.attacks.outcome import Came
from nodealer_lab.attacks.proofs.steps import shuffle_of
from nodealer_lab.attacks.scene import Played, Said, Scene, judged, played_out, sit


class Listener(Cheater):
    """Keeps all that it hears, also what will be no part of the log."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self.heard: list[bytes] = []
        super().__init__(*arguments, **named)

    def receive(self, frame: bytes, number: int | None = None) -> Step:
        """The next frame."""
        self.heard.append(frame)
        return super().receive(frame, number)


#: The message of a shuffle, by protocol.
_SAID: Final[Mapping[str, type[Cascade] | type[ChainShuffle] | type[OffsetShuffle] | type[DuelShuffle]]] = {
    "lock": Cascade,
    "chain": ChainShuffle,
    "offset": OffsetShuffle,
    "duel": DuelShuffle,
}


def _known(moment: Moment) -> bytes:
    """P, 2·P, 3·P, …: what comes back is some number times these, in the next one's order. In pairs each is so many
    times the other half of its own pair."""
    step = shuffle_of(moment)
    if step is None:
        return moment.honest
    counted = step.group.integers(range(1, step.size + 1))
    first, *others = step.after() if len(step.before) > 1 else step.after(lambda cards: counted * cards[0])
    known = (first, counted * first) if others else (first,)
    return step.message(known, read_message(_SAID[moment.deck.binding.protocol], moment.honest).proof)


def _own(moment: Moment) -> bytes:
    """The same with its own deck, which only the rival shuffles after it."""
    deck, said = moment.deck, read_message(DuelShuffle, moment.honest)
    if deck.owner != moment.duty.seat:
        return moment.honest
    known = deck.cipher.integers(range(1, deck.size + 1)) * deck.cipher.points(said.cards)[0]
    return encode(replace(said, cards=known.to_bytes()))


def _tags(moment: Moment) -> bytes:
    """When a deck of `mask` is made again: all faces in their order in place of the cards that all have shuffled, and
    the cards that are held as they should be. Whoever's tag a held card has then is known."""
    said, deck, stage = read_message(MaskTags, moment.honest), moment.deck, moment.deck.stage
    if stage.turn:
        return moment.honest
    group, every, faces = deck.binding.group, masked(stage.points), deck.bare(deck.places.face_down)
    z, rho = deck.tag_secret(moment.tape, moment.duty.seat, every), group.integers(range(1, len(faces) + 1))
    joint = concat(*stage.keys.values()).sum()
    held = every.take(range(len(faces), len(every)))
    points = concat(rho * group.G, held.epk, faces.msg + rho * joint, held.msg)
    return encode(replace(said, cards=(z * points).to_bytes()))


def _tags_are_read(played: Played) -> bool:
    """In every rebuild all that is held has the tag of its face, as they were put there: for one card that may be luck,
    and the cheater has one of its own to see."""
    right = list[bool]()
    for one in played.said():
        deck, sharing = one.deck, one.deck.stage
        if one.duty.kind != "share" or len(sharing.said) + 1 < len(deck.binding.players):
            continue
        bare = sharing.tagged.msg - deck.binding.group.points(read_message(MaskShares, one.message).shares)
        for shares in sharing.said.values():
            bare = bare - shares
        tags, faces = encodings(bare), deck.places.face_down
        read = [dict(zip(tags, faces, strict=False)).get(tag) for tag in tags[len(faces) :]]
        right.append(read == [face for seat in deck.binding.players for face in _held(played, one, seat)])
    return bool(right) and all(right)


def _held(played: Played, one: Said, seat: int) -> list[int]:
    """What a seat really holds, in the order in which it declares it."""
    knows = one.deck.knows(seat, played.tape(seat, one.duty.binding.hand))
    return [knows[one.deck.places.card(position)] for position in held_by(one.deck, seat)]


def _plays(scene: Scene) -> Came:
    table, homes = sit(scene, {scene.cheater: partial(Listener, attack=EARLY)})
    played = played_out(scene, table, homes)
    cheater, victim = table.participants[scene.cheater], scene.cheater + 1
    if scene.protocol.claims.name == "mask":
        gain = f"reads the card that {scene.names[victim]} holds" if _tags_are_read(played) else None
        return judged(played, gain)
    heard = cheater.heard if isinstance(cheater, Listener) else []
    said = [message for frame in heard if (message := _message(frame, victim)) is not None]
    reads = _pairs_are_read(said, scene) if scene.protocol.claims.name == "offset" else _order_is_read(said, scene)
    return judged(played, f"reads the order in which {scene.names[victim]} shuffled" if reads else None)


def _message(frame: bytes, victim: int) -> bytes | None:
    """What the victim said of the cards in a frame."""
    with suppress(NodealerError):
        entry = read_entry(frame).entry
        body = read_body(bytes(entry.body))
        return bytes(body.message) if entry.seat == victim and isinstance(body, Cards) else None
    return None


def _order_is_read(said: Sequence[bytes], scene: Scene) -> bool:
    for message in said:
        # Where it is about something else there is nothing to read.
        with suppress(NodealerError):
            shuffled = read_message(_SAID[scene.protocol.claims.name], message)
            cards = shuffled.cards if isinstance(shuffled, Cascade | DuelShuffle) else getattr(shuffled, "numbers", b"")
            if order_of(scene.protocol.group.points(cards)) is not None:
                return True
    return False


def _pairs_are_read(said: Sequence[bytes], scene: Scene) -> bool:
    """Every pair is as many times its other half as it was, and the offset that the victim has revealed since."""
    group, pairs = scene.protocol.group, list[tuple[Points, Points]]()
    for message in said:
        with suppress(NodealerError):
            points = group.points(read_message(OffsetShuffle, message).deck)
            half = len(points) // 2
            pairs.append((points[:half], points[half:]))
        with suppress(NodealerError):
            x = group.scalars(read_message(RevealOffset, message).offset)
            A, B = pairs[-1]
            left = A - x * B
            known = [set(encodings(group.integers(range(1, len(B) + 1)) * B[place])) for place in range(len(B))]
            return all(point in found for point, found in zip(encodings(left), known, strict=True))
    return False


#: Nothing leaves a seat on a log that it has not verified: whenever it has something to say, what is owed is settled
#: first. What was said on a false log is out by then, whoever is named for it later.
_VERIFIED: Final = (
    Without(
        "nodealer.play.replica:Replica.settle",
        "while self._owed or self._settling:",
        "self._owed, _ = [], self._settling.clear()\n    while self._owed:",
    ),
)

EARLY: Final = Attack(
    name="early",
    does="passes on a deck that it can read again, for who goes on before looking at the proof",
    ways={
        "lock": (
            Way(
                "a card doubled, replaced or marked in the cascade",
                {"cascade": _known},
                plays=_plays,
                defence=_VERIFIED,
                seat=1,
            ),
        ),
        "offset": (
            Way(
                "a pair doubled, dropped or foreign in a shuffle",
                {"shuffle": _known},
                plays=_plays,
                defence=_VERIFIED,
                seat=1,
            ),
        ),
        "chain": (
            Way(
                "a number doubled, dropped or foreign in a shuffle",
                {"shuffle": _known},
                plays=_plays,
                defence=_VERIFIED,
                seat=1,
                seen="at once",
            ),
        ),
        "duel": (
            Way(
                "a card doubled, replaced or marked in a shuffle",
                {"shuffle": _own},
                plays=_plays,
                defence=_VERIFIED,
                seat=0,
                game=SMALL_DUEL,
            ),
        ),
        # In a shuffle what comes back is masked anew, and shows nothing.
        "mask": (
            Way(
                "a held card substituted, doubled or left out in a rebuild",
                {"tag": _tags},
                plays=_plays,
                defence=_VERIFIED,
                leaver=0,
                seat=1,
            ),
        ),
    },
)
