"""Before a view is mounted: is its app the one that was shown before? If not, the person is asked first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from fanlight.errors import RpcError

from .pins import Pin, Pins
from .policy import ActionKind
from .verdicts import Verdict

if TYPE_CHECKING:
    from fanlight.upstream import AppDocument

    from .gate import Gate
    from .host import Host
    from .view import View

__all__ = ["PinCheck"]

_REMEDY = "If you expect the change, show the app again and accept it; if not, ask whoever runs the server."


class PinCheck:
    """Holds one showing back while its app differs from its pin. `mount` is called when it may go on."""

    def __init__(self, host: Host, view: View, gate: Gate, mount: Callable[[], None]) -> None:
        self._host = host
        self._view = view
        self._gate = gate
        self._mount = mount
        self._asking: asyncio.Task[None] | None = None

    def admits(self, document: AppDocument) -> bool:
        """May it be mounted now? If not, somebody is being asked, or said no."""
        pins, view = self._host.pins, self._view
        if pins is None:
            return True
        # By the server's name: where another server has it, its other documents are asked about.
        now = pins.pin_of(view.server.name, view.tool.name, document, view.user)
        pin = pins.seen(now)
        if pin is None:
            return True
        if self._asking is None:
            view.stage("changed")
            self._asking = asyncio.create_task(self._ask(pins, document, pin, now))
        return False

    async def _ask(self, pins: Pins, document: AppDocument, pin: Pin, now: Pin) -> None:
        view = self._view
        facts = {"sha256": document.sha256, "pinned": pin.sha256, "date": pin.date}
        what = " and ".join(pin.differs(now))
        detail = (
            f"Changed: {what}.\n\n"
            f"Pinned on {pin.date[:10]}:\nsha256 {pin.sha256}\n\n"
            f"Now ({document.size} bytes):\nsha256 {document.sha256}"
        )
        try:
            with pins.watching(lambda: self._accepted_elsewhere(pins, now)):
                await self._gate.permit(ActionKind.CHANGED_APP, document.uri, facts, detail=detail)
        except RpcError as error:
            if not self._gate.page.closed:
                view.decide(
                    Verdict.CHANGED,
                    f"This app has changed since {pin.date[:10]} ({what}), and {error.message}.",
                    _REMEDY,
                )
            return
        finally:
            self._asking = None
        pins.accept(now)
        self._mount()

    def _accepted_elsewhere(self, pins: Pins, now: Pin) -> None:
        """The same question was answered for another view: nobody is asked twice."""
        if pins.unmatched(now) is None:
            self._gate.page.settle((ActionKind.CHANGED_APP, now.uri), "allow")
