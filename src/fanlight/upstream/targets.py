"""From what a person types to what we connect to: URL, Python file, `module:object`, mcp.json, command."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from fanlight.errors import ConfigError

from .base import HttpTarget, ObjectTarget, SseTarget, StdioTarget, Target

__all__ = ["as_target", "command_target", "parse_target", "read_config"]

# The names that server files use most, tried before looking for a single server object.
_USUAL_NAMES = ("mcp", "server", "app")
# How configuration files name the two HTTP transports (hosts differ in the spelling).
_STREAMABLE_HTTP = ("http", "https", "streamable-http", "streamablehttp", "streamable_http")


def parse_target(text: str) -> dict[str, Target]:
    """Turn one target argument into named targets (an mcp.json holds several).

    Raises:
        ConfigError: nothing can be made of it; the message says what was tried.
    """
    if "://" in text:
        return {_url_name(text): _http_target(text)}
    path = Path(text)
    if path.suffix == ".json":
        return read_config(path)
    if path.suffix == ".py":
        return {path.stem: _loaded(_load_file(path), text, None)}
    module, colon, attribute = text.partition(":")
    if colon and module.endswith(".py"):
        return {Path(module).stem: _loaded(_load_file(Path(module)), module, attribute)}
    if colon and all(part.isidentifier() for part in module.split(".")):
        return {module.rpartition(".")[2]: _loaded(_import(module), module, attribute)}
    if path.is_dir():
        raise ConfigError(f"{text} is a folder; name the server's Python file or an mcp.json in it")
    raise ConfigError(
        f"cannot tell what {text!r} is: give a URL (https://…/mcp), a Python file (server.py), "
        "module:object, an mcp.json, or a command after --"
    )


def as_target(given: object) -> Target:
    """What a program gives: a target, the text of one, words to run, or an object to connect to.

    Raises:
        ConfigError: nothing can be made of the text, or it names several servers.
    """
    match given:
        case HttpTarget() | SseTarget() | StdioTarget() | ObjectTarget():
            return given
        case str():
            found = parse_target(given)
            if len(found) != 1:
                raise ConfigError(f"{given} names {len(found)} servers; connect them one by one")
            return next(iter(found.values()))
        case [str(command), *args]:
            return StdioTarget(command, tuple(str(arg) for arg in args))
        case _:
            return ObjectTarget(given)


def command_target(words: tuple[str, ...]) -> dict[str, Target]:
    """A stdio server from the words after `--`; it gets this program's environment, as any command would."""
    command, *args = words
    return {_command_name(words): StdioTarget(command, tuple(args), env=dict(os.environ))}


def read_config(path: Path) -> dict[str, Target]:
    """Read the `mcpServers` file that desktop hosts use (also spelled `servers`)."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise ConfigError(f"{path} is not valid JSON: {error}") from error
    servers = data.get("mcpServers", data.get("servers")) if isinstance(data, dict) else None
    if not isinstance(servers, dict) or not servers:
        raise ConfigError(f'{path} has no "mcpServers" object; expected {{"mcpServers": {{"name": {{…}}}}}}')
    return {name: _config_entry(path, name, entry, path.parent) for name, entry in servers.items()}


def _config_entry(path: Path, name: str, entry: Any, folder: Path) -> Target:
    where = f'{path}: mcpServers["{name}"]'
    if not isinstance(entry, dict):
        raise ConfigError(f"{where} is {entry!r}; expected an object with command or url")
    url, command = entry.get("url"), entry.get("command")
    if isinstance(url, str):
        target = _http_target(url, _string_map(where, "headers", entry.get("headers")))
        return SseTarget(target.url, target.headers) if _says_sse(where, entry) else target
    if isinstance(command, str):
        args = entry.get("args", [])
        if not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
            raise ConfigError(f"{where}.args is {args!r}; expected a list of strings")
        env = {**os.environ, **_string_map(where, "env", entry.get("env"))}
        cwd = entry.get("cwd")
        if cwd is not None and not isinstance(cwd, str):
            raise ConfigError(f"{where}.cwd is {cwd!r}; expected a string")
        return StdioTarget(command, tuple(args), env=env, cwd=cwd if cwd is None else str(folder / cwd))
    raise ConfigError(f"{where} has neither a command nor a url")


def _says_sse(where: str, entry: dict[str, Any]) -> bool:
    said = entry.get("type", entry.get("transport", "http"))
    if isinstance(said, str) and said.lower() in (*_STREAMABLE_HTTP, "sse"):
        return said.lower() == "sse"
    raise ConfigError(f'{where}.type is {said!r}; a server with a url has "http" or "sse"')


def _string_map(where: str, field: str, value: Any) -> dict[str, str]:
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
        raise ConfigError(f"{where}.{field} is {value!r}; expected an object of strings")
    return value


def _http_target(url: str, headers: dict[str, str] | None = None) -> HttpTarget:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f"{url!r} is not an http or https address of an MCP server")
    return HttpTarget(url, headers or {})


def _url_name(url: str) -> str:
    return urlsplit(url).hostname or "server"


def _command_name(words: tuple[str, ...]) -> str:
    """The most telling word of a command: the last package or script name before the options."""
    plain = [word for word in words if not word.startswith("-")]
    name = (
        plain[1]
        if plain[0] in ("npx", "uvx", "node", "python", "python3", "bunx") and len(plain) > 1
        else plain[0]
    )
    stem = name.rstrip("/").rpartition("/")[2].partition("@")[0]
    return Path(stem).stem or name


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise ConfigError(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location(f"fanlight_target_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    # A script finds its neighbours; so does a server that we load from its file.
    sys.path.insert(0, str(path.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise _load_failure(str(path), error) from error
    return module


def _import(name: str) -> ModuleType:
    sys.path.insert(0, os.getcwd())
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = f"there is no module {error.name!r}; is it installed, or in this folder?"
        raise _load_failure(f"module {name}", error, missing) from error
    except (Exception, SystemExit) as error:
        raise _load_failure(f"module {name}", error) from error


def _load_failure(what: str, error: BaseException, otherwise: str | None = None) -> ConfigError:
    if isinstance(error, ImportError) and (error.name or "").partition(".")[0] in ("mcp", "mcp_types"):
        installed = version("mcp")
        if installed.startswith("1."):
            return ConfigError(f"{what} needs mcp 2, but mcp {installed} is installed: pip install 'mcp>=2'")
    return ConfigError(otherwise or f"{what} failed while loading: {type(error).__name__}: {error}")


def _loaded(module: ModuleType, where: str, attribute: str | None) -> ObjectTarget:
    file = os.path.realpath(module.__file__) if module.__file__ else module.__name__
    return ObjectTarget(_server_in(module, where, attribute), f"{file}:{attribute or ''}")


def _server_in(module: ModuleType, where: str, attribute: str | None) -> object:
    from .doors import is_server_object

    if attribute:
        found = getattr(module, attribute, None)
        if found is None:
            raise ConfigError(f"{where} has no object {attribute!r}")
        if not is_server_object(found):
            raise ConfigError(f"{where}:{attribute} is a {type(found).__name__}, not an MCP server object")
        return found
    usual = [value for name in _USUAL_NAMES if is_server_object(value := getattr(module, name, None))]
    if usual:
        return usual[0]
    others = {name: value for name, value in vars(module).items() if is_server_object(value)}
    if len(others) == 1:
        return next(iter(others.values()))
    if others:
        raise ConfigError(
            f"{where} has several server objects ({', '.join(others)}); say {where}:{next(iter(others))}"
        )
    raise ConfigError(
        f"{where} has no MCP server object at module level (such as an mcp.server.MCPServer or a FastMCP, "
        "named for example mcp)"
    )
