"""The page socket: one WebSocket a page, frames for all its views, each frame checked before it is used.

It may break at any moment; the links of the views do not notice. No view of a page stands in the way of
another, and no page in the way of the event loop.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from typing import TYPE_CHECKING, Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from .link_registry import gone
from .linked import Linked

if TYPE_CHECKING:
    from fanlight.sandbox import Origins

    from .host import Host
    from .view import View

__all__ = ["PageSocket", "refuse"]

_POLICY_VIOLATION = 1008
_BAD_FRAME = 4000
_BEAT = '{"op":"beat"}'
# What a browser says when a person leaves the page; every other end of a socket is an accident.
_GOODBYES = frozenset({1000, 1001})
# A socket is dead after this many heartbeats without a word of the page.
_PATIENCE = 2.5
# An acknowledgement waits this long for a frame to ride on, unless much has come in.
_ACK_SECONDS = 0.05
_ACK_FRAMES = 16
# After this many frames in a row everybody else has a turn.
_TURN = 16


class PageSocket:
    """Speaks with one page until the socket breaks or is closed."""

    def __init__(self, host: Host, websocket: WebSocket, origins: Origins, user: str | None = None) -> None:
        self._host = host
        # Whose page this is; what another user began (a view, a link to resume) is not theirs.
        self._user = user
        self._websocket = websocket
        self._origins = origins
        self._loop = asyncio.get_running_loop()
        self._linked: dict[str, Linked] = {}
        # Links with frames for the page, each once; they take turns.
        self._ready: dict[Linked, None] = {}
        self._owing: set[Linked] = set()
        self._ack_timer: asyncio.TimerHandle | None = None
        self._control: deque[str] = deque()
        self._wake = asyncio.Event()
        self._heard = self._loop.time()
        self._goodbye = False
        self._failed: str | None = None
        self._waking: set[asyncio.Task[None]] = set()
        # What pages said of views that are being woken, in order.
        self._waiting: dict[str, list[tuple[str, dict[str, Any]]]] = {}

    async def run(self) -> None:
        """Serve the page until the socket is gone; its sessions wait for the page to come back."""
        await self._websocket.accept()
        link = self._host.link
        self._say({"op": "hello", "heartbeat": link.heartbeat, "limit": link.message_limit})
        tasks = {asyncio.create_task(self._read()), asyncio.create_task(self._write())}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
            self._let_go()
        for outcome in ended:
            # Our own mistakes are for the server's log; a socket that breaks while it is used is not one.
            if isinstance(outcome, Exception) and not isinstance(
                outcome, WebSocketDisconnect | OSError | RuntimeError
            ):
                raise outcome

    def _let_go(self) -> None:
        for waking in self._waking:
            waking.cancel()
        if self._ack_timer is not None:
            self._ack_timer.cancel()
        link = self._host.link
        wait = link.leave_timeout if self._goodbye else link.resume_timeout
        for linked in tuple(self._linked.values()):
            linked.lost(self, wait, goodbye=self._goodbye)

    # From the page

    async def _read(self) -> None:
        try:
            count = 0
            while True:
                self._on_text(await self._websocket.receive_text())
                count += 1
                if count % _TURN == 0:
                    await asyncio.sleep(0)
        except WebSocketDisconnect as end:
            self._goodbye = end.code in _GOODBYES

    def _on_text(self, text: str) -> None:
        self._heard = self._loop.time()
        try:
            frame = json.loads(text)
        except (ValueError, RecursionError):
            return
        if not isinstance(frame, dict):
            return
        linked = self._linked.get(str(frame.get("session")))
        match frame.get("op"):
            case "attach" | "resume" | "left" as op:
                self._introduced(op, frame)
            case "beat":
                pass
            case _ if linked is None or linked.carrier is not self:
                pass  # of a session that is over, or that goes on over a newer socket
            case "ack":
                linked.acknowledge(frame.get("got"))
            case _:
                linked.receive(frame, len(text))

    def _introduced(self, op: str, frame: dict[str, Any]) -> None:
        view_id = frame.get("view")
        if not isinstance(view_id, str):
            return
        view, waiting = self._host.view(view_id), self._waiting.get(view_id)
        if waiting is not None:
            waiting.append((op, frame))
        elif view is not None:
            self._welcome(op, view, frame)
        else:
            self._waiting[view_id] = [(op, frame)]
            waking = asyncio.create_task(self._wake_up(view_id))
            self._waking.add(waking)
            waking.add_done_callback(self._waking.discard)

    async def _wake_up(self, view_id: str) -> None:
        """The view may sleep in the store: the program was restarted, or nobody had shown it for long."""
        view = await self._host.wake(view_id)
        for op, frame in self._waiting.pop(view_id):
            self._welcome(op, view, frame)

    def _welcome(self, op: str, view: View | None, frame: dict[str, Any]) -> None:
        if view is None or not self._host.users.may_have(view, frame.get("token"), self._user):
            if op != "left":
                self._refuse(frame, gone())
        elif op == "left":
            self._host.links.left(view, frame)
        elif op == "resume":
            self._resume(view, frame)
        else:
            self._attach(view, frame)

    def _attach(self, view: View, frame: dict[str, Any]) -> None:
        linked = self._host.links.attach(self, view, frame, self._origins)
        if linked is None:
            self._refuse(frame, {"again": True})
        else:
            self._carry("attached", linked)

    def _resume(self, view: View, frame: dict[str, Any]) -> None:
        answer = self._host.links.resume(self, view, frame)
        if isinstance(answer, Linked):
            self._carry("resumed", answer)
        else:
            self._refuse(frame, answer)

    def _carry(self, op: str, linked: Linked) -> None:
        self._linked[linked.link.session] = linked
        self._say({"op": op, "view": linked.view.id, "session": linked.link.session, "got": linked.link.got})
        self.ready(linked)

    def _refuse(self, frame: dict[str, Any], words: dict[str, Any]) -> None:
        self._say({"op": "refused", "view": frame["view"], "session": str(frame.get("session")), **words})

    # To the page

    def ready(self, linked: Linked) -> None:
        """This link has frames to take, or an acknowledgement to give."""
        if linked.link.unsent:
            self._ready[linked] = None
            self._wake.set()
        elif linked.link.owed >= _ACK_FRAMES:
            self._say_text(linked.link.acknowledgement())
        elif linked.link.owed:
            self._owing.add(linked)
            if self._ack_timer is None:
                self._ack_timer = self._loop.call_later(_ACK_SECONDS, self._acknowledge)

    def released(self, linked: Linked) -> None:
        """This link is over: give it its last acknowledgement and forget it."""
        self._linked.pop(linked.link.session, None)
        if linked.link.owed:
            self._say_text(linked.link.acknowledgement())

    def fail(self, reason: str) -> None:
        """End this socket: the page comes back and both begin again from what they have."""
        self._failed = reason
        self._wake.set()

    def _acknowledge(self) -> None:
        self._ack_timer = None
        owing, self._owing = self._owing, set()
        for linked in owing:
            if linked.carrier is self and linked.link.owed:
                self._say_text(linked.link.acknowledgement())

    def _say(self, frame: dict[str, Any]) -> None:
        self._say_text(json.dumps(frame, separators=(",", ":"), ensure_ascii=False))

    def _say_text(self, text: str) -> None:
        self._control.append(text)
        self._wake.set()

    async def _write(self) -> None:
        count = 0
        while self._failed is None:
            text = self._next_text()
            if text is None:
                text = await self._rest()
                if text is None:
                    continue
                if not text:
                    return
            await self._websocket.send_text(text)
            count += 1
            if count % _TURN == 0:
                await asyncio.sleep(0)
        await self._websocket.close(_BAD_FRAME, self._failed)

    def _next_text(self) -> str | None:
        if self._control:
            return self._control.popleft()
        while self._ready:
            linked = next(iter(self._ready))
            del self._ready[linked]
            text = linked.link.take() if linked.carrier is self else None
            if text is not None:
                if linked.link.unsent:
                    self._ready[linked] = None
                return text
        return None

    async def _rest(self) -> str | None:
        """Wait for something to say: None when there is, a heartbeat when not, "" when the page is dead."""
        self._wake.clear()
        try:
            async with asyncio.timeout(self._host.link.heartbeat):
                await self._wake.wait()
        except TimeoutError:
            silent = self._loop.time() - self._heard
            return "" if silent > _PATIENCE * self._host.link.heartbeat else _BEAT
        return None


async def refuse(websocket: WebSocket) -> None:
    """Turn away a page from a foreign origin before the handshake is accepted."""
    await websocket.close(_POLICY_VIOLATION)
