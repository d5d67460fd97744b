"""`nodealer lab`: attacks that must fail, carried out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from nodealer.cli.completion import begun, protocols
from nodealer.cli.exits import BAD, GOOD
from nodealer.cli.output import err, out, print_json, shown
from nodealer.errors import BadParameter

if TYPE_CHECKING:
    from nodealer_lab.attacks.comparison import AttackComparison


def _complete(incomplete: str) -> list[str]:
    """Return the attacks that a shell offers for what was typed."""
    from nodealer_lab.attacks import ATTACKS  # late: no other command should wait for it

    return begun([*ATTACKS], incomplete)


def list_attacks(
    json: Annotated[bool, typer.Option("--json", help="One JSON document instead of text.")] = False,
) -> None:
    """The attacks that the lab can carry out: who does what, numbers as in docs/internals/attacks.md, and on which
    protocols."""
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
        told = f"{one.who} {one.does} [dim]({', '.join((*one.numbers, *one.protocols))})[/dim]"
        out().print(f"[bold]{shown(one.name)}[/bold]: {told}", soft_wrap=True)
    out().print("\nThese attacks have no program:")
    for no in BEYOND:
        # Some have no number in the list.
        number = f"{no.number}, ".removeprefix("–, ")
        out().print(f"[dim]{number}{shown(no.what)}: {no.comes}; {shown(no.why)}[/dim]", soft_wrap=True)


def run(
    attack: Annotated[
        str | None, typer.Argument(help="The attack; without it, all of them.", autocompletion=_complete)
    ] = None,
    protocol: Annotated[
        str | None,
        typer.Option(
            "--protocol",
            metavar="PROTOCOL",
            help="On this protocol, in all its modes; without it, on the first it has.",
            autocompletion=protocols,
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON document instead of text.")] = False,
) -> None:
    """Carry an attack out twice, in a game of a few cards; once, where nothing stands against it.

    First without the one defence that stands against it, in a process of its own: there it must work, or it would prove
    nothing. Then against the program as it is, where it must come to what the protocol claims. Ends with 0 when all
    came to what it should, 1 when something did not, 2 when there is no such attack, or not on that protocol.
    """
    from nodealer_lab.attacks import ATTACKS, find_attack  # late: no other command should wait for it
    from nodealer_lab.attacks.matrix import carry_out, row_of

    chosen = list(ATTACKS.values()) if attack is None else [find_attack(attack)]
    if protocol is not None:
        chosen = [one for one in chosen if protocol in one.protocols or attack is not None]
        if not chosen:
            raise BadParameter(f"no attack is written for {protocol!r}")
    found: list[AttackComparison] = []
    with err().status("carrying out …") as status:
        for both in carry_out(chosen, protocol, on_start=lambda what: status.update(f"carrying out: {shown(what)}")):
            found.append(both)
            if not json:
                _print(both)
    if json:
        print_json([row_of(both) for both in found])
    raise typer.Exit(BAD if any(both.wrong for both in found) else GOOD)


def _print(both: AttackComparison) -> None:
    console = out()
    mode = "" if both.mode == "{}" else f" {both.mode}"
    mark = "[red bold]✗[/red bold]" if both.wrong else "[green]✓[/green]"
    console.print(f"{mark} [bold]{shown(both.attack.name)}[/bold] on {shown(both.protocol + mode)}", soft_wrap=True)
    console.print(f"  {shown(both.attack.who)} {shown(both.attack.does)}", soft_wrap=True)
    console.print(f"  {shown(both.sentence)}", soft_wrap=True)
    if both.wrong:
        console.print(f"  [red]{shown(both.wrong)}[/red]", soft_wrap=True)
