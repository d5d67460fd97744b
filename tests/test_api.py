"""The library: what it gives, what it refuses and in which words, and that looking at it costs nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from msgspec import Raw
from msgspec.structs import replace

import nodealer
from games.outside import GAME
from nodealer import events
from nodealer.engine.lobby_messages import Proposed, read_frame, read_signed_frame, sign_frame
from nodealer.errors import BadParameter, Declined, DecodeError, HomeUnusable, IllegalMove
from nodealer.log.roster import Roster
from nodealer.log.session import Part, Proposal

ROOT = Path(__file__).parents[1]


class Circle:
    """Players and those who watch, around one order."""

    def __init__(self, *around: nodealer.Watcher) -> None:
        self.around = list(around)
        self.frames: list[bytes] = []

    def carry(self, frames: Iterable[bytes]) -> None:
        waiting = list(frames)
        while waiting:
            frame = waiting.pop(0)
            self.frames.append(frame)
            for one in self.around:
                waiting += one.receive(frame)


def seated(*names: str, cards: int = 6, protocol: str = "mask") -> tuple[Circle, list[nodealer.Player]]:
    players = [nodealer.Player(name) for name in names]
    circle = Circle(*players)
    for player in players:
        circle.carry(player.hello())
    circle.carry(players[0].propose(cards=cards, protocol=protocol))
    return circle, players


def told(one: nodealer.Watcher, *kinds: type) -> list[events.Event]:
    return [event for event in one.events() if isinstance(event, kinds)]


# --- What is public ---


def test_importing_is_cheap() -> None:
    code = "import sys, nodealer; print(nodealer.__version__, [m for m in sys.modules if m.startswith('nodealer.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{nodealer.__version__} []\n"
    with pytest.raises(AttributeError):
        _ = nodealer.nothing
    assert all(hasattr(nodealer, name) for name in nodealer.__all__)


def test_the_page_lists_exactly_what_is_public() -> None:
    page = (ROOT / "docs" / "build" / "library.md").read_text()
    listed = set(re.findall(r"`nodealer\.(\w+)", page))
    assert listed == set(nodealer.__all__)
    for heading, public in (
        ("### `Watcher`", set(vars(nodealer.Watcher))),
        ("### `Player`", set(vars(nodealer.Player))),
        ("### `Timekeeper`", set(vars(nodealer.Timekeeper))),
        ("### `Table`", {*vars(nodealer.Table), "players"}),
        ("### Events", {kind.__name__ for kind in events.Event.__args__} | {"Proposal", "Face", "Event"}),
        ("### `nodealer.game`", set(nodealer.game.__all__)),
    ):
        section = page.partition(heading)[2].partition("\n### ")[0]
        missing = {name for name in public if not name.startswith("_")} - set(
            re.findall(r"`(?:Player\.)?(\w+)", section)
        )
        assert not missing, f"{heading}: {sorted(missing)} is not on the page"


# --- A table in one process ---


def test_named_faces_and_several_hands(tmp_path: Path) -> None:
    table = nodealer.table(["Ada", "Ben"])
    table.shuffle(["a", "b", "c", "d"])
    table.deal({"Ben": 1})
    table.next_hand()
    table.shuffle(["w", "x", "y", "z"])
    table.deal(Ada=1, Ben=1)
    seen = {*table.hand("Ada"), *table.hand("Ben"), *table.open(2)}
    assert seen == {"w", "x", "y", "z"}
    table.word("Ben", "well played")
    table.save(tmp_path / "log.jsonl")
    report = nodealer.verify(tmp_path / "log.jsonl")
    assert report.verdict == "clean" and report.exit_code == 0
    assert [(result["ended"], result["void"]) for result in report.as_json()["results"]] == [("finished", None)] * 2
    with pytest.raises(IllegalMove, match="the game is over: its end has been signed"):
        table.open(1)
    with pytest.raises(IllegalMove, match="the game is over"):
        table.word("Ben", "one more thing")


def test_cards_go_back_one_or_all() -> None:
    table = nodealer.table(["Ada", "Ben", "Cleo"], cards=7)
    table.shuffle(list("abcdefg"))
    table.deal(Ada=3, Ben=1)
    first, second, third = table.hand("Ada")
    table.give_back("Ada", second)
    assert table.hand("Ada") == [first, third]
    table.give_back("Ada")
    assert table.hand("Ada") == []
    kept = table.hand("Ben")
    assert sorted([*kept, *table.open(6)]) == sorted("abcdefg")
    # What lies open on the table is anybody's to give back.
    (back,) = table.players["Ada"].opened()[:1]
    table.give_back("Ben", back, to="top")
    assert table.open(1) == [back]
    table.give_back("Ben", to="discard")
    assert table.hand("Ben") == []


@pytest.mark.parametrize("protocol", ["mask", "lock"])
def test_what_hidden_cards_are_not(protocol: str, tmp_path: Path) -> None:
    table = nodealer.table(["Ada", "Ben"], cards=6, protocol=protocol)
    table.shuffle(list("abcdef"))
    table.deal(Ada=3)
    first, second, third = table.hand("Ada")
    rest = sorted(set("abcdef") - {first, second, third})
    list(table.players["Ben"].events())
    table.prove("Ada", rest)
    table.prove("Ada", [first, *rest], second, third)
    heard = [event for event in table.players["Ben"].events() if isinstance(event, events.Proven)]
    assert [(one.name, len(one.positions)) for one in heard] == [("Ada", 3), ("Ada", 2)]
    assert [sorted(map(str, one.none_of)) for one in heard] == [rest, sorted([str(first), *rest])]
    refused: dict[str, Callable[[], None]] = {
        "that cannot be proved: one of these cards is in `none_of`": lambda: table.prove("Ada", [first]),
        "a proof must name at least one face": lambda: table.prove("Ada", []),
        "no card of this deck is 'z'": lambda: table.prove("Ada", ["z"]),
        "Ada has no 'z' to prove anything about": lambda: table.prove("Ada", rest, "z"),
        "Ben has no card to prove anything about": lambda: table.prove("Ben", rest),
    }
    for why, ask in refused.items():
        with pytest.raises(IllegalMove, match=f"^{re.escape(why)}$"):
            ask()
    table.save(tmp_path / "game.jsonl")
    report = nodealer.verify(tmp_path / "game.jsonl")
    assert report.verdict == "clean" and report.results[0]["proven"][0]["none of"] == rest


def test_a_proof_that_cannot_be_given_is_not() -> None:
    """Whoever asks for it past the library is waited for, and told why."""
    circle, (ada, ben) = seated("Ada", "Ben")
    circle.carry(ada.shuffle(6))
    circle.carry(ada.deal({"Ada": 1}))
    (face,) = ada.hand()
    assert isinstance(face, int)
    circle.carry(ada.move({"type": "prove", "deck": 0, "positions": [0], "faces": [face]}))
    assert ben.waits_for == ("Ada",) and told(ada, events.Unprovable) == [events.Unprovable(0)]
    assert not told(ada, events.Unprovable) and not told(ben, events.Unprovable)
    assert ada.receive(circle.frames[-1]) == []


def test_one_card_is_shown() -> None:
    table = nodealer.table(["Ada", "Ben"], cards=6)
    table.shuffle(6)
    table.deal(Ada=3)
    first, second, third = table.hand("Ada")
    assert table.show("Ada", second) == [second]
    assert table.players["Ben"].shown("Ada") == [second]
    with pytest.raises(IllegalMove, match=f"^{second} has already been shown$"):
        table.show("Ada", second)
    assert sorted(table.show("Ada"), key=int) == sorted([first, second, third], key=int)
    with pytest.raises(IllegalMove, match=r"^Ada has no card to show$"):
        table.show("Ada")


def test_cards_that_only_some_see(tmp_path: Path) -> None:
    """Looked at, put in order, kept, given, shown to one, shuffled in a hand, and put back under others."""
    circle, (ada, ben, cleo) = seated("Ada", "Ben", "Cleo", cards=9)
    circle.carry(ada.shuffle([*"abcdefghi"]))
    circle.carry(ada.deal({"Ada": 2, "Ben": 1}))
    circle.carry(ben.peek(3))
    top = ben.seen()
    assert len(top) == 3 and not ada.seen() and ben.question() is None
    circle.carry(ben.peek(2, then="reorder"))
    question = ben.question()
    assert question is not None and list(question.view.seen_in(0)) == [3, 4], "what it is asked about, and no more"
    with pytest.raises(IllegalMove, match="in the order you want"):
        ben.answer(question, (3, 3))
    circle.carry(ben.answer(question, (4, 3)))
    circle.carry(ada.deal({"Cleo": 1}))
    assert cleo.hand() == [top[1]] and ben.seen() == [top[2]]
    circle.carry(cleo.peek(2, then="keep"))
    question = cleo.question()
    assert question is not None
    circle.carry(cleo.answer(question, tuple(question.view.seen_in(0))))
    assert cleo.hand() == [top[1], top[0]]
    one, two = ada.hand()
    circle.carry(ada.give("Ben", one))
    assert one in ben.hand() and ada.hand() == [two] and ada.seen() == [one]
    circle.carry(ada.show(two, to="Cleo"))
    assert cleo.seen() == [two]
    hands = set(ben.hand())
    circle.carry(ben.mix())
    assert set(ben.hand()) == hands and ada.seen() == []
    # Exchange: discards laid aside, and as many dealt.
    circle.carry(ben.give_back(to="discard"))
    circle.carry(ada.deal({"Ben": 2}))
    assert len(ben.hand()) == 2 and not hands & set(ben.hand())
    circle.carry(ada.give_back(two, to="top", depth=1))
    circle.carry(ada.open_cards(2))
    assert ada.opened()[1] == two
    for player in (ada, ben, cleo):
        circle.carry(player.end())
    circle.carry(ada.finish())
    ada.save(tmp_path / "log.jsonl")
    assert nodealer.verify(tmp_path / "log.jsonl").verdict == "clean"


def test_what_only_some_see_is_asked_for_in_words() -> None:
    circle, (ada, _) = seated("Ada", "Ben")
    circle.carry(ada.shuffle(6))
    circle.carry(ada.deal({"Ada": 1}))
    refused: tuple[tuple[Callable[[], object], str], ...] = (
        (lambda: ada.give("Ada"), "not another player"),
        (lambda: ada.peek(0), "at least one card"),
        (lambda: ada.peek(1, then="steal"), "`then` is"),  # type: ignore[arg-type]
        (lambda: ada.give_back(to="bottom", depth=1), "counts from the top"),
        (lambda: ada.mix("x"), "no 'x' to shuffle"),
        (lambda: ada.peek(9), "9 cards were requested"),
        (lambda: ada.give_back(to="top", depth=6), "a depth must be 1 to 5"),
    )
    for asked, words in refused:
        with pytest.raises(IllegalMove, match=words):
            asked()


def test_several_decks() -> None:
    table = nodealer.table(["Ada", "Ben"])
    table.shuffle(3, deck=0)
    table.shuffle(["x", "y"], deck=1)
    table.deal(deck=1, Ada=1)
    assert table.hand("Ada") == [] and table.hand("Ada", deck=1)[0] in ("x", "y")
    table.carry(table.players["Ben"].reshuffle())
    table.carry(table.players["Ben"].put_away(1))
    with pytest.raises(IllegalMove):
        table.open(1, deck=1)


def test_what_cannot_be_is_refused_in_words_and_nothing_happens() -> None:
    table = nodealer.table(["Ada", "Ben"], cards=10)
    no_deck: dict[str, Callable[[], object]] = {
        "there is no deck 0": lambda: table.open(1),
        "a deck at this table has 2 to 10 cards, not 11": lambda: table.shuffle(11),
        "a deck at this table has 2 to 10 cards, not 1": lambda: table.shuffle(1),
        "two cards of a deck cannot have the same name": lambda: table.shuffle(["same", "same"]),
        "the name of a card has 1 to 64 printable characters": lambda: table.shuffle(["bell\a", "two"]),
        "decks are numbered 0 to 15, not 99": lambda: table.shuffle(3, deck=99),
    }
    with_deck: dict[str, Callable[[], object]] = {
        "deck 0 already exists": lambda: table.shuffle(3),
        "4 cards were requested, but the pile of deck 0 has 3": lambda: table.open(4),
        "a deal gives at least one card": lambda: table.deal(Ada=0),
        "a deal must name at least one player": lambda: table.deal(),
        "a request opens at least one card": lambda: table.open(0),
        "Ada has no card to show": lambda: table.show("Ada"),
        "Ada has no card to give back": lambda: table.give_back("Ada"),
    }
    refused_in_words(no_deck)
    table.shuffle(3)
    refused_in_words(with_deck)
    unknown: list[Callable[[], object]] = [
        lambda: table.deal(Eve=1),
        lambda: table.hand("Eve"),
        lambda: table.players["Ada"].shown("Eve"),
    ]
    for attempt in unknown:
        with pytest.raises(BadParameter, match="there is no player called 'Eve'"):
            attempt()
    table.deal(Ada=1)
    (mine,) = table.hand("Ada")
    refused_in_words(
        {
            "Ada has no 9 to show": lambda: table.show("Ada", 9),
            "a card is named more than once": lambda: table.show("Ada", mine, mine),
            "Ben has no card to show": lambda: table.show("Ben", mine),
            "`to` is": lambda: table.give_back("Ada", to="sleeve"),  # type: ignore[arg-type]
        }
    )
    assert len(table.open(2)) == 2


def refused_in_words(attempts: dict[str, Callable[[], object]]) -> None:
    for words, attempt in attempts.items():
        with pytest.raises(IllegalMove, match=words):
            attempt()


@pytest.mark.parametrize("names", [[], ["Ada"], ["Ada", "Ada"]])
def test_a_table_needs_players(names: list[str]) -> None:
    with pytest.raises(BadParameter):
        nodealer.table(names)


def test_names_that_nobody_may_have() -> None:
    with pytest.raises(DecodeError):
        nodealer.table(["Ada", "B\nen"])


def test_another_game_with_settings_and_a_bot(tmp_path: Path) -> None:
    """Any installed game, played by asking and answering."""
    from nodealer.games.registry import find_game

    bot = find_game("holdem").new_bot(lambda size: bytes(size))
    table = nodealer.table(["Ada", "Ben"], "holdem", settings={"stack": "20"})
    ada = table.players["Ada"]
    with pytest.raises(IllegalMove, match=r"it is the turn of (Ada|Ben)"):
        next(player for player in table.players.values() if not player.ready).move({})
    results: list[events.Event] = []
    while not (results := results + told(ada, events.Result)):
        player = next(player for player in table.players.values() if player.ready)
        question = player.question()
        assert question is not None
        table.carry(player.answer(question, bot.move(question.view)))
        with pytest.raises(IllegalMove, match="no longer open"):
            player.answer(question, bot.move(question.view))
    (result,) = results
    assert isinstance(result, events.Result) and sum(result.net.values()) == 0 and set(result.net) == {"Ada", "Ben"}
    with pytest.raises(IllegalMove, match="this is a table for holdem"):
        ada.hand()
    with pytest.raises(BadParameter, match="this is not a move"):
        ada.move(object())
    table.save(tmp_path / "log.jsonl")
    assert nodealer.verify(tmp_path / "log.jsonl").verdict in ("clean", "incomplete")
    with pytest.raises(BadParameter, match="holdem has no setting"):
        nodealer.table(["Ada", "Ben"], "holdem", settings={"blind": "1"})


def test_a_game_of_ones_own(tmp_path: Path) -> None:
    """A package that is not installed: everybody brings it, and so does whoever verifies."""
    table = nodealer.table(["Ada", "Ben"], GAME)
    ada = table.players["Ada"]
    results: list[events.Event] = []
    while not (results := results + told(ada, events.Result)):
        player = next(player for player in table.players.values() if player.question() is not None)
        question = player.question()
        assert question is not None
        table.carry(player.answer(question, GAME.new_bot(lambda size: bytes(size)).move(question.view)))
        for one in table.players.values():
            table.carry(one.end())
    path = tmp_path / "log.jsonl"
    table.save(path)
    assert nodealer.verify(path, GAME).verdict == nodealer.verify(path, "games.outside:GAME").verdict == "clean"
    unknown = nodealer.verify(path)
    assert unknown.verdict == "not-a-log" and GAME.name in unknown.reason
    with pytest.raises(BadParameter, match="Ada does not play"):
        nodealer.Player("Ada").propose(GAME)


def test_a_folder_whose_game_is_not_here_is_not_kept_locked(tmp_path: Path) -> None:
    ada, ben = (nodealer.Player.open(tmp_path / name, name, games=[GAME]) for name in ("Ada", "Ben"))
    circle = met(ada, ben)
    circle.carry(ada.propose(GAME))
    assert ada.agreed
    ada.close()
    ben.close()
    with pytest.raises(BadParameter, match="not installed"):
        nodealer.Player.open(tmp_path / "Ada")
    again = nodealer.Player.open(tmp_path / "Ada", games=[GAME])
    assert again.agreed
    again.close()


def test_roles_and_parameters() -> None:
    """A server that opens the cards of the table, and has none."""
    table = nodealer.table(
        ["Ada", "Ben", "Sid"], protocol="lock", parameters={"community": "server"}, roles={"Sid": "server"}, cards=4
    )
    table.shuffle(4)
    table.deal(Ada=1, Ben=1)
    assert len({*table.hand("Ada"), *table.hand("Ben"), *table.open(1)}) == 3
    with pytest.raises(IllegalMove, match="Sid has nothing to do now"):
        table.players["Sid"].finish()
    ada = nodealer.Player("Ada")
    Circle(ada).carry(ada.hello())
    with pytest.raises(BadParameter, match="no one called 'Sid' has said hello"):
        ada.propose(roles={"Sid": "server"})
    with pytest.raises(BadParameter, match="no one called 'Sid' has said hello"):
        ada.propose(names=["Ada", "Sid"])
    with pytest.raises(BadParameter, match="only once"):
        ada.propose(names=["Ada", "Ada"])
    with pytest.raises(BadParameter, match="Ada does not play holdem, only free"):
        ada.propose("holdem")


# --- Coming to an agreement ---


def proposal_of(frame: bytes) -> Proposal:
    read = read_frame(read_signed_frame("", frame).payload)
    assert isinstance(read, Proposed)
    return read.proposal


def changed_to(frame: bytes, proposer: nodealer.Player, proposal: Proposal) -> bytes:
    """What a proposer would send who has a program of its own."""
    read = read_frame(read_signed_frame("", frame).payload)
    assert isinstance(read, Proposed)
    return sign_frame(proposer._me.store.identity, "", replace(read, proposal=proposal))


CHANGES: dict[str, Callable[[Proposal], Proposal]] = {
    "rehearsal": lambda proposal: replace(proposal, rehearsal=True),
    "comes with a warning": lambda proposal: replace(proposal, protocol=Part("duel", 0, Raw(b'{"mode":"xor"}'))),
    "Ben only plays free": lambda proposal: replace(proposal, game=Part("holdem", 0)),
    "mask": lambda proposal: replace(proposal, protocol=Part("mask", 0, Raw(b'{"odd":1}'))),
    "lock": lambda proposal: replace(proposal, protocol=Part("lock", 0, Raw(b'{"odd":1}'))),
    "offset": lambda proposal: replace(proposal, protocol=Part("offset", 0, Raw(b'{"odd":1}'))),
    "chain": lambda proposal: replace(proposal, protocol=Part("chain", 0, Raw(b'{"odd":1}'))),
    "duel": lambda proposal: replace(proposal, protocol=Part("duel", 0, Raw(b'{"odd":1}'))),
}


def met(*players: nodealer.Player) -> Circle:
    circle = Circle(*players)
    for player in players:
        circle.carry(player.hello())
    return circle


@pytest.mark.parametrize("said", CHANGES)
def test_a_player_looks_before_it_commits(said: str) -> None:
    ada, ben = nodealer.Player("Ada"), nodealer.Player("Ben")
    met(ada, ben)
    (good,) = ada.propose(cards=5)
    bad = changed_to(good, ada, CHANGES[said](proposal_of(good)))
    circle = Circle(ben)
    circle.carry([bad])
    (declined,) = told(ben, events.Declined)
    assert isinstance(declined, events.Declined) and declined.name == "Ben" and said in declined.reason
    assert not ben.ready and not ben.agreed


def test_a_player_is_not_called_by_another_name() -> None:
    """A roster that is not as its players offered is nobody's proposal."""
    ada, ben = nodealer.Player("Ada"), nodealer.Player("Ben")
    circle = met(ada, ben)
    (good,) = ada.propose(cards=5)
    one, two = proposal_of(good).roster.members
    swapped = Roster((replace(one, name="Ben"), replace(two, name="Ada")))
    bad = changed_to(good, ada, replace(proposal_of(good), roster=swapped))
    assert ben.receive(bad) == []
    assert ada.receive(bad) == []
    circle.carry([good])
    assert ben.ready


def test_a_player_with_an_eye_of_its_own() -> None:
    looked: list[events.Proposal] = []

    def accept(proposal: events.Proposal) -> None:
        looked.append(proposal)
        if proposal.protocol != "lock":
            raise Declined("I play only lock")

    ada, ben = nodealer.Player("Ada"), nodealer.Player("Ben", accept=accept)
    circle = met(ada, ben)
    circle.carry(ada.propose(cards=5))
    for player in (ada, ben):
        assert told(player, events.Declined) == [events.Declined("Ben", "I play only lock")]
    circle.carry(ada.propose(protocol="lock", cards=5))
    assert ben.ready and [proposal.protocol for proposal in looked] == ["mask", "lock"]
    assert looked[1].names == ("Ada", "Ben") and looked[1].game == "free" and looked[1].parameters["cards"] == 5
    assert told(ben, events.Agreed) == [events.Agreed(("Ada", "Ben"), ben.words)] and ada.words == ben.words
    assert len(ada.words_of("Ben")) == 6 and ada.words_of("Ben") == ben.words_of("Ben")


def test_who_comes_goes_and_changes_their_mind() -> None:
    ada, ben, eve = nodealer.Player("Ada"), nodealer.Player("Ben"), nodealer.Player("ADA")
    circle = met(ada, ben, eve)
    assert ada.came == ben.came == ["Ada", "Ben"]
    (refused,) = told(eve, events.NotTaken)
    assert isinstance(refused, events.NotTaken) and "name" in refused.reason
    circle.carry(ben.withdraw())
    assert ada.came == ["Ada"]
    assert told(ada, events.Came, events.Went) == [events.Came("Ada"), events.Came("Ben"), events.Went("Ben")]
    circle.carry(ben.hello())
    with pytest.raises(BadParameter, match="no proposal"):
        ben.decline("no")
    # A proposal that is taken back by the one who made it, before it is heard by the other.
    (proposed,) = ada.propose(cards=4)
    commitments = ada.receive(proposed)
    circle.around = [ben, eve]
    assert ben.receive(proposed) and commitments
    said = ada.decline("on second thoughts")
    circle.around = [ada, ben]
    circle.carry(said)
    assert told(ben, events.Proposed, events.Declined)[-1] == events.Declined("Ada", "on second thoughts")


def test_before_anything_is_agreed() -> None:
    player = nodealer.Player("Ada")
    assert not player.ready and not player.ended and not player.in_hand and player.stopped is None
    attempts = (player.hand, player.finish, lambda: player.shuffle(3), lambda: player.save("x"))
    for attempt in (*attempts, lambda: player.word("hi"), player.leave, player.opened, player.view):
        with pytest.raises(IllegalMove, match="have not agreed"):
            attempt()


# --- At the table ---


def test_frames_that_are_none_change_nothing() -> None:
    circle, (ada, ben) = seated("Ada", "Ben", cards=5)
    for junk in (b"", b"junk", b"{}", bytes(100)):
        assert ada.receive(junk) == []
        assert ben.receive(junk) == []
    circle.carry(ben.shuffle(5))
    first = ada.open_cards(1)
    circle.carry(first)
    assert ben.opened() == ada.opened() and ada.receive(first[0]) == []


def test_what_is_told() -> None:
    """Everybody is told the same in the same order, but for their own cards and their own turn."""
    circle, (ada, ben) = seated("Ada", "Ben")
    watcher = nodealer.Watcher()
    for frame in circle.frames:
        assert watcher.receive(frame) == []
    circle.around.append(watcher)
    circle.carry(ada.shuffle(list("abcdef")))
    circle.carry(ben.deal({"Ben": 2, "Ada": 1}))
    one, two = ben.hand()
    circle.carry(ben.word("I bet 10"))
    circle.carry(ben.show(two))
    circle.carry(ada.open_cards(1))
    circle.carry(ada.give_back())
    circle.carry(ada.finish())
    (table,) = (event.faces for event in told(watcher, events.Opened) if isinstance(event, events.Opened))
    heard = {player.name: player.events() for player in (ada, ben)}
    public = [
        [event for event in said if not isinstance(event, events.YourTurn | events.Dealt | events.Came)]
        for said in heard.values()
    ]
    assert public[0] == public[1] and len(table) == 1
    dealt = [event for event in heard["Ben"] if isinstance(event, events.Dealt)]
    assert dealt == [events.Dealt("Ben", 0, (0, 1), (one, two)), events.Dealt("Ada", 0, (2,), ())]
    kinds = [type(event).__name__ for event in public[0]]
    assert kinds[:3] == ["Proposed", "Agreed", "Began"] and events.Shown("Ben", 0, (1,), (two,)) in public[0]
    assert events.Word("Ben", "I bet 10") in public[0] and events.GivenBack(0, (2,)) in public[0]
    assert next(event.text for event in public[0] if isinstance(event, events.Moved)) == "asks for deck 0, 6 cards"
    result = next(event for event in public[0] if isinstance(event, events.Result))
    assert result.hand == 0 and result.result["ended"] == "finished" and result.void is None
    turns = [event for event in heard["Ada"] if isinstance(event, events.YourTurn)]
    assert turns == [events.YourTurn(0, False)] * 6 + [events.YourTurn(1, False)]
    assert ada.events() == [] and ada.names == watcher.names == {0: "Ada", 1: "Ben"}
    assert watcher.words == ada.words and watcher.in_hand and watcher.game is not None


def test_two_ask_at_once_and_the_first_counts() -> None:
    circle, (ada, ben) = seated("Ada", "Ben", cards=5)
    circle.carry(ada.shuffle(5))
    ada.events()
    asked = [*ada.open_cards(1), *ben.open_cards(2)]
    with pytest.raises(IllegalMove, match="Ada's last message has not come back yet"):
        ada.open_cards(1)
    circle.carry(asked)
    assert len(ada.opened()) == 1 and ben.ready
    assert told(ada, events.Late) == [events.Late("Ben", "move")]


def test_words_that_are_none() -> None:
    _, (ada, _) = seated("Ada", "Ben")
    for text in ("", "ä" * 2049, "\ud800", 7):
        with pytest.raises(BadParameter, match="a note is text of 1 to 4096 bytes"):
            ada.word(text)  # type: ignore[arg-type]


def test_a_table_goes_on_without_one_who_says_nothing() -> None:
    """Three at a table of `lock`: two are more than half."""
    circle, (ada, _, cleo) = seated("Ada", "Ben", "Cleo", protocol="lock")
    circle.carry(ada.shuffle(6))
    circle.carry(ada.deal({"Ada": 1, "Ben": 1, "Cleo": 1}))
    mine = ada.hand()
    with pytest.raises(IllegalMove, match="the table is not waiting for Ben"):
        ada.without("Ben")
    with pytest.raises(IllegalMove, match="Ada cannot abort the hand now"):
        ada.break_off()
    with pytest.raises(BadParameter, match="there is no player called 'Eve'"):
        ada.without("Eve")
    circle.around = [ada, cleo]
    circle.carry(ada.open_cards(1))
    assert ada.waits_for == ("Ben",)
    with pytest.raises(IllegalMove, match="the table is waiting for Ben"):
        ada.open_cards(1)
    for player in (ada, cleo):
        circle.carry(player.without("Ben"))
    said = told(cleo, events.WouldNotWait, events.Left)
    assert said == [
        events.WouldNotWait("Ada", ("Ben",)),
        events.WouldNotWait("Cleo", ("Ben",)),
        events.Left("Ben", thrown_out=True),
    ]
    assert ada.ready and ada.hand() == mine
    circle.carry(cleo.leave())
    assert events.Left("Cleo", thrown_out=False) in told(ada, events.Left)


def test_half_of_a_table_can_break_a_hand_off() -> None:
    circle, (ada, ben) = seated("Ada", "Ben")
    circle.around = [ada]
    circle.carry(ada.shuffle(6))
    circle.carry(ada.break_off())
    assert events.WouldBreakOff("Ada") in (heard := ada.events())
    assert [event.void for event in heard if isinstance(event, events.Result)] == ["broken off"]
    with pytest.raises(IllegalMove, match="the table has stopped: the hand was aborted"):
        ada.shuffle(6)
    with pytest.raises(IllegalMove, match="every card"):
        ada.claim()
    assert ben.ready


def test_when_too_few_are_left() -> None:
    circle, (ada, ben) = seated("Ada", "Ben")
    circle.carry(ada.shuffle(6))
    circle.carry(ben.leave())
    # With one left that ends the hand, and he is back for the next one.
    assert ada.ready and ben.ready and ada.view().hand == 1
    circle.carry(ada.shuffle(6))
    circle.around = [ada]
    circle.carry(ben.leave())
    assert ada.stopped == "Ben is no longer here, and too few players are left"
    with pytest.raises(IllegalMove, match="the table has stopped: Ben is no longer here"):
        ada.shuffle(6)


def test_a_cheat_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nodealer.proofs import shuffle

    circle, (ada, eve) = seated("Ada", "Eve", cards=4)
    honest = shuffle.prove
    made = []

    def once_false(*arguments: object) -> bytes:
        proof = honest(*arguments)  # type: ignore[arg-type]
        made.append(proof)
        return made[0] if len(made) == 2 else proof

    monkeypatch.setattr(shuffle, "prove", once_false)
    circle.carry(ada.shuffle(4))
    (fault,) = told(ada, events.Fault)
    assert isinstance(fault, events.Fault) and fault.name == "Eve" and "does not verify" in fault.reason
    with pytest.raises(IllegalMove, match=r"the table has stopped: Eve was found at fault: .* does not verify"):
        ada.open_cards(1)
    with pytest.raises(IllegalMove, match="Eve was found at fault and can no longer act"):
        eve.open_cards(1)
    ada.save(tmp_path / "evidence.jsonl")
    report = nodealer.verify(tmp_path / "evidence.jsonl")
    assert report.verdict == "fault" and [report.name(fault.seat) for fault in report.faults] == ["Eve"]
    assert "Eve (seat 1, key " in report.reason


def test_logs_that_part() -> None:
    circle, (ada, ben) = seated("Ada", "Ben")
    one, two = ada.word("one"), ben.word("two")
    for frame in (*one, *two):
        ada.receive(frame)
    for frame in (*two, *one):
        ben.receive(frame)
    circle.carry(ben.word("three"))
    assert told(ada, events.Diverged) == [events.Diverged("Ben")] and told(ben, events.Diverged) == []


# --- Coming back ---


def test_a_player_comes_back_from_its_folder(tmp_path: Path) -> None:
    ada, ben = nodealer.Player("Ada"), nodealer.Player.open(tmp_path / "ben", "Ben")
    circle = met(ada, ben)
    circle.carry(ada.propose(cards=6))
    circle.carry(ada.shuffle(list("abcdef")))
    circle.carry(ada.deal({"Ben": 2}))
    cards = ben.hand()
    with pytest.raises(HomeUnusable, match="another program"):
        nodealer.Player.open(tmp_path / "ben")
    # It asks for something, and is gone before that is sent.
    asked = ben.show(cards[0])
    ben.close()
    again = nodealer.Player.open(tmp_path / "ben")
    assert again.name == "Ben" and again.hand() == cards and not again.ready
    assert again.resend(len(circle.frames)) == asked
    for frame in circle.frames:
        assert again.receive(frame) == []
    circle.around = [ada, again]
    circle.carry(asked)
    assert ada.shown("Ben") == cards[:1] and again.expects == len(circle.frames)
    assert told(again, events.Shown, events.Dealt) == [events.Shown("Ben", 0, (0,), (cards[0],))]
    again.close()


def test_whose_folder_it_is(tmp_path: Path) -> None:
    with pytest.raises(BadParameter, match="there is no player in"):
        nodealer.Player.open(tmp_path / "nobody")
    nodealer.Player.open(tmp_path / "ada", "Ada").close()
    with pytest.raises(BadParameter, match="belongs to Ada, not to Ben"):
        nodealer.Player.open(tmp_path / "ada", "Ben")
    with pytest.raises(BadParameter, match="belongs to Ada, a player"):
        nodealer.Watcher.open(tmp_path / "ada")
    watcher = nodealer.Watcher.open(tmp_path / "watching")
    assert watcher.resend() == []
    watcher.close()
    with pytest.raises(BadParameter, match="belongs to a spectator"):
        nodealer.Player.open(tmp_path / "watching", "Ada")
    assert nodealer.Player.open(tmp_path / "ada").resend() != []


# --- Time, and who sits ---


def test_a_timekeeper_and_the_players_clocks_move_for_who_is_slow() -> None:
    players, keeper = [nodealer.Player(name) for name in ("Ada", "Ben")], nodealer.Timekeeper()
    circle = Circle(*players, keeper)
    for frames in (players[0].hello(), players[1].hello(), keeper.hello()):
        circle.carry(frames)
    limits = {"move": 5_000, "cards": 5_000, "bank": 0, "refill": 0}
    for wrong in (None, {"move": 5_000}, limits | {"move": 1}):
        with pytest.raises(BadParameter, match="time limits"):
            players[0].propose(cards=4, clock=wrong)
    circle.carry(players[0].propose(cards=4, clock=limits))
    assert keeper.agreed and players[0].names == {0: "Ada", 1: "Ben", 2: "Clock"}
    players[0].end()
    circle.carry(players[1].shuffle(4))
    # Ben falls silent in the middle of a deal: its keys are missing.
    circle.around = [players[0], keeper]
    circle.carry(players[0].deal({"Ada": 1}))
    for now in range(20):
        circle.carry([*keeper.look(now / 2), *players[0].look(now / 2)])
    assert told(players[0], events.TimeIsUp) == [events.TimeIsUp("Ben")]
    assert players[0].ended or players[0].stopped is not None
    with pytest.raises(IllegalMove):
        players[0].break_off()


def test_who_is_gone_is_taken_out() -> None:
    circle, (ada, ben, cleo) = seated("Ada", "Ben", "Cleo")
    with pytest.raises(IllegalMove, match="Cleo is present"):
        ada.remove("Cleo")
    circle.carry(cleo.sit_out())
    circle.carry(ada.finish())
    circle.carry(ada.remove("Cleo"))
    circle.carry(ben.agree("Ada"))
    circle.carry(ada.finish())
    assert told(ben, events.Seated) == [events.Seated(("Ada", "Ben"))]


def test_sitting_out_and_a_newcomer() -> None:
    circle, (ada, ben, cleo) = seated("Ada", "Ben", "Cleo")
    dan = nodealer.Player("Dan")
    circle.around.append(dan)
    for frame in list(circle.frames):
        dan.receive(frame)
    with pytest.raises(IllegalMove, match="no proposed roster"):
        ada.agree()
    circle.carry(cleo.sit_out())
    circle.carry(dan.ask_to_sit())
    assert told(ada, events.AsksToSit) == [events.AsksToSit("Dan")]
    circle.carry(ada.let_in("Dan"))
    names = ("Ada", "Ben", "Cleo", "Dan")
    assert told(ben, events.SeatsProposed) == [events.SeatsProposed("Ada", names)]
    # Another one proposes it too: whose proposal is meant has to be said.
    circle.carry(cleo.let_in("Dan"))
    with pytest.raises(IllegalMove, match="say whose you agree to"):
        ben.agree()
    circle.carry(ben.agree("Ada"))
    circle.carry(ada.finish())
    assert told(ben, events.Seated) == [events.Seated(names)]
    began = [one for one in told(dan, events.Began) if isinstance(one, events.Began)]
    assert began[-1].names == ("Ada", "Ben", "Dan")
    circle.carry(cleo.come_back())
    circle.carry(ada.finish())
    began = [one for one in told(dan, events.Began) if isinstance(one, events.Began)]
    assert began[-1].names == names
