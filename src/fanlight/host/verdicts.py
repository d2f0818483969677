"""Why a view is or is not on the screen: the words that people, logs and exit codes share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

__all__ = ["Outcome", "Stage", "Verdict"]


class Verdict(StrEnum):
    """One word for the state of a view."""

    PENDING = "pending"
    OK = "ok"
    NO_UI = "no-ui"
    BAD_MIME = "bad-mime"
    READ_FAILED = "read-failed"
    PROXY_TIMEOUT = "proxy-timeout"
    HANDSHAKE_TIMEOUT = "handshake-timeout"
    CSP_BLOCKED = "csp-blocked"
    CHANGED = "changed"
    NAVIGATED = "navigated"
    BLANK = "blank"
    CRASHED = "crashed"
    CLOSED = "closed"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True)
class Outcome:
    """A verdict with its reason and what can be done about it."""

    verdict: Verdict
    reason: str | None = None
    remedy: str | None = None

    def as_json(self) -> dict[str, Any]:
        facts = {"verdict": self.verdict.value, "reason": self.reason, "remedy": self.remedy}
        return {key: value for key, value in facts.items() if value is not None}


@dataclass(frozen=True)
class Stage:
    """One step of a view's way to the screen, in milliseconds since its call began."""

    name: str
    ms: float
    detail: str | None = None

    def as_json(self) -> dict[str, Any]:
        detail = {} if self.detail is None else {"detail": self.detail}
        return {"name": self.name, "ms": self.ms, **detail}
