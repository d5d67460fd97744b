"""Checks of settings and parameters: settings make rules, rules make parameters, and parameters make the same rules.

The parameters are all that other players receive and all that is hashed. If something is missing from them, each player
may have a different value for it.
"""

from __future__ import annotations

from typing import Final

import msgspec

from nodealer.errors import BadParameter, Malformed
from nodealer.gamecheck.findings import Finding, Findings, Found, author_code
from nodealer.gamecheck.form import difference, form, quote
from nodealer.games.base import Rules
from nodealer.games.package import GamePackage
from nodealer.wire import encode

#: What people may type for a setting.
TYPED: Final = ("", "x", "0", "1", "-1", "1.5", "10", "99999999999999999999", "é", "1/2", "a,b")
#: Parameters that may be in a foreign log or proposal.
FOREIGN: Final = (b"{}", b"null", b"[]", b"0", b'{"no such":1}', b"not json", b"", b'{"no such":' + b"9" * 400 + b"}")


def default_rules(package: GamePackage) -> Rules:
    """Return the rules with default settings. Raises `Found` if that fails, or if their name or version is wrong."""
    doing = "The game was set up with its default settings, and `from_settings` failed with"
    with author_code("settings", doing, "The default settings must work."):
        rules = package.from_settings(package.settled({}))
    if (rules.name, rules.version) != (package.name, package.version):
        what = f"The package is {package.name!r} version {package.version}, but its rules are {rules.name!r} version "
        raise Found(Finding("parameters", f"{what}{rules.version}. Logs record one and load the other."))
    return rules


def refuse_other_rules(package: GamePackage, rules: Rules) -> None:
    """Raise `Found` if rules made from the parameters differ from the original rules."""
    with author_code("parameters", "`parameters` of the rules failed with", "Encode everything a session agrees on."):
        raw = rules.parameters
    try:
        canonical = encode(msgspec.json.decode(raw)) == raw
    except (TypeError, msgspec.MsgspecError):
        canonical = False
    if not canonical:
        what = f"`parameters` of the rules is {raw!r}, which is not canonical JSON."
        raise Found(Finding("parameters", f"{what} Use `encode` with your own struct."))
    doing = f"The rules were made again from their own parameters, {raw.decode()}, and that failed with"
    with author_code("parameters", doing, "Decode exactly what `parameters` encodes."):
        again = package.rules(raw)
    where = difference(form(rules), form(again))
    if where is not None:
        what = f"The rules were made again from their own parameters, {raw.decode()}: {quote(where)} differs."
        remedy = "What is missing from the parameters is in no log, and players may have different values: add it."
        raise Found(Finding("parameters", f"{what} {remedy}"))


def refuse_bad_settings(package: GamePackage, findings: Findings) -> None:
    """Try odd settings and foreign parameters, and collect what goes wrong.

    A setting must give rules or raise `BadParameter`; foreign parameters must be rejected.
    """
    for setting in package.settings:
        for text in TYPED:
            with findings.collect():
                _try_setting(package, setting.name, text)
    for raw in FOREIGN:
        with findings.collect():
            _try_parameters(package, raw)


def _try_setting(package: GamePackage, name: str, text: str) -> None:
    """Try one setting. Raises `Found` if it fails with anything but `BadParameter`, or makes bad rules."""
    settings = package.settled({name: text})
    doing = f"The game was set up with --{name} {text!r}, and that failed with"
    try:
        with author_code(
            "settings", doing, "Raise BadParameter, with a sentence, for invalid settings.", (BadParameter,)
        ):
            rules = package.from_settings(settings)
            package.protocol_parameters(package.protocol, settings)
    except BadParameter:
        return
    refuse_other_rules(package, rules)


def _try_parameters(package: GamePackage, raw: bytes) -> None:
    """Try foreign parameters. Raises `Found` if they are not rejected properly."""
    doing = f"Rules were made from the parameters {raw[:60]!r}, which may be in a foreign log, and that failed with"
    try:
        with author_code(
            "parameters", doing, "Decode strictly: `decode` raises the expected error.", (BadParameter, Malformed)
        ):
            rules = package.rules(raw)
    except (BadParameter, Malformed):
        return
    if rules.parameters != raw:
        what = f"Rules were made from the parameters {raw[:60]!r}, but their `parameters` is {rules.parameters!r}."
        raise Found(Finding("parameters", f"{what} Reject everything that `parameters` would not return."))
