"""A small MCP server around one HTML page, for views of every age: `show` has the app, `echo` answers.

How the server declares its app is a choice, because the ages of views differ in that too.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import MCPServer

from fanlight.wire.versions import MIME_TYPE

VIEWS = Path(__file__).parent / "views"
URI = "ui://ages/view.html"
NESTED: dict[str, Any] = {"ui": {"resourceUri": URI}}
FLAT: dict[str, Any] = {"ui/resourceUri": URI}


def show_weather(city: str = "nowhere") -> str:
    return f"the weather in {city}"


def echo(word: str) -> str:
    return f"echo {word}"


def view_server(
    html: str,
    *,
    meta: dict[str, Any] = NESTED,
    mime_type: str = MIME_TYPE,
    show: Callable[..., Any] = show_weather,
    **tools: Callable[..., Any],
) -> MCPServer[Any]:
    """The server; `tools` are further tools that the view may call."""
    server: MCPServer[Any] = MCPServer("ages")
    server.add_tool(show, name="show", meta=meta)
    for name, tool in {"echo": echo, **tools}.items():
        server.add_tool(tool, name=name)

    @server.resource(URI, mime_type=mime_type)
    def page() -> str:
        return html

    return server


def view_page(name: str) -> str:
    """A view of this folder that needs no build."""
    return (VIEWS / f"{name}.html").read_text("utf-8")


@cache
def bundled(peers: Path, source: Path, published: str) -> str:
    """A script with all it imports; `published` is the module that its import of that name stands for.

    Made once in a test process: many tests need the same one, and it is always the same.
    """
    command = [
        str(peers / ".bin" / "esbuild"),
        str(source),
        "--bundle",
        "--format=esm",
        "--log-level=error",
        f"--alias:published={published}",
    ]
    built = subprocess.run(
        command,
        env={**os.environ, "NODE_PATH": str(peers)},
        stdout=subprocess.PIPE,
        text=True,
        timeout=60,
        check=True,
    )
    return built.stdout


def official_page(peers: Path, package: str) -> str:
    """`official.mjs` bundled with the published App class of one release, in a page."""
    script = bundled(peers, VIEWS / "official.mjs", f"{package}/app-with-deps")
    return view_page("official").replace("/* the bundle */", script)
