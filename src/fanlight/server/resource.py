"""Where an app's document comes from: a text, a file, a folder, or a function that renders it for each read.

Everything that surely breaks a view is an error here, before any host sees the document.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from fanlight.errors import ConfigError
from fanlight.wire.jsonrpc import JSONValue

from .embedding import embed_data, embed_reporter, embed_runtime
from .html_check import check_can_be_sent, html_problems
from .html_tokens import StartTag, Text, tokens
from .inline import Bundle, inline_folder
from .inline_scripts import script_kind
from .rendering import check_needs_nothing, rendered

__all__ = ["DEV_VARIABLE", "AppResource", "Document"]

logger = logging.getLogger(__name__)

DEV_VARIABLE = "FANLIGHT_DEV"
"""Set to 1 by `fanlight dev`: files are read anew for each read, and views tell what they did not catch."""

_HTML_SUFFIXES = (".html", ".htm")
_BYTE_ORDER_MARK = "\ufeff"
_SHOWN = 60
_GREETING = "ui/initialize"
# A script from elsewhere may bring the greeting with it.
_FOREIGN_SCRIPT = re.compile(
    r"""<script\b[^>]*\bsrc\s*=|\bimport\b[^;\n]*["'](?:https?:)?//""", re.IGNORECASE
)


@dataclass(frozen=True)
class Document:
    """A document as its author wrote it, in one piece, and as a host gets it."""

    name: str
    source: str
    html: str


class AppResource:
    """The document of an app. Made by `text`, `file`, `folder` or `function`.

    Common arguments:
        runtime: put `view.js` into the document: it greets the host and gives scripts the global `fanlight`.
            False for a document that brings its own bridge, such as one built with the official SDK.
        data: an object to find in the document as JSON, safely escaped.
        check: False makes what would break a view a warning in the log, for a document that is known to be
            right: a call in it is never made, an address is put together differently than it looks.
        dev: read and check anew for each read, and log what the view's scripts do not catch; by default if
            the environment has ``FANLIGHT_DEV=1``.
    """

    def __init__(
        self,
        name: str,
        load: Callable[[], Bundle] | None = None,
        render: Callable[[], str | Awaitable[str]] | None = None,
        *,
        runtime: bool = True,
        data: JSONValue | None = None,
        check: bool = True,
        dev: bool = False,
        root: Path | None = None,
    ) -> None:
        if load is None and render is None:
            raise ConfigError(
                f"AppResource({_short(name)}) says not what that is: write AppResource.text(html), "
                ".file(path), .folder(path) or .function(render)"
            )
        self.name = name
        self.dev = dev
        self.check = check
        self.files: tuple[Path, ...] = ()
        """Every file that the document was made of when it was last read."""
        self.root = root
        """The folder that becomes the document, if it is one."""
        self._load = load
        self._render = render
        self._runtime = runtime
        self._data = data
        self._was_rendered = False
        self._document = None if load is None else self._loaded(load)

    @property
    def document(self) -> Document | None:
        """The document as it was last read; None for one that a function renders, which is never kept."""
        return self._document

    @classmethod
    def text(
        cls, html: str, *, data: JSONValue | None = None, runtime: bool = True, check: bool = True
    ) -> AppResource:
        """The document itself.

        Raises:
            ConfigError: it is not a document that can be shown; the message has line and column.
        """
        if not isinstance(html, str):
            remedy = "AppResource.file(path)" if isinstance(html, os.PathLike) else "the document as a string"
            raise ConfigError(f"AppResource.text({_short(html)}) is a {type(html).__name__}: give {remedy}")
        name, text = "AppResource.text", html.removeprefix(_BYTE_ORDER_MARK)

        def load() -> Bundle:
            _check(text, name, check)
            return Bundle(text, ())

        return cls(name, load, runtime=runtime, data=data, check=check)

    @classmethod
    def file(
        cls,
        path: str | os.PathLike[str],
        *,
        data: JSONValue | None = None,
        runtime: bool = True,
        check: bool = True,
        dev: bool | None = None,
    ) -> AppResource:
        """One HTML file. A relative path begins at the folder of the Python file that calls this.

        Raises:
            ConfigError: there is no such file, or it is not a document that can be shown.
        """
        file = _found(path, sys._getframe(1).f_globals)
        if file.suffix.lower() not in _HTML_SUFFIXES:
            raise ConfigError(
                f"AppResource.file({str(path)!r}) is not an HTML file: an app is served as text/html; "
                "for a folder with scripts and styles use AppResource.folder"
            )

        def load() -> Bundle:
            html = _read(file)
            _check(html, str(file), check)
            return Bundle(html, (file,))

        return cls(str(file), load, runtime=runtime, data=data, check=check, dev=_is_dev(dev))

    @classmethod
    def folder(
        cls,
        path: str | os.PathLike[str],
        *,
        entry: str = "index.html",
        data: JSONValue | None = None,
        runtime: bool = True,
        check: bool = True,
        dev: bool | None = None,
    ) -> AppResource:
        """A folder whose `entry` becomes one document, with its scripts, styles, images and fonts inside.

        A relative path begins at the folder of the Python file that calls this.

        Raises:
            ConfigError: something that the entry refers to is not there or cannot be put inside.
        """
        folder = _found(path, sys._getframe(1).f_globals)
        if not folder.is_dir():
            raise ConfigError(f"AppResource.folder({str(path)!r}) is a file: use AppResource.file")

        def load() -> Bundle:
            _check(_read(folder / entry), str(folder / entry), check, alone=False)
            return inline_folder(folder, entry)

        name = f"{folder / entry}, as one document"
        return cls(name, load, runtime=runtime, data=data, check=check, dev=_is_dev(dev), root=folder)

    @classmethod
    def function(
        cls,
        render: Callable[[], str | Awaitable[str]],
        *,
        data: JSONValue | None = None,
        runtime: bool = True,
        check: bool = True,
        dev: bool | None = None,
    ) -> AppResource:
        """A function without arguments, asynchronous or not, that gives the document for each read.

        A synchronous one runs in a thread. The first document is checked, with `dev` each.

        Raises:
            ConfigError: it is no function, or it cannot be called without arguments.
        """
        if not callable(render):
            raise ConfigError(
                f"AppResource.function got a {type(render).__name__}: give the function, uncalled"
            )
        name = f"{getattr(render, '__qualname__', type(render).__name__)}()"
        check_needs_nothing(render, name)
        return cls(name, None, render, runtime=runtime, data=data, check=check, dev=_is_dev(dev))

    async def read(self) -> Document:
        """The document as it is now; the same object as before if nothing was read anew.

        Raises:
            ConfigError: it cannot be read or shown.
        """
        if self._render is not None:
            html = await rendered(self._render, self.name, dev=self.dev)
            if not isinstance(html, str):
                raise ConfigError(
                    f"{self.name} returned a {type(html).__name__}: return the HTML as a string"
                )
            html = html.removeprefix(_BYTE_ORDER_MARK)
            if self.dev or not self._was_rendered:
                _check(html, self.name, self.check)
                self._check_bridge(html)
            self._was_rendered = True
            return self._finished(html)
        assert self._load is not None
        if self.dev or self._document is None:
            self._document = self._loaded(self._load)
        return self._document

    def _loaded(self, load: Callable[[], Bundle]) -> Document:
        bundle = load()
        self.files = bundle.files
        self._check_bridge(bundle.html)
        return self._finished(bundle.html)

    def _finished(self, source: str) -> Document:
        check_can_be_sent(source, self.name)
        html = source if self._data is None else embed_data(source, self._data)
        if self._runtime:
            html = embed_runtime(html)
        if self.dev or _is_dev(None):
            html = embed_reporter(html)
        return Document(self.name, source, html)

    def _check_bridge(self, html: str) -> None:
        greets = any(_GREETING in script for script in _scripts(html))
        if self._runtime and greets:
            _told(
                f"{self.name} greets the host itself ({_GREETING!r} is in a script of it), and so would the "
                "runtime: say runtime=False to keep the document's own bridge",
                self.check,
            )
        if not self._runtime and not greets and not _FOREIGN_SCRIPT.search(html):
            _told(
                f"nothing in {self.name} greets the host ({_GREETING!r} is in no script of it), so no host "
                "would show it: leave out runtime=False",
                self.check,
            )


def _scripts(html: str) -> Iterator[str]:
    """The texts of the scripts that a browser runs."""
    for tag, inside in pairwise(tokens(html)):
        is_script = isinstance(inside, Text) and inside.of == "script"
        if is_script and isinstance(tag, StartTag) and script_kind(tag) in ("classic", "module"):
            yield html[inside.start : inside.end]


def _is_dev(dev: bool | None) -> bool:
    return os.environ.get(DEV_VARIABLE, "0") not in ("", "0") if dev is None else dev


def _found(path: str | os.PathLike[str], caller: dict[str, Any]) -> Path:
    """An absolute path. The working folder does not count: for a server it is whatever its client's was."""
    given = Path(path).expanduser()
    base = Path(caller["__file__"]).parent if "__file__" in caller else Path.cwd()
    found = (base / given).resolve()
    if not found.exists():
        raise ConfigError(
            f"there is no {str(path)!r} in {base}: a relative path begins at the file that names it"
        )
    return found


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file} is not UTF-8 (byte {error.start}): save it as UTF-8") from error


def _check(html: str, name: str, check: bool, *, alone: bool = True) -> None:
    """`alone`: nothing is beside the document, so it may name no relative file."""
    problems = html_problems(html, name, alone=alone)
    if problems:
        _told("\n".join(map(str, problems)), check)


def _told(problem: str, check: bool) -> None:
    if check:
        raise ConfigError(problem)
    logger.warning("%s", problem)


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
