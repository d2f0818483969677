"""Tags, attributes and raw texts stand where a browser's tokenizer finds them."""

from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanlight.server.html_tokens import (
    Comment,
    Doctype,
    EndTag,
    StartTag,
    Text,
    quote_attribute,
    tokens,
)


def raw_texts(text: str) -> list[tuple[str, str, bool]]:
    found = [token for token in tokens(text) if isinstance(token, Text) and token.of]
    return [(token.of, text[token.start : token.end], token.closed) for token in found]


def first_tag(text: str) -> StartTag:
    return next(token for token in tokens(text) if isinstance(token, StartTag))


@given(st.text(alphabet="<>/!-=\"' abs&;?[]CDATscriptylemvgx\n"))
def test_tokens_cover_the_whole_text_without_gaps(text: str) -> None:
    at = 0
    for token in tokens(text):
        assert token.start == at < token.end
        at = token.end
    assert at == len(text)


def test_a_page_is_cut_into_its_tokens() -> None:
    text = "<!DOCTYPE html><!-- x --><P Class=a>one</p>"
    kinds = [type(token) for token in tokens(text)]
    assert kinds == [Doctype, Comment, StartTag, Text, EndTag]
    assert [token.name for token in tokens(text) if isinstance(token, Doctype | StartTag | EndTag)] == [
        "html", "p", "p",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("tag", "value", "raw"),
    [
        ('<a href="x y">', "x y", '"x y"'),
        ("<a href='x\"y'>", 'x"y', "'x\"y'"),
        ("<a href=x/y>", "x/y", "x/y"),
        ("<a href = x>", "x", "x"),
        ("<a\nHREF\n=\n'x'>", "x", "'x'"),
        ("<a/href=x/>", "x/", "x/"),
        ("<a href>", "", ""),
        ("<a href=>", "", ""),
        ("<a href=a href=b>", "a", "a"),
        ('<a href="a&amp;b&#38;c&#x26;d&lt">', "a&b&c&d<", '"a&amp;b&#38;c&#x26;d&lt"'),
        ('<a href="?a=1&copy=2&notit;&copy">', "?a=1&copy=2&notit;©", '"?a=1&copy=2&notit;&copy"'),
    ],
)
def test_an_attribute_has_its_decoded_value_and_its_place(tag: str, value: str, raw: str) -> None:
    attribute = first_tag(tag).attribute("href")
    assert attribute is not None
    assert attribute.value == value
    assert tag[attribute.value_start : attribute.end] == raw


def test_an_attribute_that_is_not_there_is_none() -> None:
    assert first_tag("<a b=c>").attribute("href") is None
    assert first_tag("<a b=c>").value("href") is None


@given(st.text())
def test_a_quoted_value_reads_back_as_it_was(value: str) -> None:
    assert first_tag(f"<a title={quote_attribute(value)}>").value("title") == value


@pytest.mark.parametrize(
    ("text", "content", "closed"),
    [
        ("<script>a</script>b", "a", True),
        ("<script>'</scripty>'</SCRIPT >", "'</scripty>'", True),
        ("<script><!-- </script>", "<!-- ", True),
        ("<script><!-- <script> </script> --></script>", "<!-- <script> </script> -->", True),
        ("<script><!--><script></script>", "<!--><script>", True),
        ("<script><!-- <script> --> </script>", "<!-- <script> --> ", True),
        ("<script><!-- <script> </script>", "<!-- <script> </script>", False),
        ("<script>a", "a", False),
        ("<style>a<b</style>", "a<b", True),
        ("<title>a<b></title>", "a<b>", True),
        ("<textarea><p></textarea>", "<p>", True),
        ("<noscript><img></noscript>", "<img>", True),
    ],
)
def test_a_raw_text_ends_where_a_browser_ends_it(text: str, content: str, closed: bool) -> None:
    ((_, found, ended),) = raw_texts(text)
    assert (found, ended) == (content, closed)


def test_plaintext_has_no_end() -> None:
    assert raw_texts("<plaintext>a</plaintext>") == [("plaintext", "a</plaintext>", False)]


@pytest.mark.parametrize(
    ("text", "closed"),
    [("<!-- a -->", True), ("<!-->", True), ("<!--->", True), ("<!-- a --!>", True), ("<!-- a ->", False),
     ("<!x>", True), ("<?xml?>", True), ("</ x>", True), ("</é>", True)],
)  # fmt: skip
def test_comments_and_what_browsers_take_for_them(text: str, closed: bool) -> None:
    (token,) = tokens(text)
    assert isinstance(token, Comment)
    assert token.closed is closed


@pytest.mark.parametrize("text", ["<a b", '<a b="c>d', "<a "])
def test_a_tag_that_the_document_ends_in_is_not_closed(text: str) -> None:
    (token,) = tokens(text)
    assert isinstance(token, StartTag)
    assert not token.closed


def test_in_svg_a_slash_closes_and_character_data_is_text() -> None:
    text = "<svg><style/><title/><g><![CDATA[<b>]]></g></svg><p>"
    names = [token.name for token in tokens(text) if isinstance(token, StartTag)]
    assert names == ["svg", "style", "title", "g", "p"]
    inside = "<svg/><style/>a</style>"
    assert raw_texts(inside) == [("style", "a", True)]
    assert raw_texts("<svg><foreignObject><style/>a</style></foreignObject></svg>") == [("style", "a", True)]


@given(st.text(alphabet=st.characters(exclude_characters="\r\0", exclude_categories=["Cs"])))
def test_escaped_text_is_one_token(text: str) -> None:
    found = list(tokens(f"<p>{html.escape(text)}</p>"))
    assert [type(token) for token in found] == ([StartTag, Text, EndTag] if text else [StartTag, EndTag])
