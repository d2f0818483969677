"""No script can end its element or hide its end, and it stays the same program."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanlight.errors import ConfigError
from fanlight.server.html_tokens import Text, tokens
from fanlight.server.js_tokens import js_tokens, string_value
from fanlight.server.script_data import script_json
from fanlight.server.script_text import safe_script, source_url
from fanlight.server.source_text import Source

PIECES = st.lists(
    st.sampled_from(
        ["</script>", "</SCRIPT ", "<!--", "-->", "<script>", "<", "/", "!", "-", "\\\\", "x", "]]>"]
    )
).map("".join)


def safe(text: str, *, module: bool = False) -> str:
    return safe_script(Source("a.js", text), module=module)


def element_text(script: str) -> str:
    (text,) = [token for token in tokens(f"<script>{script}</script>") if isinstance(token, Text)]
    return f"<script>{script}</script>"[text.start : text.end]


@given(PIECES, st.sampled_from("'\"`"))
def test_a_string_keeps_its_value_and_cannot_leave_its_element(value: str, quote: str) -> None:
    script = safe(f"a = {quote}{value}{quote}")
    assert not re.search("</script|<!--", script, re.IGNORECASE)
    assert element_text(script) == script
    before, after = (js_tokens(text, module=False)[2] for text in (f"a = {quote}{value}{quote}", script))
    assert string_value(before) == string_value(after)


@given(PIECES.map(lambda text: text.replace("\n", "")))
def test_a_comment_cannot_leave_its_element(text: str) -> None:
    script = safe(f"// {text}\n1")
    assert element_text(script) == script
    assert not re.search("</script|<!--", script, re.IGNORECASE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = '\\</script>'", "a = '\\<\\/script>'"),
        ("/[</script>]/u", "/[<\\/script>]/u"),
        ("/(?<!--)a/", "/(?<!\\x2D-)a/"),
        ("/[<!--a]/", "/[<\\x21--a]/"),
        ("(?<script>x)".join(["/", "/"]), "/(?<script>x)/"),
        ("a </script/.b", "a < /script/.b"),
        ("<!-- old\na", "//-- old\na"),
        ("/* <!-- */ a", "/* <!\\x2D- */ a"),
    ],
)
def test_each_kind_of_token_has_its_own_spelling(text: str, expected: str) -> None:
    assert safe(text) == expected


def test_in_a_module_an_arrow_that_opens_a_comment_is_code() -> None:
    assert safe("a <!--b", module=True) == "a < !--b"


def test_a_script_without_danger_is_not_even_read() -> None:
    assert safe("this is ' no JavaScript") == "this is ' no JavaScript"


@pytest.mark.parametrize(
    ("text", "said"),
    [("String.raw`</script>`", "a.js:1:12: .*tagged template"), ("a`${b}<!--`", "tagged"),
     ("'</script>", "a.js:1:1: a string is never closed")],
)  # fmt: skip
def test_what_has_no_harmless_spelling_is_refused(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        safe(text)


def test_the_name_of_a_file_cannot_break_out_of_its_comment() -> None:
    assert source_url("a b/</script>\n.js") == "\n//# sourceURL=a%20b/%3C/script%3E%0A.js\n"


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | PIECES,
    lambda inner: (
        st.lists(inner | PIECES, max_size=4) | st.dictionaries(st.text() | PIECES, inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON)
def test_data_comes_back_as_it_was_and_cannot_leave_its_element(data: object) -> None:
    text = script_json(data)
    assert json.loads(text) == data
    assert not re.search("[<>&\u2028\u2029\ud800-\udfff]", text)
    text.encode()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"a": [1, {2, 3}]}, r"\['a'\]\[1\] is no JSON"),
        (float("nan"), "at its top"),
        ({"a": float("inf")}, r"\['a'\]"),
    ],
)
def test_what_is_no_json_is_told_with_its_place(data: object, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        script_json(data)


def test_data_that_contains_itself_is_refused() -> None:
    data: list[object] = []
    data.append(data)
    with pytest.raises(ConfigError, match="is no JSON"):
        script_json(data)
