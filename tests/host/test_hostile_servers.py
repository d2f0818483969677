"""Servers that mean harm, or are broken: each gets a clear outcome, and nobody else suffers."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from page_client import WAIT, eventually, page, served
from raw_request import ask
from two_servers import make_server

from fanlight.errors import ConfigError, FanlightError
from fanlight.host import Host, Server, Verdict, View
from fanlight.testing.upstream import ScriptedUpstream
from fanlight.upstream import Catalog, ServerLimits
from fanlight.wire.versions import MIME_TYPE

LINES = [sys.executable, str(Path(__file__).with_name("hostile_lines.py"))]
URI = "ui://bad/view"
TOOL = {"name": "show", "inputSchema": {"type": "object"}, "_meta": {"ui": {"resourceUri": URI}}}


def document(**fields: Any) -> dict[str, Any]:
    return {"contents": [{"uri": URI, "mimeType": MIME_TYPE, "text": "<!doctype html>", **fields}]}


async def scripted(host: Host, **answers: Any) -> Server:
    """A server that says exactly this."""
    upstream = ScriptedUpstream(
        {
            "tools/list": {"tools": [TOOL]},
            "tools/call": {"content": []},
            "resources/read": document(),
            "resources/list": {"resources": []},
            **{name.replace("_", "/"): answer for name, answer in answers.items()},
        }
    )
    catalog = Catalog("bad", upstream, host.server_limits)
    await catalog.refresh()
    server = Server(host, "bad", upstream, catalog)
    host.servers["bad"] = server
    return server


def nested(depth: int) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value


async def view_of(server: Server) -> View:
    view = server.start_call("show").view
    assert view is not None
    return view


async def is_read(view: View) -> None:
    """Its document is there, and nothing is wrong with it."""
    await eventually(lambda: view.document is not None or view.verdict is not Verdict.PENDING)
    assert view.document is not None
    assert view.verdict is Verdict.PENDING


# Results


@pytest.mark.parametrize("tool", ["deep", "broken", "list"])
async def test_an_answer_that_cannot_be_read_fails_its_call_at_once(tool: str) -> None:
    """Ten thousand levels: the SDK's reader gives up, and nobody waits five minutes for a silent tool."""
    async with Host() as host:
        server = await host.connect("lines", LINES)
        async with asyncio.timeout(WAIT):
            if tool == "broken":  # no message at all: only the deadline can tell
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(server.call_tool(tool), 0.2)
            else:
                with pytest.raises(FanlightError):
                    await server.call_tool(tool)
        pid = (await server.call_tool("pid")).result["content"][0]["text"]
        assert pid.isdecimal()


@pytest.mark.parametrize(
    ("poison", "why"),
    [(nested(10_000), "too deeply"), (float("nan"), "not JSON"), (b"bytes", "not JSON")],
    ids=["deep", "nan", "bytes"],
)
async def test_a_result_that_cannot_be_written_is_an_error_for_the_view(poison: Any, why: str) -> None:
    """Both ways: the result of the view's own call, and the answer to one that the view makes."""
    async with Host(ask="allow") as host, served(host) as port:
        server = await scripted(host, tools_call={"content": [], "structuredContent": {"x": poison}})
        async with page(port, await view_of(server)) as client:
            await client.comes_up()
            told = [
                frame["message"]["params"]
                for frame in client.frames
                if frame["op"] == "message" and frame["message"].get("method", "").endswith("tool-result")
            ] or [await client.hears("ui/notifications/tool-result")]
            assert told[0]["isError"] is True
            assert why in told[0]["content"][0]["text"]
            answer = await client.asks("tools/call", {"name": "show", "arguments": {}})
            assert why in answer["error"]["message"]
            assert "result" in await client.asks("ping")


async def test_not_a_number_over_pipes_is_an_error_for_the_view_too() -> None:
    """A browser cannot read `NaN`: one such frame would break the socket again and again, for every view."""
    async with Host(ask="allow") as host, served(host) as port:
        server = await host.connect("lines", LINES)
        async with page(port, await view_of(server)) as client:
            await client.comes_up()
            answer = await client.asks("tools/call", {"name": "nan", "arguments": {}})
            assert "error" in answer
            assert "result" in await client.asks("ping")


async def test_a_view_cannot_break_the_connection_of_a_server_with_deep_arguments() -> None:
    async with Host(ask="allow") as host, served(host) as port:
        server = await host.connect("lines", LINES)
        before = (await server.call_tool("pid")).result
        with pytest.raises(ConfigError, match="deeper than 150"):
            await server.call_tool("pid", {"x": nested(300)})
        async with page(port, await view_of(server)) as client:
            await client.comes_up()
            answer = await client.asks("tools/call", {"name": "pid", "arguments": {"x": nested(300)}})
            assert "deeper than 150" in answer["error"]["message"]
            answer = await client.asks("tools/call", {"name": "pid", "arguments": {}})
        assert answer["result"]["content"] == before["content"]  # the same process


async def test_a_giant_result_arrives() -> None:
    text = "x" * (20 << 20)
    async with Host() as host, served(host) as port:
        server = await scripted(host, tools_call={"content": [{"type": "text", "text": text}]})
        async with page(port, await view_of(server)) as client:
            client.patience = 30
            await client.comes_up()
            seen = [
                frame["message"]["params"]
                for frame in client.frames
                if frame["op"] == "message" and frame["message"].get("method", "").endswith("tool-result")
            ] or [await client.hears("ui/notifications/tool-result")]
            assert len(seen[0]["content"][0]["text"]) == len(text)


# Documents


@pytest.mark.parametrize(
    "meta",
    [
        5,
        "x",
        [],
        {"ui": 5},
        {"ui": []},
        {"ui": {"csp": 5}},
        {"ui": {"csp": []}},
        {"ui": {"csp": "default-src *"}},
        {"ui": {"csp": {"connectDomains": 5}}},
        {"ui": {"csp": {"connectDomains": {"a": 1}}}},
        {"ui": {"csp": {"connectDomains": [None, 5, [], {}, "x" * 100_000, "\ud800", "https://a\r\nX: y"]}}},
        {"ui": {"csp": {"resourceDomains": nested(5000)}}},
        {"ui": {"csp": {"connectDomains": ["https://a.example"] * 5000}}},
        {"ui": {"permissions": 5}},
        {"ui": {"permissions": ["camera"]}},
        {"ui": {"permissions": {"camera": 5, "x" * 100_000: {}}}},
        {"ui": {"domain": 5}},
        {"ui": {"domain": "evil.example\r\nSet-Cookie: a=b"}},
        {"ui": {"prefersBorder": "yes"}},
        {"ui": {"csp": {"connectDomains": [float("nan")]}}},
    ],
)
async def test_whatever_a_resource_declares_there_is_a_verdict(meta: Any) -> None:
    """Either the app is shown under a policy, or it is said why not; nothing hangs, nothing is injected."""
    async with Host() as host, served(host) as port:
        server = await scripted(host, resources_read=document(_meta=meta))
        async with page(port, await view_of(server)) as client:
            await client.attach()
            frame = await client.until(
                lambda frame: (
                    frame["op"] == "mount" or (frame["op"] == "verdict" and frame["verdict"] != "pending")
                )
            )
            if frame["op"] == "mount":
                target = frame["src"].partition(f":{port}")[2]
                answer = await ask(port, target, f"Host: sandbox.fanlight.localhost:{port}")
                assert answer.status == 200
                assert "set-cookie" not in answer.headers
            else:
                assert frame["verdict"] == "read-failed"
                assert frame["remedy"]


@pytest.mark.parametrize("extra", [0, 1])
async def test_a_document_above_the_limit_has_a_verdict_that_says_what_to_change(extra: int) -> None:
    """Bytes count, not characters."""
    limits = ServerLimits(document_size=1000)
    async with Host(server_limits=limits) as host:
        text = "ø" * 500 + "x" * extra
        server = await scripted(host, resources_read=document(text=text))
        view = await view_of(server)
        if extra:
            outcome = await view.until_ready(WAIT)
            assert outcome.verdict is Verdict.READ_FAILED
            assert outcome.reason is not None
            assert "1001 bytes" in outcome.reason
            assert outcome.remedy is not None
            assert "document_size" in outcome.remedy
        else:
            await is_read(view)


def test_a_limit_of_nothing_is_a_mistake() -> None:
    with pytest.raises(ConfigError, match="document_size"):
        ServerLimits(document_size=0)


async def test_a_resource_that_never_answers_has_a_verdict() -> None:
    async with Host(server_limits=ServerLimits(read_seconds=0.2)) as host:
        server = await host.connect("lines", LINES)
        silent = server.start_call("never").view
        assert silent is not None
        outcome = await silent.until_ready(WAIT)
        assert outcome.verdict is Verdict.READ_FAILED
        assert outcome.reason is not None
        assert "resources/read" in outcome.reason
        assert outcome.remedy == "make the server answer that resource (R07)"


@pytest.mark.parametrize(
    "uri", ["ui://other/view", "https://bad/view", "ui://bad/view/../other", "ui://bad", 5, None, ""]
)
async def test_what_stands_under_another_address_is_not_shown(uri: Any) -> None:
    async with Host() as host:
        server = await scripted(host, resources_read=document(uri=uri))
        outcome = await (await view_of(server)).until_ready(WAIT)
        assert outcome.verdict is Verdict.READ_FAILED
        assert outcome.reason is not None
        assert "another resource" in outcome.reason


@pytest.mark.parametrize("uri", [URI, URI + "/", URI.upper()])
async def test_spellings_of_the_same_address_are(uri: str) -> None:
    async with Host() as host:
        server = await scripted(host, resources_read=document(uri=uri))
        await is_read(await view_of(server))


async def test_equal_addresses_of_two_servers_are_two_apps_with_storage_of_their_own() -> None:
    """`ui://` names of another server lead to the own server, and to an origin of its own."""
    origins = set()
    async with Host() as host, served(host) as port:
        for name in ("one", "two"):
            server = await host.connect(name, make_server(name))
            async with page(port, await view_of(server)) as client:
                await client.attach()
                target = str((await client.op("mount"))["src"]).partition(f":{port}")[2]
                proxy = await ask(port, target, f"Host: sandbox.fanlight.localhost:{port}")
                found = re.search(r'data-view-origin="([^"]+)"', proxy.body)
                assert found is not None
                origins.add(found[1])
    assert len(origins) == 2


async def test_many_apps_are_not_all_read_before_somebody_asks() -> None:
    tools = [
        {
            "name": f"t{n}",
            "_meta": {"ui": {"resourceUri": f"ui://bad/{n:05}"}},
            "inputSchema": {"type": "object"},
        }
        for n in range(1000)
    ]
    asked: list[str] = []

    async def read(params: Any) -> dict[str, Any]:
        asked.append(params["uri"])
        return {"contents": [{"uri": params["uri"], "mimeType": MIME_TYPE, "text": "x" * 1000}]}

    async with Host(server_limits=ServerLimits(documents=20, kept_size=5000)) as host:
        server = await scripted(host, tools_list={"tools": tools}, resources_read=read)
        server._catalog.prefetch()
        await eventually(lambda: len(asked) >= 20 and not server._catalog._reads)
        assert len(asked) == 20
        assert len(server._catalog._documents) == 5
