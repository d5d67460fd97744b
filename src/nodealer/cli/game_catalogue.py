"""All that is kept: games of this machine and tables across the network, by the names of their folders."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from nodealer.cli import text as phrases
from nodealer.cli.saved_games import GAME, Kept, KeptGame, games_folder, is_file, read_kept
from nodealer.cli.suggestions import closest
from nodealer.cli.table_folders import TABLE, KeptTable, TableFolder, keep_table
from nodealer.client.durable_files import FOLDER_MODE, disk_errors, locked_folder
from nodealer.errors import BadParameter, HomeUnusable, OtherFormat
from nodealer.log.names import casefold_name
from nodealer.relay.invitations import Invitation, parse_link

#: A game of this machine, or a table across the network.
Shelved = KeptGame | TableFolder


def kept_games() -> Iterator[Shelved | tuple[Path, str]]:
    """All kept games, the newest first. Of one that cannot be read: its folder, and why."""
    folder = games_folder()
    if not folder.is_dir():
        return
    with disk_errors(folder):
        paths = sorted((Path(entry.path) for entry in os.scandir(folder) if entry.is_dir()), reverse=True)
    for path in paths:
        try:
            # Otherwise somebody was killed before there was anything to keep.
            if is_file(path / GAME):
                yield KeptGame(path, read_kept(Kept, path / GAME))
            elif is_file(path / TABLE):
                yield TableFolder(path, read_kept(KeptTable, path / TABLE))
        except (HomeUnusable, OtherFormat) as error:
            yield path, str(error)


def is_called(name: str) -> bool:
    """Whether a kept game has this name, or one that begins so."""
    return any((game if isinstance(game, Shelved) else game[0]).name.startswith(name) for game in kept_games())


def find_game(name: str | None) -> Shelved:
    """The game that a person means: by its name or the beginning of it, or the newest that was interrupted."""
    found = list(kept_games())
    readable = [game for game in found if isinstance(game, Shelved)]
    if name is None:
        return _interrupted(readable)
    for path, reason in (game for game in found if not isinstance(game, Shelved)):
        if path.name == name:
            raise BadParameter(phrases.game_unreadable(name, reason))
    meant = [game for game in readable if game.name == name] or [
        game for game in readable if game.name.startswith(name)
    ]
    if not meant:
        raise BadParameter(phrases.no_such_game(name, closest(name, (game.name for game in readable))))
    if len(meant) > 1:
        raise BadParameter(phrases.ambiguous_game(name, (game.name for game in meant)))
    return meant[0]


def _interrupted(games: Iterable[Shelved]) -> Shelved:
    being_played = False
    for game in games:
        # One that cannot be looked into is not what somebody means who does not name it.
        with suppress(HomeUnusable):
            if game.ended is None and not (isinstance(game, KeptGame) and game.what.seed is not None):
                if not game.in_use:
                    return game
                being_played = True
    raise BadParameter(phrases.nothing_to_resume(being_played=being_played))


def table_at(invitation: Invitation, name: str | None) -> TableFolder | None:
    """The kept table that this link leads to, if this user has come there to play and it has not ended. Raises
    `BadParameter` where the user sits there under another name, and for a link that is not the one it came by: who
    knows the number of a table, such as its relay, could have sent another one for it."""
    for kept in kept_games():
        if not isinstance(kept, TableFolder) or kept.ended is not None or kept.what.name is None:
            continue
        came_by = kept.invitation
        if came_by.table != invitation.table:
            continue
        if invitation.contradicts(came_by):
            raise BadParameter(phrases.fake_link(kept.folder))
        if name is None or casefold_name(name) == casefold_name(kept.what.name):
            return kept
        if kept.names or kept.in_use:
            raise BadParameter(phrases.already_here_as(kept.what.name, kept.name))
    return None


def keep_first(what: KeptTable) -> TableFolder:
    """A folder for a table that this user comes to. Raises `BadParameter` where it has come there meanwhile through
    another window: one key in two homes would sign one number twice."""
    with disk_errors(games_folder()):
        games_folder().mkdir(FOLDER_MODE, parents=True, exist_ok=True)
    with locked_folder(games_folder()):
        if what.name is not None and table_at(parse_link(what.link), what.name) is not None:
            raise BadParameter(phrases.ALREADY_HERE)
        return keep_table(what)
