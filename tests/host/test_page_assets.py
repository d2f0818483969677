"""What pages load of ours: one answer for the page of a view, and a script that a browser may keep."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest
from page_client import get, http_client, served

from fanlight.host import Host
from fanlight.runtime import read_asset


async def test_the_page_of_a_view_is_whole_in_one_answer_and_its_policy_names_what_is_in_it() -> None:
    async with served(Host()) as port:
        response = await get(port, "/apps/page")
    assert re.findall(r'<(?:script|link)[^>]* (?:src|href)="([^"]*)"', response.text) == ["data:,"]
    policy = response.headers["content-security-policy"]
    for kind, tag in (("script", "<script>"), ("script", '<script type="module">'), ("style", "<style>")):
        inside = response.text.partition(tag)[2].partition(f"</{kind}>")[0]
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy.partition(f"{kind}-src ")[2].partition(";")[0]


async def test_the_types_of_a_views_script_are_beside_it() -> None:
    async with served(Host()) as port:
        types = await get(port, "/apps/view.d.ts")
    assert types.status_code == 200
    assert types.headers["content-type"].startswith("text/plain")
    assert types.content == read_asset("view.d.ts")


@pytest.mark.parametrize("name", ["host.js", "view.js"])
async def test_a_script_that_a_browser_has_is_not_sent_again(name: str) -> None:
    async with served(Host()) as port, http_client() as client:
        address, host = f"http://127.0.0.1:{port}/apps/{name}", {"Host": f"localhost:{port}"}
        first = await client.get(address, headers=host)
        again = await client.get(address, headers={**host, "If-None-Match": f"W/{first.headers['etag']}"})
        other = await client.get(address, headers={**host, "If-None-Match": '"another"'})
    assert (first.status_code, again.status_code, other.status_code) == (200, 304, 200)
    assert again.content == b""
    assert again.headers["etag"] == first.headers["etag"]
    assert other.content == first.content


@pytest.mark.parametrize("name", ["link.js", "page.js", "page.css", "sandbox.js", "bundle.py"])
async def test_no_other_file_of_the_runtime_has_an_address(name: str) -> None:
    async with served(Host()) as port:
        assert (await get(port, f"/apps/{name}")).status_code == 404
