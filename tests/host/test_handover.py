"""The proxy for foreign hosts, without a browser: who may hand HTML over, how much, how often, how long."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from page_client import WAIT, get, http_client, served

from fanlight.host import Host
from fanlight.host.guard import Refusal
from fanlight.host.handover import HandOver, HandOverLimits, HandOvers

FOREIGN = "http://localhost:8080"
SANDBOX = "sandbox.fanlight.localhost"
NAME = f"{SANDBOX}:9470"
HTML = "<!doctype html><title>æ</title>"


class Clock:
    """A clock that a test turns."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


async def parts(*texts: str | bytes) -> AsyncIterator[bytes]:
    for text in texts:
        yield text.encode() if isinstance(text, str) else text


async def take(
    overs: HandOvers, key: str, length: int | None, *body: str | bytes, name: str = NAME
) -> dict[str, str] | Refusal:
    return await overs.take(name, "http" if name == NAME else "https", key, length, parts(*body))


async def hand(overs: HandOvers, key: str, given: Any, name: str = NAME) -> dict[str, str] | Refusal:
    text = json.dumps(given)
    return await take(overs, key, len(text), text, name=name)


def opened(overs: HandOvers) -> HandOver:
    made = overs.open(NAME, "http")
    assert isinstance(made, HandOver)
    return made


def key_of(page: httpx.Response) -> str:
    return page.text.partition("/apps/proxy/")[2].partition('"')[0]


async def post(port: int, key: str, body: Any, host: str = SANDBOX, **headers: str) -> httpx.Response:
    usual = {
        "Host": f"{host}:{port}",
        "Origin": f"http://{SANDBOX}:{port}",
        "Content-Type": "application/json",
        "Sec-Fetch-Site": "same-origin",
    }
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    kept = {name: value for name, value in {**usual, **sent}.items() if value}
    async with http_client() as client:
        return await client.post(
            f"http://127.0.0.1:{port}/apps/proxy/{key}",
            content=body if isinstance(body, bytes | str) else json.dumps(body),
            headers=kept,
        )


async def test_html_that_is_handed_over_becomes_a_document_with_a_policy_in_its_header() -> None:
    """Holds: R26, R27, R29, R30."""
    host = Host(proxy_for=[FOREIGN], csp_level="strict")
    async with host, served(host) as port:
        page = await get(port, "/apps/proxy", host=SANDBOX)
        policy = page.headers["content-security-policy"]
        assert f"frame-ancestors {FOREIGN};" in policy
        assert f"connect-src http://{SANDBOX}:{port}/apps/proxy/{key_of(page)}" in policy
        given = {
            "html": HTML,
            "csp": {"connectDomains": ["https://api.example.com"]},
            "permissions": {"camera": {}},
        }
        answer = await post(port, key_of(page), given)
        assert answer.status_code == 200
        facts = answer.json()
        assert facts["allow"] == "camera"
        assert facts["viewOrigin"].endswith(f".fanlight.localhost:{port}")
        assert facts["view"].startswith(f"{facts['viewOrigin']}/apps/shell/")
        assert facts["view"] in policy
        name = httpx.URL(facts["viewOrigin"]).host
        shell = await get(port, httpx.URL(facts["view"]).path, host=name)
        assert 'data-sandbox="allow-scripts allow-forms allow-same-origin"' in shell.text
        view_path = httpx.URL(facts["view"]).path.replace("/shell/", "/view/")
        view = await get(port, view_path, host=name)
        assert view.text == HTML
        policy = view.headers["content-security-policy"]
        assert "connect-src https://api.example.com;" in policy
        assert "frame-src 'none';" in policy
        assert f"frame-ancestors {facts['viewOrigin']} http://{SANDBOX}:{port} {FOREIGN}" in policy
        assert "report-uri" not in policy
        assert (await get(port, view_path, host=name)).status_code == 404


async def test_the_same_page_hands_over_once() -> None:
    host = Host(proxy_for=[FOREIGN])
    async with host, served(host) as port:
        key = key_of(await get(port, "/apps/proxy", host=SANDBOX))
        assert (await post(port, key, {"html": HTML})).status_code == 200
        assert (await post(port, key, {"html": "<p>other"})).status_code == 404
        assert (await post(port, "guessed", {"html": HTML})).status_code == 404


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": ""}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": FOREIGN}, 403),
        ({"Origin": "http://sandbox.fanlight.localhost:1"}, 403),
        ({"Origin": "http://fanlight.localhost:{port}"}, 403),
        ({"Origin": "http://v0.fanlight.localhost:{port}"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "application/x-www-form-urlencoded"}, 415),
        ({"host": "fanlight.localhost"}, 403),
        ({"host": f"v{24 * '0'}.fanlight.localhost"}, 403),
        ({"host": "evil.example"}, 421),
    ],
)
async def test_nobody_but_the_proxy_s_own_page_can_hand_over(headers: dict[str, str], status: int) -> None:
    """Also with the key: a view, the host page, another program, a form of another site."""
    host = Host(proxy_for=[FOREIGN])
    async with host, served(host) as port:
        key = key_of(await get(port, "/apps/proxy", host=SANDBOX))
        told = {name: value.replace("{port}", str(port)) for name, value in headers.items()}
        assert (await post(port, key, {"html": HTML}, **told)).status_code == status
        assert (await post(port, key, {"html": HTML})).status_code == 200, "a refusal uses nothing up"


async def test_without_the_setting_there_is_no_proxy_and_never_under_another_name() -> None:
    async with Host() as host, served(host) as port:
        assert (await get(port, "/apps/proxy", host=SANDBOX)).status_code == 404
    async with Host(proxy_for=[FOREIGN]) as host, served(host) as port:
        for name in ("fanlight.localhost", "localhost", "v1.fanlight.localhost"):
            assert (await get(port, "/apps/proxy", host=name)).status_code == 404
        for wanted in ("document", "script", "object", "worker"):
            page = await get(port, "/apps/proxy", host=SANDBOX, **{"Sec-Fetch-Dest": wanted})
            assert page.status_code == 404, wanted


async def test_a_query_changes_nothing() -> None:
    async with Host(proxy_for=[FOREIGN]) as host, served(host) as port:
        page = await get(port, "/apps/proxy?csp=default-src%20*&hosts=http://evil.example", host=SANDBOX)
    assert "evil" not in page.text
    assert "default-src 'none';" in page.headers["content-security-policy"]


@pytest.mark.parametrize("body", [b"{", b"[]", b'"x"', b"{}", b'{"html": 1}', b"\xff", b"[" * 100_000])
async def test_what_is_not_a_document_is_refused_in_words(body: bytes) -> None:
    overs = HandOvers(Host(proxy_for=[FOREIGN]))
    answer = await take(overs, opened(overs).key, len(body), body)
    assert isinstance(answer, Refusal)
    assert answer.status == 400
    assert "sandbox" in answer.text


async def test_sizes_are_bounded_for_one_and_for_all() -> None:
    overs = HandOvers(Host(proxy_for=[FOREIGN]), HandOverLimits(body=100, bodies=150))
    for length in (None, 101):
        answer = await take(overs, opened(overs).key, length, "{}")
        assert isinstance(answer, Refusal)
        assert answer.status == 413
    lied = await take(overs, opened(overs).key, 5, '{"html":', f'"{200 * "x"}"}}')
    assert isinstance(lied, Refusal)
    first, second = opened(overs), opened(overs)
    for made in (first, second):
        assert isinstance(await hand(overs, made.key, {"html": 70 * "x"}), dict)
    # Not fetched yet, and the oldest: who comes later is not kept out by what somebody left here.
    assert overs.get(first.ticket) is None
    assert overs.get(second.ticket) is not None


async def test_as_many_as_ask_for_a_page_keep_nobody_out() -> None:
    overs = HandOvers(Host(proxy_for=[FOREIGN]), HandOverLimits(documents=2))
    first, *others = [opened(overs) for _ in range(1000)]
    assert isinstance(await hand(overs, first.key, {"html": HTML}), dict)
    assert overs.get(first.ticket) is not None
    for made in others[:2]:
        assert isinstance(await hand(overs, made.key, {"html": HTML}), dict)
    assert overs.get(first.ticket) is None
    assert overs.get(others[1].ticket) is not None


async def test_what_is_announced_takes_no_room_and_what_arrived_does() -> None:
    overs = HandOvers(Host(proxy_for=[FOREIGN]), HandOverLimits(body=100, bodies=150))
    arrived, go_on = asyncio.Event(), asyncio.Event()

    async def slow(*before: bytes) -> AsyncIterator[bytes]:
        for part in before:
            yield part
        arrived.set()
        await go_on.wait()
        yield b'{"html": "x"}'

    silent = [asyncio.create_task(overs.take(NAME, "http", opened(overs).key, 100, slow())) for _ in range(3)]
    await asyncio.wait_for(arrived.wait(), WAIT)
    assert isinstance(await hand(overs, opened(overs).key, {"html": 70 * "x"}), dict)
    arrived.clear()
    large = asyncio.create_task(overs.take(NAME, "http", opened(overs).key, 100, slow(80 * b" ")))
    await asyncio.wait_for(arrived.wait(), WAIT)
    full = await hand(overs, opened(overs).key, {"html": 80 * "x"})
    assert isinstance(full, Refusal)
    assert full.status == 503
    go_on.set()
    answers = await asyncio.wait_for(asyncio.gather(*silent, large), WAIT)
    assert all(isinstance(answer, dict) for answer in answers)
    assert isinstance(await hand(overs, opened(overs).key, {"html": 80 * "x"}), dict), (
        "the room is free again"
    )


async def test_a_body_that_does_not_come_is_given_up() -> None:
    overs = HandOvers(Host(proxy_for=[FOREIGN]), HandOverLimits(pickup=0.01))

    async def never() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.Event().wait()

    answer = await asyncio.wait_for(overs.take(NAME, "http", opened(overs).key, 100, never()), WAIT)
    assert isinstance(answer, Refusal)
    assert answer.status == 400


async def test_a_key_and_a_document_hold_for_a_while_only() -> None:
    clock = Clock()
    overs = HandOvers(Host(proxy_for=[FOREIGN]), HandOverLimits(patience=10, pickup=5), clock)
    first, second = opened(overs), opened(overs)
    clock.now = 9.0
    assert isinstance(await hand(overs, first.key, {"html": HTML}), dict)
    clock.now = 11.0
    late = await hand(overs, second.key, {"html": HTML})
    assert isinstance(late, Refusal)
    assert late.status == 404
    assert overs.get(first.ticket) is not None
    clock.now = 15.0
    assert overs.get(first.ticket) is None


async def test_a_key_cannot_be_made_changed_or_used_elsewhere() -> None:
    host = Host(proxy_for=[FOREIGN])
    overs = HandOvers(host)
    key = opened(overs).key
    number, until, proof = key.split(".")
    forged = [
        f"{number}.{int(until) + 1}.{proof}", f"{number[:-1]}x.{until}.{proof}", f"{number}.{until}.",
        f"{number}.{until}", number, "", "..", "\udcff.1.2", opened(HandOvers(host)).key,
    ]  # fmt: skip
    for each in forged:
        assert isinstance(await hand(overs, each, {"html": HTML}), Refusal), each
    text = json.dumps({"html": HTML})
    elsewhere = await overs.take("sandbox.localhost:9470", "http", key, len(text), parts(text))
    assert isinstance(elsewhere, Refusal)
    assert isinstance(await hand(overs, key, {"html": HTML}), dict)


@pytest.mark.parametrize(
    ("wanted", "kept", "origin"),
    [
        (None, "allow-scripts allow-forms allow-same-origin", True),
        ("allow-same-origin allow-scripts allow-modals", "allow-scripts allow-same-origin", True),
        ("allow-scripts", "allow-scripts", False),
        ("", "", False),
    ],
)
async def test_flags_of_the_host_only_take_away(wanted: str | None, kept: str, origin: bool) -> None:
    overs = HandOvers(Host(proxy_for=[FOREIGN]))
    made = opened(overs)
    facts = await hand(overs, made.key, {"html": HTML, "sandbox": wanted})
    assert isinstance(facts, dict)
    assert facts["sandbox"] == kept
    assert (facts["viewOrigin"] != "null") is origin
    filled = overs.get(made.ticket)
    assert filled is not None
    assert ("sandbox allow-scripts" in filled.csp.policy) is not origin
    assert facts["view"] in made.proxy_csp


async def test_no_two_hand_overs_share_an_origin_a_key_or_a_ticket() -> None:
    overs = HandOvers(Host(proxy_for=[FOREIGN]))
    made = [opened(overs) for _ in range(3)]
    for name in ("view_origin", "key", "ticket"):
        assert len({getattr(one, name) for one in made}) == 3
    assert not any(one.key in one.view_url or one.ticket in one.url for one in made)


async def test_an_opaque_deployment_shows_opaque_views_to_foreign_hosts_too() -> None:
    host = Host(
        public_url="https://chat.example.com",
        sandbox_url="https://box.example.net",
        proxy_for=["https://h.example"],
    )
    overs = HandOvers(host)
    made = overs.open("box.example.net", "https")
    assert isinstance(made, HandOver)
    facts = await hand(overs, made.key, {"html": HTML}, "box.example.net")
    assert isinstance(facts, dict)
    assert (facts["viewOrigin"], facts["shell"]) == ("null", "")
    assert facts["view"].startswith("https://box.example.net/apps/view/")
    filled = overs.get(made.ticket)
    assert filled is not None
    assert "sandbox allow-scripts" in filled.csp.policy
