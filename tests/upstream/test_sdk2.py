"""The door to the mcp 2.x SDK: in process, over stdio, over HTTP; results lossless; failures in one line."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.server import Server, ServerRequestContext
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams

from fanlight.errors import RpcError, UpstreamError
from fanlight.host.serve import bind_loopback, serving
from fanlight.upstream import (
    ClientIdentity,
    HttpTarget,
    ObjectTarget,
    StdioTarget,
    Target,
    Upstream,
    open_upstream,
)
from fanlight.upstream.targets import parse_target
from fanlight.wire.versions import EXTENSION_ID, MIME_TYPE

ECHO = Path(__file__).with_name("echo_server.py")
ME = ClientIdentity("test-host", "9.9")


@asynccontextmanager
async def connected(target: Target) -> AsyncIterator[Upstream]:
    upstream = await open_upstream("echo", target, ME, timeout=20)
    try:
        yield upstream
    finally:
        await upstream.aclose()


def stdio(*args: str) -> StdioTarget:
    return StdioTarget(sys.executable, (str(ECHO), *args))


def in_process() -> Target:
    return parse_target(str(ECHO))["echo_server"]


def echo_app() -> Any:
    target = in_process()
    assert isinstance(target, ObjectTarget)
    server: Any = target.server
    return server.streamable_http_app()


@pytest.mark.parametrize("make", [in_process, stdio], ids=["in-process", "stdio"])
async def test_a_server_is_listed_and_called(make: Any) -> None:
    async with connected(make()) as upstream:
        assert upstream.server_info["name"] == "echo"
        assert upstream.capabilities["tools"] is not None
        listed = await upstream.request("tools/list")
        assert [tool["name"] for tool in listed["tools"]] == ["echo", "pid", "slow"]
        result = await upstream.request("tools/call", {"name": "echo", "arguments": {"text": "hej"}})
        assert result["content"] == [{"type": "text", "text": "hej"}]


@pytest.mark.parametrize("make", [in_process, stdio], ids=["in-process", "stdio"])
async def test_progress_arrives_while_the_call_runs(make: Any) -> None:
    seen: list[tuple[float, float | None, str | None]] = []

    async def on_progress(done: float, total: float | None, message: str | None) -> None:
        seen.append((done, total, message))

    async with connected(make()) as upstream:
        await upstream.request("tools/call", {"name": "slow", "arguments": {}}, on_progress=on_progress)
    assert seen == [(1, 2, "half")]


async def test_a_server_over_http_is_listed_and_called() -> None:
    app = echo_app()

    async with (
        app.router.lifespan_context(app),
        serving(app, bind_loopback(0)) as port,
        connected(HttpTarget(f"http://127.0.0.1:{port}/mcp", {"X-Test": "1"})) as upstream,
    ):
        result = await upstream.request("tools/call", {"name": "echo", "arguments": {"text": "æ" * 600_000}})
    # Over the SDK's default limit of 1 MiB an event.
    assert len(result["content"][0]["text"]) == 600_000


async def test_a_stdio_child_is_gone_after_close() -> None:
    async with connected(stdio()) as upstream:
        result = await upstream.request("tools/call", {"name": "pid", "arguments": {}})
        child = int(result["content"][0]["text"])
        os.kill(child, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


async def test_an_error_answer_keeps_its_code() -> None:
    async with connected(in_process()) as upstream:
        with pytest.raises(RpcError) as caught:
            await upstream.request("no/such-method")
        assert caught.value.code == -32601


async def test_the_extension_is_advertised_and_unknown_result_fields_survive() -> None:
    """Holds: R11, R12."""
    seen: list[Any] = []

    async def list_tools(
        context: ServerRequestContext[Any], params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(tools=[])

    async def call_tool(context: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        capabilities = context.session.client_params
        seen.append(capabilities and capabilities.capabilities.extensions)
        result = {
            "content": [{"type": "text", "text": "t"}],
            "structuredContent": {"a": [1]},
            "_meta": {"private": {"b": 2}},
        }
        return CallToolResult.model_validate(result)

    server = Server("raw", on_list_tools=list_tools, on_call_tool=call_tool)
    async with connected(ObjectTarget(server)) as upstream:
        result = await upstream.request("tools/call", {"name": "x", "arguments": {}})
    assert result["structuredContent"] == {"a": [1]}
    assert result["_meta"]["private"] == {"b": 2}
    assert seen == [{EXTENSION_ID: {"mimeTypes": [MIME_TYPE]}}]


@pytest.mark.parametrize(
    ("target", "word"),
    [
        (StdioTarget("no-such-command-anywhere"), "no command 'no-such-command-anywhere'"),
        (StdioTarget(str(ECHO)), "may not be executed"),
        (stdio("--die"), "licence file is missing"),
        (stdio("--quiet"), "wrote nothing"),
        (HttpTarget("http://127.0.0.1:9/mcp"), "refused the connection"),
        (ObjectTarget(object()), "not an MCP server"),
    ],
    ids=[
        "unknown command",
        "not executable",
        "exits with a word",
        "exits silently",
        "refused URL",
        "wrong object",
    ],
)
async def test_a_server_that_cannot_be_reached_says_why_in_one_line(target: Target, word: str) -> None:
    with pytest.raises(UpstreamError, match=word) as caught:
        await open_upstream("broken", target, ME, timeout=20)
    assert "\n" not in str(caught.value)


async def test_a_server_that_never_answers_is_given_up() -> None:
    silent = StdioTarget(sys.executable, ("-c", "import sys; sys.stdin.read()"))
    with pytest.raises(UpstreamError, match="did not answer within"):
        await open_upstream("silent", silent, ME, timeout=0.5)


async def test_after_close_every_request_fails_at_once() -> None:
    upstream = await open_upstream("echo", in_process(), ME)
    await upstream.aclose()
    await upstream.aclose()
    with pytest.raises(UpstreamError, match="closed"):
        await upstream.request("tools/list")
