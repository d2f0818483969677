"""What every store must do: the one test body that each of them runs.

A store's test file subclasses `StoreContract` and says how to make a store with bounds and a clock.
"""

from __future__ import annotations

import asyncio
from typing import Any

from fanlight.stores import StoredDocument, ViewStore

PAGE = StoredDocument("a" * 64, "<p>héllo \U0001f600 \x00 end")
OTHER = StoredDocument("b" * 64, "<p>other")


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


class StoreContract:
    """Subclass it as `Test…`."""

    def make(self, *, max_views: int = 100, max_age: float = 1000.0, clock: Clock | None = None) -> ViewStore:
        """A new empty store; the test closes it."""
        raise NotImplementedError

    async def test_what_was_saved_is_loaded_value_for_value(self) -> None:
        record: dict[str, Any] = {
            "text": "é \U0001f600 \u2028 \x00",
            "numbers": [0, -1, 1.5, 1e300, 2**53],
            "flags": [True, False, None],
            "nested": {"": {"a": [[], {}]}},
        }
        store = self.make()
        await store.save("v1", record)
        assert await store.load("v1") == record
        await store.aclose()

    async def test_nothing_is_found_where_nothing_was_saved(self) -> None:
        store = self.make()
        assert await store.load("v1") is None
        assert await store.load_document(PAGE.sha256) is None
        assert await store.delete("v1") is False
        assert await store.view_ids() == []
        await store.aclose()

    async def test_the_last_save_counts(self) -> None:
        store = self.make()
        await store.save("v1", {"n": 1})
        await store.save("v1", {"n": 2})
        assert await store.load("v1") == {"n": 2}
        assert await store.view_ids() == ["v1"]
        await store.aclose()

    async def test_ids_are_listed_with_the_last_saved_first(self) -> None:
        store = self.make()
        for view_id in ("a", "b", "c", "a"):
            await store.save(view_id, {})
        assert await store.view_ids() == ["a", "c", "b"]
        await store.aclose()

    async def test_a_document_is_there_as_long_as_a_record_refers_to_it(self) -> None:
        store = self.make()
        await store.save("v1", {}, PAGE)
        await store.save("v2", {}, PAGE)
        assert await store.delete("v1") is True
        assert await store.load_document(PAGE.sha256) == PAGE.html
        assert await store.delete("v2") is True
        assert await store.load_document(PAGE.sha256) is None
        await store.aclose()

    async def test_a_record_that_gets_another_document_lets_the_first_go(self) -> None:
        store = self.make()
        await store.save("v1", {}, PAGE)
        await store.save("v1", {}, OTHER)
        assert await store.load_document(PAGE.sha256) is None
        assert await store.load_document(OTHER.sha256) == OTHER.html
        await store.save("v1", {})
        assert await store.load_document(OTHER.sha256) is None
        await store.aclose()

    async def test_saving_again_with_the_same_document_keeps_it(self) -> None:
        store = self.make()
        for number in range(3):
            await store.save("v1", {"n": number}, PAGE)
        assert await store.load_document(PAGE.sha256) == PAGE.html
        await store.aclose()

    async def test_beyond_the_number_the_longest_unsaved_goes_with_its_document(self) -> None:
        store = self.make(max_views=2)
        await store.save("a", {}, PAGE)
        await store.save("b", {}, OTHER)
        await store.save("a", {}, PAGE)
        await store.save("c", {})
        assert await store.view_ids() == ["c", "a"]
        assert await store.load("b") is None
        assert await store.load_document(OTHER.sha256) is None
        assert await store.load_document(PAGE.sha256) == PAGE.html
        await store.aclose()

    async def test_what_is_too_old_is_gone_and_saving_makes_it_young(self) -> None:
        clock = Clock()
        store = self.make(max_age=100, clock=clock)
        await store.save("old", {}, PAGE)
        await store.save("young", {})
        clock.now += 60
        await store.save("young", {"again": True})
        clock.now += 60
        assert await store.load("old") is None
        assert await store.load_document(PAGE.sha256) is None
        assert await store.delete("old") is False
        assert await store.view_ids() == ["young"]
        await store.aclose()

    async def test_many_tasks_may_use_it_at_once(self) -> None:
        store = self.make()

        async def live(name: str) -> None:
            for number in range(20):
                await store.save(name, {"n": number}, PAGE)
                assert await store.load(name) == {"n": number}

        await asyncio.gather(*(live(f"v{number}") for number in range(8)))
        assert len(await store.view_ids()) == 8
        assert await store.load_document(PAGE.sha256) == PAGE.html
        await store.aclose()

    async def test_closing_twice_is_fine(self) -> None:
        store = self.make()
        await store.save("v1", {})
        await store.aclose()
        await store.aclose()
