"""A page and a view in Python: what `host.js`, `sandbox.js` and an app do together, without a browser.

It goes through the real server, the real socket and the real addresses; only the rendering is missing.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
from starlette.applications import Starlette
from starlette.routing import Mount
from websockets.asyncio.client import ClientConnection, connect

from fanlight.host import Host, View
from fanlight.host.serve import bind_loopback, serving

WAIT = 5.0
HOST_NAME = "fanlight.localhost"


@asynccontextmanager
async def served(host: Host) -> AsyncIterator[int]:
    """The host on a free port, mounted as a program would mount it."""
    app = Starlette(routes=[Mount(host.mount, app=host.asgi())])
    async with serving(app, bind_loopback(0)) as port:
        yield port


async def get(port: int, path: str, host: str = HOST_NAME, **headers: str) -> httpx.Response:
    async with httpx.AsyncClient(trust_env=False) as client:
        return await client.get(
            f"http://127.0.0.1:{port}{path}", headers={"Host": f"{host}:{port}", **headers}
        )


class PageClient:
    """One page with one view in it."""

    def __init__(self, socket: ClientConnection, view: View) -> None:
        self.view = view
        self.frames: list[dict[str, Any]] = []
        self._socket = socket
        self._next_id = 0

    async def send(self, op: str, **fields: Any) -> None:
        await self._socket.send(json.dumps({"op": op, "view": self.view.id, **fields}))

    async def attach(self, token: str | None = None, **context: Any) -> None:
        await self.send("attach", token=self.view.token if token is None else token, context=context)

    async def until(self, wanted: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """The next frame that fits, keeping all others for later looks."""
        async with asyncio.timeout(WAIT):
            while True:
                frame: dict[str, Any] = json.loads(await self._socket.recv())
                self.frames.append(frame)
                if wanted(frame):
                    return frame

    async def op(self, name: str) -> dict[str, Any]:
        return await self.until(lambda frame: frame["op"] == name)

    async def verdict(self, word: str) -> dict[str, Any]:
        return await self.until(lambda frame: frame["op"] == "verdict" and frame["verdict"] == word)

    async def hears(self, method: str) -> dict[str, Any]:
        frame = await self.until(
            lambda frame: frame["op"] == "message" and frame["message"].get("method") == method
        )
        params: dict[str, Any] = frame["message"]["params"]
        return params

    async def says(self, message: Any) -> None:
        await self.send("message", message=message)

    async def notifies(self, method: str, params: dict[str, Any] | None = None) -> None:
        await self.says({"jsonrpc": "2.0", "method": method, "params": params or {}})

    async def asks(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """A request of the view and the whole answer to it."""
        request_id, self._next_id = self._next_id, self._next_id + 1
        await self.says({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params or {}})
        frame = await self.until(
            lambda frame: frame["op"] == "message" and frame["message"].get("id") == request_id
        )
        answer: dict[str, Any] = frame["message"]
        return answer

    async def comes_up(self) -> dict[str, Any]:
        """Attach, load, shake hands: the way of every well-behaved view. Returns the initialize result."""
        await self.attach(theme="light")
        await self.op("mount")
        await self.send("signal", name="proxy-ready")
        answer = await self.asks(
            "ui/initialize",
            {
                "appInfo": {"name": "t", "version": "1"},
                "appCapabilities": {},
                "protocolVersion": "2026-01-26",
            },
        )
        await self.notifies("ui/notifications/initialized")
        await self.verdict("ok")
        result: dict[str, Any] = answer["result"]
        return result


@asynccontextmanager
async def page(port: int, view: View, origin: str | None = None) -> AsyncIterator[PageClient]:
    """Open the page socket as a browser on the host page would."""
    own = f"http://{HOST_NAME}:{port}"
    async with connect(
        f"ws://{HOST_NAME}:{port}/apps/socket",
        host="127.0.0.1",  # names under localhost resolve in browsers only
        port=port,
        origin=own if origin is None else origin,  # type: ignore[arg-type]
        proxy=None,
    ) as socket:
        yield PageClient(socket, view)
