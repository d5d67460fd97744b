"""`nodealer whoami`: the user's key, name and passphrase."""

from __future__ import annotations

from typing import Annotated

import typer

from nodealer.cli import text as phrases
from nodealer.cli.identity_prompt import ask_passphrase, identity_folder, me
from nodealer.cli.options import JsonDocument
from nodealer.cli.output import escape_markup, out, print_json, print_line
from nodealer.client.entropy import system_entropy
from nodealer.client.identity import IDENTITY, UserIdentity, change_name, change_passphrase, refuse_passphrase
from nodealer.errors import BadParameter
from nodealer.wordlist import key_words


def whoami(
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Remember NAME as your default name.")
    ] = None,
    passphrase: Annotated[
        bool, typer.Option("--passphrase", help="Set, change or remove the passphrase of your key.")
    ] = False,
    json: JsonDocument = False,
) -> None:
    """Show the key and the six words by which other players know you.

    The key is created on first use. Anyone who has its file can sit down as you, so it stays on this machine; you can
    protect it with a passphrase. Players who see the same six words next to your name have your real key.
    """
    mine = me()
    if name is not None:
        mine = change_name(identity_folder(), name)
    if passphrase:
        mine = _change_passphrase(mine)
    if json:
        print_json(
            {
                "name": mine.name,
                "key": mine.public.hex(),
                "words": list(key_words(mine.public)),
                "passphrase": mine.has_passphrase,
                "file": str(identity_folder() / IDENTITY),
            }
        )
        return
    console = out()
    print_line(console, phrases.own_name(None if mine.name is None else escape_markup(mine.name)))
    print_line(console, phrases.own_words(" ".join(key_words(mine.public))))
    print_line(console, phrases.own_key(mine.public.hex()))
    print_line(console, phrases.own_file(escape_markup(identity_folder() / IDENTITY), passphrase=mine.has_passphrase))


def _change_passphrase(mine: UserIdentity) -> UserIdentity:
    """Ask for the old passphrase and twice for the new one, and change it."""
    old = ask_passphrase(phrases.PROMPT_FOR_OLD) if mine.has_passphrase else None
    # Before the user thinks of a new one.
    mine.unlock(old)
    new = ask_passphrase(phrases.PROMPT_FOR_NEW)
    refuse_passphrase(new or None)
    if ask_passphrase(phrases.PROMPT_AGAIN) != new:
        raise BadParameter(phrases.REPEATED_WRONGLY)
    return change_passphrase(identity_folder(), old, new or None, system_entropy)
