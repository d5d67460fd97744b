"""How commands are found, loaded and explained.

Each command is loaded when it is used, so that no command waits for the imports of another.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, ClassVar, NamedTuple, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from nodealer.cli import text as phrases
from nodealer.client.suggestions import closest
from nodealer.errors import BadParameter


class Command(TyperCommand):
    """A command whose help omits the types of flags and arguments."""

    #: Whether it accepts options that it does not declare.
    accepts_unknown: ClassVar[bool] = False

    def get_params(self, ctx: Any) -> list[Any]:
        """Return all parameters, without the types of flags and arguments."""
        return _without_types(super().get_params(ctx))


class CommandEntry(NamedTuple):
    """The function of a command, and an example of its use."""

    module: str
    function: str
    example: str
    #: The package that the module is in.
    package: str = "nodealer.cli"


class Commands(TyperGroup):
    """A group of commands, some of which are loaded when they are used."""

    places: ClassVar[dict[str, CommandEntry]] = {}
    #: Entry points through which installed packages add commands: a `CommandEntry`, or a `typer.Typer` for a group.
    group: ClassVar[str | None] = None
    #: Known commands and the distributions that provide them, for a hint if one is not installed.
    elsewhere: ClassVar[dict[str, str]] = {}

    def get_params(self, ctx: Any) -> list[Any]:
        """Return all parameters, without the types of flags and arguments."""
        return _without_types(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        own = [*self.places, *super().list_commands(ctx)]
        return [*own, *sorted(_entry_points(self.group).keys() - {*own})]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command with this name, or None."""
        if cmd_name in self.places:
            return _load(cmd_name, self.places[cmd_name])
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        if point := _entry_points(self.group).get(cmd_name):
            found = point.load()
            return typer.main.get_group(found) if isinstance(found, typer.Typer) else _load(cmd_name, found)
        return _not_installed(cmd_name, self.elsewhere[cmd_name]) if cmd_name in self.elsewhere else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that was typed; suggest the closest name if there is none."""
        names = self.list_commands(ctx)
        if args[0] not in {*names, *self.elsewhere} and not ctx.resilient_parsing:
            near = closest(args[0], names)
            if near is not None:
                ctx.fail(phrases.unknown_command(args[0], near))
        return super().resolve_command(ctx, args)


def _entry_points(group: str | None) -> dict[str, EntryPoint]:
    """Return the commands that installed packages add. Loads none of them."""
    return {} if group is None else {point.name: point for point in entry_points(group=group)}


def _not_installed(name: str, distribution: str) -> TyperCommand:
    """Return a command that only says what to install."""

    def explain() -> NoReturn:
        """Refuse the command and name the distribution that has to be installed."""
        raise BadParameter(phrases.not_installed(name, distribution))

    context_settings = {"allow_extra_args": True, "ignore_unknown_options": True}
    return TyperCommand(name, callback=explain, context_settings=context_settings, add_help_option=False, hidden=True)


def _without_types(params: list[Any]) -> list[Any]:
    """Hide in the help the types of flags, which take no value, and of arguments, whose help says what they are."""
    for param in params:
        if getattr(param, "is_flag", False):
            param.metavar = ""
        if param.param_type_name == "argument":
            param.display_type_rich = lambda ctx: None
    return params


def _load(name: str, place: CommandEntry) -> Any:
    """Import the module at `place` and create the command of this name from its function."""
    module = import_module(f"{place.package}.{place.module}")
    function, made = getattr(module, place.function), getattr(module, "COMMAND", Command)
    app = typer.Typer(add_completion=False, rich_markup_mode="rich")
    app.command(
        name,
        cls=made,
        context_settings={"allow_extra_args": made.accepts_unknown, "ignore_unknown_options": made.accepts_unknown},
        help=_join_lines(function.__doc__ or ""),
        epilog=example(place.example),
    )(function)
    return typer.main.get_command(app)


def option_names(context: Any) -> list[str]:
    """Return all options of the command that is running, such as `--json`."""
    return [option for param in context.command.get_params(context) for option in param.opts if option.startswith("-")]


def example(text: str) -> str:
    """Format the example that is the last line of a command's help."""
    return f"Example: [bold]nodealer {text}[/bold]"


def _join_lines(text: str) -> str:
    """Join the lines of each paragraph: the terminal wraps them."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
