"""docs/building.md: its code runs, and what it says of it is so."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from doc_code import DOCS, run_page
from mcp.client import Client, advertise
from mcp.server.mcpserver import MCPServer
from playwright.async_api import Page, expect
from served import WAIT_MS

import fanlight.demos
import fanlight.server
from fanlight.demos import DEMOS
from fanlight.errors import ConfigError
from fanlight.runtime import read_asset
from fanlight.server import App, AppResource, reply
from fanlight.server.csp_inference import csp_problems, infer_csp
from fanlight.wire.versions import EXTENSION_ID, MIME_TYPE

PAGE = (DOCS / "building.md").read_text("utf-8")
VIEW = "<!doctype html><title>Weather</title><p>hi</p>"


def rows(section: str) -> list[list[str]]:
    """The cells of a section's table, without its head."""
    text = PAGE.partition(f"## {section}\n")[2].partition("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[1:]]


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    (tmp_path / "view").mkdir()
    (tmp_path / "view" / "index.html").write_text(VIEW, "utf-8")
    monkeypatch.chdir(tmp_path)
    return run_page("building.md")


async def read(server: MCPServer[Any], uri: str) -> str:
    async with Client(server) as client:
        (item,) = (await client.read_resource(uri)).contents
    text: str = item.text  # type: ignore[union-attr]
    return text


async def test_the_first_example_answers_as_its_comments_say(code: dict[str, Any]) -> None:
    async with Client(code["server"]) as client:
        result = await client.call_tool("get_weather", {"city": "Oslo"})
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert result.content[0].text == "12 degrees in Oslo"  # type: ignore[union-attr]
    assert result.structured_content == {"city": "Oslo", "degrees": 12}
    assert result.meta is not None
    assert result.meta["station"] == 7
    assert tools["refresh"].meta == {
        "ui": {"resourceUri": "ui://weather/view.html", "visibility": ["app"]},
        "ui/resourceUri": "ui://weather/view.html",
    }
    assert code["get_weather"]("Oslo") == reply(
        "12 degrees in Oslo", data={"city": "Oslo", "degrees": 12}, private={"station": 7}
    )


async def test_values_in_rendered_documents_are_escaped(code: dict[str, Any]) -> None:
    for name in ("forecast", "almanac"):
        text = await read(code["server"], f"ui://weather/{name}.html")
        assert "<h1>&lt;b&gt;Oslo&lt;/b&gt;</h1>" in text
    assert '<script type="application/json" id="days">[1, 2]</script>' in text.replace("[1,2]", "[1, 2]")


async def test_embedded_data_cannot_leave_its_place(code: dict[str, Any], page: Page, tmp_path: Path) -> None:
    document = tmp_path / "units.html"
    document.write_text(await code["units"].read(), "utf-8")
    await page.goto(document.as_uri())
    await expect(page.locator("#unit")).to_have_text("</script> degrees", timeout=WAIT_MS)


def test_the_preview_is_the_document_that_hosts_get(code: dict[str, Any], tmp_path: Path) -> None:
    code["write_preview"]()
    text = (tmp_path / "preview.html").read_text("utf-8")
    assert "<p>hi</p>" in text
    assert read_asset("view.js").decode().strip()[-200:] in text


async def test_a_second_tool_of_an_app_has_its_document(code: dict[str, Any]) -> None:
    async with Client(code["server"]) as client:
        tools = {tool.name: tool.meta or {} for tool in (await client.list_tools()).tools}
    assert tools["get_alerts"]["ui"]["resourceUri"] == tools["get_weather"]["ui"]["resourceUri"]


def test_every_place_that_the_page_points_to_is_there() -> None:
    heads = {
        "#" + re.sub(r"[^\w -]", "", head).lower().replace(" ", "-")
        for head in re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    }
    assert set(re.findall(r"\]\((#[\w-]+)\)", PAGE)) <= heads
    assert all((DOCS / file).is_file() for file in re.findall(r"\]\(([\w./]+\.md)", PAGE))


def test_every_demo_has_a_row_and_its_files() -> None:
    assert [row[0].strip("`") for row in rows("The demos")] == [*DEMOS]
    folder = Path(fanlight.demos.__file__).parent
    assert all((folder / f"{name}.py").is_file() for name in DEMOS)
    assert {path.stem for path in (folder / "views").glob("*.html")} == {*DEMOS} - {"clock"}


def test_what_is_not_declared_is_told_as_the_page_says(code: dict[str, Any]) -> None:
    problems = csp_problems(infer_csp(code["map_view"]), {"connectDomains": ["https://api.example.com"]})
    shown = re.search(r"`(<link href> needs .*)`\. While", PAGE.replace("\n", " "))
    assert shown is not None
    beginning, _, end = shown[1].partition("[...]")
    assert beginning in str(problems[0])
    assert str(problems[0]).endswith(end)
    assert code["map_app"].document().meta["ui"]["permissions"] == {"geolocation": {}}


async def test_words_are_chosen_by_what_the_client_shows(code: dict[str, Any]) -> None:
    apps = advertise(EXTENSION_ID, {"mimeTypes": [MIME_TYPE]})
    said: dict[bool, list[str]] = {}
    for shows_apps in (True, False):
        async with Client(code["server"], extensions=[apps] if shows_apps else None) as client:
            results = [
                await client.call_tool("compare", {"cities": ["Oslo"]}),
                await client.call_tool("compare_all", {}),
            ]
        said[shows_apps] = [result.content[0].text for result in results]  # type: ignore[union-attr]
        assert all(result.structured_content == {"cities": ["Oslo"]} for result in results)
    assert said == {True: ["The chart shows them."] * 2, False: ["Oslo: 12 degrees"] * 2}


async def test_both_hosts_find_their_words(code: dict[str, Any]) -> None:
    meta = code["for_both"].document().meta
    assert re.fullmatch(r"[0-9a-f]{32}\.claudemcpcontent\.com", meta["ui"]["domain"])
    assert meta["openai/widgetDomain"] == "https://weather.example.com"
    async with Client(code["server"]) as client:
        tools = {tool.name: tool.meta or {} for tool in (await client.list_tools()).tools}
    named = set(re.findall(r"`(openai/\w+)`", PAGE))
    assert named - {"openai/widgetPrefersBorder"} <= set(meta) | set(tools["look_up"])
    assert tools["look_up"]["openai/toolInvocation/invoking"] == "Looking at the sky"


def test_the_address_with_a_hash_looks_as_the_page_says() -> None:
    shown = re.search(r"`(ui://weather/view\.[0-9a-f]+\.html)`", PAGE)
    assert shown is not None
    uri = App("ui://weather/view.html", AppResource.text(VIEW), versioned=True).uri
    assert re.sub("[0-9a-f]{12}", "#", uri) == re.sub("[0-9a-f]{12}", "#", shown[1])


def test_every_public_name_is_on_the_page() -> None:
    elsewhere = {"Markup", "embed_data", "embed_runtime", "markup"}
    assert [name for name in fanlight.server.__all__ if name not in elsewhere and name not in PAGE] == []


def twice(server: MCPServer[Any], *names: str) -> None:
    for name in names:
        App("ui://weather/view.html", AppResource.text(VIEW)).tool(server, name=name)(lambda: "x")


def beside_a_resource(server: MCPServer[Any]) -> None:
    server.resource("ui://weather/view.html", name="view", mime_type="text/html")(lambda: VIEW)
    twice(server, "one")


def second_tool(app: App, server: MCPServer[Any]) -> None:
    for _ in range(2):
        app.tool(server, name="one")(lambda: "x")


def promising_a_dict() -> dict[str, Any]:
    return {}


# What the table describes in words; a row in code is run as it stands.
DESCRIBED: dict[str, Callable[[App, MCPServer[Any]], object]] = {
    "a second `App` at one address": lambda app, server: twice(server, "one", "two"),
    "a resource at that address, or one of another MIME type": lambda app, server: beside_a_resource(server),
    "a second tool of one name": second_tool,
    "`def tool() -> dict`": lambda app, server: app.tool(server)(promising_a_dict),
}


@pytest.mark.parametrize(("mistake", "told"), rows("Mistakes"), ids=lambda cell: str(cell))
def test_a_mistake_is_told_as_the_page_says(
    mistake: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "view.js").write_text("1", "utf-8")
    monkeypatch.chdir(tmp_path)
    app, server = App("ui://weather/view.html", AppResource.text(VIEW)), MCPServer[Any]("weather")
    names = {"App": App, "AppResource": AppResource, "Path": Path, "app": app, "server": server}
    code = mistake.strip("`").replace("…, csp", "'ui://a/b.html', AppResource.text('" + VIEW + "'), csp")

    def make() -> object:
        if mistake in DESCRIBED:
            return DESCRIBED[mistake](app, server)
        return eval(code.replace(", …)", ", None)"), names)

    with pytest.raises(ConfigError, match=re.escape(told)):
        make()


def test_the_tables_were_read() -> None:
    assert len(rows("Mistakes")) == 18
