"""How browsers spell an origin: one spelling passes, every other is refused with the right one."""

from __future__ import annotations

import pytest

from fanlight.sandbox.names import hostname, origin_problem


@pytest.mark.parametrize(
    ("origin", "name"),
    [
        ("https://chat.example.com", "chat.example.com"),
        ("http://localhost:9470", "localhost"),
        ("http://127.0.0.1:8000", "127.0.0.1"),
        ("http://[::1]:8000", "[::1]"),
        ("https://[2001:db8::1]", "[2001:db8::1]"),
        ("https://xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("https://a.example:65535", "a.example"),
    ],
)
def test_an_origin_as_browsers_write_it_passes_and_has_a_name(origin: str, name: str) -> None:
    assert origin_problem(origin) is None
    assert hostname(origin) == name


@pytest.mark.parametrize(
    ("origin", "words"),
    [
        ("https://Chat.example.com", "lower case"),
        ("https://bücher.example", "ASCII"),
        ("https://a.example/", "form"),
        ("https://a.example/path", "form"),
        ("https://ann@a.example", "form"),
        ("ftp://a.example", "form"),
        ("https://*.example", "form"),
        ("https://", "form"),
        ("a.example", "form"),
        ("https://a.example:443", "leave it out"),
        ("http://a.example:80", "leave it out"),
        ("https://a.example:0443", "1 to 65535"),
        ("https://a.example:08443", "1 to 65535"),
        ("https://a.example:65536", "1 to 65535"),
        ("https://a.example:0", "1 to 65535"),
        ("https://a.example.", "leave the dot out"),
        ("https://a.example.:8443", "leave the dot out"),
        ("https://a..example", "empty"),
        ("https://.example", "empty"),
        (f"https://{64 * 'a'}.example", "63"),
        (f"https://{'.'.join(50 * ['abcdef'])}.example", "63"),
        ("http://127.1:8000", "as 127.0.0.1"),
        ("http://127.0.0.01", "as 127.0.0.1"),
        ("http://0x7f.0.0.1", "as 127.0.0.1"),
        ("http://2130706433", "as 127.0.0.1"),
        ("http://127.0.0.1.", "as 127.0.0.1"),
        ("http://a.127.0.0.1", "as 127.0.0.1"),
        ("http://[0:0:0:0:0:0:0:1]", "as [::1]"),
        ("http://[::ffff:127.0.0.1]", "as 127.0.0.1"),
        ("http://[::1::]", "[::1]"),
    ],
)
def test_another_spelling_is_refused_with_the_remedy(origin: str, words: str) -> None:
    problem = origin_problem(origin)
    assert problem is not None
    assert words in problem
