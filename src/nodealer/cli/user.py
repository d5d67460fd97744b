"""The user of this machine at tables across the network: one key, one name, and the players whom it has met."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from nodealer.cli import text as phrases
from nodealer.cli.entropy import system_entropy
from nodealer.cli.identity_prompt import known_players, me, unlocked
from nodealer.cli.table_folders import TableFolder
from nodealer.client.contacts import Contacts
from nodealer.client.folder_store import FolderStore, open_or_create_store
from nodealer.errors import BadParameter, DecodeError
from nodealer.keys import Identity
from nodealer.log.names import refuse_bad_name


@dataclass(frozen=True)
class User:
    """Who comes to a table. Without a key it only watches."""

    identity: Identity | None
    known: Contacts

    def home(self, table: TableFolder) -> FolderStore:
        """What this user keeps of a table. Who only watches has a key there that nobody knows it by."""
        return open_or_create_store(table.home, table.what.name, system_entropy, self.identity)


def player() -> User:
    """The user, to sit down. Asks for the passphrase of its key, where there is one."""
    return User(unlocked(me()), known_players())


def watcher() -> User:
    """The user, to look on."""
    return User(None, known_players())


def name_of(given: str | None) -> str:
    """What the user is called at a table: what it says now, or has said to `whoami`, or is asked. Raises `BadParameter`
    where nobody can be asked."""
    name = given or me().name
    if name is None:
        if not sys.stdin.isatty():
            raise BadParameter(phrases.NAME_NEEDED)
        name = input(phrases.PROMPT_FOR_NAME).strip()
    try:
        refuse_bad_name(name, phrases.YOUR_NAME)
    except DecodeError as error:
        raise BadParameter(str(error)) from None
    return name
