"""The catalog: which tools have apps, where their metadata may stand, and why a document cannot be shown."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from fanlight.errors import RpcError, UnknownToolError, UpstreamError
from fanlight.testing.upstream import ScriptedUpstream
from fanlight.upstream import AppReadError, Catalog
from fanlight.wire.versions import MIME_TYPE

URI = "ui://weather/view.html"
HTML = "<!doctype html><title>Ø</title>"


def tool(name: str = "show", **meta: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, "_meta": meta or {"ui": {"resourceUri": URI}}}


def content(**fields: Any) -> dict[str, Any]:
    return {"contents": [{"uri": URI, "mimeType": MIME_TYPE, "text": HTML, **fields}]}


async def catalog_of(
    tools: list[dict[str, Any]], read: Any, listed: Any = None
) -> tuple[Catalog, ScriptedUpstream]:
    upstream = ScriptedUpstream(
        {
            "tools/list": {"tools": tools},
            "resources/read": read,
            "resources/list": {"resources": listed or []},
        }
    )
    catalog = Catalog("weather", upstream)
    await catalog.refresh()
    return catalog, upstream


@pytest.mark.parametrize(
    "meta", [{"ui": {"resourceUri": URI}}, {"ui/resourceUri": URI}, {"openai/outputTemplate": URI}]
)
async def test_nested_flat_and_openai_metadata_make_an_app(meta: dict[str, Any]) -> None:
    catalog, _ = await catalog_of([tool(**meta)], content())
    assert catalog.tool("show").resource_uri == URI
    assert (await catalog.document(catalog.tool("show"))).html == HTML


async def test_a_document_is_read_once_and_again_after_a_refresh() -> None:
    """Holds: R17."""
    catalog, upstream = await catalog_of([tool()], content())
    for _ in range(3):
        await catalog.document(catalog.tool("show"))
    await catalog.refresh()
    await catalog.document(catalog.tool("show"))
    assert [method for method, _ in upstream.asked].count("resources/read") == 2


async def test_a_blob_is_decoded_as_utf8() -> None:
    blob = base64.b64encode(HTML.encode()).decode()
    catalog, _ = await catalog_of([tool()], {"contents": [{"uri": URI, "mimeType": MIME_TYPE, "blob": blob}]})
    assert (await catalog.document(catalog.tool("show"))).html == HTML


async def test_the_content_item_wins_over_the_list_entry_as_a_whole() -> None:
    """Holds: D01."""
    entry = {
        "uri": URI,
        "_meta": {"ui": {"csp": {"connectDomains": ["https://listed.example"]}, "prefersBorder": True}},
    }
    catalog, _ = await catalog_of([tool()], content(), [entry])
    assert (await catalog.document(catalog.tool("show"))).meta == entry["_meta"]["ui"]  # type: ignore[index]
    catalog, _ = await catalog_of([tool()], content(_meta={"ui": {"prefersBorder": False}}), [entry])
    assert (await catalog.document(catalog.tool("show"))).meta == {"prefersBorder": False}


@pytest.mark.parametrize(
    ("read", "kind", "word"),
    [
        (RpcError(-32002, "gone"), "read-failed", "gone"),
        (UpstreamError("weather", "broken pipe"), "read-failed", "broken pipe"),
        ({"contents": []}, "read-failed", "no contents"),
        ({"contents": "x"}, "read-failed", "no contents"),
        (content(mimeType="text/html"), "bad-mime", "text/html"),
        (content(mimeType=None), "bad-mime", "None"),
        ({"contents": [{"uri": URI, "mimeType": MIME_TYPE}]}, "read-failed", "neither text nor blob"),
        ({"contents": [{"uri": URI, "mimeType": MIME_TYPE, "blob": "%%"}]}, "read-failed", "not base64"),
        ({"contents": [{"uri": URI, "mimeType": MIME_TYPE, "blob": "/w=="}]}, "read-failed", "not base64"),
    ],
)
async def test_a_document_that_cannot_be_shown_has_a_verdict_and_a_remedy(
    read: Any, kind: str, word: str
) -> None:
    catalog, _ = await catalog_of([tool()], read)
    with pytest.raises(AppReadError, match=word) as caught:
        await catalog.document(catalog.tool("show"))
    assert caught.value.kind == kind
    assert caught.value.remedy


async def test_a_wrong_resource_uri_is_a_problem_of_that_tool_only() -> None:
    catalog, _ = await catalog_of([tool(ui={"resourceUri": "https://x"}), tool("other")], content())
    broken, other = catalog.tools
    assert broken.problem is not None
    assert not broken.has_app
    assert other.has_app
    with pytest.raises(AppReadError, match="https://x"):
        await catalog.document(broken)


async def test_a_plain_tool_has_no_document() -> None:
    catalog, _ = await catalog_of([{"name": "plain"}], content())
    with pytest.raises(AppReadError) as caught:
        await catalog.document(catalog.tool("plain"))
    assert caught.value.kind == "no-ui"


async def test_an_unknown_tool_lists_the_known_ones() -> None:
    catalog, _ = await catalog_of([tool("a"), tool("b"), {"title": "no name"}], content())
    with pytest.raises(UnknownToolError, match="known: a, b"):
        catalog.tool("c")


async def test_pages_are_followed_and_an_endless_paginator_is_stopped() -> None:
    async def page(params: dict[str, Any]) -> dict[str, Any]:
        number = int(params.get("cursor", "0"))
        return {"tools": [tool(f"t{number}")], **({"nextCursor": str(number + 1)} if number < 2 else {})}

    upstream = ScriptedUpstream({"tools/list": page})
    catalog = Catalog("weather", upstream)
    await catalog.refresh()
    assert [found.name for found in catalog.tools] == ["t0", "t1", "t2"]
    upstream.answers["tools/list"] = {"tools": [], "nextCursor": "again"}
    with pytest.raises(UpstreamError, match="never ends"):
        await catalog.refresh()


async def test_a_server_without_tools_is_not_asked_for_them() -> None:
    upstream = ScriptedUpstream({}, capabilities={"resources": {}})
    catalog = Catalog("weather", upstream)
    await catalog.refresh()
    assert catalog.tools == []
    assert upstream.asked == []


async def test_what_a_tool_says_of_itself() -> None:
    raw = {
        "name": "t",
        "annotations": {"title": "From annotations", "readOnlyHint": True},
        "description": "d",
        "_meta": {"ui": {"visibility": ["app"]}},
    }
    catalog, _ = await catalog_of([raw], content())
    found = catalog.tool("t")
    assert (found.title, found.description, found.read_only) == ("From annotations", "d", True)
    assert (found.model_may_see, found.app_may_call) == (False, True)
    assert found.input_schema == {"type": "object"}
