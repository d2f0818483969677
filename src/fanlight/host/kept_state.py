"""What a view of ours keeps (`fanlight.state`): its last word, which each new document of it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .session import Session
    from .view import View

__all__ = ["STATE", "keep_state", "state_part"]

# The name of the capability and of the part of the context.
STATE = "fanlight/state"


def state_part(view: View) -> dict[str, Any]:
    """The part of the context that tells a new document what was kept."""
    return {STATE: view.kept_state or {}}


def keep_state(view: View, state: dict[str, Any], by: Session) -> None:
    """Keep what the showing `by` said; one that has taken its place must not begin with less."""
    view.kept_state = state
    if view.session is not None and view.session is not by:
        view.session.conversation.context_changed(state_part(view))
