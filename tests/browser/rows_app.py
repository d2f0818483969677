"""An app that draws its rows while they are written, and says what it was told of its call."""

from __future__ import annotations

from typing import Any

from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer

HTML = """<!doctype html><title>rows</title><ol id="rows"></ol><p id="state">waiting</p>
<script>
  const seen = (window.seen = []);
  const draw = ({rows = []}) => document.getElementById("rows").replaceChildren(...rows.map((row) =>
    Object.assign(document.createElement("li"), {textContent: row.name ?? ""})));
  const say = (text) => { document.getElementById("state").textContent = text };
  addEventListener("message", ({data}) => {
    if (data.id === 0)
      parent.postMessage({jsonrpc: "2.0", method: "ui/notifications/initialized", params: {}}, "*");
    const name = (data.method ?? "").split("/").pop();
    if (!name.startsWith("tool-")) return;
    seen.push(name);
    if (name === "tool-input-partial") { draw(data.params.arguments); say("writing"); }
    if (name === "tool-input") { draw(data.params.arguments); say("complete"); }
    if (name === "tool-result") say(data.params.content[0].text);
    if (name === "tool-cancelled") say("cancelled: " + data.params.reason);
  });
  parent.postMessage({jsonrpc: "2.0", id: 0, method: "ui/initialize", params: {
    appInfo: {name: "rows", version: "1"}, appCapabilities: {}, protocolVersion: "2026-01-26"}}, "*");
</script>"""


def rows_server(calls: list[Any]) -> MCPServer[Any]:
    apps = Apps()
    apps.add_html_resource("ui://rows/view.html", HTML)

    @apps.tool(resource_uri="ui://rows/view.html")
    def show(rows: list[dict[str, str]]) -> str:
        calls.append(rows)
        return f"{len(rows)} rows"

    return MCPServer("rows", extensions=[apps])
