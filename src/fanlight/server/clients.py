"""What the connected client said about itself, whichever SDK the question is asked through."""

from __future__ import annotations

from typing import Any

from fanlight.wire.versions import peer_shows_apps

__all__ = ["client_shows_apps"]


def client_shows_apps(context: Any) -> bool:
    """Whether the client of this request said that it shows apps (R08, R12).

    `context` is what the SDK hands to a tool: its `Context`, or the `ServerRequestContext` of a low-level
    handler. False outside of a request. Some hosts show apps without saying so: choose words by this, and
    never leave out the data of the view.
    """
    try:
        session = context.session
    except (ValueError, RuntimeError, AttributeError):  # how each SDK says that there is no request
        return False
    capabilities = getattr(session, "client_capabilities", None)
    if capabilities is None:  # mcp 1.x
        capabilities = getattr(getattr(session, "client_params", None), "capabilities", None)
    if capabilities is None:
        return False
    return peer_shows_apps(capabilities.model_dump(mode="json", by_alias=True, exclude_none=True))
