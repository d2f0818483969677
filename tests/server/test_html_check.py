"""What surely breaks a view is found, and what browsers show all the same is not."""

from __future__ import annotations

import pytest

from fanlight.runtime import read_asset
from fanlight.server.embedding import embed_data, embed_runtime
from fanlight.server.html_check import html_problems

HEAD = "<!doctype html>\n"


@pytest.mark.parametrize(
    ("html", "place", "said"),
    [
        ("", (1, 1), "the document is empty"),
        ("  \n<!-- x -->", (1, 1), "the document is empty"),
        ("\n <p>Hello", (2, 2), "not an HTML5 document; begin it with <!doctype html>"),
        ('{"html": 1}', (1, 1), "not an HTML5 document"),
        ("<!doctype svg>", (1, 1), "not an HTML5 document"),
        (f"{HEAD}<p><script>let a", (2, 4), "<script> is never closed and swallows the rest; write </"),
        (f"{HEAD}<script src=x />\n<p>", (2, 1), "<script> is never closed"),
        (f"{HEAD}<style>a{{}}", (2, 1), "<style> is never closed"),
        (f"{HEAD}<title>x<body>", (2, 1), "<title> is never closed"),
        (f"{HEAD}<textarea>x", (2, 1), "<textarea> is never closed"),
        (
            f'{HEAD}<script>\nshow("<b></script>");\n</script>\n<p>',
            (4, 1),
            "this </script> ends nothing: a string in the script above has one (line 3); "
            "write <\\/script> there",
        ),
        (
            f"{HEAD}<style>a::after{{content:'</style>'}}</style>",
            (2, 36),
            "this </style> ends nothing: a string",
        ),
        (f"{HEAD}<scirpt>go()</script>", (2, 13), "this </script> ends nothing: its start tag is missing"),
        (f"{HEAD}<p><!-- x", (2, 4), "this comment is never closed"),
        (f"{HEAD}<template><p>", (2, 1), "<template> is never closed"),
        (f'{HEAD}<p class="x>\n', (2, 1), "the tag <p is never closed; add the missing quote"),
        (f"{HEAD}<base href=/x>", (2, 1), "<base href>"),
        (f"{HEAD}<frameset>", (2, 1), "a <frameset>"),
        (f"{HEAD}<meta http-equiv='Refresh' content=1>", (2, 1), "a refresh ends the view"),
    ],
)
def test_each_fault_has_its_place_and_remedy(html: str, place: tuple[int, int], said: str) -> None:
    """Holds: R05."""
    (problem,) = html_problems(html, "view.html")
    assert (problem.line, problem.column) == place
    assert str(problem).startswith(f"view.html:{place[0]}:{place[1]}: {said}")


@pytest.mark.parametrize(
    "html",
    [
        "<!DOCTYPE HTML>",
        "<!-- licence -->\n<!doctype html><p>One<p>Two<ul><li>x",
        f"{HEAD}<svg><title/><style/><path/></svg><br/><div/>",
        f"{HEAD}<p id=a><p id=a><b><i></b></i></section>",
        f"{HEAD}<script>'<script>'</script><template><template></template></template>",
        f"{HEAD}<script></script><style></STYLE ><svg><style>a</style><script>b</script></svg>",
        f"{HEAD}<!-- </script> --><p title='</script>'><textarea></script></textarea>",
        f"{HEAD}<script>a = '<\\/script>'</script><script>b = '<!--<script></script>'</script>",
        f"{HEAD}<base target=_blank><base href=https://example.com/><meta http-equiv=x content=y>",
        f"{HEAD}<img src=a.png><script src=b.js></script>",
    ],
)
def test_what_a_browser_shows_is_no_problem(html: str) -> None:
    assert html_problems(html) == []


def test_faults_come_in_the_order_of_the_document() -> None:
    html = "<p>\n<template>\n<base href=x>\n<script>"
    assert [problem.line for problem in html_problems(html)] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("markup", "said"),
    [
        ("<script src=app.js></script>", "2:9: <script src> names the file 'app.js', which a lone document"),
        ("<link rel=stylesheet href=./a.css>", "use AppResource.folder"),
        ("<img src=/a.png>", "names the file '/a.png'"),
        ("<style>a{b:url(c.png)}</style>", "url() in <style> names the file 'c.png'"),
        ("<script type=module>import './a.js'</script>", "import names the file './a.js'"),
        ("<script type=module>import 'lit'</script>", "import names the file 'lit'"),
        (
            "<script>fetch('/api')</script>",
            "fetch() of '/api' finds no server in a view; call a tool instead",
        ),
    ],
)
def test_a_document_alone_has_no_files_and_no_server(markup: str, said: str) -> None:
    assert html_problems(HEAD + markup) == []
    (problem,) = html_problems(HEAD + markup, alone=True)
    assert said in str(problem)


@pytest.mark.parametrize(
    "markup",
    [
        "<img src=https://example.com/a.png><img src=//example.com/a><img src=data:,x><img src=''>",
        '<script type=importmap>{"imports": {"a": "https://example.com/a.js"}}</script>'
        "<script type=module>import 'a'</script>",
        "<script>fetch(x); fetch(`${base}/a`); const s = './a.png'</script><a href=b.html>",
        "<script>store.fetch('items'); sheets.import('a'); dialog.open('get', 'b'); fetch('ht' + x)</script>",
        "<template><img src='{{avatar}}'><p style='a:url({{b}})'></p></template>",
    ],
)
def test_a_document_alone_may_have_everything_else(markup: str) -> None:
    assert html_problems(HEAD + markup, alone=True) == []


def test_what_the_kit_puts_in_is_no_problem() -> None:
    page = embed_runtime(embed_data(f"{HEAD}<p>x", {"a": "</script>"}))
    assert read_asset("view.js").decode()[:20] in page
    assert html_problems(page, alone=True) == []
