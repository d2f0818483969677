"""A TrueType font of one wide block for the letter A: small enough to write, real enough for a browser."""

from __future__ import annotations

import struct

__all__ = ["ADVANCE_EM", "tiny_font"]

_EM = 1000
ADVANCE_EM = 3
"""How wide the letter A is, in font sizes. No system font is that wide."""


def tiny_font() -> bytes:
    """The bytes of the font."""
    square = struct.pack(">hhhhh", 1, 0, 0, _EM, _EM) + struct.pack(">HH", 3, 0)
    square += bytes([1, 1, 1, 1]) + struct.pack(">4h", 0, 0, _EM, 0) + struct.pack(">4h", 0, _EM, 0, -_EM)
    glyphs = square + square
    cmap = struct.pack(">HHHHI", 0, 1, 3, 1, 12)
    cmap += struct.pack(">HHHHHHH", 4, 32, 0, 4, 4, 1, 0)
    cmap += struct.pack(">HHHHHhhHH", 65, 0xFFFF, 0, 65, 0xFFFF, 1 - 65, 1, 0, 0)
    names = [(1, "Tiny"), (2, "Regular"), (4, "Tiny"), (6, "Tiny")]
    texts = b"".join(text.encode("utf-16-be") for _, text in names)
    name = struct.pack(">HHH", 0, len(names), 6 + 12 * len(names))
    at = 0
    for number, text in names:
        name += struct.pack(">6H", 3, 1, 0x409, number, len(text) * 2, at)
        at += len(text) * 2
    advance = ADVANCE_EM * _EM
    tables = {
        b"OS/2": struct.pack(
            ">HhHHH10hh10s4I4sHHH3hHH2I", 3, advance, 400, 5, 0, *[0] * 10, 0, bytes(10), 0, 0, 0, 0, b"NONE",
            0x40, 65, 65, _EM, 0, 0, _EM, 0, 0, 0,
        ) + struct.pack(">hhHHH", _EM // 2, _EM, 0, 32, 0),
        b"cmap": cmap,
        b"glyf": glyphs,
        b"head": struct.pack(
            ">IIIIHHqqhhhhHHhhh", 0x10000, 0x10000, 0, 0x5F0F3CF5, 3, _EM, 0, 0, 0, 0, _EM, _EM, 0, 8, 2, 1, 0
        ),
        b"hhea": struct.pack(">I3hH11hH", 0x10000, _EM, 0, 0, advance, 0, 0, _EM, 1, 0, 0, *[0] * 5, 2),
        b"hmtx": struct.pack(">HhHh", advance, 0, advance, 0),
        b"loca": struct.pack(">3I", 0, len(square), len(glyphs)),
        b"maxp": struct.pack(">I14H", 0x10000, 2, 4, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0),
        b"name": name + texts,
        b"post": struct.pack(">IIhhIIIII", 0x30000, 0, 0, 0, 0, 0, 0, 0, 0),
    }  # fmt: skip
    directory = struct.pack(">IHHHH", 0x10000, len(tables), 128, 3, len(tables) * 16 - 128)
    body = b""
    for tag, data in tables.items():
        padded = data + bytes(-len(data) % 4)
        checksum = sum(struct.unpack(f">{len(padded) // 4}I", padded)) & 0xFFFFFFFF
        directory += struct.pack(">4sIII", tag, checksum, 12 + 16 * len(tables) + len(body), len(data))
        body += padded
    return directory + body
