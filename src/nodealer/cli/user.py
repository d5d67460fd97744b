"""The user of this machine at tables on the network: one key, one name, and their contacts."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from nodealer.cli import text as phrases
from nodealer.cli.identity_prompt import load_contacts, me, unlock_identity
from nodealer.client.contacts import Contacts
from nodealer.client.entropy import system_entropy
from nodealer.client.folder_store import FolderStore, open_or_create_store
from nodealer.client.table_folders import TableFolder
from nodealer.errors import BadParameter, DecodeError
from nodealer.keys import Identity
from nodealer.log.names import refuse_bad_name


@dataclass(frozen=True)
class User:
    """A user at a table. Without a key they can only watch."""

    identity: Identity | None
    known: Contacts

    def home(self, table: TableFolder) -> FolderStore:
        """Open this user's player store at a table, or create it.

        A spectator gets a new key that is used nowhere else.
        """
        return open_or_create_store(table.home, table.what.name, system_entropy, self.identity)


def player() -> User:
    """Return the user as a player. Asks for the passphrase of their key, if it has one."""
    return User(unlock_identity(me()), load_contacts())


def watcher() -> User:
    """Return the user as a spectator."""
    return User(None, load_contacts())


def choose_name(given: str | None) -> str:
    """Return the user's name: the one given now, the one set with `whoami`, or the answer to a prompt.

    Raises `BadParameter` if there is no terminal for a prompt.
    """
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
