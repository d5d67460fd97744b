"""Attacks on proofs that points were multiplied by one secret, and on the context that a proof belongs to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from msgspec.structs import replace as replace_struct

from nodealer.cheats.arrays import set_at
from nodealer.engine.bodies import Cards, read_body
from nodealer.errors import BadParameter
from nodealer.group import Scalars, concat
from nodealer.group.order import order_of
from nodealer.log.entry import read_entry
from nodealer.proofs import equality, labels, shuffle
from nodealer.proofs.equality import ManyEqualities
from nodealer.proofs.relations import OneOffset
from nodealer.proofs.transcript import Transcript
from nodealer.protocols.base import Cheat
from nodealer.protocols.chain.draw import _given
from nodealer.protocols.chain.messages import Pass
from nodealer.protocols.codec import read_message
from nodealer.protocols.mask.messages import MaskShares, MaskTags
from nodealer.protocols.offset.deck import OffsetPairs
from nodealer.protocols.offset.messages import OffsetShuffle
from nodealer.tape import SEED_BYTES, Tape
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, AttackMethod, AttackScheme, Forge, SignedMoment, with_own_claim
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.defences import IDENTITY
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.scene import PlayedGame, Scene, judge, play_with_cheater, read_honest_game
from nodealer_lab.attacks.shuffle_steps import shuffle_turn_of
from nodealer_lab.attacks.truth import find_spoilt_card, find_stopped_hand

# --- fold ---


def _forge_fold_chain(moment: SignedMoment) -> bytes:
    """As dealer, decrypt the cards of two other seats, and shift the results in opposite directions.

    The attack: many equalities are folded into one row. If the weights did not depend on all points, two false ones
    could cancel.
    """
    message, deck = read_message(Pass, moment.honest), moment.deck
    decrypted = [track for track in deck.stage.tracks if track.decrypted_by(deck.stage.turn)]
    if moment.duty.seat != deck.order[0] or len(decrypted) < 2 or message.names:
        return moment.honest
    bare, images = deck.binding.group.points(message.numbers), concat(*(_given(deck, track) for track in decrypted))
    weights = equality._folding_weights(deck.transcript(moment.duty, 0), deck.layers[0].key, bare, images)
    P = deck.binding.group.G
    moved = concat(bare[0] + weights[1] * P, bare[1] - weights[0] * P, *([bare[2:]] if len(bare) > 2 else []))
    return encode(replace_struct(message, numbers=moved.to_bytes()))


def _forge_fold_mask(moment: SignedMoment) -> bytes:
    """Attack the rebuild of `mask`: shift the tag of a card in the deck against that of a card that a player holds.

    Both equalities are false, and the errors cancel if their weights are known beforehand.
    """
    message, deck = read_message(MaskTags, moment.honest), moment.deck
    group, before = deck.binding.group, deck.stage.points
    after, Z = group.points(message.cards), group.points(message.key)
    weights = equality._folding_weights(deck.transcript(moment.duty, deck.epoch), Z, before, after)
    one, other = len(after) // 2, len(after) - 1
    moved = set_at(message.cards, one, (after[one] + weights[other] * group.G).to_bytes())
    return encode(
        replace_struct(message, cards=set_at(moved, other, (after[other] - weights[one] * group.G).to_bytes()))
    )


#: The weights depend on the whole statement.
_BOUND: Final = RemovedDefence(
    "nodealer.proofs.equality:_folding_weights",
    "transcript.absorb_points(labels.STATEMENT, Z, bases, images)",
    "transcript.absorb_points(labels.STATEMENT, Z)",
)

FOLD: Final = Attack(
    name="fold",
    does="moves two cards in opposite directions, so that a folded proof does not notice",
    numbers=("A13", "A16"),
    ways={
        "mask": (
            AttackMethod(
                "a held card substituted, doubled or left out in a rebuild",
                {"tag": _forge_fold_mask},
                leaver=0,
                defence=(_BOUND,),
                find_gain=find_stopped_hand,
            ),
        ),
        "chain": (
            AttackMethod(
                "a false nonce, prior name or decryption in a draw",
                {"pass": _forge_fold_chain},
                defence=(_BOUND,),
                find_gain=find_spoilt_card,
                seat=0,
            ),
        ),
    },
)


# --- other secret ---


def _forge_other_secret_chain(moment: SignedMoment) -> bytes:
    """As dealer, remove twice its key: one secret for all cards, but not that of the key V.

    The attack: a proof that many points were multiplied by one secret, but not by the secret of the published key.
    """
    message, deck = read_message(Pass, moment.honest), moment.deck
    decrypted = [track for track in deck.stage.tracks if track.decrypted_by(deck.stage.turn)]
    if moment.duty.seat != deck.order[0] or not decrypted or message.names:
        return moment.honest
    images = concat(*(_given(deck, track) for track in decrypted))
    false = deck.binding.group.integers([2]) * deck.layer_secrets(moment.tape, 0).key
    bare, key = false.invert() * images, deck.layers[0].key
    proof = equality.prove_equality(deck.transcript(moment.duty, 0), moment.tape, key, bare, images, false)
    return encode(replace_struct(message, numbers=bare.to_bytes(), proof=proof))


def _forge_other_secret_mask(moment: SignedMoment) -> bytes:
    """Attack the rebuild of `mask`: remove twice its key from all tags, instead of the key once."""
    deck, stage, seat = moment.deck, moment.deck.stage, moment.duty.seat
    epk = stage.tagged.epk
    false = deck.binding.group.integers([2]) * deck.shuffle_secret(moment.tape, seat, deck.epoch)
    shares, transcript = false * epk, deck.transcript(moment.duty, deck.epoch)
    proof = equality.prove_equality(transcript, moment.tape, stage.keys[seat], epk, shares, false)
    return encode(MaskShares(shares.to_bytes(), proof))


#: The key has its own row in the proof.
_KEY_ROW: Final = RemovedDefence("nodealer.proofs.equality:check_equality", "(key_row, folded_row)", "(folded_row,)")

OTHER_SECRET: Final = Attack(
    name="other-secret",
    does="removes a different secret from all cards than that of its key",
    numbers=("A7",),
    ways={
        "mask": (
            AttackMethod(
                "a held card substituted, doubled or left out in a rebuild",
                {"share": _forge_other_secret_mask},
                leaver=0,
                defence=(_KEY_ROW,),
                find_gain=find_stopped_hand,
            ),
        ),
        "chain": (
            AttackMethod(
                "a false nonce, prior name or decryption in a draw",
                {"pass": _forge_other_secret_chain},
                defence=(_KEY_ROW,),
                find_gain=find_spoilt_card,
                seat=0,
            ),
        ),
    },
)


# --- nonce ---


def _find_secret_key(played: PlayedGame) -> str | None:
    """Find a secret key from two checks T + c·Z = ẑ·G, which anyone can compute, that share T.

    Return the gain as a phrase, or None if there is none.

    The attack: one nonce in two proofs reveals the secret: two answers, two challenges, one unknown.

    It does not matter what the nonce depends on instead of its statement, as long as two statements can share it:
    nothing at all, or the head of the log, on which a seat may answer two requests. Here no seat proves two things with
    one key on one head, so the attack removes everything.
    """
    seen: dict[bytes, tuple[Scalars, Scalars]] = {}
    for one in played.card_messages():
        for check in one.checks:
            if check.name != f"proof of {labels.EQUALITY}":
                continue
            (_, T), (c, Z), (minus_z, G) = check.equations[0].terms
            c_2, minus_z_2 = seen.setdefault(T.to_bytes() + Z.to_bytes(), (c, minus_z))
            if c_2 == c:
                continue
            secret = (minus_z_2 - minus_z) * (c - c_2).invert()
            if secret * G == Z:
                return f"computes the secret key of {played.names[check.seat]}"
    return None


#: A nonce depends on the whole statement, so no two statements share one.
_STATEMENT: Final = RemovedDefence("nodealer.proofs.transcript:Transcript.nonces", "self._hash.digest()", 'b""')
NONCE: Final = Attack(
    name="nonce",
    does="looks for two proofs with the same nonce, to compute the secret",
    numbers=("A29",),
    who="a reader of the log",
    law=with_own_claim(
        AttackMethod(
            "a secret computed from two proofs with the same nonce",
            play=read_honest_game(_find_secret_key),
            defence=(_STATEMENT,),
        )
    ),
    tried_on=("chain",),
)


# --- elsewhere ---

#: The same deck, moved to another context.
ELSEWHERE: Final[dict[str, Callable[[Any], Any]]] = {
    "another hand": lambda deck: deck.with_fields(binding=replace(deck.binding, hand=deck.binding.hand + 1)),
    "another deck": lambda deck: deck.with_fields(number=deck.number + 1),
    "another session": lambda deck: deck.with_fields(binding=replace(deck.binding, session=bytes(32))),
}


def _forge_moved_proof(move_deck: Callable[[Any], Any]) -> Forge:
    """Return a forgery: an honest shuffle whose proof was made for another deck, the one that `move_deck` returns."""

    def forge(moment: SignedMoment) -> bytes:
        """Return an honest shuffle with a proof that belongs to the moved deck. Other messages stay honest."""
        step = shuffle_turn_of(moment)
        if step is None:
            return moment.honest
        cards, there = step.after(), step.transcript(move_deck(moment.deck))
        # With another tape: it must differ from the proof made here.
        other, order = Tape(bytes(SEED_BYTES)), order_of(step.order)
        return step.message(cards, shuffle.prove(there, other, step.relation(cards), order, step.secrets))

    return forge


def _find_accepted_lie(played: PlayedGame, where: str) -> str | None:
    """Find a lie that was accepted as a message about cards. Return the gain as a phrase, or None if there is none."""
    bodies = [read_body(bytes(read_entry(data).entry.body)) for data in played.lies]
    lies = {bytes(body.message) for body in bodies if isinstance(body, Cards)}
    false = any(one.message in lies for one in played.card_messages())
    return f"gets a proof of {where} accepted" if false else None


def _play_elsewhere(scene: Scene) -> AttackOutcome:
    """Play three games in which the cheater's proof belongs to another hand, another deck or another session.

    Return their common outcome.

    The attack: a seat shuffles honestly, with a proof that it made earlier or was given, and that belongs to another
    context.
    """
    outcomes = []
    for where, moved in ELSEWHERE.items():
        forge = _forge_moved_proof(moved)
        way = replace(_METHOD, forge={"shuffle": forge, "cascade": forge}, play=None)
        played = play_with_cheater(
            replace(FROM_ELSEWHERE, law=AttackScheme(way, _ELSEWHERE_CLAIM)), replace(scene, hands=1)
        )
        outcomes.append(judge(played, _find_accepted_lie(played, where)))
    return _common_outcome(outcomes)


def _common_outcome(outcomes: Sequence[AttackOutcome]) -> AttackOutcome:
    """Return the common outcome of all contexts. Raise `BadParameter` if they differ."""
    first, *others = outcomes
    if any(
        (one.seen, one.culprit, one.gain is None) != (first.seen, first.culprit, first.gain is None) for one in others
    ):
        raise BadParameter(f"another hand, deck and session have different outcomes: {outcomes}")
    return first


_ELSEWHERE_CLAIM: Final = Cheat("a message from another hand, deck or session", "at once", True)
_METHOD: Final = AttackMethod(
    _ELSEWHERE_CLAIM.cheat,
    # The context of a proof says where it belongs, and is part of every challenge.
    defence=(
        RemovedDefence(
            "nodealer.proofs.transcript:Context.transcript",
            "self.session,\n        self.roster,\n        self.hand,\n        self.deck,",
            'b"", self.roster, 0, 0,',
        ),
    ),
    play=_play_elsewhere,
)
FROM_ELSEWHERE: Final = Attack(
    name="from-elsewhere",
    does="shuffles with a proof from another hand, deck or session",
    numbers=("A43",),
    law=AttackScheme(_METHOD, _ELSEWHERE_CLAIM),
)


# --- fits all ---


class _UncheckedEqualities(ManyEqualities):
    """A statement that also accepts the identity, which the honest prover refuses."""

    def bind(self, transcript: Transcript) -> None:
        """Absorb the statement as the base class does, but without refusing the identity."""
        transcript.absorb(labels.STATEMENT, labels.EQUALITY_MANY, self.keys.group.name, len(self.images))
        transcript.absorb_points(labels.STATEMENT, *(points for _, points in self.arrays))


def _forge_identity_pair(moment: SignedMoment) -> bytes:
    """Multiply the first pair of the deck by zero, so that it becomes two identities. Leave the order unchanged."""
    deck, group, seat = moment.deck, moment.deck.binding.group, moment.duty.seat
    message, before = read_message(OffsetShuffle, moment.honest), deck.stage._before(deck)
    _, scales, rest = deck.step_secrets(moment.tape, seat, before)
    scales, r, w, t = concat(group.integers([0]), scales[1:]), rest[0], rest[0] * rest[1], rest[2]
    scaled = OffsetPairs(scales * before.A, scales * before.B)
    after = OffsetPairs(r * scaled.A + w * scaled.B, r * scaled.B)
    transcript = deck.transcript(moment.duty, 0)
    each = _UncheckedEqualities(before.B, scaled.B, before.A, scaled.A)
    first = equality.prove_many_equalities(transcript, moment.tape, each, scales)
    R, W = group.points(message.key), group.points(message.commitment)
    relation, order = OneOffset(R, W, scaled.A, scaled.B, after.A, after.B), order_of(range(deck.size))
    second = shuffle.prove(transcript, moment.tape, relation, order, lambda d: concat(r, w, t))
    return encode(
        replace_struct(message, deck=after.to_bytes(), scaled=scaled.to_bytes(), scaledProof=first, proof=second)
    )


def _play_fits_all(scene: Scene) -> AttackOutcome:
    """Play a game with the cheater, and judge it.

    The message is refused and the table waits, so no bot plays this in a real game.

    The attack: a pair of two identities. Any number times the identity is the identity, so the pair fits every key, and
    whatever is proven of it is true. Every other card is then in two places, and its holder cannot read it.
    """
    played = play_with_cheater(FITS_ALL, scene)
    return judge(played, find_spoilt_card(played))


FITS_ALL: Final = Attack(
    name="fits-all",
    does="puts a pair of identities into the deck, which fits every key",
    numbers=("A22",),
    law=with_own_claim(
        AttackMethod(
            "a pair of identities, which fits every key: it is refused",
            {"shuffle": _forge_identity_pair},
            play=_play_fits_all,
            # The identity is refused when points are read, in the proof of the factors, and in the shuffle proof.
            defence=(
                IDENTITY,
                RemovedDefence(
                    "nodealer.proofs.equality:_refuse_identities", "points.first_identity() is not None", "False"
                ),
                RemovedDefence("nodealer.proofs.relations:_refuse_deck", "_refuse_identity(outputs)", "return"),
            ),
        )
    ),
    tried_on=("offset",),
)
