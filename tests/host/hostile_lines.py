"""A server over pipes that no SDK wrote: its answers are text, so it may say what is no good JSON."""

from __future__ import annotations

import json
import os
import sys

DEEP = "[" * 10_000 + "]" * 10_000
RESULTS = {
    "deep": f'{{"content":[],"structuredContent":{{"x":{DEEP}}}}}',
    "nan": '{"content":[],"structuredContent":{"x":NaN,"y":-Infinity}}',
    "list": "[1,2]",
    "broken": '{"content":',
    "pid": f'{{"content":[{{"type":"text","text":"{os.getpid()}"}}]}}',
}
LINKS = {"show": "ui://h/v", "never": "ui://h/never"}
TOOLS = [
    *({"name": name, "inputSchema": {"type": "object"}} for name in RESULTS),
    *({"name": name, "_meta": {"ui": {"resourceUri": uri}}} for name, uri in LINKS.items()),
]
PAGE = {"uri": "ui://h/v", "mimeType": "text/html;profile=mcp-app", "text": "<!doctype html>hostile"}


def result_of(message: dict[str, object]) -> str:
    params = message.get("params")
    match message["method"]:
        case "initialize":
            info = {"name": "hostile", "version": "1"}
            capabilities: dict[str, object] = {"tools": {}, "resources": {}}
            return json.dumps(
                {"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info}
            )
        case "tools/list":
            return json.dumps({"tools": TOOLS})
        case "resources/read" if isinstance(params, dict) and params["uri"] == LINKS["never"]:
            return ""
        case "resources/read":
            return json.dumps({"contents": [PAGE]})
        case "tools/call" if isinstance(params, dict):
            return RESULTS.get(str(params["name"]), '{"content":[]}')
    return "{}"


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        result = result_of(message) if "id" in message else ""
        if result:
            sys.stdout.write(f'{{"jsonrpc":"2.0","id":{json.dumps(message["id"])},"result":{result}}}\n')
            sys.stdout.flush()


if __name__ == "__main__":
    main()
