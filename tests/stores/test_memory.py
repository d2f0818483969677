"""The memory store keeps the contract, and keeps by reference."""

from __future__ import annotations

from typing import Any

from store_contract import Clock, StoreContract

from fanlight.stores import MemoryStore, ViewStore


class TestMemoryStore(StoreContract):
    def make(self, *, max_views: int = 100, max_age: float = 1000.0, clock: Clock | None = None) -> ViewStore:
        return MemoryStore(max_views=max_views, max_age=max_age, clock=clock or Clock())


async def test_a_large_result_is_not_copied() -> None:
    result: dict[str, Any] = {"content": [{"type": "text", "text": "x" * 1000}]}
    store = MemoryStore()
    await store.save("v1", {"result": result})
    loaded = await store.load("v1")
    assert loaded is not None
    assert loaded["result"] is result


async def test_a_host_that_closes_leaves_it_usable_for_the_next() -> None:
    store = MemoryStore()
    await store.save("v1", {"n": 1})
    await store.aclose()
    assert await store.load("v1") == {"n": 1}
