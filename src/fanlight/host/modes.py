"""How a page shows one view: inline, fullscreen or pip. The page does it; here is decided whether it may.

The page may move the view at once when its person presses a control. It is always told what came of it, so
that both agree even when a view and a person want different things at the same moment.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fanlight.protocol.host import HostConnection

__all__ = ["Modes"]


class Modes:
    """The display mode of one showing.

    `to_page` takes a frame for the page; `drain` carries what the connection has to say.
    """

    def __init__(
        self, connection: HostConnection, to_page: Callable[..., None], drain: Callable[[], None]
    ) -> None:
        self._connection = connection
        self._to_page = to_page
        self._drain = drain

    def tell_page(self) -> None:
        """Say which mode it is and which ones the person may choose."""
        mode = self._connection.context["displayMode"]
        self._to_page("mode", mode=mode, choosable=self._choosable())

    def grant(self, mode: str) -> str:
        """The view asked, legally and with permission: the page shows it so. Returns what results (R42)."""
        declared = self._declared()
        if declared is not None and "inline" not in declared:
            # Its person could not bring it back (R41), so it stays where it is (R43).
            return str(self._connection.context["displayMode"])
        self._to_page("mode", mode=mode, choosable=self._choosable())
        return mode

    def choose(self, mode: str) -> None:
        """The person pressed a control of the page. Never where the view did not agree to go (R41)."""
        if mode == "inline" or mode in self._choosable():
            self._connection.update_context({"displayMode": mode})
            self._drain()
        self.tell_page()

    def _choosable(self) -> list[str]:
        """What both can do. A view that declared no list was not written with other modes in mind."""
        declared = self._declared()
        if declared is None or "inline" not in declared:
            return []
        return [mode for mode in self._connection.context["availableDisplayModes"] if mode in declared]

    def _declared(self) -> list[Any] | None:
        declared = self._connection.app_capabilities.get("availableDisplayModes")
        return declared if isinstance(declared, list) else None
