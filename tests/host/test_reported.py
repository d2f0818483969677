"""What browsers report of a view: told apart, counted, bounded, with the way out."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp.server.apps import Apps, ResourceCsp
from mcp.server.mcpserver import MCPServer
from page_client import PageClient, http_client, page, served
from raw_request import ask

from fanlight.errors import ConfigError
from fanlight.host import Host, Verdict, View
from fanlight.host.reported import policy_facts


class Reporting:
    """A view in a page, and its browser."""

    def __init__(self, client: PageClient, url: str, name: str) -> None:
        self.client = client
        self.view: View = client.view
        self.url = url
        self.name = name

    async def reports(self, *reports: dict[str, Any]) -> None:
        async with http_client() as http:
            for report in reports:
                body = {"csp-report": {"effective-directive": "connect-src", **report}}
                answer = await http.post(self.url, json=body, headers={"Host": self.name})
                assert answer.status_code == 204


@asynccontextmanager
async def reporting(host: Host, csp: ResourceCsp | None = None) -> AsyncIterator[Reporting]:
    apps = Apps()
    apps.add_html_resource("ui://x/y.html", "<!doctype html>", csp=csp)

    @apps.tool(resource_uri="ui://x/y.html")
    def show() -> str:
        return "text"

    async with host, served(host) as port:
        server = await host.connect("one", MCPServer("one", extensions=[apps]))
        view = (await server.call_tool("show")).view
        assert view is not None
        async with page(port, view) as client:
            await client.attach()
            path = (await client.op("mount"))["src"].partition(f":{port}")[2].replace("/sandbox/", "/report/")
            yield Reporting(client, f"http://127.0.0.1:{port}{path}", f"v1.fanlight.localhost:{port}")


UNDECLARED = {"blocked-uri": "https://api.example.com/v1?key=1"}
EVAL = {"effective-directive": "script-src", "blocked-uri": "eval", "disposition": "report"}


async def test_a_refusal_is_counted_and_told_with_the_whole_declaration_that_helps() -> None:
    declared = ResourceCsp(connect_domains=["https://other.example"])
    async with reporting(Host(), declared) as view:
        await view.reports(UNDECLARED, UNDECLARED)
        await view.client.op("violation")
        frame = await view.client.op("violation")
        assert frame["violation"] == {
            "directive": "connect-src",
            "blocked": "https://api.example.com/v1?…",
            "count": 2,
            "advice": "Add https://api.example.com to connectDomains in the resource's _meta.ui.csp.",
            "fix": {"csp": {"connectDomains": ["https://api.example.com"]}},
            "declare": {"csp": {"connectDomains": ["https://other.example", "https://api.example.com"]}},
        }
        assert len(view.view.violations) == 1
        assert policy_facts(view.view) == {
            "applied": {"connectDomains": ["https://other.example"]},
            "dropped": [],
            "fix": frame["violation"]["declare"],
        }


async def test_what_only_strict_would_refuse_is_gathered_apart() -> None:
    async with reporting(Host()) as view:
        await view.reports(EVAL, EVAL)
        assert view.view.violations == []
        (use,) = view.view.beyond_strict
        assert (use["directive"], use["blocked"], use["count"]) == ("script-src", "eval", 2)
        (stage,) = [stage for stage in view.view.stages if stage.name == "beyond-strict"]
        assert stage.as_json()["detail"] == "script-src eval"


async def test_a_flood_of_reports_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fanlight.host.documents.MAX_REPORTS", 105)
    async with reporting(Host()) as view:
        flood = [{"blocked-uri": f"https://h{number}.example/"} for number in range(110)]
        await view.reports(*flood)
        assert len(view.view.violations) == 100
        await view.reports(*flood[:1])
        assert view.view.violations[0]["count"] == 1


async def test_a_page_that_is_loaded_again_begins_without_old_reports() -> None:
    async with reporting(Host()) as view:
        await view.reports(UNDECLARED, EVAL)
        await view.client.attach()
        await view.client.op("mount")
        assert view.view.violations == []
        assert view.view.beyond_strict == []


async def test_a_view_that_never_comes_up_after_a_refusal_was_blocked_by_its_policy() -> None:
    async with reporting(Host(handshake_timeout=0.2)) as view:
        script = {"effective-directive": "script-src-elem", "blocked-uri": "https://cdn.example/a.js"}
        await view.reports({"effective-directive": "script-src", "blocked-uri": "eval"}, script)
        await view.client.send("signal", name="proxy-ready")
        frame = await view.client.verdict("csp-blocked")
        assert "script-src eval, script-src-elem https://cdn.example/a.js" in frame["reason"]
        assert frame["remedy"] == "Add https://cdn.example to resourceDomains in the resource's _meta.ui.csp."
        assert view.view.verdict is Verdict.CSP_BLOCKED


async def test_a_report_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fanlight.host.documents._REPORT_SECONDS", 0.01)
    async with reporting(Host()) as view:
        port, path = view.url.removeprefix("http://127.0.0.1:").split("/", 1)
        head = (f"Host: {view.name}", "Content-Type: application/csp-report", "Content-Length: 100")
        assert (await ask(int(port), f"/{path}", *head, method="POST")).status == 408


async def test_what_was_dropped_is_told_in_stages_tap_capabilities_and_once_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    notes: list[str] = []
    host = Host(block_domains=["*.tracker.example"], permissions=[])
    host.tap.listen(lambda record: notes.append(str(record.message)) if record.direction == "note" else None)
    bad = ["https://a.tracker.example", "https://x; script-src *", "https://ok.example"]
    with caplog.at_level(logging.WARNING, logger="fanlight.host"):
        async with reporting(host, ResourceCsp(connect_domains=bad)) as view:
            await view.client.comes_up()
            await view.client.comes_up()
            (answer,) = [
                frame["message"]["result"]
                for frame in view.client.frames[-20:]
                if frame["op"] == "message" and "hostCapabilities" in frame["message"].get("result", {})
            ][-1:]
            stages = [stage.as_json() for stage in view.view.stages if stage.name == "policy-reduced"]
    assert answer["hostCapabilities"]["sandbox"] == {"csp": {"connectDomains": ["https://ok.example"]}}
    blocked = "csp connectDomains 'https://a.tracker.example': this host blocks *.tracker.example"
    assert f"dropped {blocked}" in notes
    assert stages[0]["detail"] == f"{blocked} (and 1 more)"
    lines = [record.getMessage() for record in caplog.records if record.name == "fanlight.host"]
    assert lines.count(f"app ui://x/y.html of 'one': dropped {blocked}") == 1
    assert len(lines) == 2


async def test_the_log_names_each_refusal_of_an_app_once_and_no_path(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.INFO, logger="fanlight.host"):
        async with reporting(Host()) as view:
            secret = {"blocked-uri": "https://api.example.com/secret/path"}
            await view.reports(UNDECLARED, secret, EVAL, EVAL)
            many = [{"blocked-uri": f"https://h{number}.example/"} for number in range(25)]
            await view.reports(*many)
    lines = [record for record in caplog.records if record.getMessage().startswith("app ")]
    assert [(line.levelname, line.getMessage()) for line in lines[:2]] == [
        (
            "WARNING",
            "app ui://x/y.html of 'one': connect-src refused https://api.example.com. Add "
            "https://api.example.com to connectDomains in the resource's _meta.ui.csp.",
        ),
        ("INFO", "app ui://x/y.html of 'one': script-src eval would be refused by strict"),
    ]
    assert len(lines) == 20
    assert "secret" not in json.dumps([line.getMessage() for line in lines])


@pytest.mark.parametrize(
    "settings", [{"allow_domains": ["*"]}, {"block_domains": "example.com"}, {"allow_domains": [7]}]
)
async def test_a_host_with_a_bad_list_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(settings))):
        Host(**settings)
