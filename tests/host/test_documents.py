"""The documents of a showing: the right name, once, under a policy that the request cannot choose."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import httpx
import pytest
from mcp.server.apps import Apps, ResourceCsp, ResourcePermissions
from mcp.server.mcpserver import MCPServer
from page_client import PageClient, get, http_client, page, served

from fanlight.host import Host

HTML = "<!doctype html><title>æ</title><script>1</script>"


@asynccontextmanager
async def mounted(host: Host) -> AsyncIterator[tuple[int, PageClient, str]]:
    """A view that is attached and has its frame's address."""
    apps = Apps()
    apps.add_html_resource(
        "ui://x/y.html",
        HTML,
        csp=ResourceCsp(connect_domains=["https://api.example.com", "https://bad.example; script-src *"]),
        permissions=ResourcePermissions(microphone={}),
    )

    @apps.tool(resource_uri="ui://x/y.html")
    def show() -> str:
        return "text"

    async with host, served(host) as port:
        server = await host.connect("one", MCPServer("one", extensions=[apps]))
        call = await server.call_tool("show")
        assert call.view is not None
        async with page(port, call.view) as client:
            await client.attach()
            frame = await client.op("mount")
            yield port, client, urlsplit(frame["src"]).path


def frame_address(page: httpx.Response) -> tuple[str, str]:
    """Host name and path of the frame below, as a page tells its script."""
    url = urlsplit(page.text.partition('data-view="')[2].partition('"')[0])
    assert url.hostname is not None
    return url.hostname, url.path


async def view_address(port: int, proxy_path: str) -> tuple[str, str]:
    """Host name and path of the view: from the proxy to the shell, from the shell to the view."""
    name, path = frame_address(await get(port, proxy_path, host="sandbox.fanlight.localhost"))
    return frame_address(await get(port, path, host=name))


async def test_each_frame_names_the_one_below_and_who_may_hold_it() -> None:
    """Holds: R21, R22."""
    async with mounted(Host()) as (port, _, path):
        proxy = await get(port, path, host="sandbox.fanlight.localhost")
        name, shell_path = frame_address(proxy)
        shell = await get(port, shell_path, host=name)
        below, view_path = frame_address(shell)
    assert name == below
    assert name not in ("fanlight.localhost", "sandbox.fanlight.localhost")
    policy = proxy.headers["content-security-policy"]
    assert f"frame-src http://{name}:{port}{shell_path};" in policy
    assert f"frame-ancestors http://fanlight.localhost:{port};" in policy
    policy = shell.headers["content-security-policy"]
    assert f"frame-src http://{name}:{port}{view_path};" in policy
    assert (
        f"frame-ancestors http://sandbox.fanlight.localhost:{port} http://fanlight.localhost:{port};"
        in policy
    )


async def test_the_shell_allows_nothing_but_its_own_script_style_and_the_view() -> None:
    """The view can act in the shell's name, so the shell may never do more than the strictest view."""
    async with mounted(Host()) as (port, _, path):
        name, shell_path = frame_address(await get(port, path, host="sandbox.fanlight.localhost"))
        policy = (await get(port, shell_path, host=name)).headers["content-security-policy"]
    directives = dict(part.split(" ", 1) for part in policy.split("; "))
    assert directives["default-src"] == "'none'"
    assert directives["script-src"].startswith("'sha256-")
    assert directives["style-src"].startswith("'sha256-")
    assert directives["form-action"] == directives["base-uri"] == "'none'"
    own = {
        "default-src",
        "script-src",
        "style-src",
        "frame-src",
        "frame-ancestors",
        "base-uri",
        "form-action",
    }
    assert set(directives) == own


async def test_each_document_is_served_once_and_only_under_its_own_name() -> None:
    async with mounted(Host()) as (port, _, path):
        assert (await get(port, path, host="fanlight.localhost")).status_code == 404
        proxy = await get(port, path, host="sandbox.fanlight.localhost")
        assert proxy.status_code == 200
        assert (await get(port, path, host="sandbox.fanlight.localhost")).status_code == 404
        name, shell_path = frame_address(proxy)
        for below in (shell_path, shell_path.replace("/shell/", "/view/")):
            for wrong in ("fanlight.localhost", "sandbox.fanlight.localhost", "v0.fanlight.localhost"):
                assert (await get(port, below, host=wrong)).status_code == 404
            assert (await get(port, below, host=name)).status_code == 200
            assert (await get(port, below, host=name)).status_code == 404


@pytest.mark.parametrize("query", ["", "?csp=default-src%20*", "?sandbox=allow-top-navigation"])
async def test_the_view_is_served_untouched_under_the_declared_policy(query: str) -> None:
    """Holds: R13, R15, R61."""
    async with mounted(Host(csp_level="strict")) as (port, _, path):
        name, view_path = await view_address(port, path)
        response = await get(port, view_path + query, host=name)
    assert response.text == HTML
    policy = response.headers["content-security-policy"]
    assert "connect-src https://api.example.com;" in policy
    assert "bad.example" not in policy
    assert "script-src 'self' 'unsafe-inline';" in policy
    assert "default-src *" not in policy
    assert response.headers["origin-agent-cluster"] == "?1"
    assert "microphone=(self)" in response.headers["permissions-policy"]
    assert "camera=()" in response.headers["permissions-policy"]


async def test_a_reported_violation_is_kept_and_shown() -> None:
    async with mounted(Host()) as (port, client, path):
        report = {"csp-report": {"effective-directive": "connect-src", "blocked-uri": "https://x.example/"}}
        async with http_client() as http:
            url = f"http://127.0.0.1:{port}{path.replace('/sandbox/', '/report/')}"
            headers = {"Host": f"v1.fanlight.localhost:{port}"}
            for body in ("{", "[]", '{"csp-report": 1}'):
                assert (await http.post(url, content=body, headers=headers)).status_code == 204
            assert (await http.post(url, content=b"x" * 70_000, headers=headers)).status_code == 413
            assert (await http.post(url, json=report, headers=headers)).status_code == 204
        frame = await client.op("violation")
    for entry in (frame["violation"], *client.view.violations):
        assert (entry["directive"], entry["blocked"], entry["count"]) == (
            "connect-src",
            "https://x.example/",
            1,
        )


async def test_the_policy_in_force_is_logged_for_review(caplog: pytest.LogCaptureFixture) -> None:
    """Holds: R16."""
    with caplog.at_level("DEBUG", logger="fanlight.host"):
        async with mounted(Host()) as (_, client, _):
            pass
    said = [record.getMessage() for record in caplog.records]
    (line,) = [text for text in said if "default-src 'none'" in text]
    assert client.view.id in line
    assert "report" not in line  # its address holds the ticket
    assert "connect-src data: blob: https://api.example.com;" in line
