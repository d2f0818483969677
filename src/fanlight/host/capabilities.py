"""What a host offers a view, derived from what is registered and connected, never written by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .contents import MODALITIES
from .kept_state import STATE

if TYPE_CHECKING:
    from .host import Host
    from .showing import Showing
    from .view import View

__all__ = ["capabilities_for"]


def capabilities_for(host: Host, view: View, showing: Showing) -> dict[str, Any]:
    """What this host really does for this view now (promise 4)."""
    offered: dict[str, Any] = {
        "openLinks": {},
        "downloadFile": {},
        "logging": {},
        "updateModelContext": {**{kind: {} for kind in MODALITIES}, "structuredContent": {}},
        "experimental": {STATE: {}},
    }
    # A broken connection withdraws nothing: a call waits for the next one, or asks for another try. Only a
    # server that is not there at all (`AbsentServer`) offers nothing.
    server = view.server.capabilities
    if server.get("tools") is not None:
        offered["serverTools"] = _list_changed(server["tools"])
    if server.get("resources") is not None:
        offered["serverResources"] = _list_changed(server["resources"])
        if server["resources"].get("subscribe") is True:
            offered["experimental"]["resourceSubscriptions"] = {}
    if host.message_handler is not None:
        offered["message"] = {kind: {} for kind in MODALITIES}
    if host.sampling_handler is not None:
        offered["sampling"] = {"tools": {}} if host.sampling_tools else {}
    granted = (("permissions", showing.permissions), ("csp", showing.csp.applied))
    sandbox = {key: dict(value) for key, value in granted if value}
    if sandbox:
        offered["sandbox"] = sandbox
    return offered


def _list_changed(capability: Mapping[str, Any]) -> dict[str, Any]:
    """Only a server that tells of its changes can have them relayed (promise 4)."""
    return {"listChanged": True} if capability.get("listChanged") is True else {}
