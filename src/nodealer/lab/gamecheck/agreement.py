"""What a session agrees on: settings give rules, rules give parameters, and parameters give the same rules again.

The parameters are all that the others get, and all that is hashed: what they leave out, each player may have otherwise.
"""

from __future__ import annotations

from typing import Final

import msgspec

from nodealer.errors import BadParameter, Malformed
from nodealer.games.base import Rules
from nodealer.games.package import GamePackage
from nodealer.lab.gamecheck.findings import Finding, Findings, Found, failed
from nodealer.lab.gamecheck.form import difference, form
from nodealer.lab.gamecheck.hand import called
from nodealer.wire import encode

#: What people type where a number or a word is expected.
TYPED: Final = ("", "x", "0", "1", "-1", "1.5", "10", "99999999999999999999", "é", "1/2", "a,b")
#: What comes in a log or a proposal of somebody else.
FOREIGN: Final = (b"{}", b"null", b"[]", b"0", b'{"no such":1}', b"not json", b"", b'{"no such":' + b"9" * 400 + b"}")
AUTHOR: Final = "Raise BadParameter with a sentence for what cannot be."


def rules_of(package: GamePackage) -> Rules:
    """The rules with all settings as they are by themselves."""
    doing = "The game was set up with its default settings, and `from_settings` failed with"
    rules = called("settings", doing, "A default has to work.", lambda: package.from_settings(package.settled({})))
    if (rules.name, rules.version) != (package.name, package.version):
        what = f"The package is {package.name!r} version {package.version}, and its rules say {rules.name!r} version "
        raise Found(Finding("parameters", f"{what}{rules.version}. Logs name the one and load the other."))
    return rules


def refuse_other_rules(package: GamePackage, rules: Rules) -> None:
    """Raise `Found` where whoever gets the parameters has other rules."""
    raw = called("parameters", "`parameters` of the rules failed with", "", lambda: rules.parameters)
    try:
        canonical = encode(msgspec.json.decode(raw)) == raw
    except (TypeError, msgspec.MsgspecError):
        canonical = False
    if not canonical:
        what = f"`parameters` of the rules is {raw!r}, which is not the one encoding of anything."
        raise Found(Finding("parameters", f"{what} Use `encode` with a struct of your own."))
    doing = f"The rules were made again from their own parameters, {raw.decode()}, and that failed with"
    again = called("parameters", doing, "Decode exactly what `parameters` encodes.", lambda: package.rules(raw))
    where = difference(form(rules), form(again))
    if where is not None:
        what = (
            f"The rules were made again from their own parameters, {raw.decode()}, and are others: `{where}` differs."
        )
        remedy = "What the parameters leave out is in no log, and each player may have it otherwise: put it there."
        raise Found(Finding("parameters", f"{what} {remedy}"))


def refuse_bad_settings(package: GamePackage, findings: Findings) -> None:
    """Odd settings give other rules or a sentence; odd parameters of somebody else are refused."""
    for setting in package.settings:
        for text in TYPED:
            findings.tried(lambda: _set(package, setting.name, text))
    for raw in FOREIGN:
        findings.tried(lambda: _foreign(package, raw))


def _set(package: GamePackage, name: str, text: str) -> None:
    settings = package.settled({name: text})
    try:
        rules = package.from_settings(settings)
        package.protocol_parameters(package.protocol, settings)
    except BadParameter:
        return
    except Exception as error:
        doing = f"The game was set up with --{name} {text!r}, and that failed with"
        raise Found(failed("settings", doing, error, AUTHOR)) from error
    refuse_other_rules(package, rules)


def _foreign(package: GamePackage, raw: bytes) -> None:
    try:
        rules = package.rules(raw)
    except (BadParameter, Malformed):
        return
    except Exception as error:
        doing = (
            f"Rules were made from the parameters {raw[:60]!r}, such as somebody's log may have, and that failed with"
        )
        raise Found(failed("parameters", doing, error, "Decode strictly: `decode` raises what is expected.")) from error
    if rules.parameters != raw:
        what = f"Rules were made from the parameters {raw[:60]!r}, and say that theirs are {rules.parameters!r}."
        raise Found(Finding("parameters", f"{what} Refuse what is not exactly what `parameters` gives."))
