"""Plays the two small games whose mutants both verifiers judge, and writes their logs with the keys of their seats.

    python -m tests.verifier.make

The keys are in the files, so that mutants can be signed again. Whoever makes them anew gets other logs.
"""

import json
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import nodealer

HERE = Path(__file__).parent
Players = dict[str, nodealer.Player]


def carry(players: Players, frames: Iterable[bytes]) -> None:
    """Every frame to everybody, in one order, until nobody has more to say."""
    waiting = list(frames)
    while waiting:
        frame = waiting.pop(0)
        for player in players.values():
            waiting += player.receive(frame)


def write(log: Path, names: Iterable[str], games: Iterable[str], play: Callable[[Players], None]) -> None:
    """Play, and write the log and, beside it, the keys."""
    with tempfile.TemporaryDirectory() as folder:
        homes = {one: Path(folder, one) for one in names}
        players = {one: nodealer.Player.open(home, one, games=games) for one, home in homes.items()}
        for player in players.values():
            carry(players, player.hello())
        play(players)
        log.unlink(missing_ok=True)
        players["Ada"].save(log)
        secrets = {one: json.loads((home / "home.json").read_text()) for one, home in homes.items()}
        for player in players.values():
            player.close()
    keys = {one: {"key": secret["key"], "root": secret["root"]} for one, secret in secrets.items()}
    log.with_suffix(".keys.json").write_text(json.dumps(keys, indent=1) + "\n")


def free(players: Players) -> None:
    """Cards of two players, a roll, a bid, a card that goes back, somebody who leaves, and the deck made again."""
    ada, ben, cleo = players.values()
    carry(players, ada.propose(cards=4))
    carry(players, ada.shuffle(4))
    carry(players, ben.deal({"Ada": 1, "Ben": 1}))
    carry(players, cleo.word("I bet 10"))
    carry(players, ben.roll(6, 2, deck=9))
    carry(players, ada.ask_to_seal("Ada", "Cleo", deck=8))
    for player in (ada, cleo):
        question = player.question()
        assert question is not None
        carry(players, player.answer(question, b"a bid"))
    carry(players, cleo.unseal(deck=8))
    carry(players, ada.show())
    carry(players, ada.give_back(to="top"))
    carry(players, cleo.leave())
    carry(players, ben.open_cards(1))
    for player in players.values():
        carry(players, player.end())
    carry(players, ada.finish())


def holdem(players: Players) -> None:
    """One hand of two: called, a bet, and shown."""
    carry(players, players["Ada"].propose("holdem", settings={"stack": "20"}))
    for player in players.values():
        carry(players, player.end())
    for _ in range(40):
        ready = [player for player in players.values() if player.ready]
        if not ready:
            break
        for move in ({"type": "raise", "to": 6}, {"type": "call"}, {"type": "show"}):
            try:
                frames = ready[0].move(move)
            except nodealer.errors.IllegalMove:
                continue
            carry(players, frames)
            break


if __name__ == "__main__":
    write(HERE / "free.jsonl", ("Ada", "Ben", "Cleo"), ("free",), free)
    write(HERE / "holdem.jsonl", ("Ada", "Ben"), ("holdem",), holdem)
