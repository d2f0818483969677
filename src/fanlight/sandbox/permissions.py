"""Declared permissions to the `allow` attribute and the Permissions-Policy header."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

__all__ = ["FEATURES", "allow_attribute", "granted_permissions", "permissions_policy"]

# `_meta.ui.permissions` key -> the browser's feature name. Anything else is never granted.
FEATURES: Mapping[str, str] = {
    "camera": "camera",
    "microphone": "microphone",
    "geolocation": "geolocation",
    "clipboardWrite": "clipboard-write",
}
# Powerful features that no view can ask for and that we switch off by name.
_NEVER = ("display-capture", "hid", "midi", "payment", "serial", "usb", "xr-spatial-tracking")


def granted_permissions(declared: Any, allowed: Collection[str]) -> dict[str, dict[str, Any]]:
    """What is declared and allowed by the host's policy, in the shape of `hostCapabilities.sandbox`."""
    if not isinstance(declared, Mapping):
        return {}
    return {name: {} for name in FEATURES if isinstance(declared.get(name), Mapping) and name in allowed}


def allow_attribute(granted: Mapping[str, Any]) -> str:
    """The iframe `allow` text for both frames; empty when nothing is granted."""
    return "; ".join(FEATURES[name] for name in granted)


def permissions_policy(granted: Mapping[str, Any]) -> str:
    """The Permissions-Policy header of the view's document: granted features for itself, the rest off."""
    on = {FEATURES[name] for name in granted}
    rows = [f"{feature}=({'self' if feature in on else ''})" for feature in FEATURES.values()]
    rows += [f"{feature}=()" for feature in _NEVER]
    return ", ".join(rows)
