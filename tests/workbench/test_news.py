"""What a page learns of servers that are loaded anew."""

from __future__ import annotations

import asyncio

from fanlight.workbench.news import News


async def test_a_page_that_waits_hears_of_the_next_thing() -> None:
    news = News()
    waiting = asyncio.create_task(news.after(0, 60))
    await asyncio.sleep(0)
    news.tell("no such file")
    assert await waiting == {"number": 1, "problem": "no such file"}


async def test_a_page_that_is_late_hears_the_last_thing_at_once() -> None:
    news = News()
    news.tell("no such file")
    news.tell(None)
    assert await news.after(0, 60) == {"number": 2}


async def test_nothing_new_is_an_answer_too() -> None:
    assert await News().after(0, 0) == {"number": 0}


async def test_a_page_that_waits_is_let_go_at_the_end() -> None:
    news = News()
    waiting = asyncio.create_task(news.after(0, 60))
    await asyncio.sleep(0)
    news.close()
    assert await waiting == {"number": 0}
    assert await news.after(0, 60) == {"number": 0}
