"""Origins are found in markup, styles and scripts, and compared with what is declared."""

from __future__ import annotations

from pathlib import Path

import pytest
from view_folders import inlined

from fanlight.sandbox import view_policy
from fanlight.server.csp_inference import csp_lines, csp_problems, infer_csp

CONNECT, RESOURCE, FRAME, BASE = "connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"


@pytest.mark.parametrize(
    ("markup", "field", "origin"),
    [
        ("<script src=https://cdn.test/a.js></script>", RESOURCE, "https://cdn.test"),
        ("<img src='//IMG.test:443/a.png'>", RESOURCE, "https://img.test"),
        ("<img srcset='a.png 1x, http://img.test:8080/b.png 2x'>", RESOURCE, "http://img.test:8080"),
        ("<link rel=stylesheet href=https://cdn.test/a.css>", RESOURCE, "https://cdn.test"),
        ("<link rel=preload as=fetch href=https://api.test/a>", CONNECT, "https://api.test"),
        ("<video poster=https://v.test/a.png></video>", RESOURCE, "https://v.test"),
        ("<iframe src=https://f.test/x></iframe>", FRAME, "https://f.test"),
        ("<base href=https://b.test/>", BASE, "https://b.test"),
        ("<p style='a:url(https://s.test/a.png)'>", RESOURCE, "https://s.test"),
        ("<style>@import 'https://s.test/a.css';</style>", RESOURCE, "https://s.test"),
        ("<style>@font-face{src:url(https://s.test/a.woff2)}</style>", RESOURCE, "https://s.test"),
        ("<svg><image href=https://s.test/a.png /></svg>", RESOURCE, "https://s.test"),
        ("<script>fetch('https://api.test/a?b')</script>", CONNECT, "https://api.test"),
        ("<script>fetch(`https://api.test/${id}`)</script>", CONNECT, "https://api.test"),
        ("<script>fetch('https://api.test/' + id)</script>", CONNECT, "https://api.test"),
        ("<script>self.fetch('https://api.test', {})</script>", CONNECT, "https://api.test"),
        (
            "<script>const x = new XMLHttpRequest(); x.open('get', 'https://api.test/')</script>",
            CONNECT,
            "https://api.test",
        ),
        (
            "<template shadowrootmode=open><img src=https://img.test/a></template>",
            RESOURCE,
            "https://img.test",
        ),
        ("<script>new WebSocket('wss://ws.test/s')</script>", CONNECT, "wss://ws.test"),
        ("<script>new EventSource('https://e.test')</script>", CONNECT, "https://e.test"),
        ("<script>navigator.sendBeacon('https://e.test')</script>", CONNECT, "https://e.test"),
        ("<script>import('https://cdn.test/a.js')</script>", RESOURCE, "https://cdn.test"),
        ("<script type=module>import a from 'https://cdn.test/a.js'</script>", RESOURCE, "https://cdn.test"),
    ],
)
def test_what_is_surely_loaded_needs_its_field(markup: str, field: str, origin: str) -> None:
    inferred = infer_csp(markup)
    assert inferred.domains() == {field: [origin]}
    applied = view_policy(inferred.domains(), frame_ancestors="'none'").applied
    assert applied == inferred.domains()


@pytest.mark.parametrize(
    "markup",
    [
        "<a href=https://example.com/>x</a>",
        "<img src=a.png><img src=data:,x><script src=a.js></script>",
        "<link rel=canonical href=https://example.com/><link rel=preconnect href=https://example.com/>",
        "<!-- <img src=https://example.com/> --><noscript><img src=https://example.com/></noscript>",
        "<script>// fetch('https://example.com/')\n`see https://example.com/`</script>",
        "<script>createElementNS('http://example.com/ns', 'g'); a = 'http://www.w3.org/1999/xlink'</script>",
        "<script>fetch(`https://${host}/a`); fetch(`https://a.${zone}/`); fetch('/a'); fetch(x)</script>",
        "<script>fetch('https://api' + n + '.test/x'); new WebSocket(`wss://ws` + zone)</script>",
        "<script>let broken = '</script>",
        '<script type=application/json>{"a": "https://example.com/"}</script>',
        "<img src='https://[::1]/a.png'><img src='https://a b/c'><img src='https://x.test:99999/'>",
    ],
)
def test_what_is_not_loaded_needs_nothing(markup: str) -> None:
    assert infer_csp(markup).seen == ()


def test_an_address_that_stands_in_a_script_is_a_hint() -> None:
    html = (
        "<script>\nconst API = 'https://api.test/v1'; const tiles = 'https://{s}.tile.test/{z}.png'</script>"
    )
    inferred = infer_csp(html, "map.html")
    assert inferred.domains() == {}
    problems = csp_problems(inferred, None)
    assert [problem.hint for problem in problems] == [True, True]
    assert str(problems[0]) == (
        "map.html:2:13: an address in a script names https://api.test; if it is loaded, write "
        'csp={"connectDomains": ["https://api.test"]}'
    )
    assert problems[1].origin == "https://*.tile.test"
    for declared in ({CONNECT: ["https://api.test"]}, {RESOURCE: ["https://api.test"]}):
        assert [problem.origin for problem in csp_problems(inferred, declared)] == ["https://*.tile.test"]


@pytest.mark.parametrize(
    "markup",
    [
        "<script>store.fetch('https://api.test/a')</script>",
        "<script>db.open('get', 'https://api.test/a'); cards.import('https://api.test/a')</script>",
        "<script>function fetch(a) {} fetch('https://api.test/a')</script>",
        "<script type=module>import { fetch } from 'data:,x'; fetch('https://api.test/a')</script>",
        "<template><img src='https://api.test/a'><style>a{b:url(https://api.test/a)}</style></template>",
    ],
)
def test_what_only_looks_like_loading_is_a_hint(markup: str) -> None:
    inferred = infer_csp(markup)
    assert inferred.domains() == {}
    assert {problem.hint for problem in csp_problems(inferred, None)} == {True}


def test_what_is_missing_is_an_error_with_the_line_to_write() -> None:
    html = """<p>\n<script src='https://cdn.test/a.js'></script>
      <img src=https://img.test/b><img src=https://cdn.test/c>"""
    problems = csp_problems(infer_csp(html, "view.html"), {RESOURCE: ["https://old.test"]})
    errors = [problem for problem in problems if not problem.hint]
    assert [(problem.field, problem.origin) for problem in errors] == [
        (RESOURCE, "https://cdn.test"),
        (RESOURCE, "https://img.test"),
    ]
    line = '"resourceDomains": ["https://old.test", "https://cdn.test", "https://img.test"]'
    assert {problem.lines for problem in errors} == {f"{line},"}
    assert str(errors[0]) == (
        f"view.html:2:9: <script src> needs https://cdn.test, which csp= does not allow; write csp={{{line}}}"
    )


@pytest.mark.parametrize(
    ("declared", "address", "allowed"),
    [
        ("https://*.test.com", "https://a.b.test.com/x", True),
        ("https://*.test.com", "https://test.com/x", False),
        ("http://a.test", "https://a.test/x", True),
        ("https://a.test", "http://a.test/x", False),
        ("https://a.test", "https://a.test:444/x", False),
        ("https://a.test:*", "https://a.test:444/x", True),
        ("a.test.com", "https://a.test.com/x", True),
        ("not a source", "https://a.test.com/x", False),
    ],
)
def test_a_declaration_allows_what_browsers_let_it_allow(declared: str, address: str, allowed: bool) -> None:
    problems = csp_problems(infer_csp(f"<img src={address}>"), {RESOURCE: [declared]})
    assert any(not problem.hint for problem in problems) is not allowed


def test_the_field_counts_and_not_only_the_origin() -> None:
    inferred = infer_csp("<img src=https://a.test/x>")
    errors = [
        problem for problem in csp_problems(inferred, {CONNECT: ["https://a.test"]}) if not problem.hint
    ]
    assert [problem.field for problem in errors] == [RESOURCE]


def test_what_nothing_uses_is_a_hint_without_lines() -> None:
    (problem,) = csp_problems(infer_csp("<p>"), {CONNECT: ["https://a.test"], "frameDomains": None})
    assert (problem.hint, problem.field, problem.origin, problem.lines) == (
        True,
        CONNECT,
        "https://a.test",
        "",
    )
    assert "nothing in the view names it" in str(problem)


def test_the_whole_argument_can_be_copied() -> None:
    html = "<img src=https://b.test/x><script>fetch('https://a.test')</script>"
    text = csp_lines(infer_csp(html), {RESOURCE: ["https://old.test"]})
    assert text == (
        'csp={\n    "connectDomains": ["https://a.test"],\n'
        '    "resourceDomains": ["https://old.test", "https://b.test"],\n}'
    )
    given = eval(text.removeprefix("csp="))
    assert [problem for problem in csp_problems(infer_csp(html), given) if not problem.hint] == []


def test_in_an_inlined_document_the_place_is_the_place_in_the_file(tmp_path: Path) -> None:
    page = "<!doctype html>\n\n<script type=module src=js/a.js></script><script src=js/c.js></script>"
    html = inlined(tmp_path, {
        "index.html": page,
        "js/a.js": "import './b.js'\nimport 'https://cdn.test/x.js'",
        "js/b.js": "\n\n  fetch('https://b.test/')",
        "js/c.js": "\nfetch('https://c.test/')",
    })  # fmt: skip
    seen = {found.origin: f"{found.name}:{found.line}:{found.column}" for found in infer_csp(html).seen}
    assert seen["https://b.test"] == "js/b.js:3:9"
    assert seen["https://c.test"] == "js/c.js:2:7"
    assert infer_csp(html).domains()[RESOURCE] == ["https://cdn.test"]
