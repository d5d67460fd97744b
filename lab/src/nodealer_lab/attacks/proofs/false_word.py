"""A seat proves of a hidden card what is not so."""

from __future__ import annotations

from typing import Final

from nodealer.group import Scalars, concat, vartime_msm
from nodealer.proofs import exclusion, labels
from nodealer.proofs.encoding import encode_proof
from nodealer.proofs.exclusion import Excluded, Multiplied
from nodealer.proofs.transcript import Transcript
from nodealer.protocols.proving import EXCLUDE, Exclude, _excluded, _transcript
from nodealer.tape import Tape
from nodealer.wire import encode
from nodealer_lab.attacks.base import Attack, Moment, Way
from nodealer_lab.attacks.defence import Without
from nodealer_lab.attacks.proofs.swearing import SWEAR
from nodealer_lab.attacks.scene import Played


def _false(moment: Moment) -> bytes:
    """Whether there is something true to say or not: a bot says only what it could prove."""
    deck, seat = moment.deck, moment.duty.seat
    claim = deck.stage._claim(seat)
    s = deck.card_secrets(moment.tape, claim.positions, seat)
    sent, proof = _forged(_transcript(deck, moment.duty, claim), moment.tape, _excluded(deck, claim), s)
    return encode(Exclude(sent.Y.to_bytes(), sent.Z.to_bytes(), sent.T.to_bytes(), proof))


def _forged(transcript: Transcript, tape: Tape, excluded: Excluded, s: Scalars) -> tuple[Multiplied, bytes]:
    """As an honest holder, but for the products of its cards: each is another point, so that none is a face's."""
    faces, cards, group = excluded.faces, excluded.cards, excluded.faces.group
    excluded.bind(transcript)
    y = transcript.nonces(tape, "y", group, 1)
    x = cards.secrets(y, s)
    sent = Multiplied(y * group.G, y * faces, cards.multiplied(y, x) + group.G)
    alpha, beta = exclusion._weights(transcript, sent)
    k = transcript.nonces(tape, labels.EXCLUSION, group, 1 + len(cards))
    C = concat(k[0] * group.G, k[0] * vartime_msm(alpha, faces), cards.commitments(k[0], k[1:], s, beta))
    transcript.absorb_points(labels.COMMITMENT, C)
    c = transcript.challenge(labels.CHALLENGE, group)
    return sent, encode_proof(C, c * concat(y, x) + k)


def _believed(played: Played) -> str | None:
    """It swore, nobody named it, and the card is one of those that it should not be."""
    sworn = False
    for one in played.said():
        if one.duty.kind == EXCLUDE and one.duty.seat == played.cheater:
            claim = one.deck.stage._claim(played.cheater)
            known = one.deck.knows(played.cheater, played.tape(played.cheater, one.duty.binding.hand))
            sworn |= any(known[one.deck.places.card(position)] in claim.faces for position in claim.positions)
    named = any(state.fault is not None for state in played.states())
    return "proves that its card is none that it is" if sworn and not named else None


#: The row that ties the products to the cards: of `mask`, and of `lock`.
_MASK: Final = Without(
    "nodealer.proofs.hidden:MaskedCards.equations",
    "Equation.sum((one, C[h]), (c * beta, T), (minus_y * beta, self.msg), (of_epk, self.epk)),",
)
_LOCK: Final = Without(
    "nodealer.proofs.hidden:LockedCards.equations",
    "Equation.sum((one, C[h]), (c * beta, T), (-(beta * x_hat * self.off.invert()), self.cards)),",
)
_CLAIM: Final = "a false word on what hidden cards are not"

FALSE_WORD: Final = Attack(
    name="false-word",
    does="proves of its hidden cards what is not so",
    ways={
        "mask": (Way(_CLAIM, {EXCLUDE: _false}, defence=(_MASK,), gained=_believed, game=SWEAR),),
        "lock": (Way(_CLAIM, {EXCLUDE: _false}, defence=(_LOCK,), gained=_believed, game=SWEAR),),
    },
)
