"""A page and a view in Python: what `host.js`, `sandbox.js` and an app do together, without a browser.

It goes through the real server, the real socket and the real addresses; only the rendering is missing.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
from starlette.applications import Starlette
from starlette.routing import Mount
from websockets.asyncio.client import ClientConnection, connect

from fanlight.host import Host, View
from fanlight.host.link import WINDOW, Arrival, Link
from fanlight.host.serve import bind_loopback, serving

# The bound of one wait, for what always comes: a busy machine may stand still for seconds before it does.
WAIT = 30.0
HOST_NAME = "fanlight.localhost"


@asynccontextmanager
async def served(host: Host) -> AsyncIterator[int]:
    """The host on a free port, mounted as a program would mount it."""
    app = Starlette(routes=[Mount(host.mount, app=host.asgi())])
    async with serving(app, bind_loopback(0)) as port:
        yield port


async def eventually(check: Callable[[], bool]) -> None:
    """Wait until `check` holds, not for ever."""
    async with asyncio.timeout(WAIT):
        while not check():  # noqa: ASYNC110 - what is waited for has no event of its own
            await asyncio.sleep(0.005)


def http_client(**options: Any) -> httpx.AsyncClient:
    """A client for servers of this machine: patient, and without certificates, which take long to read."""
    return httpx.AsyncClient(trust_env=False, verify=False, timeout=WAIT, **options)


async def get(port: int, path: str, host: str = HOST_NAME, **headers: str) -> httpx.Response:
    async with http_client() as client:
        return await client.get(
            f"http://127.0.0.1:{port}{path}", headers={"Host": f"{host}:{port}", **headers}
        )


class PageClient:
    """One page with one view in it.

    `person` is what the person at the page answers when asked: "allow" or "deny" at once, or None: the test
    answers with `decides()`. The page itself does what it is told and says so, as `dialog.js` does.
    """

    def __init__(self, socket: ClientConnection, view: View) -> None:
        self.view = view
        self.person: str | None = "allow"
        self.page_says = "done"
        self.frames: list[dict[str, Any]] = []
        self._socket = socket
        self._next_id = 0
        self.link = Link("")
        # Seconds for one wait; a test that moves much needs more.
        self.patience = WAIT

    async def send(self, op: str, **fields: Any) -> None:
        """A numbered frame of this view's session."""
        self.link.push(json.dumps({"op": op, "view": self.view.id, **fields}))
        await self._pump()

    async def _pump(self) -> None:
        """Say what waits, as far as the window allows."""
        while self.link.kept - self.link.unsent < WINDOW.frames and (text := self.link.take()) is not None:
            await self._socket.send(text)

    async def control(self, op: str, **fields: Any) -> None:
        """A frame of the link itself."""
        await self._socket.send(
            json.dumps({"op": op, "view": self.view.id, "session": self.link.session, **fields})
        )

    async def attach(
        self, token: str | None = None, *, before: list[str] | None = None, **context: Any
    ) -> None:
        """Ask for the view, as a document that was just loaded."""
        self.link = Link(secrets.token_hex(12))
        given = self.view.token if token is None else token
        await self.control("attach", token=given, context=context, before=before or [])

    async def moves_to(self, socket: ClientConnection) -> None:
        """The old socket broke; the same document goes on with this one."""
        self._socket = socket
        await self.control("resume", token=self.view.token, got=self.link.got)
        await self.control_frame("resumed")

    async def control_frame(self, op: str) -> dict[str, Any]:
        return await self.until(lambda frame: frame["op"] == op)

    async def until(self, wanted: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """The next frame that fits, keeping all others for later looks."""
        async with asyncio.timeout(self.patience):
            while True:
                frame: dict[str, Any] = json.loads(await self._socket.recv())
                if not await self._is_news(frame):
                    continue
                self.frames.append(frame)
                await self._react(frame)
                if wanted(frame):
                    return frame

    async def _is_news(self, frame: dict[str, Any]) -> bool:
        """Do what the link asks for; False for a frame that means nothing to the page or came before."""
        if frame["op"] == "beat":
            await self._socket.send('{"op":"beat"}')
        if frame.get("session") != self.link.session:
            return frame["op"] in ("hello", "beat")
        if frame["op"] in ("attached", "resumed"):
            assert self.link.resume(frame["got"])
            await self._pump()
        elif frame["op"] == "refused" and not frame["again"]:
            del frame["again"], frame["session"]
            frame["op"] = "verdict"  # what the element is told
        elif "n" in frame:
            assert self.link.acknowledge(frame["got"])
            arrival = self.link.accept(frame["n"])
            assert arrival is not Arrival.GAP
            await self._socket.send(self.link.acknowledgement())
            await self._pump()
            return arrival is Arrival.NEW
        elif frame["op"] == "ack":
            assert self.link.acknowledge(frame["got"])
            await self._pump()
            return False
        return True

    async def _react(self, frame: dict[str, Any]) -> None:
        if frame["op"] == "ask" and self.person is not None:
            await self.decides(frame, self.person)
        elif frame["op"] in ("open-link", "download"):
            await self.decides(frame, self.page_says)

    async def decides(self, frame: dict[str, Any], answer: str, *, remember: bool = False) -> None:
        """The person (or the page) answers a question."""
        await self.send("decision", id=frame["id"], answer=answer, remember=remember)

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
        answer: dict[str, Any] = (await self.until(lambda frame: _answers(frame, request_id)))["message"]
        return answer

    async def starts(self, method: str, params: dict[str, Any] | None = None) -> int:
        """A request of the view whose answer is read later, with `answer_to()`."""
        request_id, self._next_id = self._next_id, self._next_id + 1
        await self.says({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params or {}})
        return request_id

    async def answer_to(self, request_id: int) -> dict[str, Any]:
        """The whole answer to a request that was started."""
        seen = [frame for frame in self.frames if _answers(frame, request_id)]
        found = seen[0] if seen else await self.until(lambda frame: _answers(frame, request_id))
        answer: dict[str, Any] = found["message"]
        return answer

    async def comes_up(
        self, capabilities: dict[str, Any] | None = None, modes: list[str] | None = None
    ) -> dict[str, Any]:
        """Attach, load, shake hands: the way of every well-behaved view. Returns the initialize result."""
        context: dict[str, Any] = {"theme": "light", "modes": modes} if modes else {"theme": "light"}
        await self.attach(**context)
        await self.op("mount")
        await self.send("signal", name="proxy-ready")
        answer = await self.asks(
            "ui/initialize",
            {
                "appInfo": {"name": "t", "version": "1"},
                "appCapabilities": capabilities or {},
                "protocolVersion": "2026-01-26",
            },
        )
        await self.notifies("ui/notifications/initialized")
        await self.verdict("ok")
        result: dict[str, Any] = answer["result"]
        return result


def _answers(frame: dict[str, Any], request_id: int) -> bool:
    # The host's own requests have ids too, perhaps the same.
    message = frame.get("message", {})
    return bool(frame["op"] == "message" and "method" not in message and message.get("id") == request_id)


def page_socket(port: int, origin: str | None = None) -> connect:
    """The page socket as a browser on the host page would open it."""
    own = f"http://{HOST_NAME}:{port}"
    return connect(
        f"ws://{HOST_NAME}:{port}/apps/socket",
        host="127.0.0.1",  # names under localhost resolve in browsers only
        port=port,
        origin=own if origin is None else origin,  # type: ignore[arg-type]
        proxy=None,
        max_size=None,  # as in browsers
        # As there too, what comes is taken whether the page looks at it or not: a client that stops reading
        # would wait ten seconds for the answer to its goodbye.
        max_queue=None,
    )


@asynccontextmanager
async def page(
    port: int, view: View, origin: str | None = None, kind: type[PageClient] = PageClient
) -> AsyncIterator[PageClient]:
    """Open the page socket as a browser on the host page would."""
    async with page_socket(port, origin) as socket:
        yield kind(socket, view)
