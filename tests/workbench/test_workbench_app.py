"""The workbench's API: its own page with the run's token, and nobody else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from fanlight.demos.clock import server as clock
from fanlight.host import Host
from fanlight.host.serve import bind_loopback, serving
from fanlight.workbench.app import Workbench

TOKEN = "the-token-of-this-run"


@asynccontextmanager
async def workbench() -> AsyncIterator[tuple[httpx.AsyncClient, int, Workbench]]:
    async with Host() as host:
        await host.connect("clock", clock)
        bench = Workbench(host, TOKEN)
        async with serving(bench.asgi(), bind_loopback(0)) as port:
            headers = {"Host": f"fanlight.localhost:{port}", "Authorization": f"Bearer {TOKEN}"}
            async with httpx.AsyncClient(
                base_url=f"http://127.0.0.1:{port}", headers=headers, trust_env=False
            ) as client:
                yield client, port, bench


async def test_the_state_lists_servers_and_marks_apps() -> None:
    async with workbench() as (client, _, bench):
        bench.failed["other"] = "it did not start"
        state = (await client.get("/api/state")).json()
    connected, failed = state["servers"]
    assert (connected["name"], connected["status"], connected["title"]) == ("clock", "connected", "Clock")
    (tool,) = connected["tools"]
    assert (tool["name"], tool["hasApp"], tool["readOnly"]) == ("show_time", True, True)
    assert tool["visibility"] == ["model", "app"]
    assert (failed["name"], failed["status"], failed["error"]) == ("other", "failed", "it did not start")
    assert "start it again" in failed["remedy"]


async def test_a_tool_is_called_and_its_result_waited_for() -> None:
    async with workbench() as (client, _, bench):
        started = await client.post(
            "/api/calls", json={"server": "clock", "tool": "show_time", "arguments": {"timezone": "UTC"}}
        )
        assert started.status_code == 201
        call = started.json()
        done = (await client.get(f"/api/calls/{call['id']}")).json()
        assert done["status"] == "done"
        assert done["result"]["structuredContent"]["timezone"] == "UTC"
        assert bench.host.view(call["view"]["id"]) is not None
        assert (await client.delete(f"/api/views/{call['view']['id']}")).status_code == 204
        assert bench.host.view(call["view"]["id"]) is None


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({"server": "clock", "tool": "show_time", "arguments": {"timezone": 5}}, "argument timezone"),
        ({"server": "clock", "tool": "show_time", "arguments": []}, "JSON object"),
        ({"server": "clock", "tool": "nothing"}, "known: show_time"),
        ({"server": "nothing", "tool": "show_time"}, "no server named"),
        ({"server": 5}, "expected a string"),
        ([], "JSON object"),
        ("{", "not valid JSON"),
    ],
)
async def test_a_call_that_cannot_be_made_says_why(body: Any, word: str) -> None:
    async with workbench() as (client, _, _):
        response = await client.post(
            "/api/calls", **({"content": body} if isinstance(body, str) else {"json": body})
        )
    assert response.status_code == 400
    assert word in response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": f"Basic {TOKEN}"}, 401),
        ({"Host": "evil.example"}, 421),
        ({"Host": "sandbox.fanlight.localhost"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://fanlight.localhost:1"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
    ],
)
@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/api/state"), ("POST", "/api/calls"), ("DELETE", "/api/views/x")]
)
async def test_nobody_else_gets_an_answer(
    headers: dict[str, str], status: int, method: str, path: str
) -> None:
    async with workbench() as (client, _, _):
        assert (await client.request(method, path, headers=headers)).status_code == status


async def test_a_call_that_is_not_kept_is_said() -> None:
    async with workbench() as (client, _, _):
        assert (await client.get("/api/calls/unknown")).status_code == 404


@pytest.mark.parametrize(
    "path", ["/..%2fapp.py", "/%2e%2e/app.py", "/panels/../../app.py", "/nothing.js", "/panels"]
)
async def test_only_files_of_the_page_are_served(path: str) -> None:
    async with workbench() as (client, _, _):
        assert (await client.get(path)).status_code == 404


async def test_the_page_has_a_policy_without_inline_script_and_is_refused_under_other_names() -> None:
    async with workbench() as (client, port, _):
        page = await client.get("/")
        assert page.status_code == 200
        assert "unsafe-inline" not in page.headers["content-security-policy"]
        assert (
            f"frame-src http://sandbox.fanlight.localhost:{port};" in page.headers["content-security-policy"]
        )
        assert TOKEN not in page.text
        for path in ("/", "/workbench.js"):
            assert (await client.get(path, headers={"Host": "evil.example"})).status_code == 421
