"""Code is told from strings, templates, regular expressions and comments."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanlight.server.js_tokens import JsKind, JsSyntaxError, js_tokens, string_value


def kinds(text: str, *, module: bool = True) -> list[tuple[str, str]]:
    return [(token.kind.value, token.text) for token in js_tokens(text, module=module)]


def regexps(text: str) -> list[str]:
    return [found for kind, found in kinds(text) if kind == "regexp"]


def test_a_script_is_cut_into_its_tokens() -> None:
    assert kinds("const a = 1.5e+3 ?? .5; // c\nb?.c") == [
        ("name", "const"), ("name", "a"), ("punctuator", "="), ("number", "1.5e+3"), ("punctuator", "??"),
        ("number", ".5"), ("punctuator", ";"), ("comment", "// c"), ("name", "b"), ("punctuator", "?."),
        ("name", "c"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = /b/g", ["/b/g"]),
        ("a = b / c / d", []),
        ("a = (b) / c / d", []),
        ("if (b) /c/.test(d)", ["/c/"]),
        ("for await (const b of c) /d/.test(e)", ["/d/"]),
        ("a.if(b) / c / d", []),
        ("a[0] / b / c", []),
        ("a++ / b / c", []),
        ("return /a/", ["/a/"]),
        ("a.return / b / c", []),
        ("typeof /a/", ["/a/"]),
        ("x = {} / a / b", []),
        ("{}\n/a/.test(b)", ["/a/"]),
        ("function f() {}\n/a/.test(b)", ["/a/"]),
        ("x = { a: {} / b / c }", []),
        ("switch (a) { case 1: {}\n/b/.test(c) }", ["/b/"]),
        ("x = a ? {} / b / c : {} / d / e", []),
        ("x = `${{}}` / a / b", []),
        ("`${/}`/.test(a)}`", ["/}`/"]),
        ("x = /[/\\]]/", ["/[/\\]]/"]),
        ("x => /a/", ["/a/"]),
        ("'a' / b / c", []),
        ("/a/ / /b/", ["/a/", "/b/"]),
        ("do /a/.test(b); while (c)", ["/a/"]),
        ("x = a ? /b/ : /c/", ["/b/", "/c/"]),
    ],
)
def test_a_slash_divides_or_begins_a_regular_expression(text: str, expected: list[str]) -> None:
    assert regexps(text) == expected


def test_a_template_comes_in_pieces_and_code_between_them() -> None:
    assert kinds("`a${ {b: '}'} }c${`d`}e`") == [
        ("template", "`a${"), ("punctuator", "{"), ("name", "b"), ("punctuator", ":"), ("string", "'}'"),
        ("punctuator", "}"), ("template", "}c${"), ("template", "`d`"), ("template", "}e`"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "tagged"),
    [("a`b${c}d`", True), ("a()`b`", True), ("return `b`", False), ("x = `b`", False), ("`a``b`", None)],
)
def test_a_template_knows_whether_a_function_reads_it(text: str, tagged: bool | None) -> None:
    found = [token.tagged for token in js_tokens(text, module=True) if token.kind is JsKind.TEMPLATE]
    assert found == ([False, True] if tagged is None else [tagged] * len(found))


def test_the_comments_of_old_are_comments_in_classic_scripts_only() -> None:
    text = "<!-- a\n--> b\nc --> d"
    assert [found for kind, found in kinds(text, module=False) if kind == "comment"] == ["<!-- a", "--> b"]
    assert [kind for kind, _ in kinds("a <!--b", module=True)] == [
        "name",
        "punctuator",
        "punctuator",
        "punctuator",
        "name",
    ]


def test_a_line_before_a_token_is_seen_through_comments() -> None:
    found = js_tokens("a /* \n */ b c", module=True)
    assert [token.line_before for token in found if token.kind is JsKind.NAME] == [True, True, False]


def test_a_hashbang_is_a_comment() -> None:
    assert kinds("#!/usr/bin/env node\na") == [("comment", "#!/usr/bin/env node"), ("name", "a")]
    assert kinds("#!only") == [("comment", "#!only")]


@pytest.mark.parametrize(
    ("text", "offset", "said"),
    [("a = 'b", 4, "a string"), ("`a", 0, "a template"), ("a = /b", 4, "a regular"), ("/* a", 0, "a comment"),
     ("f(", 2, "'('"), ("a)", 1, "')'"), ("(]", 1, "']'"), ("a \\ b", 2, "cannot stand")],
)  # fmt: skip
def test_what_is_no_javascript_is_told_with_its_place(text: str, offset: int, said: str) -> None:
    with pytest.raises(JsSyntaxError) as caught:
        js_tokens(text, module=True)
    assert caught.value.offset == offset
    assert said in caught.value.message


@given(st.text())
def test_the_value_of_a_string_is_what_json_says(value: str) -> None:
    (token,) = js_tokens(json.dumps(value, ensure_ascii=False), module=True)
    assert string_value(token) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"'\x41\u0042\u{43}'", "ABC"),
        ("'a\\\nb'", "ab"),
        (r"'\0\v\q'", "\0\vq"),
        ("`a\\`b`", "a`b"),
        ("a", None),
        ("`a${b}c`", None),
    ],
)
def test_escapes_in_strings(text: str, value: str | None) -> None:
    assert string_value(js_tokens(text, module=True)[0]) == value
