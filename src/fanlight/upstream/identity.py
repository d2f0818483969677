"""Which server it is, whatever it is called: two servers of one name must not get what is each other's.

A name is for people, and is often made from a target: two ports of this machine are both `localhost`, two
files both `server`. What a server leaves behind (its apps' storage, remembered answers, stored views) is kept
under its identity instead.
"""

from __future__ import annotations

import hashlib
import json
import os
from urllib.parse import urlsplit

from .base import HttpTarget, ObjectTarget, StdioTarget, Target

__all__ = ["identity_of"]

_USUAL_PORTS = {"http": ":80", "https": ":443"}


def identity_of(name: str, target: Target) -> str:
    """The same for the same name and target, in every run; for an object of this process the name alone.

    A digest, because addresses and command lines hold secrets, and an identity is stored.
    """
    place = _place(target)
    if place is None:
        return name
    return f"{name}@{hashlib.sha256(json.dumps(place).encode()).hexdigest()[:24]}"


def _place(target: Target) -> list[str] | None:
    match target:
        case HttpTarget(url):
            parts = urlsplit(url)
            server = parts.netloc.rpartition("@")[2].lower().removesuffix(_USUAL_PORTS.get(parts.scheme, ""))
            # The query too: one gateway may tell its servers by it.
            return ["url", parts.scheme, server, parts.path or "/", parts.query]
        case StdioTarget(command, args):
            # The same words start another program in another folder.
            return ["command", os.path.abspath(target.cwd or ""), command, *args]
        case ObjectTarget(_, source):
            return None if source is None else ["source", source]
