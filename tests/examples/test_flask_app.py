"""The Flask example in a real browser: the page is Flask's, the frames are the host's own."""

from __future__ import annotations

import asyncio
import importlib.util
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import Page, expect
from served import view_frame
from werkzeug.serving import make_server

from fanlight import Host

EXAMPLE = Path(__file__).parents[2] / "examples" / "flask_app.py"
WAIT_MS = 20_000


@contextmanager
def flask_served(**settings: Any) -> Iterator[int]:
    """The example on a free port, with the host that it makes for itself."""
    spec = importlib.util.spec_from_file_location("flask_example", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port: int = listener.getsockname()[1]
        pages = [f"http://localhost:{port}", f"http://127.0.0.1:{port}"]
        with Host.sync(name="my-flask", pages=pages, **settings) as host:
            host.connect("clock", "fanlight.demos.clock:server")
            app = module.create_app(host)
            server = make_server("127.0.0.1", port, app, threaded=True, fd=listener.fileno())
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            try:
                yield port
            finally:
                server.shutdown()
                thread.join(10)
                server.server_close()


async def click(page: Page, address: str) -> list[str]:
    await page.goto(address)
    await expect(page.locator("#text")).to_contain_text("in Europe/Oslo", timeout=WAIT_MS)
    await page.locator('fanlight-view[data-verdict="ok"]').wait_for(timeout=WAIT_MS)
    view = await view_frame(page)
    await view.get_by_role("button", name="Ask the server").click()
    await expect(view.locator("#history li")).to_have_count(2, timeout=WAIT_MS)
    return [frame.url for frame in page.frames]


async def test_the_view_in_a_flask_page_is_clicked_and_answers(page: Page) -> None:
    with flask_served() as port:
        _, proxy, _, view = await click(page, f"http://localhost:{port}/")
        assert proxy.startswith("http://sandbox.localhost:")
        assert view.partition(".")[2].startswith("localhost:")
        assert f":{port}/" not in proxy + view
        await page.get_by_label("Time zone", exact=True).first.fill("Asia/Tokyo")
        await page.get_by_role("button", name="Show").click()
        await expect(page.locator("#text")).to_contain_text("in Asia/Tokyo", timeout=WAIT_MS)


async def test_the_page_may_be_opened_by_address_and_views_may_be_opaque(page: Page) -> None:
    """For a browser that does not resolve *.localhost."""
    with flask_served(page_name="127.0.0.1") as port:
        _, proxy, view = await click(page, f"http://127.0.0.1:{port}/")
        assert proxy.startswith("http://localhost:")
        assert view.startswith("http://localhost:")
        assert await page.frames[2].evaluate("self.origin") == "null"


async def test_another_page_on_this_machine_gets_nothing(page: Page) -> None:
    """The tag, copied into a page of another port, with a token that is right."""
    with flask_served() as port:
        response = await page.request.get(f"http://localhost:{port}/")
        tag = (await response.text()).partition('<script type="module"')[2]

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            body = f'<!doctype html><script type="module"{tag}'.encode()
            head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            writer.close()

        refused: list[str] = []
        page.on("requestfailed", lambda request: refused.append(request.url))
        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            foreign = server.sockets[0].getsockname()[1]
            async with page.expect_event("requestfailed", timeout=WAIT_MS):
                await page.goto(f"http://localhost:{foreign}/")
            assert [address.rpartition("/")[2] for address in refused] == ["host.js"]
            assert len(page.frames) == 1
