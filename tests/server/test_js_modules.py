"""Imports and exports are read from tokens, with what is fixed and what may change."""

from __future__ import annotations

import pytest

from fanlight.server.js_modules import DEFAULT, ModuleSyntax, module_syntax
from fanlight.server.js_tokens import JsSyntaxError
from fanlight.server.source_text import Edit, apply_edits


def imports(text: str) -> list[tuple[str, list[tuple[str | None, str]]]]:
    found = module_syntax(text).imports
    return [(one.specifier, [(name.imported, name.local) for name in one.names]) for one in found]


def exports(text: str) -> dict[str, tuple[str | None, str | None, bool]]:
    found = module_syntax(text).exports
    return {one.name: (one.local, one.source.specifier if one.source else None, one.fixed) for one in found}


def body(text: str) -> str:
    found: ModuleSyntax = module_syntax(text)
    return apply_edits(text, [Edit(*span) for span in found.replaced])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import './a.js'", ("./a.js", [])),
        ("import a from 'b'", ("b", [("default", "a")])),
        ("import * as a from 'b'", ("b", [(None, "a")])),
        ("import { a, b as c, 'd e' as f, } from 'g';", ("g", [("a", "a"), ("b", "c"), ("d e", "f")])),
        ("import a, { default as b } from 'c'", ("c", [("default", "a"), ("default", "b")])),
        ("import a, * as b from 'c'", ("c", [("default", "a"), (None, "b")])),
        ("import from from 'a'", ("a", [("default", "from")])),
        ("import a from './a.json' with { type: 'json' }", ("./a.json", [("default", "a")])),
        ("import {} from 'a'", ("a", [])),
    ],
)
def test_every_form_of_import_is_read(text: str, expected: object) -> None:
    assert imports(text) == [expected]


def test_imports_elsewhere_are_no_statements() -> None:
    text = "const a = { import: 1 }; a.import; class B { import() {} } // import 'x'\n`import 'y'`"
    found = module_syntax(text)
    assert (found.imports, found.dynamic, found.metas) == ([], [], [])


def test_dynamic_imports_with_a_literal_are_found_at_any_depth() -> None:
    found = module_syntax("() => { import('./a.js'); import(`./b.js`, {}); import(c); import.meta.url }")
    assert [one.specifier for one in found.dynamic] == ["./a.js", "./b.js"]
    assert len(found.metas) == 1


def test_a_classic_script_has_only_dynamic_imports() -> None:
    found = module_syntax("<!-- x\nimport('./a.js')", module=False)
    assert [one.specifier for one in found.dynamic] == ["./a.js"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("export const a = 1, b = f(2, 3), c = [4, 5]", {"a": True, "b": True, "c": True}),
        ("export let a", {"a": False}),
        ("export var a = 1", {"a": False}),
        ("export function a() {}", {"a": True}),
        ("export async function* a() {}", {"a": True}),
        ("export function a() {} a = 5", {"a": False}),
        ("export class A {}; A.b = 1", {"A": True}),
        ("export class A {}\n++A", {"A": False}),
        ("let a; export { a }", {"a": False}),
        ("const z = 1, a = 2; export { a }", {"a": True}),
        ("const z = function a() {}; let a; export { a }", {"a": False}),
        ("export default 5 + 5", {"default": True}),
        ("export default function a() {} a = 1", {"default": False}),
    ],
)
def test_exports_know_whether_they_can_change(text: str, expected: dict[str, bool]) -> None:
    assert {name: fixed for name, (_, _, fixed) in exports(text).items()} == expected


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("export const { a, b: c, d = 1, e: { f }, ...g } = x", "acdfg"),
        ("export const [a, , [b = { c: 1 }], ...d] = x", "abd"),
        ("export const { [k]: a, 'b': c, 5: d } = x", "acd"),
        ("export const a = 1\nfoo(), b = 2", "a"),
        ("export const a = 1\n, b = 2", "ab"),
        ("export const a = typeof\nb, c = 1", "ac"),
        ("export const a = x => { y }\nz, w", "a"),
        ("export const a = `${b}`\n`c`, d = 1", "ad"),
        ("export const a = b\n(c), d = 1", "ad"),
        ("export const a = class\nB {}, c = 1", "ac"),
    ],
)
def test_the_names_of_a_declaration_end_where_the_statement_ends(text: str, names: str) -> None:
    assert "".join(exports(text)) == names


def test_exports_of_other_modules_name_their_source() -> None:
    text = "export { a, b as c, default } from './x.js'; export * as ns from './y.js'; export * from './z.js'"
    assert exports(text) == {
        "a": ("a", "./x.js", True),
        "c": ("b", "./x.js", True),
        "default": ("default", "./x.js", True),
        "ns": (None, "./y.js", True),
    }
    assert [one.specifier for one in module_syntax(text).stars] == ["./z.js"]
    assert [name for name, _ in imports(text)] == ["./x.js", "./y.js", "./z.js"]


def test_an_import_that_is_exported_again_is_an_export_of_its_source() -> None:
    assert exports("import { a as b } from './x.js'; export { b as c }") == {"c": ("a", "./x.js", True)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("foo\nimport {\n a } from 'b'\n(bar)", "foo\n;\n\n(bar)"),
        ("export const a = 1", " const a = 1"),
        ("export default a + b", f"const {DEFAULT} = a + b"),
        ("export default function () {}", f" function {DEFAULT}  () {{}}"),
        ("export default async function* () {}", f" async function* {DEFAULT}  () {{}}"),
        ("export default class extends A {}", f" class {DEFAULT}  extends A {{}}"),
        ("export default class A {}", " class A {}"),
        ("export default async () => {}", f"const {DEFAULT} = async () => {{}}"),
        ("a\nexport { a }\n;[b]", "a\n;\n[b]"),
    ],
)
def test_statements_leave_their_lines_behind(text: str, expected: str) -> None:
    assert body(text) == expected
    assert body(text).count("\n") == text.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        "import defer * as a from 'b'",
        "import source a from 'b'",
        "import a from b",
        "export enum A {}",
        "import {",
        "import { a b } from 'c'",
    ],
)
def test_forms_that_are_not_known_are_refused(text: str) -> None:
    with pytest.raises(JsSyntaxError):
        module_syntax(text)
