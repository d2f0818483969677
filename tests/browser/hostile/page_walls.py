"""Walls of pages that we serve: against another page, and against markup that got into one of ours."""

from __future__ import annotations

from dataclasses import dataclass

from edits import Edit, csp, drop_directive, drop_header

__all__ = ["FROM_OUTSIDE", "IN_PAGE", "InPage", "Outside"]

WORKBENCH, PAGE_OF_A_VIEW, PROXY, SHELL, VIEW = "/", "/apps/page", "/sandbox/", "/shell/", "/view/"


@dataclass(frozen=True)
class Outside:
    """A wall that another page meets; `managed` is how its sentence begins when the wall is away."""

    wall: str
    managed: str
    edit: Edit

    @property
    def notices(self) -> str:
        return f"another page can {self.managed.removesuffix(':')}"


@dataclass(frozen=True)
class InPage:
    """A wall of the workbench's page; `script` is given a foreign address and tells what it could do."""

    wall: str
    notices: str
    script: str
    edits: tuple[Edit, ...]
    behind: str = ""


def _ancestors(document: str, managed: str, path: str) -> Outside:
    return Outside(
        f"frame-ancestors of {document}", f"frame the {managed}", drop_directive(path, "frame-ancestors")
    )


def _opener(document: str, managed: str, path: str) -> Outside:
    policy = "Cross-Origin-Opener-Policy"
    return Outside(
        f"{policy} of {document}", f"hold the window of the {managed}", drop_header(path, policy.lower())
    )


FROM_OUTSIDE = [
    _ancestors("the workbench's page", "page:", WORKBENCH),
    _ancestors("the page of a view", "page of a view", PAGE_OF_A_VIEW),
    _ancestors("the proxy", "proxy", PROXY),
    _ancestors("the shell", "shell", SHELL),
    _ancestors("the view", "view", VIEW),
    _opener("the workbench's page", "page:", WORKBENCH),
    _opener("the page of a view", "page of a view", PAGE_OF_A_VIEW),
]

_NO_TRUSTED_TYPES = csp(WORKBENCH, r"; require-trusted-types-for 'script'; trusted-types 'none'")
IN_PAGE = [
    InPage(
        "script-src of the page",
        "a handler in an attribute runs",
        """() => {
          const button = document.createElement("button");
          button.setAttribute("onclick", "this.dataset.ran = 1");
          button.click();
          return "ran" in button.dataset;
        }""",
        (csp(WORKBENCH, r"script-src [^;]*", "script-src 'self' 'unsafe-inline'"), _NO_TRUSTED_TYPES),
        "Trusted Types",
    ),
    InPage(
        "Trusted Types of the page",
        "a text becomes markup",
        """() => {
          const place = document.createElement("div");
          place.innerHTML = "<b>bold</b>";
          return place.childElementCount === 1;
        }""",
        (_NO_TRUSTED_TYPES,),
    ),
    InPage(
        "connect-src of the page",
        "the page fetches from elsewhere",
        "(foreign) => fetch(foreign, {mode: 'no-cors'}).then(() => true)",
        (csp(WORKBENCH, r"connect-src [^;]*", "connect-src *"),),
    ),
    InPage(
        "base-uri of the page",
        "relative addresses lead elsewhere",
        """(foreign) => {
          document.head.append(Object.assign(document.createElement("base"), {href: foreign}));
          return document.baseURI === foreign;
        }""",
        (csp(WORKBENCH, r"base-uri [^;]*", "base-uri *"),),
    ),
]
