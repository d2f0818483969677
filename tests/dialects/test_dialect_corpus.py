"""Whole conversations, one file a dialect: what each side says and what the other hears, step by step.

A line is ``{"who": speaker, "says": message, "host": [heard by the host], "view": [heard by the view]}``;
``as_is`` stands for "the other side hears exactly this", ``warns`` names the foreign spellings reported.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fanlight.dialects import DIALECTS, Translator

CORPUS = Path(__file__).parents[1] / "corpus"


def conversation(dialect: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    header, *steps = [
        json.loads(line) for line in (CORPUS / f"{dialect}.jsonl").read_text("utf-8").splitlines()
    ]
    return header, steps


def heard(translator: Translator, step: dict[str, Any]) -> dict[str, Any]:
    if step["who"] == "view":
        to_host: list[Any] = translator.inbound(step["says"])
        to_view = translator.replies()
        to_host = [*to_host, *translator.answers()]
    else:
        to_view = [*translator.outbound(step["says"]), *translator.replies()]
        to_host = [*translator.answers()]
    warned = [warning.foreign for warning in translator.warnings()]
    return {"host": to_host, "view": to_view, "warns": warned}


def expected(step: dict[str, Any]) -> dict[str, Any]:
    hearing = {"host": step.get("host", []), "view": step.get("view", []), "warns": step.get("warns", [])}
    if step.get("as_is"):
        hearing["host" if step["who"] == "view" else "view"] = [step["says"]]
    return hearing


def test_every_dialect_has_a_conversation() -> None:
    assert {file.stem for file in CORPUS.glob("*.jsonl")} >= set(DIALECTS)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_conversation_is_heard_as_written(dialect: str) -> None:
    header, steps = conversation(dialect)
    translator = Translator()
    for number, step in enumerate(steps, 2):
        assert heard(translator, step) == expected(step), f"{dialect}.jsonl line {number}"
    assert translator.dialect == header["ends_as"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_conversation_is_the_same_when_the_view_sleeps_between_its_messages(dialect: str) -> None:
    _, steps = conversation(dialect)
    translator = Translator()
    for number, step in enumerate(steps, 2):
        translator = Translator.restore(json.loads(json.dumps(translator.snapshot())))
        assert heard(translator, step) == expected(step), f"{dialect}.jsonl line {number}"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_repeated_conversation_warns_only_once(dialect: str) -> None:
    _, steps = conversation(dialect)
    translator = Translator()
    warned = [warning for _ in range(2) for step in steps for warning in heard(translator, step)["warns"]]
    assert len(warned) == len(set(warned))
