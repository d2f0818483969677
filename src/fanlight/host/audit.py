"""The audit log: one JSON line for every decision, written by a thread of its own.

Nothing here waits on the event loop and nothing here raises into a conversation: a file or a callback that
fails is reported to the `fanlight.audit` logger, and entries that could not be kept are counted in the log.
"""

from __future__ import annotations

import hashlib
import json
import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fanlight.errors import ConfigError

__all__ = ["AuditEntry", "AuditLog", "AuditSink", "digest", "utc_now"]

_log = logging.getLogger("fanlight.audit")
AuditSink = Callable[[dict[str, Any]], None]

# Entries that wait for a slow disk. Beyond it entries are counted instead of kept, and the log says so.
_QUEUE_LIMIT = 10_000
_TEXT_LENGTH = 200
_KEYS_SHOWN = 20
_CLOSE_SECONDS = 5.0


@dataclass(frozen=True)
class AuditEntry:
    """One decision, and who made it.

    `decision` is allow, deny or cancelled. `by` is policy, person, remembered, host (its `ask` setting),
    limit, visibility, rule, deadline, gone (the page left) or view (it took its request back).
    """

    time: str
    user: str | None
    view: str
    server: str
    kind: str
    subject: str
    arguments: Any
    decision: str
    by: str
    reason: str
    ms: float

    def as_json(self) -> dict[str, Any]:
        """The entry as it is logged: bounded, and without the arguments' values."""
        facts = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        facts |= {
            "subject": _short(self.subject),
            "reason": _short(self.reason),
            "arguments": digest(self.arguments),
        }
        return {key: value for key, value in facts.items() if value not in (None, "")}


def digest(arguments: Any) -> dict[str, Any]:
    """What can be said of arguments without repeating them: size, hash, and the names of the fields."""
    text = json.dumps(arguments, separators=(",", ":"), sort_keys=True, ensure_ascii=False, default=str)
    facts: dict[str, Any] = {
        "size": len(text),
        "sha256": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
    }
    if isinstance(arguments, dict) and arguments:
        facts["keys"] = [str(key)[:40] for key in list(arguments)[:_KEYS_SHOWN]]
    return facts


class AuditLog:
    """Takes entries at once and hands them on, in order, from a thread.

    `target` is a path (JSON lines are appended), a callable (called with each entry as a dict, in the
    thread), or None (nothing is kept).
    """

    def __init__(self, target: AuditSink | str | Path | None) -> None:
        if not (target is None or callable(target) or isinstance(target, str | Path)):
            raise ConfigError(f"audit is {target!r}: give a path or a function of one dict")
        self._target = target
        self._queue: queue.Queue[AuditEntry | int | None] = queue.Queue(_QUEUE_LIMIT)
        self._thread: threading.Thread | None = None
        self._lost = 0
        self._given_up = False

    def put(self, entry: AuditEntry) -> None:
        """Keep an entry; never waits."""
        if self._target is None:
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._write_all, name="fanlight-audit", daemon=True)
            self._thread.start()
        try:
            if self._lost:
                self._queue.put_nowait(self._lost)
                self._lost = 0
            self._queue.put_nowait(entry)
        except queue.Full:
            self._lost += 1

    def close(self) -> None:
        """Write what is left and end the thread. Blocks for a bounded time: call it beside the loop."""
        thread, self._thread = self._thread, None
        if thread is None:
            return
        try:
            self._queue.put(None, timeout=_CLOSE_SECONDS)
        except queue.Full:
            _log.error("the audit log is stuck; %d entries were not written", self._queue.qsize())
            self._given_up = True
            return
        thread.join(_CLOSE_SECONDS)

    def _write_all(self) -> None:
        broken = False
        while not self._given_up and (entry := self._queue.get()) is not None:
            try:
                # Hashing long arguments is work too: it is done here, beside the loop.
                self._write({"lost": entry} if isinstance(entry, int) else entry.as_json())
                broken = False
            except Exception:
                if not broken:  # once for a whole outage: a full disk must not fill the log as well
                    _log.exception("an entry of the audit log could not be written")
                broken = True

    def _write(self, line: dict[str, Any]) -> None:
        if callable(self._target):
            self._target(line)
            return
        assert self._target is not None
        text = json.dumps(line, ensure_ascii=True, separators=(",", ":"))
        # Opened for every line: a rotated file is followed, and a line is complete or not there.
        with open(self._target, "a", encoding="ascii") as file:
            file.write(f"{text}\n")


def utc_now() -> str:
    """The time of an entry."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _short(text: str) -> str:
    return text if len(text) <= _TEXT_LENGTH else f"{text[:_TEXT_LENGTH]}…"
