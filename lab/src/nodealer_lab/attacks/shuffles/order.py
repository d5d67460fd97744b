"""Attacks on the order of the cards: to learn it, or to leave it unchanged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final

from msgspec import structs
from msgspec.structs import replace as replace_struct

from nodealer.cheats.cheater import Cheater
from nodealer.engine.bodies import Cards, read_body
from nodealer.engine.frame_result import Received
from nodealer.errors import NodealerError
from nodealer.group import Points, concat
from nodealer.group.order import order_of as group_order_of
from nodealer.log.entry import read_entry
from nodealer.proofs import shuffle
from nodealer.proofs.encoding import encodings
from nodealer.proofs.relations import AddMask
from nodealer.protocols.chain.messages import ChainShuffle
from nodealer.protocols.codec import read_message
from nodealer.protocols.duel.messages import DuelShuffle
from nodealer.protocols.lock.messages import Cascade
from nodealer.protocols.mask.messages import MaskShares, MaskShuffle, MaskTags
from nodealer.protocols.mask.rebuild import held_by
from nodealer.protocols.mask.tags import masked
from nodealer.protocols.offset.messages import OffsetShuffle, RequestDealParts, RevealOffset
from nodealer.tape import ROOT_BYTES, Tape, digest, hand_tape
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, AttackMethod, SignedMoment, with_own_claim
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.duel_seats import SMALL_DUEL
from nodealer_lab.attacks.multiples import order_of_multiples
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.proofs.hidden_cards import faces_of
from nodealer_lab.attacks.scene import (
    CardMessage,
    PlayedGame,
    Scene,
    judge,
    play_out,
    play_with_cheater,
    read_honest_game,
    seat_players,
    with_chips,
)
from nodealer_lab.attacks.shuffle_steps import shuffle_turn_of
from nodealer_lab.attacks.truth import DealtDeck, all_faces, bare_encodings, dealt_decks

# --- early ---


class RecordingCheater(Cheater):
    """A cheater that keeps all frames it receives, also those that never enter the log."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        """Create the cheater with an empty record."""
        self.received: list[bytes] = []
        super().__init__(*arguments, **named)

    def receive(self, frame: bytes, number: int | None = None, *, more: bool = False) -> Received:
        """Keep the frame, and receive it as usual."""
        self.received.append(frame)
        return super().receive(frame, number, more=more)


#: The type of the shuffle message of each protocol.
_SHUFFLE_MESSAGES: Final[Mapping[str, type[Cascade] | type[ChainShuffle] | type[OffsetShuffle] | type[DuelShuffle]]] = {
    "lock": Cascade,
    "chain": ChainShuffle,
    "offset": OffsetShuffle,
    "duel": DuelShuffle,
}


def _forge_multiples(moment: SignedMoment) -> bytes:
    """Pass on P, 2·P, 3·P, …: what comes back is a factor times these, in the next seat's order.

    In `offset` a card is a pair. Its second point is then a multiple of its first.
    """
    step = shuffle_turn_of(moment)
    if step is None:
        return moment.honest
    counted = step.group.integers(range(1, step.size + 1))
    first, *others = step.after() if len(step.before) > 1 else step.after(lambda cards: counted * cards[0])
    known = (first, counted * first) if others else (first,)
    return step.message(known, read_message(_SHUFFLE_MESSAGES[moment.deck.binding.protocol], moment.honest).proof)


def _forge_own_multiples(moment: SignedMoment) -> bytes:
    """Pass on P, 2·P, 3·P, … as its own deck of `duel`, which only the rival shuffles afterwards."""
    deck, message = moment.deck, read_message(DuelShuffle, moment.honest)
    if deck.owner != moment.duty.seat:
        return moment.honest
    known = deck.cipher.integers(range(1, deck.size + 1)) * deck.cipher.points(message.cards)[0]
    return encode(replace_struct(message, cards=known.to_bytes()))


def _forge_tags(moment: SignedMoment) -> bytes:
    """In a rebuild of `mask`, send all faces in their order in place of the shuffled cards.

    Held cards stay as they are. The tag of a held card then tells its face.
    """
    message, deck, stage = read_message(MaskTags, moment.honest), moment.deck, moment.deck.stage
    if stage.turn:
        return moment.honest
    group, every, faces = deck.binding.group, masked(stage.points), deck.bare(deck.places.face_down)
    z, rho = deck.tag_secret(moment.tape, moment.duty.seat, every), group.integers(range(1, len(faces) + 1))
    joint = concat(*stage.keys.values()).sum()
    held = every.take(range(len(faces), len(every)))
    points = concat(rho * group.G, held.epk, faces.msg + rho * joint, held.msg)
    return encode(replace_struct(message, cards=(z * points).to_bytes()))


def _can_read_tags(played: PlayedGame) -> bool:
    """Return whether in every rebuild all held cards had the tag of their face. For one card that may be luck."""
    right = list[bool]()
    for one in played.card_messages():
        deck, sharing = one.deck, one.deck.stage
        if one.duty.kind != "share" or len(sharing.said) + 1 < len(deck.binding.players):
            continue
        bare = sharing.tagged.msg - deck.binding.group.points(read_message(MaskShares, one.message).shares)
        for shares in sharing.said.values():
            bare = bare - shares
        tags, faces = encodings(bare), deck.places.face_down
        read = [dict(zip(tags, faces, strict=False)).get(tag) for tag in tags[len(faces) :]]
        right.append(read == [face for seat in deck.binding.players for face in _held_faces(played, one, seat)])
    return bool(right) and all(right)


def _held_faces(played: PlayedGame, one: CardMessage, seat: int) -> list[int]:
    """Return the true faces of a seat's cards, in the order in which it declares them."""
    knows = one.deck.knows(seat, played.tape(seat, one.duty.binding.hand))
    return [knows[one.deck.places.card(position)] for position in held_by(one.deck, seat)]


def _play_early(scene: Scene) -> AttackOutcome:
    """Play with a cheater who records everything, and try to read the victim's answer.

    The attack: a seat passes on a deck that it can still read, with a false proof, and hopes that the next seat
    continues before checking the proof. One secret times points of the cheater's choice reveals an order, or reads a
    card.
    """
    table, stores = seat_players(scene, {scene.cheater: partial(RecordingCheater, attack=EARLY)})
    played = play_out(scene, table, stores)
    cheater, victim = table.participants[scene.cheater], scene.cheater + 1
    if scene.protocol.claims.name == "mask":
        gain = f"reads the card that {scene.names[victim]} holds" if _can_read_tags(played) else None
        return judge(played, gain)
    received = cheater.received if isinstance(cheater, RecordingCheater) else []
    messages = [message for frame in received if (message := _message_of_victim(frame, victim)) is not None]
    reads = (
        _can_read_pairs(messages, scene) if scene.protocol.claims.name == "offset" else _can_read_order(messages, scene)
    )
    return judge(played, f"reads the order in which {scene.names[victim]} shuffled" if reads else None)


def _message_of_victim(frame: bytes, victim: int) -> bytes | None:
    """Return the victim's message about cards in a frame, or None."""
    with suppress(NodealerError):
        entry = read_entry(frame).entry
        body = read_body(bytes(entry.body))
        return bytes(body.message) if entry.seat == victim and isinstance(body, Cards) else None
    return None


def _can_read_order(messages: Sequence[bytes], scene: Scene) -> bool:
    """Return whether one of these messages reveals the order of a shuffle."""
    for message in messages:
        # Other messages cannot be read.
        with suppress(NodealerError):
            shuffled = read_message(_SHUFFLE_MESSAGES[scene.protocol.claims.name], message)
            cards = shuffled.cards if isinstance(shuffled, Cascade | DuelShuffle) else getattr(shuffled, "numbers", b"")
            if order_of_multiples(scene.protocol.group.points(cards)) is not None:
                return True
    return False


def _can_read_pairs(messages: Sequence[bytes], scene: Scene) -> bool:
    """Return whether each pair is a known multiple of its other half, plus the offset that the victim revealed."""
    group, pairs = scene.protocol.group, list[tuple[Points, Points]]()
    for message in messages:
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


#: A seat sends nothing on a log that it has not verified: it settles all pending checks first. What is sent on a false
#: log cannot be taken back, whoever is named for it later.
_VERIFIED: Final = (
    RemovedDefence(
        "nodealer.engine.replica:Replica.settle",
        "while self._pending or self._running:",
        "self._pending, _ = [], self._running.clear()\n    while self._pending:",
    ),
)

EARLY: Final = Attack(
    name="early",
    does="passes on a deck that it can still read, to players who continue before they check the proof",
    ways={
        "lock": (
            AttackMethod(
                "a card doubled, replaced or marked in the cascade",
                {"cascade": _forge_multiples},
                play=_play_early,
                defence=_VERIFIED,
                seat=1,
            ),
        ),
        "offset": (
            AttackMethod(
                "a pair doubled, dropped or foreign in a shuffle",
                {"shuffle": _forge_multiples},
                play=_play_early,
                defence=_VERIFIED,
                seat=1,
            ),
        ),
        "chain": (
            AttackMethod(
                "a number doubled, dropped or foreign in a shuffle",
                {"shuffle": _forge_multiples},
                play=_play_early,
                defence=_VERIFIED,
                seat=1,
                seen="at once",
            ),
        ),
        "duel": (
            AttackMethod(
                "a card doubled, replaced or marked in a shuffle",
                {"shuffle": _forge_own_multiples},
                play=_play_early,
                defence=_VERIFIED,
                seat=0,
                game=SMALL_DUEL,
            ),
        ),
        # In a shuffle, what comes back is masked again and reveals nothing.
        "mask": (
            AttackMethod(
                "a held card substituted, doubled or left out in a rebuild",
                {"tag": _forge_tags},
                play=_play_early,
                defence=_VERIFIED,
                leaver=0,
                seat=1,
            ),
        ),
    },
)


# --- lazy ---

#: The steps that shuffle.
SHUFFLE_STEPS: Final = ("shuffle", "cascade")


def _forge_unmoved_mask(moment: SignedMoment) -> bytes:
    """Attack `mask`: add only its key, and leave all cards where they are.

    The proof is true, because the identity is a permutation.
    """
    deck, stage, seat = moment.deck, moment.deck.stage, moment.duty.seat
    group, given = deck.binding.group, stage.before(deck)
    s = deck.shuffle_secret(moment.tape, seat, stage.epoch)
    S, msg = s * group.G, given.msg + s * given.epk
    relation = AddMask(stage.joint, S, given.epk, given.msg, given.epk, msg)
    proof = shuffle.prove(
        deck.transcript(moment.duty, stage.epoch),
        moment.tape,
        relation,
        group_order_of(range(len(given))),
        lambda d: concat(group.integers([0]), s),
    )
    return encode(MaskShuffle(S.to_bytes(), given.epk.to_bytes(), msg.to_bytes(), proof))


def _forge_unmoved(moment: SignedMoment) -> bytes:
    """Attack the other protocols: multiply every card by one, the secret of its key. The proof is true."""
    step = shuffle_turn_of(moment)
    if step is None:
        return moment.honest
    step = replace(step, s=step.group.integers([1]))
    relation = step.relation(step.before)
    proof = shuffle.prove(step.transcript(), moment.tape, relation, group_order_of(range(step.size)), step.secrets)
    return step.message(step.before, proof)


def _forge_lazy_shuffle(moment: SignedMoment) -> bytes:
    """Pass the deck on unchanged, with a true proof."""
    return _forge_unmoved_mask(moment) if moment.deck.binding.protocol == "mask" else _forge_unmoved(moment)


def _find_unmoved_deck(played: PlayedGame) -> str | None:
    """Find an accepted shuffle of the cheater's that left the deck unchanged.

    Return the gain as a phrase, or None if there is none.
    """
    for one in played.card_messages():
        if one.duty.kind not in SHUFFLE_STEPS or one.duty.seat != played.cheater:
            continue
        # Masked cards are recognised by their masks.
        cards = getattr(one.deck.stage, "cards", None)
        before = getattr(cards, "epk", cards)
        if before is not None and _sent_cards(one) == before.to_bytes():
            return "passes the deck on unchanged, so that anyone can follow every card"
    return None


def _play_lazy(scene: Scene) -> AttackOutcome:
    """Play a game with the cheater, and judge it.

    The message is refused and the table waits, so no bot plays this in a real game.

    The attack: a seat passes the deck on unchanged: nothing masked, nothing moved.
    """
    played = play_with_cheater(LAZY, scene)
    return judge(played, _find_unmoved_deck(played))


def _sent_cards(one: CardMessage) -> bytes:
    """Return the encoded cards of a shuffle message; for `mask`, their masks."""
    match one.deck.binding.protocol:
        case "mask":
            return read_message(MaskShuffle, one.message).epk
        case "lock":
            return read_message(Cascade, one.message).cards
        case _:
            return read_message(DuelShuffle, one.message).cards


#: An unchanged card is refused.
_AS_IT_WAS: Final = RemovedDefence(
    "nodealer.proofs.relations:_refuse_deck", "if (place := outputs.vartime_first_in(inputs)) is not None:", "if False:"
)
LAZY: Final = Attack(
    name="lazy",
    does="passes the deck on unchanged",
    numbers=("A23",),
    law=with_own_claim(
        AttackMethod(
            "a shuffle that masks and moves nothing: it is refused, and the table waits for the seat",
            dict.fromkeys(SHUFFLE_STEPS, _forge_lazy_shuffle),
            defence=(_AS_IT_WAS,),
            play=_play_lazy,
        )
    ),
    # In `offset` and `chain` two functions check this.
    tried_on=("mask", "lock", "duel"),
)


# --- predict ---


def _guessable_roots(played: PlayedGame) -> Iterator[bytes]:
    """Yield roots from bad sources of randomness: repeated bytes, small numbers, and public data of the table."""
    for number in range(256):
        yield bytes([number]) * ROOT_BYTES
        yield number.to_bytes(ROOT_BYTES, "big")
        yield number.to_bytes(ROOT_BYTES, "little")
    session = played.config.session
    members = session.proposal.roster.members
    for known in (session.id, *session.nonces, *(one.key for one in members), *(one.name.encode() for one in members)):
        yield known[:ROOT_BYTES].ljust(ROOT_BYTES, b"\0")
        yield digest("root", known)


def _find_predicted_card(played: PlayedGame) -> str | None:
    """Find cards that can be predicted, in every hand when cards were first dealt.

    Return the gain as a phrase, or None if there is none.

    The attack: an attacker reconstructs the tapes of the others: if they depended on little that is secret, all roots
    could be tried. And if no one shuffled, every card would lie where it was.
    """
    first: dict[tuple[int, int], DealtDeck] = {}
    for one in dealt_decks(played):
        for seat in played.honest_seats:
            if one.hidden_cards(seat):
                first.setdefault((one.hand, seat), one)
    if first and all(_is_unmoved(one, seat) for (_, seat), one in first.items()):
        return "knows every card, because no one shuffles"
    for (hand, seat), one in first.items():
        for root in _guessable_roots(played):
            guess = hand_tape(root, session=played.config.session.id, seat=seat, hand=hand)
            with suppress(NodealerError):
                if one.hidden_cards(seat).items() <= one.deck.knows(seat, guess).items():
                    return f"reads the cards of {played.names[seat]}"
    return None


def _is_unmoved(one: DealtDeck, seat: int) -> bool:
    """Return whether a seat's cards are those that lay there in a new deck."""
    return all(card.position == face for card, face in one.hidden_cards(seat).items())


#: The tape depends on the whole of a root that never leaves its machine.
_ROOT: Final = RemovedDefence(
    "nodealer.tape:hand_tape", 'expand("hand", root,', 'expand("hand", root[:1] * ROOT_BYTES,'
)
PREDICT: Final = Attack(
    name="predict",
    does="predicts what the others draw for their shuffles and keys",
    numbers=("A28",),
    who="a reader of the log",
    law=with_own_claim(
        AttackMethod(
            "shuffles and keys that can be predicted", play=read_honest_game(_find_predicted_card), defence=(_ROOT,)
        )
    ),
)


# --- every seat shuffles ---
#
# The code of each protocol that makes every seat in the hand shuffle.
#
# Without it the last seat is left out: it is not asked for a shuffle. If a shuffle puts a key on the cards, that seat
# has none there, and nothing to remove when each card gets its own key.

#: The defences of each protocol.
EVERY_SEAT_SHUFFLES: Final = {
    "mask": (
        RemovedDefence(
            "nodealer.protocols.mask.shuffle:MaskShuffling._join",
            "keys = {**self.keys, duty.seat: S}",
            "keys = {deck.binding.players[-1]: deck.binding.group.identity(1), **self.keys, duty.seat: S}",
        ),
        RemovedDefence("nodealer.protocols.mask.shuffle:MaskShuffling._next", "self.turn + 1 <", "len(self.keys) <"),
        RemovedDefence(
            "nodealer.protocols.mask.rekey:Rekeying.message",
            "delta = new - deck.shuffle_secret(tape, seat, self.epoch)",
            "delta = new - deck.shuffle_secret(tape, seat, self.epoch) if seat != deck.binding.players[-1] else new",
        ),
    ),
    "lock": (
        RemovedDefence(
            "nodealer.protocols.lock.shuffle:Cascading.duties",
            "deck.binding.players[len(self.keys)]",
            "deck.binding.players[max(len(self.keys) - 1, 0)]",
        ),
        RemovedDefence(
            "nodealer.protocols.lock.shuffle:Cascading.apply",
            "keys={**self.keys, duty.seat: S}",
            "keys={deck.binding.players[-1]: group.G, **self.keys, duty.seat: S}",
        ),
        RemovedDefence(
            "nodealer.protocols.lock.card_lock:Locking.message",
            "old, new = deck.cascade_secret(tape, seat),",
            "old, new = deck.binding.group.integers([1]) if seat == deck.binding.players[-1] "
            "else deck.cascade_secret(tape, seat),",
        ),
    ),
    "offset": (
        RemovedDefence(
            "nodealer.protocols.offset.shuffle:RequestingParts.apply",
            "sorted(said.shuffleOrder) != sorted(players)",
            "False",
        ),
        RemovedDefence(
            "nodealer.protocols.offset.shuffle:RevealingOffsets.duties", "deck.binding.players", "deck.order"
        ),
        RemovedDefence(
            "nodealer.protocols.offset.shuffle:RevealingOffsets.apply", "deck.binding.players", "deck.order"
        ),
    ),
    # A seat without a layer would be dealt no card, so the last seat keeps its layer, in the order that it received.
    "chain": (
        RemovedDefence(
            "nodealer.protocols.chain.deck:ChainDeck.layer_secrets",
            "return LayerSecrets(key, tuple(nonces[at : at + 32] for at in range(0, len(nonces), 32)), tuple(prior))",
            "prior = prior if seat != self.order[-1] else range(self.size)\n"
            "    return LayerSecrets(key, tuple(nonces[at : at + 32] for at in range(0, len(nonces), 32)), "
            "tuple(prior))",
        ),
    ),
    "duel": (
        RemovedDefence(
            "nodealer.protocols.duel.shuffle:_tasks",
            "for seat in (deck.owner, deck.rival)",
            "for seat in (deck.owner, deck.rival) if (kind, seat) != (TaskKind.SHUFFLE, deck.rival)",
        ),
    ),
}


# --- only friends ---


def _forge_shuffle_order(moment: SignedMoment) -> bytes:
    """As the dealer of `offset`, who names the order of the shuffles, leave out the last player."""
    message = read_message(RequestDealParts, moment.honest)
    return encode(structs.replace(message, shuffleOrder=message.shuffleOrder[:-1]))


def _friends_order(deck: Any, seat: int, tape: Tape) -> list[int]:
    """Return the order in which a friend shuffles the deck that it received."""
    stage = deck.stage
    match deck.binding.protocol:
        case "mask":
            S = deck.shuffle_secret(tape, seat, stage.epoch) * deck.binding.group.G
            order, _ = deck.shuffle_draws(tape, seat, stage.epoch, stage.before(deck), stage.joint + S)
        case "lock":
            order = deck.cascade_order(tape, seat, stage.cards)
        case "offset":
            order, _, _ = deck.step_secrets(tape, seat, stage._before(deck))
        case "chain":
            return list(deck.layer_secrets(tape, len(deck.layers)).prior)
        case _:
            order = deck.order(tape, seat, deck.epoch, deck.faces.points)
    places: list[int] = order.vartime_list()
    return places


def _true_faces(one: DealtDeck, played: PlayedGame) -> Mapping[int, int | None]:
    """Return the true face at each place: in the whole deck, or in all hands if only hands can be read."""
    match one.deck.binding.protocol:
        case "chain":
            players = one.deck.binding.players
            return {card.position: face for seat in players for card, face in one.hidden_cards(seat).items()}
        case "duel":
            bare = bare_encodings(one, played, tuple(range(one.deck.size)))
            return dict(enumerate(map(one.deck.faces.index.get, bare)))
        case _:
            return dict(enumerate(all_faces(one, played)))


def _find_card_known_to_friends(played: PlayedGame) -> str | None:
    """Find out whether the friends' orders alone, as if the last seat had moved nothing, give the true faces.

    Return the gain as a phrase, or None if there is none.
    """
    alone, known = len(played.names) - 1, defaultdict[tuple[int, int], list[list[int]]](list)
    for sent in played.card_messages():
        seat, hand = sent.duty.seat, sent.duty.binding.hand
        # A deck with an owner counts only for its owner.
        if sent.duty.kind in SHUFFLE_STEPS and seat != alone and getattr(sent.deck, "owner", seat) == seat:
            known[hand, sent.deck.number].append(_friends_order(sent.deck, seat, played.tape(seat, hand)))
    decks = [one for one in dealt_decks(played) if (one.hand, one.deck.number) in known]
    for one in decks:
        guess, true = faces_of(one, known[one.hand, one.deck.number]), _true_faces(one, played)
        if any(guess[at] != face for at, face in true.items()):
            return None
    own, name = len(played.names) == 2, played.names[alone]
    gain = f"knows the order of its own deck, with {name}'s key on every card" if own else f"reads {name}'s card"
    return gain if decks else None


def _play_only_friends(scene: Scene) -> AttackOutcome:
    """Play a game with the cheater, and judge it.

    The dealer of `offset` names who shuffles, and is refused. On other protocols no seat can name that.

    The attack: all seats but one are friends, and only they shuffle. They then know all orders, and so where every face
    went. The key of the last seat on its cards does not help it.
    """
    played = play_with_cheater(ONLY_FRIENDS, replace(with_chips(scene), hands=1))
    return judge(played, _find_card_known_to_friends(played))


ONLY_FRIENDS: Final = Attack(
    name="only-friends",
    does="shuffles only with its friends, and leaves an honest seat out",
    numbers=("A24",),
    who="a coalition",
    law=with_own_claim(
        AttackMethod(
            "a deck that only friends shuffle",
            {"requestDealParts": _forge_shuffle_order},
            play=_play_only_friends,
            seat=0,
        )
    ),
    law_defences=EVERY_SEAT_SHUFFLES,
)
