"""How soon does a view speak, and what does it carry? `view.js` beside the official bundle, in one Chromium.

Each is inlined into the same small document, as every view carries it, and shown in a frame of a page that
answers as a host. Timed from the document's first script (before the runtime is parsed) until the page hears
`initialized`. Each start has a fresh profile, so nothing is compiled yet. Launches alternate.
"""

from __future__ import annotations

import asyncio
import gzip
import re
import sys
from pathlib import Path

from _beside import p50, p99
from playwright.async_api import Browser

from fanlight.runtime import read_asset
from fanlight.testing.chromium import launch

STARTS = int(sys.argv[1]) if len(sys.argv) > 1 else 25
OFFICIAL = Path(__file__).parents[1] / (
    "tests/interop/node/node_modules/@modelcontextprotocol/ext-apps/dist/src/app-with-deps.js"
)
HOST = """<!doctype html><meta charset=utf-8><body><script>
const clock = () => performance.timeOrigin + performance.now();
const start = (html) => new Promise((done) => {
  const frame = document.createElement("iframe");
  let began;
  frame.setAttribute("sandbox", "allow-scripts");
  addEventListener("message", ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    if (data.began) began = data.began;
    else if (data.method === "ui/notifications/initialized") done(clock() - began);
    else if (data.method === "ui/initialize") source.postMessage({ jsonrpc: "2.0", id: data.id, result: {
      protocolVersion: "2026-01-26", hostInfo: { name: "bench", version: "1" },
      hostCapabilities: {}, hostContext: {},
    } }, "*");
  });
  frame.srcdoc = html;
  document.body.append(frame);
});
</script></body>"""
VIEW = """<!doctype html><html lang=en><head><meta charset=utf-8><title>Bench</title>
<script>parent.postMessage({ began: performance.timeOrigin + performance.now() }, "*");</script>
%s</head><body><h1>A view</h1></body></html>"""


def official_bundle() -> str:
    """The published file; its last statement, the exports, becomes what its users write."""
    if not OFFICIAL.exists():
        sys.exit("the npm peers are missing: `make bench` installs them")
    text = OFFICIAL.read_text("utf-8")
    exports = re.search(r"export\{[^}]*?([\w$]+) as App\};?\s*$", text)
    if exports is None:
        sys.exit(f"{OFFICIAL.name} no longer ends with an export of App")
    return f'{text[: exports.start()]}new {exports[1]}({{name: "Bench", version: "1"}}, {{}}).connect();'


async def one_start(browser: Browser, html: str) -> float:
    context = await browser.new_context()
    try:
        page = await context.new_page()
        await page.set_content(HOST)
        return float(await page.evaluate("(html) => start(html)", html))
    finally:
        await context.close()


async def main() -> int:
    runtimes = {
        "view.js": (read_asset("view.js").decode(), "<script>{}</script>"),
        "official": (official_bundle(), '<script type="module">{}</script>'),
    }
    documents = {name: VIEW.replace("%s", tag.replace("{}", text)) for name, (text, tag) in runtimes.items()}
    times: dict[str, list[float]] = {name: [] for name in runtimes}
    async with launch() as browser:
        for html in documents.values():
            await one_start(browser, html)  # the browser itself warms up
        for _ in range(STARTS):
            for name, html in documents.items():
                times[name].append(await one_start(browser, html))
    print(f"{STARTS} starts each")
    print(f"{'':<34}{'view.js':>10}{'official':>10}{'ratio':>8}")
    sizes = {name: text.encode() for name, (text, _) in runtimes.items()}
    row("bytes", *(len(size) for size in sizes.values()))
    row("bytes, gzip -9", *(len(gzip.compress(size, 9)) for size in sizes.values()))
    row("document to initialized, p50 ms", *(p50(rows) for rows in times.values()))
    row("document to initialized, p99 ms", *(p99(rows) for rows in times.values()))
    return 0


def row(name: str, ours: float, theirs: float) -> None:
    digits = 0 if ours > 100 else 1
    print(f"{name:<34}{ours:>10.{digits}f}{theirs:>10.{digits}f}{theirs / ours:>8.1f}")


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
