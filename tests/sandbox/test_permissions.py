"""Permissions: declared and allowed, in the two spellings browsers want."""

from __future__ import annotations

from fanlight.sandbox import allow_attribute, granted_permissions, permissions_policy

EVERYTHING = ("camera", "microphone", "geolocation", "clipboardWrite")


def test_only_what_is_declared_and_allowed_is_granted() -> None:
    declared: dict[str, object] = {"microphone": {}, "clipboardWrite": {}, "camera": None, "usb": {}}
    assert granted_permissions(declared, EVERYTHING) == {"microphone": {}, "clipboardWrite": {}}
    assert granted_permissions(declared, ["camera"]) == {}


def test_a_declaration_of_the_wrong_kind_grants_nothing() -> None:
    assert granted_permissions(["camera"], EVERYTHING) == {}
    assert granted_permissions({"camera": True}, EVERYTHING) == {}


def test_the_allow_attribute_is_joined_by_semicolons() -> None:
    assert allow_attribute({"microphone": {}, "clipboardWrite": {}}) == "microphone; clipboard-write"
    assert allow_attribute({}) == ""


def test_the_header_switches_off_what_was_not_granted() -> None:
    header = permissions_policy({"camera": {}})
    assert "camera=(self)" in header
    assert "microphone=()" in header
    assert "usb=()" in header
