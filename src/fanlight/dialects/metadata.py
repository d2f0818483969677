"""Foreign tool and resource metadata in the canonical form: ``_meta.ui`` and ``text/html;profile=mcp-app``.

Read are the ``openai/…`` keys of the Apps SDK, FrontMCP's flat ``ui/…`` keys, snake_case CSP keys and older
MIME types. What is canonical already passes as the same object, and the nested canonical field wins over
every other spelling of it. Values are moved, not judged: whether a URI or a domain is usable is decided by
those who read the canonical form. Foreign keys stay where they are, so nothing is lost on the way.
"""

from __future__ import annotations

import re
from typing import Any

from fanlight.wire.jsonrpc import JSONObject
from fanlight.wire.versions import MIME_TYPE

from .base import DialectWarning

__all__ = ["canonical_mime", "canonical_resource_meta", "canonical_tool"]

_FRONTMCP, _OPENAI = "frontmcp", "openai"
_DEPRECATED = "deprecated"

#: Canonical field → other spellings of it, the closest first.
_RESOURCE_URI = (("ui/resourceUri", _DEPRECATED), ("openai/outputTemplate", _OPENAI))
_RESOURCE_FIELDS = {
    "csp": (("ui/csp", _FRONTMCP), ("openai/widgetCSP", _OPENAI)),
    "permissions": (("ui/permissions", _FRONTMCP),),
    "domain": (("ui/domain", _FRONTMCP), ("openai/widgetDomain", _OPENAI)),
    "prefersBorder": (("ui/prefersBorder", _FRONTMCP), ("openai/widgetPrefersBorder", _OPENAI)),
}
_CSP_NAMES = {
    "connect_domains": "connectDomains",
    "resource_domains": "resourceDomains",
    "frame_domains": "frameDomains",
    "base_uri_domains": "baseUriDomains",
}
_MIME_DIALECTS = {"text/html+mcp": _FRONTMCP, "text/html+skybridge": _OPENAI}
_PROFILE = re.compile(r';\s*profile\s*=\s*"?mcp-app"?\s*(?:;|$)', re.IGNORECASE)


def canonical_tool(tool: JSONObject) -> tuple[JSONObject, list[DialectWarning]]:
    """A tool of ``tools/list`` whose ``resourceUri`` and ``visibility`` stand under ``_meta.ui``."""
    meta = tool.get("_meta")
    if not isinstance(meta, dict):
        return tool, []
    nested = meta.get("ui", {})
    if not isinstance(nested, dict):
        return tool, []
    found, warnings = _take(meta, nested, "resourceUri", _RESOURCE_URI)
    visibility = _visibility(meta)
    if visibility is not None and "visibility" not in nested:
        found["visibility"] = visibility
        keys = [key for key in ("openai/widgetAccessible", "openai/visibility") if key in meta]
        warnings.extend(_warning(_OPENAI, f"_meta {key}", "_meta.ui.visibility") for key in keys)
    warnings.extend(_misplaced(meta))
    if not found:
        return tool, warnings
    return {**tool, "_meta": {**meta, "ui": {**nested, **found}}}, warnings


def canonical_resource_meta(meta: JSONObject) -> tuple[JSONObject, list[DialectWarning]]:
    """The ``_meta`` of a resource, in a listing or in what was read, with every field under ``ui``."""
    nested = meta.get("ui", {})
    if not isinstance(nested, dict):
        return meta, []
    found: JSONObject = {}
    warnings: list[DialectWarning] = []
    for field, spellings in _RESOURCE_FIELDS.items():
        taken, warned = _take(meta, nested, field, spellings)
        found.update(taken)
        warnings.extend(warned)
    csp = found.get("csp", nested.get("csp"))
    if isinstance(csp, dict):
        camel_case = _camel_case_csp(csp)
        if camel_case is not csp:
            found["csp"] = camel_case
            names = [name for name in _CSP_NAMES if name in csp]
            warnings.extend(
                _warning("snake_case", f"csp.{name}", f"csp.{_CSP_NAMES[name]}") for name in names
            )
        if "redirect_domains" in csp:
            warnings.append(
                DialectWarning(
                    _OPENAI, "csp.redirect_domains", None, "Links are decided by the host's policy."
                )
            )
    if not found:
        return meta, warnings
    return {**meta, "ui": {**nested, **found}}, warnings


def canonical_mime(mime: str) -> tuple[str | None, DialectWarning | None]:
    """The canonical MIME type of an app's HTML, or None if this type does not say that it is an app."""
    if mime == MIME_TYPE:
        return MIME_TYPE, None
    essence = mime.partition(";")[0].strip().lower()
    if essence in _MIME_DIALECTS:
        return MIME_TYPE, _warning(_MIME_DIALECTS[essence], f"mimeType {essence}", f"mimeType {MIME_TYPE}")
    if essence == "text/html" and _PROFILE.search(mime):
        remedy = "Hosts compare the type as a string; write it without spaces, quotes or further parameters."
        return MIME_TYPE, DialectWarning("spelling", "mimeType with extras", f"mimeType {MIME_TYPE}", remedy)
    if essence == "text/html":
        remedy = f"Only {MIME_TYPE} says that a document is an app; set it if this one is."
        return None, DialectWarning("mcp-ui", "mimeType text/html", None, remedy)
    return None, None


def _take(
    meta: JSONObject, nested: JSONObject, field: str, spellings: tuple[tuple[str, str], ...]
) -> tuple[JSONObject, list[DialectWarning]]:
    """The value of ``field`` in its closest foreign spelling, unless the canonical one is there."""
    if field in nested:
        return {}, []
    for key, dialect in spellings:
        if key in meta:
            return {field: meta[key]}, [_warning(dialect, f"_meta {key}", f"_meta.ui.{field}")]
    return {}, []


def _visibility(meta: JSONObject) -> list[str] | None:
    """OpenAI: public unless said otherwise, and closed to the widget unless opened."""
    if "openai/widgetAccessible" not in meta and "openai/visibility" not in meta:
        return None
    model = [] if meta.get("openai/visibility") == "private" else ["model"]
    return [*model, "app"] if meta.get("openai/widgetAccessible") is True else model


def _misplaced(meta: JSONObject) -> list[DialectWarning]:
    remedy = "It has no effect on a tool; declare it on the ui:// resource."
    places = {field: f"_meta.ui.{field} of the resource" for field in _RESOURCE_FIELDS}
    fields = {**_RESOURCE_FIELDS, "mimeType": (("ui/mimeType", _FRONTMCP),)}
    return [
        DialectWarning(
            dialect, f"_meta {key} on a tool", places.get(field, "mimeType of the resource"), remedy
        )
        for field, spellings in fields.items()
        for key, dialect in spellings
        if key in meta
    ]


def _camel_case_csp(csp: dict[str, Any]) -> JSONObject:
    """The same object if it has no snake_case key; else one with both, where the canonical one wins."""
    added = {ours: csp[theirs] for theirs, ours in _CSP_NAMES.items() if theirs in csp and ours not in csp}
    return {**csp, **added} if added else csp


def _warning(dialect: str, foreign: str, canonical: str) -> DialectWarning:
    return DialectWarning(dialect, foreign, canonical, f"Declare {canonical}, which every host reads.")
