"""An app's document: from what `resources/read` answered to HTML that can be shown, or the reason why not."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass, field

from fanlight.dialects import DialectWarning, canonical_mime, canonical_resource_meta
from fanlight.errors import MetadataError, UpstreamError
from fanlight.wire.meta import resource_ui_meta
from fanlight.wire.versions import MIME_TYPE

from .base import JSONObject
from .limits import ServerLimits

__all__ = ["MAX_HTML_BYTES", "AppDocument", "AppReadError", "document_from", "uri_problem"]

MAX_HTML_BYTES = ServerLimits.document_size
_MAX_URI = 2000
_ODD_URI = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff]")


class AppReadError(UpstreamError):
    """An app's document cannot be shown; `kind` is the verdict, `remedy` what the server's author can do."""

    def __init__(self, server: str, kind: str, reason: str, remedy: str) -> None:
        super().__init__(server, reason)
        self.kind = kind
        self.reason = reason
        self.remedy = remedy


@dataclass(frozen=True)
class AppDocument:
    """The HTML of an app and what its server declared about it."""

    uri: str
    html: str
    meta: JSONObject
    warnings: tuple[DialectWarning, ...] = ()
    sha256: str = field(init=False)
    size: int = field(init=False)

    def __post_init__(self) -> None:
        encoded = self.html.encode("utf-8", "surrogatepass")
        object.__setattr__(self, "sha256", hashlib.sha256(encoded).hexdigest())
        object.__setattr__(self, "size", len(encoded))


def uri_problem(uri: str) -> str | None:
    """Why this `ui://` address is not used, if so: it is shown to people and written to logs."""
    if len(uri) > _MAX_URI:
        return f"its app's address has {len(uri)} characters; give one of at most {_MAX_URI}"
    if _ODD_URI.search(uri):
        return f"its app's address {uri[:100]!r} has spaces or control characters; leave them out"
    return None


def document_from(
    server: str, uri: str, result: JSONObject, listed: JSONObject | None, limit: int = MAX_HTML_BYTES
) -> AppDocument:
    """The document in a `resources/read` result; `listed` is the resource's entry in the list (D01).

    Raises:
        AppReadError: it cannot be shown.
    """
    item = _item(server, uri, result.get("contents"))
    mime, mime_warning = canonical_mime(str(item.get("mimeType") or ""))
    if mime is None:
        raise AppReadError(
            server,
            "bad-mime",
            f"{uri} has MIME type {str(item.get('mimeType'))[:100]!r}",
            f"serve it as {MIME_TYPE!r} (R03)",
        )
    html = _html(server, uri, item, limit)
    try:
        meta, warnings = canonical_resource_meta(resource_ui_meta(item, listed))
    except MetadataError as error:
        raise AppReadError(
            server, "read-failed", f"{uri} cannot be shown: {error}", "correct the resource's _meta.ui"
        ) from error
    if mime_warning is not None:
        warnings = [mime_warning, *warnings]
    return AppDocument(uri, html, meta, tuple(warnings))


def _item(server: str, uri: str, contents: object) -> JSONObject:
    """The item of the address that was asked for. What stands under another address is another document."""
    items = [item for item in contents if isinstance(item, dict)] if isinstance(contents, list) else []
    if not items:
        raise AppReadError(
            server, "read-failed", f"resources/read of {uri} returned no contents", "return one item"
        )
    for item in items:
        # Libraries write the same address with and without a last slash, or in lower case.
        if _plain(item.get("uri", uri)) == _plain(uri):
            return item
    raise AppReadError(
        server,
        "read-failed",
        f"resources/read of {uri} returned {str(items[0].get('uri'))[:100]!r}, which is another resource",
        "return the contents under the uri that was asked for",
    )


def _plain(uri: object) -> str:
    return str(uri).rstrip("/").lower()


def _html(server: str, uri: str, item: JSONObject, limit: int) -> str:
    text, blob = item.get("text"), item.get("blob")
    if isinstance(text, str):
        size, html = _utf8_size(text), text
    elif isinstance(blob, str):
        size = len(blob) * 3 // 4
        html = _decoded(server, uri, blob) if size <= limit + 2 else ""
        size = _utf8_size(html) or size
    else:
        raise AppReadError(
            server, "read-failed", f"{uri} has neither text nor blob", "return the HTML as text (R04)"
        )
    if size > limit:
        raise AppReadError(
            server,
            "read-failed",
            f"{uri} has {size} bytes; this host shows documents of up to {limit}",
            "make the document smaller, load parts of it with tools or resources, or raise "
            "ServerLimits(document_size=…) in the host",
        )
    return html


def _utf8_size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _decoded(server: str, uri: str, blob: str) -> str:
    try:
        return base64.b64decode(blob, validate=True).decode("utf-8")
    except (binascii.Error, UnicodeError, ValueError) as error:
        raise AppReadError(
            server,
            "read-failed",
            f"the blob of {uri} is not base64 of UTF-8: {error}",
            "encode the HTML as UTF-8",
        ) from error
