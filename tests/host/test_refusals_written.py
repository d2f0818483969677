"""A view that is refused without end fills no disk, and of its links only the site is written down."""

from __future__ import annotations

from wishes import scene

from fanlight.host import ViewLimits, allow_all
from fanlight.host.limits import Rate

# So slow that nothing comes back while a test runs.
FIVE = Rate(5, 0.001)


async def test_beyond_a_rate_refusals_are_counted_and_the_count_is_written() -> None:
    async with scene(limits=ViewLimits(refusals=FIVE)) as found:
        for _ in range(40):
            refused = await found.client.asks("ui/open-link", {"url": "javascript:alert(1)"})
            assert "only http and https" in refused["error"]["message"]
        written = [line for line in await found.close() if line["kind"] in ("open-link", "refusals")]
    assert [line["by"] for line in written] == ["rule"] * 5 + ["limit"]
    assert written[-1]["reason"] == "35 more were refused and not written"


async def test_what_a_rate_refuses_is_bounded_too() -> None:
    async with scene(policy=allow_all, limits=ViewLimits(links=FIVE, refusals=FIVE)) as found:
        answers = [await found.client.asks("ui/open-link", {"url": "https://a.example/"}) for _ in range(40)]
        assert sum("error" in answer for answer in answers) == 35
        written = [line for line in await found.close() if line["kind"] in ("open-link", "refusals")]
    assert [line["decision"] for line in written] == ["allow"] * 5 + ["deny"] * 6
    assert written[-1]["reason"] == "30 more were refused and not written"


async def test_of_a_link_only_the_site_is_written() -> None:
    secret = "https://mail.example/reset?code=hunter2"
    async with scene(policy=allow_all) as found:
        await found.client.asks("ui/open-link", {"url": secret})
        await found.client.asks("ui/open-link", {"url": "data:text/html,hunter2"})
        written = [line for line in await found.close() if line["kind"] == "open-link"]
    assert [line["subject"] for line in written] == ["https://mail.example", "data:"]
    assert "hunter2" not in str([line["subject"] for line in written])
    assert written[0]["arguments"]["size"] == len(secret) + len('""')
