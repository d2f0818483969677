"""The official TypeScript client and the published helpers read servers that are written with the kit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

DRIVER = Path(__file__).parent / "node" / "drivers" / "client_driver.mjs"
KIT_SERVER = Path(__file__).parents[1] / "server" / "kit_server.py"
WEATHER = "ui://kit/weather.html"
SDKS = ["mcpserver", "extension", "lowlevel", "fastmcp"]
MCP1 = Path(__file__).resolve().parents[2] / ".venv-mcp1" / "bin" / "python"


def looked_at(node: str, *command: str) -> dict[str, Any]:
    run = subprocess.run(
        [node, str(DRIVER), *command],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        encoding="utf-8",
    )
    assert run.returncode == 0, run.stderr[-3000:]
    seen: dict[str, Any] = json.loads(run.stdout)
    return seen


@pytest.mark.parametrize("sdk", [*SDKS, "sdk1"])
def test_the_official_client_finds_every_app(sdk: str, node: str, peers: Path) -> None:
    """Holds: R01, R02, R03, R04, R07, R10."""
    python = str(MCP1) if sdk == "sdk1" else sys.executable
    seen = looked_at(node, python, str(KIT_SERVER), sdk)
    tools, resources, results = seen["tools"], seen["resources"], seen["results"]
    assert tools["show_weather"] == {"uri": WEATHER, "appOnly": False, "modelOnly": False}
    assert tools["refresh"] == {"uri": WEATHER, "appOnly": True, "modelOnly": False}
    assert all(found["listed"] and found["mimeType"] for found in resources.values())
    weather = resources[WEATHER]
    assert weather["allow"] == "geolocation"
    assert weather["csp"] == {"connectDomains": ["https://api.example.com"]}
    assert '<p id="degrees">' in weather["html"]
    assert results["summary"]["content"] == [{"type": "text", "text": "see the chart"}]
    assert results["summary"]["structuredContent"] == {"rows": [1, 2]}
    assert all(result["content"][0]["text"] for result in results.values())
