"""Which addresses a page opens for a view."""

from __future__ import annotations

import pytest
from wishes import scene

from fanlight.host import allow_all
from fanlight.host.links import link_fault


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com",
        "http://localhost:8080/a?b=c#d",
        "HTTPS://EXAMPLE.COM/%20",
        "https://münchen.de/x",
    ],
)
def test_http_and_https_are_opened(url: str) -> None:
    assert link_fault(url) is None


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "mailto:a@example.com",
        "//example.com",
        "https:///path",
        "https://",
        "java\nscript:alert(1)",
        "https://exa\tmple.com",
        "https://good.com@evil.com/",
        "https://good.com\\@evil.com/",
        "https://[::1",
        "https://example.com/" + "x" * 9000,
        "",
    ],
)
def test_everything_else_is_refused(url: str) -> None:
    assert link_fault(url)


async def test_no_policy_can_lift_the_rule() -> None:
    async with scene(policy=allow_all) as shown:
        answer = await shown.client.asks("ui/open-link", {"url": "javascript:alert(1)"})
        assert "only http and https" in answer["error"]["message"]
        assert "open-link" not in [frame["op"] for frame in shown.client.frames]


async def test_a_site_is_asked_for_once_in_a_showing() -> None:
    async with scene() as shown:
        for url in (
            "https://example.com/1",
            "https://EXAMPLE.com/2",
            "https://other.com",
            "https://example.com:8/",
        ):
            assert "result" in await shown.client.asks("ui/open-link", {"url": url})
        asked = [frame["scope"] for frame in shown.client.frames if frame["op"] == "ask"]
        assert asked == ["example.com", "other.com", "example.com:8"]
