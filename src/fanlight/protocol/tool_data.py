"""The tool call a view belongs to, in the one order the wire allows.

The program supplies arguments and results in whatever order it has them; the view gets
``tool-input-partial``\\*, then ``tool-input`` once, then ``tool-result`` or ``tool-cancelled`` (R48 to R50,
R53, R54). Nothing here knows whether the view is ready: ``due()`` is asked when it is.
"""

from __future__ import annotations

from fanlight.errors import LocalProtocolError
from fanlight.wire.jsonrpc import JSONObject, notification

from .strict import tool_result, without_nulls

__all__ = ["ToolData"]

_PARTIAL = "ui/notifications/tool-input-partial"
_INPUT = "ui/notifications/tool-input"
_RESULT = "ui/notifications/tool-result"
_CANCELLED = "ui/notifications/tool-cancelled"


def _check_object(what: str, value: object) -> None:
    if not isinstance(value, dict):
        raise LocalProtocolError(f"{what} must be an object, not {type(value).__name__}")


class ToolData:
    """What was supplied and what was sent. Payloads are kept by reference and dropped once sent."""

    def __init__(self) -> None:
        self._waiting: dict[str, JSONObject] = {}
        self._supplied: set[str] = set()

    @property
    def awaits_input(self) -> bool:
        """Whether a result is held back because the arguments were never supplied."""
        return _RESULT in self._waiting and _INPUT not in self._supplied

    def supply_partial(self, arguments: JSONObject) -> None:
        """Newest wins while it waits. Raises ``LocalProtocolError`` after the input or the end (R50)."""
        if _INPUT in self._supplied:
            raise LocalProtocolError("partial arguments cannot follow the complete ones")
        self._check_not_cancelled("partial arguments")
        _check_object("partial arguments", arguments)
        self._waiting[_PARTIAL] = {"arguments": arguments}

    def supply_input(self, arguments: JSONObject | None) -> None:
        """Once (R49). Raises ``LocalProtocolError`` the second time, or after a cancellation."""
        if _INPUT in self._supplied:
            raise LocalProtocolError(
                "the complete arguments were supplied already; a view belongs to one call"
            )
        self._check_not_cancelled("arguments")
        # Always an object: a tool without arguments still gets its tool-input, views wait for it.
        arguments = {} if arguments is None else arguments
        _check_object("arguments", arguments)
        self._supplied.add(_INPUT)
        self._waiting[_INPUT] = {"arguments": arguments}
        self._waiting.pop(_PARTIAL, None)

    def supply_result(self, result: JSONObject) -> None:
        """Once, and not after a cancellation; raises ``LocalProtocolError`` otherwise.

        Held back until the input is supplied (R49). The program must supply it, even if only ``{}``:
        inventing empty arguments would tell the view something that is not so.
        """
        self._check_not_over()
        _check_object("a tool result", result)
        fit = tool_result(result)
        self._supplied.add(_RESULT)
        self._waiting[_RESULT] = fit

    def supply_cancelled(self, reason: str | None) -> None:
        """Once, and not after a result; raises ``LocalProtocolError`` otherwise.

        Does not wait for the input: a call cancelled while its arguments were written never has any.
        """
        self._check_not_over()
        self._supplied.add(_CANCELLED)
        self._waiting[_CANCELLED] = without_nulls({"reason": reason})
        self._waiting.pop(_PARTIAL, None)

    def due(self) -> list[JSONObject]:
        """What may go to a ready view now, in order; it counts as sent."""
        order = [_PARTIAL, _INPUT, _CANCELLED]
        if _INPUT in self._supplied:
            order.append(_RESULT)
        return [notification(name, self._waiting.pop(name)) for name in order if name in self._waiting]

    def _check_not_cancelled(self, what: str) -> None:
        if _CANCELLED in self._supplied:
            raise LocalProtocolError(f"{what} cannot follow the cancellation of the tool call")

    def _check_not_over(self) -> None:
        if _RESULT in self._supplied:
            raise LocalProtocolError("the tool call has its result already; a view belongs to one call")
        self._check_not_cancelled("a second end")

    def to_json(self) -> JSONObject:
        """Plain JSON, for snapshots."""
        return {"waiting": dict(self._waiting), "supplied": sorted(self._supplied)}

    @classmethod
    def from_json(cls, data: JSONObject) -> ToolData:
        """The reverse of ``to_json``."""
        tool_data = cls()
        tool_data._waiting, tool_data._supplied = dict(data["waiting"]), set(data["supplied"])
        return tool_data
