"""The raw server behind HTTP: Streamable HTTP at /mcp (both eras), the older HTTP+SSE at /sse.

Run as a program it prints its origin.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from raw_server import MODERN, JSONObject, Peer, RawServer, Send
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from fanlight.host.serve import bind_loopback, serving

__all__ = ["RawHttp"]

EVENTS = "text/event-stream"


def event(message: JSONObject) -> str:
    return f"event: message\ndata: {json.dumps(message)}\n\n"


def _deliver(send: Send, answering: asyncio.Future[JSONObject]) -> None:
    if not answering.cancelled():
        send(answering.result())


class RawHttp:
    """One process of the server; `crash()` drops every stream as a killed process would."""

    def __init__(self, era: str = "handshake") -> None:
        self.server = RawServer(era)
        self.sessions: dict[str, Peer] = {}
        self.crashed = asyncio.Event()
        self.refuse_with: int | None = None
        self.answers_as = "events"  # or "json", or "gzip": json that is compressed
        self.refuse_listening_with: int | None = None
        self.refused = 0  # how many were asked to listen and refused
        self.app = Starlette(
            routes=[
                Route("/mcp", self._post, methods=["POST"]),
                Route("/mcp", self._get, methods=["GET"]),
                Route("/mcp", lambda request: Response(), methods=["DELETE"]),
                Route("/sse", self._sse, methods=["GET"]),
                Route("/messages/{session}", self._sse_post, methods=["POST"]),
            ]
        )

    @asynccontextmanager
    async def served(self, port: int = 0) -> AsyncIterator[str]:
        """Serve until left; leaving crashes what is still open. Gives the origin."""
        async with serving(self.app, bind_loopback(port)) as bound:
            try:
                yield f"http://127.0.0.1:{bound}"
            finally:
                self.crashed.set()

    async def _post(self, request: Request) -> Response:
        if self.refuse_with is not None:
            return Response(status_code=self.refuse_with)
        message = await request.json()
        if self.refuse_listening_with is not None and message.get("method") == "subscriptions/listen":
            self.refused += 1
            return Response(status_code=self.refuse_listening_with)
        modern = request.headers.get("mcp-protocol-version") == MODERN
        session = request.headers.get("mcp-session-id")
        fresh = {}
        if modern:
            peer = Peer()
        elif message.get("method") == "initialize":
            session = secrets.token_hex(8)
            peer = self.sessions[session] = Peer()
            fresh = {"mcp-session-id": session}
        elif session in self.sessions:
            peer = self.sessions[session]
        else:
            return Response(status_code=404)
        peer.headers = dict(request.headers)
        if "id" not in message or "method" not in message:
            if "method" in message:
                self.server.hear(peer, message)
            return Response(status_code=202)
        if message["method"] in ("initialize", "server/discover"):
            return JSONResponse(await self.server.answer(peer, message, lambda _: None), headers=fresh)
        if self.answers_as == "events" or message["method"] == "subscriptions/listen":
            return StreamingResponse(self._stream(peer, message), media_type=EVENTS)
        body = json.dumps(await self.server.answer(peer, message, lambda _: None)).encode()
        if self.answers_as == "json":
            return Response(body, media_type="application/json")
        packed = {"content-encoding": "gzip"}
        return Response(gzip.compress(body), media_type="application/json", headers=packed)

    async def _stream(self, peer: Peer, message: JSONObject) -> AsyncIterator[str]:
        """What belongs to one request, then its response; a client that leaves cancels it."""
        queue: asyncio.Queue[JSONObject] = asyncio.Queue()
        answering = asyncio.ensure_future(self.server.answer(peer, message, queue.put_nowait))
        answering.add_done_callback(partial(_deliver, queue.put_nowait))
        try:
            async for item in self._until_crash(queue):
                yield event(item)
                if item.get("id") == message["id"] and "method" not in item:
                    return
        finally:
            answering.cancel()

    async def _get(self, request: Request) -> Response:
        peer = self.sessions.get(request.headers.get("mcp-session-id", ""))
        if peer is None:
            return Response(status_code=405 if request.headers.get("mcp-session-id") is None else 404)
        return StreamingResponse(self._unasked(peer), media_type=EVENTS)

    async def _unasked(self, peer: Peer, first: str = ": hello\n\n") -> AsyncIterator[str]:
        queue: asyncio.Queue[JSONObject] = asyncio.Queue()
        peer.push = queue.put_nowait
        self.server.peers.append(peer)
        try:
            yield first
            async for item in self._until_crash(queue):
                yield event(item)
        finally:
            self.server.peers.remove(peer)

    async def _until_crash(self, queue: asyncio.Queue[JSONObject]) -> AsyncIterator[JSONObject]:
        crashed = asyncio.create_task(self.crashed.wait())
        try:
            while True:
                getting = asyncio.create_task(queue.get())
                await asyncio.wait({getting, crashed}, return_when=asyncio.FIRST_COMPLETED)
                if crashed.done():
                    getting.cancel()
                    return
                yield getting.result()
        finally:
            crashed.cancel()

    async def _sse(self, request: Request) -> Response:
        session = secrets.token_hex(8)
        peer = self.sessions[session] = Peer()
        peer.headers = dict(request.headers)
        first = f"event: endpoint\ndata: /messages/{session}\n\n"
        return StreamingResponse(self._unasked(peer, first), media_type=EVENTS)

    async def _sse_post(self, request: Request) -> Response:
        peer = self.sessions[request.path_params["session"]]
        message: Any = await request.json()
        if "id" in message and "method" in message:
            assert peer.push is not None
            task = asyncio.ensure_future(self.server.answer(peer, message, peer.push))
            task.add_done_callback(partial(_deliver, peer.push))
        elif "method" in message:
            self.server.hear(peer, message)
        return Response(status_code=202)


async def _main(era: str) -> None:
    async with RawHttp(era).served() as origin:
        sys.stdout.write(f"{origin}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1]))
