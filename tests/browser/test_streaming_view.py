"""A model writes the arguments while the person watches: the view draws before the call has begun."""

from __future__ import annotations

import json
from typing import Any

from playwright.async_api import Page, expect
from rows_app import rows_server
from served import served_host, shown, view_frame

from fanlight.host import Host


async def test_the_view_draws_what_is_written_before_the_tool_is_called(page: Page) -> None:
    """Holds: R48, R49, R50, R53."""
    calls: list[Any] = []
    host = Host()
    async with served_host(host) as port:
        server = await host.connect("rows", rows_server(calls))
        async with server.begin_call("show") as call:
            await shown(page, port, call)
            frame = await view_frame(page)
            rows, state = frame.locator("#rows li"), frame.locator("#state")
            call.feed_arguments('{"rows": [{"name": "Oslo"}, {"name": "Ber')
            await expect(rows).to_have_text(["Oslo", "Ber"])
            await expect(state).to_have_text("writing")
            call.feed_arguments('gen"}, {"name": ')
            await expect(rows).to_have_text(["Oslo", "Bergen", ""])
            assert calls == []
            call.feed_arguments('"Bodø"}]}')
        await expect(rows).to_have_text(["Oslo", "Bergen", "Bodø"])
        await expect(state).to_have_text("3 rows")
        assert call.result["content"][0]["text"] == "3 rows"
        names = await frame.evaluate("seen")
        assert names[-2:] == ["tool-input", "tool-result"]
        assert set(names[:-2]) == {"tool-input-partial"}


async def test_a_large_stream_ends_complete_and_a_given_up_one_is_told(page: Page) -> None:
    """Holds: R54."""
    host = Host()
    rows = [{"name": f"row {number} " + "x" * 200} for number in range(1000)]
    text = json.dumps({"rows": rows})
    async with served_host(host) as port:
        server = await host.connect("rows", rows_server([]))
        async with server.begin_call("show") as call:
            await shown(page, port, call)
            for start in range(0, len(text), 64):
                call.feed_arguments(text[start : start + 64])
        frame = await view_frame(page)
        await expect(frame.locator("#state")).to_have_text("1000 rows")
        assert await frame.evaluate("seen.length") < 200, "one for every piece would be 3,500"
        given_up = server.begin_call("show")
        await shown(page, port, given_up)
        given_up.feed_arguments('{"rows": [')
        given_up.cancel("the model stopped")
        frame = await view_frame(page)
        await expect(frame.locator("#state")).to_have_text("cancelled: the model stopped")
