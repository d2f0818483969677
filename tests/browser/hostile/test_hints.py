"""What no Content-Security-Policy governs: WebRTC, names looked up ahead, connections opened ahead.

Measured with listeners for datagrams and bare connections and with the browser's own net log, in a browser
that looks ahead. That the measurement sees what it is about is shown first, with the wall away.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from arena import OPAQUE, OWN_ORIGIN, arena
from edits import drop_header
from fighting import AHEAD, COOKIES, look_ahead
from playwright.async_api import Browser


async def test_without_the_connection_allowlist_all_of_it_gets_out(browser: Browser, tmp_path: Path) -> None:
    edits = [drop_header(path, "connection-allowlist") for path in ("/view/", "/shell/")]
    async with arena(OWN_ORIGIN, edits=edits) as place:
        # Names reach no listener; the net log has them.
        awaited = set(AHEAD) - {"dns-prefetch"}
        found = await look_ahead(place, browser, tmp_path, awaited=awaited)
    assert set(found.through()) == {*AHEAD, *COOKIES}


@pytest.mark.parametrize("name", [OWN_ORIGIN, OPAQUE], ids=["own-origin", "opaque"])
async def test_no_peer_no_name_and_no_connection_gets_out(
    name: str, browser: Browser, tmp_path: Path
) -> None:
    """Holds: R15, R62."""
    async with arena(name) as place:

        def the_neighbour_is_shown() -> None:
            neighbour, *_ = place.views
            assert neighbour.session is not None, neighbour.verdict

        found = await look_ahead(place, browser, tmp_path, while_it_lives=the_neighbour_is_shown)
        assert place.hostile.listener.hits == []
    # In development views live under the page's name; an opaque one has no cookies.
    assert set(found.through()) == (set(COOKIES) if name == OWN_ORIGIN else set())
