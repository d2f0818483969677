"""Which links a widget may have opened."""

from __future__ import annotations

import pytest

from fanlight.dialects.links import link_fault


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com",
        "http://example.com:8080/a?b#c",
        "HTTPS://Example.com",
        "https://[::1]/",
        " https://a.b ",
    ],
)
def test_web_addresses_may_be_opened(url: str) -> None:
    assert link_fault(url) is None


@pytest.mark.parametrize("scheme", ["javascript", "data", "file", "ftp", "mailto", "vscode"])
def test_another_scheme_is_named(scheme: str) -> None:
    assert link_fault(f"{scheme}:x") == (
        f"URL scheme '{scheme}:' not allowed. Only http: and https: are permitted."
    )


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com/path",
        "//example.com",
        "/path",
        "https://",
        "https:///path",
        "https://exa mple.com",
        "https://good.example\\@evil.example",
        "https://example.com:port",
        "https://example.com:99999",
        "https://[::1",
    ],
)
def test_what_is_no_absolute_address_is_malformed(url: str) -> None:
    assert link_fault(url) == "Invalid URL format"
