"""The low-level server of mcp 2.x: apps stand beside what its own handlers say."""

from __future__ import annotations

from typing import Any

import mcp_types as mcp
import pytest
from kit_contract import call, opened, read, resources_of, said, tools_of
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from fanlight.errors import RpcError
from fanlight.server import App, AppResource, Reply, reply
from fanlight.upstream import ObjectTarget

HTML = "<!doctype html><html lang=en><head><title>A</title></head><body><p>a</p></body></html>"
SCHEMA = {"type": "object", "properties": {}}


def with_app(server: Server[Any], name: str = "shown") -> Server[Any]:
    app = App("ui://a/view.html", AppResource.text(HTML), versioned=True)

    @app.tool(server, name=name)
    def shown() -> Reply:
        return reply("shown")

    @app.tool(server)
    def broken() -> Reply:
        raise LookupError("a secret")

    return server


async def pages_of_tools(_request: Any, params: Any) -> mcp.ListToolsResult:
    if params.cursor is None:
        return mcp.ListToolsResult(tools=[mcp.Tool(name="own", input_schema=SCHEMA)], next_cursor="2")
    return mcp.ListToolsResult(tools=[mcp.Tool(name="last", input_schema=SCHEMA)])


async def list_own_resources(_request: Any, _params: Any) -> mcp.ListResourcesResult:
    return mcp.ListResourcesResult(resources=[mcp.Resource(uri="own://x", name="x")])


async def list_own_templates(_request: Any, _params: Any) -> mcp.ListResourceTemplatesResult:
    return mcp.ListResourceTemplatesResult(
        resource_templates=[mcp.ResourceTemplate(uri_template="own://{x}", name="x")]
    )


async def read_own_resource(_request: Any, params: mcp.ReadResourceRequestParams) -> mcp.ReadResourceResult:
    if params.uri != "own://x":
        raise MCPError(-32002, "not mine")
    return mcp.ReadResourceResult(contents=[mcp.TextResourceContents(uri=params.uri, text="own")])


async def test_pages_of_tools_stay_pages_and_apps_are_on_the_first() -> None:
    server = with_app(Server("s", on_list_tools=pages_of_tools))
    async with opened(ObjectTarget(server)) as upstream:
        first = await upstream.request("tools/list")
        second = await upstream.request("tools/list", {"cursor": first["nextCursor"]})
    assert [tool["name"] for tool in first["tools"]] == ["own", "shown", "broken"]
    assert [tool["name"] for tool in second["tools"]] == ["last"]


async def test_the_servers_own_resources_and_templates_are_still_there() -> None:
    server = with_app(
        Server(
            "s",
            on_list_resources=list_own_resources,
            on_list_resource_templates=list_own_templates,
            on_read_resource=read_own_resource,
        )
    )
    async with opened(ObjectTarget(server)) as upstream:
        assert {"own://x", "ui://a/view.html"} < set(await resources_of(upstream))
        assert (await read(upstream, "own://x"))["text"] == "own"
        assert "<p>a</p>" in (await read(upstream, "ui://a/view.html"))["text"]
        templates = (await upstream.request("resources/templates/list"))["resourceTemplates"]
        with pytest.raises(RpcError, match="not mine"):
            await read(upstream, "ui://b/view.html")
    assert [found["uriTemplate"] for found in templates] == ["own://{x}", "ui://a/view.{version}.html"]


async def test_a_server_without_handlers_has_its_apps_alone() -> None:
    async with opened(ObjectTarget(with_app(Server("s")))) as upstream:
        assert list(await tools_of(upstream)) == ["shown", "broken"]
        assert said(await call(upstream, "shown")) == "shown"
        unknown = await call(upstream, "nothing")
        assert unknown["isError"] is True
        assert said(unknown) == "Unknown tool: nothing"
        with pytest.raises(RpcError, match="Unknown resource: ui://b/x"):
            await read(upstream, "ui://b/x")


async def test_a_tool_that_breaks_does_not_tell_its_secrets(caplog: pytest.LogCaptureFixture) -> None:
    async with opened(ObjectTarget(with_app(Server("s")))) as upstream:
        result = await call(upstream, "broken")
    assert result["isError"] is True
    assert "secret" not in said(result)
    assert "tool 'broken' broke" in caplog.text
    assert "a secret" in caplog.text


async def test_a_document_that_cannot_be_rendered_says_why() -> None:
    server = Server[Any]("s")
    app = App("ui://a/view.html", AppResource.function(lambda: 7))  # type: ignore[arg-type, return-value]
    app.tool(server, name="shown")(lambda: "x")
    async with opened(ObjectTarget(server)) as upstream:
        with pytest.raises(RpcError, match="returned a int: return the HTML as a string"):
            await read(upstream, "ui://a/view.html")
