"""docs/servers.md, "Time": its example runs, and what it says of it is so."""

from __future__ import annotations

from typing import Any

import pytest
from doc_code import run_page
from mcp.server.mcpserver import Context, MCPServer

from fanlight import Host
from fanlight.upstream.supervised import SupervisedUpstream


async def test_a_long_tool_is_called_on_the_terms_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    notes: MCPServer[Any] = MCPServer("notes")

    @notes.tool()
    async def transcribe(path: str, ctx: Context[Any]) -> str:
        await ctx.report_progress(1, 2, "half way")
        return f"what is said in {path}"

    terms: list[tuple[float | None, float | None]] = []
    real_request = SupervisedUpstream.request

    async def request(self: Any, method: str, *args: Any, **options: Any) -> Any:
        if method == "tools/call":
            terms.append((options["timeout"], options["limit"]))
        return await real_request(self, method, *args, **options)

    monkeypatch.setattr(SupervisedUpstream, "request", request)
    said: list[str] = []
    async with Host() as host:
        server = await host.connect("notes", notes)
        call = await run_page("servers.md")["transcribe"](server, "talk.wav", said.append)
    assert call.result["content"][0]["text"] == "what is said in talk.wav"
    assert said == ["1 of 2: half way"]
    assert terms == [(1800, 21600)]
