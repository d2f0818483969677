"""A view: one living instance of an app, from the call that made it to its end."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable
from html import escape
from typing import TYPE_CHECKING, Any

from fanlight.errors import LocalProtocolError
from fanlight.upstream import AppDocument, AppReadError, Tool
from fanlight.upstream.telling import tell_each

from .reported import count
from .tokens import ViewTokens
from .verdicts import Outcome, Stage, Verdict
from .view_tools import ToolProvider
from .waiting import wait_for

if TYPE_CHECKING:
    from fanlight.sandbox import CspReport

    from .absent import AbsentServer
    from .server import Server
    from .session import Session

__all__ = ["View", "element_html"]


def _nothing_written() -> dict[str, Any] | None:
    return None


class View(ToolProvider):
    """What is known of one view, independent of whether a page shows it at the moment."""

    def __init__(
        self,
        server: Server | AbsentServer,
        tool: Tool,
        call_id: str,
        mount: str,
        user: str | None = None,
        *,
        view_id: str | None = None,
        tokens: Iterable[str] = (),
    ) -> None:
        self.id = secrets.token_hex(8) if view_id is None else view_id
        # Whom it belongs to, when the program keeps users apart; no other user ever gets it.
        self.user = user
        self.server = server
        self.tool = tool
        self.call_id = call_id
        self.document: AppDocument | None = None
        self.arguments: dict[str, Any] | None = None
        # What is written of the arguments so far, while somebody writes them.
        self.partial_arguments: Callable[[], dict[str, Any] | None] = _nothing_written
        self.result: dict[str, Any] | None = None
        self.cancelled: str | None = None
        self.outcome = Outcome(Verdict.PENDING)
        self.stages: list[Stage] = []
        # What its policy is and refused, and what it used that the strict level would refuse.
        self.csp: CspReport | None = None
        self.violations: list[dict[str, Any]] = []
        self.beyond_strict: list[dict[str, Any]] = []
        # Whether the page that showed it last is gone for good; watchers are told, and no page shows it then.
        self.left = False
        # Since when nobody shows it, on the clock of `time.monotonic`.
        self.idle_since = time.monotonic()
        self._model_context: dict[str, Any] | None = None
        self._kept_state: dict[str, Any] | None = None
        self._session: Session | None = None
        self._tokens = ViewTokens(tokens)
        self._mount = mount
        self._started = time.monotonic()
        self._watchers: list[Callable[[], None]] = []
        self._keeper: Callable[[View], None] | None = None

    @property
    def label(self) -> str:
        return f"{self.server.name} · {self.tool.title}"

    @property
    def verdict(self) -> Verdict:
        return self.outcome.verdict

    # Who shows it

    @property
    def session(self) -> Session | None:
        """The showing in a page, while there is one."""
        return self._session

    @session.setter
    def session(self, session: Session | None) -> None:
        self._session = session
        self.left = False
        self.idle_since = time.monotonic()

    def page_left(self) -> None:
        """Its page was left or lost, and did not come back in time."""
        self.left = True
        self._notify()

    @property
    def token(self) -> str:
        """Whoever holds it may attach to this view; it never appears in an address that is sent."""
        return self._tokens.current

    @property
    def token_hashes(self) -> list[str]:
        """What may be written down of the tokens."""
        return self._tokens.hashes

    def accepts(self, token: object) -> bool:
        """Whether a page with this token may have this view."""
        return self._tokens.accepts(token)

    def renew_token(self) -> str:
        """Make every token that was handed out worthless and return a new one; shown pages stay."""
        self._tokens.renew()
        self._changed()
        return self.token

    @property
    def url(self) -> str:
        """A page that shows only this view. The part after `#` stays in the browser."""
        return f"{self._mount}/page#{self.id}.{self.token}"

    def embed_html(self) -> str:
        """The tag to put into your page: a script (loaded once a page) and the view's element."""
        return element_html(self._mount, self.id, self.token, self.label)

    @property
    def text(self) -> str:
        """The tool's text: what a person reads when the view cannot be shown (promise 6)."""
        content = (self.result or {}).get("content")
        blocks = content if isinstance(content, list) else []
        texts = [
            block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"
        ]
        return "\n\n".join(text for text in texts if isinstance(text, str))

    # The way to the screen

    def stage(self, name: str, detail: str | None = None) -> None:
        """Note that a step of the way was reached; each step counts once."""
        if any(stage.name == name for stage in self.stages):
            return
        stage = Stage(name, round((time.monotonic() - self._started) * 1000, 1), detail)
        self.stages.append(stage)
        if self.session is not None:
            self.session.page.show_stage(stage)
        self._notify()

    def decide(self, verdict: Verdict, reason: str | None = None, remedy: str | None = None) -> None:
        """Set the verdict. A failure stays until the view is shown again; `ok` replaces only `pending`."""
        if self.outcome.verdict not in (Verdict.PENDING, Verdict.OK):
            return
        self.outcome = Outcome(verdict, reason, remedy)
        if self.session is not None:
            self.session.page.show_outcome()
        self._notify()

    def begin_again(self) -> None:
        """A page shows the view anew: what the last page saw is history, unless there is nothing to show."""
        if self.document is not None:
            self.reconsider()

    def reconsider(self) -> None:
        """There will be another verdict: its document is at hand, or is being read again."""
        self.outcome = Outcome(Verdict.PENDING)

    def loaded(self, document: AppDocument) -> None:
        """The document is there, perhaps after it was thought to be unavailable."""
        self.document = document
        if self.outcome.verdict is Verdict.UNAVAILABLE:
            self.begin_again()
        self.stage("resource-read")
        if self.session is not None:
            self.session.mount()
        self._changed()

    def replaced(self, tool: Tool, document: AppDocument) -> None:
        """The server runs anew: a document that differs is shown, with the same input and result."""
        self.tool = tool
        if self.document is not None and self.document.html == document.html and self.verdict is Verdict.OK:
            return
        self.document = document
        if self.session is not None:
            self.session.ending.show_again("its document has changed")
        self._changed()

    def unreadable(self, error: AppReadError) -> None:
        self.decide(Verdict(error.kind), error.reason, error.remedy)

    async def until_ready(self, timeout: float = 30.0) -> Outcome:
        """The outcome once there is one: `ok`, or why not. Still `pending` means: not within `timeout`."""
        return await wait_for(self, set(Verdict) - {Verdict.PENDING}, timeout)

    async def until(self, *verdicts: Verdict, timeout: float) -> Outcome:
        """The outcome as soon as its verdict is one of these, or as it is after `timeout` seconds.

        Never raises for the time: `pending` then has a reason that says how far the view came.
        """
        return await wait_for(self, verdicts, timeout)

    # The tool call it belongs to

    def arguments_grew(self) -> None:
        """`partial_arguments` has more to show."""
        self._tell_tool_call()

    def supply_arguments(self, arguments: dict[str, Any]) -> None:
        """The arguments are complete."""
        self.arguments = arguments
        self.partial_arguments = _nothing_written
        self._tell_tool_call()
        self._changed()

    def finish(self, result: dict[str, Any]) -> None:
        """The tool answered; once, for a view shows the result of its own call only.

        Raises:
            LocalProtocolError: the call of this view has ended before.
        """
        if self.ended:
            raise LocalProtocolError(f"the call of view {self.id} has ended; another call has another view")
        self.result = result
        self.stage("tool-finished")
        self._tell_tool_call()
        if self.session is not None and self.outcome.verdict not in (Verdict.PENDING, Verdict.OK):
            self.session.page.show_outcome()  # again, now with the tool's text
        self._changed()

    def cancel(self, reason: str) -> None:
        """The tool call failed or was cancelled: the view is told (R54). Nothing if it has ended before."""
        if self.ended:
            return
        self.cancelled = reason
        self.partial_arguments = _nothing_written
        self._tell_tool_call()
        self._changed()

    @property
    def ended(self) -> bool:
        """Whether the tool call has its result or was cancelled."""
        return self.result is not None or self.cancelled is not None

    def _tell_tool_call(self) -> None:
        if self.session is not None:
            self.session.conversation.tool_call_changed()

    # What it said

    @property
    def model_context(self) -> dict[str, Any] | None:
        """What the view wants the model to know: its last word."""
        return self._model_context

    @model_context.setter
    def model_context(self, context: dict[str, Any] | None) -> None:
        self._model_context = context
        self._changed()

    @property
    def kept_state(self) -> dict[str, Any] | None:
        """What its documents keep with `fanlight.state`."""
        return self._kept_state

    @kept_state.setter
    def kept_state(self, state: dict[str, Any] | None) -> None:
        self._kept_state = state
        self._changed()

    def shown_under(self, csp: CspReport) -> None:
        """A page shows it anew under this policy; what was reported of the last document is history."""
        self.csp, self.violations, self.beyond_strict = csp, [], []

    def violated(self, violation: dict[str, Any]) -> None:
        """The browser refused something."""
        counted = count(self.violations, violation)
        if counted is not None and self.session is not None:
            self.session.page.show_violation(counted)
        self._notify()

    def went_beyond_strict(self, use: dict[str, Any]) -> None:
        """The browser allowed something that the strict level would refuse."""
        count(self.beyond_strict, use)
        self.stage("beyond-strict", f"{use['directive']} {use['blocked']}")
        self._notify()

    # Who wants to know

    def watch(self, watcher: Callable[[], None]) -> Callable[[], None]:
        """Call `watcher` at each stage, verdict or report of a browser; call what is returned to stop it."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher)

    def keep_with(self, keeper: Callable[[View], None] | None) -> None:
        """Call `keeper` whenever something changed that outlives the process; None: nobody any more."""
        self._keeper = keeper

    def _notify(self) -> None:
        tell_each("view.watch()", self._watchers)

    def _changed(self) -> None:
        if self._keeper is not None:
            self._keeper(self)


def element_html(mount: str, view_id: str, token: str, label: str) -> str:
    """The element of a view and the script that makes it work."""
    attributes = {"view-id": view_id, "token": token, "base": mount, "label": label}
    written = " ".join(f'{name}="{escape(value)}"' for name, value in attributes.items())
    return (
        f'<script type="module" src="{escape(mount)}/host.js"></script>\n'
        f"<fanlight-view {written}></fanlight-view>"
    )
