"""ES modules inside one document, in a way that works under the strictest policy.

That policy allows inline scripts, but neither `data:` nor `blob:` modules. So each module becomes a function
in a classic script of its own, and `runtime/inlined_modules.js` runs them in order. What stays the same:
one run of each module, order, strict mode, functions before anything runs, top-level `await`, circles,
bindings that change later. A name that may change later is looked up through a `with` block each time it is
used; the only trace is that calling such a name as a function gives it a `this`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache

from fanlight.runtime import read_asset

from .folder import Folder
from .inline_addresses import address_edits
from .inline_css import inline_css
from .inline_fonts import font_script
from .js_modules import Export, ModuleSyntax
from .js_tokens import JsKind, js_tokens
from .module_graph import Module, ModuleGraph
from .script_data import script_json
from .script_text import safe_edits, source_url
from .source_text import Edit, apply_edits

__all__ = ["LOAD", "ModuleScripts", "loading_script"]

_REGISTRY = 'globalThis[Symbol.for("fanlight.modules")]'
LOAD = f"{_REGISTRY}.load"
"""What takes the place of the word `import` in `import("./file.js")` outside a wrapped module."""
# Names that no program uses: what the wrapper gives to a module.
_NAMESPACE = "$fanlight$namespace"
_IMPORT = "$fanlight$import"


class ModuleScripts:
    """The classic scripts that define a page's modules; each module is written once."""

    def __init__(self, folder: Folder, graph: ModuleGraph) -> None:
        self.folder = folder
        self.graph = graph
        self._written: set[str] = set()

    def tags(self, ids: Iterable[str]) -> str:
        """The `<script>` elements that define these modules and all they may ever import."""
        tags: list[str] = []
        waiting = list(ids)
        while waiting:
            id = waiting.pop(0)
            if id in self._written:
                continue
            if not self._written:
                tags.append(f"<script>{_module_system()}</script>\n")
            self._written.add(id)
            module = self.graph.modules.get(id)
            tags.append(f"<script>{self._define(module) if module else _remote(id)}</script>\n")
            if module is not None:
                later = [target for target in module.targets.values() if target in self.graph.modules]
                waiting += [*module.needs(), *later]
        return "".join(tags)

    def _define(self, module: Module) -> str:
        if module.syntax is None:
            return self._data_module(module)
        graph, syntax = self.graph, module.syntax
        circle = graph.in_circle(module.id)
        live: list[str] = []
        fixed: list[str] = []
        for found in syntax.imports:
            graph.check(module, found)
            target = module.targets[found.specifier]
            for binding in found.names:
                value = _value(target, binding.imported)
                origin = graph.origin(target, binding.imported)
                if circle or (origin is not None and not origin.fixed):
                    live.append(f"get {binding.local}() {{ return {value}; }}")
                else:
                    fixed.append(f"{binding.local} = {value}")
        exports = ", ".join(_getter(module, export) for export in graph.exports(module.id))
        # A script of the page keeps its line numbers, a file begins at its first line anyway.
        lines = "\n" * (module.source.place(0)[0] - 1)
        return (
            f"{lines}{_REGISTRY}.define({script_json(module.id)}, {script_json(module.needs())}, "
            f"({_NAMESPACE}, {_IMPORT}) => {{ "
            + (f"with ({{ __proto__: null, {', '.join(live)} }}) " if live else "")
            + f'return async function* () {{ "use strict"; yield {{ __proto__: null, {exports} }}; '
            + (f"const {', '.join(fixed)}; " if fixed else "")
            + self._body(module, syntax)
            + f"\n}}; }});{source_url(str(module.path))}"
        )

    def _body(self, module: Module, syntax: ModuleSyntax) -> str:
        source = module.source
        edits = [Edit(*span) for span in syntax.replaced]
        edits += address_edits(self.folder, source, module.path, syntax)
        for dynamic in syntax.dynamic:
            target = module.targets[dynamic.specifier]
            if target in self.graph.modules:
                edits.append(Edit(dynamic.word.start, dynamic.word.end, _IMPORT))
                edits.append(Edit(dynamic.literal.start, dynamic.literal.end, script_json(target)))
        edits += safe_edits(source, module=True, found=syntax.everything, outside=edits)
        return apply_edits(source.text, edits)

    def _data_module(self, module: Module) -> str:
        source = module.source
        before = ""
        if module.path.suffix.lower() == ".css":
            sheet = inline_css(self.folder, source, module.path)
            before = font_script(sheet.fonts)
            value = f"new CSSStyleSheet(); value.replaceSync({script_json(sheet.text)})"
        else:
            try:
                json.loads(source.text)
            except ValueError as error:
                offset = error.pos if isinstance(error, json.JSONDecodeError) else 0
                raise source.error(offset, f"not JSON: {error}; correct the file") from None
            value = f"JSON.parse({script_json(source.text)})"
        return (
            f"{before}{_REGISTRY}.define({script_json(module.id)}, [], () => async function* () "
            f'{{ "use strict"; yield {{ default: () => value }}; const value = {value}; }});'
            f"{source_url(str(module.path))}"
        )


def loading_script(graph: ModuleGraph, id: str) -> str:
    """The module script that runs a module.

    It names those of other origins in `import` statements: `DOMContentLoaded` waits for nothing else.
    """
    remotes = [(f"$fanlight${at}", script_json(remote)) for at, remote in enumerate(graph.remotes(id))]
    statements = [f"import * as {name} from {remote};" for name, remote in remotes]
    statements += [f"{_REGISTRY}.provide({remote}, {name});" for name, remote in remotes]
    return "".join([*statements, f"await {LOAD}({script_json(id)});"])


@cache
def _module_system() -> str:
    """The script that runs the modules, without its comments."""
    text = read_asset("inlined_modules.js").decode()
    comments = [token for token in js_tokens(text, module=False) if token.kind is JsKind.COMMENT]
    shorter = apply_edits(text, [Edit(comment.start, comment.end, "") for comment in comments])
    return re.sub(r"\s*\n\s*", "\n", shorter).strip()


def _remote(id: str) -> str:
    return f"{_REGISTRY}.define({script_json(id)}, [], undefined, () => import({script_json(id)}));"


def _value(target: str, name: str | None) -> str:
    namespace = f"{_NAMESPACE}({script_json(target)})"
    return namespace if name is None else f"{namespace}[{script_json(name)}]"


def _getter(module: Module, export: Export) -> str:
    if export.source is None:
        value = export.local or ""
    else:
        value = _value(module.targets[export.source.specifier], export.local)
    return f"{script_json(export.name)}: () => {value}"
