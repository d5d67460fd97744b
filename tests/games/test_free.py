"""A free table still rejects requests that no one may make."""

from __future__ import annotations

import pytest

from nodealer.cards.events import Finished, Moved, Opened
from nodealer.cards.operations import (
    Capability,
    Card,
    Close,
    Deal,
    Gift,
    Look,
    Mix,
    NewDeck,
    NoneOf,
    Open,
    Pass,
    Peek,
    Place,
    Portion,
    Prove,
    Return,
    Show,
)
from nodealer.errors import BadParameter, DecodeError, IllegalMove
from nodealer.games.base import Ask, Done, Turn
from nodealer.games.free import (
    DealCards,
    Finish,
    Free,
    FreeHand,
    GiveBack,
    Insert,
    LookAt,
    MixHand,
    Move,
    OpenCards,
    PassOn,
    ProveCards,
    PutAway,
    ShowCards,
    ShowToOne,
    Shuffle,
)
from nodealer.games.registry import find_game
from nodealer.wire import encode


def hand() -> FreeHand:
    """Deck 0 of five named cards; seat 0 holds positions 0 and 1, seat 1 holds 2; position 3 is open."""
    game = (
        Free().begin(0, (0, 1), None, {0: 0, 1: 0}).moved(0, encode(Shuffle(0, 5, ("a", "b", "c", "d", "e")))).told(())
    )
    game = game.moved(1, encode(DealCards(0, ((0, 2), (1, 1)))))
    game = game.told((*(Moved(Card(0, 0, at), seat) for at, seat in ((0, 0), (1, 0), (2, 1))),))
    return game.moved(0, encode(OpenCards(0, 1))).told((Opened(Card(0, 0, 3), 4),))


@pytest.mark.parametrize(
    ("move", "operation"),
    [
        (Shuffle(1, 10), NewDeck(1, 10)),
        (DealCards(0, ((1, 1),)), Deal(0, (Portion(1, 1),))),
        (OpenCards(0, 2), Open(0, 2)),
        (ShowCards(0, (0, 1)), Show(0, 0, (0, 1))),
        (ProveCards(0, (0, 1), (2, 4)), Prove(0, (NoneOf(0, (0, 1), (2, 4)),))),
        (GiveBack(0, (0,), "shuffled"), Return(0, (0,), Place.SHUFFLED, by=0)),
        (GiveBack(0, (0, 3), "discard"), Return(0, (0, 3), Place.DISCARD, by=0)),
        (ShowToOne(0, (0,), 1), Show(0, 0, (0,), 1)),
        (PassOn(0, (0, 1), 1), Pass(0, (Gift(0, 1, (0, 1)),))),
        (Insert(0, (0, 3), 2), Return(0, (0, 3), Place.TOP, by=0, depth=2)),
        (LookAt(0, 2, "keep"), Peek(0, 0, 2, Look.KEEP)),
        (MixHand(0, (0, 1)), Mix(0, 0, (0, 1))),
        (PutAway(0), Close(0)),
    ],
)
def test_what_a_player_asks_for_is_asked(move: Move, operation: object) -> None:
    asking = hand().moved(0, encode(move))
    assert asking.wants == Ask((operation,))  # type: ignore[arg-type]
    with pytest.raises(IllegalMove):
        asking.moved(1, encode(move))
    after = asking.told((Finished(operation),))  # type: ignore[arg-type]
    assert after.wants == Turn((), (0, 1)) and after.players == (0, 1)
    assert after.paid == {} and after.default(0) is None, "nothing is at stake, and nobody moves for another"


@pytest.mark.parametrize(
    "move",
    [
        b"",
        b"{}",
        b'{"type":"open","deck":0,"count":0}',
        b'{"type":"open","deck":16,"count":1}',
        b'{"type":"open","deck":0,"count":1,"more":1}',
        b'{"type":"deal","deck":0,"portions":[]}',
        b'{"type":"give back","deck":0,"positions":[0],"place":"pocket"}',
        b'{"type": "finish"}',
        encode(Shuffle(1, 3, ("a", "b"))),
        encode(Shuffle(1, 2, ("a", "a"))),
        encode(Shuffle(1, 2, ("a", "\x1b[2J"))),
        encode(Shuffle(0, 5)),
        encode(GiveBack(0, (2,), "top")),
    ],
)
def test_requests_that_no_one_may_make(move: bytes) -> None:
    with pytest.raises(IllegalMove):
        hand().moved(0, move)


def test_what_the_table_does_not_offer() -> None:
    few = Free(operations=frozenset({Capability.SHARED_DECK, Capability.RETURN_DISCARD}))
    game = few.begin(0, (0, 1), None, {0: 0, 1: 0}).moved(0, encode(Shuffle(0, 5))).told(())
    with pytest.raises(IllegalMove, match="no one can shuffle cards back into the deck at this table"):
        game.moved(0, encode(GiveBack(0, (), "shuffled")))
    with pytest.raises(IllegalMove, match="no one can deal"):
        game.moved(0, encode(DealCards(0, ((0, 1),))))
    assert isinstance(game.moved(0, encode(GiveBack(0, (0,), "discard"))).wants, Ask)


def test_only_players_ask() -> None:
    with pytest.raises(IllegalMove):
        hand().moved(2, encode(Finish()))


def test_the_end() -> None:
    done = hand().moved(1, encode(Finish()))
    assert isinstance(done.wants, Done)
    result = done.wants.result
    assert result["ended"] == "finished" and result["open"] == [{"deck": 0, "position": 3, "face": "e", "seat": None}]
    assert result["held"] == [{"seat": 0, "cards": 2}, {"seat": 1, "cards": 1}]
    with pytest.raises(IllegalMove):
        done.moved(0, encode(Finish()))


def test_returned_cards_have_no_holder() -> None:
    game = hand().moved(0, encode(GiveBack(0, (0, 3), "shuffled"))).told(())
    assert (0, 0) not in game.held and (0, 3) not in game.opened and (0, 1) in game.held
    assert game.face(0, 2) == "c" and game.face(7, 2) == 2


def test_players_who_leave() -> None:
    game = hand().left((1,), cards=True)
    assert game.wants == Turn((), (0,))
    assert game.held == {(0, 0): 0, (0, 1): 0}, "what it held hidden is in the deck again"
    over = hand().moved(0, encode(OpenCards(0, 1))).left((1,), cards=False)
    assert isinstance(over.wants, Done) and over.wants.result["ended"] == "given up"
    assert over.left((0,), cards=False).wants.result["ended"] == "given up"  # type: ignore[union-attr]
    deserted = game.left((0,), cards=True)
    assert isinstance(deserted.wants, Done) and deserted.wants.result["ended"] == "given up"


def test_where_cards_are_that_were_passed_on_or_shuffled_in_a_hand() -> None:
    passed = hand().moved(0, encode(PassOn(0, (0,), 1))).told((Moved(Card(0, 1, 5), 1, Card(0, 0, 0)),))
    assert passed.held == {(0, 1): 0, (0, 2): 1, (0, 5): 1}
    moved = (Moved(Card(0, 0, 0), None), Moved(Card(0, 0, 1), None), Moved(Card(0, 1, 5), 0), Moved(Card(0, 1, 6), 0))
    mixed = hand().moved(0, encode(MixHand(0, (0, 1)))).told(moved)
    assert mixed.held == {(0, 2): 1, (0, 5): 0, (0, 6): 0}
    with pytest.raises(IllegalMove, match="another player"):
        hand().moved(0, encode(Insert(0, (2,), 1)))


def test_parameters() -> None:
    rules = Free(10, frozenset({Capability.SHARED_DECK, Capability.OPEN_TOP}))
    assert rules.parameters == b'{"cards":10,"operations":["newdeck:shared","open:top"]}'
    assert Free.from_parameters(rules.parameters) == find_game("free").rules(rules.parameters) == rules
    for bad in (b"{}", b'{"cards":1,"operations":[]}', b'{"cards":10001,"operations":[]}'):
        with pytest.raises(DecodeError):
            Free.from_parameters(bad)
    for false in (
        b'{"cards":9,"operations":["fly"]}',
        b'{"cards":9,"operations":["newdeck:shared","fly"]}',
        b'{"cards":9,"operations":["newdeck:shared","peek:look:owner"]}',
        b'{"cards":9,"operations":["newdeck:shared","open:top","deal:top"]}',
        b'{"cards":9,"operations":["newdeck:shared","newdeck:shared"]}',
        b'{"cards":9,"operations":["open:top"]}',
        b'{"cards":9,"operations":[]}',
    ):
        with pytest.raises(BadParameter):
            Free.from_parameters(false)
    with pytest.raises(BadParameter):
        Free(1)
