"""docs/spec/vectors.json: what anybody's program must compute too. `make vectors` writes it; a test computes it again.

Everything is in hex. The proofs are of every kind there is, each with its statement and the lines that its transcript
absorbed, challenges among them, so that another program that disagrees finds the place.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path
from typing import Any, Final

from nodealer.cards.operations import Open
from nodealer.group import Group, Points, Scalars, concat, group, hash_to_points
from nodealer.log.entry import first_head, next_head
from nodealer.proofs import exclusion, labels
from nodealer.proofs.generators import blinding_generator, generators
from nodealer.proofs.transcript import Transcript, draw_scalars
from nodealer.protocols.base import Binding
from nodealer.protocols.mask import Mask
from nodealer.tape import Item, Tape, digest, expand, framed, hand_tape, seed_commitment
from nodealer.wordlist import key_words, session_words
from proofs import statements
from proofs.test_exclusion import true_claim

FILE: Final = Path(__file__).parents[1] / "docs" / "spec" / "vectors.json"
#: Kind of proof to what makes a statement of it for three, or four, things.
PROOFS: Final = {
    "knowledge of keys": statements.knowledge,
    "equality, one secret": statements.one_secret,
    "equality, a secret each": statements.a_secret_each,
    "equality, a base each": statements.a_base_each,
    "equality, keys joined": statements.keys_joined,
    "linear relations": statements.linear_relation,
    "shuffle: pairs": statements.pairs,
    "shuffle: addmask": statements.addmask,
    "shuffle: one scalar": statements.scalar,
    "shuffle: one offset": statements.offset,
}


class Recorded(Transcript):
    """A transcript that keeps what it absorbs, in full."""

    def __init__(self, seat: int) -> None:
        self.lines: list[list[Any]] = []
        super().__init__(seat, trace=lambda line: None)

    def _report(self, label: str, items: tuple[Item, ...]) -> None:
        """Whatever is absorbed, written down."""
        self.lines.append([label, *(_plain(item) for item in items)])


def _plain(item: Item) -> str | int | dict[str, str]:
    return {"bytes": item.hex()} if isinstance(item, bytes) else item


def _each(array: Points | Scalars) -> list[str]:
    return [array[at].to_bytes().hex() for at in range(len(array))]


def _recorded() -> Recorded:
    """A transcript of the context that all proofs here are made in."""
    transcript = Recorded(statements.CONTEXT.seat)
    transcript.absorb(labels.CONTEXT, *astuple(statements.CONTEXT))
    return transcript


def proofs(on: Group) -> Iterator[dict[str, Any]]:
    """One of every kind, with all that a verifier is told."""
    for kind, make in PROOFS.items():
        case = make(on, 4)
        proof = case.prove()
        transcript = _recorded()
        case.checker(transcript, case.public, proof)
        public = {name: _each(array) for name, array in case.public.items()}
        yield {"kind": kind, "public": public, "proof": proof.hex(), "transcript": transcript.lines}
    for kind in ("masked", "locked"):
        yield _excluded(on, kind)


def _excluded(on: Group, kind: str) -> dict[str, Any]:
    claim = true_claim(on, kind)
    sent, proof = exclusion.prove(_recorded(), statements.tape("prover"), claim.statement, claim.s)
    transcript = _recorded()
    exclusion.check(transcript, claim.statement, sent, proof)
    public = {name: _each(array) for name, array in {**claim.arrays, **vars(sent)}.items()}
    public["published"] = _each(claim.cards.off)
    lines = transcript.lines
    return {"kind": f"none of these faces, {kind} cards", "public": public, "proof": proof.hex(), "transcript": lines}


def _hashes() -> dict[str, Any]:
    items: tuple[Item, ...] = ("text", b"\x00bytes", 7, "")
    session, other = digest("a session"), digest("an entry")
    return {
        "framed": {"items": [_plain(item) for item in items], "framed": framed(*items).hex()},
        "H": {"label": "label", "items": [_plain(item) for item in items], "H": digest("label", *items).hex()},
        "expanded": {"label": "label", "items": [7], "size": 70, "bytes": expand("label", 7, size=70).hex()},
        "head": {
            "session": session.hex(),
            "first": first_head(session).hex(),
            "entry": other.hex(),
            "next": next_head(first_head(session), other).hex(),
        },
        "words": {"number": session.hex(), "of a session": session_words(session), "of a key": key_words(session)},
    }


def _tapes(on: Group) -> dict[str, Any]:
    root, session, inputs = b"\x05" * 32, digest("a session"), digest("what it meets")
    tape: Tape = hand_tape(root, session=session, seat=2, hand=3)
    drawn = tape.draw("a label", inputs, size=40, index=1)
    return {
        "root": root.hex(),
        "session": session.hex(),
        "seat": 2,
        "hand": 3,
        "seed": tape.seed.hex(),
        "inputs": inputs.hex(),
        "drawn": {"label": "a label", "size": 40, "index": 1, "bytes": drawn.hex()},
        "permutation": {"label": "an order", "of 52": tape.permutation("an order", inputs, 52).vartime_list()},
        "scalars": {"label": "scalars", "three": _each(draw_scalars(tape, "scalars", inputs, on, 3))},
    }


def _encodings(on: Group) -> dict[str, Any]:
    """Multiples of the generator, and bytes that are no point or no scalar: as RFC 9496 has them, and a few more."""
    order, prime = int.from_bytes((-on.integers([1])).to_bytes(), "little") + 1, 2**255 - 19
    odd = [prime, prime + 1, 2**255 - 1, 1, 2**255, 2**256 - 1, prime - 1]
    return {
        "multiples of G": _each(concat(on.identity(1), on.integers(range(1, 6)) * on.G)),
        "no points": [number.to_bytes(32, "little").hex() for number in odd],
        "scalars": _each(on.integers([0, 1, 2**64 - 1])) + _each(-on.integers([1])),
        "no scalars": [number.to_bytes(32, "little").hex() for number in (order, order + 1, 2**256 - 1)],
    }


def _table(on: Group) -> Binding:
    session, roster = digest("a session"), digest("a roster")
    keys = tuple((seat, digest("a key", seat)) for seat in (0, 1, 4))
    return Binding("mask", 1, session, digest("hand roster", roster, 0, 1, 4), 3, (0, 1, 4), (), on, keys)


def _digests(on: Group) -> Iterator[dict[str, Any]]:
    """What is hashed around the cards, each made by what the table makes it with, and what it is the hash of."""
    table, text = _table(on), b'{"type":"release","keys":""}'
    session, hand, roster = table.session, table.hand, digest("a roster")
    tape = Tape(digest("a seed"))
    deck: Any = Mask(b"{}", on).new_deck(table, 2, 5, None)
    asked = deck.trail_with(Open(2, 1))
    duty = table.duty(2, 4, "release", asked)
    gone = table.without((1,))
    between = table.duty(None, 1, "begin", digest("between", roster))
    place = ("mask", 1, session, gone.roster, hand, 2, 7, 4)
    made: list[tuple[str, bytes, str, tuple[Item, ...]]] = [
        ("the roster of a hand", table.roster, "hand roster", (roster, 0, 1, 4)),
        ("the roster without a seat", gone.roster, "roster without", (table.roster, 1)),
        ("the first trail of a deck", deck.trail, "mask", (session, table.roster, hand, 2, 5)),
        ("a trail, asked", asked, "asked", (deck.trail, b'["open",2,1,[],[]]')),
        ("a trail without a seat", deck.trail_without((1,)), "without", (deck.trail, 0, 1)),
        ("a duty of a deck", duty.id, "duty", (session, hand, 2, 4, "release", asked)),
        ("a duty to the table", between.id, "duty", (session, hand, "table", 1, "begin", digest("between", roster))),
        ("inputs of a secret", gone.inputs(deck=2, epoch=7, seat=4, others=(text,)), "inputs", (*place, text)),
        (
            "a commitment to a tape",
            seed_commitment(tape, session=session, seat=4, hand=hand),
            "tape",
            (session, 4, hand, tape.seed),
        ),
    ]
    for what, made_here, label, items in made:
        yield {"what": what, "label": label, "items": [_plain(item) for item in items], "H": made_here.hex()}


def _secrets(on: Group) -> Iterator[dict[str, Any]]:
    """The proofs of shuffles with what their prover knew: from these and its seed anybody makes the same bytes."""
    for kind in ("shuffle: pairs", "shuffle: addmask", "shuffle: one scalar"):
        case: Any = PROOFS[kind](on, 4)
        known = {"masks": case.masks, "s": case.s}
        secrets = {name: _each(array) for name, array in known.items() if array is not None}
        yield {"kind": kind, "order": list(case.permutation), "secrets": secrets}


def vectors() -> dict[str, Any]:
    """All of them."""
    on = group("ristretto255")
    messages = [b"", b"face", b"a longer message, of more than a block: " * 5]
    return {
        "group": on.name,
        "context": [_plain(item) for item in astuple(statements.CONTEXT)],
        "hashes": _hashes(),
        "tape": _tapes(on),
        "hash to group": {
            "label": "nodealer tests",
            "messages": [message.hex() for message in messages],
            "points": _each(hash_to_points(on, b"nodealer tests", messages)),
        },
        "generators": {"H": _each(blinding_generator(on)), "first five": _each(generators(on, 5))},
        "proofs": [*proofs(on)],
        "encodings": _encodings(on),
        "digests": [*_digests(on)],
        "prover": {"seed": statements.tape("prover").seed.hex(), "knows": [*_secrets(on)]},
    }


def written() -> str:
    """The file."""
    return json.dumps(vectors(), indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(written())
