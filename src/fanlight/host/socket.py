"""The page socket: one WebSocket a page, frames for all its views, each frame checked before it is used.

It may break at any moment; the links of the views do not notice. No view of a page stands in the way of
another, and no page in the way of the event loop. A socket that shows nothing, asks without end or never
reads does not stay.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from typing import TYPE_CHECKING, Any

from starlette.responses import PlainTextResponse
from starlette.websockets import WebSocket, WebSocketDisconnect

from fanlight.stores import StoreError
from fanlight.wire.json_text import encode

from .frames import LONGEST_OF_STRANGERS, long_left, read_frame
from .link_registry import gone
from .linked import Linked
from .verdicts import Verdict
from .waking import Waking

if TYPE_CHECKING:
    from fanlight.sandbox import Origins

    from .host import Host
    from .view import View

__all__ = ["PageSocket", "refuse"]

_log = logging.getLogger("fanlight.host")
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
# A page opens a socket when it has a view to show, and says so at once.
_INTRODUCE_SECONDS = 30.0
# Names of views are short; whoever says a long one only wants it repeated.
_MAX_NAME = 64
_MAX_VIEWS = 500
# Views that are gone, or not this page's: a page that was left open for long may ask for some.
_MAX_REFUSED = 100
_MAX_CONTROL = 1000
_TOO_MANY = {
    "again": False,
    "verdict": Verdict.CLOSED.value,
    "reason": f"This page shows {_MAX_VIEWS} apps already.",
    "remedy": "Close some of them, or open this one in another page.",
}
_UNREADABLE = {
    "again": False,
    "verdict": Verdict.UNAVAILABLE.value,
    "reason": "The app could not be looked for: the place where this program keeps its apps does not answer.",
    "remedy": "Load this page again in a while. The program's log says what is wrong.",
}
_BROKEN = {
    "again": False,
    "verdict": Verdict.CRASHED.value,
    "reason": "The app could not be shown: this program made a mistake with it.",
    "remedy": "Call its tool again. The program's log says what is wrong.",
}


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
        self._waking = Waking(host, self._welcome, self.fail)
        self._opened = self._loop.time()
        self._showed = False
        self._refused = 0
        # Since when the page takes nothing, while something is written to it.
        self._stuck_since: float | None = None
        self._watching: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Serve the page until the socket is gone; its sessions wait for the page to come back."""
        await self._websocket.accept()
        link = self._host.link
        self._say({"op": "hello", "heartbeat": link.heartbeat, "limit": link.message_limit})
        tasks = {asyncio.create_task(self._read()), asyncio.create_task(self._write())}
        self._watch(tasks)
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if self._watching is not None:
                self._watching.cancel()
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

    def _watch(self, tasks: set[asyncio.Task[None]]) -> None:
        """Look now and then whether this socket is still worth its place."""
        now, heartbeat = self._loop.time(), self._host.link.heartbeat
        stuck = self._stuck_since is not None and now - self._stuck_since > _PATIENCE * heartbeat
        idle = not self._showed and now - self._opened > _INTRODUCE_SECONDS
        if stuck or idle:
            for task in tasks:
                task.cancel()
        self._watching = self._loop.call_later(min(heartbeat, _INTRODUCE_SECONDS), self._watch, tasks)

    def _let_go(self) -> None:
        self._waking.close()
        if self._ack_timer is not None:
            self._ack_timer.cancel()
        link = self._host.link
        wait = link.leave_timeout if self._goodbye else link.resume_timeout
        for linked in tuple(self._linked.values()):
            linked.lost(self, wait, goodbye=self._goodbye)

    # From the page

    async def _read(self) -> None:
        count = 0
        while len(self._control) < _MAX_CONTROL and self._refused < _MAX_REFUSED:
            message = await self._websocket.receive()
            if message["type"] == "websocket.disconnect":
                self._goodbye = message.get("code") in _GOODBYES
                return
            if message.get("text") is None:
                self.fail("a page speaks in texts")
            else:
                self._on_text(message["text"])
            count += 1
            if count % _TURN == 0:
                await asyncio.sleep(0)

    def _on_text(self, text: str) -> None:
        self._heard = self._loop.time()
        if self._failed is not None:
            return  # the page says it again, on its next socket
        try:
            frame = self._frame_of(text)
        except ValueError:
            return
        if not isinstance(frame, dict):
            return
        linked = self._linked.get(str(frame.get("session")))
        match frame.get("op"):
            case "attach" | "resume" | "left" as op:
                self._introduced(op, frame, len(text))
            case "beat":
                pass
            case _ if linked is None or linked.carrier is not self:
                pass  # of a session that is over, or that goes on over a newer socket
            case "ack":
                linked.acknowledge(frame.get("got"))
            case _:
                linked.receive(frame, len(text))

    def _frame_of(self, text: str) -> Any:
        """The frame of a text; a long one of a page that shows nothing yet is not even read.

        Except what an older document of a view left, from whoever has that view's token.

        Raises:
            ValueError: it is no JSON.
        """
        if self._showed or len(text) <= LONGEST_OF_STRANGERS:
            return read_frame(text)
        left = long_left(text)
        if left is None:
            self._refused += 1
            return None
        view = self._host.view(left["view"])
        known = view is not None and self._host.users.may_have(view, left["token"], self._user)
        return read_frame(text) if known else left

    def _introduced(self, op: str, frame: dict[str, Any], size: int) -> None:
        view_id = frame.get("view")
        if not isinstance(view_id, str) or len(view_id) > _MAX_NAME:
            return
        view = self._host.view(view_id)
        if view is not None and view_id not in self._waking:
            self._welcome(op, view, frame)
        elif view_id in self._waking or len(self._waking) < _MAX_VIEWS:
            self._waking.keep(view_id, op, frame, size)
        elif op != "left":
            self._refuse(frame, _TOO_MANY)

    def _welcome(self, op: str, view: View | StoreError | None, frame: dict[str, Any]) -> None:
        try:
            self._answer(op, view, frame)
        except Exception:
            # Our mistake, or the program's: the other views of the page go on.
            _log.exception("view %r could not be shown", frame["view"])
            if op != "left":
                self._refuse(frame, _BROKEN)

    def _answer(self, op: str, view: View | StoreError | None, frame: dict[str, Any]) -> None:
        if isinstance(view, StoreError):
            self._refused += 1
            if op != "left":
                self._refuse(frame, _UNREADABLE)
        elif view is None or not self._host.users.may_have(view, frame.get("token"), self._user):
            self._refused += 1
            if op != "left":
                self._refuse(frame, gone())
        elif len(self._linked) >= _MAX_VIEWS:
            self._refuse(frame, _TOO_MANY)
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
        self._showed = True
        self._say({"op": op, "view": linked.view.id, "session": linked.link.session, "got": linked.link.got})
        self.ready(linked)

    def _refuse(self, frame: dict[str, Any], words: dict[str, Any]) -> None:
        session = str(frame.get("session"))[:_MAX_NAME]
        self._say({"op": "refused", "view": frame["view"], "session": session, **words})

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
        self._say_text(encode(frame))

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
            self._stuck_since = self._loop.time()
            await self._websocket.send_text(text)
            self._stuck_since = None
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


async def refuse(websocket: WebSocket, why: str, status: int = 403) -> None:
    """Turn a page away before the handshake is accepted."""
    if "websocket.http.response" in websocket.scope.get("extensions", {}):
        await websocket.send_denial_response(PlainTextResponse(why, status_code=status))
    else:
        await websocket.close(_POLICY_VIOLATION)
