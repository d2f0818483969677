"""One document from a folder: every kind of reference, what stays untouched, and what is refused."""

from __future__ import annotations

import base64
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from view_folders import inlined, raw_texts, start_tags, written

from fanlight.errors import ConfigError
from fanlight.server.inline import inline_folder

PNG = "data:image/png;base64," + base64.b64encode(b"P").decode()
SPRITE = (
    '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"><symbol id="s"><path/></symbol></svg>'
)


def test_everything_that_names_no_file_stays_byte_for_byte(tmp_path: Path) -> None:
    page = (
        "<!doctype html>\r\n<HTML lang = en><!-- <img src=x.png> -->"
        "<script>if (a<b) '<img src=y.png>'</script>"
        "<img SRC='https://example.com/a.png' srcset=\"//example.com/b.png 2x\"><a href=other.html>x</a>"
        "<link rel=canonical href=x><link rel=stylesheet href=https://example.com/a.css>"
        "<noscript><img src=z></noscript><script src=https://example.com/a.js integrity=x></script>"
        "<script type=text/template src=t><img></script>"
        "<use href='#a'/><img src=''><img><iframe src=about:blank></iframe><p style='color: red'>\0\xa0&nbsp;"
    )
    bundle = inline_folder(written(tmp_path, {"index.html": page}))
    assert bundle.html == page
    assert [file.name for file in bundle.files] == ["index.html"]


@given(
    st.text(alphabet="<>/!-='\" abscriptylemgs\n&;", max_size=60).map(lambda text: text.replace("src", "s"))
)
def test_whatever_a_page_without_files_says_is_not_changed(text: str) -> None:
    with tempfile.TemporaryDirectory() as root:
        folder = written(Path(root), {"index.html": f"<!doctype html><p>{text}"})
        try:
            html = inline_folder(folder).html
        except ConfigError:
            assert "<script" in text
        else:
            assert html == f"<!doctype html><p>{text}"


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<img src=p.png>", f'<img src="{PNG}">'),
        ("<img src='./p.png?v=1' alt>", f'<img src="{PNG}" alt>'),
        ('<img srcset="p.png 1x, /p.png 2x, //example.com/q.png">',
         f'<img srcset="{PNG} 1x, {PNG} 2x, //example.com/q.png">'),
        ("<picture><source srcset=p.png></picture>", f'<picture><source srcset="{PNG}"></picture>'),
        ("<video poster=p.png src=p.png></video>", f'<video poster="{PNG}" src="{PNG}"></video>'),
        ("<input type=image src=p.png>", f'<input type=image src="{PNG}">'),
        ("<svg><image href=p.png /></svg>", f'<svg><image href="{PNG}" /></svg>'),
        ("<svg><image xlink:href='p.png'/></svg>", f"<svg><image xlink:href=\"{PNG}\"/></svg>"),
        ("<link rel='shortcut icon' href=p.png>", f"<link rel='shortcut icon' href=\"{PNG}\">"),
        ("<link rel=preload as=image href=p.png>x", "x"),
        ("<template><img src={{a}} srcset='{{b}} 2x'></template>",) * 2,
        ("<template><img src=p.png></template>", f'<template><img src="{PNG}"></template>'),
    ],
)  # fmt: skip
def test_pictures_and_media_become_data(tmp_path: Path, markup: str, expected: str) -> None:
    assert inlined(tmp_path, {"index.html": markup, "p.png": b"P"}) == expected


def test_a_style_sheet_keeps_the_attributes_that_a_style_has(tmp_path: Path) -> None:
    page = '<LINK media="print" rel="StyleSheet" type=text/css crossorigin href="a.css" id=x data-y=\'z\'/>'
    html = inlined(tmp_path, {"index.html": page, "a.css": "a{b:'</STYLE>'}"})
    assert html == "<style media=\"print\" id=x data-y='z'>a{b:'<\\/STYLE>'}</style>"


def test_another_page_of_the_folder_may_be_the_entry(tmp_path: Path) -> None:
    folder = written(tmp_path, {"pages/a.html": "<img src=../p.png>", "p.png": b"P"})
    bundle = inline_folder(folder, "pages/a.html")
    assert bundle.html == f'<img src="{PNG}">'
    assert bundle.files == (folder / "pages/a.html", folder / "p.png")


def test_a_sprite_comes_into_the_document_because_use_loads_no_data(tmp_path: Path) -> None:
    page = "<body><svg><use href='i.svg#s'/></svg><svg><use xlink:href=i.svg#s /></svg></body>"
    html = inlined(tmp_path, {"index.html": page, "i.svg": SPRITE})
    assert html.startswith(
        '<body><svg><use href="#s"/></svg><svg><use xlink:href="#s" /></svg><svg aria-hidden'
    )
    assert html.count('<symbol id="s">') == 1
    assert "<?xml" not in html
    assert html.endswith("</svg></svg>\n</body>")


def test_sprites_may_use_other_files_and_each_other(tmp_path: Path) -> None:
    first = '<svg><g id="a"><image href="p.png"/><use href="sub/b.svg#b"/></g></svg>'
    second = '<svg><g id="b"><use href="../a.svg#a"/></g></svg>'
    page = "<svg><use href='a.svg#a'/></svg>"
    html = inlined(tmp_path, {"index.html": page, "a.svg": first, "sub/b.svg": second, "p.png": b"P"})
    assert f'<image href="{PNG}"/><use href="#b"/>' in html
    assert '<g id="b"><use href="#a"/>' in html
    assert len(start_tags(html, "g")) == 2


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"index.html": "<p>\n <img src=x.png>"}, r"^view/index\.html:2:7: there is no file view/x\.png"),
        ({"index.html": "<iframe src=a.html></iframe>", "a.html": ""}, r"1:9: a view may not frame files"),
        ({"index.html": "<object data=a.svg></object>", "a.svg": ""}, r"1:9: a view may not frame files"),
        ({"index.html": "<base href=/x/>"}, r"1:1: <base href> moves every address"),
        ({"index.html": "<link rel='alternate stylesheet' href=a.css>", "a.css": ""}, "switched on later"),
        ({"index.html": "<link rel=stylesheet disabled href=a.css>", "a.css": ""}, "switched on later"),
        ({"index.html": "<svg><use href=i.svg#t></svg>", "i.svg": SPRITE}, r"1:11: .*no id 't'; it has: s"),
        ({"index.html": "<svg><use href=i.svg></svg>", "i.svg": SPRITE}, "no id ''"),
        (
            {"index.html": "<p id=s><svg><use href=i.svg#s></svg>", "i.svg": SPRITE},
            "id 's', which the page has too",
        ),
        ({"index.html": "<script src=a.js>", "a.js": ""}, r"1:1: this <script> is never closed"),
        ({"index.html": "<script src=a.tsx></script>", "a.tsx": ""}, r"1:9: browsers do not run \.tsx files"),
        ({"index.html": b"<p>\xff"}, r"view/index\.html is not UTF-8"),
        ({"other.html": ""}, r"there is no file view/index\.html"),
    ],
)
def test_what_cannot_be_inlined_is_told_with_place_and_remedy(
    tmp_path: Path, files: dict[str, str | bytes], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        inlined(tmp_path, files)


def test_an_entry_of_elsewhere_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is no file of the folder"):
        inline_folder(written(tmp_path, {"a": ""}), "https://example.com/")


def test_a_script_keeps_its_attributes_and_gets_the_name_of_its_file(tmp_path: Path) -> None:
    page = "<script id=x src='js/a b.js' integrity=sha256-x data-y=1></script>"
    html = inlined(tmp_path, {"index.html": page, "js/a b.js": "\ufeffa = '</script>'"})
    assert html == "<script id=x data-y=1>a = '<\\/script>'\n//# sourceURL=js/a%20b.js\n</script>"


@pytest.mark.parametrize("waits", ["defer", "async"])
def test_a_script_that_waits_for_the_document_goes_to_its_end(tmp_path: Path, waits: str) -> None:
    page = f"<head><script {waits} src=a.js></script></head><body><p></body></html>"
    html = inlined(tmp_path, {"index.html": page, "a.js": "1"})
    assert html == "<head></head><body><p><script>1\n//# sourceURL=a.js\n</script>\n</body></html>"


@given(
    st.lists(
        st.sampled_from(["</script>", "<!--", "<script>", "-->", "'", "\\'", "//", "\n", "x"]), max_size=8
    ).map("".join)
)
def test_no_file_can_leave_the_script_that_it_becomes(text: str) -> None:
    with tempfile.TemporaryDirectory() as root:
        files: dict[str, str | bytes] = {"index.html": "<script src=a.js></script><p>after", "a.js": text}
        try:
            html = inline_folder(written(Path(root), files)).html
        except ConfigError:
            return  # not JavaScript at all, which is told
    (script,) = raw_texts(html, "script")
    assert html == f"<script>{script}</script><p>after"
    assert script.endswith("//# sourceURL=a.js\n")
