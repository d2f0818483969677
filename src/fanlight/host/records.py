"""A view as a record, and a record as a view: what of a view outlives the process.

The record is plain JSON. Tokens are in it as hashes only; what belongs to one page (stages, verdict, the
session) is not in it at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fanlight.stores import StoredDocument, StoreError
from fanlight.upstream import AppDocument, Tool

from .view import View

if TYPE_CHECKING:
    from .absent import AbsentServer
    from .server import Server

__all__ = ["document_of", "document_to_store", "record_of", "view_of"]

_VERSION = 1
_INTERRUPTED = "the program ended before the tool had answered"


def record_of(view: View) -> dict[str, Any]:
    """Everything that another process needs to show the same view."""
    document = view.document
    facts = {
        "version": _VERSION,
        "id": view.id,
        "callId": view.call_id,
        "server": view.server.name,
        "identity": view.server.identity,
        "label": view.label,
        "user": view.user,
        "tool": view.tool.raw,
        "resourceUri": view.tool.resource_uri,
        "problem": view.tool.problem,
        "document": None
        if document is None
        else {"uri": document.uri, "sha256": document.sha256, "meta": document.meta},
        "arguments": view.arguments,
        "result": view.result,
        "cancelled": view.cancelled,
        "modelContext": view.model_context,
        "state": view.kept_state,
        "tokens": view.token_hashes,
    }
    return {key: value for key, value in facts.items() if value is not None}


def document_to_store(view: View) -> StoredDocument | None:
    """The HTML that the record refers to."""
    document = view.document
    return None if document is None else StoredDocument(document.sha256, document.html)


def view_of(record: dict[str, Any], server: Server | AbsentServer, mount: str) -> View:
    """The view of a record, without its document.

    A call that had not ended when it was written down never will: the view is told that it was cancelled.

    Raises:
        StoreError: it is no record of this version.
    """
    try:
        if record["version"] != _VERSION:
            raise StoreError(
                f"a view was stored by version {record['version']!r}: this program reads {_VERSION}"
            )
        view = View(
            server,
            Tool(record["tool"], record.get("resourceUri"), record.get("problem")),
            record["callId"],
            mount,
            record.get("user"),
            view_id=record["id"],
            tokens=record["tokens"],
        )
    except (KeyError, TypeError) as error:
        raise StoreError(f"what was stored is no view: {error!r}") from error
    view.arguments = record.get("arguments")
    view.result = record.get("result")
    view.cancelled = record.get("cancelled")
    view.model_context = record.get("modelContext")
    view.kept_state = record.get("state")
    if not view.ended:
        view.cancelled = _INTERRUPTED
    return view


def document_of(record: dict[str, Any], html: str | None) -> AppDocument | None:
    """The document of a record, if its HTML was found."""
    stored = record.get("document")
    if html is None or not isinstance(stored, dict):
        return None
    return AppDocument(stored["uri"], html, stored["meta"])
