"""What a view logs (`notifications/message`): to the logger `fanlight.view` and the tap, bounded."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fanlight.sandbox.sources import plain_text

if TYPE_CHECKING:
    from .gate import Gate
    from .view import View

__all__ = ["ViewLog"]

_log = logging.getLogger("fanlight.view")
_NAME_LENGTH = 100
_LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "notice": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
    "critical": logging.CRITICAL,
    "alert": logging.CRITICAL,
    "emergency": logging.CRITICAL,
}


class ViewLog:
    """The log lines of one showing. Lines beyond the rate are counted, and the count is logged."""

    def __init__(self, view: View, gate: Gate, note: Callable[[str], None]) -> None:
        self._view = view
        self._gate = gate
        self._note = note
        self._dropped = 0

    def put(self, level: str, data: Any, logger: str | None) -> None:
        if self._gate.waits("logs"):
            self._dropped += 1
            return
        self.flush()
        limit = self._gate.limits.log_size
        # JSON escapes control characters: a view cannot forge lines or colours in a terminal.
        text = json.dumps(data, ensure_ascii=True, default=str)
        if len(text) > limit:
            text = f"{text[:limit]}… ({len(text)} characters)"
        name = json.dumps(logger[:100]) if logger else "log"
        self._write(_LEVELS.get(level, logging.INFO), f"{name}: {text}", level)

    def flush(self) -> None:
        """Say how many lines were left out since the last one that was kept."""
        if self._dropped:
            count, self._dropped = self._dropped, 0
            self._write(logging.WARNING, f"{count} log lines of this view were left out: too many", "warning")

    def _write(self, number: int, text: str, level: str) -> None:
        view = self._view
        facts = {"view": view.id, "server": view.server.name, "tool": view.tool.name}
        # The server chose the tool's name: it forges no more than the view does.
        tool = plain_text(view.tool.name, _NAME_LENGTH)
        _log.log(number, "%s %s: %s", view.server.name, tool, text, extra={"fanlight": facts})
        self._note(f"log {level} {text}")
