"""The clock as a server: what any host would read from it."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from fanlight.demos.clock import CLOCK_URI, server
from fanlight.upstream import ClientIdentity, ObjectTarget, Upstream, open_upstream
from fanlight.wire.versions import MIME_TYPE


async def connected() -> Upstream:
    return await open_upstream("clock", ObjectTarget(server), ClientIdentity("test", "1"))


async def test_the_app_is_listed_and_read_as_the_specification_says() -> None:
    """Holds: R01, R02, R03, R04, R07."""
    upstream = await connected()
    try:
        (tool,) = (await upstream.request("tools/list"))["tools"]
        uri = tool["_meta"]["ui"]["resourceUri"]
        (entry,) = (await upstream.request("resources/list"))["resources"]
        (content,) = (await upstream.request("resources/read", {"uri": uri}))["contents"]
    finally:
        await upstream.aclose()
    assert uri == CLOCK_URI
    assert uri.startswith("ui://")
    assert (entry["uri"], entry["mimeType"]) == (uri, MIME_TYPE)
    assert (content["uri"], content["mimeType"]) == (uri, MIME_TYPE)
    assert content["text"].startswith("<!doctype html>")


async def test_the_tool_means_something_without_its_view() -> None:
    """Holds: R09, R10."""
    upstream = await connected()
    try:
        told = await upstream.request(
            "tools/call", {"name": "show_time", "arguments": {"timezone": "Asia/Tokyo"}}
        )
        wrong = await upstream.request(
            "tools/call", {"name": "show_time", "arguments": {"timezone": "Mars/Base"}}
        )
    finally:
        await upstream.aclose()
    assert re.fullmatch(r"It is \d\d:\d\d:\d\d on \w+, .* in Asia/Tokyo\.", told["content"][0]["text"])
    assert told["structuredContent"]["offset"] == "+09:00"
    assert wrong["isError"] is True
    assert "Europe/Oslo" in wrong["content"][0]["text"]


async def test_the_view_has_a_fallback_for_every_variable_and_loads_nothing() -> None:
    """Holds: R66."""
    upstream = await connected()
    try:
        html = (await upstream.request("resources/read", {"uri": CLOCK_URI}))["contents"][0]["text"]
    finally:
        await upstream.aclose()
    assert re.findall(r"var\(--[\w-]+\)", html) == []
    assert "var(--color-text-primary, " in html
    addresses = Addresses()
    addresses.feed(html)
    assert addresses.found == []


class Addresses(HTMLParser):
    """Every address that a document would load by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [
            value or "" for name, value in attrs if name in ("src", "href", "srcset", "data", "action")
        ]
