"""Rates and sizes: what a view may want at most, and what it is told beyond that."""

from __future__ import annotations

import logging
import math
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wishes import FILE, scene

from fanlight.errors import ConfigError
from fanlight.host import UNLIMITED, Rate, ViewLimits, allow_all
from fanlight.host.limits import Meter


def test_a_bucket_gives_its_burst_and_then_one_at_a_time() -> None:
    meter = Meter(Rate(3, 2), 0.0)
    assert [meter.take(0.0) for _ in range(3)] == [0, 0, 0]
    assert meter.take(0.0) == pytest.approx(0.5)
    assert meter.take(0.25) == pytest.approx(0.25)
    assert meter.take(0.5) == 0
    assert meter.take(100.0) == 0


@given(st.lists(st.floats(0, 10), max_size=200), st.floats(1, 20), st.floats(0.1, 50))
def test_a_bucket_never_gives_more_than_burst_and_rate_allow(
    steps: list[float], burst: float, per_second: float
) -> None:
    meter, now, given_out = Meter(Rate(burst, per_second), 0.0), 0.0, 0
    for step in steps:
        now += step
        given_out += meter.take(now) == 0
        assert given_out <= burst + now * per_second + 1e-6


@given(st.floats(1, 20), st.floats(0.1, 50))
def test_who_waits_as_long_as_told_gets_a_token(burst: float, per_second: float) -> None:
    meter, now = Meter(Rate(burst, per_second), 0.0), 0.0
    for _ in range(50):
        wait = meter.take(now)
        if wait:
            now += wait + 1e-6
            assert meter.take(now) == 0


def test_limits_that_cannot_be_are_refused() -> None:
    for rate in ((0, 1), (1, 0), (math.nan, 1)):
        with pytest.raises(ConfigError, match="burst"):
            Rate(*rate)
    with pytest.raises(ConfigError, match="download_items"):
        ViewLimits(download_items=0)


def test_unlimited_lifts_every_rate() -> None:
    rates = [getattr(UNLIMITED, entry.name) for entry in fields(ViewLimits)]
    assert all(math.isinf(rate.burst) for rate in rates if isinstance(rate, Rate))
    meter = Meter(UNLIMITED.tool_calls, 0.0)
    assert not any(meter.take(0.0) for _ in range(10_000))


@pytest.mark.parametrize(
    ("limits", "method", "params", "word"),
    [
        ({"message_size": 50}, "ui/message", {"content": [{"type": "text", "text": "x" * 50}]}, "at most 50"),
        (
            {"context_size": 50},
            "ui/update-model-context",
            {"structuredContent": {"x": "y" * 50}},
            "at most 50",
        ),
        ({"state_size": 50}, "fanlight/set-state", {"state": {"x": "y" * 50}}, "at most 50"),
        (
            {"sampling_size": 50},
            "sampling/createMessage",
            {"messages": ["x" * 50], "maxTokens": 1},
            "at most 50",
        ),
        ({"download_size": 1}, "ui/download-file", {"contents": [FILE]}, "at most 1 bytes"),
        ({"download_items": 1}, "ui/download-file", {"contents": [FILE, FILE]}, "at most 1 at once"),
    ],
)
async def test_what_is_too_large_is_refused_with_the_size_that_is_taken(
    limits: dict[str, int], method: str, params: dict[str, Any], word: str
) -> None:
    async with scene(policy=allow_all, limits=ViewLimits(**limits)) as shown:  # type: ignore[arg-type]
        answer = await shown.client.asks(method, params)
        assert answer["error"]["code"] == -32000
        assert word in answer["error"]["message"]
        assert shown.heard == []
        assert shown.host.context_for_next_turn() == []
        assert [entry["decision"] for entry in await shown.close()] == ["deny"]


@pytest.mark.parametrize(
    ("rate", "method", "params"),
    [
        ("reads", "resources/read", {"uri": "file://note"}),
        ("reads", "tools/list", {}),
        ("context_updates", "ui/update-model-context", {"structuredContent": {}}),
        ("state_updates", "fanlight/set-state", {"state": {}}),
    ],
)
async def test_reads_and_updates_have_a_rate_too(rate: str, method: str, params: dict[str, Any]) -> None:
    limits = ViewLimits(**{rate: Rate(1, 0.001)})  # type: ignore[arg-type]
    async with scene(limits=limits) as shown:
        assert "result" in await shown.client.asks(method, params)
        assert (await shown.client.asks(method, params))["error"]["data"]["retryAfter"] > 100
        (entry,) = await shown.close()
        assert (entry["kind"], entry["by"]) == (method, "limit")


async def test_a_flood_of_tool_calls_is_answered_to_the_last_one() -> None:
    limits = ViewLimits(tool_calls=Rate(10, 0.001))
    async with scene(policy=allow_all, limits=limits) as shown:
        numbers = [await shown.client.starts("tools/call", {"name": "plain"}) for _ in range(300)]
        answers = [await shown.client.answer_to(number) for number in numbers]
        assert sum("result" in answer for answer in answers) == 10
        assert {answer["error"]["code"] for answer in answers if "error" in answer} <= {-32000, -32603}


async def test_sizes_beyond_the_rate_are_thinned_but_the_last_one_counts() -> None:
    # So slow that a machine which takes long for fifty messages does not let them all through.
    async with scene(limits=ViewLimits(sizes=Rate(1, 4))) as shown:
        for height in range(100, 150):
            await shown.client.notifies("ui/notifications/size-changed", {"height": height})
        last = await shown.client.until(lambda frame: frame["op"] == "size" and frame["height"] == 149)
        assert last["height"] == 149
        assert len([frame for frame in shown.client.frames if frame["op"] == "size"]) < 40


async def test_logs_go_to_the_logger_with_their_level_bounded_and_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, "fanlight.view")
    async with scene(limits=ViewLimits(logs=Rate(3, 0.001), log_size=40)) as shown:
        for level, data in (("debug", "a\x1b[31m\nforged"), ("notice", {"x": 1}), ("alert", "z" * 100)):
            await shown.client.notifies("notifications/message", {"level": level, "data": data})
        for _ in range(5):
            await shown.client.notifies("notifications/message", {"level": "info", "data": "late"})
        await shown.client.asks("ping")
    lines = [
        (record.levelname, record.getMessage()) for record in caplog.records if record.name == "fanlight.view"
    ]
    assert [level for level, _ in lines] == ["DEBUG", "INFO", "CRITICAL", "WARNING"]
    assert "\x1b" not in lines[0][1]
    assert "\n" not in lines[0][1]
    assert lines[2][1].endswith("… (102 characters)")
    assert "5 log lines" in lines[3][1]
