"""The user: where the key and the known players are kept, and asking for the passphrase."""

from __future__ import annotations

import getpass
import sys
from pathlib import Path

from platformdirs import user_config_path, user_state_path

from nodealer.cli import text as phrases
from nodealer.cli.entropy import system_entropy
from nodealer.client.contacts import PLAYERS, PLAYERS_BYTES_MAX, Contacts
from nodealer.client.durable_files import SmallFile
from nodealer.client.identity import UserIdentity, load_or_create_identity
from nodealer.errors import BadParameter
from nodealer.keys import Identity


def my_folder() -> Path:
    """Where the key is."""
    return Path(user_config_path("nodealer", appauthor=False))


def me() -> UserIdentity:
    """The user's identity; a new one if there was none."""
    return load_or_create_identity(my_folder(), system_entropy)


def unlocked(mine: UserIdentity) -> Identity:
    """What signs. Asks for the passphrase where there is one."""
    return mine.unlock(ask_passphrase(phrases.PROMPT_FOR_KEY) if mine.has_passphrase else None)


def known_players() -> Contacts:
    """Those whom the user has met."""
    return players_in(Path(user_state_path("nodealer", appauthor=False)))


def players_in(folder: Path) -> Contacts:
    """Those in a folder."""
    return Contacts(SmallFile(folder / PLAYERS, PLAYERS_BYTES_MAX))


def ask_passphrase(question: str) -> str:
    """What the user types, unseen."""
    if not sys.stdin.isatty():
        raise BadParameter(phrases.NO_TERMINAL)
    try:
        return getpass.getpass(question)
    except EOFError:
        raise BadParameter(phrases.NOTHING_TYPED) from None
