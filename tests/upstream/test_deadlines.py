"""One timer for many waits: each ends at its own time, and a cancellation from outside stays one."""

from __future__ import annotations

import asyncio

import pytest
from upstream_contract import PATIENCE

from fanlight.upstream.deadlines import Deadline, Deadlines


def now() -> float:
    return asyncio.get_running_loop().time()


async def wait(deadlines: Deadlines, seconds: float, begun: list[Deadline] | None = None) -> str:
    """Wait for ever; says what ended it, or is cancelled."""
    deadline = deadlines.begin(now() + seconds)
    if begun is not None:
        begun.append(deadline)
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        if not deadlines.end(deadline):
            raise
    finally:
        deadlines.end(deadline)
    await asyncio.sleep(0)  # a task whose wait has ended can wait for something else
    return deadline.reason or "the time"


async def test_each_wait_ends_at_its_own_time() -> None:
    deadlines = Deadlines()
    last, *others = [asyncio.create_task(wait(deadlines, seconds)) for seconds in (3600, 0.02, 0.0, 0.01)]
    async with asyncio.timeout(PATIENCE):
        assert await asyncio.gather(*others) == ["the time"] * 3
    assert not last.done()
    last.cancel()


async def test_a_wait_that_is_moved_ends_later_and_one_that_is_struck_at_once() -> None:
    deadlines, begun = Deadlines(), list[Deadline]()
    tasks = [asyncio.create_task(wait(deadlines, 0.0, begun)) for _ in range(2)]
    await asyncio.sleep(0)
    begun[1].at = now() + 3600
    assert await asyncio.wait_for(tasks[0], PATIENCE) == "the time"
    assert not tasks[1].done()
    deadlines.strike_all("the cable was cut")
    assert await asyncio.wait_for(tasks[1], PATIENCE) == "the cable was cut"


@pytest.mark.parametrize("also_struck", [False, True])
async def test_who_cancels_the_task_cancels_it(also_struck: bool) -> None:
    deadlines, begun = Deadlines(), list[Deadline]()
    task = asyncio.create_task(wait(deadlines, 3600, begun))
    await asyncio.sleep(0)
    if also_struck:
        begun[0].strike("the cable was cut")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, PATIENCE)
