"""docs/persistence.md: its code runs, and what it says of it is so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from doc_code import run_page
from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer

from fanlight import Host


def weather_server() -> MCPServer[Any]:
    apps = Apps()
    apps.add_html_resource("ui://weather/view.html", "<p>weather")

    @apps.tool(resource_uri="ui://weather/view.html")
    def forecast(city: str) -> str:
        return f"sun over {city}"

    return MCPServer("weather", extensions=[apps])


async def made_by(host: Host) -> str:
    server = await host.connect("weather", weather_server())
    call = await server.call_tool("forecast", {"city": "Oslo"})
    assert call.view is not None
    return call.view.id


async def test_the_code_of_the_page_runs(tmp_path: Path) -> None:
    code = run_page("persistence.md")
    async with code["make_host"](tmp_path / "views.db") as host:
        view_id = await made_by(host)
    async with code["make_host"](tmp_path / "views.db") as host:
        tag = await code["old_message"](host, view_id)
        assert f'view-id="{view_id}"' in tag
        view = await code["later"](host, view_id, weather_server())
        assert view.text == "sun over Oslo"
        assert view.server is host.servers["weather"]


async def test_the_store_of_the_page_keeps_views() -> None:
    store = run_page("persistence.md")["DictStore"]()
    async with Host(store=store) as host:
        view_id = await made_by(host)
        await host._keeper.flush()
    async with Host(store=store) as host:
        view = await host.restore(view_id)
        assert view is not None
        assert view.arguments == {"city": "Oslo"}
        assert await host.close_view(view_id)
        assert await store.view_ids() == []
