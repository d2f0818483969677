"""The way of a view to the screen: what the frames tell of it, and a verdict when they fall silent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from .deadlines import Deadlines
from .reported import blocked_outcome
from .verdicts import Verdict

if TYPE_CHECKING:
    from .host import Host
    from .view import View

__all__ = ["ENDINGS", "Appearing"]

# What the frames tell of a view that cannot go on: the verdict, what happened, what to do.
ENDINGS: Mapping[str, tuple[Verdict, str, str]] = {
    "view-navigated": (
        Verdict.NAVIGATED,
        "The app's document was replaced while it was shown.",
        "An app must not navigate, reload itself or submit a form to an address: handle the submit event and "
        "call a tool, and use ui/open-link for addresses.",
    ),
    "view-deaf": (
        Verdict.CRASHED,
        "The app's document was not there, and too many messages waited for it.",
        "Show the app again; if it stays so, look for what keeps its document from loading.",
    ),
    "view-flooded": (
        Verdict.CRASHED,
        "The app said so much that the page had no time for anything else, and was taken away.",
        "An app sends what changed, when it changed; look for a loop that sends without a pause.",
    ),
}


class Appearing:
    """Watches one showing from its mount to `initialized`.

    `page_there` says whether the page's socket is up: while it is not, silence says nothing about the view.
    """

    def __init__(
        self, host: Host, view: View, sandbox: str, deadlines: Deadlines, page_there: Callable[[], bool]
    ) -> None:
        self._host = host
        self._view = view
        self._sandbox = sandbox
        self._deadlines = deadlines
        self._page_there = page_there

    def mounted(self) -> None:
        """The page was given its frame."""
        self._view.stage("mounted")
        self._deadlines.within("proxy", self._host.proxy_timeout, self._proxy_timed_out)

    def reached(self, signal: str) -> bool:
        """The frames tell of a step of the way; False if it is none."""
        match signal:
            case "proxy-ready":
                self._proxy_ready()
            case "view-loaded":
                self._view.stage("document-loaded")
            case _:
                return False
        return True

    def _proxy_ready(self) -> None:
        self._deadlines.met("proxy")
        self._view.stage("proxy-ready")
        self._deadlines.within("handshake", self._host.handshake_timeout, self._handshake_timed_out)

    def initialized(self) -> None:
        """The view completed its handshake: it is there."""
        self._deadlines.met("handshake")
        self._view.stage("initialized")
        self._view.decide(Verdict.OK)

    def _proxy_timed_out(self) -> None:
        if not self._page_there():
            self._deadlines.within("proxy", self._host.proxy_timeout, self._proxy_timed_out)
            return
        self._view.decide(
            Verdict.PROXY_TIMEOUT,
            f"The sandbox at {self._sandbox} did not load.",
            "Check that this name resolves to this server in your browser, or open the page on 127.0.0.1.",
        )

    def _handshake_timed_out(self) -> None:
        if not self._page_there():
            self._deadlines.within("handshake", self._host.handshake_timeout, self._handshake_timed_out)
            return
        problem = "The app loaded but never completed ui/initialize."
        blocked = blocked_outcome(self._view, problem)
        if blocked is not None:
            self._view.decide(Verdict.CSP_BLOCKED, *blocked)
            return
        self._view.decide(
            Verdict.HANDSHAKE_TIMEOUT,
            problem,
            "Look for a script error or a blocked resource in the browser's console.",
        )
