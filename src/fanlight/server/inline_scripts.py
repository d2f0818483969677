"""The `<script>` elements of a page: files become text, module graphs become functions.

A script that waits for the document (`defer`, `async`) goes to its end, because inline scripts never wait.
Module scripts do: a `defer` behind one of them is held until a module script runs it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from .folder import Folder
from .html_tokens import StartTag, Text, Token
from .inline_addresses import CALLS, address_edits
from .inline_modules import LOAD, ModuleScripts, loading_script
from .js_modules import ModuleSyntax
from .module_graph import Module, ModuleGraph, check_script_name, read_syntax
from .script_data import script_json
from .script_text import safe_edits, source_url
from .source_text import Edit, Source, apply_edits

__all__ = ["PageScripts", "script_kind"]

_CLASSIC = re.compile(r"(?:(?:text|application)/(?:x-)?(?:java|ecma)script)?(?:;.*)?")
_OF_FILES = frozenset({"src", "integrity", "crossorigin", "referrerpolicy", "fetchpriority", "charset"})
_WAITS = frozenset({"defer", "async"})
_HELD = "text/fanlight-held-script"
_RUN_HELD = (
    f'<script type="module">const held = document.querySelector(\'script[type="{_HELD}"]\');'
    'const script = document.createElement("script"); for (const { name, value } of held.attributes) '
    'if (name !== "type") script.setAttribute(name, value); '
    "script.text = held.text; held.replaceWith(script);</script>"
)
# A script without any of these words has nothing that must be found in it.
_WORTH_READING = re.compile(rf"\b(?:import|{'|'.join(CALLS)})\b")


def script_kind(tag: StartTag) -> str:
    """`classic`, `module`, `importmap`, or `data` for what browsers do not run."""
    kind = (tag.value("type") or "").strip().lower()
    if kind in ("module", "importmap"):
        return kind
    return "classic" if kind == _HELD or _CLASSIC.fullmatch(kind) else "data"


@dataclass
class _Script:
    """One script that browsers run: from a file of the folder (`path`) or from the page itself."""

    source: Source
    path: PurePosixPath | None
    module: Module | None
    syntax: ModuleSyntax | None
    targets: dict[str, str]
    """Which module each specifier means, as in `Module.targets`."""


class PageScripts:
    """Every script of one page; knows all of them before the first is written."""

    def __init__(self, folder: Folder, source: Source, path: PurePosixPath, found: Sequence[Token]) -> None:
        self.folder = folder
        self.source = source
        self.path = path
        tags = [
            (token, inside if isinstance(inside, Text) and inside.of == "script" else None)
            for token, inside in zip(found, [*found[1:], None], strict=True)
            if isinstance(token, StartTag) and token.name == "script"
        ]
        self.graph = ModuleGraph(folder, path, self._import_map(tags))
        self._texts = ModuleScripts(folder, self.graph)
        modules = [tag.start for tag, _ in tags if script_kind(tag) == "module"]
        self._first_module = min(modules, default=len(source.text))
        self._scripts = {tag.start: self._read(tag, raw) for tag, raw in tags}

    def _import_map(self, tags: Sequence[tuple[StartTag, Text | None]]) -> dict[str, str]:
        for tag, raw in tags:
            if raw is None or script_kind(tag) != "importmap":
                continue
            try:
                table = json.loads(self.source.text[raw.start : raw.end])
                imports = dict(table.get("imports", {}))
            except (ValueError, AttributeError, TypeError) as error:
                raise self.source.error(
                    raw.start, f"the import map is no JSON object: {error}; correct it"
                ) from None
            if table.get("scopes"):
                raise self.source.error(
                    raw.start, "scopes in an import map cannot be inlined; use imports only"
                )
            return {str(name): str(address) for name, address in imports.items()}
        return {}

    def _read(self, tag: StartTag, raw: Text | None) -> _Script | None:
        """What a script element runs; None when there is nothing of the folder to do."""
        kind = script_kind(tag)
        if kind not in ("classic", "module"):
            return None
        if raw is None or not raw.closed:
            raise self.source.error(tag.start, "this <script> is never closed; write </script>")
        src = tag.attribute("src")
        if src is None:
            return self._read_inline(kind, raw)
        reference = self.folder.find(src.value, self.path, self.source, src.start)
        if reference is None:
            return None
        check_script_name(reference.path, self.source, src.start)
        if kind == "module":
            module = self.graph.add_file(reference.path)
            return _Script(module.source, reference.path, module, module.syntax, module.targets)
        text = self.folder.source_of(reference.path)
        self.folder.spend(len(text.text), self.source, src.start)
        return self._classic(text, reference.path)

    def _read_inline(self, kind: str, raw: Text) -> _Script | None:
        text = self.source.part(raw.start, raw.end)
        if not _WORTH_READING.search(text.text):
            return None
        if kind == "classic":
            return self._classic(text, None)
        module = self.graph.add_inline(f"{self.path}#{raw.start}", text, read_syntax(text, module=True))
        return _Script(text, None, module, module.syntax, module.targets)

    def _classic(self, text: Source, path: PurePosixPath | None) -> _Script:
        """A classic script: it has no imports, but may load modules later."""
        syntax = read_syntax(text, module=False) if _WORTH_READING.search(text.text) else None
        targets: dict[str, str] = {}
        for dynamic in syntax.dynamic if syntax else []:
            target = self.graph.target(dynamic.specifier, path or self.path, text, dynamic.literal.start)
            if isinstance(target, PurePosixPath):
                self.graph.add_file(target)
            targets[dynamic.specifier] = str(target)
        return _Script(text, path, None, syntax, targets)

    def edits_for(self, tag: StartTag, raw: Text | None, at_end: list[str]) -> list[Edit]:
        """The edits of one script element; what must wait for the whole document goes to `at_end`."""
        script = self._scripts.get(tag.start)
        if script is None or raw is None:
            return []
        if script.module is not None and self._must_be_wrapped(script):
            return self._wrapped(tag, raw, script.module)
        wanted, text = self._text(script)
        before = [Edit(tag.start, tag.start, self._texts.tags(wanted))]
        if script.path is None:
            return [*before, Edit(raw.start, raw.end, text)]
        waits = script.module is None and any(tag.attribute(name) for name in _WAITS)
        start = self._start_tag(tag, _OF_FILES | _WAITS if script.module is None else _OF_FILES)
        text += source_url(str(script.path))
        if not waits:
            return [*before, Edit(tag.start, raw.end, start + text)]
        end = self.source.text.index(">", raw.end) + 1
        if tag.attribute("async") is None and tag.start > self._first_module:
            held = f'<script type="{_HELD}"{start.removeprefix("<script")}{text}</script>\n'
            return [*before, Edit(tag.start, end, held + _RUN_HELD)]
        at_end.append(f"{start}{text}</script>\n")
        return [*before, Edit(tag.start, end, "")]

    def _must_be_wrapped(self, script: _Script) -> bool:
        """Whether a module imports files, or is also reached in another way and must still run once."""
        assert script.module is not None, "asked about modules only"
        if any(need in self.graph.modules for need in script.module.needs()):
            return True
        id = script.module.id
        others = [other for other in self._scripts.values() if other and other is not script]
        importers: list[_Script | Module] = [*others, *self.graph.modules.values()]
        again = any(other.module is script.module for other in others)
        return again or any(id in importer.targets.values() for importer in importers)

    def _wrapped(self, tag: StartTag, raw: Text, module: Module) -> list[Edit]:
        definitions = self._texts.tags([module.id])
        start = self._start_tag(tag, _OF_FILES)
        return [Edit(tag.start, raw.end, f"{definitions}{start}{loading_script(self.graph, module.id)}")]

    def _start_tag(self, tag: StartTag, without: frozenset[str]) -> str:
        kept = [
            self.source.text[found.start : found.end] for found in tag.attributes if found.name not in without
        ]
        return f"<{' '.join(['script', *kept])}>"

    def _text(self, script: _Script) -> tuple[list[str], str]:
        """The modules that a script may load later, and its text without addresses of files."""
        source, syntax = script.source, script.syntax
        base = script.path or self.path
        edits = address_edits(self.folder, source, base, syntax) if syntax else []
        wanted: list[str] = []
        for dynamic in syntax.dynamic if syntax else []:
            target = script.targets[dynamic.specifier]
            if target in self.graph.modules:
                wanted.append(target)
                edits.append(Edit(dynamic.word.start, dynamic.word.end, LOAD))
                edits.append(Edit(dynamic.literal.start, dynamic.literal.end, script_json(target)))
        found = syntax.everything if syntax else ()
        edits += safe_edits(source, module=script.module is not None, found=found, outside=edits)
        return wanted, apply_edits(source.text, edits)
