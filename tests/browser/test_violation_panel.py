"""What a developer sees of refusals: the rows, the words, the declaration to paste; in `render` the same."""

from __future__ import annotations

import json
from typing import Any

from mcp.server.apps import Apps, ResourceCsp
from mcp.server.mcpserver import MCPServer
from playwright.async_api import Page, expect
from served import WAIT_MS, app_server, served_workbench, until
from test_isolation import PAGE

from fanlight.host import Host, Verdict
from fanlight.testing.render import render_call

MARKUP = "<img src=x onerror=top.hacked=1>"
BLOCKED = f"""{PAGE}<script>
  fetch("https://api.example.com/v1/weather?key=1").catch(() => 0);
  new Image().src = "https://cdn.example.com/" + encodeURIComponent("{MARKUP}");
  eval("1");
</script>"""
DECLARED = ResourceCsp(connect_domains=["https://other.example", "https://x.example/path"])
WHOLE = {
    "csp": {
        "connectDomains": ["https://other.example", "https://api.example.com"],
        "resourceDomains": ["https://cdn.example.com"],
    }
}


async def test_the_workbench_shows_each_refusal_with_its_remedy_and_what_to_paste(page: Page) -> None:
    async with served_workbench(app=app_server(BLOCKED, DECLARED)) as (link, _):
        await page.goto(link)
        await page.get_by_test_id("run-button").click()
        rows = page.get_by_test_id("violation-row")
        await expect(rows).to_have_count(2, timeout=WAIT_MS)
        await page.get_by_test_id("violations").locator("summary").click()
        await expect(rows.filter(has_text="connect-src")).to_contain_text(
            "Add https://api.example.com to connectDomains in the resource's _meta.ui.csp."
        )
        await expect(rows.filter(has_text="img-src")).to_contain_text("%3Cimg")
        assert json.loads(await page.get_by_test_id("violation-fix").inner_text()) == WHOLE
        assert await page.evaluate("window.hacked") is None
        await page.get_by_role("tab", name="Stages").click()
        stages = page.get_by_test_id("stage-row")
        await expect(stages.filter(has_text="policy-reduced")).to_contain_text("https://x.example/path")
        await expect(stages.filter(has_text="beyond-strict")).to_contain_text("eval")


def reported_first(host: Host) -> MCPServer[Any]:
    """The same app; its tool answers, as a rendering waits for, when the browser has reported everything."""
    apps = Apps()
    apps.add_html_resource("ui://test/view.html", BLOCKED, csp=DECLARED)

    @apps.tool(resource_uri="ui://test/view.html")
    async def show() -> str:
        (view,) = host._views.values()
        await until(lambda: len(view.violations) == 2 and view.beyond_strict)
        return "the tool's text"

    return MCPServer("test", extensions=[apps])


async def test_a_rendering_reports_refusals_with_the_declaration_to_paste() -> None:
    async with Host() as host:
        server = await host.connect("one", reported_first(host))
        report = await render_call(host, server, "show", {}, timeout=30, settle=0.1)
    told = report.as_json()
    assert {entry["directive"] for entry in told["violations"]} == {"connect-src", "img-src"}
    assert [entry["blocked"] for entry in told["beyond_strict"]] == ["eval"]
    assert told["csp"]["fix"] == WHOLE
    assert told["csp"]["applied"] == {"connectDomains": ["https://other.example"]}
    assert [entry["value"] for entry in told["csp"]["dropped"]] == ["https://x.example/path"]
    text = report.as_text()
    assert "blocked  connect-src https://api.example.com/v1/weather?…" in text
    assert "Add https://api.example.com to connectDomains" in text
    assert "beyond   script-src eval: strict would refuse it" in text
    assert f"fix      put into the resource's _meta.ui: {json.dumps(WHOLE)}" in text


async def test_an_app_that_its_policy_keeps_from_starting_is_told_so() -> None:
    html = "<!doctype html><title>t</title><script src='https://cdn.example.com/app.js'></script>"
    # So long the document has to come and to be refused its script; less would be a race with this machine.
    async with Host(handshake_timeout=10) as host:
        server = await host.connect("one", app_server(html))
        report = await render_call(host, server, "show", {}, timeout=30)
    assert report.verdict is Verdict.CSP_BLOCKED
    assert report.remedy == "Add https://cdn.example.com to resourceDomains in the resource's _meta.ui.csp."


async def test_what_a_browser_reports_of_a_view_that_has_ended_is_kept() -> None:
    """A form that is refused takes the view away with it; why comes a moment later."""
    html = f"{PAGE}<form id=form action='https://forms.example/'></form><script>form.submit()</script>"
    async with Host() as host:
        server = await host.connect("one", app_server(html))
        report = await render_call(host, server, "show", {}, timeout=30)
        assert report.verdict is Verdict.NAVIGATED
        assert report.remedy is not None
        assert "handle the submit event" in report.remedy
        (view,) = host._views.values()
        await until(lambda: [entry["directive"] for entry in view.violations] == ["form-action"])
