"""The source grammar: whole values pass or are dropped; nothing is repaired."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanlight.sandbox.sources import BadSource, Source, parse_source, plain_text


@pytest.mark.parametrize(
    ("value", "source"),
    [
        ("https://api.example.com", Source("api.example.com", "https")),
        ("https://*.example.com", Source("example.com", "https", wildcard=True)),
        ("wss://live.example.com:8443", Source("live.example.com", "wss", port="8443")),
        ("http://localhost:3000", Source("localhost", "http", port="3000")),
        ("http://127.0.0.1:9999", Source("127.0.0.1", "http", port="9999")),
        ("https://example.com/", Source("example.com", "https")),
        ("example.com", Source("example.com")),
        ("*.example.com", Source("example.com", wildcard=True)),
        ("example.com:8080", Source("example.com", port="8080")),
        ("http://localhost:*", Source("localhost", "http", port="*")),
        ("http://intranet", Source("intranet", "http")),
        ("localhost", Source("localhost")),
        ("localhost:5173", Source("localhost", port="5173")),
        ("https://xn--bcher-kva.example", Source("xn--bcher-kva.example", "https")),
        ("https://*.shop.co.uk", Source("shop.co.uk", "https", wildcard=True)),
    ],
)
def test_an_origin_is_read_into_its_parts_and_written_from_them(value: str, source: Source) -> None:
    assert parse_source(value) == source
    assert str(source) == value.removesuffix("/")


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("HTTPS://API.Example.COM", "https://api.example.com"),
        ("https://example.com:443", "https://example.com"),
        ("http://example.com:80/", "http://example.com"),
        ("wss://example.com:443", "wss://example.com"),
        ("https://example.com:80", "https://example.com:80"),
    ],
)
def test_one_origin_has_one_spelling(value: str, written: str) -> None:
    assert str(parse_source(value)) == written


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ("*", "bare"),
        ("*:443", "bare"),
        ("*example.com", "bare"),
        ("https://*", "bare"),
        ("https://**.example.com", "bare"),
        ("https://*.*.example.com", "bare"),
        ("https://*.com", "wildcard"),
        ("*.localhost", "wildcard"),
        ("https://*.co.uk", "wildcard"),
        ("https://*.com.au", "wildcard"),
        ("https://*.0.0.1", "IPv4"),
        ("https://a.*.example.com", "form"),
        ("https://a.example.com; script-src *", "separator"),
        ("https://a.example.com script-src", "separator"),
        ("https://a.example.com\nscript-src *", "separator"),
        ("https://a.example.com\x00", "separator"),
        ("https://a.example.com\x7f", "separator"),
        ("https://a.example.com,https://b", "separator"),
        ("https:\\\\example.com", "separator"),
        ("'unsafe-eval'", "keywords"),
        ("'nonce-abc'", "keywords"),
        ("'sha256-abc='", "keywords"),
        ('"https://example.com"', "keywords"),
        ("https://user:pw@example.com", "user names"),
        ("javascript:alert(1)", "scheme"),
        ("javascript://example.com", "scheme"),
        ("data:", "scheme"),
        ("blob:", "scheme"),
        ("filesystem:", "scheme"),
        ("https:", "every site"),
        ("wss:", "every site"),
        ("blob://example.com", "scheme"),
        ("://example.com", "scheme"),
        ("//example.com", "path"),
        ("https://example.com/path", "path"),
        ("https://example.com?x", "path"),
        ("https://example.com#x", "path"),
        ("https://example.com//", "path"),
        ("https://", "form"),
        ("https://example.com:", "form"),
        ("https://example.com:99999", "out of range"),
        ("https://example.com:0", "port"),
        ("https://example.com:0443", "port"),
        ("https://example.com:8x", "port"),
        ("https://example.com:80:80", "port"),
        ("https://example.com.", "form"),
        ("https://example..com", "form"),
        ("https://-bad.example.com", "form"),
        ("https://my_bucket.example.com", "form"),
        ("https://ex%61mple.com", "form"),
        ("https://" + "a" * 64 + ".example.com", "form"),
        ("https://" + "abcdefghi." * 25 + "example.com", "form"),
        ("https://" + "a" * 400 + ".example", "longer"),
        ("https://[::1]:8080", "IPv6"),
        ("https://[::ffff:127.0.0.1]", "IPv6"),
        ("https://127.1", "IPv4"),
        ("https://2130706433", "IPv4"),
        ("https://0x7f000001", "IPv4"),
        ("https://127.0.0.01", "IPv4"),
        ("https://256.0.0.1", "IPv4"),
        ("https://1.2.3.4.5", "IPv4"),
        ("https://exämple.com", "ASCII"),
        ("https://example。com", "ASCII"),
        ("https://ｅxample.com", "ASCII"),
        ("intranet", "dot"),
        ("none", "dot"),
        ("", "form"),
        (7, "not a string"),
        (None, "not a string"),
        (["https://example.com"], "not a string"),
    ],
)
def test_anything_else_is_refused_with_a_reason(value: object, word: str) -> None:
    with pytest.raises(BadSource, match=word):
        parse_source(value)


@given(st.text(max_size=60))
def test_what_passes_can_never_end_a_directive_or_add_a_keyword(value: str) -> None:
    try:
        written = str(parse_source(value))
    except BadSource:
        return
    assert not set(written) & set(" \t\r\n;,'\"@\\")


@pytest.mark.parametrize(
    ("pattern", "source", "covered"),
    [
        ("https://a.example.com", "https://a.example.com", True),
        ("a.example.com", "wss://a.example.com", True),
        ("http://a.example.com", "https://a.example.com", True),
        ("https://a.example.com", "http://a.example.com", False),
        ("https://a.example.com", "a.example.com", False),
        ("https://*.example.com", "https://a.b.example.com", True),
        ("https://*.example.com", "https://*.b.example.com", True),
        ("https://*.example.com", "https://*.example.com", True),
        ("https://*.example.com", "https://example.com", False),
        ("https://*.example.com", "https://badexample.com", False),
        ("https://example.com", "https://*.example.com", False),
        ("https://a.example.com", "https://a.example.com:8443", False),
        ("https://a.example.com:*", "https://a.example.com:8443", True),
        ("https://a.example.com:8443", "https://a.example.com:*", False),
    ],
)
def test_a_source_covers_what_it_allows_completely(pattern: str, source: str, covered: bool) -> None:
    assert parse_source(pattern).covers(parse_source(source)) is covered


@pytest.mark.parametrize(
    ("one", "another", "shared"),
    [
        ("https://a.example.com", "wss://a.example.com:9", True),
        ("https://*.example.com", "https://a.example.com", True),
        ("https://*.a.example.com", "https://*.example.com", True),
        ("https://*.example.com", "https://*.example.com", True),
        ("https://*.example.com", "https://example.com", False),
        ("https://*.a.example.com", "https://*.b.example.com", False),
    ],
)
def test_two_sources_share_a_host_when_some_name_fits_both(one: str, another: str, shared: bool) -> None:
    assert parse_source(one).shares_host(parse_source(another)) is shared
    assert parse_source(another).shares_host(parse_source(one)) is shared


@pytest.mark.parametrize(
    ("source", "ports"),
    [
        ("https://a.example.com", {443}),
        ("http://a.example.com", {80, 443}),
        ("a.example.com", {80, 443}),
        ("wss://a.example.com:81", {81}),
        ("https://a.example.com:*", None),
    ],
)
def test_the_ports_of_a_source_include_those_of_its_secure_version(
    source: str, ports: set[int] | None
) -> None:
    assert parse_source(source).ports == ports


def test_text_of_a_stranger_becomes_short_and_printable() -> None:
    assert plain_text("a\x1b[31m\n‮b", 50) == "a\\u001b[31m\\u000a\\u202eb"
    assert plain_text("x" * 100, 10) == "x" * 10 + "… (100 characters)"
