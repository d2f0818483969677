"""A small server that tests start as a child process or over HTTP."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

from mcp.server.mcpserver import Context, MCPServer

mcp = MCPServer("echo", version="3.1")


@mcp.tool()
def echo(text: str) -> str:
    """Say it again."""
    return text


@mcp.tool()
def pid() -> int:
    """The process that answers."""
    return os.getpid()


@mcp.tool()
async def slow(ctx: Context[Any]) -> str:
    """Report progress, then answer."""
    await ctx.report_progress(1, 2, "half")
    await asyncio.sleep(0)
    return "done"


if __name__ == "__main__":
    if "--die" in sys.argv:
        sys.exit("cannot start: the licence file is missing")
    if "--quiet" in sys.argv:
        sys.exit(3)
    mcp.run("stdio")
