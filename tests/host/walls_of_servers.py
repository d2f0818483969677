"""The walls against what a server declares and sends: sources of a policy, documents, addresses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from two_servers import make_server
from wall import Deed, ServerWall, away

import fanlight.sandbox.csp
import fanlight.sandbox.sources
import fanlight.upstream.documents
import fanlight.upstream.tools
from fanlight.host import Host
from fanlight.sandbox import view_policy
from fanlight.sandbox.domains import DomainRules
from fanlight.upstream import AppDocument
from fanlight.upstream.documents import AppReadError, document_from
from fanlight.upstream.tools import read_tool
from fanlight.wire.versions import MIME_TYPE

__all__ = ["WALLS_OF_SERVERS"]

URI = "ui://app/view.html"
PAGE = "fanlight.localhost:9470"


def declares(source: str, found: str | None = None) -> Deed:
    """Whether a declared source stands in the policy of the view."""

    async def deed(folder: Path) -> bool:
        policy = view_policy({"connectDomains": [source]}, frame_ancestors="'none'").policy
        return (found or source) in policy

    return deed


async def declares_many(folder: Path) -> bool:
    sources = [f"https://host-{number}.example.com" for number in range(60)]
    return sources[-1] in view_policy({"connectDomains": sources}, frame_ancestors="'none'").policy


def of_host(source: str, **settings: Any) -> Deed:
    """The same in a host, which has names of its own and rules."""

    async def deed(folder: Path) -> bool:
        async with Host(**settings) as host:
            view = (await (await host.connect("one", make_server("one"))).call_tool("show")).view
            assert view is not None
            origins = host.addresses.page_origins(PAGE, "http")
            assert origins is not None
            document = AppDocument(URI, "<p>", {"csp": {"connectDomains": [source]}})
            return source in host.showings.open(view, document, origins).csp.applied.get("connectDomains", ())

    return deed


def sends(limit: int = 1000, **fields: str) -> Deed:
    """Whether a document with these fields is taken."""

    async def deed(folder: Path) -> bool:
        content = {"uri": URI, "mimeType": MIME_TYPE, "text": "<!doctype html>", **fields}
        try:
            return bool(document_from("bad", URI, {"contents": [content]}, None, limit).html)
        except AppReadError:
            return False

    return deed


async def odd_address(folder: Path) -> bool:
    tool = read_tool(
        {"name": "show", "inputSchema": {}, "_meta": {"ui": {"resourceUri": "ui://app/\u202egpj.html"}}}
    )
    return tool is not None and tool.resource_uri is not None


def any_size(server: str, uri: str, item: dict[str, Any], limit: int) -> str:
    return _html(server, uri, item, 1 << 40)


def nothing(*args: object, **kwargs: object) -> None:
    """In the place of what refuses."""


_CSP, _SOURCES, _READ = fanlight.sandbox.csp, fanlight.sandbox.sources, fanlight.upstream.documents
_html = _READ._html
_ANY_TEXT = away((_SOURCES, "_check_characters", nothing), (_SOURCES, "_check_host", nothing))
_ANY_NAME = away((_SOURCES, "_check_host", nothing))
_FORM = "the form of host names"
WALLS_OF_SERVERS = [
    ServerWall(
        "a source is one source",
        "`https://a.example; script-src *`",
        declares("https://a.example; script-src *", "; script-src *"),
        _ANY_TEXT,
        _FORM,
    ),
    ServerWall("no keywords in a source", "`'unsafe-hashes'`", declares("'unsafe-hashes'"), _ANY_TEXT, _FORM),
    ServerWall(
        "no user names in a source",
        "`https://a.example@evil.example`",
        declares("https://a.example@evil.example"),
        _ANY_TEXT,
        _FORM,
    ),
    ServerWall("a source names a host", "`https://*`", declares("https://*"), _ANY_NAME),
    ServerWall(
        "a wildcard has one owner",
        "`https://*.co.uk`",
        declares("https://*.co.uk"),
        away((_SOURCES, "_REGISTRIES", frozenset())),
    ),
    ServerWall(
        "schemes of sources",
        "`javascript://a.example`",
        declares("javascript://a.example"),
        away((_SOURCES, "SCHEMES", ("https", "javascript"))),
    ),
    ServerWall("number of sources", "sixty", declares_many, away((_CSP, "MAX_SOURCES", 1 << 40))),
    ServerWall(
        "the host's own origins are nobody's source",
        "the host page",
        of_host(f"http://{PAGE}"),
        away((DomainRules, "reserving", lambda self, own: self)),
    ),
    ServerWall(
        "domains that the host blocks",
        "one of them",
        of_host("https://evil.example", block_domains=["https://evil.example"]),
        away((DomainRules, "problem", nothing)),
    ),
    ServerWall(
        "domains that the host allows",
        "another one",
        of_host("https://evil.example", allow_domains=["https://good.example"]),
        away((DomainRules, "problem", nothing)),
    ),
    ServerWall(
        "size of a document", "one that is too large", sends(limit=10), away((_READ, "_html", any_size))
    ),
    ServerWall(
        "MIME type of a document",
        "`text/html`",
        sends(mimeType="text/html"),
        away((_READ, "canonical_mime", lambda mime: (mime, None))),
    ),
    ServerWall(
        "address of a document",
        "another resource's contents",
        sends(uri="ui://another/view.html"),
        away((_READ, "_plain", lambda uri: "")),
    ),
    ServerWall(
        "addresses that can be read",
        "one that is written from right to left",
        odd_address,
        away((fanlight.upstream.tools, "uri_problem", nothing)),
    ),
]
