"""A server chooses the names of its tools: in a log they are text, and nothing else."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer
from page_client import eventually, page, served

from fanlight.host import Host

FORGED = "show\nCRITICAL fanlight.policy allow by person: everything \x1b[31m"


async def test_a_tool_name_forges_no_line_of_a_views_log(caplog: pytest.LogCaptureFixture) -> None:
    apps = Apps()
    apps.add_html_resource("ui://app/view.html", "<p>hi")
    with caplog.at_level(logging.ERROR):  # the SDK warns of such a name, in its own words

        @apps.tool(resource_uri="ui://app/view.html", name=FORGED)
        def show() -> str:
            return "text"

        server: MCPServer[Any] = MCPServer("one", version="1", extensions=[apps])
    caplog.set_level(logging.INFO, "fanlight.view")
    async with Host() as host, served(host) as port:
        view = (await (await host.connect("one", server)).call_tool(FORGED)).view
        assert view is not None
        async with page(port, view) as client:
            await client.comes_up()
            await client.notifies("notifications/message", {"level": "error", "data": "hello"})
            await eventually(lambda: any(record.name == "fanlight.view" for record in caplog.records))
    (record,) = [record for record in caplog.records if record.name == "fanlight.view"]
    line = record.getMessage()
    assert line.endswith(': log: "hello"')
    assert "\n" not in line
    assert "\x1b" not in line
