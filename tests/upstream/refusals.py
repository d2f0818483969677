"""What holds for both SDKs when an HTTP server refuses a message; `test_http_status.py` runs it with each."""

from __future__ import annotations

import asyncio
import json

import pytest
from raw_http import RawHttp
from starlette.types import Message, Receive, Scope, Send
from upstream_contract import call, opened

from fanlight.errors import RpcError, UpstreamError
from fanlight.upstream import HttpTarget, UpstreamState

HTML = (b"text/html", b"<h1>no</h1>")
JSON = (b"application/json", b'{"detail": "no"}')
SAID = {"jsonrpc": "2.0", "id": None, "error": {"code": -32001, "message": "not today", "data": 7}}


class Refusing:
    """The raw server behind a proxy that answers some messages itself."""

    def __init__(self, status: int, kind: bytes, body: bytes) -> None:
        self.raw = RawHttp()
        self._inner, self.raw.app = self.raw.app, self  # type: ignore[assignment]
        self._status, self._kind, self._body = status, kind, body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        messages: list[Message] = []
        if scope["type"] == "http" and scope["method"] == "POST":
            messages.append(await receive())
            while messages[-1].get("more_body"):
                messages.append(await receive())
        if b"refuse me" in b"".join(message.get("body", b"") for message in messages):
            headers = [(b"content-type", self._kind)]
            await send({"type": "http.response.start", "status": self._status, "headers": headers})
            await send({"type": "http.response.body", "body": self._body})
            return

        async def again() -> Message:
            return messages.pop(0) if messages else await receive()

        await self._inner(scope, again, send)


@pytest.mark.parametrize(
    ("status", "answer", "words"),
    [
        (413, HTML, "HTTP status 413 Request Entity Too Large: send less at once"),
        (401, JSON, "HTTP status 401 Unauthorized: give the headers or the auth that it wants"),
        (429, HTML, "HTTP status 429 Too Many Requests: ask less often"),
        (500, HTML, "HTTP status 500 Internal Server Error"),
        (502, JSON, "HTTP status 502 Bad Gateway"),
        (599, HTML, "HTTP status 599"),
    ],
)
async def test_the_status_is_said_and_the_neighbour_keeps_its_call(
    status: int, answer: tuple[bytes, bytes], words: str
) -> None:
    async with (
        Refusing(status, *answer).raw.served() as origin,
        opened(HttpTarget(f"{origin}/mcp")) as upstream,
    ):
        states: list[UpstreamState] = []
        upstream.on_state(lambda state, reason: states.append(state))
        neighbour = asyncio.create_task(call(upstream, "hang"))
        with pytest.raises(RpcError) as refused:
            await call(upstream, "echo", a="refuse me")
        assert refused.value.message == f"the server answered with {words}"
        assert refused.value.data == {"status": status}
        assert (await call(upstream, "echo", a=1))["structuredContent"] == {"given": {"a": 1}}
        assert not neighbour.done()
        neighbour.cancel()
        assert states == []


async def test_an_error_that_the_server_said_itself_is_handed_on() -> None:
    async with (
        Refusing(400, b"application/json", json.dumps(SAID).encode()).raw.served() as origin,
        opened(HttpTarget(f"{origin}/mcp")) as upstream,
    ):
        with pytest.raises(RpcError) as refused:
            await call(upstream, "echo", a="refuse me")
        assert (refused.value.code, refused.value.message, refused.value.data) == (-32001, "not today", 7)
        assert (await call(upstream, "echo", a=1))["structuredContent"] == {"given": {"a": 1}}


async def test_a_server_that_refuses_everybody_is_told_with_the_status() -> None:
    raw = RawHttp()
    raw.refuse_with = 401
    async with raw.served() as origin:
        with pytest.raises(UpstreamError, match="HTTP status 401 Unauthorized"):
            async with opened(HttpTarget(f"{origin}/mcp")):
                pass
