"""Attacks on single cards: on the messages of a seat when a card is dealt, shown or played."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Final

from msgspec import Raw
from msgspec.structs import replace as changed
from msgspec.structs import replace as replace_struct

from nodealer.cards.operations import Close
from nodealer.cheats import false_key, other_card
from nodealer.cheats.arrays import falsify_first, multiply, set_at
from nodealer.cheats.cheater import FOLDS, Cheater
from nodealer.engine.bodies import Cards
from nodealer.engine.commands import MakeMove
from nodealer.errors import BadParameter
from nodealer.group import Points, concat
from nodealer.log.entry import read_entry
from nodealer.proofs import linear
from nodealer.protocols.base import MISDEAL
from nodealer.protocols.chain.deck import ContradictedCard
from nodealer.protocols.chain.draw import own_links, prove
from nodealer.protocols.chain.messages import Misdeal, Pass
from nodealer.protocols.codec import read_message
from nodealer.protocols.duel.deck import NONCE_BYTES
from nodealer.protocols.duel.messages import Assemble, DuelReveal
from nodealer.protocols.lock import recovery
from nodealer.protocols.lock.deck import LockDeck
from nodealer.protocols.lock.messages import HeldCards, RaisedCards
from nodealer.protocols.mask import rebuild
from nodealer.protocols.mask.deck import MaskDeck, Masked
from nodealer.protocols.mask.messages import MaskHeld, MaskTags
from nodealer.protocols.offset.messages import RevealOffset
from nodealer.tape import DIGEST_BYTES
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, AttackMethod, Forge, SignedMoment, attack_from_cheat
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.defences import BOOKS, EQUALITY_PROOF, KEY_CHECK
from nodealer_lab.attacks.duel_seats import CARDS, SMALL_DUEL
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.scene import (
    PlayedGame,
    Scene,
    judge,
    play_out,
    play_with_cheater,
    seat_players,
    seeded_entropy,
)
from nodealer_lab.attacks.shuffles.contents import find_known_place, forge_double
from nodealer_lab.attacks.stage import AttackTable, awaits_move_of
from nodealer_lab.attacks.truth import dealt_decks, find_spoilt_card, find_stopped_hand, find_swapped_card
from nodealer_lab.sim.highcard import OWN

# --- false key ---
#
# A seat publishes a key for a dealt or opened card that is not the key the card is under.


def release_methods(forge: Forge) -> dict[str, tuple[AttackMethod, ...]]:
    """Return the methods that forge the keys a seat releases, for the protocols with one key per card and seat."""
    claims = {
        "mask": "a false key for a card that is dealt or opened",
        "lock": "a false secret for a card that is dealt or opened",
    }
    return {
        name: (AttackMethod(claim, {"release": forge}, defence=(KEY_CHECK,), find_gain=find_spoilt_card),)
        for name, claim in claims.items()
    }


_KEYS: Final = {"defence": (KEY_CHECK,), "find_gain": find_spoilt_card}

FALSE_KEY: Final = attack_from_cheat(
    false_key.FALSE_KEY,
    # mask, lock, offset
    _KEYS,
    _KEYS,
    _KEYS,
    # chain
    {"defence": (EQUALITY_PROOF,), "find_gain": find_spoilt_card, "seat": 0},
    # duel
    _KEYS,
    {"defence": (BOOKS,), "find_gain": find_spoilt_card},
    numbers=("A32",),
)


# --- other card ---
#
# A seat shows or plays a different card from the one it holds.

#: Checks that a played card lay where it was drawn.
_PLACE: Final = RemovedDefence(
    "nodealer.protocols.duel.reveal:RevealingCards._refuse_other_places", "if slots != found:", "if False:"
)

#: Compares what is revealed of all places at the end with what was played from them.
_AT_THE_END: Final = RemovedDefence(
    "nodealer.protocols.duel.reveal:RevealingCards._refuse_other_plays",
    "if now.get(position, face) != face:",
    "if False:",
)

OTHER_CARD: Final = attack_from_cheat(
    other_card.OTHER_CARD,
    # chain
    {"defence": (EQUALITY_PROOF,), "find_gain": find_stopped_hand},
    # duel
    {"defence": (_PLACE,), "find_gain": find_swapped_card},
    {"defence": (KEY_CHECK,), "find_gain": find_stopped_hand},
    {"defence": (_AT_THE_END, BOOKS), "find_gain": find_swapped_card},
    numbers=("A33",),
)


# --- other offset ---


def _forge_offset(moment: SignedMoment) -> bytes:
    """Reveal an offset that is one more than the true one.

    The attack: a seat reveals a different offset from the one it shuffled with. No one can find a card then, and all
    else was right.
    """
    message = read_message(RevealOffset, moment.honest)
    return encode(replace_struct(message, offset=falsify_first(moment.deck.binding.group.scalars(message.offset))))


#: The offset must open the commitment that the shuffle proof was about.
_OPENED: Final = RemovedDefence(
    "nodealer.protocols.offset.shuffle:RevealingOffsets.apply",
    "if x * step.R + t * blinding_generator(group) != step.W:",
    "if False:",
)

OTHER_OFFSET: Final = Attack(
    name="other-offset",
    does="reveals a different offset from the one it shuffled with",
    ways={
        "offset": (
            AttackMethod(
                "another offset revealed than the one used in the shuffle",
                {"revealOffset": _forge_offset},
                defence=(_OPENED,),
                find_gain=find_spoilt_card,
            ),
        ),
    },
)


# --- oracle ---

POWER: Final = 7


def _forge_pass(moment: SignedMoment) -> bytes:
    """Replace the card that this seat decrypts by the dealer's own card, which the dealer decrypts next.

    The seat has just looked that card up in the dealer's list.

    The attack: a seat has a card of another player's hand passed around once more, so that its holder removes their own
    key.
    """
    message, deck = read_message(Pass, moment.honest), moment.deck
    dealers = [track for track in deck.stage.tracks if track.to == 0]
    if not message.numbers or not dealers or moment.duty.seat != deck.order[1]:
        return moment.honest
    own = deck.layer_secrets(moment.tape, 1)
    number = deck.layers[0].cards.numbers[own.prior[dealers[0].place]]
    return encode(
        replace_struct(message, numbers=set_at(message.numbers, 0, multiply(number.group, POWER, number).to_bytes()))
    )


def _find_decrypted_card(played: PlayedGame) -> str | None:
    """Find a card of the dealer's hand in what the dealer published, after removing the power.

    Return the gain as a phrase, or None if there is none.
    """
    bare: dict[int, list[int]] = {}
    for one in played.card_messages():
        if one.duty.kind == "pass" and one.duty.seat == one.deck.order[0]:
            group = one.deck.binding.group
            numbers = read_message(Pass, one.message).numbers
            if not numbers:
                continue
            points = group.integers([POWER]).invert() * group.points(numbers)
            found = [one.deck.read(points[place]) for place in range(len(points))]
            bare.setdefault(one.duty.binding.hand, []).extend(card[0] for card in found if card is not None)
    for shown in dealt_decks(played):
        if set(bare.get(shown.hand, ())) & set(shown.hidden_cards(0).values()):
            return f"reads the card of {played.names[0]}"
    return None


ORACLE: Final = Attack(
    name="oracle",
    does="has a card of another player's hand decrypted by its holder",
    numbers=("A34",),
    ways={
        "chain": (
            AttackMethod(
                "a card in another player's hand sent around again to be decrypted",
                {"pass": _forge_pass},
                defence=(EQUALITY_PROOF,),
                find_gain=_find_decrypted_card,
                seat=1,
            ),
        ),
    },
)


# --- held ---


def _highest_face(deck: MaskDeck | LockDeck) -> int:
    """Return the last face of a deck."""
    return (deck.faces.size if isinstance(deck, MaskDeck) else deck.size) - 1


def _replace_first(cards: Points, highest: Points) -> Points:
    """Return the cards with the first one replaced."""
    return concat(highest, cards[1:]) if len(cards) > 1 else highest


def _forge_held_mask(moment: SignedMoment) -> bytes:
    """Attack `mask`: declare the highest face, masked under the joint key as its own card would be.

    The last of the three proof rows is false.

    The attack: a player left, and the others rebuild the deck. A seat declares the highest card instead of the one it
    holds. The highest card is then in no hand, and not in the deck either.
    """
    deck, stage, seat = moment.deck, moment.deck.stage, moment.duty.seat
    positions = rebuild.held_by(deck, seat)
    mine, group = deck.held_cards(positions), deck.binding.group
    s, masks = deck.card_secrets(moment.tape, positions, seat), deck.held_draws(moment.tape, seat, mine, stage.joint)
    faces = _replace_first(mine.msg - s * mine.epk, deck.face_points((_highest_face(deck),)))
    highest = Masked(masks * group.G, faces + masks * stage.joint)
    statement = rebuild._statement(mine, deck.card_keys(positions, seat), highest, stage.joint)
    proof = linear.prove(deck.transcript(moment.duty, deck.epoch), moment.tape, statement, [s, masks])
    return encode(MaskHeld(highest.epk.to_bytes(), highest.msg.to_bytes(), proof))


def _forge_held_lock(moment: SignedMoment) -> bytes:
    """Attack `lock`: declare the highest face under the seat's one secret, as its own card would be.

    The last of the two proof rows is false.
    """
    deck, stage, seat = moment.deck, moment.deck.stage, moment.duty.seat
    positions = stage._mine(deck, seat)
    e = deck.cascade_secret(moment.tape, seat)
    ratio = e * deck.card_secrets(moment.tape, positions, seat).invert()
    own = concat(*(recovery.held_point(deck, position) for position in positions))
    highest = _replace_first(ratio * own, e * deck.face_points((_highest_face(deck),)))
    statement = recovery._statement(deck, seat, positions, stage.keys[seat], highest)
    proof = linear.prove(deck.transcript(moment.duty, deck.epoch), moment.tape, statement, [ratio])
    return encode(HeldCards(highest.to_bytes(), proof))


def _find_missing_highest(played: PlayedGame) -> str | None:
    """Find a rebuilt deck whose highest card is in no hand and not in the deck.

    Return the gain as a phrase, or None if there is none.
    """
    for one in dealt_decks(played):
        deck, pile = one.deck, tuple(one.deck.places.pile)
        if len(deck.layers.all_layers) < 2 or not pile:
            continue
        keys = {seat: deck.card_secrets(played.tape(seat, one.hand), pile, seat) for seat in deck.binding.players}
        held = {face for seat in deck.binding.players for face in one.hidden_cards(seat).values()}
        if _highest_face(deck) not in held | set(deck.unmask(pile, keys)) | set(deck.places.opened.values()):
            return "removes the highest card from the deck"
    return None


#: The declared card must be the one that is held.
_MASK: Final = RemovedDefence(
    "nodealer.protocols.mask.rebuild:_statement",
    "linear.LinearRow(held.msg - fresh.msg, ((0, held.epk), (1, -joint))),",
)
_LOCK: Final = RemovedDefence("nodealer.protocols.lock.recovery:_statement", ", linear.LinearRow(X, ((0, V),)))", ",)")

HELD: Final = Attack(
    name="held",
    does="declares a different card from the one it holds when the deck is rebuilt",
    ways={
        "mask": (
            AttackMethod(
                "a held card substituted, doubled or left out in a rebuild",
                {"held": _forge_held_mask},
                leaver=0,
                defence=(_MASK,),
                find_gain=_find_missing_highest,
            ),
        ),
        "lock": (
            AttackMethod(
                "a held card substituted or left out in a recovery",
                {"held": _forge_held_lock},
                leaver=0,
                defence=(_LOCK,),
                find_gain=_find_missing_highest,
            ),
        ),
    },
)


# --- tag ---


def _forge_tag_mask(moment: SignedMoment) -> bytes:
    """Double the last card, which a player holds.

    The attack: a player left, and the others rebuild the deck. A seat multiplies one card by a different secret than
    the others, so that a held card is not found in the new deck.
    """
    message, group = read_message(MaskTags, moment.honest), moment.deck.binding.group
    last = multiply(group, 2, group.points(message.cards)[-1:])
    return encode(replace_struct(message, cards=set_at(message.cards, -1, last.to_bytes())))


def _forge_tag_lock(moment: SignedMoment) -> bytes:
    """Attack the rebuild of `lock`: double a card that another seat holds, so that it is not found in the new deck."""
    message, group = read_message(RaisedCards, moment.honest), moment.deck.binding.group
    return encode(
        replace_struct(
            message,
            cards=set_at(message.cards, 0, multiply(group, 2, group.points(message.cards)[0]).to_bytes()),
        )
    )


TAG: Final = Attack(
    name="tag",
    does="multiplies a held card by another secret when the deck is rebuilt",
    ways={
        "mask": (
            AttackMethod(
                "a held card substituted, doubled or left out in a rebuild",
                {"tag": _forge_tag_mask},
                leaver=0,
                defence=(EQUALITY_PROOF,),
                find_gain=find_stopped_hand,
            ),
        ),
        "lock": (
            AttackMethod(
                "a held card substituted or left out in a recovery",
                {"raise": _forge_tag_lock},
                leaver=0,
                defence=(EQUALITY_PROOF,),
                find_gain=find_stopped_hand,
            ),
        ),
    },
)


# --- other name ---


def _forge_other_name(moment: SignedMoment) -> bytes:
    """Play the first card under the next name.

    The attack: a seat plays a card under another name, with the nonce of the card that it holds.
    """
    deck, message = moment.deck, read_message(DuelReveal, moment.honest)
    if isinstance(deck.stage.operation, Close) or not message.cards:
        return moment.honest
    first, *rest = message.cards
    return encode(replace_struct(message, cards=((first + 1) % deck.size, *rest)))


OTHER_NAME: Final = Attack(
    name="other-name",
    does="plays a card under another name",
    numbers=("A33",),
    ways={
        "duel": (
            AttackMethod(
                "a card played under another name",
                {"reveal": _forge_other_name},
                # What is revealed of a card must open its commitment.
                defence=(
                    RemovedDefence(
                        "nodealer.protocols.duel.reveal:RevealingCards.apply",
                        "if deck.commitment(card, nonce) != deck.commitments[card]:",
                        "if False:",
                    ),
                ),
                find_gain=find_swapped_card,
            ),
        ),
    },
)


# --- played twice ---


def _forge_second_play(moment: SignedMoment) -> bytes:
    """Reveal a card that was already played: its nonce is known.

    The attack: a seat plays a card again that it has already played, instead of another one that it holds.
    """
    deck, message = moment.deck, read_message(DuelReveal, moment.honest)
    played = next(iter(deck.places.opened.values()), None)
    if isinstance(deck.stage.operation, Close) or not message.cards or played is None:
        return moment.honest
    (nonce,) = deck.nonces(moment.tape, [played])
    return encode(replace_struct(message, cards=(played, *message.cards[1:]), nonces=set_at(message.nonces, 0, nonce)))


PLAYED_TWICE: Final = Attack(
    name="played-twice",
    does="plays a card that it has already played",
    numbers=("A9", "A33"),
    ways={
        "duel": (
            AttackMethod(
                "a card played twice",
                {"reveal": _forge_second_play},
                # A card is compared with the place that it was drawn from.
                defence=(
                    RemovedDefence(
                        "nodealer.protocols.duel.reveal:RevealingCards._refuse_other_places",
                        "if slots != found:",
                        "if False:",
                    ),
                ),
                find_gain=find_swapped_card,
            ),
        ),
    },
)


# --- two names ---

#: The attack tries this many games. It fails in all of them once in 65,536 times.
GAMES_MAX: Final = 16


def _other_name(card: int) -> int:
    """Return the other name of a card: names form pairs, and the second card of a pair has both."""
    return card ^ 1


def _forge_two_names(moment: SignedMoment) -> bytes:
    """Commit to the nonce of every second card under its other name too."""
    deck, message = moment.deck, read_message(Assemble, moment.honest)
    nonces = deck.fresh_nonces(moment.tape, range(CARDS), 0)
    commitments = message.commitments
    for card in range(1, CARDS, 2):
        commitments = set_at(commitments, _other_name(card), deck.commitment(_other_name(card), nonces[card]))
    return encode(Assemble(commitments))


def _forge_name_played(moment: SignedMoment) -> bytes:
    """Play a card under its other name, with the nonce that belongs to both."""
    message = read_message(DuelReveal, moment.honest)
    if len(message.cards) != 1 or not message.cards[0] % 2 or len(message.nonces) != NONCE_BYTES:
        return moment.honest
    return encode(changed(message, cards=(_other_name(message.cards[0]),)))


def _play_two_names(scene: Scene) -> AttackOutcome:
    """Play until the cheater has drawn a card with two names, which half of its cards have.

    The lie is the name under which the card is played: a commitment by itself claims nothing.

    The attack: the owner of a deck commits to one nonce under two names. If a card's point depended on the nonce alone,
    the owner could play that card under either name.
    """
    for seed in range(GAMES_MAX):
        played = play_with_cheater(TWO_NAMES, replace(scene, entropy=seeded_entropy(seed, TWO_NAMES.name)))
        lies = tuple(data for data in played.lies if b'"assemble"' not in bytes(read_entry(data).entry.body))
        if lies:
            return judge(replace(played, lies=lies), find_swapped_card(played))
    raise BadParameter(f"in {GAMES_MAX} games the cheater drew no card with two names")


TWO_NAMES: Final = Attack(
    name="two-names",
    does="commits to one nonce under two names, to play its card as either",
    numbers=("A33",),
    ways={
        "duel": (
            AttackMethod(
                "a card played that was not drawn, or under another name",
                {"assemble": _forge_two_names, "reveal": _forge_name_played},
                # The name is hashed into the point of a card.
                defence=(
                    RemovedDefence(
                        "nodealer.protocols.duel.deck:DuelDeck.committed_points",
                        'framed("card", bound, card, nonce)',
                        'framed("card", bound, nonce)',
                    ),
                ),
                play=_play_two_names,
                game=SMALL_DUEL,
            ),
        ),
    },
)


# --- unopened ---

#: The card without a commitment. The cheater draws one of six, so in 16 games it draws another one at least once.
DEAD: Final = 4


def _forge_empty_commitment(moment: SignedMoment) -> bytes:
    """Commit to zero bytes instead of the nonce of one card."""
    return encode(Assemble(set_at(read_message(Assemble, moment.honest).commitments, DEAD, bytes(DIGEST_BYTES))))


def _find_uncommitted_card(played: PlayedGame) -> str | None:
    """Find a card that was accepted at the end although it does not open its commitment.

    Return the gain as a phrase, or None if there is none.
    """
    for one in played.card_messages():
        if one.deck.owner != played.cheater or one.duty.kind != "reveal":
            continue
        message = read_message(DuelReveal, one.message)
        for place, card in enumerate(message.cards):
            nonce = message.nonces[place * NONCE_BYTES : (place + 1) * NONCE_BYTES]
            if one.deck.commitment(card, nonce) != one.deck.commitments[card]:
                return "has a card in its deck that it never committed to"
    return None


def _play_unopened(scene: Scene) -> AttackOutcome:
    """Play until the cheater has drawn a card with a commitment: without one it could not play, and would be named.

    The attack: the owner of a deck commits to zero bytes instead of a card, so that nothing can be compared with it
    later.
    """
    for seed in range(GAMES_MAX):
        played = play_with_cheater(UNOPENED, replace(scene, entropy=seeded_entropy(seed, UNOPENED.name)))
        drawn = {face for one in dealt_decks(played) for face in one.hidden_cards(scene.cheater).values()}
        if DEAD not in drawn:
            return judge(played, _find_uncommitted_card(played))
    raise BadParameter(f"in {GAMES_MAX} games the cheater always drew the card without a commitment")


UNOPENED: Final = Attack(
    name="unopened",
    does="commits to nothing in place of a card",
    numbers=("A33",),
    ways={
        "duel": (
            AttackMethod(
                "a commitment that does not open",
                {"assemble": _forge_empty_commitment},
                # What is revealed at the end is compared with the commitments, and the disclosures recompute them.
                defence=(
                    RemovedDefence(
                        "nodealer.protocols.duel.reveal:RevealingCards.apply",
                        "if deck.commitment(card, nonce) != deck.commitments[card]:",
                        "if False:",
                    ),
                    BOOKS,
                ),
                play=_play_unopened,
                game=SMALL_DUEL,
            ),
        ),
    },
)


# --- false claim ---


def _play_false_claim(scene: Scene) -> AttackOutcome:
    """Have the cheater claim a misdeal. All that it says of its card is true, but no reason for a claim.

    The attack: a seat claims that its valid card is invalid, so that the others have to disclose and the hand ends.
    """
    stage, seat = AttackTable(scene), scene.cheater
    stage.run_until(awaits_move_of(0))
    deck: Any = stage.state(seat).hand.decks[0]
    duty = next(known.duty for known in stage.state(seat).duties.of_seat(seat).values() if known.duty.kind == MISDEAL)
    tape, index, positions = stage[seat].seat._tape(0), deck.order.index(seat), deck.hidden(seat)
    own = deck.layer_secrets(tape, index)
    links = own_links(deck, own, index, [deck.held[position].place for position in positions])
    bare = deck.bare(seat, tape, positions)
    images = [*links.images, *(deck.held[position].number for position in positions)]
    proof = prove(deck, duty, tape, own.key, [*links.bases, bare], images)
    claim = Misdeal(positions, bare.to_bytes(), b"".join(links.nonces), b"".join(links.names), proof)
    lies = stage.sign_and_send(seat, Cards(duty.id, Raw(encode(claim))))
    stage.run_to_end()
    return stage.outcome(_find_stopped_or_blamed(stage, seat), lies)


def _find_stopped_or_blamed(stage: AttackTable, cheater: int) -> str | None:
    """Find a stopped hand, or a fault that names a seat other than the cheater.

    Return the gain as a phrase, or None if there is none.
    """
    for state in stage.states():
        if state.fault is not None and state.fault.seat not in (None, cheater):
            return "gets the dealer blamed for a valid card"
        if any(isinstance(getattr(deck, "stage", None), ContradictedCard) for deck in state.hand.decks.values()):
            return "stops a hand that it may lose, and no one is named"
    return None


FALSE_CLAIM: Final = Attack(
    name="false-claim",
    does="claims that its card is invalid although it is valid",
    numbers=("A36",),
    ways={
        "chain": (
            AttackMethod(
                "a false misdeal claim",
                play=_play_false_claim,
                defence=(
                    RemovedDefence(
                        "nodealer.protocols.chain.misdeal:MisdealDisputes.apply",
                        "if len(faces) == len(cards) and find_repeated_face(deck, faces) is None:",
                        "if False:",
                    ),
                ),
            ),
        ),
    },
)


# --- conceded ---


class _ConcedingCheater(Cheater):
    """Folds as soon as it may, because it already knows what it came for."""

    def outgoing(self) -> list[bytes]:
        """Return what it owes, and a fold as soon as it may move."""
        frames = super().outgoing()
        if not self.has_seat or self.is_over or self.seat.unconfirmed or not self.seat.must_move:
            return frames
        return [*frames, *self.command(MakeMove(FOLDS[1]))]


def _play_conceded(scene: Scene) -> AttackOutcome:
    """Concede before the deck is shown. Every hand ends with disclosures, also a conceded one.

    The attack: the owner of a deck has spoilt it to know where a card lies, and concedes the hand before the deck is
    checked.
    """
    table, stores = seat_players(scene, {scene.cheater: partial(_ConcedingCheater, attack=CONCEDED)})
    played = play_out(scene, table, stores)
    return judge(played, find_known_place(played))


CONCEDED: Final = Attack(
    name="conceded",
    does="spoils its own deck, and concedes the hand before the deck is checked",
    numbers=("A36",),
    ways={
        "duel": (
            AttackMethod(
                "giving up to avoid the check at the end",
                {"shuffle": forge_double},
                defence=(BOOKS,),
                play=_play_conceded,
                game=OWN,
            ),
        ),
    },
)


ATTACKS: Final = (
    FALSE_KEY,
    OTHER_CARD,
    OTHER_OFFSET,
    ORACLE,
    HELD,
    TAG,
    TWO_NAMES,
    UNOPENED,
    FALSE_CLAIM,
    CONCEDED,
    OTHER_NAME,
    PLAYED_TWICE,
)
