"""The location of the user's key and contacts, and the passphrase prompt."""

from __future__ import annotations

import getpass
import sys
from pathlib import Path

from platformdirs import user_config_path, user_state_path

from nodealer.cli import text as phrases
from nodealer.client.contacts import PLAYERS, PLAYERS_BYTES_MAX, Contacts
from nodealer.client.durable_files import SmallFile
from nodealer.client.entropy import system_entropy
from nodealer.client.identity import UserIdentity, load_or_create_identity
from nodealer.errors import BadParameter, DecodeError
from nodealer.keys import Identity
from nodealer.log.names import refuse_bad_name


def identity_folder() -> Path:
    """Return the folder of the key."""
    return Path(user_config_path("nodealer", appauthor=False))


def me() -> UserIdentity:
    """Return the user's identity. Creates one if there is none."""
    return load_or_create_identity(identity_folder(), system_entropy)


def unlock_identity(mine: UserIdentity) -> Identity:
    """Return the signing key. Asks for the passphrase if it has one."""
    return mine.unlock(ask_passphrase(phrases.PROMPT_FOR_KEY) if mine.has_passphrase else None)


def load_contacts() -> Contacts:
    """Return the user's contacts."""
    return contacts_in(Path(user_state_path("nodealer", appauthor=False)))


def contacts_in(folder: Path) -> Contacts:
    """Return the contacts stored in a folder."""
    return Contacts(SmallFile(folder / PLAYERS, PLAYERS_BYTES_MAX))


def ask_passphrase(question: str) -> str:
    """Ask for a passphrase without echoing it. Raises `BadParameter` if there is no terminal."""
    if not sys.stdin.isatty():
        raise BadParameter(phrases.NO_TERMINAL)
    try:
        return getpass.getpass(question)
    except EOFError:
        raise BadParameter(phrases.NOTHING_TYPED) from None


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
