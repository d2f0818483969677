"""`X-Forwarded-*`: believed from trusted proxies only, and only the word of the nearest one."""

from __future__ import annotations

from typing import Any

import pytest

from fanlight.errors import ConfigError
from fanlight.host.forwarded import TrustedProxies

CLAIMS = [(b"host", b"127.0.0.1:9000"), (b"x-forwarded-host", b"Chat.example.com")]


def scope(client: str | None, *headers: tuple[bytes, bytes], kind: str = "http") -> dict[str, Any]:
    address = None if client is None else (client, 1)
    return {"type": kind, "scheme": kind, "client": address, "headers": list(headers or CLAIMS)}


def name_in(seen: Any) -> list[bytes]:
    return [value for key, value in seen["headers"] if key == b"host"]


@pytest.mark.parametrize("client", ["127.0.0.1", "::1", "10.9.9.9", "testclient", None])
def test_nobody_is_trusted_unless_told(client: str | None) -> None:
    asked = scope(client)
    assert TrustedProxies(()).as_the_browser_asked(asked) is asked


@pytest.mark.parametrize(
    ("client", "believed"),
    [
        ("10.1.2.3", True),
        ("::ffff:10.1.2.3", True),
        ("fd00::7", True),
        (None, True),
        ("11.1.2.3", False),
        ("127.0.0.1", False),
        ("not an address", False),
    ],
)
def test_only_the_listed_networks_are_believed(client: str | None, believed: bool) -> None:
    proxies = TrustedProxies(["10.0.0.0/8", "fd00::/8", "unix"])
    seen = proxies.as_the_browser_asked(scope(client))
    assert name_in(seen) == [b"chat.example.com" if believed else b"127.0.0.1:9000"]


def test_the_nearest_proxy_has_the_last_word() -> None:
    """What stands before its value may come from the browser, and a rebinding page may send anything."""
    seen = TrustedProxies(["10.0.0.1"]).as_the_browser_asked(
        scope(
            "10.0.0.1",
            (b"host", b"internal"),
            (b"x-forwarded-host", b"chat.example.com"),
            (b"x-forwarded-host", b"chat.example.com, evil.example"),
        )
    )
    assert name_in(seen) == [b"evil.example"]


@pytest.mark.parametrize(("kind", "scheme"), [("http", "https"), ("websocket", "wss")])
def test_the_scheme_fits_the_kind_of_request(kind: str, scheme: str) -> None:
    headers = ((b"host", b"a"), (b"x-forwarded-proto", b"https"))
    seen = TrustedProxies("10.0.0.1").as_the_browser_asked(scope("10.0.0.1", *headers, kind=kind))
    assert seen["scheme"] == scheme
    assert name_in(seen) == [b"a"]


def test_an_unknown_scheme_changes_nothing() -> None:
    headers = ((b"host", b"a"), (b"x-forwarded-proto", b"gopher"))
    assert TrustedProxies("10.0.0.1").as_the_browser_asked(scope("10.0.0.1", *headers))["scheme"] == "http"


def test_a_proxy_that_is_no_address_is_refused_at_once() -> None:
    with pytest.raises(ConfigError, match="trusted_proxies"):
        TrustedProxies(["nginx"])
