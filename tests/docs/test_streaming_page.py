"""docs/streaming.md: its code runs, and what it says of it is so."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from doc_code import run_page
from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer

from fanlight import Host


def plot_server() -> MCPServer[Any]:
    apps = Apps()
    apps.add_html_resource("ui://plot/view.html", "<p>plot")

    @apps.tool(resource_uri="ui://plot/view.html")
    def plot(points: list[int]) -> str:
        return f"{len(points)} points"

    return MCPServer("plot", extensions=[apps])


async def pieces() -> AsyncIterator[str]:
    for piece in ('{"poi', 'nts": [1', ", 2", "]}"):
        yield piece


class Model:
    async def arguments(self) -> dict[str, Any]:
        return {"points": [1, 2, 3]}


async def test_the_code_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    shown: list[str] = []
    code = run_page("streaming.md", show=shown.append)
    async with Host() as host:
        server = await host.connect("plot", plot_server())
        assert (await code["answer"](server, pieces()))["content"][0]["text"] == "2 points"
        assert (await code["answer_whole"](server, Model()))["content"][0]["text"] == "3 points"
        assert len(shown) == 2
        assert all("<fanlight-view" in tag for tag in shown)
        call = await server.call_tool("plot", {"points": []})
        assert call.view is not None
        call.view.stage("resource-read")
        call.view.unreadable(_unreadable())
        await code["check"](call.view)
    said = capsys.readouterr().out
    assert "read-failed" in said
    assert "resource-read" in said


def _unreadable() -> Any:
    from fanlight.upstream import AppReadError

    return AppReadError("plot", "read-failed", "it could not be read", "look again")
