"""An app's document: from what `resources/read` answered to HTML that can be shown, or the reason why not."""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass, field

from fanlight.dialects import DialectWarning, canonical_mime, canonical_resource_meta
from fanlight.errors import UpstreamError
from fanlight.wire.meta import resource_ui_meta
from fanlight.wire.versions import MIME_TYPE

from .base import JSONObject

__all__ = ["MAX_HTML_BYTES", "AppDocument", "AppReadError", "document_from"]

MAX_HTML_BYTES = 32 << 20


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

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "sha256", hashlib.sha256(self.html.encode("utf-8", "surrogatepass")).hexdigest()
        )


def document_from(server: str, uri: str, result: JSONObject, listed: JSONObject | None) -> AppDocument:
    """The document in a `resources/read` result; `listed` is the resource's entry in the list (D01).

    Raises:
        AppReadError: it cannot be shown.
    """
    contents = result.get("contents")
    items = [item for item in contents if isinstance(item, dict)] if isinstance(contents, list) else []
    item = next((item for item in items if item.get("uri") == uri), items[0] if items else None)
    if item is None:
        raise AppReadError(
            server, "read-failed", f"resources/read of {uri} returned no contents", "return one item"
        )
    mime, mime_warning = canonical_mime(str(item.get("mimeType") or ""))
    if mime is None:
        raise AppReadError(
            server,
            "bad-mime",
            f"{uri} has MIME type {item.get('mimeType')!r}",
            f"serve it as {MIME_TYPE!r} (R03)",
        )
    html = _html(server, uri, item)
    meta, warnings = canonical_resource_meta(resource_ui_meta(item, listed))
    if mime_warning is not None:
        warnings = [mime_warning, *warnings]
    return AppDocument(uri, html, meta, tuple(warnings))


def _html(server: str, uri: str, item: JSONObject) -> str:
    text, blob = item.get("text"), item.get("blob")
    if isinstance(text, str):
        html = text
    elif isinstance(blob, str):
        try:
            html = base64.b64decode(blob, validate=True).decode("utf-8")
        except (binascii.Error, UnicodeDecodeError) as error:
            raise AppReadError(
                server,
                "read-failed",
                f"the blob of {uri} is not base64 of UTF-8: {error}",
                "encode the HTML as UTF-8",
            ) from error
    else:
        raise AppReadError(
            server, "read-failed", f"{uri} has neither text nor blob", "return the HTML as text (R04)"
        )
    if len(html) > MAX_HTML_BYTES:
        raise AppReadError(
            server,
            "read-failed",
            f"{uri} is larger than {MAX_HTML_BYTES >> 20} MiB",
            "make the document smaller",
        )
    return html
