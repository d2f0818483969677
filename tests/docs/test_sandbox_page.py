"""docs/sandbox.md: its settings work, its script is the one that is tested, its numbers are the real ones."""

from __future__ import annotations

import re
from typing import Any

import pytest
from doc_code import DOCS, run_page

from fanlight import Host
from fanlight.errors import ConfigError
from fanlight.host.handover import HandOverLimits
from fanlight.runtime import read_asset

TEXT = (DOCS / "sandbox.md").read_text("utf-8")
HOST_PAGE = DOCS.parent / "tests" / "interop" / "hosts" / "bridge_host.mjs"


def test_the_settings_of_the_page_are_taken() -> None:
    code = run_page("sandbox.md")
    origins = code["host"].addresses.origins
    chosen = code["host"].addresses.domain_origin("weather", "weather.example.org", origins)
    assert chosen == "https://weather.apps.example.net"
    assert f"served at `{chosen}`" in TEXT
    (for_chat,) = code["proxy"].addresses.proxy_origins("sandbox.example.net", "https")
    assert for_chat.host == "https://chat.example.com"
    assert code["elsewhere"].addresses.origins.sandbox == "https://proxy.example.net"


def test_the_script_of_the_page_is_the_one_that_is_tested() -> None:
    (script,) = re.findall(r"```javascript\n(.*?)```", TEXT, re.DOTALL)
    assert script in HOST_PAGE.read_text("utf-8")


def test_the_numbers_of_the_page_are_the_real_ones() -> None:
    limits = HandOverLimits()
    assert (
        f"{limits.body >> 20} MiB each, {limits.bodies >> 20} MiB and {limits.documents:,} documents together"
        in TEXT
    )
    assert (limits.patience, limits.pickup) == (300, 60)
    assert "const MOST_WAITING = 1000;" in read_asset("sandbox.js").decode()
    assert "at most 1,000 messages" in TEXT


@pytest.mark.parametrize(
    "change",
    [
        {"sandbox_url": "https://chat.example.com/sandbox"},
        {"pages": ["https://sandbox.example.net"]},
        {"proxy_for": ["https://sandbox.example.net"]},
        {"public_url": f"http://v{24 * '0'}.views.example.net:8000"},
        {"sandbox_url": "https://chat.example.com."},
        {"sandbox_url": "https://chat.example.com:0443"},
        {"sandbox_url": "http://sandbox.example.net"},
        {"sandbox_url": None, "view_url": None, "sandbox_proxy": "https://chat.example.com:8443/p.html"},
    ],
    ids=str,
)
def test_what_the_page_says_is_refused_is_refused(change: dict[str, Any]) -> None:
    settings: dict[str, Any] = {
        "public_url": "https://chat.example.com",
        "sandbox_url": "https://sandbox.example.net",
        "view_url": "https://{app}.views.example.net",
    }
    Host(**settings)
    with pytest.raises(ConfigError):
        Host(**settings | change)
