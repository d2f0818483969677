"""The memory store keeps the contract, and keeps by reference."""

from __future__ import annotations

from typing import Any

from store_contract import Clock, StoreContract

from fanlight.stores import MemoryStore, StoredDocument, ViewStore


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


def result(size: int) -> dict[str, Any]:
    return {"result": {"content": [{"type": "text", "text": "x" * size}]}}


async def test_beyond_the_bytes_the_longest_unsaved_goes() -> None:
    store = MemoryStore(max_size=100_000)
    for view_id in ("a", "b", "c", "a", "d"):
        await store.save(view_id, result(30_000))
    assert await store.view_ids() == ["d", "a", "c"]
    await store.save("e", {}, StoredDocument("a" * 64, "y" * 50_000))
    assert await store.view_ids() == ["e", "d"]
    await store.delete("e")
    await store.save("f", result(30_000))
    await store.save("g", result(30_000))
    assert await store.view_ids() == ["g", "f", "d"]


async def test_one_record_of_any_size_is_kept() -> None:
    store = MemoryStore(max_size=1000)
    await store.save("a", result(50_000))
    assert await store.load("a") == result(50_000)
    await store.save("b", result(10))
    assert await store.view_ids() == ["b"]


async def test_what_is_saved_again_counts_once_and_is_measured_once() -> None:
    class Measured(list[Any]):
        looks = 0

        def __iter__(self) -> Any:
            type(self).looks += 1
            return super().__iter__()

    large = Measured(["x"] * 1000)
    store = MemoryStore(max_size=100_000)
    await store.save("other", {})
    for number in range(50):
        await store.save("a", {"result": large, "n": number})
    assert await store.view_ids() == ["a", "other"]
    assert Measured.looks == 1
