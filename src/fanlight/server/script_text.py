"""Scripts as the text of a `<script>`: nothing in them can end the element or hide its end.

A string may well say `</script>`. Each kind of token has a spelling that means the same and is harmless.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from urllib.parse import quote

from .js_tokens import JsKind, JsSyntaxError, JsToken, js_tokens
from .source_text import Edit, Source, apply_edits

__all__ = ["safe_edits", "safe_script", "source_url"]

# `<script` alone is harmless once `<!--` cannot occur: only together do they hide an end tag.
_DANGER = re.compile(r"</script|<!--", re.IGNORECASE)


def source_url(name: str) -> str:
    """The comment by which a browser's console names the file that a script came from."""
    return f"\n//# sourceURL={quote(name)}\n"


def safe_script(source: Source, *, module: bool) -> str:
    """The script, safe inside `<script>`; the same program.

    Raises:
        ConfigError: it is no JavaScript, or a tagged template has `</script` or `<!--` in it.
    """
    return apply_edits(source.text, safe_edits(source, module=module))


def safe_edits(
    source: Source, *, module: bool, found: Sequence[JsToken] = (), outside: Sequence[Edit] = ()
) -> list[Edit]:
    """The edits that make a script safe, except where edits of the caller replace the text anyway.

    `found` are the script's tokens with comments, if the caller has them already.
    """
    if not _DANGER.search(source.text):
        return []
    try:
        edits = _spelled(source, found or js_tokens(source.text, module=module))
    except JsSyntaxError as error:
        raise source.error(error.offset, f"{error.message}; correct the script") from None
    return [edit for edit in edits if not any(other.start <= edit.start < other.end for other in outside)]


def _spelled(source: Source, found: Sequence[JsToken]) -> list[Edit]:
    """Each dangerous place in the spelling that its token allows."""
    starts = [token.start for token in found]
    edits: list[Edit] = []
    for danger in _DANGER.finditer(source.text):
        token = found[bisect_right(starts, danger.start()) - 1]
        if danger.end() > token.end:
            edits.append(Edit(token.end, token.end, " "))
            continue
        if token.tagged:
            raise source.error(
                danger.start(),
                f"{danger[0]!r} in a tagged template ends the script; write it as ${{'<'}}… instead",
            )
        if danger[0] != "<!--":
            edits.append(Edit(danger.start() + 1, danger.start() + 1, "\\"))
        elif token.kind is JsKind.COMMENT and danger.start() == token.start:
            edits.append(Edit(danger.start(), danger.start() + 2, "//"))
        elif token.kind is JsKind.REGEXP and not source.text.endswith("(?", 0, danger.start()):
            # In a class, `!-` may begin a range: the dashes must stay.
            edits.append(Edit(danger.start() + 1, danger.start() + 2, "\\x21"))
        else:
            edits.append(Edit(danger.start() + 2, danger.start() + 3, "\\x2D"))
    return edits
