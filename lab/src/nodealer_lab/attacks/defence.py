"""Removes one defence: a function of the program, compiled again with part of its source left out or replaced.

Production code has no switch for this. The lab compiles the function from its own changed source and replaces the code
object in place, so that every module that imported the function gets the weak one. This cannot be undone, so it is only
done in a child process. A snippet that is no longer in the function is an error, because an attack against nothing
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
    """A function ("module:qualified name"), the snippet of its source that defends, and what replaces it."""

    function: str
    snippet: str
    replacement: str = ""

    @property
    def name(self) -> str:
        """The function as "module.qualified name", with the last part of the module only."""
        module, _, name = self.function.partition(":")
        return f"{module.rpartition('.')[2]}.{name}"

    def weakened_code(self) -> tuple[FunctionType, CodeType]:
        """Return the function, and its code without the defence.

        Raise `BadParameter` unless the snippet occurs once.
        """
        target = self._find_function()
        source = textwrap.dedent(inspect.getsource(target))
        if source.count(self.snippet) != 1:
            raise BadParameter(
                f"{self.function} contains {self.snippet!r} {source.count(self.snippet)} times instead of once"
            )
        code = _compile(self.function, source.replace(self.snippet, self.replacement), target)
        old = target.__code__
        if code.co_freevars != old.co_freevars or _argument_names(code) != _argument_names(old):
            raise BadParameter(f"{self.function} would have other arguments without {self.snippet!r}")
        return target, code

    def remove(self) -> None:
        """Remove the defence in this process. This cannot be undone."""
        target, code = self.weakened_code()
        target.__code__ = code
        # Cached results were computed with the defence in place.
        for value in target.__globals__.values():
            if isinstance(value, _lru_cache_wrapper):
                value.cache_clear()

    def _find_function(self) -> FunctionType:
        """Return the function to weaken. Raise `BadParameter` if it does not exist."""
        module, _, name = self.function.partition(":")
        found: Any = import_module(module)
        for part in name.split("."):
            # Not with getattr: _unwrap below needs the property or static method itself.
            inside = vars(found)
            if part not in inside:
                raise BadParameter(f"{self.function} does not exist any more")
            found = inside[part]
        function = _unwrap(found)
        if not isinstance(function, FunctionType):
            raise BadParameter(f"{self.function} is not a function")
        return function


def _unwrap(found: Any) -> Any:
    """Return the plain function inside a cache, property, class method or static method."""
    if isinstance(found, property):
        return found.fget
    if isinstance(found, cached_property):
        return found.func
    if isinstance(found, staticmethod | classmethod):
        return found.__func__
    return inspect.unwrap(found) if callable(found) else found


def _compile(name: str, source: str, target: FunctionType) -> CodeType:
    """Compile a function by itself, without its decorators, with the globals of its module."""
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise BadParameter(f"{name} does not compile without its defence: {error}") from None
    (definition,) = tree.body
    if not isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef):
        raise BadParameter(f"{name} is not a function")
    definition.decorator_list = []
    future = ast.parse("from __future__ import annotations").body
    module = ast.fix_missing_locations(ast.Module([*future, definition], []))
    names: dict[str, Any] = {}
    exec(compile(module, f"<{name}, a defence removed>", "exec"), dict(target.__globals__), names)
    function: Callable[..., Any] = names[definition.name]
    return function.__code__


def _argument_names(code: CodeType) -> tuple[Any, ...]:
    """Return what must stay the same in a function's signature: the number and the names of its arguments."""
    count = code.co_argcount + code.co_kwonlyargcount
    return code.co_argcount, code.co_kwonlyargcount, code.co_varnames[:count]
