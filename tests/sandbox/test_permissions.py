"""Permissions: declared and allowed, in the two spellings browsers want."""

from __future__ import annotations

import pytest

from fanlight.sandbox import allow_attribute, granted_permissions, permissions_policy, refused_permissions
from fanlight.sandbox.permissions import FEATURES, NEVER

EVERYTHING = tuple(FEATURES)


def test_only_what_is_declared_and_allowed_is_granted() -> None:
    declared: dict[str, object] = {"microphone": {}, "clipboardWrite": {}, "camera": None, "usb": {}}
    assert granted_permissions(declared, EVERYTHING) == {"microphone": {}, "clipboardWrite": {}}
    assert granted_permissions(declared, ["camera"]) == {}


def test_a_declaration_of_the_wrong_kind_grants_nothing() -> None:
    assert granted_permissions(["camera"], EVERYTHING) == {}
    assert granted_permissions({"camera": True}, EVERYTHING) == {}


@pytest.mark.parametrize(
    ("declared", "word"),
    [
        ({"camera": {}}, "does not grant"),
        ({"usb": {}}, "no such permission"),
        ({"microphone": True}, "empty object"),
        (["camera"], "must be an object"),
        ({"\x1b[31m" * 50: {}}, "u001b"),
    ],
)
def test_what_is_not_granted_is_said_with_the_reason(declared: object, word: str) -> None:
    (sentence,) = refused_permissions(declared, ["microphone"])
    assert word in sentence
    assert len(sentence) < 400


def test_a_view_without_an_origin_is_not_promised_what_browsers_will_not_give_it() -> None:
    declared: dict[str, object] = {"camera": {}, "geolocation": {}}
    assert granted_permissions(declared, EVERYTHING, opaque=True) == {"geolocation": {}}
    (sentence,) = refused_permissions(declared, EVERYTHING, opaque=True)
    assert "origin of its own" in sentence


def test_nothing_is_said_about_what_was_granted_or_not_asked_for() -> None:
    assert refused_permissions({"microphone": {}, "camera": None}, ["microphone"]) == []
    assert refused_permissions(None, ()) == []


def test_a_flood_of_permissions_is_cut() -> None:
    assert len(refused_permissions({f"p{number}": {} for number in range(9999)}, ())) == 20


def test_the_allow_attribute_is_joined_by_semicolons() -> None:
    assert allow_attribute({"microphone": {}, "clipboardWrite": {}}) == "microphone; clipboard-write"
    assert allow_attribute({}) == ""


def test_the_header_switches_off_what_was_not_granted() -> None:
    rows = dict(row.split("=") for row in permissions_policy({"camera": {}}).split(", "))
    assert rows.pop("camera") == "(self)"
    assert set(rows) == {*FEATURES.values(), *NEVER} - {"camera"}
    assert set(rows.values()) == {"()"}


def test_nothing_grantable_is_among_what_is_never_granted() -> None:
    assert not set(FEATURES.values()) & set(NEVER)
    assert sorted(set(NEVER)) == list(NEVER)
