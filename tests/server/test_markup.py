"""Values in HTML are escaped for the place they stand in, or refused where no escaping helps."""

from __future__ import annotations

import html as html_module
import sys
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanlight.errors import ConfigError
from fanlight.server.embedding import Markup, html, markup, template
from fanlight.server.html_tokens import StartTag, Text, tokens


@given(st.text())
def test_text_comes_back_as_it_was_and_makes_no_element(value: str) -> None:
    page = html(template("<p>{value}</p>", value=value))
    found = list(tokens(page))
    assert [token.name for token in found if isinstance(token, StartTag)] == ["p"]
    texts = "".join(page[token.start : token.end] for token in found if isinstance(token, Text))
    assert html_module.unescape(texts) == html_module.unescape(html_module.escape(value))


@given(st.text(), st.sampled_from("'\""))
def test_an_attribute_comes_back_as_it_was(value: str, quote: str) -> None:
    page = html(template("<p title={q}{value}{q}>".replace("{q}", quote), value=value))
    (tag,) = tokens(page)
    assert isinstance(tag, StartTag)
    assert [attribute.name for attribute in tag.attributes] == ["title"]
    assert tag.value("title") == html_module.unescape(html_module.escape(value))


def test_what_is_trusted_stays_what_it_is() -> None:
    bold = markup("<b>&amp;</b>")
    assert html(template("<p>{a}{b}</p>", a=bold, b="<b>")) == "<p><b>&amp;</b>&lt;b&gt;</p>"
    assert isinstance(html(template("x")), Markup)
    assert html(template("{a}", a=html(template("<i>{x}</i>", x="<")))) == "<i>&lt;</i>"


def test_trusted_markup_cannot_end_an_attribute() -> None:
    assert (
        html(template('<p title="{a}">', a=markup("\"'<b>&amp;"))) == '<p title="&quot;&#x27;&lt;b&gt;&amp;">'
    )


def test_lists_nothing_and_templates_in_templates() -> None:
    rows = [template("<li>{x}</li>", x=x) for x in ("<", 2)]
    assert html(template("<ul>{rows}</ul>{none}", rows=rows, none=None)) == "<ul><li>&lt;</li><li>2</li></ul>"
    assert html(template("{a}", a=(letter for letter in "<>"))) == "&lt;&gt;"
    assert html(template("{a}", a={"<": 1})) == "{&#x27;&lt;&#x27;: 1}"


def test_conversions_and_formats_work_as_in_f_strings() -> None:
    assert html(template("{a!r:>6}|{b:.1f}|{c.real}", a="<", b=1.25, c=3)) == "   &#x27;&lt;&#x27;|1.2|3"


def test_titles_and_text_areas_are_text() -> None:
    assert html(template("<title>{a}</title>", a="</title>")) == "<title>&lt;/title&gt;</title>"


def test_braces_of_the_page_are_doubled() -> None:
    page = template("<style>a {{ b: c }}</style>{x}", x=1)
    assert html(page) == "<style>a { b: c }</style>1"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<script>let a = {x}</script>", "use json_script"),
        ("<style>a {{ b: {x} }}</style>", "inside <style>"),
        ("<!-- {x} -->", "comment"),
        ("<p title={x}>", "title={x} needs quotes"),
        ("<p {x}>", "name of a tag or an attribute"),
        ("<p {x}='a'>", "name of a tag or an attribute"),
        ("<p-{x}>", "name of a tag or an attribute"),
        ("</{x}>", "comment or an end tag"),
        ("<p onclick='f({x})'>", "onclick= runs its value"),
        ("<iframe srcdoc='{x}'>", "srcdoc= runs its value"),
    ],
)
def test_a_place_that_cannot_be_made_safe_takes_no_value(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        html(template(text, x="value"))


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", " JaVa\nScript:x", "vbscript:x", "data:text/html,x"]
)
def test_an_address_that_would_run_is_refused(address: str) -> None:
    with pytest.raises(ConfigError, match="would run as a script"):
        html(template('<a href="{a}">', a=address))
    with pytest.raises(ConfigError, match="would run as a script"):
        html(template('<a href="{a}{b}">', a=address[:4], b=address[4:]))


def test_other_addresses_and_plain_styles_are_taken() -> None:
    assert html(template('<a href="{u}">', u="javascript-guide.html")) == '<a href="javascript-guide.html">'
    assert (
        html(template('<a href="{a}">', a="https://x.test/?a=1&b")) == '<a href="https://x.test/?a=1&amp;b">'
    )
    assert html(template('<p style="width: {a}%">', a=5.5)) == '<p style="width: 5.5%">'


@pytest.mark.parametrize("value", ["1; background: url(//x)", "expression(x)", "}"])
def test_a_style_takes_plain_values_only(value: str) -> None:
    with pytest.raises(ConfigError, match="numbers, names or colours"):
        html(template('<p style="width: {a}">', a=value))


def test_a_plain_string_is_refused_because_it_may_be_an_f_string() -> None:
    with pytest.raises(ConfigError, match=r"html\(\) got a str: .*markup\(\)"):
        html("<p>")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "said"),
    [("{a}", "no value for 'a'"), ("{", "brace"), ("{0}", "no value"), ("{b.c}", "no value")],
)
def test_a_template_that_lacks_something_says_so(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        template(text, b=1)


def test_the_templates_of_the_language_are_taken_as_they_are() -> None:
    """PEP 750: anything with strings and interpolations. On Python 3.14 a real t-string is tried too."""

    @dataclass
    class Interpolation:
        value: object
        expression: str = "x"
        conversion: str | None = None
        format_spec: str = ""

    @dataclass
    class Template:
        strings: tuple[str, ...]
        interpolations: tuple[Any, ...]

    found: list[Any] = [Template(("<p>", "</p>"), (Interpolation("<b>"),))]
    if sys.version_info >= (3, 14):
        found.append(eval("t'<p>{x}</p>'", {"x": "<b>"}))
    assert {html(one) for one in found} == {"<p>&lt;b&gt;</p>"}


def test_characters_that_mark_values_inside_may_be_in_the_page() -> None:
    assert html(template("\ue0000\ue000{a}", a=1)) == "\ue0000\ue0001"
