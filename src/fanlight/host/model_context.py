"""What views want the model to know: one entry a view, its last word, marked as a view's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .verdicts import Verdict

if TYPE_CHECKING:
    from .view import View

__all__ = ["context_of", "store_context"]


def store_context(view: View, params: dict[str, Any]) -> None:
    """Keep what a view wants the model to know; each update replaces the view's last one (R47)."""
    kept = {key: params[key] for key in ("content", "structuredContent") if params.get(key)}
    view.model_context = kept or None


def context_of(views: Iterable[View], user: str | None) -> list[dict[str, Any]]:
    """The entries of these views; with `user`, only that user's. Closed views have no say any more."""
    return [
        {
            "source": "view",
            "view": view.id,
            "server": view.server.name,
            "tool": view.tool.name,
            **view.model_context,
        }
        for view in views
        if view.model_context is not None
        and view.verdict is not Verdict.CLOSED
        and (user is None or view.user == user)
    ]
