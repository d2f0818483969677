"""What a view is told of the tool call it belongs to: arguments while they grow, arguments, result or end.

The view is the truth, the connection decides what may be said when; this file only brings the one up to the
other, so it does not matter in which order things became known or when a page came to show them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanlight.errors import LocalProtocolError

if TYPE_CHECKING:
    from fanlight.protocol.host import HostConnection

    from .view import View

__all__ = ["ToolSupply"]


class ToolSupply:
    """Carries the tool call of one view to one connection; every part of it once."""

    def __init__(self, connection: HostConnection, view: View) -> None:
        self._connection = connection
        self._view = view
        self._told_input = False
        self._told_end = False

    def update(self, *, partials: bool = True) -> None:
        """Tell the view what is known by now and it has not been told.

        Partial arguments are the one thing that may be left out (`partials`): a newer one or the complete
        arguments say it all again.
        """
        view, connection = self._view, self._connection
        if self._told_end:
            return
        if view.arguments is not None:
            if not self._told_input:
                self._told_input = True
                connection.send_tool_input(view.arguments)
        elif view.cancelled is None and partials:
            written = view.partial_arguments()
            if written is not None:
                connection.send_tool_input_partial(written)
        if view.cancelled is not None:
            self._told_end = True
            connection.send_tool_cancelled(view.cancelled)
        elif view.result is not None:
            self._told_end = True
            try:
                connection.send_tool_result(view.result)
            except LocalProtocolError as error:  # the program still has this result; the view cannot get it
                connection.send_tool_cancelled(f"the tool's result cannot be shown: {error}")
