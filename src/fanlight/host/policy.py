"""Who may do what: the one callback that answers allow, ask or deny for what a view wants.

Hard rules (visibility, http and https only, rates and sizes) stand before it and cannot be lifted here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

__all__ = [
    "ALLOW",
    "ASK",
    "Action",
    "ActionKind",
    "Decision",
    "Policy",
    "Word",
    "allow_all",
    "default_policy",
    "deny",
    "deny_all",
]


class ActionKind(StrEnum):
    """What a view can want."""

    TOOL_CALL = "tool-call"
    MESSAGE = "message"
    OPEN_LINK = "open-link"
    DOWNLOAD = "download"
    SAMPLING = "sampling"
    DISPLAY_MODE = "display-mode"
    VIEW_TOOL = "view-tool"
    CHANGED_APP = "changed-app"


@dataclass(frozen=True)
class Action:
    """One thing that a view wants, or that the program wants of a view (`view-tool`).

    `changed-app` is nobody's wish: a pinned app is another one than before, and would be shown.

    `subject` is the tool, the address, the display mode or the file names; `arguments` is what goes with it.
    `annotations` are the tool's own words about itself: hints of the server, or of the view for a view tool.
    `allowed_before` says that the same (for a link: a page of the same site) was allowed in this showing.
    """

    kind: ActionKind
    user: str | None
    server: str
    view: str
    subject: str
    arguments: dict[str, Any] = field(default_factory=dict)
    annotations: dict[str, Any] = field(default_factory=dict)
    allowed_before: bool = False

    @property
    def read_only(self) -> bool:
        """Whether the tool says that it changes nothing. A hint, never a proof."""
        return self.annotations.get("readOnlyHint") is True


class Word(StrEnum):
    """The three answers."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


@dataclass(frozen=True)
class Decision:
    """An answer and why. The reason of a denial is told to the view, that of a question to the person."""

    word: Word
    reason: str = ""


ALLOW = Decision(Word.ALLOW)
ASK = Decision(Word.ASK)


def deny(reason: str) -> Decision:
    """No, with the sentence that the view is told."""
    return Decision(Word.DENY, reason)


Policy = Callable[[Action], Awaitable[Decision]]


async def allow_all(action: Action) -> Decision:
    """Yes to everything; the hard rules still hold."""
    return ALLOW


async def deny_all(action: Action) -> Decision:
    """No to everything."""
    return deny(f"this host's policy denies {action.kind} from apps")


async def default_policy(action: Action) -> Decision:
    """What changes nothing goes through, what leaves the app or may change something is asked.

    | wanted | answer |
    |---|---|
    | a tool of the server, or of the view, that says it is read-only | allow |
    | any other tool | ask |
    | a message (only offered when the program listens) | allow |
    | a link | ask once a site and showing |
    | a download, a completion by the program's model | ask |
    | an app that changed since it was pinned | ask |
    | another display mode | allow |
    """
    match action.kind:
        case ActionKind.TOOL_CALL | ActionKind.VIEW_TOOL:
            return ALLOW if action.read_only else ASK
        case ActionKind.OPEN_LINK:
            return ALLOW if action.allowed_before else ASK
        case ActionKind.DOWNLOAD | ActionKind.SAMPLING | ActionKind.CHANGED_APP:
            return ASK
        case ActionKind.MESSAGE | ActionKind.DISPLAY_MODE:
            return ALLOW
