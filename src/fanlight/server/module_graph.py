"""The modules that a page's scripts import from its folder: found, read, and joined by their names.

Answers which module a specifier means and whether an imported name is there and can change. Writes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from .folder import Folder
from .js_modules import Export, Import, ModuleSyntax, module_syntax
from .js_tokens import JsSyntaxError
from .source_text import Source

__all__ = ["DATA_SUFFIXES", "Module", "ModuleGraph", "Origin", "check_script_name", "read_syntax"]

DATA_SUFFIXES = (".json", ".css")
"""Files that a module may import as data: `import x from "./x.json" with { type: "json" }`."""


@dataclass
class Module:
    """One module: a file of the folder, or a script of the page itself.

    `targets` says which module each specifier means; an id with a scheme is another origin's.
    """

    id: str
    path: PurePosixPath
    source: Source
    syntax: ModuleSyntax | None
    targets: dict[str, str] = field(default_factory=dict)

    def needs(self) -> list[str]:
        """The modules that must run before this one, each once, in order."""
        imports = self.syntax.imports if self.syntax else []
        return list(dict.fromkeys(self.targets[found.specifier] for found in imports))


@dataclass(frozen=True)
class Origin:
    """Where an exported value really comes from, and whether it stays the same once that module has run."""

    module: str
    local: str | None
    fixed: bool


class ModuleGraph:
    """All modules of one page; `page` is where it stands, for the addresses of its import map."""

    def __init__(self, folder: Folder, page: PurePosixPath, import_map: Mapping[str, str]) -> None:
        self.folder = folder
        self.page = page
        self.import_map = import_map
        self.modules: dict[str, Module] = {}

    def add_file(self, path: PurePosixPath) -> Module:
        """The module of a file, with everything it imports."""
        if str(path) not in self.modules:
            self._add(self._read(path))
        return self.modules[str(path)]

    def add_inline(self, id: str, source: Source, syntax: ModuleSyntax) -> Module:
        """The module of a script that stands in the page itself, with everything it imports."""
        module = Module(id, self.page, source, syntax)
        self._add(module)
        return module

    def _read(self, path: PurePosixPath) -> Module:
        source = self.folder.source_of(path)
        self.folder.spend(len(source.text), source, 0)
        data = path.suffix.lower() in DATA_SUFFIXES
        return Module(str(path), path, source, None if data else read_syntax(source, module=True))

    def _add(self, first: Module) -> None:
        self.modules[first.id] = first
        waiting = [first]
        while waiting:
            module = waiting.pop()
            if module.syntax is None:
                continue
            wanted = [(found.specifier, found.offset) for found in module.syntax.imports]
            wanted += [(found.specifier, found.literal.start) for found in module.syntax.dynamic]
            for specifier, offset in wanted:
                target = self.target(specifier, module.path, module.source, offset)
                module.targets[specifier] = str(target)
                if isinstance(target, PurePosixPath) and str(target) not in self.modules:
                    self.modules[str(target)] = self._read(target)
                    waiting.append(self.modules[str(target)])

    def target(self, specifier: str, base: PurePosixPath, source: Source, offset: int) -> PurePosixPath | str:
        """The file that a specifier means, or the address of another origin.

        Raises:
            ConfigError: it is a bare name that no import map knows, or the file cannot be inlined.
        """
        address = self._mapped(specifier)
        if address is None and not specifier.startswith(("./", "../", "/")) and ":" not in specifier:
            raise source.error(
                offset,
                f"{specifier!r} is the name of a package, which no browser can find; copy its ES module into "
                f'the folder and write "./{specifier}.js", or name it in a <script type="importmap">',
            )
        if address is None:
            reference = self.folder.find(specifier, base, source, offset)
        else:
            reference = self.folder.find(address, self.page, source, offset)
        if reference is None:
            return address or specifier
        check_script_name(reference.path, source, offset)
        return reference.path

    def _mapped(self, specifier: str) -> str | None:
        if specifier in self.import_map:
            return self.import_map[specifier]
        prefixes = [key for key in self.import_map if key.endswith("/") and specifier.startswith(key)]
        if not prefixes:
            return None
        longest = max(prefixes, key=len)
        return self.import_map[longest] + specifier[len(longest) :]

    def remotes(self, id: str) -> list[str]:
        """The modules of other origins that must run before a module, by whatever way, in order."""
        found: dict[str, None] = {}
        waiting = [id]
        while waiting:
            current = waiting.pop(0)
            if current not in found:
                found[current] = None
                waiting += self.modules[current].needs() if current in self.modules else []
        return [each for each in found if each not in self.modules]

    def in_circle(self, id: str) -> bool:
        """Whether a module needs itself, by whatever way."""
        seen: set[str] = set()
        waiting = self.modules[id].needs()
        while waiting:
            current = waiting.pop()
            if current == id:
                return True
            if current not in seen and current in self.modules:
                seen.add(current)
                waiting += self.modules[current].needs()
        return False

    def origin(
        self, id: str, name: str | None, seen: frozenset[tuple[str, str]] = frozenset()
    ) -> Origin | None:
        """What `name` of a module is; None when the module does not export it, or two others both do."""
        module = self.modules.get(id)
        if name is None or module is None:
            return Origin(id, name, fixed=True)
        if module.syntax is None:
            return Origin(id, name, fixed=True) if name == "default" else None
        if (id, name) in seen:
            return None
        seen |= {(id, name)}
        for export in module.syntax.exports:
            if export.name == name:
                if export.source is None:
                    return Origin(id, export.local, export.fixed)
                return self.origin(module.targets[export.source.specifier], export.local, seen)
        found = {
            self.origin(module.targets[star.specifier], name, seen)
            for star in module.syntax.stars
            if name != "default"
        } - {None}
        return found.pop() if len(found) == 1 else None

    def exports(self, id: str) -> list[Export]:
        """Every name that a module exports, sorted, those of `export *` too."""
        return [export for _, export in sorted(self._exports(id, frozenset()).items())]

    def _exports(self, id: str, seen: frozenset[str]) -> dict[str, Export]:
        module = self.modules[id]
        if module.syntax is None:
            return {"default": Export("default", "value", 0)}
        found: dict[str, Export] = {}
        for star in module.syntax.stars:
            target = module.targets[star.specifier]
            if target not in self.modules:
                raise module.source.error(
                    star.offset, "`export *` of another origin cannot be inlined; name what you export"
                )
            if target in seen | {id}:
                continue
            names = [name for name in self._exports(target, seen | {id}) if name != "default"]
            found |= {
                name: Export(name, name, star.offset, star)
                for name in names
                if self.origin(id, name) is not None
            }
        return found | {export.name: export for export in module.syntax.exports}

    def check(self, module: Module, found: Import) -> None:
        """Raise when a name is imported that its module does not export."""
        target = module.targets[found.specifier]
        for binding in found.names:
            if self.origin(target, binding.imported) is None:
                names = ", ".join(export.name for export in self.exports(target)) or "nothing"
                raise module.source.error(
                    binding.offset,
                    f"{self.folder.display(self.modules[target].path)} has no export {binding.imported!r}; "
                    f"it exports {names}",
                )


def read_syntax(source: Source, *, module: bool) -> ModuleSyntax:
    """The imports and exports of a script; a fault becomes an error that says where."""
    try:
        return module_syntax(source.text, module=module)
    except JsSyntaxError as error:
        raise source.error(error.offset, f"{error.message}; correct the script") from None


def check_script_name(path: PurePosixPath, source: Source, offset: int) -> None:
    """Refuse what no browser runs."""
    if path.suffix.lower() in (".ts", ".tsx", ".jsx", ".mts", ".vue", ".svelte"):
        raise source.error(
            offset, f"browsers do not run {path.suffix} files; refer to the compiled JavaScript"
        )
