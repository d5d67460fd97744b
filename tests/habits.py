"""Habits of the code and its prose, as ratchets: habits.json counts today's violations, and the counts may only shrink.

python tests/habits.py             the counts of today
python tests/habits.py --check     what there is more of than habits.json allows; ends with 1 if there is anything
python tests/habits.py NAME        the places of one of them, such as somebody or Table
python tests/habits.py --shrink    lower the counts in habits.json to those of today, and never raise one

Whoever renames something that is listed, and does not mend it, renames it in habits.json by hand.
"""

from __future__ import annotations

import ast
import gc
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]
LISTED: Final = Path(__file__).with_suffix(".json")
#: The packages that are looked at, as far as they exist.
PACKAGES: Final = ("src/nodealer", "lab/src/nodealer_lab")

#: Name of a violation to the places of it.
Found = dict[str, list[str]]


class Module(NamedTuple):
    """A module: its path in the repository, the first folder below its package, and its syntax tree."""

    path: str
    room: str
    tree: ast.Module


@cache
def modules(root: Path = ROOT) -> tuple[Module, ...]:
    """Parse every module of the packages below a folder."""
    found = []
    gc.disable()  # nothing here is garbage: to look for it takes as long as to parse
    for package in PACKAGES:
        base = root / package
        for path in sorted(base.rglob("*.py")):
            inside = path.relative_to(base).parts
            room = inside[0] if len(inside) > 1 else ""
            found.append(Module(str(path.relative_to(root)), room, ast.parse(path.read_bytes())))
    gc.enable()
    return tuple(found)


# --- Names of modules ---

#: Established nouns.
NOUNS: Final = frozenset({"sealing", "pairing", "encoding", "keyring", "ranking", "scoring"})
#: Words that only look like one.
NEITHER: Final = frozenset({"king", "ring", "spring", "string", "thing", "feed", "seed", "speed"})
#: Participles that do not end in -ed.
PARTICIPLES: Final = frozenset(
    re.findall(
        r"\w+",
        "begun broken brought built chosen dealt drawn found given gone grown heard held hidden kept known laid left "
        "lost made met paid put said seen sent shown shut spent spoken taken told understood won worn written",
    )
)


def activities(root: Path = ROOT) -> Found:
    """Find the modules and packages that are named after an activity or with a participle."""
    found: Found = defaultdict(list)
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*")):
            if path.suffix == ".py" or (path.is_dir() and (path / "__init__.py").exists()):
                word = path.stem.rpartition("_")[2]
                if word in PARTICIPLES or (word.endswith(("ing", "ed")) and word not in NOUNS | NEITHER):
                    found[path.stem].append(str(path.relative_to(root)))
    return found


# --- Names of classes ---

#: Modules whose classes are called what they are on the wire, or for users.
NAMED_OUTSIDE: Final = frozenset({"messages", "lobby_messages", "events", "bodies", "moves"})


def repeated_classes(root: Path = ROOT) -> Found:
    """Find the class names that are defined more than once."""
    found: Found = defaultdict(list)
    for module in modules(root):
        if Path(module.path).stem not in NAMED_OUTSIDE:
            for node in module.tree.body:
                if isinstance(node, ast.ClassDef):
                    found[node.name].append(f"{module.path}:{node.lineno}")
    return {name: places for name, places in found.items() if len(places) > 1}


# --- Attributes ---


def _targets(node: ast.AST) -> Iterator[ast.Attribute]:
    """Yield the attributes that a statement assigns to or deletes, also those whose items it assigns to."""
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            left = [*targets]
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            left = [target]
        case _:
            return
    while left:
        match left.pop():
            case ast.Attribute() as attribute:
                yield attribute
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                left += parts
            case ast.Starred(value=part) | ast.Subscript(value=part):
                left.append(part)


def _is_own(attribute: ast.Attribute) -> bool:
    return isinstance(attribute.value, ast.Name) and attribute.value.id in ("self", "cls")


def _classes(module: Module) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef))


def writing_properties(root: Path = ROOT) -> Found:
    """Find the properties that assign to an attribute of their object."""
    found: Found = defaultdict(list)
    for module in modules(root):
        for owner in _classes(module):
            for member in owner.body:
                if isinstance(member, ast.FunctionDef) and any(_is_property(one) for one in member.decorator_list):
                    written = (one for node in ast.walk(member) for one in _targets(node) if _is_own(one))
                    found[f"{owner.name}.{member.name}"] += [f"{module.path}:{one.lineno}" for one in written]
    return {name: places for name, places in found.items() if places}


def _is_property(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Name) and decorator.id in ("property", "cached_property")


def foreign_assignments(root: Path = ROOT) -> Found:
    """Find the assignments to an attribute of another object whose name only classes of other rooms define."""
    rooms: dict[str, set[str]] = defaultdict(set)
    assigned: list[tuple[Module, ast.Attribute]] = []
    for module in modules(root):
        for owner in _classes(module):
            for member in owner.body:
                if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
                    rooms[member.target.id].add(module.room)
        for node in ast.walk(module.tree):
            for attribute in _targets(node):
                if _is_own(attribute):
                    rooms[attribute.attr].add(module.room)
                else:
                    assigned.append((module, attribute))
    found: Found = defaultdict(list)
    for module, attribute in assigned:
        if (having := rooms.get(attribute.attr)) and module.room not in having:
            found[attribute.attr].append(f"{module.path}:{attribute.lineno}")
    return found


# --- Prose ---

#: Patterns that we do not write, each with what we write instead.
PATTERNS: Final = {
    "headless who": (
        r"(?:^|[.;:!] )Who (?![^.]*\?)|\b(?:for|of|by|to|from|with|without|than) who\b",
        "players who, spectators",
    ),
    "somebody": (r"\b(?:[Ss]ome|[Nn]o|[Ee]very)body\b", "a player, the host, a spectator; anyone, no one"),
    "so many": (r"\b[Ss]o many\b", "N, this many, or the name of the option's value"),
    "hangs on": (r"\bhang(?:s|ing)? on\b", "depends on"),
    "stands": (r"\bstands\b(?! for\b)", "is"),
    "comes of it": (r"\b(?:comes?|came) of (?:it|that|this)\b", "the result is"),
    "anew": (r"\banew\b", "again"),
    "at hand": (r"\bat hand\b", "available"),
    "is told": (r"\b(?:is|are|was|were|be) (?:told|heard|waited for)\b", "an active verb with its subject"),
    "where as a condition": (
        r"(?:^|[.;:] )Where (?![^.]*\?)|\bwhere (?:there (?:is|are)|that is|it (?:is|has)|one |none|nothing|no )",
        "if, when",
    ),
    "is no": (r"(?<!here )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|one\b)[a-z]", "is not a"),
    "not taken": (r"\bnot taken\b", "rejected"),
    "any more": (r"\bno \w+ any more\b", "can no longer"),
    "is gone": (r"\b(?:is|are) gone\b", "has left"),
    "three semicolons": (r"(?:[^.;!?]*;){3}", "three sentences, or a list"),
}
#: The same for the beginning of docstrings.
DOCSTRINGS: Final = {
    "docstring as a question": (
        r"^(?:What|Who|Whom|Whose|Where|When|How|Why|Whether) ",
        "what it does (Return ..., Raise ...)",
    )
}
_EVERYWHERE, _OPENING = (
    {name: re.compile(pattern) for name, (pattern, _) in patterns.items()} for patterns in (PATTERNS, DOCSTRINGS)
)

_CODE: Final = re.compile(r"```.*?```|<!--.*?-->", re.DOTALL)
_INLINE: Final = re.compile(r"`[^`]*`|\]\([^)]*\)")


class Passage(NamedTuple):
    """A paragraph, a docstring or another piece of prose, in one line."""

    place: str
    text: str
    is_docstring: bool = False


def passages(root: Path = ROOT) -> Iterator[Passage]:
    """Yield the prose of README, documentation, the page's text, docstrings and what the commands say."""
    for path in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        if path.exists() and "node_modules" not in path.parts:
            yield from _markdown(path.read_text(), str(path.relative_to(root)))
    for package in PACKAGES:
        for path in sorted((root / package).rglob("text.js")):
            for number, line in enumerate(path.read_text().splitlines(), start=1):
                yield Passage(f"{path.relative_to(root)}:{number}", line.strip())
    for module in modules(root):
        docstrings = set[int]()
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                if (text := ast.get_docstring(node)) is not None:
                    first = node.body[0]
                    docstrings.add(id(first.value))  # type: ignore[attr-defined]
                    yield from _paragraphs(text, f"{module.path}:{first.lineno}", is_docstring=True)
            elif module.room == "cli" and isinstance(node, ast.Constant) and id(node) not in docstrings:
                # `ast.walk` reaches a docstring after the function that it belongs to.
                yield Passage(f"{module.path}:{node.lineno}", _flat(node.value) if isinstance(node.value, str) else "")


def _markdown(text: str, path: str) -> Iterator[Passage]:
    blank = _CODE.sub(lambda code: "\n" * code[0].count("\n"), text)
    number = 1
    for block in re.split(r"(\n(?:\s*\n)+|\n(?=\s*(?:[-*|#]|\d+\.) ))", blank):
        if block.strip():
            yield Passage(f"{path}:{number}", _flat(block.strip().lstrip("-*|# ")))
        number += block.count("\n")


def _paragraphs(text: str, place: str, *, is_docstring: bool) -> Iterator[Passage]:
    for number, block in enumerate(re.split(r"\n\s*\n", text)):
        yield Passage(place, _flat(block), is_docstring and number == 0)


def _flat(text: str) -> str:
    return " ".join(_INLINE.sub("x", text).split())


def prose(root: Path = ROOT) -> Found:
    """Find the patterns in all prose."""
    found: Found = defaultdict(list)
    for passage in passages(root):
        for name, pattern in _EVERYWHERE.items():
            found[name] += [passage.place for _ in pattern.finditer(passage.text)]
        for name, pattern in _OPENING.items():
            found[name] += [passage.place] * (passage.is_docstring and pattern.search(passage.text) is not None)
    return {name: places for name, places in found.items() if places}


# --- Ratchets ---

CHECKS: Final = {
    "activities": activities,
    "repeated classes": repeated_classes,
    "writing properties": writing_properties,
    "foreign assignments": foreign_assignments,
    "prose": prose,
}
Counts = Mapping[str, int]


def read_listed(path: Path = LISTED) -> dict[str, dict[str, int]]:
    """Return the counts that are allowed, by check and name."""
    listed: dict[str, dict[str, int]] = json.loads(path.read_text())
    return listed


def new_ones(found: Found, listed: Counts) -> list[str]:
    """Say what there is more of than is allowed."""
    more = [name for name, places in found.items() if len(places) > listed.get(name, 0)]
    instead = {name: f" Write: {text}." for name, (_, text) in (PATTERNS | DOCSTRINGS).items()}
    return [
        f"{name}: {len(found[name])}, and at most {listed.get(name, 0)} are allowed.{instead.get(name, '')} "
        f"`python tests/habits.py '{name}'` lists them; one is in {found[name][-1]}"
        for name in more
    ]


def shrunk(found: Found, listed: Counts) -> dict[str, int]:
    """Return the allowed counts, lowered to what there is."""
    lower = {name: min(count, len(found.get(name, ()))) for name, count in listed.items()}
    return {name: count for name, count in sorted(lower.items()) if count}


def main(arguments: Iterable[str]) -> int:
    """Print, check or shrink the counts. Return the exit status."""
    (wanted, *_) = [*arguments, ""]
    listed = read_listed()
    if wanted == "--check":
        worse = [line for check, find in CHECKS.items() for line in new_ones(find(), listed.get(check, {}))]
        print(*worse, sep="\n", end="\n" if worse else "")
        return 1 if worse else 0
    if wanted == "--shrink":
        lower = {check: shrunk(find(), listed.get(check, {})) for check, find in CHECKS.items()}
        LISTED.write_text(json.dumps(lower, indent=1) + "\n")
        return 0
    for check, find in CHECKS.items():
        for name, places in sorted(find().items()):
            if not wanted:
                print(f"{len(places):5} of {listed.get(check, {}).get(name, 0):5}  {check}: {name}")
            elif name == wanted:
                print("\n".join(places))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
