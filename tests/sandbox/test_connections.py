"""The Connection-Allowlist header: declared sources and our own addresses, as patterns."""

from __future__ import annotations

from fanlight.sandbox.connections import connection_allowlist
from fanlight.sandbox.sources import parse_source


def test_nothing_declared_allows_nothing() -> None:
    assert connection_allowlist([]) == "();redirects=allow;webrtc=block"


def test_each_source_becomes_the_addresses_that_the_policy_takes_it_for() -> None:
    declared = ["https://*.example.com", "http://localhost:3000", "wss://live.example:*", "example.org"]
    header = connection_allowlist(map(parse_source, declared), ["http://v1.localhost:1/apps/report/t"])
    assert header == (
        '("https://*.example.com" "http://localhost:3000" "https://localhost:3000" "wss://live.example:*" '
        '"http://example.org" "https://example.org" "ws://example.org" "wss://example.org" '
        '"http://v1.localhost:1/apps/report/t");redirects=allow;webrtc=block'
    )
