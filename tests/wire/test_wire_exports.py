"""The front door of the room: everything public, by one name, and nothing else."""

from __future__ import annotations

import importlib
import pkgutil

import fanlight.wire
import fanlight.wire.types


def test_the_room_exports_what_its_files_export() -> None:
    for package in (fanlight.wire, fanlight.wire.types):
        files = [info.name for info in pkgutil.iter_modules(package.__path__)]
        modules = [importlib.import_module(f"{package.__name__}.{name}") for name in files]
        assert sorted(package.__all__) == sorted(name for module in modules for name in module.__all__)
