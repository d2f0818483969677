"""Data, markup and the view runtime inside a document: escaped by default, trusted only when you say so."""

from __future__ import annotations

import json
from functools import cache

from fanlight.errors import ConfigError
from fanlight.runtime import read_asset
from fanlight.runtime.shrink import shrink
from fanlight.wire.jsonrpc import JSONValue

from .html_tokens import Doctype, EndTag, StartTag, quote_attribute, tokens
from .markup import Markup, html, markup, template
from .script_data import script_json
from .script_files import script_files
from .script_text import safe_script
from .source_text import Source

__all__ = [
    "Markup",
    "embed_data",
    "embed_reporter",
    "embed_runtime",
    "html",
    "json_script",
    "markup",
    "template",
]

_RUNTIME_MARK = "data-fanlight-runtime"


def json_script(id: str, data: JSONValue) -> Markup:
    """A `<script type="application/json">` that no content can leave.

    A view reads it with `JSON.parse(document.getElementById(id).textContent)`.

    Raises:
        ConfigError: `data` is no JSON, or `id` cannot be an id.
    """
    if not id or any(char.isspace() for char in id):
        raise ConfigError(f"id is {id!r}: an id is a word without spaces, such as 'fanlight-data'")
    return Markup(f'<script type="application/json" id={quote_attribute(id)}>{script_json(data)}</script>')


def embed_data(html: str, data: JSONValue, id: str = "fanlight-data") -> str:
    """The document with `data` in it, before its first script.

    Raises:
        ConfigError: `data` is no JSON, or something in the document has this id already.
    """
    if any(isinstance(token, StartTag) and token.value("id") == id for token in tokens(html)):
        raise ConfigError(f"the document has an element with the id {id!r} already; give another id")
    return _inserted(html, json_script(id, data))


def embed_runtime(html: str) -> str:
    """The document with `runtime/view.js` in it, once, before its first script."""
    if any(isinstance(token, StartTag) and token.attribute(_RUNTIME_MARK) for token in tokens(html)):
        return html
    # Without a line of its own, so that what a browser says of a line is true of the author's file.
    return _inserted(html, f"<script {_RUNTIME_MARK}>{_runtime()}</script>")


def embed_reporter(html: str) -> str:
    """The document with `runtime/uncaught.js` before its first script: its errors are told to the host."""
    files = quote_attribute(json.dumps(script_files(html)))
    return _inserted(html, f"<script data-fanlight-files={files}>{_reporter()}</script>")


@cache
def _runtime() -> str:
    return safe_script(Source("view.js", read_asset("view.js").decode()), module=False)


@cache
def _reporter() -> str:
    text = shrink(read_asset("uncaught.js").decode())
    return safe_script(Source("uncaught.js", text), module=False)


def _inserted(document: str, text: str) -> str:
    at = _before_scripts(document)
    return document[:at] + text + document[at:]


def _before_scripts(document: str) -> int:
    """Where something stands before every script that runs, and inside the head if there is one."""
    templates = 0
    beginning = 0
    for token in tokens(document):
        if isinstance(token, Doctype):
            beginning = token.end
        elif isinstance(token, StartTag):
            if token.name in ("script", "body") and not templates:
                return token.start
            if token.name in ("html", "head"):
                beginning = token.end
            templates += token.name == "template"
        elif isinstance(token, EndTag):
            if token.name == "head":
                return token.start
            templates -= token.name == "template" and templates > 0
    return beginning
