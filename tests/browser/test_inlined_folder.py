"""A folder with everything, as files and as one document under the strict policy: the same in Chromium."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Frame, Page
from served import WAIT_MS, app_server, served_host, shown, view_frame
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from tiny_font import ADVANCE_EM, tiny_font

from fanlight.host import Host
from fanlight.host.serve import bind_loopback, serving
from fanlight.sandbox import CspLevel, view_policy
from fanlight.server.embedding import embed_runtime
from fanlight.server.inline import inline_folder

pytestmark = pytest.mark.browser


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The view's folder, with its font."""
    copy = Path(shutil.copytree(Path(__file__).with_name("inlined_view"), tmp_path / "view"))
    copy.joinpath("img/tiny.ttf").write_bytes(tiny_font())
    return copy


async def what_it_saw(frame: Frame | Page) -> Any:
    await frame.locator("html[data-done=yes]").wait_for(timeout=WAIT_MS, state="attached")
    return await frame.evaluate("window.seen")


@asynccontextmanager
async def served_files(folder: Path, csp: dict[str, list[str]] | None = None) -> AsyncIterator[str]:
    """The folder as a web server gives it, and as one document under the specification's policy."""
    policy = view_policy(csp, level=CspLevel.STRICT, frame_ancestors="'none'").policy

    def document(request: Request) -> Response:
        return HTMLResponse(inline_folder(folder).html, headers={"Content-Security-Policy": policy})

    routes = [Route("/inlined", document), Mount("/", StaticFiles(directory=folder))]
    async with serving(Starlette(routes=routes), bind_loopback(0)) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.mark.parametrize("level", ["strict", "compat"])
async def test_the_inlined_document_does_what_the_files_do_under_every_policy(
    page: Page, folder: Path, level: str
) -> None:
    async with served_files(folder) as address:
        await page.goto(f"{address}/index.html")
        with_files = await what_it_saw(page)
    assert with_files["wide"] == 2 * 20 * ADVANCE_EM
    bundle = inline_folder(folder)
    async with served_host(host := Host(csp_level=level)) as port:
        server = await host.connect("test", app_server(embed_runtime(bundle.html)))
        call = await server.call_tool("show", {})
        await shown(page, port, call)
        inlined = await what_it_saw(await view_frame(page))
        assert call.view is not None
        assert call.view.violations == []
    assert inlined == with_files


PAGE = "<!doctype html><script>window.seen = [];</script>"
ENTRY = "<script type=module src=a.js></script>"
DONE = "<script type=module>document.documentElement.dataset.done = 'yes'</script>"
GRAPHS: dict[str, dict[str, str]] = {
    "a value that is not there yet": {
        "index.html": ENTRY,
        "a.js": """import { b, f } from './b.js'; export const a = 1; export function g() { return 'g' }
            seen.push(b, f())""",
        "b.js": """import { a, g } from './a.js'; export const b = g(); export const f = () => a
            try { a } catch (error) { seen.push(error.name) }""",
    },
    "an error in a module": {
        "index.html": f"""{ENTRY}
            <script>addEventListener('error', (e) => seen.push(e.message, e.error.name))</script>""",
        "a.js": "import './b.js'; seen.push('never')",
        "b.js": "seen.push('b'); throw new TypeError('broken')",
    },
    "a value that changes": {
        "index.html": ENTRY,
        "a.js": """import { n, set, again } from './b.js'; import * as b from './b.js'
            seen.push(n, again); set(5); seen.push(n, again, b.n, { n }.n, typeof n, `${n}`)
            { let n = 'mine'; seen.push(n) } for (const n of [7]) seen.push(n); seen.push((n => n)(8))""",
        "b.js": "let n = 1; export { n, n as again }; export const set = (value) => { [n] = [value] }",
    },
    "modules that run once, whoever asks": {
        "index.html": f"""{ENTRY}<script>var later = import('./c.js')</script>{ENTRY}
            <script type=module>
              import './a.js'
              seen.push((await later).default, await import('./c.js') === await later)
              document.documentElement.dataset.done = 'yes'
            </script>""",
        "a.js": "import './b.js'; seen.push('a')",
        "b.js": "seen.push('b')",
        "c.js": "export default 'C'",
    },
    "a module that waits": {
        "index.html": ENTRY,
        "a.js": "import { b } from './b.js'; seen.push(b); document.documentElement.dataset.done = 'yes'",
        "b.js": """export let b = 1; await new Promise((done) => setTimeout(done)); b = 2
            for await (const x of [3]) seen.push(x)""",
    },
    "names of all kinds": {
        "index.html": ENTRY,
        "a.js": """import d, * as b from './b.js'; export { x as default } from './b.js'
            seen.push(d(), Object.keys(b).join(), b['a b'], new b.K().k, this, (() => typeof b.f)())""",
        "b.js": """export default function () { return 'd' }
            export const x = 1, { y, z: [w = 2] } = { y: 3, z: [] }
            export class K { k = x }
            export async function f() {}
            const q = 4; export { q as 'a b', q as if }""",
    },
    "a built-in function as an export": {
        "index.html": ENTRY,
        "a.js": "import { later } from './b.js'; seen.push(typeof later(() => {}))",
        "b.js": "export const later = setTimeout",
    },
    "scripts that wait, in the order of the page": {
        "index.html": f"""{ENTRY}<script defer data-x=y src=d.js></script>
            <script type=module>seen.push(it)</script>
            <script>seen.push('first')</script>""",
        "a.js": "import './b.js'; seen.push('a')",
        "b.js": "seen.push('b')",
        "d.js": "var it = 'd</script>'; seen.push(document.currentScript.dataset.x, this === window)",
    },
    "a style sheet as a module": {
        "index.html": f"<p>x{ENTRY}",
        "a.js": """import sheet from './a.css' with { type: 'css' }; document.adoptedStyleSheets = [sheet]
            seen.push(getComputedStyle(document.querySelector('p')).color)""",
        "a.css": "p { color: rgb(4, 5, 6) }",
    },
}


@pytest.mark.parametrize("graph", GRAPHS)
async def test_a_module_graph_means_the_same_without_files(page: Page, tmp_path: Path, graph: str) -> None:
    end = "" if "dataset.done" in "".join(GRAPHS[graph].values()) else DONE
    for name, text in GRAPHS[graph].items():
        (tmp_path / name).write_text(f"{PAGE}{text}{end}" if name == "index.html" else text)
    async with served_files(tmp_path) as address:
        await page.goto(f"{address}/index.html")
        with_files = await what_it_saw(page)
        await page.goto(f"{address}/inlined")
        assert await what_it_saw(page) == with_files
    assert with_files


async def test_a_module_of_another_origin_is_there_before_the_document_is_loaded(
    page: Page, tmp_path: Path
) -> None:
    def far(request: Request) -> Response:
        name = request.path_params["name"]
        return Response(
            f"export const {name} = '{name}'; globalThis.times = (globalThis.times ?? 0) + 1",
            headers={"Content-Type": "text/javascript", "Access-Control-Allow-Origin": "*"},
        )

    loaded = "seen.push('loaded'); document.documentElement.dataset.done = 'yes'"
    async with serving(Starlette(routes=[Route("/{name}.js", far)]), bind_loopback(0)) as port:
        origin = f"http://127.0.0.1:{port}"
        files = {
            "index.html": f"""{PAGE}{ENTRY}{ENTRY}<script>var early = import('./c.js')
                document.addEventListener('DOMContentLoaded', () => {{ {loaded} }})</script>""",
            "a.js": f"import {{ b }} from './b.js'; import {{ x }} from '{origin}/x.js'; seen.push(b, x)",
            "b.js": f"export {{ y as b }} from '{origin}/y.js'",
            "c.js": f"""import {{ x }} from '{origin}/x.js'; import {{ z }} from '{origin}/z.js'
                export default x + z""",
        }
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        async with served_files(tmp_path, {"resourceDomains": [origin]}) as address:
            for path in ("index.html", "inlined"):
                await page.goto(f"{address}/{path}")
                assert await what_it_saw(page) == ["y", "x", "loaded"], path
                assert await page.evaluate("early.then((module) => module.default)") == "xz"
                assert await page.evaluate("times") == 3, "each runs once, whoever asks"
