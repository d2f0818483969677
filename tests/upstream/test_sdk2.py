"""The door to the mcp 2.x SDK beyond the contract: failures in one line, what the modern era demands."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from raw_http import RawHttp
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from upstream_contract import ME, call, opened, said, seen

from fanlight.errors import ConfigError, UpstreamError
from fanlight.upstream import HttpTarget, ObjectTarget, SseTarget, StdioTarget, Target, open_upstream

ECHO = Path(__file__).with_name("echo_server.py")


def stdio(*args: str) -> StdioTarget:
    return StdioTarget(sys.executable, (str(ECHO), *args))


@pytest.mark.parametrize(
    ("target", "word"),
    [
        (StdioTarget("no-such-command-anywhere"), "no command 'no-such-command-anywhere'"),
        (StdioTarget(str(ECHO)), "may not be executed"),
        (stdio("--die"), "licence file is missing"),
        (stdio("--quiet"), "wrote nothing"),
        (HttpTarget("http://127.0.0.1:9/mcp"), "refused the connection"),
        (SseTarget("http://127.0.0.1:9/sse"), "refused the connection"),
    ],
    ids=[
        "unknown command",
        "not executable",
        "exits with a word",
        "exits silently",
        "refused URL",
        "refused SSE URL",
    ],
)
async def test_a_server_that_cannot_be_reached_says_why_in_one_line(target: Target, word: str) -> None:
    with pytest.raises(UpstreamError, match=word) as caught:
        await open_upstream("broken", target, ME, timeout=20)
    assert "\n" not in str(caught.value)


async def test_an_object_that_is_no_server_is_named() -> None:
    with pytest.raises(ConfigError, match="object is not an MCP server or client"):
        await open_upstream("broken", ObjectTarget(object()), ME)


async def test_a_server_that_never_answers_is_given_up() -> None:
    silent = StdioTarget(sys.executable, ("-c", "import sys; sys.stdin.read()"))
    with pytest.raises(UpstreamError, match="did not answer within"):
        await open_upstream("silent", silent, ME, timeout=0.5)


async def test_a_server_of_the_sdk_answers_over_its_pipes() -> None:
    async with opened(stdio()) as upstream:
        assert upstream.server_info["name"] == "echo"
        assert said(await call(upstream, "echo", text="hej")) == "hej"


async def test_a_server_of_the_sdk_answers_more_than_1_mib_over_http() -> None:
    from echo_server import mcp

    app: Any = mcp.streamable_http_app()
    async with (
        app.router.lifespan_context(app),
        served(app) as origin,
        opened(HttpTarget(f"{origin}/mcp"), "handshake") as upstream,
    ):
        assert len(said(await call(upstream, "echo", text="æ" * 600_000))) == 600_000


def served(app: Any) -> Any:
    http = RawHttp()
    http.app = app
    return http.served()


async def test_the_modern_era_sends_marked_arguments_as_headers_and_drops_impossible_tools() -> None:
    http = RawHttp("modern")
    marked = {"type": "string", "x-mcp-header": "Region"}
    http.server.tools[6]["inputSchema"] = {"type": "object", "properties": {"region": marked}}
    wrong = {"type": "object", "properties": {"a": {"type": "object", "x-mcp-header": "No Token"}}}
    http.server.tools[0]["inputSchema"] = wrong
    async with http.served() as origin, opened(HttpTarget(f"{origin}/mcp")) as upstream:
        names = [tool["name"] for tool in (await upstream.request("tools/list"))["tools"]]
        result = await call(upstream, "seen", region="eu")
        assert '"mcp-param-region": "eu"' in said(result)
        assert (await seen(upstream))["headers"]["mcp-name"] == "seen"
    assert "seen" in names
    assert "echo" not in names


async def test_an_older_server_may_not_send_messages_to_another_origin() -> None:
    http = RawHttp()

    async def elsewhere(request: Request) -> Response:
        async def events() -> Any:
            yield "event: endpoint\ndata: http://elsewhere.example/messages\n\n"

        return StreamingResponse(events(), media_type="text/event-stream")

    http.app.router.routes.insert(0, Route("/sse", elsewhere))
    async with http.served() as origin:
        with pytest.raises(UpstreamError, match=r"another origin, http://elsewhere\.example"):
            await open_upstream("foreign", SseTarget(f"{origin}/sse"), ME, timeout=20)
