"""Two official example views on servers that are written with the kit, in place of their Node servers.

A person does in them what `official_apps` says of the originals, and the same comes of it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from fastmcp import FastMCP
from mcp.server.mcpserver import MCPServer
from official_apps import APPS
from playwright.async_api import Page
from test_official_servers import first_text, sees, take, workbench
from watching import colours_in, picture

from fanlight.server import App, AppResource, Reply, reply

STAGES = {"Seed": 40, "Series A": 30, "Growth": 20}
CATEGORIES = [
    {"id": "marketing", "name": "Marketing", "color": "#3b82f6", "defaultPercent": 25},
    {"id": "engineering", "name": "Engineering", "color": "#10b981", "defaultPercent": 45},
    {"id": "rd", "name": "R&D", "color": "#8b5cf6", "defaultPercent": 30},
]
ROWS = {app.name: app for app in APPS}


def tell_the_time(server: Any, document: Path) -> None:
    app = App("ui://get-time/view.html", AppResource.file(document, runtime=False), title="Time")

    @app.tool(server, name="get-time")
    def get_time() -> Reply:
        """The server's time."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return reply(now, data={"time": now})


def allocate_a_budget(server: Any, document: Path) -> None:
    app = App("ui://budget/view.html", AppResource.file(document, runtime=False), title="Budget")

    @app.tool(server, name="get-budget-data")
    def get_budget_data() -> Reply:
        """The budget, its history and what others spend."""
        shares = {category["id"]: category["defaultPercent"] for category in CATEGORIES}
        history = [{"month": f"2026-{month:02}", "allocations": shares} for month in range(1, 13)]
        benchmarks = [
            {
                "stage": stage,
                "categoryBenchmarks": {key: {"p25": low, "p50": low + 5, "p75": low + 9} for key in shares},
            }
            for stage, low in STAGES.items()
        ]
        config = {
            "categories": CATEGORIES,
            "presetBudgets": [100_000, 250_000],
            "defaultBudget": 100_000,
            "currency": "USD",
            "currencySymbol": "$",
        }
        analytics = {
            "history": history,
            "benchmarks": benchmarks,
            "stages": list(STAGES),
            "defaultStage": "Series A",
        }
        text = f"A budget of $100,000 for {', '.join(str(category['name']) for category in CATEGORIES)}."
        return reply(text, data={"config": config, "analytics": analytics})


@pytest.mark.parametrize("new_server", [MCPServer, FastMCP])
@pytest.mark.parametrize(
    ("name", "written"), [("basic-vanillajs", tell_the_time), ("budget-allocator", allocate_a_budget)]
)
async def test_an_official_view_does_not_notice_that_its_server_is_python(
    name: str, written: Callable[[Any, Path], None], new_server: Any, page: Page, peers: Path
) -> None:
    """Holds: R07, R10."""
    document = peers / "@modelcontextprotocol" / f"server-{name}" / "dist" / "mcp-app.html"
    server = new_server(name)
    written(server, document)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    app = ROWS[name]
    async with workbench(page, app, server) as bench:
        for text in app.shows:
            await sees(bench.frame, text.format(result=first_text(bench.result)))
        for canvas in app.paints:
            assert await colours_in(bench.frame, await picture(bench.frame, canvas)) > 1, canvas
        for step in app.steps:
            await take(step, bench)
        assert bench.view.violations == []
        assert complaints == []
