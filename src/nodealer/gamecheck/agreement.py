"""What a session agrees on: settings give rules, rules give parameters, and parameters give the same rules again.

The parameters are all that the others get, and all that is hashed: what they leave out, each player may have otherwise.
"""

from __future__ import annotations

from typing import Final

import msgspec

from nodealer.errors import BadParameter, Malformed
from nodealer.gamecheck.findings import Finding, Findings, Found, authors
from nodealer.gamecheck.form import difference, form, named
from nodealer.games.base import Rules
from nodealer.games.package import GamePackage
from nodealer.wire import encode

#: What people type where a number or a word is expected.
TYPED: Final = ("", "x", "0", "1", "-1", "1.5", "10", "99999999999999999999", "é", "1/2", "a,b")
#: What comes in a log or a proposal of somebody else.
FOREIGN: Final = (b"{}", b"null", b"[]", b"0", b'{"no such":1}', b"not json", b"", b'{"no such":' + b"9" * 400 + b"}")


def rules_of(package: GamePackage) -> Rules:
    """The rules with all settings as they are by themselves."""
    doing = "The game was set up with its default settings, and `from_settings` failed with"
    with authors("settings", doing, "A default has to work."):
        rules = package.from_settings(package.settled({}))
    if (rules.name, rules.version) != (package.name, package.version):
        what = f"The package is {package.name!r} version {package.version}, and its rules say {rules.name!r} version "
        raise Found(Finding("parameters", f"{what}{rules.version}. Logs name the one and load the other."))
    return rules


def refuse_other_rules(package: GamePackage, rules: Rules) -> None:
    """Raise `Found` where whoever gets the parameters has other rules."""
    with authors("parameters", "`parameters` of the rules failed with", "Encode what a session agrees on."):
        raw = rules.parameters
    try:
        canonical = encode(msgspec.json.decode(raw)) == raw
    except (TypeError, msgspec.MsgspecError):
        canonical = False
    if not canonical:
        what = f"`parameters` of the rules is {raw!r}, which is not the one encoding of anything."
        raise Found(Finding("parameters", f"{what} Use `encode` with a struct of your own."))
    doing = f"The rules were made again from their own parameters, {raw.decode()}, and that failed with"
    with authors("parameters", doing, "Decode exactly what `parameters` encodes."):
        again = package.rules(raw)
    where = difference(form(rules), form(again))
    if where is not None:
        what = f"The rules were made again from their own parameters, {raw.decode()}: {named(where)} differs."
        remedy = "What the parameters leave out is in no log, and each player may have it otherwise: put it there."
        raise Found(Finding("parameters", f"{what} {remedy}"))


def refuse_bad_settings(package: GamePackage, findings: Findings) -> None:
    """Odd settings give other rules or a sentence; odd parameters of somebody else are refused."""
    for setting in package.settings:
        for text in TYPED:
            with findings.noted():
                _set(package, setting.name, text)
    for raw in FOREIGN:
        with findings.noted():
            _foreign(package, raw)


def _set(package: GamePackage, name: str, text: str) -> None:
    settings = package.settled({name: text})
    doing = f"The game was set up with --{name} {text!r}, and that failed with"
    try:
        with authors("settings", doing, "Raise BadParameter with a sentence for what cannot be.", (BadParameter,)):
            rules = package.from_settings(settings)
            package.protocol_parameters(package.protocol, settings)
    except BadParameter:
        return
    refuse_other_rules(package, rules)


def _foreign(package: GamePackage, raw: bytes) -> None:
    doing = (
        f"Rules were made of {raw[:60]!r}, which may stand in somebody's log as their parameters, and that failed with"
    )
    try:
        with authors(
            "parameters", doing, "Decode strictly: `decode` raises what is expected.", (BadParameter, Malformed)
        ):
            rules = package.rules(raw)
    except (BadParameter, Malformed):
        return
    if rules.parameters != raw:
        what = f"Rules were made from the parameters {raw[:60]!r}, and say that theirs are {rules.parameters!r}."
        raise Found(Finding("parameters", f"{what} Refuse what is not exactly what `parameters` gives."))
