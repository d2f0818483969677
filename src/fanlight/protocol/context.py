"""The host context as two sides know it: what we hold, and what the view was told.

The view merges changes shallowly, by top-level key, so a change is the smallest set of whole top-level
values that differ from what it was told. A removed key cannot be announced.
"""

from __future__ import annotations

from copy import deepcopy

from fanlight.wire.jsonrpc import JSONObject
from fanlight.wire.types import HostContext

from .strict import checked, same_json

__all__ = ["SharedContext"]


class SharedContext:
    """One host context. Values are our own copies and are replaced, never changed."""

    def __init__(self, context: JSONObject | None = None) -> None:
        """Raises ``ConfigError`` if a value is one that official views reject."""
        self._held: JSONObject = checked(HostContext, context or {}, "host context")
        self._told: JSONObject = {}

    @property
    def current(self) -> JSONObject:
        """A copy of what we hold."""
        return deepcopy(self._held)

    @property
    def display_mode(self) -> str:
        """The current mode; a view is inline unless somebody says otherwise."""
        mode: str = self._held.get("displayMode", "inline")
        return mode

    @property
    def offered_modes(self) -> list[str]:
        """The modes the host offers; none, if it does not say."""
        modes: list[str] = self._held.get("availableDisplayModes", [])
        return modes

    def update(self, patch: JSONObject) -> None:
        """Replace top-level values; None removes one.

        Raises:
            ConfigError: a value is one that official views reject; nothing is changed.
        """
        fresh = checked(HostContext, patch, "host context")
        for key, value in patch.items():
            if value is None:
                self._held.pop(key, None)
        self._held.update(fresh)

    def tell_all(self) -> JSONObject:
        """The whole context for a handshake; the view knows it from now on."""
        self._told = dict(self._held)
        return dict(self._held)

    def tell_changes(self) -> JSONObject:
        """What differs from what the view was told; it knows it from now on."""
        changes = {
            key: value
            for key, value in self._held.items()
            if key not in self._told or not same_json(self._told[key], value)
        }
        self._told.update(changes)
        return changes

    def to_json(self) -> JSONObject:
        """Plain JSON, for snapshots."""
        return {"held": dict(self._held), "told": dict(self._told)}

    @classmethod
    def from_json(cls, data: JSONObject) -> SharedContext:
        """The reverse of ``to_json``."""
        context = cls()
        context._held, context._told = dict(data["held"]), dict(data["told"])
        return context
