"""The page socket: one WebSocket a page, frames for all its views, each frame checked before it is used."""

from __future__ import annotations

import asyncio
import hmac
import json
from typing import TYPE_CHECKING, Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from .session import Session

if TYPE_CHECKING:
    from fanlight.sandbox import Origins

    from .host import Host

__all__ = ["PageSocket"]

# Frames waiting for a page that does not read. Beyond it the socket is closed with a reason; nothing is
# thinned out silently.
_QUEUE_LIMIT = 10_000
_POLICY_VIOLATION = 1008
_TRY_AGAIN = 1013


class PageSocket:
    """Speaks with one page until it goes away."""

    def __init__(self, host: Host, websocket: WebSocket, origins: Origins) -> None:
        self._host = host
        self._websocket = websocket
        self._origins = origins
        self._sessions: dict[str, Session] = {}
        self._outgoing: asyncio.Queue[dict[str, Any]] = asyncio.Queue(_QUEUE_LIMIT)
        self._overflow = False

    async def run(self) -> None:
        """Serve the page; every view it showed is let go at the end."""
        await self._websocket.accept()
        writer = asyncio.create_task(self._write())
        try:
            while True:
                self._on_frame(await self._websocket.receive_text())
        except WebSocketDisconnect:
            pass
        finally:
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
            for session in tuple(self._sessions.values()):
                session.close("the page went away")

    def send(self, frame: dict[str, Any]) -> None:
        """Queue a frame for the page."""
        try:
            self._outgoing.put_nowait(frame)
        except asyncio.QueueFull:
            self._overflow = True

    async def _write(self) -> None:
        while True:
            frame = await self._outgoing.get()
            if self._overflow:
                await self._websocket.close(_TRY_AGAIN, "the page stopped reading")
                return
            await self._websocket.send_text(json.dumps(frame, separators=(",", ":"), ensure_ascii=False))

    def _on_frame(self, text: str) -> None:
        try:
            frame = json.loads(text)
        except ValueError:
            return
        if not isinstance(frame, dict) or not isinstance(frame.get("view"), str):
            return
        view_id, op = frame["view"], frame.get("op")
        if op == "attach":
            self._attach(view_id, frame)
            return
        session = self._sessions.get(view_id)
        if session is None:
            return
        match op:
            case "message":
                session.receive(frame.get("message"))
            case "signal" if isinstance(frame.get("name"), str):
                session.signal(frame["name"])
            case "context" if isinstance(frame.get("context"), dict):
                session.page_changed(frame["context"])
            case "detach":
                del self._sessions[view_id]
                session.close("the page let the view go")

    def _attach(self, view_id: str, frame: dict[str, Any]) -> None:
        view = self._host.view(view_id)
        token = frame.get("token")
        known = (
            view is not None
            and isinstance(token, str)
            and hmac.compare_digest(token.encode(), view.token.encode())
        )
        if view is None or not known:
            # One answer for "no such view" and "not yours": a guess learns nothing.
            reason, remedy = "This app is no longer available.", "Call its tool again."
            self.send(
                {"op": "verdict", "view": view_id, "verdict": "closed", "reason": reason, "remedy": remedy}
            )
            return
        if view.session is not None:
            view.session.close("shown in another place")
        page = frame.get("context")
        session = Session(self._host, view, self._origins, page if isinstance(page, dict) else {}, self.send)
        self._sessions[view_id] = session
        view.begin_again()
        view.session = session
        for stage in view.stages:
            session.show_stage(stage)
        session.mount()
        session.show_outcome()


async def refuse(websocket: WebSocket) -> None:
    """Turn away a page from a foreign origin before the handshake is accepted."""
    await websocket.close(_POLICY_VIOLATION)
