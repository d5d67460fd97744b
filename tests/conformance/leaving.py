"""Seats that leave a table, and what must be true of a deck that goes on without them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nodealer.cards.operations import Operation
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Outcome, Replica
from nodealer.group import Group
from nodealer.protocols.recoverable import RecoverableDeck
from nodealer.protocols.stages import AnyStage
from nodealer.tape import Tape
from protocols.script import LastingRules

from .harness import Game, Table
from .suite import ProtocolCase

#: A deck that goes on, whatever its cards are.
AnyDeck = RecoverableDeck[Any]


Script = tuple[tuple[Operation, ...], ...]


def scripted(case: ProtocolCase, group: Group, seed: str, seats: int = 4, script: Script = ()) -> Table:
    """A table that has not begun to play a script, or what the case says of leaving."""
    return Table(case.make(group), LastingRules.of(script or case.lasting), seats=seats, seed=seed)


# --- Leaving ---


def leave(game: Table, seats: Iterable[int]) -> None:
    """Seats leave by their own word, one after the other, and say nothing else: not even what they had signed.

    What the others had signed crosses with it; and what these owe after the first word they sign at once, so that it
    crosses with the next.
    """
    leavers = sorted(seats)
    for leaver in leavers:
        unsaid(game, leaver)
        assert game.order(game.seats[leaver].leave()) is Outcome.ACCEPTED
        game.silent.add(leaver)
        if leaver != leavers[-1]:
            game.pending += [
                data for seat in game.present if seat.number not in leavers for data in seat.answer_duties()
            ]


def unsaid(game: Table, seat: int) -> None:
    """What a seat has signed and not sent it never signed."""
    game.pending = [data for data in game.pending if game.signer(data) != seat]
    one = game.seats[seat]
    del one._sent[one.replica.count_signed_by(game.persons[seat].key.public) :]
    one._outbox.clear()


def fall_silent(game: Table, seats: Iterable[int]) -> None:
    """Seats say nothing any more. The others do what they can, and then those who owe nothing say that they go on.

    More than half have to; the words of the rest cross with the last one that was needed.
    """
    leavers = frozenset(seats)
    game.silent |= leavers
    game.pending = [data for data in game.pending if game.signer(data) not in leavers]
    game.play()
    owing = leavers & {known.duty.seat for known in game.state.duties.open.values() if known.is_blocking}
    assert owing, "nobody waits for them"
    words = [seat.vote_skip(owing) for seat in game.present if seat.number in game.state.hand.binding.players]
    for word in words:
        late = owing <= game.state.gone
        assert game.order(word) is (Outcome.DROPPED if late else Outcome.ACCEPTED)
    assert owing <= game.state.gone


def playing(game: Game) -> bool:
    return game.state.phase is Phase.PLAYING


Plan = Sequence[tuple[int, tuple[int, ...]]]


def play_leaving(game: Table, plan: Plan) -> Table:
    """Play to the end; when the log has so many entries (and a hand is on), these seats leave. Leaves cards checked."""
    for height, leavers in plan:
        game.play(until=lambda game: len(game.log) >= height and playing(game))
        if playing(game):
            leave(game, leavers)
    game.play()
    ends_well(game)
    return game


# --- What must be true ---


def ends_well(game: Game) -> None:
    """The table has come to its end, nobody is blamed, and all replicas agree however they settle."""
    state = game.state
    assert state.fault is None
    assert state.phase in (Phase.ENDED, Phase.BETWEEN), state.phase
    assert len(state.results) == game.hands
    assert Outcome.FAULT not in game.outcomes
    eager, lazy = game.replica(), game.replica(eager=False)
    lazy.settle()
    assert game.digests() == {eager.digest()} == {lazy.digest()}


def lasting_deck(game: Game | Replica) -> AnyDeck:
    deck = game.state.hand.decks[0]
    assert isinstance(deck, RecoverableDeck)
    return deck


def true_faces(deck: AnyDeck, tapes: Mapping[int, Tape], positions: Iterable[int]) -> dict[int, int]:
    """Position to face, with everybody's tape, those who left too."""
    chosen, faces = tuple(positions), dict[int, int]()
    for seats in {deck.masked_by(position) for position in chosen}:
        here = tuple(position for position in chosen if deck.masked_by(position) == seats)
        secrets = {seat: deck.card_secrets(tapes[seat], here, seat) for seat in seats}
        found = zip(here, deck.faces_at(here, secrets), strict=True)
        faces |= {position: face for position, face in found if face is not None}
    return faces


def union_is_whole(game: Game, resting: tuple[type[AnyStage], ...]) -> bool:
    """Open, held, laid aside and in the pile: every face exactly once. Says whether there was anything to count.

    While the deck is made again, and in no stage that is `resting`, a leaver's cards are nowhere.
    """
    if not playing(game) or 0 not in game.state.hand.decks:
        return False
    deck = lasting_deck(game)
    if not deck.layers or not isinstance(deck.stage, resting):
        return False
    places = deck.places
    tapes = {seat: game.tape(seat, game.state.hand.number) for seat in game.seats}
    positions = {*places.pile, *places.held, *places.discards, *places.opened}
    faces = true_faces(deck, tapes, positions)
    assert sorted(faces.values()) == list(range(places.epochs[0]))
    assert all(faces[position] == face for position, face in places.opened.items())
    # Who has left and owes nothing of the cards that are on their way has its own until those are there.
    assert not {*places.held.values(), *places.discards.values()} & (game.silent - {*deck.leavers})
    return True


def nothing_is_shown(deck: AnyDeck) -> None:
    """No holder has published the secret of a card that is not open."""
    for position, seat in (*deck.places.held.items(), *deck.places.discards.items()):
        if deck.places.face(position) is None:
            assert seat not in deck.released.get(position, {})


def cards_known(game: Table) -> dict[int, dict[int, int]]:
    """Seat to the positions it can read, for those who stay."""
    if not playing(game) or 0 not in game.state.hand.decks:
        return {}
    deck = lasting_deck(game)
    return {
        seat.number: {card.position: face for card, face in deck.knows(seat.number, game.tape(seat.number)).items()}
        for seat in game.present
    }


def finish(game: Table, resting: tuple[type[AnyStage], ...]) -> int:
    """Play on; the deck is whole whenever it is idle. Gives how often that was counted."""
    counted = 0
    known = cards_known(game)
    while playing(game):
        heights = len(game.log)
        game.play(until=lambda _: True)
        if len(game.log) == heights:
            break
        counted += union_is_whole(game, resting)
        if playing(game) and 0 in game.state.hand.decks:
            places = lasting_deck(game).places
            nothing_is_shown(lasting_deck(game))
            now, still = cards_known(game), {*places.held, *places.opened}
            for seat, cards in known.items():
                kept = {position: face for position, face in cards.items() if position in still}
                assert kept.items() <= now[seat].items(), "who stays keeps its cards and can read them"
            known = now
    game.play()
    ends_well(game)
    return counted


# --- How far a script is ---


def until_idle(game: Table, at: int) -> Table:
    """Up to the moment when the deck has done what item `at` of the script asks and is asked the next."""
    return game.play(until=lambda game: getattr(game.state.hand.game, "at", 0) >= at)


def recovered(game: Table) -> Table:
    """Up to the end of the recovery that is on."""
    layers = len(lasting_deck(game).layers.all_layers)
    return game.play(until=lambda game: len(lasting_deck(game).layers.all_layers) > layers)
