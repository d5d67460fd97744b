"""All saved games, local and on the network, by the names of their folders."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from nodealer.client.durable_files import FOLDER_MODE, disk_errors, locked_folder
from nodealer.client.saved_games import GAME, GameRecord, SavedGame, games_folder, is_file, read_record
from nodealer.client.suggestions import closest
from nodealer.client.table_folders import TABLE, TableFolder, TableRecord, create_table_folder
from nodealer.errors import BadParameter, HomeUnusable, OtherFormat
from nodealer.log.names import casefold_name
from nodealer.relay.invitations import Invitation, parse_link

#: A local game, or a table on the network.
SavedFolder = SavedGame | TableFolder


def list_saved_games() -> Iterator[SavedFolder | tuple[Path, str]]:
    """Yield all saved games, newest first. Yield the folder and the reason for a game that cannot be read."""
    folder = games_folder()
    if not folder.is_dir():
        return
    with disk_errors(folder):
        paths = sorted((Path(entry.path) for entry in os.scandir(folder) if entry.is_dir()), reverse=True)
    for path in paths:
        try:
            # Otherwise the program was killed before there was anything to save.
            if is_file(path / GAME):
                yield SavedGame(path, read_record(GameRecord, path / GAME))
            elif is_file(path / TABLE):
                yield TableFolder(path, read_record(TableRecord, path / TABLE))
        except (HomeUnusable, OtherFormat) as error:
            yield path, str(error)


def is_saved_game(name: str) -> bool:
    """Return whether the name of a saved game is, or begins with, this name."""
    return any(
        (game if isinstance(game, SavedFolder) else game[0]).name.startswith(name) for game in list_saved_games()
    )


def find_game(name: str | None) -> SavedFolder:
    """Return the game with this name or beginning; without a name, the latest interrupted game.

    Raises `BadParameter`.
    """
    found = list(list_saved_games())
    readable = [game for game in found if isinstance(game, SavedFolder)]
    if name is None:
        return _latest_interrupted(readable)
    for path, reason in (game for game in found if not isinstance(game, SavedFolder)):
        if path.name == name:
            raise BadParameter(f"the saved game {name} cannot be read: {reason}")
    meant = [game for game in readable if game.name == name] or [
        game for game in readable if game.name.startswith(name)
    ]
    if not meant:
        near = closest(name, (game.name for game in readable))
        hint = f"did you mean {near!r}?" if near else "`nodealer games` lists your games"
        raise BadParameter(f"there is no saved game {name!r}; {hint}")
    if len(meant) > 1:
        raise BadParameter(f"{name!r} matches several games: {', '.join(game.name for game in meant)}")
    return meant[0]


def _latest_interrupted(games: Iterable[SavedFolder]) -> SavedFolder:
    """Return the first game that was interrupted and is not being played. Raises `BadParameter`."""
    being_played = False
    for game in games:
        # A game that cannot be read is not what a person means who gives no name.
        with suppress(HomeUnusable):
            if game.ended is None and not (isinstance(game, SavedGame) and game.record.seed is not None):
                if not (game.is_hosted if isinstance(game, SavedGame) else game.in_use):
                    return game
                being_played = True
    playing = "; the one that has not ended is being played" if being_played else ""
    raise BadParameter(f"no game was interrupted{playing}; `nodealer games` lists your games")


def find_table(invitation: Invitation, name: str | None) -> TableFolder | None:
    """Return the saved, unfinished table at which this user plays that this link leads to, or None.

    Raises `BadParameter` if the user sits there under another name, or if the link contradicts the one they came by:
    anyone who knows the table's number, such as its relay, could have sent a forged link.
    """
    for kept in list_saved_games():
        if not isinstance(kept, TableFolder) or kept.ended is not None or kept.record.name is None:
            continue
        came_by = kept.invitation
        if came_by.table != invitation.table:
            continue
        if invitation.contradicts(came_by):
            raise BadParameter(
                "you know this table by another link, with another key or another host "
                f"({kept.folder}): one of the two links is a fake. If it was the first one, delete that folder"
            )
        if name is None or casefold_name(name) == casefold_name(kept.record.name):
            return kept
        if kept.names or kept.in_use:
            raise BadParameter(
                f"you are at this table already, as {kept.record.name} ({kept.name}). For another player on this "
                "machine set XDG_CONFIG_HOME and XDG_STATE_HOME to other folders, so that they have their own key"
            )
    return None


def create_folder_once(record: TableRecord) -> TableFolder:
    """Create the folder of a table that this user joins.

    Raises `BadParameter` if another window has joined it meanwhile: two folders with one key would sign the same number
    twice.
    """
    with disk_errors(games_folder()):
        games_folder().mkdir(FOLDER_MODE, parents=True, exist_ok=True)
    with locked_folder(games_folder()):
        if record.name is not None and find_table(parse_link(record.link), record.name) is not None:
            raise BadParameter("you are at this table already, in another window")
        return create_table_folder(record)
