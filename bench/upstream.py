"""What does `Upstream.request` cost, beside the SDK's own raw request to the same server?

The SDK's client with its own transport, its raw request (the layer below its typed calls) and its typed
call, beside ours: deadlines, reconnecting, progress, lossless results. Over the pipes of a child process, and
to a server object of this process. The ways take turns, some calls each; medians over all calls are printed.
Run: python bench/upstream.py
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from mcp import StdioServerParameters
from mcp.client import Client
from mcp.server.mcpserver import MCPServer

from fanlight.upstream import ClientIdentity, ObjectTarget, StdioTarget, Target, open_upstream

ROUNDS, CALLS = 40, 25
TARGET = 1.1
SIZES = {"small answer": 2, "8 kB answer": 8_000, "1 MB answer": 1_000_000}
Call = Callable[[], Awaitable[object]]

server = MCPServer("bench")


@server.tool(structured_output=False)
def fill(size: int) -> str:
    """An answer of that size."""
    return "x" * size


@asynccontextmanager
async def ways(source: Any, target: Target, size: int) -> AsyncIterator[list[Call]]:
    """The SDK's raw request, the SDK's typed call, and ours; each with a server of its own."""
    arguments = {"size": size}
    params = {"name": "fill", "arguments": arguments}
    async with Client(source) as client:
        session = client.session

        async def raw() -> object:
            data: dict[str, Any] = {"method": "tools/call", "params": {**params, "_meta": {}}}
            options: Any = {}
            session._stamp(data, options)
            return await session._dispatcher.send_raw_request("tools/call", data["params"], options)

        async def typed() -> object:
            return await client.call_tool("fill", arguments)

        upstream = await open_upstream("bench", target, ClientIdentity("bench", "1"))
        try:

            async def ours() -> object:
                return await upstream.request("tools/call", params)

            yield [raw, typed, ours]
        finally:
            await upstream.aclose()


async def timed(calls: list[Call], count: int) -> list[float]:
    """The median milliseconds of each."""
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(ROUNDS):
        for row, call in zip(times, calls, strict=True):
            for _ in range(count):
                began = time.perf_counter()
                await call()
                row.append((time.perf_counter() - began) * 1000)
    return [statistics.median(row) for row in times]


async def main() -> int:
    worst = 0.0
    print(f"{'p50 ms':<28}{'SDK raw':>10}{'SDK typed':>10}{'ours':>10}{'ours/raw':>10}")
    words = (__file__, "--serve")
    pipes = StdioServerParameters(command=sys.executable, args=[*words])
    for place, source, target in (
        ("stdio", pipes, StdioTarget(sys.executable, words)),
        ("in process", server, ObjectTarget(server)),
    ):
        for label, size in SIZES.items():
            async with ways(source, target, size) as calls:
                await timed(calls, 1)  # warm up
                raw, typed, ours = await timed(calls, CALLS if size < 100_000 else 2)
            worst = max(worst, ours / raw)
            figures = f"{raw:>10.3f}{typed:>10.3f}{ours:>10.3f}{ours / raw:>10.2f}"
            print(f"{f'{place}, {label}':<28}{figures}", flush=True)
    print(f"within the target of {TARGET:g}" if worst <= TARGET else f"ABOVE the target of {TARGET:g}")
    return 0 if worst <= TARGET else 1


if __name__ == "__main__":
    if "--serve" in sys.argv:
        server.run("stdio")
    else:
        sys.exit(asyncio.run(main()))
