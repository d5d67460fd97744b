"""How commands are found and explained: each is loaded when somebody asks for it, and nobody waits for the others."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, ClassVar, NamedTuple, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from nodealer.cli import text as phrases
from nodealer.cli.suggestions import closest
from nodealer.errors import BadParameter


class Command(TyperCommand):
    """One command."""

    #: Whether it takes options that it does not know itself.
    takes_all: ClassVar[bool] = False

    def get_params(self, ctx: Any) -> list[Any]:
        """All parameters."""
        return _without_types(super().get_params(ctx))


class CommandEntry(NamedTuple):
    """The function behind a command, and an example of its use."""

    module: str
    function: str
    example: str
    #: The package that the module is in.
    package: str = "nodealer.cli"


class Commands(TyperGroup):
    """Several of them, beside those that it is given."""

    places: ClassVar[dict[str, CommandEntry]] = {}
    #: Entry points through which installed packages add commands: a `Place`, or a `typer.Typer` for a group.
    group: ClassVar[str | None] = None
    #: Known commands to the distribution that brings them, for a hint if it is not installed.
    elsewhere: ClassVar[dict[str, str]] = {}

    def get_params(self, ctx: Any) -> list[Any]:
        """All parameters."""
        return _without_types(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:
        """All names."""
        own = [*self.places, *super().list_commands(ctx)]
        return [*own, *sorted(_added(self.group).keys() - {*own})]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name, or None."""
        if cmd_name in self.places:
            return _loaded(cmd_name, self.places[cmd_name])
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        if point := _added(self.group).get(cmd_name):
            found = point.load()
            return typer.main.get_group(found) if isinstance(found, typer.Typer) else _loaded(cmd_name, found)
        return _missing(cmd_name, self.elsewhere[cmd_name]) if cmd_name in self.elsewhere else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that was typed; suggest the closest name if there is none."""
        names = self.list_commands(ctx)
        if args[0] not in {*names, *self.elsewhere} and not ctx.resilient_parsing:
            near = closest(args[0], names)
            if near is not None:
                ctx.fail(phrases.unknown_command(args[0], near))
        return super().resolve_command(ctx, args)


def _added(group: str | None) -> dict[str, EntryPoint]:
    """Return the commands that installed packages add. Loads none of them."""
    return {} if group is None else {point.name: point for point in entry_points(group=group)}


def _missing(name: str, distribution: str) -> TyperCommand:
    """Return a command that only says what to install."""

    def explain() -> NoReturn:
        raise BadParameter(phrases.not_installed(name, distribution))

    takes_all = {"allow_extra_args": True, "ignore_unknown_options": True}
    return TyperCommand(name, callback=explain, context_settings=takes_all, add_help_option=False, hidden=True)


def _without_types(params: list[Any]) -> list[Any]:
    """A flag takes no value, so that its help names no type of one; and what an argument is, its help says in words."""
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
        if param.param_type_name == "argument":
            param.display_type_rich = lambda ctx: None
    return params


def _loaded(name: str, place: CommandEntry) -> Any:
    module = import_module(f"{place.package}.{place.module}")
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


def option_names(context: Any) -> list[str]:
    """Return all options of the command that is running, such as `--json`."""
    return [option for param in context.command.get_params(context) for option in param.opts if option.startswith("-")]


def example(text: str) -> str:
    """The last line of a help."""
    return f"Example: [bold]nodealer {text}[/bold]"


def _flowing(text: str) -> str:
    """What a command says of itself, each paragraph as one line: the terminal knows where lines end."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
