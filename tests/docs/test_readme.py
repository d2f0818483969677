"""The README's example is the file in `examples/`, and it runs."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from playwright.async_api import Page, expect
from served import WAIT_MS, view_frame

from fanlight.host.serve import bind_loopback, serving

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "embed.py"


def test_the_readme_shows_the_example_word_for_word() -> None:
    assert f"```python\n{EXAMPLE.read_text()}```" in (ROOT / "README.md").read_text()


async def test_the_embed_example_shows_its_view(page: Page) -> None:
    spec = importlib.util.spec_from_file_location("embed_example", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    app = module.app
    async with app.router.lifespan_context(app), serving(app, bind_loopback(0)) as port:
        await page.goto(f"http://localhost:{port}/")
        await expect(page.get_by_text("in Europe/Oslo.")).to_be_visible(timeout=WAIT_MS)
        await page.locator('fanlight-view[data-verdict="ok"]').wait_for(timeout=WAIT_MS)
        frame = await view_frame(page)
        await expect(frame.locator("#zone")).to_contain_text("Europe/Oslo", timeout=WAIT_MS)
        await frame.get_by_role("button", name="Ask the server").click()
        await expect(frame.locator("#history li")).to_have_count(2, timeout=WAIT_MS)
