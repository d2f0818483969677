"""What the kit's server must look like from outside, as one test body for every SDK and every transport."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from kit_server import http_app

from fanlight.errors import RpcError
from fanlight.host.serve import bind_loopback, serving
from fanlight.upstream import ClientIdentity, HttpTarget, ObjectTarget, Target, Upstream, open_upstream
from fanlight.upstream.doors import Era
from fanlight.wire.versions import MIME_TYPE

JSONObject = dict[str, Any]
KIT_SERVER = str(Path(__file__).with_name("kit_server.py"))
WEATHER = "ui://kit/weather.html"
WEATHER_UI = {
    "csp": {"connectDomains": ["https://api.example.com"]},
    "permissions": {"geolocation": {}},
    "prefersBorder": True,
}


@dataclass(frozen=True)
class KitCase:
    """A way to the kit's server on one SDK. Tests share the connection: each server costs seconds."""

    id: str
    open: Callable[[], AbstractAsyncContextManager[Upstream]]

    def __str__(self) -> str:
        return self.id


@asynccontextmanager
async def connected(case: KitCase) -> AsyncIterator[Upstream]:
    """Open the case in a task of its own: a fixture may be left in another task than it was entered."""
    opened_at: list[Upstream] = []
    changed, over = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        try:
            async with case.open() as upstream:
                opened_at.append(upstream)
                changed.set()
                await over.wait()
        finally:
            changed.set()

    task = asyncio.create_task(hold())
    await changed.wait()
    try:
        for upstream in opened_at:
            yield upstream
    finally:
        over.set()
        await task


@asynccontextmanager
async def opened(target: Target, era: Era = "auto") -> AsyncIterator[Upstream]:
    upstream = await open_upstream("kit", target, ClientIdentity("kit-test", "1"), era=era)
    try:
        yield upstream
    finally:
        await upstream.aclose()


@asynccontextmanager
async def opened_over_http(sdk: str) -> AsyncIterator[Upstream]:
    app = http_app(sdk)
    async with (
        app.router.lifespan_context(app),
        serving(app, bind_loopback(0)) as port,
        opened(HttpTarget(f"http://127.0.0.1:{port}/mcp")) as upstream,
    ):
        yield upstream


async def tools_of(upstream: Upstream) -> dict[str, JSONObject]:
    return {tool["name"]: tool for tool in (await upstream.request("tools/list"))["tools"]}


async def resources_of(upstream: Upstream) -> dict[str, JSONObject]:
    return {found["uri"]: found for found in (await upstream.request("resources/list"))["resources"]}


async def read(upstream: Upstream, uri: str) -> JSONObject:
    (item,) = (await upstream.request("resources/read", {"uri": uri}))["contents"]
    found: JSONObject = item
    return found


async def call(upstream: Upstream, name: str, **arguments: Any) -> JSONObject:
    return await upstream.request("tools/call", {"name": name, "arguments": arguments}, timeout=20)


def said(result: JSONObject) -> str:
    (block,) = result["content"]
    assert block["type"] == "text"
    text: str = block["text"]
    return text


async def says_why_a_document_is_not_there(server: object) -> None:
    async with opened(ObjectTarget(server)) as upstream:
        with pytest.raises(RpcError, match="not an HTML5 document; begin it with <!doctype html>"):
            await read(upstream, "ui://kit/broken.html")
        with pytest.raises(RpcError, match=r"raising\(\) failed: LookupError; the server's log") as told:
            await read(upstream, "ui://kit/raising.html")
        assert "s3cret" not in str(told.value)
        place = r"LookupError: the key is s3cret \(.*kit_server\.py:\d+\)"
        with pytest.raises(RpcError, match=rf"raising\(\) failed: {place}"):
            await read(upstream, "ui://kit/raising-dev.html")


class KitContract:
    """For every SDK, in process, over stdio and over HTTP."""

    async def test_tools_name_the_app_in_both_spellings(self, kit: Upstream) -> None:
        """Holds: R01, R07."""
        tools = await tools_of(kit)
        resources = await resources_of(kit)
        weather = tools["show_weather"]
        assert weather["_meta"]["ui"] == {"resourceUri": WEATHER}
        assert weather["_meta"]["ui/resourceUri"] == WEATHER
        assert weather["_meta"]["example.com/rank"] == 1
        assert weather["title"] == "Weather"
        assert weather["description"] == "The weather of a city."
        assert "outputSchema" not in weather
        assert tools["refresh"]["_meta"]["ui"] == {"resourceUri": WEATHER, "visibility": ["app"]}
        assert "ui" not in tools["plain"].get("_meta", {})
        linked = {
            tool["_meta"]["ui"]["resourceUri"] for tool in tools.values() if "ui" in tool.get("_meta", {})
        }
        assert linked <= set(resources)

    async def test_a_tool_has_the_parameters_of_its_function_and_no_others(self, kit: Upstream) -> None:
        tools = await tools_of(kit)
        schema = tools["show_weather"]["inputSchema"]
        assert set(schema["properties"]) == {"city", "days", "unit"}
        assert schema["properties"]["unit"]["enum"] == ["celsius", "fahrenheit"]
        assert schema["required"] == ["city"]
        assert set(tools["asked"]["inputSchema"]["properties"]) == {"word"}
        assert not tools["only_text"]["inputSchema"].get("properties")

    async def test_what_a_document_needs_stands_on_the_list_entry_and_on_the_content(
        self, kit: Upstream
    ) -> None:
        """Holds: R02, R03, R04, D01."""
        listed = (await resources_of(kit))[WEATHER]
        item = await read(kit, WEATHER)
        assert listed["title"] == "Weather"
        assert listed["description"] == "Shows degrees."
        assert listed["mimeType"] == item["mimeType"] == MIME_TYPE
        assert listed["_meta"]["ui"] == item["_meta"]["ui"] == WEATHER_UI
        assert item["uri"] == WEATHER
        assert '<p id="degrees">' in item["text"]
        assert "blob" not in item

    async def test_text_data_and_private_data_go_their_own_ways(self, kit: Upstream) -> None:
        """Holds: R10."""
        result = await call(kit, "show_weather", city="Oslo", days=2)
        assert said(result) == "12 degrees in Oslo"
        assert result["structuredContent"] == {"city": "Oslo", "days": 2, "unit": "celsius"}
        assert result["_meta"]["station"] == 7
        assert result.get("isError", False) is False

    async def test_an_asynchronous_tool_and_a_plain_text_answer_too(self, kit: Upstream) -> None:
        refreshed = await call(kit, "refresh", city="Oslo")
        text = await call(kit, "only_text")
        assert refreshed["structuredContent"] == {"city": "Oslo", "days": 3, "unit": "celsius"}
        assert said(text) == "words"
        assert "structuredContent" not in text

    async def test_an_object_and_a_partial_are_tools_like_functions(self, kit: Upstream) -> None:
        tools = await tools_of(kit)
        measured, in_oslo = (tools[name]["inputSchema"] for name in ("measured", "in_oslo"))
        assert {name: of["type"] for name, of in measured["properties"].items()} == {
            "height": "integer",
            "factor": "integer",
        }
        assert measured["required"] == ["height"]
        assert set(in_oslo["properties"]) == {"days", "unit"}
        assert tools["in_oslo"]["description"] == "The weather of a city."
        assert said(await call(kit, "measured", height=2)) == "2 metres"
        result = await call(kit, "in_oslo", days=2)
        assert result["structuredContent"] == {"city": "Oslo", "days": 2, "unit": "fahrenheit"}

    async def test_an_error_is_an_error_with_its_words(self, kit: Upstream) -> None:
        result = await call(kit, "refused")
        assert result["isError"] is True
        assert said(result) == "there is no such city"

    async def test_a_result_without_text_is_an_error_that_says_what_to_return(self, kit: Upstream) -> None:
        """Holds: R10."""
        for tool, why in (("silent", "a dict without text"), ("speechless", "reply(text=…) is ' '")):
            result = await call(kit, tool)
            assert result["isError"] is True
            assert why in said(result)
            assert "structuredContent" not in result

    async def test_what_cannot_be_sent_is_told_and_the_server_lives_on(self, kit: Upstream) -> None:
        result = await call(kit, "unsendable")
        assert result["isError"] is True
        assert "data.name has half of a surrogate pair" in said(result)
        assert said(await call(kit, "only_text")) == "words"

    async def test_a_client_that_shows_apps_is_known_and_gets_the_short_text(self, kit: Upstream) -> None:
        """Holds: R08, R12."""
        assert said(await call(kit, "asked", word="hi")) == "hi: apps"
        assert said(await call(kit, "summary")) == "see the chart"

    async def test_a_wrong_argument_is_told(self, kit: Upstream) -> None:
        result = await call(kit, "show_weather", city="Oslo", days="many")
        assert result["isError"] is True
        assert "days" in said(result)

    async def test_a_function_renders_for_each_read(self, kit: Upstream) -> None:
        texts = [(await read(kit, "ui://kit/live.html"))["text"] for _ in range(2)]
        first, second = [int(text.partition("<p>read ")[2].partition("<")[0]) for text in texts]
        assert second == first + 1

    async def test_the_servers_own_tools_still_answer(self, kit: Upstream) -> None:
        assert said(await call(kit, "plain", word="x")) == "plain x"

    async def test_what_is_not_there_is_an_error(self, kit: Upstream) -> None:
        with pytest.raises(RpcError):
            await read(kit, "ui://kit/nothing.html")


class VersionsContract:
    """Where a template can be registered: everywhere but on an extension."""

    async def test_an_address_has_the_documents_hash_and_others_are_answered_too(self, kit: Upstream) -> None:
        tools, resources = await tools_of(kit), await resources_of(kit)
        uri = tools["hashed"]["_meta"]["ui"]["resourceUri"]
        old = "ui://kit/hashed.0123456789ab.html"
        items = {each: await read(kit, each) for each in (uri, old, "ui://kit/hashed.html")}
        templates = (await kit.request("resources/templates/list"))["resourceTemplates"]
        assert uri not in (old, "ui://kit/hashed.html")
        assert uri in resources
        assert [found["uriTemplate"] for found in templates] == ["ui://kit/hashed.{version}.html"]
        assert {item["text"] for item in items.values()} == {items[uri]["text"]}
        for asked, item in items.items():
            assert item["uri"] == asked
            assert item["mimeType"] == MIME_TYPE
            assert item["_meta"]["openai/widgetCSP"] == {"connect_domains": [], "resource_domains": []}

    async def test_twins_for_chatgpt_are_there_only_on_request(self, kit: Upstream) -> None:
        tools = await tools_of(kit)
        meta = tools["hashed"]["_meta"]
        assert meta["openai/outputTemplate"] == meta["ui"]["resourceUri"]
        assert meta["openai/widgetAccessible"] is True
        assert meta["openai/visibility"] == "public"
        assert not any(key.startswith("openai/") for key in tools["show_weather"]["_meta"])
