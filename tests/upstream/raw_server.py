"""An MCP server that no SDK wrote, so that it may say what an SDK's server would refuse to say.

Run as a program it speaks over its pipes; `raw_http.py` puts it behind HTTP. It knows both eras.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any

JSONObject = dict[str, Any]
Send = Callable[[JSONObject], None]

HANDSHAKE = "2025-11-25"
MODERN = "2026-07-28"
CAPABILITIES = {"tools": {"listChanged": True}, "resources": {"listChanged": True, "subscribe": True}}
INFO = {"name": "raw", "version": "7", "websiteUrl": "https://raw.example"}
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
PAGE = "ui://raw/page.html"

TOOLS = ["echo", "odd", "big", "steps", "meet", "hang", "seen", "grow", "touch", "fail", "die", "pid"]


class Peer:
    """One client: what it said of itself, what it runs, and where it can be told something unasked."""

    def __init__(self, push: Send | None = None) -> None:
        self.push = push
        self.capabilities: JSONObject = {}
        self.headers: dict[str, str] = {}
        self.running: dict[Any, asyncio.Task[Any]] = {}


class RawServer:
    """Answers requests; everything that clients share is here."""

    def __init__(self, era: str = "handshake") -> None:
        self.era = era
        self.peers: list[Peer] = []
        self.tools = [{"name": name, "inputSchema": {"type": "object"}, "x-kept": name} for name in TOOLS]
        self.tools[1]["outputSchema"] = {"type": "object", "required": ["never"]}
        self.tools[-1]["_meta"] = {"ui": {"resourceUri": PAGE}}
        self.cancelled = 0
        self.hanging = 0
        self._present = 0
        self._all_here = asyncio.Event()
        self.listening: dict[Any, tuple[JSONObject, Send]] = {}
        self.acknowledges = asyncio.Event()
        self.acknowledges.set()
        self._streams_end = asyncio.Event()

    async def answer(self, peer: Peer, message: JSONObject, send: Send) -> JSONObject:
        """The response to one request; what belongs to it goes through `send` meanwhile."""
        params = message.get("params") or {}
        task = asyncio.ensure_future(self._result(peer, message, params, send))
        peer.running[message["id"]] = task
        try:
            return {"jsonrpc": "2.0", "id": message["id"], "result": await task}
        except Refusal as error:
            return {"jsonrpc": "2.0", "id": message["id"], "error": error.args[0]}
        except asyncio.CancelledError:
            self.cancelled += message["method"] == "tools/call"
            task.cancel()
            raise
        finally:
            peer.running.pop(message["id"], None)

    def hear(self, peer: Peer, message: JSONObject) -> None:
        """A notification of the client."""
        if message["method"] == "notifications/cancelled":
            task = peer.running.get(message["params"]["requestId"])
            if task is not None:
                task.cancel()

    async def _result(self, peer: Peer, message: JSONObject, params: JSONObject, send: Send) -> JSONObject:
        method = message["method"]
        meta = params.get("_meta") or {}
        if self.era == "modern":
            peer.capabilities = meta.get(CLIENT_CAPABILITIES, {})
        match method:
            case "initialize" if self.era == "handshake":
                peer.capabilities = params["capabilities"]
                return {"protocolVersion": HANDSHAKE, "capabilities": CAPABILITIES, "serverInfo": INFO}
            case "server/discover" if self.era == "modern":
                named = {"_meta": {"io.modelcontextprotocol/serverInfo": INFO}}
                return self._stamped({"supportedVersions": [MODERN], "capabilities": CAPABILITIES, **named})
            case "subscriptions/listen" if self.era == "modern":
                return await self._listen(message["id"], params["notifications"], send)
            case "ping" | "resources/subscribe" | "resources/unsubscribe":
                return {}
            case "tools/list":
                return self._stamped({"tools": self.tools, "x-page": 1})
            case "resources/read":
                page = {
                    "uri": params["uri"],
                    "mimeType": "text/html;profile=mcp-app",
                    "text": "<!doctype html>",
                }
                return self._stamped({"contents": [page]})
            case "resources/list":
                return self._stamped({"resources": []})
            case "tools/call":
                tool: Callable[..., Awaitable[JSONObject]] = getattr(self, f"_tool_{params['name']}")
                progress = self._progress(meta.get("progressToken"), send)
                return self._stamped(await tool(peer, params.get("arguments"), progress))
        raise Refusal({"code": -32601, "message": f"no method {method}"})

    def _stamped(self, result: JSONObject) -> JSONObject:
        modern = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        return {**modern, **result} if self.era == "modern" else result

    @staticmethod
    def _progress(token: Any, send: Send) -> Callable[[float, str], None]:
        def progress(done: float, text: str) -> None:
            if token is not None:
                params = {"progressToken": token, "progress": done, "total": 100, "message": text}
                send({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})

        return progress

    async def _listen(self, request_id: Any, wanted: JSONObject, send: Send) -> JSONObject:
        await self.acknowledges.wait()
        stamp = {"_meta": {SUBSCRIPTION: request_id}}
        acknowledged = {"notifications": wanted, **stamp}
        send({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": acknowledged})
        self.listening[request_id] = (wanted, send)
        try:
            await self._streams_end.wait()
        finally:
            del self.listening[request_id]
        return {}

    def end_listening(self) -> None:
        """Close every stream of changes in the orderly way; new ones may be opened."""
        self._streams_end.set()
        self._streams_end = asyncio.Event()

    def _announce(self, method: str, params: JSONObject) -> None:
        if self.era == "handshake":
            for peer in self.peers:
                if peer.push is not None:
                    peer.push({"jsonrpc": "2.0", "method": method, "params": params})
        for request_id, (wanted, send) in tuple(self.listening.items()):
            stamped = {**params, "_meta": {SUBSCRIPTION: request_id}}
            if params.get("uri") is None or params["uri"] in (wanted.get("resourceSubscriptions") or ()):
                send({"jsonrpc": "2.0", "method": method, "params": stamped})

    # The tools

    async def _tool_echo(self, peer: Peer, arguments: Any, progress: Any) -> JSONObject:
        return {**text(json.dumps(arguments)), "structuredContent": {"given": arguments}}

    async def _tool_odd(self, peer: Peer, arguments: Any, progress: Any) -> JSONObject:
        return {
            "content": [
                {"type": "hologram", "depth": 3, "nested": {"a": [None]}},
                {"type": "text", "text": "t", "x": 1},
            ],
            "structuredContent": {"not": "what the schema says"},
            "x-unknown": {"kept": True},
            "_meta": {"private": {"b": 2}},
        }

    async def _tool_big(self, peer: Peer, arguments: Any, progress: Any) -> JSONObject:
        return text("x" * arguments["size"])

    async def _tool_steps(self, peer: Peer, arguments: Any, progress: Any) -> JSONObject:
        for step in range(1, arguments["count"] + 1):
            await asyncio.sleep(arguments.get("pause", 0))
            progress(step, f"step {step}")
        await asyncio.sleep(arguments.get("pause", 0))
        return text("done")

    async def _tool_meet(self, peer: Peer, arguments: Any, progress: Any) -> JSONObject:
        """Nobody leaves before everybody is here: answers only if the calls run at the same time."""
        self._present += 1
        if self._present == arguments["count"]:
            self._all_here.set()
        await self._all_here.wait()
        return text(str(self._present))

    async def _tool_hang(self, peer: Peer, arguments: Any, progress: Any) -> JSONObject:
        self.hanging += 1
        await asyncio.Event().wait()
        return {}

    async def _tool_seen(self, peer: Peer, arguments: Any, progress: Any) -> JSONObject:
        seen = {"capabilities": peer.capabilities, "headers": peer.headers}
        return text(json.dumps({**seen, "hanging": self.hanging, "cancelled": self.cancelled}))

    async def _tool_grow(self, peer: Peer, arguments: Any, progress: Any) -> JSONObject:
        self.grow()
        return text("grown")

    def grow(self) -> None:
        """Offer one more tool, and say so once."""
        self.tools.append({"name": f"grown-{len(self.tools)}", "inputSchema": {"type": "object"}})
        self._announce("notifications/tools/list_changed", {})

    async def _tool_touch(self, peer: Peer, arguments: Any, progress: Any) -> JSONObject:
        self._announce("notifications/resources/updated", {"uri": arguments["uri"]})
        return text("touched")

    async def _tool_fail(self, peer: Peer, arguments: Any, progress: Any) -> JSONObject:
        raise Refusal({"code": -32050, "message": "no luck", "data": {"why": ["x"]}})

    async def _tool_die(self, peer: Peer, arguments: Any, progress: Any) -> JSONObject:
        sys.stderr.write("the disk is full\n")
        sys.stderr.flush()
        os._exit(3)

    async def _tool_pid(self, peer: Peer, arguments: Any, progress: Any) -> JSONObject:
        return text(str(os.getpid()))


class Refusal(Exception):
    """A JSON-RPC error answer."""


def text(value: str) -> JSONObject:
    return {"content": [{"type": "text", "text": value}]}


async def over_pipes(server: RawServer) -> None:
    """Speak JSON lines over standard input and output until the input ends."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=64 << 20)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)

    def send(message: JSONObject) -> None:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()

    peer = Peer(send)
    server.peers.append(peer)
    working: set[asyncio.Task[None]] = set()

    async def work(message: JSONObject) -> None:
        send(await server.answer(peer, message, send))

    while line := await reader.readline():
        message = json.loads(line)
        if "id" in message and "method" in message:
            task = asyncio.create_task(work(message))
            working.add(task)
            task.add_done_callback(working.discard)
        elif "method" in message:
            server.hear(peer, message)
    for task in working:
        task.cancel()


if __name__ == "__main__":
    asyncio.run(over_pipes(RawServer(sys.argv[1] if len(sys.argv) > 1 else "handshake")))
