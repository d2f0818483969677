"""The catalog: which tools have apps, where their metadata may stand, and why a document cannot be shown."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest
from upstream_contract import PATIENCE, until

from fanlight.errors import RpcError, UnknownToolError, UpstreamError
from fanlight.testing.upstream import ScriptedUpstream
from fanlight.upstream import AppReadError, Catalog, Change, UpstreamState
from fanlight.upstream import catalog as catalog_module
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


# Changes


class Following:
    """A catalog that follows a scripted server, and what it told."""

    def __init__(self, **answers: Any) -> None:
        self.upstream = ScriptedUpstream(
            {
                "tools/list": {"tools": [tool()]},
                "resources/list": {"resources": []},
                "resources/read": content(),
                **{name.replace("_", "/"): answer for name, answer in answers.items()},
            }
        )
        self.catalog = Catalog("weather", self.upstream)
        self.changes: list[Change] = []
        self.told = asyncio.Event()
        self.catalog.on_change(self._note)

    def _note(self, change: Change) -> None:
        self.changes.append(change)
        self.told.set()

    def count(self, method: str) -> int:
        return [asked for asked, _ in self.upstream.asked].count(method)

    async def __aenter__(self) -> Following:
        await self.catalog.refresh()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.catalog.aclose()

    async def hears(self) -> None:
        async with asyncio.timeout(PATIENCE):
            await self.told.wait()
        self.told.clear()


async def test_a_burst_of_announcements_is_one_listing_and_one_word() -> None:
    async with Following() as following:
        following.upstream.answers["tools/list"] = {"tools": [tool(), tool("new")]}
        for _ in range(50):
            following.upstream.notify("notifications/tools/list_changed")
        await following.hears()
        assert [found.name for found in following.catalog.tools] == ["show", "new"]
        assert following.changes == [Change("tools")]
        assert following.count("tools/list") == 2


async def test_an_announcement_during_a_listing_is_listed_again() -> None:
    answering, listing = asyncio.Event(), asyncio.Event()

    async def slow(params: dict[str, Any]) -> dict[str, Any]:
        listing.set()
        await answering.wait()
        return {"tools": [tool("last")]}

    async with Following() as following:
        following.upstream.answers["tools/list"] = slow
        following.upstream.notify("notifications/tools/list_changed")
        await asyncio.wait_for(listing.wait(), PATIENCE)
        following.upstream.notify("notifications/tools/list_changed")
        answering.set()
        await following.hears()
        await following.hears()
        assert following.count("tools/list") == 3


async def test_a_changed_document_is_read_again_and_has_another_hash() -> None:
    async with Following() as following:
        show = following.catalog.tool("show")
        before = await following.catalog.document(show)
        following.upstream.answers["resources/read"] = content(text=HTML + "<p>new")
        following.upstream.notify("notifications/resources/updated", {"uri": URI})
        await following.hears()
        after = await following.catalog.document(show)
        assert following.changes == [Change("document", URI)]
    assert after.html == HTML + "<p>new"
    assert after.sha256 != before.sha256


async def test_an_update_of_another_resource_leaves_the_document_alone() -> None:
    async with Following() as following:
        await following.catalog.document(following.catalog.tool("show"))
        following.upstream.notify("notifications/resources/updated", {"uri": "ui://other"})
        await following.hears()
        await following.catalog.document(following.catalog.tool("show"))
        assert following.count("resources/read") == 1


async def test_a_server_that_is_back_is_asked_for_everything_again() -> None:
    async with Following() as following:
        await following.catalog.document(following.catalog.tool("show"))
        following.catalog.follow(["data://live"])
        following.upstream.enter(UpstreamState.RECONNECTING, "gone")
        following.upstream.enter(UpstreamState.CONNECTED)
        await following.hears()
        await following.catalog.document(following.catalog.tool("show"))
        live = Change("document", "data://live")
        assert set(following.changes) == {Change("tools"), Change("resources"), live}
        assert following.count("tools/list") == following.count("resources/read") == 2


async def test_a_listing_that_fails_leaves_the_old_tools_and_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(catalog_module, "_ASK_AGAIN", 0.01)
    async with Following() as following:
        following.upstream.answers["tools/list"] = RpcError(-32603, "not now")
        following.upstream.notify("notifications/tools/list_changed")
        following.upstream.notify("notifications/resources/list_changed")
        await following.hears()
        assert following.changes == [Change("resources")]
        assert following.catalog.tool("show").has_app
        await until(lambda: following.count("tools/list") >= 4)
        assert following.changes == [Change("resources")]
        following.upstream.answers["tools/list"] = {"tools": [tool(), tool("new")]}
        await following.hears()
        assert following.changes == [Change("resources"), Change("tools")]
        assert following.catalog.tool("new").has_app


async def test_a_server_that_is_gone_is_not_asked_again_before_it_is_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(catalog_module, "_ASK_AGAIN", 0.0)
    async with Following() as following:
        following.upstream.answers["tools/list"] = UpstreamError("weather", "gone")
        following.upstream.enter(UpstreamState.FAILED, "gone")
        following.upstream.notify("notifications/tools/list_changed")
        following.upstream.notify("notifications/resources/list_changed")
        await following.hears()
        await asyncio.sleep(0.01)
        assert following.count("tools/list") == 2


async def test_a_list_of_resources_that_failed_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog_module, "_ASK_AGAIN", 0.0)
    listed = {"uri": URI, "_meta": {"ui": {"csp": {"connectDomains": ["https://listed.example"]}}}}
    async with Following(resources_list=RpcError(-32603, "not now")) as following:
        show = following.catalog.tool("show")
        assert (await following.catalog.document(show)).meta == {}
        following.upstream.answers["resources/list"] = {"resources": [listed]}
        for _ in range(2):
            assert (await following.catalog.document(show)).meta == listed["_meta"]["ui"]  # type: ignore[index]
        assert following.count("resources/list") == following.count("resources/read") == 2


async def test_a_list_of_resources_that_changed_while_it_was_read_is_read_again() -> None:
    answering, asked = asyncio.Event(), asyncio.Event()
    entries: list[dict[str, Any]] = []

    async def listing(params: dict[str, Any]) -> dict[str, Any]:
        found = {"resources": list(entries)}
        asked.set()
        await answering.wait()
        return found

    async with Following(resources_list=listing) as following:
        show = following.catalog.tool("show")
        reading = asyncio.create_task(following.catalog.document(show))
        await asyncio.wait_for(asked.wait(), PATIENCE)
        entries.append({"uri": URI, "_meta": {"ui": {"prefersBorder": True}}})
        following.upstream.notify("notifications/resources/list_changed")
        await following.hears()
        answering.set()
        await reading
        assert (await following.catalog.document(show)).meta == {"prefersBorder": True}


async def test_a_list_that_fails_is_not_asked_for_by_each_document() -> None:
    uris = [f"ui://weather/{number}" for number in range(9)]
    tools = [tool(f"t{number}", ui={"resourceUri": uri}) for number, uri in enumerate(uris)]
    failing = RpcError(-32603, "not now")

    async def read(params: dict[str, Any]) -> dict[str, Any]:
        return content(uri=params["uri"])

    async with Following(
        tools_list={"tools": tools}, resources_list=failing, resources_read=read
    ) as following:
        await asyncio.gather(*(following.catalog.document(one) for one in following.catalog.tools))
        assert following.count("resources/list") == 1


async def test_a_server_that_lists_no_resources_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog_module, "_ASK_AGAIN", 0.0)
    async with Following(resources_list=RpcError(-32601, "no such method")) as following:
        for _ in range(2):
            await following.catalog.document(following.catalog.tool("show"))
        assert following.count("resources/list") == following.count("resources/read") == 1


async def test_documents_are_fetched_before_anybody_asks_a_few_at_a_time_and_watched() -> None:
    reading = most = 0

    async def read(params: dict[str, Any]) -> dict[str, Any]:
        nonlocal reading, most
        reading += 1
        most = max(most, reading)
        await asyncio.sleep(0)
        reading -= 1
        if params["uri"].endswith("7"):
            raise RpcError(-32002, "gone")
        return {"contents": [{"uri": params["uri"], "mimeType": MIME_TYPE, "text": params["uri"]}]}

    uris = [f"ui://weather/{number:02}" for number in range(20)]
    tools = [tool(f"t{number}", ui={"resourceUri": uri}) for number, uri in enumerate(uris)]
    async with Following(tools_list={"tools": tools}, resources_read=read) as following:
        following.catalog.prefetch()
        first = await following.catalog.document(following.catalog.tool("t3"))
        await until(lambda: following.count("resources/read") == 20 and not reading)
        assert following.upstream.watched == tuple(uris)
        for number in (0, 3, 19):
            found = await following.catalog.document(following.catalog.tool(f"t{number}"))
            assert found.html == uris[number]
        assert found is not first
        assert following.count("resources/read") == 20
        assert 1 < most <= 5  # four of the background, and the one that was asked for
        with pytest.raises(AppReadError, match="gone"):
            await following.catalog.document(following.catalog.tool("t7"))
        assert following.count("resources/read") == 21


async def test_several_who_ask_share_one_read_and_one_may_give_up() -> None:
    answer = asyncio.Event()

    async def read(params: dict[str, Any]) -> dict[str, Any]:
        await answer.wait()
        return content()

    async with Following(resources_read=read) as following:
        show = following.catalog.tool("show")
        askers = [asyncio.create_task(following.catalog.document(show)) for _ in range(3)]
        await asyncio.sleep(0)
        askers[0].cancel()
        answer.set()
        with pytest.raises(asyncio.CancelledError):
            await askers[0]
        assert await askers[1] is await askers[2]
        assert following.count("resources/read") == 1


async def test_a_handler_that_fails_does_not_end_the_following(caplog: pytest.LogCaptureFixture) -> None:
    def broken(change: Change) -> None:
        raise ZeroDivisionError("a mistake of the program")

    async with Following() as following:
        following.catalog._handlers.insert(0, broken)
        for number in (1, 2):
            following.upstream.notify("notifications/tools/list_changed")
            await following.hears()
            assert following.changes == [Change("tools")] * number
    assert "a mistake of the program" in caplog.text
