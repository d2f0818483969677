"""What a style sheet refers to is found; strings and comments that only look like it are not."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanlight.server.css_tokens import css_references, safe_style


def urls(text: str) -> list[tuple[str, str]]:
    return [(url.address, text[url.start : url.end]) for url in css_references(text).urls]


@pytest.mark.parametrize(
    ("text", "address", "span"),
    [
        ("a{b:url(c.png)}", "c.png", "url(c.png)"),
        ("a{b:URL( c.png )}", "c.png", "URL( c.png )"),
        ("a{b:url('c d.png')}", "c d.png", "url('c d.png')"),
        ('a{b:url( "c)d" )}', "c)d", 'url( "c)d" )'),
        (r"a{b:url(c\)d.png)}", "c)d.png", r"url(c\)d.png)"),
        (r"a{b:url('\63 .png')}", "c.png", r"url('\63 .png')"),
        ("a{b:image-set('c.png' 1x type('image/png'))}", "c.png", "'c.png'"),
        ("a{b:src('c.png')}", "c.png", "src('c.png')"),
        ("b:url(c.png)", "c.png", "url(c.png)"),
        ("a{--b:url(c.png)}", "c.png", "url(c.png)"),
    ],
)
def test_an_address_is_found_with_what_it_replaces(text: str, address: str, span: str) -> None:
    assert urls(text) == [(address, span)]


@pytest.mark.parametrize(
    "text",
    [
        "/* url(a.png) */",
        "a{content:'url(a.png)'}",
        "a{b:type('c')}",
        "a{b:myurl (c)}",
        'a{content:"\\"url(c)"}',
    ],
)
def test_what_only_looks_like_an_address_is_none(text: str) -> None:
    assert urls(text) == []


@pytest.mark.parametrize(
    ("text", "address", "conditions"),
    [
        ("@import 'a.css';", "a.css", ""),
        ('@IMPORT url("a.css") screen;', "a.css", "screen"),
        ("@import url(a.css) layer(b.c) supports(display: grid) print", "a.css",
         "layer(b.c) supports(display: grid) print"),
        ("/* x */ @import 'a;b.css' ;", "a;b.css", ""),
    ],
)  # fmt: skip
def test_an_import_has_its_address_and_conditions(text: str, address: str, conditions: str) -> None:
    (found,) = css_references(text).imports
    assert (found.url.address, found.conditions) == (address, conditions)
    assert text[found.start : found.end].rstrip(";").lower().startswith("@import")
    assert urls(text) == []


def test_an_import_inside_a_block_is_none() -> None:
    assert css_references("@media screen { @import 'a.css'; }").imports == []


def test_namespaces_and_charset_are_found() -> None:
    found = css_references('@charset "utf-8";@namespace svg url(http://example.com/ns);')
    assert found.charset_end == 17
    assert found.namespaces == [17]
    assert found.urls == []


def test_a_font_face_has_its_declarations_and_addresses() -> None:
    text = """a{} @font-face { /* x: y; */ font-family: "A B";
      src: local("C;D"), url(e.woff2) format("woff2"), url('f.ttf'); unicode-range: U+0-FF } b{}"""
    (face,) = css_references(text).fonts
    declared = dict(face.declarations)
    assert declared["font-family"] == '"A B"'
    assert declared["unicode-range"] == "U+0-FF"
    assert [url.address for url in face.urls] == ["e.woff2", "f.ttf"]
    assert text[face.start : face.end].startswith("@font-face")
    assert text[face.end :] == " b{}"
    assert urls(text) == []


def test_what_is_never_closed_ends_with_the_text() -> None:
    assert [url.address for url in css_references("@font-face { src: url(a.woff2)").fonts[0].urls] == [
        "a.woff2"
    ]
    assert urls("a{b:url(c.png)} /* open url(d.png)") == [("c.png", "url(c.png)")]


@given(st.text(alphabet="</STYLEstyle>\\'\" x"))
def test_no_style_sheet_can_end_its_element(text: str) -> None:
    safe = safe_style(text)
    assert not re.search("</style", safe, re.IGNORECASE)
    assert safe.replace("<\\/", "</") == text.replace("<\\/", "</")
