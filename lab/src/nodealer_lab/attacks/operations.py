"""Attacks on operations: passing, peeking, searching, dice, sealed bids, and rebuilding a deck after a player left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from msgspec import Raw
from msgspec.structs import replace as replace_struct

from nodealer.cards.operations import Card, Look
from nodealer.cheats.arrays import set_at
from nodealer.cheats.cheater import Cheater
from nodealer.engine.bodies import Cards, Leave
from nodealer.engine.commands import AnswerQuestion, LeaveHand
from nodealer.engine.participant import Participant
from nodealer.errors import CardUnreadable
from nodealer.games.free.rules import DealCards, LookAt, MixHand, OpenCards, PassOn, Roll, SealAll, ShowCards, UnsealAll
from nodealer.group import Points, Scalars, concat
from nodealer.proofs import equality
from nodealer.proofs.encoding import encodings
from nodealer.proofs.equality import ManyEqualities
from nodealer.proofs.transcript import draw_scalars
from nodealer.protocols.base import MISDEAL
from nodealer.protocols.chain.deck import ContradictedCard
from nodealer.protocols.chain.draw import own_links, prove
from nodealer.protocols.chain.messages import Misdeal
from nodealer.protocols.codec import read_message
from nodealer.protocols.dice import COMMIT, OPEN, Dice, RollCommit, RollOpen
from nodealer.protocols.duel.messages import DuelGather, Take
from nodealer.protocols.envelopes import SALT_BYTES, SEAL, UNSEAL, Sealing, Unsealing
from nodealer.protocols.lock.messages import Pick
from nodealer.protocols.mask.deck import MaskDeck, Masked
from nodealer.protocols.mask.messages import MaskHand, MaskJoin, MaskMix, MaskReceive, MaskShares, MaskTell
from nodealer.protocols.mask.rebuild import MaskDeclaring
from nodealer.protocols.mask.tags import masked
from nodealer.tape import Tape
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, AttackMethod, SignedMoment, with_own_claim
from nodealer_lab.attacks.defence import RemovedDefence
from nodealer_lab.attacks.defences import BOOKS, EACH_PROOF, SHUFFLE_PROOF
from nodealer_lab.attacks.duel_seats import SEARCHED_DUEL, SPENT_DUEL
from nodealer_lab.attacks.free_table import (
    deal_free_table,
    face_not_held,
    face_of,
    hand_of,
    lies_of,
    open_free_table,
    without_proof_check,
)
from nodealer_lab.attacks.outcome import AttackOutcome
from nodealer_lab.attacks.scene import CardMessage, PlayedGame, Scene, card_messages_in, judge, play_with_cheater
from nodealer_lab.attacks.secrets import KNOWLEDGE_PROOF, players_with_cheater_first
from nodealer_lab.attacks.stage import AttackTable
from nodealer_lab.attacks.truth import bare_encodings, dealt_decks

# --- copied dice ---

VICTIM: Final = 0


def _forge_commit(moment: SignedMoment) -> bytes:
    """Commit to the dice with a copy of the victim's commitment, once it is known."""
    copied = moment.deck.commitments.get(VICTIM)
    return moment.honest if copied is None else encode(RollCommit(copied))


def _forge_open(moment: SignedMoment) -> bytes:
    """Open a copy of the victim's share of the dice, once it is known."""
    copied = moment.deck.shares.get(VICTIM)
    return moment.honest if copied is None else encode(RollOpen(copied))


def _play_copied_dice(scene: Scene) -> AttackOutcome:
    """Roll with a cheater that contributes nothing of its own.

    The attack: a seat copies another seat's commitment to the dice, and opens what the other has opened.
    """
    stage = deal_free_table(COPIED_DICE, scene, each=0)
    stage.play_move(0, Roll(1, (6, 6)))
    dice = [one for state in stage.states() for one in state.hand.decks.values() if isinstance(one, Dice)]
    same = any(one.shares.get(VICTIM) == one.shares.get(scene.cheater) for one in dice if one.shares)
    return stage.outcome("rolls with another seat's share" if same else None, lies_of(stage, scene.cheater))


COPIED_DICE: Final = Attack(
    name="copied-dice",
    does="copies another seat's commitment to the dice",
    numbers=("A37",),
    law=with_own_claim(
        AttackMethod(
            "another seat's commitment to the dice",
            {COMMIT: _forge_commit, OPEN: _forge_open},
            late=(COMMIT, OPEN),
            play=_play_copied_dice,
            defence=(
                RemovedDefence(
                    "nodealer.protocols.dice:Dice._commitment", "self.origin, seat, share", "self.origin, share"
                ),
            ),
        ),
        "at opening",
        culprit=True,
    ),
    tried_on=("mask", "lock", "offset", "chain"),
)


# --- passed ---

RECEIVER: Final = 0


def _forge_passed_card(moment: SignedMoment) -> bytes:
    """Pass a face of its choice, under the receiver's key, instead of the card that it named."""
    message, group = read_message(MaskHand, moment.honest), moment.deck.binding.group
    stage: Any = moment.deck.stage
    (position,) = stage._positions(moment.duty.seat)
    shift = face_not_held(moment) - moment.deck.face_points((face_of(moment, position),))
    return encode(replace_struct(message, msg=(group.points(message.msg) + shift).to_bytes()))


def _play_passed(scene: Scene) -> AttackOutcome:
    """Have the cheater pass a card, and compare it with the one that the receiver gets.

    The attack: a seat passes on a different card from the one it named, and keeps what it has.
    """
    stage = deal_free_table(PASSED, scene)
    held = hand_of(stage, scene.cheater)
    position, before = min(held), hand_of(stage, RECEIVER)
    stage.play_move(scene.cheater, PassOn(0, (position,), RECEIVER))
    got = [face for place, face in hand_of(stage, RECEIVER).items() if place not in before]
    gain = "passes on a different card from the one it held" if got and got != [held[position]] else None
    return stage.outcome(gain, lies_of(stage, scene.cheater))


PASSED: Final = Attack(
    name="passed",
    does="passes on a different card from the one it named",
    numbers=("A33",),
    ways={
        "mask": (
            AttackMethod(
                "a card that is passed or shown to one player exchanged for another",
                {"hand": _forge_passed_card},
                play=_play_passed,
                defence=(without_proof_check("nodealer.protocols.mask.transfer:HandingOver.apply"),),
            ),
        ),
    },
)


# --- rogue join ---

LEAVER: Final = 1


def _joint_secret(deck: MaskDeck, tape: Tape) -> Scalars:
    """Return the secret that the cheater wants the joint key to have."""
    return draw_scalars(tape, "rogue", b"", deck.binding.group, 1)


def _forge_join(moment: SignedMoment) -> bytes:
    """Join with a key that gives the joint key a known secret."""
    message, deck = read_message(MaskJoin, moment.honest), moment.deck
    others = concat(*deck.stage.said.values()).sum()
    rogue = _joint_secret(deck, moment.tape) * deck.binding.group.G - others
    return encode(replace_struct(message, key=rogue.to_bytes()))


def _play_rogue_join(scene: Scene) -> AttackOutcome:
    """Rebuild a deck, and read what the victim declares in the log under the joint key.

    The attack: a player leaves, and the last to join the rebuild derives its key from the others'. What they hold is
    then put under a joint key whose secret it knows.
    """
    stage = deal_free_table(ROGUE_JOIN, scene, each=1)
    true = set(hand_of(stage, VICTIM).values())
    tape = stage[scene.cheater].seat._tape(0)
    stage.send(stage[LEAVER].command(LeaveHand()))
    stage.run_to_end()
    gain = None
    for state in stage.states():
        for deck in state.hand.decks.values():
            if isinstance(deck, MaskDeck) and isinstance(deck.stage, MaskDeclaring) and VICTIM in deck.stage.said:
                declared = deck.stage.said[VICTIM]
                faces = deck.faces.find(declared.msg - _joint_secret(deck, tape) * declared.epk)
                gain = "reads Ada's card" if set(faces) == true else gain
    return stage.outcome(gain, lies_of(stage, scene.cheater))


ROGUE_JOIN: Final = Attack(
    name="rogue-join",
    does="derives its key from the others' when a deck is rebuilt",
    numbers=("A25",),
    ways={
        "mask": (
            AttackMethod(
                "a key chosen to cancel the others, or copied",
                {"join": _forge_join},
                late=("join",),
                play=_play_rogue_join,
                defence=(KNOWLEDGE_PROOF,),
            ),
        ),
    },
)


# --- rolled again ---


class _NeverOpens(Cheater):
    """A participant that does not open its share of the dice."""

    def outgoing(self) -> list[bytes]:
        """Return nothing while it owes the opening of the dice."""
        mine = self.replica.state.duties.of_seat(self.seat.number).values() if self.has_seat else ()
        return [] if any(known.duty.kind == OPEN for known in mine) else super().outgoing()


def _play_rolled_again(scene: Scene) -> AttackOutcome:
    """Let all others open their shares, so that only the cheater knows the dice. Then it leaves.

    The attack: a player who is the first to see bad dice leaves, so that their friends roll again without them.
    """
    stage = deal_free_table(ROLLED_AGAIN, scene, each=0, maker=_NeverOpens)
    stage.play_move(0, Roll(1, (6, 6)))
    stage.sign_and_send(scene.cheater, Leave())
    stage.run_to_end()
    rolled = _has_rolled(stage[0])
    return stage.outcome("makes the others roll again without it" if rolled else None)


def _has_rolled(one: Participant) -> bool:
    """Return whether the dice have a result although a share is missing for good."""
    return any(
        isinstance(deck, Dice) and len(deck.shares) == len(deck.seats) for deck in one.replica.state.hand.decks.values()
    )


ROLLED_AGAIN: Final = Attack(
    name="rolled-again",
    does="leaves once it knows the dice, to have them rolled again",
    numbers=("A37", "A38"),
    law=with_own_claim(
        AttackMethod(
            "a seat that leaves instead of opening the dice, to have them rolled again",
            play=_play_rolled_again,
            defence=(RemovedDefence("nodealer.protocols.dice:Dice.without", "if self._all_committed:", "if False:"),),
        )
    ),
    # On other protocols the hand ends when a player leaves.
    tried_on=("mask", "lock"),
)


# --- told ---

PEEKER: Final = 0


def _forge_tell(moment: SignedMoment) -> bytes:
    """Shift the card, guessing its face: this turns one face into another, and all others into nothing."""
    message, group, deck = read_message(MaskTell, moment.honest), moment.deck.binding.group, moment.deck
    shift = deck.face_points((0,)) - deck.face_points((1,))
    return encode(replace_struct(message, msg=(group.points(message.msg) + shift).to_bytes()))


def _play_told(scene: Scene) -> AttackOutcome:
    """Have a player peek. They read something that is not a card, or a different one from the card that lies there.

    The attack: a seat shows a different card to a player who peeks at a card of the pile.
    """
    stage = deal_free_table(TOLD, scene, each=0)
    deck: Any = stage.state().hand.decks[0]
    keys = {seat: deck.card_secrets(stage[seat].seat._tape(0), (0,), seat) for seat in deck.binding.players}
    true = deck.unmask((0,), keys)
    stage.play_move(PEEKER, LookAt(0, 1, "look"))
    faces = [face for card, face in _readable_cards(stage[PEEKER]).items() if card.position == 0]
    believed = scene.cheater not in stage.state().gone and faces != true
    return stage.outcome("shows Ada a different card" if believed else None, lies_of(stage, scene.cheater))


def _readable_cards(one: Participant) -> Mapping[Card, int]:
    """Return the cards that a participant can read, none if one of them is not a card."""
    try:
        return one.seat.known_cards()
    except CardUnreadable:
        return {}


TOLD: Final = Attack(
    name="told",
    does="shows a player who peeks at a card a different one",
    numbers=("A32",),
    ways={
        "mask": (
            AttackMethod(
                "a false answer to a player who looks at cards",
                {"tell": _forge_tell},
                play=_play_told,
                defence=(without_proof_check("nodealer.protocols.mask.peek:AnsweringPeek.apply"),),
            ),
        ),
    },
)


# --- searched ---


def _forge_gather(moment: SignedMoment) -> bytes:
    """Put back the card that it keeps, under the key that all others are brought under.

    The attack: the owner of a deck searches it for a card, keeps it, and also puts it back in place of another one.
    """
    deck, seat = moment.deck, moment.duty.seat
    message = read_message(DuelGather, moment.honest)
    kept = deck.places.hand(seat)[-1:]
    if not kept or deck.asked.then is not Look.TAKE:
        # It only looked, or looked in order to reorder the deck.
        return moment.honest
    own = deck.layers.secrets(moment.tape, kept, seat)
    again = own.invert() * deck.gather_key(moment.tape, seat, deck.stage.epoch) * deck.without_published_keys(kept)
    return encode(replace_struct(message, cards=set_at(message.cards, 0, again.to_bytes())))


def _find_card_kept_and_returned(played: PlayedGame) -> str | None:
    """Find a card that is both in the cheater's hand and in its deck.

    Return the gain as a phrase, or None if there is none.
    """
    for one in dealt_decks(played):
        deck, pile = one.deck, tuple(one.deck.places.pile)
        if deck.owner != played.cheater or not deck.epoch or not pile:
            continue
        index = deck.own_index(played.tape(deck.owner, one.hand))
        found = {index.get(code) for code in bare_encodings(one, played, pile)}
        if found & set(one.hidden_cards(deck.owner).values()):
            return "keeps a card and has it in the deck as well"
    return None


SEARCHED: Final = Attack(
    name="searched",
    does="searches its deck, keeps a card, and puts it back as well",
    numbers=("A9",),
    ways={
        "duel": (
            AttackMethod(
                "other cards put back after a search",
                {"gather": _forge_gather},
                defence=(EACH_PROOF,),
                find_gain=_find_card_kept_and_returned,
                game=SEARCHED_DUEL,
            ),
            AttackMethod(
                "a card that the owner replaced or marked, also after a search",
                {"gather": _forge_gather},
                defence=(BOOKS,),
                find_gain=_find_card_kept_and_returned,
                game=SEARCHED_DUEL,
            ),
        ),
    },
)


# --- linked tags ---

LINKED_TAGS_FIRST, LINKED_TAGS_SECOND = 1, 2


def _play_linked_tags(scene: Scene) -> AttackOutcome:
    """Rebuild a deck twice, and try to link the tags of both rebuilds.

    The attack: two players leave, one after the other, and the deck is rebuilt twice. If the tags of both rebuilds used
    one secret, the second to leave, who knows their own part of it, could follow every card from the first new deck
    into the second.
    """
    stage = deal_free_table(None, scene, seats=4, each=1)
    tape = stage[LINKED_TAGS_SECOND].seat._tape(0)
    for leaver in (LINKED_TAGS_FIRST, LINKED_TAGS_SECOND):
        stage.send(stage[leaver].command(LeaveHand()))
        stage.run_to_end()
    replica = stage[0].replica
    mine: Scalars | None = None
    tags: list[Points] = []
    for one in card_messages_in(replica.config, replica.entries):
        if one.duty.kind == "tag" and one.duty.seat == LINKED_TAGS_SECOND:
            mine = one.deck.tag_secret(tape, LINKED_TAGS_SECOND, masked(one.deck.stage.points))
        if one.duty.kind == "share" and (shown := _last_tags(one)) is not None:
            tags.append(shown)
    linked = mine is not None and len(tags) == 2 and set(encodings(mine * tags[1])) <= set(encodings(tags[0]))
    return stage.outcome("follows every card from one new deck into the next" if linked else None)


def _last_tags(one: CardMessage) -> Points | None:
    """Return the tags of the cards in the new deck if this message is the last share, otherwise None."""
    deck, sharing = one.deck, one.deck.stage
    if len(sharing.said) + 1 < len(deck.binding.players):
        return None
    message = read_message(MaskShares, one.message)
    tags: Any = sharing.tagged.msg - deck.binding.group.points(message.shares)
    for shares in sharing.said.values():
        tags = tags - shares
    found: Points = tags[: len(sharing.cards)]
    return found


LINKED_TAGS: Final = Attack(
    name="linked-tags",
    does="follows cards from one rebuilt deck into the next by their tags",
    numbers=("A38",),
    law=with_own_claim(
        AttackMethod(
            "the tags of a card in two rebuilds, linked",
            play=_play_linked_tags,
            seat=LINKED_TAGS_SECOND,
            # The secret of the tags is drawn for these cards and this rebuild only.
            defence=(
                RemovedDefence(
                    "nodealer.protocols.mask.deck:MaskDeck.tag_secret",
                    "self.inputs(seat, self.epoch, cards.digest())",
                    'b""',
                ),
            ),
        )
    ),
    tried_on=("mask",),
)


# --- linked decks ---

LINKED_DECKS_FIRST, LINKED_DECKS_SECOND = 1, 2


def _play_linked_decks(scene: Scene) -> AttackOutcome:
    """Rebuild a deck twice. The shuffled cards are public when the others declare what they hold.

    The attack: two players leave, one after the other, and the deck of `lock` is rebuilt twice. If the others
    multiplied it by the same secrets both times, the second to leave, who knows their own, could follow every card into
    the second deck.
    """
    stage = deal_free_table(None, scene, seats=4, each=1)
    deck: Any = stage.state().hand.decks[0]
    tape = stage[LINKED_DECKS_SECOND].seat._tape(0)
    for leaver in (LINKED_DECKS_FIRST, LINKED_DECKS_SECOND):
        stage.send(stage[leaver].command(LeaveHand()))
        stage.run_to_end()
    replica = stage[0].replica
    decks: dict[int, Points] = {
        one.deck.epoch: one.deck.stage.cards
        for one in card_messages_in(replica.config, replica.entries)
        if one.duty.kind == "held"
    }
    first, second = decks.values()
    mine = deck.cascade_secret(tape, LINKED_DECKS_SECOND)
    linked = set(encodings(mine * second)) <= set(encodings(first))
    return stage.outcome("follows every card from one new deck into the next" if linked else None)


LINKED_DECKS: Final = Attack(
    name="linked-decks",
    does="follows cards from one recovered deck into the next by their points",
    numbers=("A38",),
    law=with_own_claim(
        AttackMethod(
            "the points of a card in two recovered decks, linked",
            play=_play_linked_decks,
            seat=LINKED_DECKS_SECOND,
            # The secret of a cascade is drawn for one epoch of a deck.
            defence=(
                RemovedDefence(
                    "nodealer.protocols.lock.deck:LockDeck.cascade_secret", "self.inputs(seat, self.epoch)", 'b""'
                ),
            ),
        )
    ),
    tried_on=("lock",),
)


# --- borrowed key ---

GIVER: Final = 0


def _borrowed_key(deck: Any) -> Any:
    """Return the giver's key of the next card in the pile, plus G: the key itself would be recognised."""
    return deck.card_keys(tuple(deck.places.pile[:1]), GIVER) + deck.binding.group.G


def _forge_receive(moment: SignedMoment) -> bytes:
    """As the receiver of a card, name the borrowed key as the key that the card is to be put under."""
    message = read_message(MaskReceive, moment.honest)
    return encode(replace_struct(message, keys=_borrowed_key(moment.deck).to_bytes()))


def _play_borrowed_key(scene: Scene) -> AttackOutcome:
    """Pass a card to the cheater, and see whether it is under the borrowed key.

    The attack: a player is given a card and names a key without knowing its secret: one derived from another player's
    key of a card in the pile. When that key is published, anyone whom they told about it can read the given card.
    """
    stage = deal_free_table(BORROWED_KEY, scene)
    position = min(hand_of(stage, GIVER))
    borrowed = _borrowed_key(stage.state().hand.decks[0])
    stage.play_move(GIVER, PassOn(0, (position,), scene.cheater))
    deck: Any = stage.state().hand.decks.get(0)
    given = tuple(deck.places.hand(scene.cheater))[-1:] if deck is not None else ()
    took = bool(given) and scene.cheater not in stage.state().gone and deck.card_keys(given, scene.cheater) == borrowed
    gain = "has a card under a key that another seat will publish" if took else None
    return stage.outcome(gain, lies_of(stage, scene.cheater))


BORROWED_KEY: Final = Attack(
    name="borrowed-key",
    does="names a key whose secret it does not have for a card that it is given",
    numbers=("A25", "A26"),
    ways={
        "mask": (
            AttackMethod(
                "a key chosen to cancel the others, or copied",
                {"receive": _forge_receive},
                play=_play_borrowed_key,
                defence=(KNOWLEDGE_PROOF,),
            ),
        ),
    },
)


# --- mixed ---


def _forge_mix(moment: SignedMoment) -> bytes:
    """Turn the first shuffled card into a face that the cheater does not hold, and then key it like all others."""
    deck, stage, seat, tape = moment.deck, moment.deck.stage, moment.duty.seat, moment.tape
    message, group = read_message(MaskMix, moment.honest), deck.binding.group
    held, S = deck.held_cards(stage.positions), group.points(message.key)
    order, _ = stage._draws(deck, tape, Masked(held.epk, held.msg + group.points(message.gains)), S)
    msg = group.points(message.msg)
    shift = face_not_held(moment) - deck.face_points((face_of(moment, stage.positions[order.vartime_list()[0]]),))
    mixed = Masked(group.points(message.epk), concat(msg[0] + shift, msg[1:]))
    s = draw_scalars(tape, "mask own key", deck.inputs(seat, deck.epoch), group, 1)
    new = deck.layers.draw_secrets(tape, stage._layer(deck, mixed), seat)
    keys, last = new * group.G, (new - s) * mixed.epk
    keyed = ManyEqualities(group.G, keys, mixed.epk, last, less=S)
    proof = equality.prove_many_equalities(deck.transcript(moment.duty, deck.epoch), tape, keyed, new - s)
    return encode(
        replace_struct(message, msg=mixed.msg.to_bytes(), keys=keys.to_bytes(), last=last.to_bytes(), proof=proof)
    )


def _play_mixed(scene: Scene) -> AttackOutcome:
    """Have the cheater shuffle its hand, and compare the hand before and after.

    The attack: a seat shuffles its hand and has a different card in it afterwards.
    """
    stage = deal_free_table(MIXED, scene)
    before = hand_of(stage, scene.cheater)
    stage.play_move(scene.cheater, MixHand(0, tuple(before)))
    after = hand_of(stage, scene.cheater) if scene.cheater not in stage.state().gone else before
    exchanged = set(after.values()) != set(before.values())
    return stage.outcome("replaces a card in its hand" if exchanged else None, lies_of(stage, scene.cheater))


MIXED: Final = Attack(
    name="mixed",
    does="shuffles its hand, and has a different card in it afterwards",
    numbers=("A8",),
    ways={
        "mask": (
            AttackMethod(
                "a card exchanged when a player reorders cards or shuffles a hand",
                {"mix": _forge_mix},
                play=_play_mixed,
                defence=(SHUFFLE_PROOF,),
            ),
        ),
    },
)


# --- drawn when ---

HOLDER: Final = 1
DRAWN_CARDS: Final = 6


def draw_one_by_one(scene: Scene) -> tuple[AttackTable, list[int]]:
    """Let the holder draw cards one by one. Return the table and the faces drawn, which only the holder knows."""
    stage = deal_free_table(None, scene, seats=2, each=0)
    for _ in range(DRAWN_CARDS):
        stage.play_move(HOLDER, DealCards(0, ((HOLDER, 1),)))
    return stage, [face for _, face in sorted(hand_of(stage, HOLDER).items())]


def show_hand(stage: AttackTable) -> None:
    """Have the holder show its whole hand."""
    stage.play_move(HOLDER, ShowCards(0, tuple(hand_of(stage, HOLDER))))


def places_by_arrival(stage: AttackTable) -> tuple[list[int], Any]:
    """Return the places of the holder's cards in the order of their arrival, from the log alone, and the deck."""
    arrived, deck = dict[int, None](), None
    for state in stage.states():
        deck = state.hand.decks.get(0)
        arrived |= dict.fromkeys(() if deck is None else sorted(deck.places.hand(HOLDER)))
    return list(arrived), deck


def _play_drawn_when(scene: Scene) -> AttackOutcome:
    """Show a hand that was drawn card by card, and look up in the log when each was drawn.

    The attack: cards are drawn one after the other and shown later. Their places in the hand are in the log, so a
    reader knows when each was drawn, how long its holder had it, and what they did meanwhile.
    """
    stage, true = draw_one_by_one(scene)
    show_hand(stage)
    places, deck = places_by_arrival(stage)
    known = [deck.places.face(place) for place in places] == true
    return stage.outcome("knows when Ben drew each card that he shows" if known else None)


DRAWN_WHEN: Final = Attack(
    name="drawn-when",
    does="looks up when a shown card was drawn",
    numbers=("A47",),
    who="a reader of the log",
    law=with_own_claim(
        AttackMethod(
            "when a card was drawn that is shown from an unshuffled hand",
            play=_play_drawn_when,
            if_unseen="cannot be seen",
        )
    ),
    # A free table has no decks that belong to one seat, so `duel` is left out.
    tried_on=("mask", "lock", "offset", "chain"),
)


# --- followed ---


def _drawing_order(deck: Any, before: list[int], after: list[int]) -> list[int]:
    """Return the order in which the cards of a hand were drawn, as far as a reader can tell.

    A card with a point that another had before is that card. The others are assumed to keep their order.
    """
    old, new = (deck.layers.cards(tuple(places)) for places in (before, after))
    had = {point: at for points in (old.epk, old.msg) for at, point in enumerate(encodings(points))}
    linked = [had.get(epk, had.get(msg)) for epk, msg in zip(encodings(new.epk), encodings(new.msg), strict=True)]
    found = {at: place for at, place in zip(linked, after, strict=True) if at is not None}
    rest = iter([place for place in after if place not in found.values()])
    return [found[at] if at in found else next(rest) for at in range(len(after))]


def _play_followed(scene: Scene) -> AttackOutcome:
    """Shuffle a hand before showing it, and try to look up when each card was drawn.

    The attack: a holder shuffles its hand before showing a card of it. A reader of the log tries to follow the card
    anyway, by its place or by its points.
    """
    stage, true = draw_one_by_one(scene)
    stage.play_move(HOLDER, MixHand(0, tuple(hand_of(stage, HOLDER))))
    show_hand(stage)
    places, deck = places_by_arrival(stage)
    order = _drawing_order(deck, places[:DRAWN_CARDS], places[-DRAWN_CARDS:])
    known = [deck.places.face(place) for place in order] == true
    return stage.outcome("knows when Ben drew each card that he shows" if known else None)


FOLLOWED: Final = Attack(
    name="followed",
    does="follows cards through a hand while it is shuffled",
    numbers=("A47",),
    who="a reader of the log",
    law=with_own_claim(
        AttackMethod(
            "when a card was drawn that is shown from a shuffled hand",
            play=_play_followed,
            # Without this, a hand to be shuffled stays as it is.
            defence=(
                RemovedDefence("nodealer.protocols.mask.hand_shuffle:mix", "if len(positions) == 1:", "if positions:"),
            ),
        )
    ),
    tried_on=("mask",),
)


# --- another place ---


def _forge_pick(moment: SignedMoment) -> bytes:
    """As the seat that names the cards of the board in `lock`, name a card in the victim's hand."""
    return encode(Pick(moment.deck.places.hand(VICTIM)[:1]))


def _play_on_lock(scene: Scene) -> AttackOutcome:
    """Play on `lock` with a cheater who drew keys until it is the one to pick."""
    stage = deal_free_table(ANOTHER_PLACE, scene, each=1, stores=players_with_cheater_first(scene))
    mine = stage.state().hand.decks[0].places.hand(VICTIM)
    stage.play_move(VICTIM, OpenCards(0, 1))
    opened = set(mine) & stage.state().hand.decks[0].places.opened.keys()
    gain = "gets a card in Ada's hand opened to all instead of one from the deck" if opened else None
    return stage.outcome(gain, lies_of(stage, scene.cheater))


def _play_on_chain(scene: Scene) -> AttackOutcome:
    """Play on `chain` with a cheater who claims that another seat's card is invalid.

    Only the holder of a card may claim that. Under the cheater's own key the card is invalid, and it can prove that.
    """
    stage, seat = deal_free_table(None, scene, each=1), scene.cheater
    deck: Any = stage.state(seat).hand.decks[0]
    duty = next(known.duty for known in stage.state(seat).duties.of_seat(seat).values() if known.duty.kind == MISDEAL)
    tape, index, theirs = stage[seat].seat._tape(0), deck.order.index(seat), deck.hidden(VICTIM)[:1]
    own, (held,) = deck.layer_secrets(tape, index), [deck.held[position] for position in theirs]
    links, bare = own_links(deck, own, index, [held.place]), own.key.invert() * held.number
    proof = prove(deck, duty, tape, own.key, [*links.bases, bare], [*links.images, held.number])
    claim = Misdeal(theirs, bare.to_bytes(), b"".join(links.nonces), b"".join(links.names), proof)
    lies = stage.sign_and_send(seat, Cards(duty.id, Raw(encode(claim))))
    stage.run_to_end()
    after: Any = stage.state().hand.decks[0]
    return stage.outcome(
        "stops the hand over a card that Ada can read" if isinstance(after.stage, ContradictedCard) else None,
        lies,
    )


def _forge_take(moment: SignedMoment) -> bytes:
    """As the owner that searched its deck in `duel`, name a discarded card as the one found."""
    return encode(Take(next(iter(moment.deck.places.discards))))


def _play_on_duel(scene: Scene) -> AttackOutcome:
    """Play on `duel` with a cheater who takes a discarded card back."""
    played = play_with_cheater(ANOTHER_PLACE, replace(scene, game=SPENT_DUEL))
    every = (deck.places for state in played.states() for deck in state.hand.decks.values())
    again = any(places.discards.keys() & set(places.hand(scene.cheater)) for places in every)
    return judge(played, "takes a card that it played back into its hand" if again else None)


_PLAY_ON: Final = {"lock": _play_on_lock, "chain": _play_on_chain, "duel": _play_on_duel}


def _play_another_place(scene: Scene) -> AttackOutcome:
    """Carry out the variant of the attack for the scene's protocol.

    The attack: a seat that may name a place in the deck names one that it may not: a card in another hand, or one that
    was played.
    """
    return _PLAY_ON[scene.protocol.claims.name](scene)


ANOTHER_PLACE: Final = Attack(
    name="another-place",
    does="names a place in the deck that it may not name",
    numbers=("A21",),
    law=with_own_claim(
        AttackMethod(
            "a place in the deck that the seat may not name",
            {"pick": _forge_pick, "take": _forge_take},
            play=_play_another_place,
        )
    ),
    # On other protocols no message names a place that the log has not determined.
    tried_on=tuple(_PLAY_ON),
    law_defences={
        "lock": (
            RemovedDefence(
                "nodealer.protocols.lock.community:_refuse", "if position not in deck.places.in_pile:", "if False:"
            ),
        ),
        "chain": (
            RemovedDefence(
                "nodealer.protocols.chain.misdeal:MisdealDisputes.apply",
                "not named <= set(deck.hidden(duty.seat))",
                "False",
            ),
        ),
        "duel": (
            RemovedDefence(
                "nodealer.protocols.duel.peek:KeepingCard.apply", "if position not in self.positions:", "if False:"
            ),
        ),
    },
)


# --- two bids ---

#: The bid of each seat. The last one is the cheater's, if it needs no more.
BIDS: Final = (b"30", b"50", b"1")
#: The digits that the cheater puts in front of its bid if it needs more.
MORE: Final = b"5"


def _salt_ending_in_digits(moment: SignedMoment) -> bytes:
    """Return a salt whose last bytes are the extra digits. The rest does not matter."""
    return moment.tape.draw("two bids", moment.deck.origin, size=SALT_BYTES - len(MORE)) + MORE


def _forge_seal(moment: SignedMoment) -> bytes:
    """Seal the lower bid, with the salt that allows a second opening."""
    return encode(Sealing(moment.deck._commitment(moment.duty.seat, _salt_ending_in_digits(moment), BIDS[-1])))


def _forge_unseal(moment: SignedMoment) -> bytes:
    """Open the higher bid, after all others have opened theirs."""
    return encode(Unsealing(_salt_ending_in_digits(moment)[: -len(MORE)], MORE + BIDS[-1]))


def _play_two_bids(scene: Scene) -> AttackOutcome:
    """Have all seats seal and open a bid, and see which bid of the cheater counts.

    The attack: all seats seal a bid. One seat seals a bid that opens in two ways, and waits to see which it needs. If
    salt and bid were hashed one after the other without lengths, the end of the salt could pass as the beginning of the
    bid.
    """
    stage = open_free_table(TWO_BIDS, scene)
    stage.play_move(0, SealAll(0))
    for seat, bid in enumerate(BIDS):
        question = stage[seat].question()
        if question is not None:
            stage.send(stage[seat].command(AnswerQuestion(question, bid)))
    stage.run_to_end()
    stage.play_move(0, UnsealAll(0))
    hand: Any = stage.state().hand.game
    opened = {one.seat: one.value for one in hand.unsealed}
    more = opened.get(scene.cheater) == MORE + BIDS[-1]
    return stage.outcome("opens a higher bid than it sealed" if more else None, lies_of(stage, scene.cheater))


TWO_BIDS: Final = Attack(
    name="two-bids",
    does="seals a bid that opens in two ways",
    numbers=("A19",),
    law=with_own_claim(
        AttackMethod(
            "an envelope that opens in two ways",
            {SEAL: _forge_seal, UNSEAL: _forge_unseal},
            late=(UNSEAL,),
            play=_play_two_bids,
            # Parts are hashed with their lengths, and a salt has a fixed length. Either is enough.
            defence=(
                RemovedDefence("nodealer.protocols.envelopes:Envelopes._commitment", "salt, value)", "salt + value)"),
                RemovedDefence(
                    "nodealer.protocols.envelopes:Envelopes.apply",
                    "read_message(Unsealing, message)",
                    "msgspec.json.decode(message, type=msgspec.defstruct("
                    '"Unsealing", [("salt", bytes), ("value", bytes)], tag="unseal"))',
                ),
            ),
        )
    ),
    tried_on=("mask",),
    without_cards=True,
)


ATTACKS: Final = (
    COPIED_DICE,
    PASSED,
    ROGUE_JOIN,
    ROLLED_AGAIN,
    TOLD,
    SEARCHED,
    LINKED_TAGS,
    LINKED_DECKS,
    BORROWED_KEY,
    MIXED,
    FOLLOWED,
    DRAWN_WHEN,
    ANOTHER_PLACE,
    TWO_BIDS,
)
