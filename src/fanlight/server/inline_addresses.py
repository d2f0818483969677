"""Addresses in scripts that mean files of the folder: the file itself where that works, an error where not.

Only what is written out is seen. An address that a script puts together stays as it is.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from .folder import Folder
from .js_calls import literal_calls
from .js_modules import ModuleSyntax
from .js_tokens import JsToken, string_value
from .script_data import script_json
from .source_text import Edit, Source

__all__ = ["CALLS", "address_edits"]

_NO_WORKER = "a view cannot start a worker from a file; do the work in the page, or in a tool"
# What reaches for a file by address and cannot have it: a view's own address serves nothing.
CALLS = {
    "fetch": 'import it (import data from "./data.json" with { type: "json" }), or embed it from Python',
    "importScripts": _NO_WORKER,
    "SharedWorker": _NO_WORKER,
    "Worker": _NO_WORKER,
    "addModule": "a view cannot load a worklet from a file; do the work in the page",
}
_META_URL = [".", "meta", ".", "url", ")"]


def address_edits(folder: Folder, source: Source, base: PurePosixPath, syntax: ModuleSyntax) -> list[Edit]:
    """`new URL("./a.png", import.meta.url)` gets the file as `data:`; `import.meta` alone is an empty object.

    Raises:
        ConfigError: the script fetches a file of the folder, starts a worker from one, or wants to know its
            own address, which an inlined script does not have.
    """
    code = list(syntax.tokens)
    for call in literal_calls(syntax):
        meant = call.of_browser or call.callee == "addModule"  # which worklets have
        if call.callee in CALLS and meant and call.complete and folder.has(call.argument, base):
            raise _unreachable(source, call.token, call.callee, call.argument)
    places = {token.start: at for at, token in enumerate(code)}
    return [_meta_edit(folder, source, base, code, places[word.start]) for word in syntax.metas]


def _unreachable(source: Source, token: JsToken, callee: str, address: str) -> Exception:
    return source.error(token.start, f"{callee}({address!r}) finds no file in a view; {CALLS[callee]}")


def _meta_edit(folder: Folder, source: Source, base: PurePosixPath, code: list[JsToken], at: int) -> Edit:
    word, after = code[at], [token.text for token in code[at + 1 : at + 6]]
    if [token.text for token in code[max(0, at - 5) : at]][:3] == ["new", "URL", "("] and after == _META_URL:
        literal = code[at - 2]
        address = string_value(literal)
        if address is not None:
            reference = folder.find(address, base, source, literal.start)
            callee = code[at - 7].text if at >= 7 and code[at - 6].text == "(" else ""
            if reference is not None and callee in CALLS:
                raise _unreachable(source, literal, callee, address)
            url = address if reference is None else folder.data_url(reference, source, literal.start)
            return Edit(literal.start, code[at + 4].end, script_json(url))
    if after[:4] in (_META_URL[:4], [".", "meta", ".", "resolve"]):
        raise source.error(
            word.start,
            'an inlined script has no address of its own; only new URL("./file", import.meta.url) is inlined',
        )
    return Edit(word.start, code[at + 2].end, "Object()")
