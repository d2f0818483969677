"""A session: one showing of a view in one page, from its mount to its close.

It joins what belongs to a showing: the page's side, the conversation, the gate, the way to the screen, the
end. A page that is reloaded gets a new session of the same view.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fanlight.protocol.host import HostConnection
from fanlight.protocol.limits import Limits
from fanlight.sandbox import Origins

from .absent import AbsentServer
from .appearing import ENDINGS, Appearing
from .capabilities import capabilities_for
from .context import host_context
from .conversation import Conversation
from .deadlines import Deadlines
from .ending import Ending
from .gate import Gate
from .kept_state import state_part
from .page_side import PageSide
from .pinning import PinCheck
from .view_logs import ViewLog
from .view_tools import ViewTools

if TYPE_CHECKING:
    from fanlight.upstream import AppDocument

    from .host import Host
    from .showing import Showing
    from .view import View

__all__ = ["Session"]


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
        # False while the page's socket is broken: then its silence says nothing about the view.
        self.page_there = True
        # Whether the page said goodbye: its document is gone, and the view with it.
        self.page_left = False
        # Whoever carries the session learns of its end here.
        self.on_close: Callable[[str], None] | None = None
        # Whether the page reads slower than it is written to.
        self.crowded: Callable[[], bool] = lambda: False
        self._host = host
        self._origins = origins
        self._showing: Showing | None = None
        self.page = PageSide(view, host.tap, send)
        self.deadlines = Deadlines(asyncio.get_running_loop())
        self.conversation = Conversation(host, self, page)
        self.ending = Ending(host, self)
        self.appearing = Appearing(host, view, origins.sandbox, self.deadlines, lambda: self.page_there)
        self.gate = Gate(host, view, self.page.send, self.page.note)
        self._pin_check = PinCheck(host, view, self.gate, self.mount)
        self.view_tools = ViewTools(self, view.tools_changed)
        self.log = ViewLog(view, self.gate, self.page.note)

    @property
    def shows_view(self) -> bool:
        """Whether the view is shown here, and not by a newer page or by nobody."""
        return self.view.session is self

    # The way to the screen

    def mount(self) -> None:
        """Give the page its frame, once the document is there."""
        document = self.view.document
        if document is None or self._showing is not None or self.closed:
            return
        if not self._pin_check.admits(document):
            return
        showing = self._showing = self._host.showings.open(self.view, document, self._origins)
        connection = HostConnection(
            host_info=self._host.info,
            capabilities=capabilities_for(self._host, self.view, showing),
            context=host_context(
                self.view.tool,
                self.view.call_id,
                self.conversation.page,
                self._host.user_agent,
                self._host.theme,
            )
            | state_part(self.view),
            limits=Limits(max_message_size=self._host.link.message_limit),
        )
        self._tell_what_differs(showing, document)
        self.conversation.begin(connection, showing)
        border = document.meta.get("prefersBorder")
        self.page.send(
            "mount",
            **showing.mount_facts(),
            label=self.view.label,
            app=self.view.tool.title,
            server=self.view.server.name,
            **({"border": border} if isinstance(border, bool) else {}),
        )
        self.appearing.mounted()

    def _tell_what_differs(self, showing: Showing, document: AppDocument) -> None:
        """What of the app's declaration does not hold, and what is odd about it."""
        for sentence in showing.dropped:
            self.page.note(f"dropped {sentence}")
        if showing.dropped:
            more = f" (and {len(showing.dropped) - 1} more)" if len(showing.dropped) > 1 else ""
            self.view.stage("policy-reduced", f"{showing.dropped[0]}{more}")
        if showing.domain_problem is not None:
            self.view.stage("domain-not-mapped")
            self.page.note(showing.domain_problem)
        for warning in (*self.view.tool.warnings, *document.warnings):
            self.page.note(str(warning))

    def signal(self, name: str) -> None:
        """The page or the proxy tells what happened to the frames."""
        failure = ENDINGS.get(name)
        if failure is not None:
            self.ending.fail(*failure)
        elif name == "not-json":
            self.page.note("dropped a message of the view that cannot be written as JSON")
        elif not self.appearing.reached(name):
            self.page.note(f"unknown signal {name[:40]!r} from the page")

    # The page is gone, or the end has come

    def leave(self, reason: str) -> None:
        """The page is gone for good: what it had handed over is still done, and nobody hears the answers."""
        if not self.closed:
            self._host.links.finish(self.conversation.running.values())
            self.conversation.running = {}
            self.close(reason)

    def close(self, reason: str) -> None:
        """The page is gone or shows something else: stop every wait and every running request."""
        if self.closed:
            return
        self.log.flush()
        self.gate.close()
        self.closed = self.page.closed = True
        self.ending.over.set()
        self.deadlines.close()
        self.conversation.close(reason)
        if self._showing is not None:
            self._host.showings.close(self._showing)
        if not isinstance(self.view.server, AbsentServer):
            self.view.server.subscriptions.drop(self)
        if self.shows_view:
            self.view.session = None
        if self.on_close is not None:
            self.on_close(reason)
