"""A view: one living instance of an app, from the call that made it to its end."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any

from fanlight.upstream import AppDocument, AppReadError, Tool

from .verdicts import Outcome, Stage, Verdict

if TYPE_CHECKING:
    from .server import Server
    from .session import Session

__all__ = ["View"]


class View:
    """What is known of one view, independent of whether a page shows it at the moment."""

    def __init__(self, server: Server, tool: Tool, call_id: str, mount: str) -> None:
        self.id = secrets.token_hex(8)
        # Whoever holds the token may attach to this view; it never appears in an address.
        self.token = secrets.token_urlsafe(24)
        self.server = server
        self.tool = tool
        self.call_id = call_id
        self.document: AppDocument | None = None
        self.arguments: dict[str, Any] | None = None
        self.result: dict[str, Any] | None = None
        self.cancelled: str | None = None
        self.outcome = Outcome(Verdict.PENDING)
        self.stages: list[Stage] = []
        self.violations: list[dict[str, Any]] = []
        self.model_context: dict[str, Any] | None = None
        self.session: Session | None = None
        self._mount = mount
        self._started = time.monotonic()
        self._watchers: list[Callable[[], None]] = []

    @property
    def label(self) -> str:
        return f"{self.server.name} · {self.tool.title}"

    @property
    def verdict(self) -> Verdict:
        return self.outcome.verdict

    @property
    def url(self) -> str:
        """A page that shows only this view. The part after `#` stays in the browser."""
        return f"{self._mount}/page#{self.id}.{self.token}"

    def embed_html(self) -> str:
        """The tag to put into your page: a script (loaded once a page) and the view's element."""
        attributes = {"view-id": self.id, "token": self.token, "base": self._mount, "label": self.label}
        written = " ".join(f'{name}="{escape(value)}"' for name, value in attributes.items())
        return (
            f'<script type="module" src="{escape(self._mount)}/host.js"></script>\n'
            f"<fanlight-view {written}></fanlight-view>"
        )

    @property
    def text(self) -> str:
        """The tool's text: what a person reads when the view cannot be shown (promise 6)."""
        content = (self.result or {}).get("content")
        blocks = content if isinstance(content, list) else []
        texts = [
            block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"
        ]
        return "\n\n".join(text for text in texts if isinstance(text, str))

    def stage(self, name: str) -> None:
        """Note that a step of the way was reached; each step counts once."""
        if any(stage.name == name for stage in self.stages):
            return
        stage = Stage(name, round((time.monotonic() - self._started) * 1000, 1))
        self.stages.append(stage)
        if self.session is not None:
            self.session.show_stage(stage)
        self._notify()

    def decide(self, verdict: Verdict, reason: str | None = None, remedy: str | None = None) -> None:
        """Set the verdict. A failure stays until the view is shown again; `ok` replaces only `pending`."""
        if self.outcome.verdict not in (Verdict.PENDING, Verdict.OK):
            return
        self.outcome = Outcome(verdict, reason, remedy)
        if self.session is not None:
            self.session.show_outcome()
        self._notify()

    def begin_again(self) -> None:
        """A page shows the view anew: what the last page saw is history, unless there is nothing to show."""
        if self.document is not None:
            self.outcome = Outcome(Verdict.PENDING)

    def loaded(self, document: AppDocument) -> None:
        self.document = document
        self.stage("resource-read")
        if self.session is not None:
            self.session.mount()

    def unreadable(self, error: AppReadError) -> None:
        self.decide(Verdict(error.kind), error.reason, error.remedy)

    def finish(self, result: dict[str, Any]) -> None:
        """The tool answered."""
        self.result = result
        self.stage("tool-finished")
        if self.session is not None:
            self.session.send_result(result)
            if self.outcome.verdict not in (Verdict.PENDING, Verdict.OK):
                self.session.show_outcome()

    def cancel(self, reason: str) -> None:
        """The tool call failed or was cancelled: the view is told (R54)."""
        self.cancelled = reason
        if self.session is not None:
            self.session.send_cancelled(reason)

    def violated(self, violation: dict[str, Any]) -> None:
        self.violations.append(violation)
        if self.session is not None:
            self.session.show_violation(violation)

    def watch(self, watcher: Callable[[], None]) -> None:
        """Call `watcher` whenever a stage or the verdict changes."""
        self._watchers.append(watcher)

    def _notify(self) -> None:
        for watcher in tuple(self._watchers):
            watcher()
