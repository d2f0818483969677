"""Style sheets come with what they import, and mean the same."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from view_folders import inlined, raw_texts, written

from fanlight.errors import ConfigError
from fanlight.server.inline import inline_folder

PNG = "data:image/png;base64," + base64.b64encode(b"P").decode()
LINK = '<!doctype html><link rel="stylesheet" href="css/a.css">'


def css(root: Path, **sheets: str) -> str:
    """What the link to `css/a.css` became, without empty lines."""
    files: dict[str, str | bytes] = {f"css/{name}.css": text for name, text in sheets.items()}
    (text,) = raw_texts(inlined(root, {"index.html": LINK, "p.png": b"P", **files}), "style")
    return " ".join(text.split())


def test_pictures_become_data_wherever_an_address_stands(tmp_path: Path) -> None:
    elsewhere = "c{d:url(https://example.com/e.png) url(#f)}"
    text = f"a{{b:url(../p.png),url('/p.png'),image-set('../p.png' 1x)}} {elsewhere}"
    expected = f"a{{b:url({PNG}),url({PNG}),image-set(url({PNG}) 1x)}}"
    assert css(tmp_path, a=text) == f"{expected} {elsewhere}"


@pytest.mark.parametrize(
    ("conditions", "before", "after"),
    [
        ("", "", ""),
        (" screen and (width > 5px)", "@media screen and (width > 5px) { ", " }"),
        (" layer", "@layer { ", " }"),
        (" layer(x.y)", "@layer x.y { ", " }"),
        (" supports(display: grid)", "@supports (display: grid) { ", " }"),
        (" supports((a: b) and (c: d))", "@supports (a: b) and (c: d) { ", " }"),
        (" supports(not (a: b)) /* c */ print", "@media print { @supports not (a: b) { ", " } }"),
        (" layer(x) print", "@media print { @layer x { ", " } }"),
    ],
)
def test_an_import_keeps_its_conditions(tmp_path: Path, conditions: str, before: str, after: str) -> None:
    found = css(tmp_path, a=f"@import 'b.css'{conditions}; c{{}}", b="b{}")
    assert found == f"{before}b{{}}{after} c{{}}"


def test_addresses_in_an_imported_sheet_belong_to_it(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "index.html": '<link rel=stylesheet href="a.css">',
        "a.css": "@import 'deep/er/b.css'",
        "deep/er/b.css": "b{c:url(../p.png)}",
        "deep/p.png": b"P",
    }
    assert f"url({PNG})" in inlined(tmp_path, files)


def test_a_sheet_that_is_imported_twice_is_there_twice(tmp_path: Path) -> None:
    assert (
        css(tmp_path, a="@import 'b.css'; @import 'c.css'; @import 'b.css';", b="b{}", c="c{}")
        == "b{} c{} b{}"
    )


def test_charset_goes_and_layers_may_stand_before_imports(tmp_path: Path) -> None:
    found = css(tmp_path, a='@charset "utf-8"; @layer x, y; /* z */ @import "b.css" layer(x);', b="b{}")
    assert found == "@layer x, y; /* z */ @layer x { b{} }"


def test_an_import_of_another_origin_stays_when_it_comes_first(tmp_path: Path) -> None:
    remote = "@import url(https://example.com/f.css);"
    assert css(tmp_path, a=f"{remote} @import 'b.css';", b="b{}") == f"{remote} b{{}}"
    assert css(tmp_path, a="@import 'b.css'; c{}", b=f"{remote} b{{}}") == f"{remote} b{{}} c{{}}"


@pytest.mark.parametrize(
    ("sheets", "said"),
    [
        (
            {"a": "@import 'b.css'; @import '//example.com/c.css';", "b": "b{}"},
            r"css/a\.css:1:18: .*put it first",
        ),
        (
            {"a": "@import 'b.css' print;", "b": "@import '//example.com/c.css';"},
            r"css/b\.css:1:1: .*put it first",
        ),
        ({"a": "x{}\n@import 'b.css';", "b": ""}, r"css/a\.css:2:1: .*move it to the top"),
        (
            {"a": "@import 'b.css';", "b": "\n@import 'a.css';"},
            r"css/b\.css:2:1: .*a\.css → view/css/b\.css → view",
        ),
        ({"a": "@import 'a.css';"}, r"css/a\.css:1:1: style sheets import each other"),
        ({"a": "@import 'none.css';"}, r"css/a\.css:1:9: there is no file view/css/none\.css"),
        ({"a": "a{}\nb{c:url(../../d.png)}"}, r"css/a\.css:2:5: '\.\./\.\./d\.png' leads out"),
        ({"a": "@import 'b.css'; @namespace url(x);", "b": "b{}"}, "@namespace cannot follow"),
    ],
)
def test_what_cannot_be_joined_is_told_with_its_place(
    tmp_path: Path, sheets: dict[str, str], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        css(tmp_path, **sheets)


def test_imports_that_double_the_text_each_time_end_in_an_error_and_soon(tmp_path: Path) -> None:
    sheets = {
        f"s{number}": f"@import 's{number + 1}.css'; @import 's{number + 1}.css';" for number in range(40)
    }
    with pytest.raises(ConfigError, match="more than"):
        css(tmp_path, a="@import 's0.css';", s40="x{}", **sheets)


def test_styles_of_the_page_itself_are_joined_too(tmp_path: Path) -> None:
    page = "<style>@import 'b.css'; a{b:url(p.png)}</style><p style='c:url(\"p.png\")'><p style='c: d'>"
    html = inlined(tmp_path, {"index.html": page, "b.css": "b{}", "p.png": b"P"})
    assert html == f"<style>b{{}}\n a{{b:url({PNG})}}</style><p style=\"c:url({PNG})\"><p style='c: d'>"


def test_an_error_in_a_style_of_the_page_has_the_place_in_the_page(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^view/index\.html:2:5: there is no file view/x\.png"):
        inlined(tmp_path, {"index.html": "<style>\na{b:url(x.png)}</style>"})


FACE = '@font-face { font-family: "My Font"; src: %s; font-weight: 700; src-note: x }'


def test_a_font_of_the_folder_is_added_by_a_script_because_policies_forbid_data_fonts(tmp_path: Path) -> None:
    sheet = FACE % "local('Mine'), url(f.ttf), url(f.woff2) format('woff2'), url(https://example.com/f.woff)"
    page = f"<style>{sheet}\na{{}}</style>"
    folder = written(tmp_path, {"index.html": page, "f.ttf": b"T", "f.woff2": b"W"})
    bundle = inline_folder(folder)
    (script,) = raw_texts(bundle.html, "script")
    data = base64.b64encode(b"W").decode()
    assert f'["My Font","{data}",{{"weight":"700"}}]' in script
    assert "new FontFace(" in script
    assert raw_texts(bundle.html, "style") == ["\na{}"]
    assert [file.name for file in bundle.files] == ["index.html", "f.woff2"]


def test_the_same_font_is_added_once(tmp_path: Path) -> None:
    face = FACE % "url(f.woff2)"
    html = inlined(tmp_path, {"index.html": f"<style>{face}{face}</style>", "f.woff2": b"W"})
    assert html.count('"My Font"') == 1


@pytest.mark.parametrize(
    "source", ["url(https://example.com/f.woff2)", "local('Arial')", "url(data:font/woff2,x)"]
)
def test_a_font_from_elsewhere_stays_as_it_is(tmp_path: Path, source: str) -> None:
    page = f"<style>{FACE % source}</style>"
    assert inlined(tmp_path, {"index.html": page}) == page


def test_a_font_file_that_no_browser_reads_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"f\.eot is no font that browsers read; use \.woff2"):
        inlined(tmp_path, {"index.html": f"<style>{FACE % 'url(f.eot)'}</style>", "f.eot": b"E"})
