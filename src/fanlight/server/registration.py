"""What is registered with a server, in no SDK's words: a tool, a document, and the door that takes both.

One door per SDK turns these into that SDK's objects. Everything that must be the same for all of them, the
checks above all, is here and in `wrapping.py`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

from fanlight.errors import ConfigError
from fanlight.wire.jsonrpc import JSONObject
from fanlight.wire.versions import MIME_TYPE

if TYPE_CHECKING:
    from .app import App

__all__ = ["DocumentPlan", "Door", "ToolPlan", "app_files", "app_folders", "register_tool"]


@dataclass(frozen=True)
class ToolPlan:
    """A function that becomes a tool; `options` go to the SDK as they are."""

    fn: Callable[..., Any]
    name: str
    title: str | None
    description: str | None
    meta: JSONObject
    options: Mapping[str, Any]


@dataclass(frozen=True)
class DocumentPlan:
    """The document of an app: listed at `uris`, and answered at whatever matches `template`."""

    uris: tuple[str, ...]
    template: str | None
    name: str
    title: str | None
    description: str | None
    meta: JSONObject
    read: Callable[[], Awaitable[str]]

    def fields(self) -> dict[str, Any]:
        """What every SDK calls by the same names; an SDK writes an empty ``_meta``, so there is none."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "mime_type": MIME_TYPE,
            "meta": self.meta or None,
        }


class Door(Protocol):
    """One server object of one SDK."""

    def has_tool(self, name: str) -> bool:
        """Is there a tool of that name?"""

    def mime_type_at(self, uri: str) -> str | None:
        """The MIME type of the resource that is registered at `uri`; None if there is none."""

    def add_tool(self, plan: ToolPlan) -> None:
        """Register the tool. The door has no tool of that name."""

    def add_document(self, plan: DocumentPlan) -> None:
        """Register the document. The door has no resource at its addresses."""


# How Python says that a function has no such argument, and what was probably meant.
_UNEXPECTED = re.compile(r"unexpected keyword argument '(\w+)'")
_OPTIONS = ("annotations", "description", "icons", "meta", "name", "tags", "title", "visibility")
_ONLY_FASTMCP = ("auth", "run_in_thread", "tags", "task", "timeout", "version")

# Which app answers at which address of a server. Kept here, because an app may be tied to several servers.
_APPS: WeakKeyDictionary[object, dict[str, App]] = WeakKeyDictionary()


def register_tool(app: App, server: object, door: Door, plan: ToolPlan) -> None:
    """Put the tool, and with the first one the app's document, on the server.

    Raises:
        ConfigError: the name or the address is taken; nothing was registered.
    """
    if door.has_tool(plan.name):
        raise ConfigError(
            f"there is a tool {plan.name!r} on this server already: {_place(plan.fn)} needs another name, "
            "app.tool(server, name=…)"
        )
    apps = _APPS.setdefault(server, {})
    document = app.document() if apps.get(app.uri) is not app else None
    if document is not None:
        _check_addresses(document, apps, door)
    try:
        door.add_tool(plan)
    except TypeError as error:
        wrong = _UNEXPECTED.search(str(error))
        if wrong is None or wrong[1] not in plan.options:
            raise
        raise _unknown_option(wrong[1]) from error
    if document is not None:
        door.add_document(document)
        apps.update(dict.fromkeys(document.uris, app))


def app_files() -> set[Path]:
    """Every file that the documents of the apps in this process were made of when they were last read."""
    return {file for app in _tied_apps() for file in app.resource.files}


def app_folders() -> set[Path]:
    """Every folder that became a document of an app in this process."""
    return {app.resource.root for app in _tied_apps() if app.resource.root is not None}


def _tied_apps() -> list[App]:
    return [app for tied in list(_APPS.values()) for app in list(tied.values())]


def _unknown_option(option: str) -> ConfigError:
    if option in _ONLY_FASTMCP:
        remedy = "it is one of FastMCP 4, so leave it out"
    else:
        meant = get_close_matches(option, _OPTIONS, n=1)
        remedy = f"did you mean {meant[0]}=…?" if meant else "leave it out"
    return ConfigError(f"app.tool(…, {option}=…): the tools of this SDK have no such option; {remedy}")


def _check_addresses(document: DocumentPlan, apps: Mapping[str, App], door: Door) -> None:
    for uri in document.uris:
        if uri in apps:
            raise ConfigError(
                f"two apps of this server have the address {uri!r}: give one of them another, or tie both "
                "tools to one App"
            )
        mime_type = door.mime_type_at(uri)
        if mime_type is None:
            continue
        wrong = "" if mime_type == MIME_TYPE else f", as {mime_type!r}, which no host shows (R03)"
        raise ConfigError(
            f"this server has a resource at {uri!r} already{wrong}: remove it, the App registers its own"
        )


def _place(fn: Callable[..., Any]) -> str:
    code = getattr(inspect.unwrap(fn), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else repr(fn)
