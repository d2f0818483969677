"""The server of `fanlight run` and `Host.sync`: nobody stands before it, so nobody is believed to."""

from __future__ import annotations

from page_client import get
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from fanlight.host.serve import bind_loopback, serving


async def test_a_client_cannot_choose_its_address() -> None:
    """The tries of an access token are counted by address."""

    async def who(request: Request) -> PlainTextResponse:
        assert request.client is not None
        return PlainTextResponse(f"{request.client.host} {request.url.scheme}")

    async with serving(Starlette(routes=[Route("/", who)]), bind_loopback(0)) as port:
        forwarded = {"X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "https"}
        answer = await get(port, "/", **forwarded)
    assert answer.text == "127.0.0.1 http"
