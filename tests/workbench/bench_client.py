"""A browser in Python for the workbench's API: its cookie, its key, its Origin."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from page_client import http_client

from fanlight.host import Host
from fanlight.host.serve import bind_loopback, serving
from fanlight.workbench.app import Workbench

TOKEN = "the-token-of-this-run"
NAME = "fanlight.localhost"

__all__ = ["NAME", "TOKEN", "browser", "serving_workbench"]


@asynccontextmanager
async def browser(port: int, token: str | None = TOKEN) -> AsyncIterator[httpx.AsyncClient]:
    """A page of the workbench; with a token it gets itself a pass first."""
    own = {"Host": f"{NAME}:{port}", "Origin": f"http://{NAME}:{port}"}
    async with http_client(base_url=f"http://127.0.0.1:{port}", headers=own) as client:
        if token is not None:
            response = await client.post("/api/pass", json={"token": token})
            assert response.status_code == 201, response.text
            # The cookie is for the name in the Host header; the client only knows the address.
            name, _, value = response.headers["set-cookie"].partition(";")[0].partition("=")
            client.cookies.clear()
            client.headers["Cookie"] = f"{name}={value}"
            client.headers["Authorization"] = f"Bearer {response.json()['key']}"
        yield client


@asynccontextmanager
async def serving_workbench(**servers: Any) -> AsyncIterator[tuple[int, Workbench]]:
    """A workbench on these servers; its first link has the token `TOKEN`."""
    async with Host() as host:
        for name, server in servers.items():
            await host.connect(name, server)
        bench = Workbench(host, TOKEN)
        async with serving(bench.asgi(), bind_loopback(0)) as port:
            yield port, bench
