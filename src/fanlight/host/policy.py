"""Who may do what: the one place that answers for what a view asks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

__all__ = ["Action", "ActionKind", "Policy", "default_policy", "deny_all"]

ActionKind = Literal["tool-call", "message", "open-link"]


@dataclass(frozen=True)
class Action:
    """What a view wants to do: with which server, which tool or address, which arguments."""

    kind: ActionKind
    view: str
    server: str
    subject: str
    detail: dict[str, Any] = field(default_factory=dict)


# True allows, a sentence refuses and is told to the view.
Policy = Callable[[Action], Awaitable[Literal[True] | str]]


async def deny_all(action: Action) -> Literal[True] | str:
    """Refuse everything that a view asks for."""
    return f"this host's policy denies {action.kind} from apps"


async def default_policy(action: Action) -> Literal[True] | str:
    """Tools that list "app" may be called; links must be http or https."""
    if action.kind == "open-link" and urlsplit(action.subject).scheme.lower() not in ("http", "https"):
        return f"only http and https links are opened, not {action.subject[:80]!r}"
    return True
