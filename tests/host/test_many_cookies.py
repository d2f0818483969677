"""What a stranger can make the server read of cookies before it is known who he is."""

from __future__ import annotations

from typing import Any

import pytest

from fanlight.host import serve
from fanlight.host.serve import ServeLimits, _fewer_cookies

PASS = b"fanlight_pass_9470=ours"


def handshake(cookies: bytes) -> list[tuple[bytes, bytes]]:
    return [(b"host", b"fanlight.localhost:9470"), (b"cookie", cookies)]


def test_a_megabyte_of_cookies_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Adding up what is kept for each of half a million cookies took the event loop for 25 seconds."""
    added = 0

    def counting(numbers: Any) -> int:
        nonlocal added
        total = 0
        for number in numbers:
            added += 1
            total += number
        return total

    monkeypatch.setattr(serve, "sum", counting, raising=False)
    count = 20_000
    assert 2 * count < ServeLimits().head_size
    headers = dict(_fewer_cookies(handshake(b"x=" + b"a" * 5000 + b";a" * count + b"; " + PASS)))
    assert added <= 2 * count
    assert headers[b"cookie"].startswith(PASS)
    assert len(headers[b"cookie"]) <= 4096


@pytest.mark.parametrize("cookies", [b"", b";" * 5000, b"; ; ;" * 2000 + PASS])
def test_parts_without_a_cookie_are_left_out(cookies: bytes) -> None:
    headers = dict(_fewer_cookies(handshake(cookies)))
    assert len(headers[b"cookie"]) <= 4096
    assert (PASS in headers[b"cookie"]) is (PASS in cookies)
