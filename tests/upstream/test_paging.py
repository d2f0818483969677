"""Lists of servers: long ones arrive, endless ones end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from fanlight.errors import UpstreamError
from fanlight.testing.upstream import ScriptedUpstream
from fanlight.upstream import Catalog, ServerLimits
from fanlight.upstream.paging import read_list


def tools(start: int, count: int) -> list[dict[str, Any]]:
    return [{"name": f"tool-{n}", "inputSchema": {"type": "object"}} for n in range(start, start + count)]


async def listed(answer: Any, **limits: Any) -> list[dict[str, Any]]:
    upstream = ScriptedUpstream({"tools/list": answer})
    return await read_list("s", upstream, "tools/list", "tools", ServerLimits(**limits))


async def test_ten_thousand_tools_on_a_hundred_pages_arrive() -> None:
    async def page(params: dict[str, Any]) -> dict[str, Any]:
        start = int(params.get("cursor", 0))
        more = {"nextCursor": str(start + 100)} if start < 9_900 else {}
        return {"tools": tools(start, 100), **more}

    catalog = Catalog("s", ScriptedUpstream({"tools/list": page}))
    await catalog.refresh()
    assert len(catalog.tools) == 10_000


async def test_a_list_that_goes_in_a_circle_is_noticed_at_once() -> None:
    with pytest.raises(UpstreamError, match="never ends: after 2 pages"):
        await listed({"tools": tools(0, 1), "nextCursor": "again"})


async def test_a_list_with_new_cursors_for_ever_ends() -> None:
    async def page(params: dict[str, Any]) -> dict[str, Any]:
        return {"tools": [], "nextCursor": params.get("cursor", "") + "x"}

    with pytest.raises(UpstreamError, match="never ends: after 1001 pages"):
        await listed(page)


async def test_a_list_with_too_many_entries_is_refused() -> None:
    async def page(params: dict[str, Any]) -> dict[str, Any]:
        return {"tools": tools(0, 100), "nextCursor": params.get("cursor", "") + "x"}

    with pytest.raises(UpstreamError, match="more than 250 entries"):
        await listed(page, entries=250)


async def test_a_list_that_takes_too_long_is_refused() -> None:
    async def page(params: dict[str, Any]) -> dict[str, Any]:
        await asyncio.sleep(0.02)
        return {"tools": [], "nextCursor": params.get("cursor", "") + "x"}

    with pytest.raises(UpstreamError, match=r"did not end within 0\.1 s"):
        await listed(page, list_seconds=0.1)


@pytest.mark.parametrize("page", [{}, {"tools": None}, {"tools": {"a": 1}}, {"tools": [1, None, "x", []]}])
async def test_what_is_no_list_is_empty(page: dict[str, Any]) -> None:
    assert await listed(page) == []
