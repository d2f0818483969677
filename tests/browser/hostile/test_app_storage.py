"""Storage belongs to the app: the server and the resource. It is nobody else's, and it survives a reload."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import served
from arena import OPAQUE, OWN_ORIGIN, Arena, arena
from playwright.async_api import Page

from fanlight.host import Host


async def settled(place: Arena, after: str = "") -> dict[str, Any]:
    """What the neighbour tells of itself, once it is another document than the one with the mark `after`."""
    await place.news.until(lambda: place.hostile.neighbour.get("mark", after) != after)
    return place.hostile.neighbour


async def test_an_app_finds_its_storage_again_after_a_reload_and_in_another_view(page: Page) -> None:
    async with arena(OWN_ORIGIN) as place:
        await place.view("neighbour")
        await place.open(page)
        first = await settled(place)
        await page.reload()
        second = await settled(place, first["mark"])
        place.views.clear()
        await place.view("neighbour")
        await place.open(page)
        third = await settled(place, second["mark"])
    assert first["before"] == ""
    assert second["before"] == first["mark"]
    assert third["before"] == second["mark"]


async def test_the_same_resource_of_another_server_is_another_app(page: Page) -> None:
    async with arena(OWN_ORIGIN) as place:
        await place.view("neighbour")
        await place.open(page)
        first = await settled(place)
        place.views.clear()
        await place.view("neighbour", server="another")
        await place.open(page)
        other = await settled(place, first["mark"])
    assert other["before"] == ""


async def test_an_opaque_app_has_no_storage_to_share(page: Page) -> None:
    async with arena(OPAQUE) as place:
        await place.view("neighbour")
        await place.open(page)
        first = await settled(place)
        await page.reload()
        second = await settled(place, first["mark"])
    assert second["before"] == ""


KEEPER = """<!doctype html><p id="found"></p><script type="module">
document.querySelector("#found").textContent = localStorage.getItem("secret") ?? "nothing";
localStorage.setItem("secret", "FOLDER");
const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
addEventListener("message", (event) => {
  if (event.data.id === 1 && event.data.result) post({ method: "ui/notifications/initialized", params: {} });
});
const appInfo = { name: "keeper", version: "1" };
const params = { protocolVersion: "2026-01-26", appInfo, appCapabilities: {} };
post({ id: 1, method: "ui/initialize", params });
</script>"""


async def test_a_server_of_the_same_name_from_elsewhere_is_another_server(page: Page, tmp_path: Path) -> None:
    """The name is made from the target, so a stranger's server can have the name of a trusted one."""
    for folder in ("good", "evil"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "server.py").write_text(
            f"import sys; sys.path.insert(0, {str(Path(served.__file__).parent)!r})\n"
            f"from served import app_server\nserver = app_server({KEEPER.replace('FOLDER', folder)!r})\n"
        )
    found = []
    host = Host()
    async with served.served_host(host) as port:
        for folder in ("good", "evil", "good"):
            server = await host.connect("server", str(tmp_path / folder / "server.py"))
            await served.shown(page, port, await server.call_tool("show"))
            found.append(await (await served.view_frame(page)).locator("#found").text_content())
            await server.aclose()
    assert found == ["nothing", "nothing", "good"]
