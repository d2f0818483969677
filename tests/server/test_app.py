"""An app: what it declares, which tools it is tied to, and which mistakes are told before anything runs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastmcp import FastMCP
from mcp.server.apps import Apps
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

from fanlight.errors import ConfigError
from fanlight.server import App, AppResource, Reply, reply

HTML = "<!doctype html><html lang=en><head><title>A</title></head><body><p>a</p></body></html>"
SERVERS: dict[str, Callable[[], Any]] = {
    "mcpserver": lambda: MCPServer("s"),
    "extension": Apps,
    "lowlevel": lambda: Server("s"),
    "fastmcp": lambda: FastMCP("s"),
}
on_every_sdk = pytest.mark.parametrize("new_server", SERVERS.values(), ids=SERVERS)


def an_app(uri: str = "ui://a/view.html", **settings: Any) -> App:
    return App(uri, AppResource.text(HTML), **settings)


def shown() -> Reply:
    """Shows it."""
    return reply("shown")


# The address and the document.


@pytest.mark.parametrize(
    ("uri", "remedy"),
    [
        ("https://weather.example/view.html", "starts with 'ui://'"),
        ("weather", "such as 'ui://weather/view.html'"),
        ("view.html", "such as 'ui://app/view.html'"),
        ("ui://", "it needs a name"),
        ("ui://a/größe.html", "percent-encode"),
        ("ui://a/b c.html", "percent-encode"),
        ("ui://a/{name}.html", "percent-encode"),
    ],
)
def test_an_address_that_no_host_would_find_is_refused(uri: str, remedy: str) -> None:
    """Holds: R01."""
    with pytest.raises(ConfigError, match=re.escape(remedy)):
        an_app(uri)


def test_an_address_that_is_no_text_is_refused() -> None:
    nothing: Any = None
    with pytest.raises(ConfigError, match=r"App uri is None: .* such as 'ui://weather/view\.html'"):
        App(nothing, AppResource.text(HTML))


def test_a_document_that_is_only_a_text_is_refused_with_the_remedy() -> None:
    with pytest.raises(ConfigError, match=r"got a str as its document: give AppResource\.text"):
        App("ui://a/view.html", HTML)  # type: ignore[arg-type]


# What the document needs.


@pytest.mark.parametrize(
    ("settings", "remedy"),
    [
        ({"csp": ["https://a.example"]}, "csp is ['https://a.example']: give an object"),
        ({"csp": {"connect_domains": []}}, "write 'connectDomains'"),
        ({"csp": {"scriptDomains": []}}, "use 'connectDomains', 'resourceDomains'"),
        ({"csp": {"connectDomains": "https://a.example"}}, "give a list"),
        ({"csp": {"connectDomains": ["https://a.example; img-src *"]}}, "contains a space or a separator"),
        ({"csp": {"resourceDomains": ["*"]}}, "name the host"),
        ({"permissions": ["clipboard-write"]}, "'clipboardWrite'"),
        ({"permissions": "camera"}, "give a list"),
        ({"domain": 5}, "domain is 5: give the text that the host wants"),
        ({"domain": " "}, "domain is ' ': give the text"),
        ({"prefers_border": "yes"}, "prefers_border is 'yes': give True or False"),
        ({"openai": None}, "openai is None: give True, or an object such as {'widgetDomain'"),
        ({"openai": "yes"}, "openai is 'yes': give True"),
        ({"openai": {1: 2}}, "openai is {1: 2}: give True"),
    ],
)
def test_a_need_that_no_host_would_grant_is_refused(settings: dict[str, Any], remedy: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(remedy)):
        an_app(**settings)


def test_what_is_not_declared_is_not_written() -> None:
    assert an_app().document().meta == {}


def test_everything_that_is_declared_is_written_under_ui() -> None:
    app = an_app(
        csp={"connectDomains": ["https://a.example"], "frameDomains": []},
        permissions=["camera", "clipboardWrite"],
        domain="abc.claudemcpcontent.com",
        prefers_border=False,
    )
    assert app.document().meta == {
        "ui": {
            "csp": {"connectDomains": ["https://a.example"], "frameDomains": []},
            "permissions": {"camera": {}, "clipboardWrite": {}},
            "domain": "abc.claudemcpcontent.com",
            "prefersBorder": False,
        }
    }


def test_chatgpt_reads_the_same_in_its_own_words_and_the_domain_only_when_it_is_given() -> None:
    app = an_app(
        csp={"connectDomains": ["https://a.example"], "frameDomains": ["https://f.example"]},
        prefers_border=True,
        description="Shows a.",
        domain="abc.claudemcpcontent.com",
        openai={"widgetDomain": "https://a.example"},
    )
    meta = {key: value for key, value in app.document().meta.items() if key != "ui"}
    assert meta == {
        "openai/widgetCSP": {
            "connect_domains": ["https://a.example"],
            "resource_domains": [],
            "frame_domains": ["https://f.example"],
        },
        "openai/widgetPrefersBorder": True,
        "openai/widgetDescription": "Shows a.",
        "openai/widgetDomain": "https://a.example",
    }
    spelled = an_app(openai={"openai/widgetDomain": "https://a.example"}).document().meta
    assert spelled["openai/widgetDomain"] == "https://a.example"
    assert not any(key.startswith("openai/openai") for key in spelled)
    assert "openai/widgetDomain" not in an_app(domain="x.claudemcpcontent.com", openai=True).document().meta


def test_an_origin_that_the_document_needs_and_nobody_declared_is_told_with_the_line_to_add() -> None:
    page = HTML.replace("<p>a</p>", '<img src="https://pictures.example/a.png" alt="">')
    with pytest.raises(ConfigError, match="resourceDomains") as told:
        App("ui://a/view.html", AppResource.text(page))
    assert '"https://pictures.example"' in str(told.value)
    App("ui://a/view.html", AppResource.text(page), csp={"resourceDomains": ["https://pictures.example"]})
    App("ui://a/view.html", AppResource.text(page, check=False))


# Hashes in addresses.


def test_the_hash_is_that_of_the_document() -> None:
    app = an_app(versioned=True)
    assert app.resource.document is not None
    digest = hashlib.sha256(app.resource.document.html.encode()).hexdigest()[:12]
    assert app.uri == f"ui://a/view.{digest}.html"
    other = App("ui://a/view.html", AppResource.text(HTML.replace("<p>a", "<p>b")), versioned=True)
    assert other.uri != app.uri
    assert an_app("ui://a", versioned=True).uri == f"ui://a.{digest}"
    assert an_app("ui://a/v/view.min.html", versioned=True).uri == f"ui://a/v/view.{digest}.min.html"


def test_what_changes_with_each_read_cannot_have_a_hash() -> None:
    with pytest.raises(ConfigError, match="a function renders it for each read"):
        App("ui://a/view.html", AppResource.function(lambda: HTML), versioned=True)
    with pytest.raises(ConfigError, match="it has a query"):
        an_app("ui://a/view.html?x=1", versioned=True)


# Tools.


@on_every_sdk
def test_the_function_stays_what_it_was(new_server: Callable[[], Any]) -> None:
    def shown(city: str) -> Reply:
        return reply(f"in {city}", data={"city": city})

    assert an_app().tool(new_server())(shown) is shown
    assert shown("Oslo").data == {"city": "Oslo"}


@on_every_sdk
def test_one_app_may_have_several_tools_and_several_servers(new_server: Callable[[], Any]) -> None:
    app = an_app()
    for server in (new_server(), new_server()):
        app.tool(server, name="one")(shown)
        app.tool(server, name="two")(shown)


@on_every_sdk
def test_two_apps_at_one_address_are_refused(new_server: Callable[[], Any]) -> None:
    server = new_server()
    an_app().tool(server, name="one")(shown)
    with pytest.raises(ConfigError, match="two apps of this server have the address 'ui://a/view"):
        an_app().tool(server, name="two")(shown)


@on_every_sdk
def test_two_tools_of_one_name_are_refused(new_server: Callable[[], Any]) -> None:
    server = new_server()
    app = an_app()
    app.tool(server)(shown)
    with pytest.raises(ConfigError, match=r"there is a tool 'shown' .*/test_app\.py:\d+ needs another name"):
        app.tool(server)(shown)


@pytest.mark.parametrize("sdk", ["mcpserver", "fastmcp"])
def test_a_resource_that_is_there_already_is_told_and_its_wrong_type_too(sdk: str) -> None:
    """Holds: R03."""
    server = SERVERS[sdk]()

    @server.resource("ui://a/view.html", mime_type="text/html")  # type: ignore[untyped-decorator]
    def page() -> str:
        return HTML

    with pytest.raises(ConfigError, match="as 'text/html', which no host shows"):
        an_app().tool(server)(shown)


@pytest.mark.parametrize("option", ["csp", "permissions", "domain", "prefers_border"])
def test_what_belongs_to_the_document_is_refused_on_a_tool(option: str) -> None:
    settings: dict[str, Any] = {option: {"connectDomains": []}}
    with pytest.raises(ConfigError, match=rf"Say App\(…, {option}=…\)"):
        an_app().tool(MCPServer("s"), **settings)


@on_every_sdk
def test_an_option_that_no_tool_has_is_told_with_the_one_that_was_meant(
    new_server: Callable[[], Any],
) -> None:
    app, server = an_app(), new_server()
    with pytest.raises(ConfigError, match=r"app\.tool\(…, anotations=…\): .* did you mean annotations="):
        app.tool(server, anotations=ToolAnnotations())(shown)
    app.tool(server, annotations=ToolAnnotations())(shown)


@on_every_sdk
def test_an_option_of_fastmcp_is_told_as_one_elsewhere(new_server: Callable[[], Any]) -> None:
    server = new_server()
    if isinstance(server, FastMCP):
        an_app().tool(server, tags={"a"})(shown)
        return
    with pytest.raises(ConfigError, match=r"tags=…\): .* it is one of FastMCP 4, so leave it out"):
        an_app().tool(server, tags={"a"})(shown)


@on_every_sdk
def test_a_parameter_that_is_only_positional_is_refused(new_server: Callable[[], Any]) -> None:
    def shown(city: str, /) -> Reply:
        return reply(city)

    with pytest.raises(ConfigError, match="positional-only parameter 'city'"):
        an_app().tool(new_server())(shown)


def test_a_server_that_is_left_out_is_told() -> None:
    with pytest.raises(ConfigError, match=r"^app\.tool\(\) names no server: write @app\.tool\(server\)"):
        an_app().tool()


def test_the_mime_type_is_nobodys_to_choose() -> None:
    """Holds: R03."""
    with pytest.raises(ConfigError, match="Every app has the right one already"):
        an_app().tool(MCPServer("s"), mime_type="text/html")


@pytest.mark.parametrize("key", ["ui", "ui/resourceUri", "ui/csp"])
def test_metadata_that_the_app_writes_itself_is_refused(key: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(f"meta[{key!r}] belongs to the app")):
        an_app().tool(MCPServer("s"), meta={key: {"csp": {}}})


@pytest.mark.parametrize("visibility", ["app", [], ["apps"], ["model", "user"]])
def test_a_visibility_that_hides_by_mistake_is_refused(visibility: Any) -> None:
    with pytest.raises(ConfigError, match=r"give \['app'\] for a tool that only the view calls"):
        an_app().tool(MCPServer("s"), visibility=visibility)


@pytest.mark.parametrize("option", ["structured_output", "output_schema"])
def test_the_result_has_one_form(option: str) -> None:
    settings: dict[str, Any] = {option: None}
    with pytest.raises(ConfigError, match="says what is text and what is data"):
        an_app().tool(MCPServer("s"), **settings)


def test_a_decorator_without_its_server_is_told() -> None:
    with pytest.raises(ConfigError, match=r"app\.tool\(shown\) names no server: write @app\.tool\(server\)"):
        an_app().tool(shown)


def test_an_object_that_is_no_server_is_told() -> None:
    with pytest.raises(ConfigError, match=r"app\.tool\(int\) is not a server that is known"):
        an_app().tool(7)


def test_a_function_without_a_name_needs_one() -> None:
    with pytest.raises(ConfigError, match=r"app\.tool\(server, name=…\)"):
        an_app().tool(MCPServer("s"))(lambda: "x")


@on_every_sdk
def test_options_of_the_sdk_reach_it(new_server: Callable[[], Any]) -> None:
    an_app().tool(new_server(), annotations=ToolAnnotations(read_only_hint=True))(shown)
    with pytest.raises(ConfigError, match="the tools of this SDK have no such option; leave it out"):
        an_app().tool(new_server(), colour="red")(shown)


def test_versions_are_refused_where_they_cannot_be_answered() -> None:
    with pytest.raises(ConfigError, match="leave out versioned=True, or tie the app to the MCPServer"):
        an_app(versioned=True).tool(Apps())(shown)


def test_doubts_are_told_only_while_an_app_is_worked_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    page = tmp_path / "view.html"
    page.write_text(HTML.replace("<p>a</p>", "<script>const a = 'https://doc.example/a'</script>"), "utf-8")
    App("ui://a/view.html", AppResource.file(page, dev=False))
    assert caplog.text == ""
    App("ui://a/view.html", AppResource.file(page, dev=True))
    assert "https://doc.example" in caplog.text


async def test_a_document_that_breaks_while_it_is_worked_on_says_so_to_the_host(tmp_path: Path) -> None:
    page = tmp_path / "view.html"
    page.write_text(HTML, "utf-8")
    app = App("ui://a/view.html", AppResource.file(page, dev=True))
    assert "<p>a</p>" in await app.read()
    page.write_text(HTML.replace("<p>a</p>", "<img src='https://pictures.example/a.png' alt=''>"), "utf-8")
    with pytest.raises(ConfigError, match=r"pictures\.example"):
        await app.read()
