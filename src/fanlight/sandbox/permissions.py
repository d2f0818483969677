"""Declared permissions to `allow` attribute and Permissions-Policy header; granted is declared ∩ allowed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from .sources import plain_text

__all__ = [
    "FEATURES",
    "NEVER",
    "allow_attribute",
    "granted_permissions",
    "permissions_policy",
    "refused_permissions",
]

# `_meta.ui.permissions` key -> the browser's feature name. Anything else is never granted.
FEATURES: Mapping[str, str] = {
    "camera": "camera",
    "microphone": "microphone",
    "geolocation": "geolocation",
    "clipboardWrite": "clipboard-write",
}
# What no view can ask for: devices, sensors, identity, payment, other windows, models, fonts, the local
# network, tracking. Chromium 156 knows each name; an unknown one would be a warning in the console of every
# app. Some are on by default in foreign frames, so leaving them out would not do.
NEVER: tuple[str, ...] = (
    "accelerometer",
    "browsing-topics",
    "captured-surface-control",
    "clipboard-read",
    "compute-pressure",
    "deferred-fetch",
    "deferred-fetch-minimal",
    "digital-credentials-create",
    "digital-credentials-get",
    "display-capture",
    "gamepad",
    "gyroscope",
    "hid",
    "identity-credentials-get",
    "idle-detection",
    "interest-cohort",
    "keyboard-map",
    "language-detector",
    "language-model",
    "local-fonts",
    "local-network",
    "local-network-access",
    "loopback-network",
    "magnetometer",
    "media-playback-while-not-visible",
    "midi",
    "on-device-speech-recognition",
    "otp-credentials",
    "payment",
    "picture-in-picture",
    "private-state-token-issuance",
    "private-state-token-redemption",
    "publickey-credentials-create",
    "publickey-credentials-get",
    "screen-wake-lock",
    "serial",
    "speaker-selection",
    "storage-access",
    "summarizer",
    "translator",
    "usb",
    "window-management",
    "xr-spatial-tracking",
)
# Browsers give these to an origin only, whatever a policy says; seen in Chromium 156.
_NEEDS_ORIGIN = frozenset({"camera", "microphone"})
_MAX_REFUSED = 20


def granted_permissions(
    declared: Any, allowed: Collection[str], *, opaque: bool = False
) -> dict[str, dict[str, Any]]:
    """What is declared and allowed by the host's policy, in the shape of `hostCapabilities.sandbox`."""
    if not isinstance(declared, Mapping):
        return {}
    usable = [name for name in FEATURES if name in allowed and not (opaque and name in _NEEDS_ORIGIN)]
    return {name: {} for name in usable if isinstance(declared.get(name), Mapping)}


def refused_permissions(declared: Any, allowed: Collection[str], *, opaque: bool = False) -> list[str]:
    """What was declared and is not granted, and why: a sentence each."""
    if declared is None:
        return []
    names = ", ".join(FEATURES)
    if not isinstance(declared, Mapping):
        return [f"permissions: must be an object with {names}"]
    refused = []
    for name, value in list(declared.items())[:_MAX_REFUSED]:
        shown = plain_text(str(name), 60)
        if name not in FEATURES:
            refused.append(f"permissions {shown!r}: no such permission; there are {names}")
        elif value is None:
            continue
        elif not isinstance(value, Mapping):
            refused.append(f"permissions {shown!r}: ask for it with an empty object")
        elif name not in allowed:
            refused.append(f"permissions {shown!r}: this host does not grant it")
        elif opaque and name in _NEEDS_ORIGIN:
            refused.append(
                f"permissions {shown!r}: browsers grant it to no view without an origin of its own"
            )
    return refused


def allow_attribute(granted: Mapping[str, Any]) -> str:
    """The iframe `allow` text for every frame down to the view; empty when nothing is granted."""
    return "; ".join(FEATURES[name] for name in granted)


def permissions_policy(granted: Mapping[str, Any]) -> str:
    """The Permissions-Policy header of the view's document: granted features for itself, the rest off."""
    on = {FEATURES[name] for name in granted}
    rows = [f"{feature}=({'self' if feature in on else ''})" for feature in FEATURES.values()]
    rows += [f"{feature}=()" for feature in NEVER]
    return ", ".join(rows)
