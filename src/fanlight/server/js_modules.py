"""The import and export statements of an ES module: who is named, and where each statement stands.

Only what is found at the top level of the token stream counts. Reads one module, knows no files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .js_patterns import constant_names, declared_names, pattern_end
from .js_tokens import JsKind, JsSyntaxError, JsToken, js_tokens, string_value

__all__ = ["DEFAULT", "Binding", "DynamicImport", "Export", "Import", "ModuleSyntax", "module_syntax"]

DEFAULT = "$fanlight$default"
"""The local name that an unnamed default export gets."""


@dataclass(frozen=True)
class Binding:
    """One imported name. `imported` is None for the whole namespace."""

    imported: str | None
    local: str
    offset: int


@dataclass(frozen=True)
class Import:
    """What a static `import` or `export … from` needs: the specifier, where it stands, and its names."""

    specifier: str
    offset: int
    names: tuple[Binding, ...] = ()


@dataclass(frozen=True)
class Export:
    """One exported name.

    With `source` it comes from another module: `local` is the name there, None for its whole namespace.
    `fixed` says that the value cannot change once the module has run.
    """

    name: str
    local: str | None
    offset: int
    source: Import | None = None
    fixed: bool = True


@dataclass(frozen=True)
class DynamicImport:
    """`import("literal")`: where the word and the literal stand."""

    specifier: str
    word: JsToken
    literal: JsToken


@dataclass
class ModuleSyntax:
    """Everything in a script that only a module system can serve.

    `replaced` are the spans whose text must go, with what takes their place, in order.
    """

    imports: list[Import] = field(default_factory=list)
    exports: list[Export] = field(default_factory=list)
    stars: list[Import] = field(default_factory=list)
    dynamic: list[DynamicImport] = field(default_factory=list)
    metas: list[JsToken] = field(default_factory=list)
    replaced: list[tuple[int, int, str]] = field(default_factory=list)
    tokens: Sequence[JsToken] = ()
    """All tokens without the comments."""
    everything: Sequence[JsToken] = ()
    """All tokens with the comments."""


def module_syntax(text: str, *, module: bool = True) -> ModuleSyntax:
    """Read a script. For a classic one (`module=False`) only `import(…)` and `import.meta` are looked for.

    Raises:
        JsSyntaxError: the text is no JavaScript, or an import or export has a form that is not known here.
    """
    everything = js_tokens(text, module=module)
    code = [token for token in everything if token.kind is not JsKind.COMMENT]
    found = _Reader(text, code).read(module)
    found.everything = everything
    return found


class _Reader:
    def __init__(self, text: str, code: list[JsToken]) -> None:
        self.text = text
        self.code = code
        self.at = 0
        self.found = ModuleSyntax(tokens=code)

    def read(self, module: bool) -> ModuleSyntax:
        depth = 0
        while self.at < len(self.code):
            token = self.code[self.at]
            if token.kind is JsKind.TEMPLATE:
                depth += token.text.endswith("${") - token.text.startswith("}")
            elif token.kind is JsKind.PUNCTUATOR:
                depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
            elif token.kind is JsKind.NAME and not self._after_dot():
                if token.text == "import":
                    self._import(module and depth == 0)
                    continue
                if module and depth == 0 and token.text == "export":
                    self._export()
                    continue
            self.at += 1
        if module:
            self._settle_locals()
        return self.found

    def peek(self, ahead: int = 0) -> str:
        index = self.at + ahead
        return self.code[index].text if index < len(self.code) else ""

    def take(self, expected: str = "") -> JsToken:
        if self.at >= len(self.code):
            raise JsSyntaxError(len(self.text), "an import or export statement is not finished")
        token = self.code[self.at]
        if expected and token.text != expected:
            raise JsSyntaxError(token.start, f"{expected!r} is missing before {token.text!r}")
        self.at += 1
        return token

    def _after_dot(self) -> bool:
        return self.at > 0 and self.code[self.at - 1].text in (".", "?.")

    def _import(self, static: bool) -> None:
        word = self.take()
        if self.peek() == "(":
            literal = self.code[self.at + 1] if self.at + 1 < len(self.code) else None
            value = string_value(literal) if literal is not None else None
            if literal is not None and value is not None:
                self.found.dynamic.append(DynamicImport(value, word, literal))
        elif self.peek() == "." and self.peek(1) == "meta":
            self.found.metas.append(word)
        elif static and self.peek() not in (":", "=", ";", ","):
            self._static_import(word)

    def _static_import(self, word: JsToken) -> None:
        names: list[Binding] = []
        if self.code[self.at].kind is not JsKind.STRING:
            while True:
                if self.peek() == "*":
                    self.take()
                    self.take("as")
                    local = self.take()
                    names.append(Binding(None, local.text, local.start))
                elif self.peek() == "{":
                    names += [Binding(name, local, offset) for name, local, offset in self._braces()]
                else:
                    local = self.take()
                    if self.peek() not in (",", "from"):
                        raise JsSyntaxError(
                            word.start, f"`import {local.text}` of this form is not supported"
                        )
                    names.append(Binding("default", local.text, local.start))
                if self.peek() != ",":
                    break
                self.take()
            self.take("from")
        self.found.imports.append(self._specifier(names))
        self._replace(word, ";")

    def _specifier(self, names: Sequence[Binding] = ()) -> Import:
        literal = self.take()
        value = string_value(literal) if literal.kind is JsKind.STRING else None
        if value is None:
            raise JsSyntaxError(literal.start, "the address of a module must be a string")
        if self.peek() in ("with", "assert") and self.peek(1) == "{":
            self.take()
            self.at = pattern_end(self.code, self.at)
        if self.peek() == ";":
            self.take()
        return Import(value, literal.start, tuple(names))

    def _braces(self) -> list[tuple[str, str, int]]:
        """`{ a, b as c, "d e" as f }` as (first name, second name, offset)."""
        self.take("{")
        names: list[tuple[str, str, int]] = []
        while self.peek() != "}":
            first = self.take()
            second = first
            if self.peek() == "as":
                self.take()
                second = self.take()
            names.append((_plain(first), _plain(second), first.start))
            if self.peek() != "}":
                self.take(",")
        self.take("}")
        return names

    def _replace(self, first: JsToken, text: str) -> None:
        """Everything from `first` to the last token taken goes; lines stay where they are."""
        end = self.code[self.at - 1].end
        self.found.replaced.append((first.start, end, text + "\n" * self.text.count("\n", first.start, end)))

    def _export(self) -> None:
        word = self.take()
        kind = self.peek()
        if kind == "*":
            self._export_star(word)
        elif kind == "{":
            names = self._braces()
            source = None
            if self.peek() == "from":
                self.take()
                source = self._specifier()
                self.found.imports.append(source)
            elif self.peek() == ";":
                self.take()
            self.found.exports += [Export(name, local, offset, source) for local, name, offset in names]
            self._replace(word, ";")
        elif kind == "default":
            self._export_default(word)
        else:
            names_here = declared_names(self.code, self.at)
            if not names_here:
                raise JsSyntaxError(word.start, f"`export {kind}` of this form is not supported")
            self.found.exports += [Export(name, name, word.start) for name in names_here]
            self._replace(word, "")

    def _export_star(self, word: JsToken) -> None:
        self.take("*")
        name = None
        if self.peek() == "as":
            self.take()
            name = self.take()
        self.take("from")
        source = self._specifier()
        self.found.imports.append(source)
        if name is None:
            self.found.stars.append(source)
        else:
            self.found.exports.append(Export(_plain(name), None, name.start, source))
        self._replace(word, ";")

    def _export_default(self, word: JsToken) -> None:
        self.take("default")
        offset = 1 if self.peek() == "async" and self.peek(1) == "function" else 0
        if self.peek(offset) in ("function", "class"):
            self._replace(word, "")
            offset += 2 if self.peek(offset + 1) == "*" else 1
            named = self.code[self.at + offset]
            unnamed = named.text in ("(", "{", "extends")
            if unnamed:
                after = self.code[self.at + offset - 1].end
                self.found.replaced.append((after, after, f" {DEFAULT} "))
            self.found.exports.append(Export("default", DEFAULT if unnamed else named.text, word.start))
        else:
            self._replace(word, f"const {DEFAULT} =")
            self.found.exports.append(Export("default", DEFAULT, word.start))

    def _settle_locals(self) -> None:
        """Tell which exports may change later, and which only hand on an import."""
        imported = {
            binding.local: (source, binding.imported)
            for source in self.found.imports
            for binding in source.names
        }
        constant = {DEFAULT} | constant_names(self.code)
        for index, export in enumerate(self.found.exports):
            if export.source is None and export.local in imported:
                source, name = imported[export.local]
                self.found.exports[index] = Export(export.name, name, export.offset, source)
            elif export.source is None and export.local not in constant:
                self.found.exports[index] = Export(export.name, export.local, export.offset, fixed=False)


def _plain(token: JsToken) -> str:
    """The name that a token of an import or export list means: a word or a string."""
    value = string_value(token)
    return token.text if value is None else value
