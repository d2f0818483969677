"""An app: a `ui://` address, its document, what the document needs, and the tools that are tied to it."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from fanlight.errors import ConfigError

from .csp_inference import csp_problems, infer_csp
from .metadata import check_uri, resource_meta, tool_meta
from .registration import DocumentPlan, ToolPlan, register_tool
from .resource import AppResource, Document
from .wrapping import check_function, description_of

__all__ = ["App"]

logger = logging.getLogger(__name__)

Fn = TypeVar("Fn", bound=Callable[..., Any])

# Said of a tool, these have no effect anywhere: hosts read them from the document.
_OF_THE_DOCUMENT = ("csp", "permissions", "domain", "prefers_border", "mime_type")
_OF_THE_RESULT = ("structured_output", "output_schema")
_HASH_LENGTH = 12


class App:
    """One app. Tie it to a tool with `tool`; the document is registered together with the first one.

    Args:
        uri: its address, ``ui://…``.
        resource: its document, from `AppResource`.
        title, description: what people read of the document in listings.
        csp: the origins that the view may reach: ``connectDomains``, ``resourceDomains``, ``frameDomains``,
            ``baseUriDomains``.
        permissions: of ``camera``, ``microphone``, ``geolocation``, ``clipboardWrite``.
        domain: an origin of its own, in the host's spelling; see `domain_for`.
        prefers_border: whether the host should draw a border; it decides itself if this is not said.
        openai: also write what ChatGPT reads. A mapping adds keys: ``{"widgetDomain": …}``.
        versioned: put a hash of the document into its address, because hosts cache by address. Addresses
            with other hashes, and the one without, are answered too.

    Raises:
        ConfigError: something cannot work; the message says what to write instead.
    """

    def __init__(
        self,
        uri: str,
        resource: AppResource,
        *,
        title: str | None = None,
        description: str | None = None,
        csp: Mapping[str, Sequence[str]] | None = None,
        permissions: Iterable[str] = (),
        domain: str | None = None,
        prefers_border: bool | None = None,
        openai: bool | Mapping[str, Any] = False,
        versioned: bool = False,
    ) -> None:
        check_uri(uri)
        if not isinstance(resource, AppResource):
            raise ConfigError(
                f"App({uri!r}, …) got a {type(resource).__name__} as its document: give "
                "AppResource.text(html), .file(path), .folder(path) or .function(render)"
            )
        self.resource = resource
        self.title = title
        self.description = description
        self._csp = csp
        self._openai = openai is not False
        self._meta = resource_meta(
            csp=csp,
            permissions=permissions,
            domain=domain,
            prefers_border=prefers_border,
            description=description,
            openai=openai,
        )
        self._plain_uri = uri
        self._template: str | None = None
        self.uri = uri
        """The address that tools name; with `versioned` it has the document's hash in it."""
        self._checked: int | None = None
        if resource.document is not None:
            self._check_csp(resource.document)
        if versioned:
            self.uri, self._template = self._versions(uri)

    def _versions(self, uri: str) -> tuple[str, str]:
        document = self.resource.document
        if document is None or "?" in uri:
            why = "it has a query" if document else "a function renders it for each read"
            raise ConfigError(f"App({uri!r}, versioned=True) cannot be: {why}. Leave versioned out")
        digest = hashlib.sha256(document.html.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_LENGTH]
        folder, slash, name = uri.rpartition("/")
        stem, dot, suffix = name.partition(".")
        # In the path and not in a query: the templates of mcp 1.30 know no query.
        before, after = f"{folder}{slash}{stem}.", f"{dot}{suffix}"
        return f"{before}{digest}{after}", f"{before}{{version}}{after}"

    def tool(
        self,
        server: Any = None,
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        visibility: Sequence[str] | None = None,
        meta: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Callable[[Fn], Fn]:
        """Make the decorated function a tool of `server` that has this app. The function is not changed.

        It returns `reply(…)`; a plain text is the same as ``reply(text)``.

        Args:
            server: an `MCPServer`, a low-level `Server` or an `Apps` extension of `mcp` 2, a `FastMCP` of
                `mcp` 1.30, or a `FastMCP` of `fastmcp` 4.
            name, title, description: of the tool; the function's name and docstring if they are not said.
            visibility: ``["app"]`` for a tool that only the view calls, ``["model"]`` for one that only the
                model calls; both if it is not said.
            meta: further ``_meta`` of the tool.
            options: for the SDK, such as ``annotations=`` or ``icons=``.

        Raises:
            ConfigError: the server, the function or an argument cannot be used so.
        """
        from .doors import door_for

        door = door_for(server)
        _check_options(options)
        stamped = tool_meta(self.uri, visibility, meta, openai=self._openai)

        def tie(fn: Fn) -> Fn:
            called = str(name or getattr(fn, "__name__", "<lambda>"))
            if called == "<lambda>":
                raise ConfigError(f"{fn!r} has no name that a tool could have: app.tool(server, name=…)")
            check_function(fn, called)
            said = description_of(fn) if description is None else description
            register_tool(self, server, door, ToolPlan(fn, called, title, said, stamped, options))
            return fn

        return tie

    def document(self) -> DocumentPlan:
        """What is registered of the document, in no SDK's words."""
        return DocumentPlan(
            uris=tuple(dict.fromkeys((self.uri, self._plain_uri))),
            template=self._template,
            name=self._plain_uri.removeprefix("ui://"),
            title=self.title,
            description=self.description,
            meta=self._meta,
            read=self.read,
        )

    async def read(self) -> str:
        """The document as a host gets it now.

        Raises:
            ConfigError: it cannot be read or shown.
        """
        document = await self.resource.read()
        if self._checked is None or self.resource.dev:
            self._check_csp(document)
        return document.html

    def _check_csp(self, document: Document) -> None:
        """What a host will surely block is an error; while the app is worked on, doubts are logged."""
        if self._checked == hash(document.source):
            return
        problems = csp_problems(infer_csp(document.source, document.name), self._csp)
        sure = [str(problem) for problem in problems if not problem.hint]
        if sure and self.resource.check:
            raise ConfigError("\n".join(sure))
        for problem in problems:
            if self.resource.dev or not problem.hint:
                logger.warning("%s", problem)
        self._checked = hash(document.source)


def _check_options(options: Mapping[str, Any]) -> None:
    for option in options:
        if option in _OF_THE_DOCUMENT:
            remedy = (
                "Every app has the right one already" if option == "mime_type" else f"Say App(…, {option}=…)"
            )
            raise ConfigError(
                f"app.tool(…, {option}=…) has no effect: hosts read it from the document. {remedy}"
            )
        if option in _OF_THE_RESULT:
            raise ConfigError(
                f"app.tool(…, {option}=…) cannot be: reply(…) says what is text and what is data"
            )
