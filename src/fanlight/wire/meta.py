"""``_meta.ui`` of tools and resources in wire form: read both spellings, write both, decide visibility.

Reading takes plain dicts as a server sent them and changes nothing. What is present but impossible raises
``MetadataError``, which names the field, the value and the remedy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from fanlight.errors import MetadataError

from .jsonrpc import JSONObject
from .versions import URI_SCHEME

__all__ = [
    "FLAT_RESOURCE_URI",
    "app_may_call",
    "meta_of",
    "model_may_see",
    "resource_ui_meta",
    "tool_ui_meta",
    "ui_resource_uri",
]

FLAT_RESOURCE_URI = "ui/resourceUri"
"""The deprecated flat key: still read, and still written for old hosts."""

_ABSENT = object()


def meta_of(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """``_meta`` of a tool, a resource or a content item; ``{}`` if there is none.

    Old Python SDKs serialised the key as ``meta``; it counts where ``_meta`` is absent.
    """
    for key in ("_meta", "meta"):
        value = item.get(key)
        if isinstance(value, Mapping):
            return value
    return {}


def _ui(item: Mapping[str, Any]) -> Mapping[str, Any]:
    ui = meta_of(item).get("ui")
    return ui if isinstance(ui, Mapping) else {}


def ui_resource_uri(tool: Mapping[str, Any]) -> str | None:
    """The ``ui://`` address of a tool's app, or None for a plain tool (R01).

    The nested key wins over the flat one, and null counts as present, as in the official reader.

    Raises:
        MetadataError: the value is there and is not a ``ui://`` string.
    """
    field, uri = "_meta.ui.resourceUri", _ui(tool).get("resourceUri", _ABSENT)
    if uri is _ABSENT:
        field, uri = f'_meta["{FLAT_RESOURCE_URI}"]', meta_of(tool).get(FLAT_RESOURCE_URI, _ABSENT)
    if uri is _ABSENT:
        return None
    if isinstance(uri, str) and uri.startswith(URI_SCHEME):
        return uri
    raise MetadataError(field, uri, f"give a string that starts with {URI_SCHEME!r}, or leave the key out")


def _lists(tool: Mapping[str, Any], who: str) -> bool:
    visibility = _ui(tool).get("visibility")
    if visibility is None:  # absent means both; Python servers write null for absent
        return True
    if isinstance(visibility, list):
        return who in visibility
    # Not guessed: a wrong guess would show the model a tool that was meant to be hidden.
    raise MetadataError(
        "_meta.ui.visibility", visibility, 'give an array of "model" and "app", or leave it out'
    )


def model_may_see(tool: Mapping[str, Any]) -> bool:
    """Whether the model may be offered this tool (R18): no visibility is declared, or it lists "model".

    Raises:
        MetadataError: visibility is not an array.
    """
    return _lists(tool, "model")


def app_may_call(tool: Mapping[str, Any]) -> bool:
    """Whether a view of the same server may call this tool (R19, R20): none is declared, or it lists "app".

    "Same server" is the caller's part: ask only about tools of the view's own connection.

    Raises:
        MetadataError: visibility is not an array.
    """
    return _lists(tool, "app")


def resource_ui_meta(content: Mapping[str, Any], listing: Mapping[str, Any] | None = None) -> JSONObject:
    """``_meta.ui`` of a resource (D01): the ``resources/read`` item's, else the ``resources/list`` entry's.

    The item wins as a whole object: fields are never merged. ``{}`` if neither says anything.

    Raises:
        MetadataError: the value is there and is not an object.
    """
    for item in (content, listing or {}):
        ui = meta_of(item).get("ui")
        if isinstance(ui, Mapping):
            return dict(ui)
        if ui is not None:
            raise MetadataError(
                "_meta.ui", ui, "give an object with csp, permissions, domain or prefersBorder"
            )
    return {}


def tool_ui_meta(
    resource_uri: str, visibility: Sequence[Literal["model", "app"]] | None = None
) -> JSONObject:
    """The ``_meta`` to put on a tool: the nested form, and the flat key for old hosts.

    Raises:
        MetadataError: ``resource_uri`` is not a ``ui://`` address (R01).
    """
    if not resource_uri.startswith(URI_SCHEME):
        raise MetadataError("resource_uri", resource_uri, f"start it with {URI_SCHEME!r}")
    ui: JSONObject = {"resourceUri": resource_uri}
    if visibility is not None:
        ui["visibility"] = list(visibility)
    return {"ui": ui, FLAT_RESOURCE_URI: resource_uri}
