"""How commands are found and explained: each is loaded when somebody asks for it, and nobody waits for the others."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup


class Command(TyperCommand):
    """One command."""

    #: Whether it takes options that it does not know itself.
    takes_all: ClassVar[bool] = False

    def get_params(self, ctx: Any) -> list[Any]:
        """All parameters."""
        return _without_types(super().get_params(ctx))


class Place(NamedTuple):
    """Where a command is, below this package, and an example of it."""

    module: str
    function: str
    example: str


class Commands(TyperGroup):
    """Several of them, beside those that it is given."""

    places: ClassVar[dict[str, Place]] = {}

    def get_params(self, ctx: Any) -> list[Any]:
        """All parameters."""
        return _without_types(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:
        """All names."""
        return [*self.places, *super().list_commands(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name, or None."""
        if cmd_name not in self.places:
            return super().get_command(ctx, cmd_name)
        return _loaded(cmd_name, self.places[cmd_name])


def _without_types(params: list[Any]) -> list[Any]:
    """A flag takes no value, so that its help names no type of one; and what an argument is, its help says in words."""
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
        if param.param_type_name == "argument":
            param.display_type_rich = lambda ctx: None
    return params


def _loaded(name: str, place: Place) -> Any:
    module = import_module(f"nodealer.cli.{place.module}")
    function, made = getattr(module, place.function), getattr(module, "COMMAND", Command)
    app = typer.Typer(add_completion=False, rich_markup_mode="rich")
    app.command(
        name,
        cls=made,
        context_settings={"allow_extra_args": made.takes_all, "ignore_unknown_options": made.takes_all},
        help=_flowing(function.__doc__ or ""),
        epilog=example(place.example),
    )(function)
    return typer.main.get_command(app)


def example(text: str) -> str:
    """The last line of a help."""
    return f"Example: [bold]nodealer {text}[/bold]"


def _flowing(text: str) -> str:
    """What a command says of itself, each paragraph as one line: the terminal knows where lines end."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
