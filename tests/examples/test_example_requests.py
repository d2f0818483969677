"""Requests that the pages of the examples do not send, but others do."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The chat's program, imported from its folder as uvicorn does."""
    monkeypatch.syspath_prepend(str(EXAMPLES / "fastapi_chat"))
    for name in ("app", "chat", "menu"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module("app").app
    for name in ("app", "chat", "menu"):
        sys.modules.pop(name, None)


async def test_who_never_opened_the_chat_is_refused_everywhere(chat: Any) -> None:
    transport = httpx.ASGITransport(chat)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as stranger:
        answers = [
            await stranger.get("/context"),
            await stranger.get("/events"),
            await stranger.post("/messages", json={"text": "hello"}),
        ]
        assert [answer.status_code for answer in answers] == [403, 403, 403]
        await stranger.get("/")
        assert (await stranger.get("/context")).json() == []


@pytest.mark.parametrize("typed", ["Etc/GMT+5", "a&zone=b", "a#b", "Århus 100%"])
def test_what_is_typed_into_the_form_arrives_as_it_was_typed(
    monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    flask_app = importlib.import_module("flask_app")
    try:
        answer = flask_app.create_app(host=None).test_client().post("/", data={"timezone": typed})
    finally:
        sys.modules.pop("flask_app", None)
    address = urlsplit(answer.headers["Location"])
    assert (address.netloc, address.path, parse_qs(address.query)) == ("", "/", {"zone": [typed]})
