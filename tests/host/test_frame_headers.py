"""The headers of frames: the view, the shell and the proxy carry the same walls."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from mcp.server.apps import Apps, ResourceCsp, ResourcePermissions
from mcp.server.mcpserver import MCPServer
from page_client import get, page, served

from fanlight.host import Host

HTML = "<!doctype html><title>t</title>"


async def headers_of_frames(host: Host) -> list[dict[str, str]]:
    """The headers of proxy, shell and view, as a browser gets them one after the other."""
    apps = Apps()
    apps.add_html_resource(
        "ui://x/y.html",
        HTML,
        csp=ResourceCsp(connect_domains=["https://api.example.com"]),
        permissions=ResourcePermissions(microphone={}, camera={}),
    )

    @apps.tool(resource_uri="ui://x/y.html")
    def show() -> str:
        return "text"

    found = []
    async with host, served(host) as port:
        server = await host.connect("one", MCPServer("one", extensions=[apps]))
        view = (await server.call_tool("show")).view
        assert view is not None
        async with page(port, view) as client:
            await client.attach()
            address = (await client.op("mount"))["src"]
            while address:
                url = urlsplit(address)
                assert url.hostname is not None
                response = await get(port, url.path, host=url.hostname)
                found.append(dict(response.headers))
                address = response.text.partition('data-view="')[2].partition('"')[0]
    return found


async def test_every_document_in_a_frame_connects_only_where_it_must() -> None:
    """Holds: R62."""
    proxy, shell, view = await headers_of_frames(Host())
    for headers in (proxy, shell, view):
        assert headers["connection-allowlist"].endswith(";redirects=allow;webrtc=block")
    allowed = [re.findall('"([^"]+)"', headers["connection-allowlist"]) for headers in (proxy, shell, view)]
    assert [urlsplit(url).path.split("/")[2] for url in (*allowed[0], *allowed[1])] == ["shell", "view"]
    assert allowed[2][0] == "https://api.example.com"
    assert [urlsplit(url).path.split("/")[2] for url in allowed[2][1:]] == ["report"]


async def test_the_view_and_the_shell_have_the_granted_features_and_no_other() -> None:
    _, shell, view = await headers_of_frames(Host(permissions=["microphone"]))
    for headers in (shell, view):
        assert "camera=()" in headers["permissions-policy"]
        assert "microphone=(self)" in headers["permissions-policy"]
        assert "usb=()" in headers["permissions-policy"]


async def test_only_compat_is_watched_for_what_strict_would_refuse() -> None:
    *_, view = await headers_of_frames(Host())
    assert "'report-sample'" in view["content-security-policy-report-only"]
    *_, view = await headers_of_frames(Host(csp_level="strict"))
    assert "content-security-policy-report-only" not in view
