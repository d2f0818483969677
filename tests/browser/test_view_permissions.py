"""Permissions in a real Chromium: declared ∩ allowed by the host, on every frame down to the view."""

from __future__ import annotations

from typing import Any

import pytest
from mcp.server.apps import Apps, ResourcePermissions
from mcp.server.mcpserver import MCPServer
from playwright.async_api import Page
from served import served_host, shown, view_frame
from test_isolation import PAGE

from fanlight.host import Host
from fanlight.sandbox.permissions import FEATURES, NEVER
from fanlight.testing.chromium import launch

MODES = pytest.mark.parametrize("name", ["fanlight.localhost", "127.0.0.1"], ids=["own origin", "opaque"])
ALLOWED = "() => document.featurePolicy.allowedFeatures()"


def permission_server(**permissions: Any) -> MCPServer[Any]:
    apps = Apps()
    asked = ResourcePermissions(**permissions)
    apps.add_html_resource("ui://test/view.html", PAGE, permissions=asked)

    @apps.tool(resource_uri="ui://test/view.html")
    def show() -> str:
        return "text"

    return MCPServer("test", extensions=[apps])


@MODES
async def test_a_view_has_what_was_declared_and_allowed_and_nothing_else(page: Page, name: str) -> None:
    """Holds: R60."""
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    host = Host(permissions=["geolocation", "clipboardWrite"])
    async with served_host(host) as port:
        server = await host.connect("one", permission_server(geolocation={}, camera={}))
        await shown(page, port, await server.call_tool("show"), name=name)
        frame = await view_frame(page)
        allowed = set(await frame.evaluate(ALLOWED))
        assert allowed & set(FEATURES.values()) == {"geolocation"}
        assert allowed & set(NEVER) == set()
        # A frame in the view gets nothing of it, even when the view hands it on.
        child = await frame.evaluate(
            """() => { const frame = document.createElement("iframe");
              frame.allow = "geolocation *; camera *; usb *"; frame.srcdoc = "x"; document.body.append(frame);
              return frame.featurePolicy.allowedFeatures(); }"""
        )
        assert set(child) & {"camera", "usb"} == set()
    assert [text for text in said if "olicy" in text] == [], "Chromium does not know a feature or a directive"


@MODES
async def test_an_app_without_permissions_has_none(page: Page, name: str) -> None:
    host = Host()
    async with served_host(host) as port:
        server = await host.connect("one", permission_server())
        await shown(page, port, await server.call_tool("show"), name=name)
        frame = await view_frame(page)
        assert set(await frame.evaluate(ALLOWED)) & {*FEATURES.values(), *NEVER} == set()


LISTEN = """() => navigator.mediaDevices.getUserMedia({audio: true})
  .then((stream) => stream.getTracks().length, (error) => error.name)"""


@pytest.mark.parametrize(
    ("name", "granted", "outcome"),
    [("fanlight.localhost", {"microphone": {}}, 1), ("127.0.0.1", None, "SecurityError")],
    ids=["own origin", "opaque"],
)
async def test_a_microphone_works_where_it_was_advertised_and_nowhere_else(
    name: str, granted: object, outcome: object
) -> None:
    """Chromium gives no device to an origin that is none, so an opaque view is not promised one."""
    host = Host()
    answers: list[Any] = []
    host.tap.listen(lambda record: answers.append(record.message))
    flags = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
    async with launch(*flags) as browser, served_host(host) as port:
        page = await browser.new_page()
        server = await host.connect("one", permission_server(microphone={}))
        await shown(page, port, await server.call_tool("show"), name=name)
        frame = await view_frame(page)
        assert await frame.evaluate(LISTEN) == outcome
    (result,) = [
        message["result"]
        for message in answers
        if isinstance(message, dict) and message.get("id") == 0 and "result" in message
    ]
    assert result["hostCapabilities"].get("sandbox", {}).get("permissions") == granted
