"""A session and its link: it lives as long as the page's document, while sockets come and go.

It knows frames; what they mean is the session's business.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

from fanlight.wire.json_text import encode

from .link import WINDOW, Arrival, Bounds, Link, Pressure
from .unread import TOO_DEEP
from .verdicts import Verdict

if TYPE_CHECKING:
    from .link_registry import Links
    from .session import Session
    from .view import View

__all__ = ["ELSEWHERE", "Carrier", "Frame", "Linked", "is_number"]

Frame = dict[str, Any]

# What a frame's number and names add to the text that the page counts.
_HEAD_SIZE = 256

ELSEWHERE = {
    "elsewhere": True,
    "verdict": Verdict.CLOSED.value,
    "reason": "This app is now shown in another place: a newer window, tab or part of this page.",
    "remedy": "Go on there, or reload this page to show it here again.",
}


class Carrier(Protocol):
    """A socket, as far as a link needs one. No call blocks."""

    def ready(self, linked: Linked) -> None:
        """This link has frames to take, or an acknowledgement to give."""

    def released(self, linked: Linked) -> None:
        """This link is over: give it its last acknowledgement and forget it."""

    def fail(self, reason: str) -> None:
        """The page breaks the rules of the link: let the socket go; both begin again from what they have."""


class Linked:
    """One session with its link, and the socket that carries it at the moment, if any."""

    def __init__(self, links: Links, view: View, session_id: str, bounds: Bounds) -> None:
        self.view = view
        self.link = Link(session_id, bounds)
        self.session: Session | None = None
        self.carrier: Carrier | None = None
        self._links = links
        self._timer: asyncio.TimerHandle | None = None
        # Frames of the page that wait until the page has read what waits for it.
        self._held: deque[tuple[Frame, int]] = deque()
        self._held_size = 0
        self._superseded = False
        self._full = False

    # To the page

    def send(self, frame: Frame) -> None:
        """Keep a frame for the page until it was heard. Never blocks, never loses one.

        Raises:
            Unwritable: the page could not read it.
        """
        self.link.push(encode(frame))
        if self.carrier is not None:
            self.carrier.ready(self)
        if self.link.pressure is Pressure.FULL and not self._full:
            self._full = True
            self._give_up()

    def is_crowded(self) -> bool:
        """Whether so much waits for the page that nothing should be added which can be left out."""
        return self.link.pressure is not Pressure.FREE

    def _give_up(self) -> None:
        link = self.link
        if self.session is not None:
            self.session.ending.fail(
                Verdict.CLOSED,
                f"The page stopped reading: {link.kept} messages ({link.size} bytes) wait for it.",
                "Show the app again; a page that is busy or asleep reads nothing.",
            )

    # From the page

    def receive(self, frame: Frame, size: int) -> None:
        """A numbered frame of the page; held back while too much waits for the page."""
        self.acknowledge(frame.get("got"))
        if self._held or self.link.pressure is not Pressure.FREE:
            self._hold(frame, size)
            return
        self._take(frame, size)

    def _hold(self, frame: Frame, size: int) -> None:
        # Nothing that is held is acknowledged, so a page that keeps to its window says no more than this.
        if len(self._held) >= WINDOW.frames or self._held_size >= WINDOW.size + WINDOW.frames * _HEAD_SIZE:
            self._fail("more is under way than the window allows")
            return
        self._held.append((frame, size))
        self._held_size += size

    def _next_held(self) -> tuple[Frame, int]:
        frame, size = self._held.popleft()
        self._held_size -= size
        return frame, size

    def acknowledge(self, got: object) -> None:
        """The page has heard up to `got`."""
        if not is_number(got) or not self.link.acknowledge(got):
            self._fail("an acknowledgement of what was not said")
            return
        while self._held and self.link.pressure is Pressure.FREE:
            self._take(*self._next_held())
        if self.session is not None and self.session.closed and not self.link.kept:
            self._links.forget(self)

    def _take(self, frame: Frame, size: int) -> None:
        number = frame.get("n")
        arrival = self.link.accept(number) if is_number(number) else Arrival.GAP
        if arrival is Arrival.NEW:
            self._use(frame, size)
        elif arrival is Arrival.GAP:
            self._fail("a frame is missing")
        if self.carrier is not None:
            self.carrier.ready(self)

    def take_left(self, entry: object) -> bool:
        """A frame that the page's last document could not hand over; False if it cannot be used."""
        match entry:
            case [int(number), dict(frame)]:
                arrival = self.link.accept(number)
                if arrival is Arrival.NEW:
                    self._use(frame, None)
                return arrival is not Arrival.GAP
        return False

    def _use(self, frame: Frame, size: int | None) -> None:
        session = self.session
        if session is None or session.closed:
            return
        match frame.get("op"):
            case "message":
                session.conversation.receive(frame.get("message"), size)
            case "signal" if isinstance(frame.get("name"), str):
                session.signal(frame["name"])
            case "context" if isinstance(frame.get("context"), dict):
                session.conversation.page_changed(frame["context"])
            case "decision":
                session.gate.page.answered(frame)
            case "mode" if isinstance(frame.get("mode"), str):
                session.conversation.mode_chosen(frame["mode"])
            case "oversized" if is_number(frame.get("size")):
                session.conversation.receive(frame.get("message"), frame["size"])
            case "too-deep":
                session.conversation.refuse_unread(frame.get("message"), TOO_DEEP)
            case "overflow":
                session.ending.fail(
                    Verdict.CRASHED,
                    f"The app said more than could be handled: {frame.get('frames')} messages waited.",
                    "An app waits for answers before it asks for more; tell the app's author.",
                )
            case "rest":
                session.ending.rest()
            case "detach":
                self.leave("the page let the view go")

    # Sockets come and go

    def carried_by(self, carrier: Carrier, got: int) -> bool:
        """The page is there, on this socket, and has heard up to `got`; False when that cannot be."""
        if not self.link.resume(got):
            return False
        self._still()
        self._links.back(self)
        self.carrier = carrier
        if self.session is not None:
            self.session.page_there = True
            self.session.page_left = False
        # The page says again what was not acknowledged.
        self._held.clear()
        self._held_size = 0
        return True

    def lost(self, carrier: Carrier, wait: float, *, goodbye: bool = False) -> None:
        """A socket is gone; if it was ours, the page has `wait` seconds to come back."""
        if self.carrier is not carrier:
            return
        self.carrier = None
        if self.session is not None:
            self.session.page_there = False
            self.session.page_left = goodbye
        self._links.away(self, wait)

    def wait_for_page(self, seconds: float) -> None:
        self._still()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._miss_page)

    def _miss_page(self) -> None:
        was_shown = self.session is not None and self.session.shows_view
        self.leave("the page did not come back")
        if was_shown:
            self.view.page_left()

    # The end

    def supersede(self) -> None:
        """Another page shows the view: this one may save its work and is told so, in words."""
        self._superseded = True
        if self.session is not None:
            self.session.ending.supersede()

    def session_closed(self, reason: str) -> None:
        """The session ended by itself: the page is told after everything else it was told."""
        if not self._links.known(self):
            return  # the page is gone
        words: Frame = {**ELSEWHERE, "text": self.view.text} if self._superseded else {}
        if self.session is not None and self.session.ending.afterwards is not None:
            words = {self.session.ending.afterwards: True}
        self.send({"op": "end", "view": self.view.id, **words})

    def leave(self, reason: str) -> None:
        """The page is gone for good. What it had handed over is still done; nobody hears the answers."""
        while self._held:
            frame, size = self._next_held()
            if is_number(frame.get("n")) and self.link.accept(frame["n"]) is Arrival.NEW:
                self._use(frame, size)
        self._links.forget(self)
        if self.session is not None:
            self.session.leave(reason)

    def forgotten(self) -> None:
        """Nobody carries this link any more."""
        self._still()
        carrier, self.carrier = self.carrier, None
        if carrier is not None:
            carrier.released(self)

    def _still(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _fail(self, reason: str) -> None:
        if self.carrier is not None:
            self.carrier.fail(reason)


def is_number(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
