"""``_meta`` of an app's tools and of its document: checked when declared, written as hosts read it.

Pure: no SDK, no file. The nested keys are the specification's; the flat ``ui/resourceUri`` is for old hosts
and the ``openai/…`` twins, on request, are for ChatGPT.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from fanlight.errors import ConfigError
from fanlight.sandbox.permissions import FEATURES
from fanlight.sandbox.sources import BadSource, parse_source
from fanlight.wire.jsonrpc import JSONObject
from fanlight.wire.meta import tool_ui_meta
from fanlight.wire.versions import URI_SCHEME

__all__ = ["check_uri", "domain_for", "resource_meta", "tool_meta"]

# What may stand in a URI as it is. SDKs percent-encode the rest in listings, and then hosts, which compare
# strings, no longer find the document that the tool names.
_URI = re.compile(r"ui://[\w.~!$&'()*+,;=:@%/-]+(\?[\w.~!$&'()*+,;=:@%/?-]*)?", re.ASCII)
_CSP_FIELDS = ("connectDomains", "resourceDomains", "frameDomains", "baseUriDomains")
# ChatGPT's spelling of the fields that it knows.
_OPENAI_CSP = {
    "connectDomains": "connect_domains",
    "resourceDomains": "resource_domains",
    "frameDomains": "frame_domains",
}
_OPENAI = "openai/"
_AUDIENCES = ("model", "app")


def check_uri(uri: str) -> None:
    """
    Raises:
        ConfigError: `uri` cannot be the address of an app (R01).
    """
    if not isinstance(uri, str):
        raise ConfigError(f"App uri is {uri!r}: give a text, such as 'ui://weather/view.html'")
    if not uri.startswith(URI_SCHEME):
        raise ConfigError(
            f"App uri is {uri!r}: an app's address starts with {URI_SCHEME!r}, such as {_example(uri)!r}"
        )
    if not _URI.fullmatch(uri):
        raise ConfigError(
            f"App uri is {uri!r}: after {URI_SCHEME!r} it needs a name, with letters, digits and -._~/ "
            "(percent-encode anything else), such as 'ui://weather/view.html'"
        )


def _example(uri: str) -> str:
    name = re.sub(r"[^\w.-]+", "-", uri.rpartition("://")[2]).strip("-") or "weather"
    return f"{URI_SCHEME}{name}/view.html" if "." not in name else f"{URI_SCHEME}app/{name}"


def tool_meta(
    uri: str,
    visibility: Sequence[str] | None,
    extra: Mapping[str, Any] | None,
    *,
    openai: bool,
) -> JSONObject:
    """``_meta`` of a tool that has the app at `uri`; `extra` is the author's own.

    Raises:
        ConfigError: `visibility` or `extra` cannot be meant so.
    """
    audiences = None if visibility is None else _audiences(visibility)
    own = dict(extra or {})
    for key in own:
        if key == "ui" or key.startswith("ui/"):
            raise ConfigError(
                f"meta[{key!r}] belongs to the app: say App(…, csp=, permissions=, domain=, prefers_border=) "
                "for the document and app.tool(…, visibility=) for the tool"
            )
    meta: JSONObject = tool_ui_meta(uri, audiences)  # type: ignore[arg-type]  # checked in _audiences
    if openai:
        seen = _AUDIENCES if audiences is None else audiences
        meta["openai/outputTemplate"] = uri
        meta["openai/widgetAccessible"] = "app" in seen
        meta["openai/visibility"] = "public" if "model" in seen else "private"
    return {**meta, **own}


def _audiences(visibility: Sequence[str]) -> list[str]:
    given = [visibility] if isinstance(visibility, str) else list(visibility)
    if not given or isinstance(visibility, str) or not set(given) <= set(_AUDIENCES):
        raise ConfigError(
            f"visibility is {visibility!r}: give ['app'] for a tool that only the view calls, ['model'] for "
            "one that only the model calls, or leave it out for both"
        )
    return given


def resource_meta(
    *,
    csp: Mapping[str, Any] | None = None,
    permissions: Iterable[str] = (),
    domain: str | None = None,
    prefers_border: bool | None = None,
    description: str | None = None,
    openai: bool | Mapping[str, Any] = False,
) -> JSONObject:
    """``_meta`` of the document, for list entry and content item alike; ``{}`` if nothing is declared.

    Raises:
        ConfigError: names the field, the value and the remedy.
    """
    ui: JSONObject = {}
    policy = _checked_csp({} if csp is None else csp)
    if policy:
        ui["csp"] = policy
    granted = _checked_permissions(permissions)
    if granted:
        ui["permissions"] = granted
    if domain is not None:
        ui["domain"] = _checked_domain(domain)
    if prefers_border is not None:
        ui["prefersBorder"] = _checked_border(prefers_border)
    meta: JSONObject = {"ui": ui} if ui else {}
    own = _checked_openai(openai)
    if openai is not False:
        meta.update(_openai_twins(policy, prefers_border, description))
        meta.update(own)
    return meta


def _checked_domain(domain: Any) -> str:
    if not isinstance(domain, str) or not domain.strip():
        raise ConfigError(
            f"domain is {domain!r}: give the text that the host wants, such as domain_for('claude', url), or "
            "leave it out"
        )
    return domain


def _checked_border(prefers_border: Any) -> bool:
    if not isinstance(prefers_border, bool):
        raise ConfigError(
            f"prefers_border is {prefers_border!r}: give True or False, or leave it out and the host decides"
        )
    return prefers_border


def _checked_openai(openai: Any) -> JSONObject:
    """The author's own keys for ChatGPT; each may have its prefix or not."""
    if isinstance(openai, bool):
        return {}
    if not isinstance(openai, Mapping) or not all(isinstance(key, str) for key in openai):
        raise ConfigError(
            f"openai is {openai!r}: give True, or an object such as {{'widgetDomain': 'https://example.com'}}"
        )
    return {f"{_OPENAI}{key.removeprefix(_OPENAI)}": value for key, value in openai.items()}


def _openai_twins(policy: JSONObject, prefers_border: bool | None, description: str | None) -> JSONObject:
    # The policy is written even when empty: ChatGPT marks an app without one. `domain` has no twin, because
    # the two hosts want different texts there.
    csp = {theirs: policy.get(ours, []) for ours, theirs in _OPENAI_CSP.items() if ours in policy}
    twins: JSONObject = {"openai/widgetCSP": {"connect_domains": [], "resource_domains": [], **csp}}
    if prefers_border is not None:
        twins["openai/widgetPrefersBorder"] = prefers_border
    if description is not None:
        twins["openai/widgetDescription"] = description
    return twins


def _checked_csp(csp: Mapping[str, Any]) -> JSONObject:
    if not isinstance(csp, Mapping):
        raise ConfigError(
            f"csp is {csp!r}: give an object, such as {{'connectDomains': ['https://api.example.com']}}"
        )
    policy: JSONObject = {}
    for field, sources in csp.items():
        if field not in _CSP_FIELDS:
            raise ConfigError(f"csp[{field!r}] is not a field: {_field_remedy(field)}")
        if isinstance(sources, str) or not isinstance(sources, Iterable):
            raise ConfigError(
                f"csp[{field!r}] is {sources!r}: give a list, such as ['https://api.example.com']"
            )
        policy[field] = list(sources)
        for source in policy[field]:
            try:
                parse_source(source)
            except BadSource as error:
                raise ConfigError(f"csp[{field!r}] has {source!r}: {error}") from error
    return policy


def _field_remedy(field: str) -> str:
    said = re.sub(r"[^a-z]", "", field.lower())
    meant = next((known for known in _CSP_FIELDS if known.lower() == said), None)
    return f"write {meant!r}" if meant else f"use {', '.join(map(repr, _CSP_FIELDS))}"


def _checked_permissions(names: Iterable[str]) -> JSONObject:
    given = [names] if isinstance(names, str) else list(names)
    unknown = [name for name in given if name not in FEATURES]
    if unknown or isinstance(names, str):
        raise ConfigError(f"permissions is {names!r}: give a list of {', '.join(map(repr, FEATURES))}")
    return {name: {} for name in given}


def domain_for(host: str, server_url: str) -> str:
    """What `host` wants to read in ``_meta.ui.domain`` of an app whose server is at `server_url` (R06).

    ``"claude"`` compares with a hash of exactly the address that the person typed as the connector's;
    ``"chatgpt"`` wants the origin. A host stops showing an app whose domain it does not expect, so leave
    `domain` out unless the app needs an origin that stays the same.

    Raises:
        ConfigError: the host is unknown, or the address is not an http(s) URL.
    """
    parts = urlsplit(server_url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ConfigError(f"server_url is {server_url!r}: give the server's public address, https://…/mcp")
    if host == "claude":
        return f"{hashlib.sha256(server_url.encode()).hexdigest()[:32]}.claudemcpcontent.com"
    if host == "chatgpt":
        return f"{parts.scheme}://{parts.netloc}"
    raise ConfigError(
        f"host is {host!r}: the domains of 'claude' and 'chatgpt' are known; others choose their own"
    )
