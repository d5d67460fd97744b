"""One defence taken away: a function of the program, and the words of its source that are left out or replaced.

Production code has no switch. The lab makes the function anew from its own source with other words in it, and puts the
code in the function's place, so that everybody who has imported it has the weak one. That is for good, so it is done in
a child process only. A defence that is not where it was any more is an error: an attack that is tried against nothing
proves nothing.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import _lru_cache_wrapper, cached_property
from importlib import import_module
from types import CodeType, FunctionType
from typing import Any

from nodealer.errors import BadParameter


@dataclass(frozen=True)
class RemovedDefence:
    """A function as "module:qualified name", the words of its source that defend, and what stands there instead."""

    function: str
    snippet: str
    replacement: str = ""

    @property
    def name(self) -> str:
        """Short, for people."""
        module, _, name = self.function.partition(":")
        return f"{module.rpartition('.')[2]}.{name}"

    def weakened_code(self) -> tuple[FunctionType, CodeType]:
        """The function, and its code without the defence. Raises `BadParameter` where the defence is not there."""
        target = self._target()
        source = textwrap.dedent(inspect.getsource(target))
        if source.count(self.snippet) != 1:
            raise BadParameter(f"{self.function} has {self.snippet!r} {source.count(self.snippet)} times, and not once")
        code = _compiled(self.function, source.replace(self.snippet, self.replacement), target)
        old = target.__code__
        if code.co_freevars != old.co_freevars or _arguments(code) != _arguments(old):
            raise BadParameter(f"{self.function} would take other arguments without {self.snippet!r}")
        return target, code

    def remove(self) -> None:
        """Take the defence away, in this process and for good."""
        target, code = self.weakened_code()
        target.__code__ = code
        # What its module has made and kept before, it has made with the defence.
        for made in target.__globals__.values():
            if isinstance(made, _lru_cache_wrapper):
                made.cache_clear()

    def _target(self) -> FunctionType:
        module, _, name = self.function.partition(":")
        found: Any = import_module(module)
        for part in name.split("."):
            # Not by getattr: what a class makes of a function (a property, a static method) is looked into below.
            inside = vars(found)
            if part not in inside:
                raise BadParameter(f"there is no {self.function} any more")
            found = inside[part]
        function = _bare(found)
        if not isinstance(function, FunctionType):
            raise BadParameter(f"{self.function} is no function")
        return function


def _bare(found: Any) -> Any:
    """The function itself: under a cache, a property, a class or static method."""
    if isinstance(found, property):
        return found.fget
    if isinstance(found, cached_property):
        return found.func
    if isinstance(found, staticmethod | classmethod):
        return found.__func__
    return inspect.unwrap(found) if callable(found) else found


def _compiled(name: str, source: str, target: FunctionType) -> CodeType:
    """The code of a function that is defined alone, without its decorators; its names are those of its module."""
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise BadParameter(f"{name} is no program without its defence: {error}") from None
    (definition,) = tree.body
    if not isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef):
        raise BadParameter(f"{name} is no function")
    definition.decorator_list = []
    future = ast.parse("from __future__ import annotations").body
    module = ast.fix_missing_locations(ast.Module([*future, definition], []))
    names: dict[str, Any] = {}
    exec(compile(module, f"<{name}, a defence removed>", "exec"), dict(target.__globals__), names)
    made: Callable[..., Any] = names[definition.name]
    return made.__code__


def _arguments(code: CodeType) -> tuple[Any, ...]:
    count = code.co_argcount + code.co_kwonlyargcount
    return code.co_argcount, code.co_kwonlyargcount, code.co_varnames[:count]
