"""`nodealer lab list` and `nodealer lab run`: attacks that must fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from nodealer.cli.completion import protocols, with_prefix
from nodealer.cli.exits import BAD, GOOD
from nodealer.cli.output import err, escape_markup, out, print_json
from nodealer.errors import BadParameter

if TYPE_CHECKING:
    from nodealer_lab.attacks.comparison import AttackComparison


def _complete(incomplete: str) -> list[str]:
    """Return the attack names that complete what was typed."""
    from nodealer_lab.attacks import ATTACKS  # late: no other command should wait for it

    return with_prefix([*ATTACKS], incomplete)


def list_attacks(
    json: Annotated[bool, typer.Option("--json", help="One JSON document instead of text.")] = False,
) -> None:
    """List the attacks: who does what, on which protocols, and their numbers in docs/internals/attacks.md."""
    from nodealer_lab.attacks import ATTACKS  # late: no other command should wait for it
    from nodealer_lab.attacks.beyond import BEYOND

    if json:
        rows = [
            {
                "attack": one.name,
                "of": list(one.numbers),
                "who": one.who,
                "does": one.does,
                "protocols": list(one.protocols),
            }
            for one in ATTACKS.values()
        ]
        beyond = [{"of": one.number, "what": one.what, "comes": one.comes, "why": one.why} for one in BEYOND]
        print_json({"attacks": rows, "beyond": beyond})
        return
    for one in ATTACKS.values():
        line = f"{one.who} {one.does} [dim]({', '.join((*one.numbers, *one.protocols))})[/dim]"
        out().print(f"[bold]{escape_markup(one.name)}[/bold]: {line}", soft_wrap=True)
    out().print("\nAttacks without a program:")
    for no in BEYOND:
        # Some have no number in the list.
        number = f"{no.number}, ".removeprefix("–, ")
        out().print(f"[dim]{number}{escape_markup(no.what)}: {no.comes}; {escape_markup(no.why)}[/dim]", soft_wrap=True)


def run(
    attack: Annotated[
        str | None, typer.Argument(help="The attack to carry out. Default: all.", autocompletion=_complete)
    ] = None,
    protocol: Annotated[
        str | None,
        typer.Option(
            "--protocol",
            metavar="PROTOCOL",
            help="Use this protocol, in all its modes. Default: the first one that the attack is written for.",
            autocompletion=protocols,
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON document instead of text.")] = False,
) -> None:
    """Carry out attacks with and without the defence against them, in games with few cards.

    First the defence is removed, in a process of its own: the attack must work then, or it would prove nothing. Then it
    is carried out against the program as it is, and must have the outcome that the protocol claims. An attack without a
    defence is carried out once.

    Exits with 0 if all outcomes are as claimed, 1 if one is not, and 2 if there is no such attack or not on that
    protocol.
    """
    from nodealer_lab.attacks import ATTACKS, find_attack  # late: no other command should wait for it
    from nodealer_lab.attacks.matrix import carry_out, row_of

    chosen = list(ATTACKS.values()) if attack is None else [find_attack(attack)]
    if protocol is not None:
        chosen = [one for one in chosen if protocol in one.protocols or attack is not None]
        if not chosen:
            raise BadParameter(f"no attack is written for {protocol!r}")
    found: list[AttackComparison] = []
    with err().status("running …") as status:
        for comparison in carry_out(
            chosen, protocol, on_start=lambda what: status.update(f"running {escape_markup(what)}")
        ):
            found.append(comparison)
            if not json:
                _print_result(comparison)
    if json:
        print_json([row_of(comparison) for comparison in found])
    raise typer.Exit(BAD if any(comparison.wrong for comparison in found) else GOOD)


def _print_result(comparison: AttackComparison) -> None:
    """Print an attack, both its outcomes, and the difference from the expected outcomes if there is one."""
    console = out()
    mode = "" if comparison.mode == "{}" else f" {comparison.mode}"
    mark = "[red bold]✗[/red bold]" if comparison.wrong else "[green]✓[/green]"
    console.print(
        f"{mark} [bold]{escape_markup(comparison.attack.name)}[/bold] on {escape_markup(comparison.protocol + mode)}",
        soft_wrap=True,
    )
    console.print(f"  {escape_markup(comparison.attack.who)} {escape_markup(comparison.attack.does)}", soft_wrap=True)
    console.print(f"  {escape_markup(comparison.sentence)}", soft_wrap=True)
    if comparison.wrong:
        console.print(f"  [red]{escape_markup(comparison.wrong)}[/red]", soft_wrap=True)
