"""What `fanlight new` writes, in the page of a host that asks before a view may change something."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Page, expect
from served import WAIT_MS, served_host, shown, until, view_frame
from test_dialog import DIALOG

from fanlight.host import Host
from fanlight.scaffold import write_project
from fanlight.workbench.reloading import forget_modules


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    path = list(sys.path)
    write_project("my-dice", tmp_path)
    yield tmp_path / "my-dice"
    sys.path[:] = path
    forget_modules([tmp_path])


async def test_the_dice_of_a_new_project_are_rolled_again_without_a_question(
    page: Page, project: Path
) -> None:
    host = Host()
    answered: list[str] = []
    host.tap.listen(
        lambda record: answered.append(str(record.message)) if "in all" in str(record.message) else None
    )
    async with served_host(host) as port:
        server = await host.connect("my-dice", str(project / "server.py"))
        await shown(page, port, await server.call_tool("roll_dice", {"count": 4}))
        frame = await view_frame(page)
        await expect(frame.locator("#dice li")).to_have_count(4, timeout=WAIT_MS)
        told = len(answered)
        await frame.get_by_role("button", name="Roll again").click()
        await until(lambda: len(answered) > told)
        await expect(frame.get_by_role("button", name="Roll again")).to_be_enabled(timeout=WAIT_MS)
        await expect(page.locator(DIALOG)).to_have_count(0)
        await expect(frame.get_by_role("status")).to_contain_text("in all", timeout=WAIT_MS)
