"""The workbench's API: its own page in a browser with a pass, and nobody else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from bench_client import NAME, TOKEN, browser, serving_workbench
from raw_request import ask
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from fanlight.demos.clock import server as clock
from fanlight.workbench.app import Workbench


@asynccontextmanager
async def workbench() -> AsyncIterator[tuple[httpx.AsyncClient, int, Workbench]]:
    async with serving_workbench(clock=clock) as (port, bench), browser(port) as client:
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
        ({"Authorization": f"Bearer {TOKEN}"}, 401),
        ({"Authorization": "Basic abc"}, 401),
        ({"Cookie": ""}, 401),
        ({"Cookie": "fanlight_pass=wrong"}, 401),
        ({"Host": "evil.example"}, 421),
        ({"Host": "sandbox.fanlight.localhost"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://fanlight.localhost:1"}, 403),
        ({"Origin": "null"}, 403),
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


@pytest.mark.parametrize("path", ["/nothing.js", "/panels", "/panels/", "/app.py", "/static/index.html"])
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


async def test_a_pass_is_a_cookie_that_scripts_and_other_names_do_not_get_and_a_key() -> None:
    async with serving_workbench() as (port, _), browser(port, None) as client:
        response = await client.post("/api/pass", json={"token": TOKEN})
        assert response.status_code == 201
        (cookie,) = response.headers.get_list("set-cookie")
        words = {word.strip().lower() for word in cookie.split(";")[1:]}
        assert words == {"httponly", "path=/", "samesite=strict"}  # no Domain: for this name only
        assert cookie.startswith(f"fanlight_pass_{port}=")
        assert response.json()["key"] not in cookie
        again = await client.post("/api/pass", json={"token": TOKEN})
    assert again.status_code == 410
    assert "works once" in again.json()["error"]["message"]
    assert "Press Enter" in again.json()["error"]["remedy"]
    assert "set-cookie" not in again.headers


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": None}, 403),
        ({"Host": "evil.example"}, 421),
    ],
)
async def test_a_stranger_cannot_use_up_the_link(headers: dict[str, str | None], status: int) -> None:
    async with serving_workbench() as (port, _), browser(port, None) as client:
        for name, value in headers.items():
            del client.headers[name]
            if value is not None:
                client.headers[name] = value
        response = await client.post("/api/pass", json={"token": TOKEN})
        assert response.status_code == status
        async with browser(port):
            pass


async def test_changes_need_an_origin_and_reads_of_the_own_page_do_not() -> None:
    async with workbench() as (client, _, _):
        del client.headers["Origin"]
        assert (await client.get("/api/state")).status_code == 200
        assert (await client.get("/api/state", headers={"Sec-Fetch-Site": "same-site"})).status_code == 403
        assert (await client.post("/api/calls", json={})).status_code == 403
        assert (await client.delete("/api/views/x")).status_code == 403


async def test_the_halves_of_two_browsers_do_not_fit() -> None:
    async with (
        serving_workbench() as (port, bench),
        browser(port) as one,
        browser(port, bench.passes.new_token()) as two,
    ):
        assert (await one.get("/api/state")).status_code == 200
        assert (await two.get("/api/state")).status_code == 200
        mixed = {"Cookie": one.headers["Cookie"], "Authorization": two.headers["Authorization"]}
        assert (await two.get("/api/state", headers=mixed)).status_code == 401


async def test_a_cookie_that_a_view_put_before_ours_changes_nothing() -> None:
    async with workbench() as (client, _, _):
        own = client.headers["Cookie"]
        name = own.partition("=")[0]
        tossed = "; ".join([f"{name}=tossed", f"{name}=", name, own, f"{name}=after"])
        assert (await client.get("/api/state", headers={"Cookie": tossed})).status_code == 200


@pytest.mark.parametrize(
    ("content", "status", "word"),
    [
        (b"x" * (9 << 20), 413, "larger than"),
        (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, 400, "deeper than"),
        (b"\xff\xfe", 400, "not valid JSON"),
        (b"[" * 200_000, 400, "deeper than"),
    ],
    ids=["large", "deep", "not-utf-8", "open-brackets"],
)
async def test_a_body_that_is_no_request_is_refused(content: bytes, status: int, word: str) -> None:
    async with workbench() as (client, _, _):
        response = await client.post("/api/calls", content=content)
    assert response.status_code == status
    assert word in response.json()["error"]["message"]


async def test_a_body_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fanlight.workbench.app._BODY_SECONDS", 0.2)
    async with serving_workbench() as (port, _):
        own = (f"Host: {NAME}:{port}", f"Origin: http://{NAME}:{port}", "Content-Length: 100")
        assert (await ask(port, "/api/pass", *own, method="POST")).status == 408


async def test_a_socket_needs_the_cookie_of_a_pass() -> None:
    async with workbench() as (client, port, _):
        address = f"ws://{NAME}:{port}/apps/socket"
        here: dict[str, Any] = {"host": "127.0.0.1", "port": port, "proxy": None}
        origin: Any = f"http://{NAME}:{port}"
        for cookie in ("", "fanlight_pass=wrong", f"fanlight_pass_{port}=wrong"):
            with pytest.raises(InvalidStatus) as caught:
                await connect(address, origin=origin, additional_headers={"Cookie": cookie}, **here)
            assert caught.value.response.status_code == 401
        own = {"Cookie": client.headers["Cookie"]}
        async with connect(address, origin=origin, additional_headers=own, **here) as talk:
            assert '"hello"' in str(await talk.recv())
        foreign: Any = "http://evil.example"
        with pytest.raises(InvalidStatus) as caught:
            await connect(address, origin=foreign, additional_headers=own, **here)
        assert caught.value.response.status_code == 403
