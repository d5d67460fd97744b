"""`nodealer doctor`: show what is installed and whether it works."""

from __future__ import annotations

import platform
from importlib import import_module
from typing import Any

import typer

import nodealer
from nodealer.cli import text as phrases
from nodealer.cli.exits import BAD
from nodealer.cli.options import JsonDocument
from nodealer.cli.output import err, escape_markup, out, print_json
from nodealer.cli.selftest import SelfTestResult, run_selftests
from nodealer.group import Group, group
from nodealer.group.cpu import cpu_features


def doctor(
    json: JsonDocument = False,
) -> None:
    """Show what is installed, and test every cryptographic primitive against built-in vectors.

    Exit codes: 0 all tests pass, 1 a test fails.
    """
    found = group()
    outcomes = list(run_selftests(found))
    good = all(outcome.ok for outcome in outcomes)
    facts = _facts(found)
    if json:
        tests = [{"name": outcome.name, "ok": outcome.ok} for outcome in outcomes]
        print_json({**facts, "selftests": tests, "ok": good})
    else:
        _print_facts(facts)
    _print_outcomes(outcomes, quiet=json)
    if found.backend == "reference":
        err().print(f"[bold yellow]{phrases.SLOW_CORE}[/bold yellow]\n{phrases.SLOW_CORE_FIX}", soft_wrap=True)
    if not good:
        raise typer.Exit(BAD)


def _facts(found: Group) -> dict[str, Any]:
    """Return everything in the JSON document except the self-tests.

    `profile` and `core_version` are None without the native core.
    """
    core = import_module("nodealer.group.native").load() if found.backend == "native" else None
    return {
        "version": nodealer.__version__,
        "backend": found.backend,
        "profile": getattr(core, "PROFILE", None),
        "core_version": getattr(core, "VERSION", None),
        "python": platform.python_version(),
        "cpu": cpu_features(),
    }


def _print_facts(facts: dict[str, Any]) -> None:
    """Print the facts that `--json` would output as lines for a person."""
    native = facts["backend"] == "native"
    core = phrases.native_core(facts["core_version"], facts["profile"]) if native else phrases.REFERENCE_CORE
    out().print(phrases.versions(facts["version"], core, facts["python"]), soft_wrap=True)
    out().print(phrases.cpu(", ".join(facts["cpu"])), soft_wrap=True)


def _print_outcomes(outcomes: list[SelfTestResult], *, quiet: bool) -> None:
    """Print all results for people; next to a JSON document only the failures."""
    for outcome in outcomes:
        if not outcome.ok:
            err().print(f"[red]✗[/red] {outcome.name}: {escape_markup(outcome.reason)}", soft_wrap=True)
        elif not quiet:
            out().print(f"[green]✓[/green] {outcome.name}", soft_wrap=True)
