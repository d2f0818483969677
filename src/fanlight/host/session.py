"""A session: one showing of a view in one page. It pumps messages; the protocol core decides.

page socket ↔ translator (dialects) ↔ HostConnection (protocol) ↔ requests (upstream, policy).
A page that is reloaded gets a new session of the same view.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from fanlight.dialects import Translator
from fanlight.protocol.events import (
    Initialized,
    LogMessage,
    PeerFault,
    RequestCancelled,
    RequestReceived,
    SizeChanged,
    TeardownRequested,
    TornDown,
)
from fanlight.protocol.host import HostConnection
from fanlight.protocol.state import ConnectionState
from fanlight.sandbox import Origins, allow_attribute

from .context import MAX_INLINE_HEIGHT, host_context, page_part
from .requests import serve_request
from .tap import Direction, TapRecord
from .verdicts import Outcome, Stage, Verdict

if TYPE_CHECKING:
    from fanlight.protocol.events import Event

    from .host import Host
    from .showing import Showing
    from .view import View

__all__ = ["Session"]

_TEARDOWN_GRACE = 2.0
# Messages whose passing is a stage of the view's way to the screen.
_STAGE_METHODS = frozenset(
    {"ui/notifications/tool-input", "ui/notifications/tool-result", "ui/notifications/tool-cancelled"}
)


class Session:
    """Carries one view's conversation with one page.

    `send` takes a frame for the page and never blocks; the socket behind it bounds the queue.
    """

    def __init__(
        self,
        host: Host,
        view: View,
        origins: Origins,
        page: dict[str, Any],
        send: Callable[[dict[str, Any]], None],
    ) -> None:
        self.view = view
        self.closed = False
        self._host = host
        self._origins = origins
        self._page = page
        self._send = send
        self._connection: HostConnection | None = None
        self._translator = Translator()
        self._running: dict[str | int, asyncio.Task[None]] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._showing: Showing | None = None
        self._over = asyncio.Event()
        self._ending = ""
        self._loop = asyncio.get_running_loop()

    # The way to the screen

    def mount(self) -> None:
        """Give the page its frame, once the document is there."""
        document = self.view.document
        if document is None or self._connection is not None or self.closed:
            return
        showing = self._host.open_showing(self.view, document, self._origins)
        self._showing = showing
        self._connection = HostConnection(
            host_info=self._host.info,
            capabilities=self._host.capabilities_for(self.view, showing.permissions, showing.csp.applied),
            context=host_context(self.view.tool, self.view.call_id, self._page, self._host.user_agent),
        )
        for source in showing.csp.dropped:
            self._note(f"csp: dropped {source.field} {source.value!r}: {source.reason}")
        for warning in (*self.view.tool.warnings, *document.warnings):
            self._note(str(warning))
        self._supply_tool_call()
        self._to_page(
            "mount",
            src=showing.proxy_url,
            origin=self._origins.sandbox,
            allow=allow_attribute(showing.permissions),
            label=self.view.label,
        )
        self.view.stage("mounted")
        self._limit("proxy", self._host.proxy_timeout, self._proxy_timed_out)

    def signal(self, name: str) -> None:
        """The page or the proxy tells what happened to the frames."""
        match name:
            case "proxy-ready":
                self._met("proxy")
                self.view.stage("proxy-ready")
                self._limit("handshake", self._host.handshake_timeout, self._handshake_timed_out)
            case "view-loaded":
                self.view.stage("document-loaded")
            case "view-navigated":
                self.view.decide(
                    Verdict.NAVIGATED,
                    "The app's document was replaced while it was shown.",
                    "An app must not navigate or reload itself; use ui/open-link for addresses.",
                )
                self.close("the view navigated away")
            case "not-json":
                self._note("dropped a message of the view that cannot be written as JSON")
            case _:
                self._note(f"unknown signal {name[:40]!r} from the page")

    def _proxy_timed_out(self) -> None:
        self.view.decide(
            Verdict.PROXY_TIMEOUT,
            f"The sandbox at {self._origins.sandbox} did not load.",
            "Check that this name resolves to this server in your browser, or open the page on 127.0.0.1.",
        )

    def _handshake_timed_out(self) -> None:
        self.view.decide(
            Verdict.HANDSHAKE_TIMEOUT,
            "The app loaded but never completed ui/initialize.",
            "Look for a script error or a blocked resource in the browser's console.",
        )

    # The conversation

    def receive(self, message: object) -> None:
        """The view said something."""
        if self._connection is None or self.closed:
            return
        self._tap("from-view", message)
        for canonical in self._translator.inbound(message):
            self._connection.receive(canonical, self._loop.time())
        self._drain()

    def page_changed(self, page: dict[str, Any]) -> None:
        """The page's theme, width or language changed."""
        self._page = page
        if self._connection is not None:
            self._connection.update_context(page_part(page))
            self._drain()

    def send_result(self, result: dict[str, Any]) -> None:
        if self._connection is not None:
            self._connection.send_tool_result(result)
            self._drain()

    def send_cancelled(self, reason: str) -> None:
        if self._connection is not None:
            self._connection.send_tool_cancelled(reason)
            self._drain()

    def answer(self, request_id: str | int, result: dict[str, Any]) -> None:
        if self._connection is not None and not self.closed:
            self._connection.answer(request_id, result)
            self._drain()

    def refuse(self, request_id: str | int, code: int, message: str, data: Any = None) -> None:
        if self._connection is not None and not self.closed:
            self._connection.refuse(request_id, code, message, data)
            self._drain()

    def progress(self, request_id: str | int, done: float, total: float | None, message: str | None) -> None:
        if self._connection is not None and not self.closed:
            self._connection.send_progress(request_id, done, total, message)
            self._drain()

    def open_link(self, url: str) -> None:
        self._to_page("open-link", url=url)

    def _supply_tool_call(self) -> None:
        connection, view = self._connection, self.view
        assert connection is not None
        if view.arguments is not None:
            connection.send_tool_input(view.arguments)
        if view.result is not None:
            connection.send_tool_result(view.result)
        elif view.cancelled is not None:
            connection.send_tool_cancelled(view.cancelled)

    def _drain(self) -> None:
        """Carry everything that is ready, until neither side has more to say."""
        connection, translator = self._connection, self._translator
        assert connection is not None
        while True:
            for event in connection.events():
                self._on_event(event)
            outgoing = translator.replies()
            for message in connection.messages_to_send():
                outgoing += translator.outbound(message)
            outgoing += translator.replies()
            for message in outgoing:
                self._to_view(message)
            # What the translator answers in the place of a view whose dialect has no word for it.
            answers = translator.answers()
            for answer in answers:
                connection.receive(answer, self._loop.time())
            if not outgoing and not answers:
                break
        for warning in translator.warnings():
            self._note(str(warning))
        self._schedule_tick(connection)

    def _to_view(self, message: dict[str, Any]) -> None:
        self._tap("to-view", message)
        self._to_page("message", message=message)
        if message.get("method") in _STAGE_METHODS:
            self.view.stage(message["method"].rpartition("/")[2])

    def _on_event(self, event: Event) -> None:
        match event:
            case Initialized():
                self._met("handshake")
                self.view.stage("initialized")
                self.view.decide(Verdict.OK)
            case RequestReceived(request_id=request_id, method=method, params=params):
                self._start(request_id, serve_request(self._host, self, request_id, method, params))
            case RequestCancelled(request_id=request_id):
                task = self._running.pop(request_id, None)
                if task is not None:
                    task.cancel()
            case SizeChanged(height=height) if height is not None:
                # Width is the page's business; a view that reports it would feed its own measure back.
                self.view.stage("first-size")
                self._to_page("size", height=min(max(int(height + 0.999), 1), MAX_INLINE_HEIGHT))
            case TeardownRequested():
                self._begin_teardown("the app asked to be closed")
            case TornDown():
                self.end(self._ending)
            case LogMessage(level=level, data=data, logger=logger):
                self._note(f"log {level} {logger or ''}: {data!r}"[:2000])
            case PeerFault(reason=reason, message=message):
                self._note(f"fault: {reason}: {message}")
            case _:
                pass

    def _start(self, request_id: str | int, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._running[request_id] = task
        task.add_done_callback(lambda _: self._running.pop(request_id, None))

    # The end

    async def teardown(self, reason: str) -> None:
        """Tell the view that it ends, give it a moment to save its work, then end it (R55, R56)."""
        self._begin_teardown(reason)
        await self._over.wait()

    def _begin_teardown(self, reason: str) -> None:
        state = None if self._connection is None else self._connection.state
        if self.closed or state is ConnectionState.CLOSING:
            return
        self._ending = reason
        if self._connection is None or state is not ConnectionState.READY:
            self.end(reason)  # nothing is shown yet, so there is nobody to tell
            return
        self._connection.teardown(self._loop.time(), timeout=_TEARDOWN_GRACE, reason=reason)
        self._drain()

    def end(self, reason: str) -> None:
        """The view is over for this page: say so and stop."""
        self.view.decide(Verdict.CLOSED, f"Closed: {reason}.")
        self.close(reason)

    def close(self, reason: str) -> None:
        """The page is gone or shows something else: stop every wait and every running request."""
        if self.closed:
            return
        self.closed = True
        self._over.set()
        for timer in self._timers.values():
            timer.cancel()
        for task in self._running.values():
            task.cancel()
        if self._connection is not None:
            self._connection.close(reason)
        if self._showing is not None:
            self._host.close_showing(self._showing)
        if self.view.session is self:
            self.view.session = None

    # What the page is told

    def show_stage(self, stage: Stage) -> None:
        self._to_page("stage", **stage.as_json())

    def show_outcome(self) -> None:
        outcome: Outcome = self.view.outcome
        failed = outcome.verdict not in (Verdict.OK, Verdict.PENDING)
        text = {"text": self.view.text} if failed and self.view.text else {}
        self._to_page("verdict", **outcome.as_json(), **text)

    def show_violation(self, violation: dict[str, Any]) -> None:
        self._to_page("violation", violation=violation)

    def _to_page(self, op: str, **fields: Any) -> None:
        if not self.closed:
            self._send({"op": op, "view": self.view.id, **fields})

    def _tap(self, direction: Direction, message: Any) -> None:
        self._host.tap.put(TapRecord(self._loop.time(), self.view.id, direction, message))

    def _note(self, text: str) -> None:
        self._tap("note", text)

    # Time

    def _limit(self, name: str, seconds: float, expired: Callable[[], None]) -> None:
        self._met(name)
        self._timers[name] = self._loop.call_later(seconds, expired)

    def _met(self, name: str) -> None:
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()

    def _schedule_tick(self, connection: HostConnection) -> None:
        self._met("tick")
        deadline = connection.next_deadline()
        if deadline is not None and not self.closed:
            self._timers["tick"] = self._loop.call_at(deadline, self._tick)

    def _tick(self) -> None:
        if self._connection is not None and not self.closed:
            self._connection.tick(self._loop.time())
            self._drain()
