"""One server for every SDK: only `made` knows which, everything else says the kit's words.

Run as a program, `kit_server.py SDK` speaks over stdio.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from fanlight.server import App, AppResource, Reply, client_shows_apps, reply

__all__ = ["SDKS", "broken", "build", "http_app"]

SDKS = ("mcpserver", "extension", "lowlevel", "fastmcp", "sdk1")
Unit = Literal["celsius", "fahrenheit"]  # a name of this file, which no SDK would find elsewhere
VIEW = """<!doctype html>
<html lang="en"><head><title>Weather</title></head><body><p id="degrees"></p></body></html>
"""


class Measured:
    """An object that is called."""

    unit: str = "metres"

    def __call__(self, height: int, factor: int = 1) -> Reply:
        """Measures a height."""
        return reply(f"{height * factor} {self.unit}")


@dataclass(frozen=True)
class Made:
    """A new server of one SDK: what apps are tied to, how the server is got then, and its context's type."""

    tie_to: Any
    server: Callable[[], Any]
    context: type


def made(sdk: str) -> Made:
    if sdk == "mcpserver":
        from mcp.server.mcpserver import Context, MCPServer

        server = MCPServer("kit")
        server.add_tool(plain)
        return Made(server, lambda: server, Context)
    if sdk == "extension":
        from mcp.server.apps import Apps
        from mcp.server.mcpserver import Context, MCPServer
        from mcp.server.mcpserver.tools import Tool

        apps = Apps()
        return Made(
            apps,
            lambda: MCPServer("kit", extensions=[apps], tools=[Tool.from_function(plain)]),
            Context,
        )
    if sdk == "lowlevel":
        from mcp.server.mcpserver import Context

        lowlevel = lowlevel_server()
        return Made(lowlevel, lambda: lowlevel, Context)
    if sdk == "fastmcp":
        from fastmcp import Context as FastMcpContext
        from fastmcp import FastMCP

        fast: Any = FastMCP("kit")
        fast.tool(plain)
        return Made(fast, lambda: fast, FastMcpContext)
    mcp1 = import_module("mcp.server.fastmcp")  # type checkers see the newer SDK
    old = mcp1.FastMCP("kit")
    old.add_tool(plain)
    return Made(old, lambda: old, mcp1.Context)


def plain(word: str) -> str:
    """A tool of the server itself."""
    return f"plain {word}"


def lowlevel_server() -> Any:
    import mcp_types as mcp
    from mcp.server.lowlevel import Server

    async def list_tools(_request: Any, _params: Any) -> mcp.ListToolsResult:
        schema = {"type": "object", "properties": {"word": {"type": "string"}}}
        return mcp.ListToolsResult(tools=[mcp.Tool(name="plain", input_schema=schema)])

    async def call_tool(_request: Any, params: mcp.CallToolRequestParams) -> mcp.CallToolResult:
        text = plain(**params.arguments or {})
        return mcp.CallToolResult(content=[mcp.TextContent(type="text", text=text)])

    return Server("kit", on_list_tools=list_tools, on_call_tool=call_tool)


def build(sdk: str) -> Any:
    """The server, with three apps and their tools."""
    parts = made(sdk)
    server = parts.tie_to
    weather = App(
        "ui://kit/weather.html",
        AppResource.text(VIEW),
        title="Weather",
        description="Shows degrees.",
        csp={"connectDomains": ["https://api.example.com"]},
        permissions=["geolocation"],
        prefers_border=True,
    )

    @weather.tool(server, title="Weather", meta={"example.com/rank": 1})
    def show_weather(city: str, days: int = 1, unit: Unit = "celsius") -> Reply:
        """The weather of a city."""
        data = {"city": city, "days": days, "unit": unit}
        return reply(f"12 degrees in {city}", data=data, private={"station": 7})

    @weather.tool(server, visibility=["app"])
    async def refresh(city: str) -> Reply:
        return show_weather(city, days=3)

    @weather.tool(server)
    def only_text() -> str:
        return "words"

    @weather.tool(server)
    def summary() -> Reply:
        return reply("see the chart", data={"rows": [1, 2]}, text_only="one and two")

    @weather.tool(server)
    def refused() -> Reply:
        return reply("there is no such city", error=True)

    @weather.tool(server)
    def silent() -> Any:
        """A mistake: there is data, and nothing for the model."""
        return {"degrees": 12}

    @weather.tool(server)
    def speechless() -> Reply:
        return reply(" ", data={"degrees": 12})

    @weather.tool(server)
    def unsendable() -> Reply:
        """What `os.listdir` says of a file whose name is not UTF-8."""
        return reply("a file", data={"name": "\udcff.txt"})

    def asked(word: str, ctx: Any) -> Reply:
        return reply(f"{word}: {'apps' if client_shows_apps(ctx) else 'text'}")

    asked.__annotations__["ctx"] = parts.context
    weather.tool(server)(asked)

    weather.tool(server, name="measured")(Measured())
    weather.tool(server, name="in_oslo")(functools.partial(show_weather, "Oslo", unit="fahrenheit"))

    reads: list[int] = []

    def render() -> str:
        reads.append(1)
        return VIEW.replace("<p ", f"<p>read {len(reads)}</p><p ")

    App("ui://kit/live.html", AppResource.function(render)).tool(server, name="live")(only_text)
    if sdk != "extension":
        hashed = App("ui://kit/hashed.html", AppResource.text(VIEW), versioned=True, openai=True)
        hashed.tool(server, name="hashed")(only_text)
    return parts.server()


def broken(sdk: str) -> Any:
    """A server with apps whose documents cannot be shown."""
    parts = made(sdk)

    def raising() -> str:
        raise LookupError("the key is s3cret")

    documents = {
        "broken": AppResource.function(lambda: "words"),
        "raising": AppResource.function(raising, dev=False),
        "raising-dev": AppResource.function(raising, dev=True),
    }
    for name, document in documents.items():
        App(f"ui://kit/{name}.html", document).tool(parts.tie_to, name=name)(plain)
    return parts.server()


def http_app(sdk: str) -> Any:
    """The server as an ASGI app that answers at /mcp."""
    server = build(sdk)
    return server.http_app() if sdk == "fastmcp" else server.streamable_http_app()


async def _run_lowlevel(server: Any) -> None:
    from mcp.server.stdio import stdio_server

    async with stdio_server() as streams:
        await server.run(*streams, server.create_initialization_options())


if __name__ == "__main__":
    chosen = build(sys.argv[1])
    if sys.argv[1] == "lowlevel":
        import anyio

        anyio.run(_run_lowlevel, chosen)
    elif sys.argv[1] == "fastmcp":
        chosen.run(show_banner=False)
    else:
        chosen.run()
