"""What every protocol must hold to, as functions of a `ProtocolCase`. The tests beside this file run them.

A new protocol is one more `ProtocolCase` in `cases.py`. The functions raise `AssertionError`; those in `SECRECY` are
the assertions that a protocol without secrecy must fail.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from nodealer.cards.events import Event, Moved, Opened
from nodealer.cards.operations import Card, Operation
from nodealer.engine.bodies import Answer, Begin, Cards, Move, read_body
from nodealer.engine.disclosure import refuse_false_disclosure
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Outcome, Replica
from nodealer.engine.state import DueDisclosures, HandState
from nodealer.errors import BadSignature, DecodeError, EntryRefused, LogRolledBack, NodealerError, PeerFault
from nodealer.group import Group, Points, concat
from nodealer.log.entry import read_entry
from nodealer.protocols.base import CardProtocol
from nodealer.protocols.stages import AnyStage
from nodealer.tape import Tape

from .games import TinyRules
from .harness import Game, Source, events_of, forked, refusal, resigned, signed_json

#: 23 degrees of freedom: passed by chance once in a million.
CHI_SQUARE_23: Final = 71.2


@dataclass(frozen=True)
class ProtocolCase:
    """What the suite has to know of a protocol."""

    name: str
    make: Callable[[Group], CardProtocol]
    #: Every commitment point, blinding, nonce and published share in an entry's message: values that never repeat.
    fresh_values: Callable[[Group, bytes], list[bytes]]
    #: The order of four cards after the shuffle steps of this many seats, without proofs, where all seats but the one
    #: with the tape leave the deck as it is.
    shuffle_alone: Callable[[int, int, Tape], tuple[int, ...]]
    #: The best attack there is: faces of hidden cards, read from the public state and the tapes of some seats.
    attack: Callable[[Game, Mapping[int, Tape]], Mapping[Card, int]]
    #: Games for the small size (3 seats, 6 cards), with what the protocol has; the first is also played at full size.
    rules: tuple[TinyRules, ...] = (TinyRules(),)
    roles: Mapping[int, str] = field(default_factory=dict)
    full_seats: tuple[int, ...] = (2, 6, 9)
    #: Names of assertions in `SECRECY` that this protocol fails, and must fail.
    fails: frozenset[str] = frozenset()
    #: Where decks go on when seats leave: what is asked of one, and the stages in which every card is somewhere.
    lasting: tuple[tuple[Operation, ...], ...] = ()
    resting: tuple[type[AnyStage], ...] = ()

    def game(self, group: Group, rules: TinyRules | None = None, **options: Any) -> Game:
        return Game(self.make(group), rules or self.rules[0], roles=self.roles, **options)


# --- Faces ---


def every_card_once(game: Game) -> None:
    """Played to the end, the faces are exactly the deck: every index once, equal prints as often as they are in it."""
    assert game.state.phase is Phase.ENDED and game.state.fault is None
    rules = game.config.rules
    assert isinstance(rules, TinyRules)
    assert len(game.state.results) == game.hands
    for result in game.state.results:
        positions, faces = [row[0] for row in result["faces"]], [row[1] for row in result["faces"]]
        assert positions == list(range(rules.deck_max))
        assert sorted(faces) == list(range(rules.deck_max))
        assert sorted(row[2] for row in result["faces"]) == (sorted(rules.printed) or [""] * rules.deck_max)


def truth(game: Game) -> dict[Card, int]:
    """All faces of the first hand, from a game in which they were all turned up."""
    return {Card(0, 0, position): face for position, face, _ in game.state.results[0]["faces"]}


def seats_know_their_own(game: Game) -> None:
    """At every moment of the first hand a seat reads its own cards and what is open, rightly, and nothing else."""
    faces = truth(game)
    replica = game.replica(0)
    events: list[Event] = []
    for data in game.log:
        events += replica.append(data).events
        if replica.state.hand.number > 0:
            return
        holders = {e.card: e.holder for e in events if isinstance(e, Moved)}
        opened = {e.card for e in events if isinstance(e, Opened)}
        for seat in game.seats:
            known = dict[Card, int]()
            for deck in replica.state.hand.decks.values():
                known.update(deck.knows(seat, game.tape(seat)))
            assert set(known) == opened | {card for card, holder in holders.items() if holder == seat}
            assert all(faces[card] == face for card, face in known.items())


# --- Secrecy ---


def hidden_cards(game: Game) -> dict[int, set[Card]]:
    """Seat to its cards that are not open."""
    events = events_of(game.seats[0].replica)
    opened = {event.card for event in events if isinstance(event, Opened)}
    hidden: dict[int, set[Card]] = {seat: set() for seat in game.seats}
    for event in events:
        if isinstance(event, Moved) and event.holder is not None and event.card not in opened:
            hidden[event.holder].add(event.card)
    return hidden


def dealt(game: Game) -> bool:
    """Cards are in hands, and nobody has shown any."""
    return getattr(game.state.hand.game, "stage", "") == "turns"


def log_gives_nothing_away(case: ProtocolCase, game: Game) -> None:
    """Without any tape, no card in a hand can be read."""
    read = case.attack(game, {})
    assert not [card for cards in hidden_cards(game).values() for card in cards if card in read]


def all_but_one_learn_nothing(case: ProtocolCase, game: Game) -> None:
    """All other seats together cannot read the cards of one."""
    for victim, cards in hidden_cards(game).items():
        others = {seat: game.tape(seat) for seat in game.seats if seat != victim}
        assert not cards & case.attack(game, others).keys()


def the_attack_works(case: ProtocolCase, game: Game) -> None:
    """With all tapes the attack reads every card in a hand, rightly: one that never works would prove nothing."""
    read = case.attack(game, {seat: game.tape(seat) for seat in game.seats})
    for seat, cards in hidden_cards(game).items():
        known = game.state.hand.decks[0].knows(seat, game.tape(seat))
        assert {card: read[card] for card in cards} == {card: known[card] for card in cards}


def another_tape_reads_nothing(case: ProtocolCase, game: Game) -> None:
    """The function with which a seat reads its cards does not read them with another seat's tape, or any other."""
    deck = game.state.hand.decks[0]
    for victim, cards in hidden_cards(game).items():
        right = {card: deck.knows(victim, game.tape(victim))[card] for card in cards}
        for tape in (*(game.tape(seat) for seat in game.seats if seat != victim), Tape(bytes(32))):
            try:
                known = deck.knows(victim, tape)
            except NodealerError:
                continue
            assert {card: known.get(card) for card in cards} != right


SECRECY: Final = {
    function.__name__: function
    for function in (log_gives_nothing_away, all_but_one_learn_nothing, another_tape_reads_nothing)
}


def no_secret_in_log(game: Game) -> None:
    """No root, seed or signing key stands in a log in which no book was opened."""
    text = b"".join(decoded_strings(game.log))
    for person in game.persons:
        # Where every hand ends with open books, the seeds of the hands that were played stand in the log.
        opened = game.hands if game.config.protocol.claims.open_book_at_end else 0
        hands = (game.tape(person.number, hand).seed for hand in range(opened, game.hands + 1))
        for secret in (person.root, *hands, person.signing):
            assert secret not in text


def decoded_strings(log: Sequence[bytes]) -> Iterator[bytes]:
    """Everything in a log that is base64."""
    for data in log:
        yield data
        for value in leaves(json.loads(data)):
            if isinstance(value, str):
                with contextlib.suppress(binascii.Error):
                    yield base64.b64decode(value, validate=True)


def leaves(value: Any) -> Iterator[Any]:
    """The values in a piece of JSON that contain no others."""
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from leaves(part)
    else:
        yield value


def faces_by_differences(group: Group, log: Sequence[bytes], faces: Points) -> set[int]:
    """Brute force for protocols over a group: faces that stand in the log, or are a difference of two points in it."""
    names = {faces[i].to_bytes(): i for i in range(len(faces))}
    chunks = {text[at : at + 32] for text in decoded_strings(log) for at in range(0, len(text) - 31, 32)}
    points: list[Points] = []
    for chunk in sorted(chunks):
        try:
            points.append(group.points(chunk))
        except DecodeError:
            continue
    found = {names[point.to_bytes()] for point in points if point.to_bytes() in names}
    for one in points:
        text = (concat(*points) - one).to_bytes()
        found |= {names[text[at : at + 32]] for at in range(0, len(text), 32) if text[at : at + 32] in names}
    return found


# --- Restarts, crossings, rollbacks ---


def answers(game: Game, seat: int) -> dict[bytes, bytes]:
    """Duty to the body with which a seat answered it."""
    bodies = {}
    for data in game.log:
        entry = read_entry(data).entry
        if entry.seat == seat:
            body = read_body(bytes(entry.body))
            if isinstance(body, Answer):
                bodies[body.duty] = bytes(entry.body)
    return bodies


def killed_at_every_entry(game: Game, stride: int = 1) -> None:
    """Killed anywhere, back after 0 to 3 entries of others: the same words, and the log takes them."""
    replicas = [game.replica(0)]
    for data in game.log:
        replicas.append(forked(replicas[-1]))
        replicas[-1].append(data)
    for seat in game.seats.keys() - game.silent:
        said = answers(game, seat)
        for height in range(seat % stride, len(game.log), stride):
            for missed in range(4):
                upto = height + missed
                if upto > len(game.log) or any(game.signer(data) == seat for data in game.log[height:upto]):
                    break
                _killed(game, seat, height, replicas[upto], said)


def _killed(game: Game, seat: int, height: int, replica: Replica, said: dict[bytes, bytes]) -> None:
    journal = game.journal_at(seat, height)
    back = game.seat(game.persons[seat], replica.entries, journal)
    back.stays = back.replica.state.hand.number < game.hands
    again = list(back.unconfirmed)
    signed = [data for data in game.log if game.signer(data) == seat]
    assert all(data in signed for data in again), "what was signed goes out again, byte for byte"
    twin = forked(replica)
    for data in (*again, *back.answer_duties()):
        entry = read_entry(data).entry
        body = read_body(bytes(entry.body))
        assert isinstance(body, Answer)
        # A duty that a leaving closed was never answered.
        assert said.get(body.duty) == bytes(entry.body) or (game.silent and body.duty not in said)
        assert twin.append(data).outcome in (Outcome.ACCEPTED, Outcome.DROPPED)
    twin.settle()
    assert twin.state.fault is None


def all_killed_at_every_entry(game: Game, stride: int = 1) -> None:
    """All seats killed at once, anywhere: the game ends as it would have."""
    for height in range(0, len(game.log), stride):
        rest = resumed(game, height)
        assert rest.state.phase is Phase.ENDED and rest.state.fault is None
        assert rest.state.results == game.state.results
        assert len(rest.digests()) == 1


def resumed(game: Game, height: int) -> Game:
    """The game played on from a height by seats that were all restarted from their disks."""
    rest = Game.__new__(Game)
    rest.__dict__.update(game.__dict__)
    rest.log, rest.outcomes, rest.batches, rest.moments = list(game.log[:height]), [], [], [{}]
    rest.silent = set()
    journals = {seat: game.journal_at(seat, height) for seat in game.seats}
    rest.seats = {s: game.seat(game.persons[s], rest.log, journals[s]) for s in game.seats}
    for data in [data for seat in rest.seats.values() for data in seat.unconfirmed]:
        rest.order(data)
    return rest.play()


def crossings_are_accepted(game: Game, orders: int = 24) -> None:
    """What was signed on one head is accepted in whatever order it arrives.

    Of moves owed together only the first counts: the game is another one then, and the others are asked again.
    """
    replica = game.replica(0)
    for height, batch in game.batches:
        for data in game.log[replica.height : height]:
            replica.append(data)
        for order in itertools.islice(itertools.permutations(batch), orders):
            entries = [read_entry(data).entry for data in order]
            if any(one.seat == two.seat and one.seq > two.seq for one, two in itertools.combinations(entries, 2)):
                continue
            twin = forked(replica)
            for data, entry in zip(order, entries, strict=True):
                late = isinstance(read_body(bytes(entry.body)), Move) and data != order[0]
                assert twin.append(data).outcome in {Outcome.ACCEPTED, Outcome.DROPPED if late else Outcome.ACCEPTED}
            twin.settle()
            assert twin.state.fault is None


def slow_network(game: Game, seed: str) -> Replica:
    """Play where every seat sees the log with a delay of its own: nobody is refused, nobody is blamed."""
    source = Source(seed)
    relay = Replica(game.config, entropy=source)
    pending: dict[int, list[bytes]] = {seat: [] for seat in game.seats}
    have = dict.fromkeys(game.seats, 0)
    for _ in range(4000):
        if relay.state.phase is Phase.ENDED:
            return relay
        seat = game.seats[source.below(len(game.seats))]
        action = source.below(3)
        if action == 0 and have[seat.number] < relay.height:
            seat.receive(relay.entries[have[seat.number]])
            have[seat.number] += 1
        elif action == 1 and pending[seat.number]:
            outcome = relay.append(pending[seat.number].pop(0)).outcome
            assert outcome in (Outcome.ACCEPTED, Outcome.DROPPED)
        elif action == 2:
            pending[seat.number] += _spoken(game, seat.number)
    raise AssertionError("the game does not end")


def _spoken(game: Game, number: int) -> list[bytes]:
    seat = game.seats[number]
    seat.stays = seat.replica.state.hand.number < game.hands
    sent = seat.answer_duties()
    for duty in seat.open_duties:
        if duty.choice and (data := game.decide(seat, duty)) is not None:
            sent.append(data)
    return sent


def rollbacks_are_refused(game: Game, stride: int = 1) -> None:
    """A log that is shorter than what a seat has seen, or other, is not one that it goes on with."""
    heights = game.replica()._heights
    for person in game.persons:
        newest = max(
            heights[read_entry(r.entry).entry.seen if hasattr(r, "entry") else r.head] for r in person.journal.records
        )
        for height in range(0, len(game.log) + 1, stride):
            if height >= newest:
                game.seat(person, game.log[:height])
            else:
                assert_rolled_back(game, person.number, game.log[:height])
    for height, batch in game.batches[::stride]:
        if len({game.signer(data) for data in batch}) > 1 and height + len(batch) < len(game.log):
            fork = [*game.log[:height], *reversed(batch)]
            if len({game.signer(data) for data in batch}) == len(batch):
                assert_rolled_back(game, game.signer(game.log[-1]), fork)


def assert_rolled_back(game: Game, seat: int, log: Sequence[bytes]) -> None:
    try:
        game.seat(game.persons[seat], log)
    except LogRolledBack:
        return
    raise AssertionError(f"seat {seat} goes on with a log of {len(log)} entries that is not the one it knows")


# --- Randomness ---


def nothing_repeats(case: ProtocolCase, games: Sequence[Game]) -> None:
    """No commitment point, blinding or nonce stands in two entries, of one game or of many."""
    seen: dict[bytes, bytes] = {}
    for game in games:
        group = game.config.protocol.group
        for data in game.log:
            body = read_body(bytes(read_entry(data).entry.body))
            fresh = case.fresh_values(group, bytes(body.message)) if isinstance(body, Cards) else []
            fresh += [body.commitment] if isinstance(body, Begin) else []
            assert len(set(fresh)) == len(fresh), "a value stands twice in one message"
            for value in fresh:
                assert seen.setdefault(value, data) == data, f"{value.hex()} stands in two entries"


def order_is_uniform(case: ProtocolCase, seats: int = 3, honest: int = 0, times: int = 3000) -> None:
    """With all seats but one leaving the deck as it is, all 24 orders of four cards are equally likely."""
    counts = dict.fromkeys(itertools.permutations(range(4)), 0)
    source = Source(f"uniform {case.name} {honest}")
    for _ in range(times):
        counts[tuple(case.shuffle_alone(seats, honest, Tape(source(32))))] += 1
    expected = times / 24
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < CHI_SQUARE_23


# --- Tampering ---

Change = Callable[[dict[str, Any]], None]


def changes(entry: dict[str, Any]) -> Iterator[tuple[str, Change]]:
    """Every way to spoil every field of an entry, each with the path of the field and what is done to it."""
    for path, value in fields(entry):
        for name, new in spoiled(value):
            yield f"{'.'.join(map(str, path))} {name}", _setter(path, new)
        if isinstance(path[-1], str):
            yield f"{'.'.join(map(str, path))} missing", _remover(path)
            yield f"{'.'.join(map(str, path))} renamed", _adder(path)


def fields(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    if path:
        yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in items:
        yield from fields(part, (*path, key))


def spoiled(value: Any) -> Iterator[tuple[str, Any]]:
    """Values of the same type, near and far, and one of another."""
    if isinstance(value, bool):
        yield "negated", not value
    elif isinstance(value, int):
        yield from (("more", value + 1), ("negative", -1), ("huge", 2**53))
    elif isinstance(value, str):
        yield from _spoiled_text(value)
    elif isinstance(value, list):
        yield from (("empty", []), ("shorter", value[:-1]), ("longer", [*value, *value[-1:]]))
        yield from (("rotated", value[1:] + value[:1]), ("doubled", value[:1] + value[:-1]))
    yield "null", None
    yield "another type", {"a": 1}


def _spoiled_text(value: str) -> Iterator[tuple[str, Any]]:
    yield "empty", ""
    try:
        raw = base64.b64decode(value, validate=True)
    except binascii.Error:
        yield "longer", value + "x"
        return
    if raw:
        for name, new in (
            ("first bit", bytes([raw[0] ^ 1]) + raw[1:]),
            ("last bit", raw[:-1] + bytes([raw[-1] ^ 1])),
            ("top bit", raw[:-1] + bytes([raw[-1] ^ 128])),
            ("zeros", bytes(len(raw))),
            ("ones", b"\xff" * len(raw)),
            ("shorter", raw[:-1]),
            ("longer", raw + b"\0"),
        ):
            yield name, base64.b64encode(new).decode()


def _at(entry: Any, path: tuple[str | int, ...]) -> Any:
    for key in path:
        entry = entry[key]
    return entry


def _setter(path: tuple[str | int, ...], new: Any) -> Change:
    def change(entry: dict[str, Any]) -> None:
        _at(entry, path[:-1])[path[-1]] = new

    return change


def _remover(path: tuple[str | int, ...]) -> Change:
    def change(entry: dict[str, Any]) -> None:
        del _at(entry, path[:-1])[path[-1]]

    return change


def _adder(path: tuple[str | int, ...]) -> Change:
    def change(entry: dict[str, Any]) -> None:
        place = _at(entry, path[:-1])
        place[f"{path[-1]}x"] = place.pop(path[-1])

    return change


def tampering_is_answered(game: Game, stride: int = 1) -> dict[str, int]:
    """Every field of every entry spoiled and signed again by its own seat. Gives how often each answer was given."""
    replica = game.replica(0)
    tally: dict[str, int] = {}
    for number, data in enumerate(game.log):
        seat = game.signer(data)
        key = game.persons[seat].key
        entry = json.loads(bytes(read_entry(data).signed))
        for place, (name, change) in enumerate(changes(entry)):
            if (number + place) % stride:
                continue
            spoilt = resigned(data, key, change)
            answer = _answer(game, replica, seat, spoilt, data)
            assert answer is not None, f"entry {number}, {name}: not answered as documented"
            tally[answer] = tally.get(answer, 0) + 1
        replica.append(data)
    return tally


def _answer(game: Game, replica: Replica, seat: int, data: bytes, honest: bytes) -> str | None:
    """What a replica says to a spoilt entry, or None when that is not what the documents say."""
    twin = forked(replica)
    before = twin.digest()
    try:
        outcome = twin.append(data).outcome
    except (DecodeError, BadSignature):
        # Not an entry at all, or in the name of another seat: nobody is named.
        return "nobody" if twin.digest() == before else None
    except EntryRefused as refused:
        right = refused.seat == seat and refused.reason and twin.digest() == before
        return "refused" if right else None
    twin.settle()
    fault = twin.state.fault
    if fault is not None:
        # A book names what its seat said before, if that is what it does not make.
        earlier = fault.check == "book" and game.signer(game.log[fault.entry]) == seat
        return "fault" if fault.seat == seat and (fault.entry == replica.height or earlier) else None
    if outcome is Outcome.REPEATED:
        return "honest" if data == honest else None
    return "accepted" if _only_a_book_tells(game, twin, seat, data, honest) else None


def _only_a_book_tells(game: Game, twin: Replica, seat: int, data: bytes, honest: bytes) -> bool:
    """An accepted change is one that this seat was free to make, or one that its open book names."""
    was, now = read_entry(honest).entry, read_entry(data).entry
    before, after = read_body(bytes(was.body)), read_body(bytes(now.body))
    if not isinstance(after, Cards) or was.body == now.body or after == before:
        return True
    books = twin.state.disclosures.get(was.hand)
    if books is None and twin.state.hand.number > was.hand:
        # The hand ended with this very entry, and no book of it is due.
        return True
    false = false_deed(game, seat, books or books_of(twin.state.hand))
    return false is not None and false == twin.height - 1


def books_of(hand: HandState) -> DueDisclosures:
    """What the books of a hand are held against while it is played."""
    return DueDisclosures(hand.binding, hand.commitments, hand.messages, frozenset())


def false_deed(game: Game, seat: int, books: DueDisclosures) -> int | None:
    """The first entry of a seat that its own book does not make, if there is one."""
    seed = game.tape(seat, books.binding.hand).seed
    try:
        refuse_false_disclosure(game.config, books, seat, -1, seed, _choices(game, seat))
    except PeerFault as fault:
        assert fault.seat == seat
        return fault.entry
    return None


def _choices(game: Game, seat: int) -> dict[bytes, bytes]:
    return {r.duty: r.choice for r in game.persons[seat].journal.records if not hasattr(r, "entry")}


def forgeries_name_nobody(game: Game, flips: int = 40) -> None:
    """Bits flipped without signing again, and signatures of one seat under the name of another: no seat is named."""
    replica = game.replica(0)
    for data in game.log:
        seat, other = game.signer(data), (game.signer(data) + 1) % len(game.persons)
        for at in range(0, len(data), max(1, len(data) // flips)):
            flipped = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
            assert isinstance(refusal(replica, flipped), DecodeError | BadSignature)
        forged = signed_json(json.loads(bytes(read_entry(data).signed)), game.persons[other].key)
        assert isinstance(refusal(replica, forged), BadSignature)
        replica.append(data)
        assert refusal(replica, data) is Outcome.REPEATED, f"seat {seat} may say the same twice"


# --- Books ---


def books_reproduce_every_byte(game: Game) -> None:
    """Made again from seeds and choices, all messages of an honest game are what they were."""
    replica = game.replica(0)
    ended = 0
    for data in game.log:
        before = replica.state.hand
        replica.append(data)
        if replica.state.hand.number > before.number:
            ended += 1
            books = replica.state.disclosures.get(before.number) or books_of(before)
            assert all(false_deed(game, seat, books) is None for seat in game.seats)
    assert ended == game.hands


def eager_and_lazy_agree(game: Game) -> None:
    """At every height the same digest, however late the checks are settled."""
    eager, lazy = game.replica(0), game.replica(0, eager=False)
    for data in game.log:
        eager.append(data)
        lazy.append(data)
        twin = forked(lazy)
        twin.settle()
        assert eager.digest() == twin.digest()
    lazy.settle()
    assert game.digests() == {eager.digest()} == {lazy.digest()}
