"""The frames between page and view: their attributes, what the proxy says by itself, links."""

from __future__ import annotations

from playwright.async_api import Page
from served import WAIT_MS, app_server, reached, served_host, shown, view_frame
from test_isolation import PAGE

from fanlight.host import Host, TapRecord, allow_all


async def test_both_frames_are_sandboxed_and_nobody_may_navigate_the_top(page: Page) -> None:
    """Holds: R21, R23, R60."""
    host = Host()
    async with served_host(host) as port:
        server = await host.connect("one", app_server(PAGE))
        await shown(page, port, await server.call_tool("show"))
        view = await view_frame(page)
        shell = view.parent_frame
        assert shell is not None
        proxy = shell.parent_frame
        assert proxy is not None
        assert proxy.parent_frame is page.main_frame
        flags = []
        for frame in (proxy, shell, view):
            element = await frame.frame_element()
            flags.append(set((await element.get_attribute("sandbox") or "").split()))
    assert {"allow-scripts", "allow-same-origin"} <= flags[0]
    assert flags[0] | flags[1] | flags[2] <= {"allow-scripts", "allow-same-origin", "allow-forms"}


async def test_the_proxy_announces_itself_and_says_nothing_else_of_its_own(page: Page) -> None:
    """Holds: R24, R33."""
    records: list[TapRecord] = []
    host = Host()
    host.tap.listen(records.append)
    async with served_host(host) as port:
        server = await host.connect("one", app_server(PAGE))
        call = await server.call_tool("show")
        await shown(page, port, call)
        assert call.view is not None
        # A view speaks while its document is still being read.
        await reached(call.view, "document-loaded")
        stages = [stage.name for stage in call.view.stages]
    said = [record.message["method"] for record in records if record.direction == "from-view"]
    # What arrived is what the view itself sends (see PAGE); the proxy's own words became stages.
    assert said == ["ui/initialize", "ui/notifications/initialized"]
    assert stages.index("proxy-ready") < stages.index("document-loaded")


async def test_a_link_opens_in_a_new_tab_that_knows_nothing_of_us(page: Page) -> None:
    """Holds: R44."""
    host = Host(policy=allow_all)
    async with served_host(host) as port:
        server = await host.connect("one", app_server(PAGE + "<button>go</button>"))
        await shown(page, port, await server.call_tool("show"))
        frame = await view_frame(page)
        url = f"http://localhost:{port}/apps/nothing"
        await frame.evaluate(
            """(url) => document.querySelector("button").addEventListener("click", () => parent.postMessage(
              {jsonrpc: "2.0", id: "link", method: "ui/open-link", params: {url}}, "*"))""",
            url,
        )
        async with page.context.expect_page(timeout=WAIT_MS) as opening:
            await frame.get_by_role("button", name="go").click()
        tab = await opening.value
        await tab.wait_for_url(url)
        assert await tab.evaluate("[window.opener, document.referrer]") == [None, ""]
