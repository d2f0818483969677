"""A script of ours and every module it imports, as one module script: one request, or none when it is inline.

The files stay plain ES modules; only how they are put together is decided here. Each becomes a function of
its own, so equal names never meet, and they run in the order in which a browser would run them. Only the few
forms of `import` and `export` that our files use are known; any other is refused, not guessed.
"""

from __future__ import annotations

import re
from functools import cache

from . import read_asset

__all__ = ["bundle", "modules"]

_IMPORT = re.compile(r'^import (?:\{ (?P<names>[\w, ]+) \} from )?"\./(?P<module>\w+\.js)";$')
_DECLARED = re.compile(r"^export (?=(?:const|class|function|async function) (?P<name>\w+))")
_LISTED = re.compile(r"^export \{ ?(?P<names>[\w, ]*?) ?\};$")


@cache
def bundle(name: str) -> bytes:
    """The module script that does and exports what the module `name` does and exports, without any import."""
    parts = [_as_function(module) for module in modules(name)]
    if exported := _split(name)[1]:
        parts.append(f"export const {{ {', '.join(exported)} }} = {_variable(name)};\n")
    return "".join(parts).encode()


@cache
def modules(name: str) -> tuple[str, ...]:
    """`name` and every module that it needs, each once, in the order in which they run."""
    found: list[str] = []

    def visit(module: str, importers: tuple[str, ...]) -> None:
        if module in importers:
            raise ValueError(f"{' → '.join((*importers, module))}: a circle cannot be put in order")
        if module not in found:
            for line in _lines(module):
                if wanted := _IMPORT.match(line):
                    visit(wanted["module"], (*importers, module))
            found.append(module)

    visit(name, ())
    return tuple(found)


def _lines(module: str) -> list[str]:
    return read_asset(module).decode().splitlines()


def _as_function(module: str) -> str:
    """One module as a function that runs at once and returns what the module exports."""
    body, exported = _split(module)
    return f"const {_variable(module)} = (() => {{\n{body}return {{ {', '.join(exported)} }};\n}})();\n"


def _split(module: str) -> tuple[str, list[str]]:
    """A module as the text of a function, and the names it exports."""
    exported: list[str] = []
    body: list[str] = []
    for line in _lines(module):
        if wanted := _IMPORT.match(line):
            if wanted["names"]:
                body.append(f"const {{ {wanted['names']} }} = {_variable(wanted['module'])};")
        elif declared := _DECLARED.match(line):
            exported.append(declared["name"])
            body.append(line[declared.end() :])
        elif listed := _LISTED.match(line):
            exported += filter(None, listed["names"].split(", "))
        elif line.startswith(("import ", "export ")):
            raise ValueError(f"{module}: {line!r} is not a form of import or export that a bundle knows")
        else:
            body.append(line)
    return "\n".join([*body, ""]), exported


def _variable(module: str) -> str:
    return f"module_{module.removesuffix('.js')}"
