"""A folder of HTML, CSS, JavaScript, images and fonts becomes one document that needs no other file.

Only what refers to a file of the folder is replaced; everything else stays as it was written. Addresses of
other origins stay too: `csp_inference` tells what they need. Limits: what scripts put together at run time
is not seen; a view can neither fetch files, nor start workers, nor frame pages of its folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from fanlight.errors import ConfigError

from .folder import Folder, Reference
from .html_templates import with_templates
from .html_tokens import Attribute, EndTag, StartTag, Text, Token, quote_attribute, tokens
from .inline_css import inline_css
from .inline_fonts import Font, font_script
from .inline_scripts import PageScripts
from .source_text import Edit, Source, apply_edits
from .srcset import srcset_candidates

__all__ = ["Bundle", "inline_folder"]

_IMAGES = {
    "audio": ("src",),
    "feimage": ("href", "xlink:href"),
    "image": ("href", "xlink:href"),
    "img": ("src",),
    "input": ("src",),
    "source": ("src",),
    "track": ("src",),
    "video": ("src", "poster"),
}
_SRCSETS = frozenset({"img", "source"})
_REFUSED = {"embed": "src", "frame": "src", "iframe": "src", "object": "data"}
_ICONS = frozenset({"apple-touch-icon", "apple-touch-icon-precomposed", "icon", "mask-icon"})
# Links that only say what to load early, or that a view has no use for.
_NEEDLESS = frozenset({"manifest", "modulepreload", "prefetch", "preload"})
_OF_LINKS = frozenset(
    {"as", "charset", "crossorigin", "fetchpriority", "href", "integrity", "referrerpolicy", "rel", "type"}
)


@dataclass(frozen=True)
class Bundle:
    """One document, and every file that was read for it (a change in any of them makes it old)."""

    html: str
    files: tuple[Path, ...]


def inline_folder(folder: Path, entry: str = "index.html") -> Bundle:
    """Put everything that `entry` refers to inside `folder` into one document.

    Raises:
        ConfigError: names file, line and column of the reference that cannot be inlined, and the remedy.
    """
    files = Folder(Path(folder))
    found = files.find(entry, PurePosixPath("x"), Source(str(folder), ""), 0)
    if found is None:
        raise ConfigError(f"{entry!r} is no file of the folder {folder}; name the page, such as 'index.html'")
    source = files.source_of(found.path)
    files.spend(len(source.text), source, 0)
    page = _Page(files, source, found.path)
    page.rewrite()
    end = _end_of_body(page.source.text)
    page.edits.append(Edit(end, end, "".join(page.at_end)))
    return Bundle(apply_edits(source.text, page.edits), tuple(files.files))


@dataclass
class _Page:
    """One HTML or SVG text of the folder, on its way to a text without files."""

    folder: Folder
    source: Source
    path: PurePosixPath
    edits: list[Edit] = field(default_factory=list)
    at_end: list[str] = field(default_factory=list)
    """What must stand behind everything else: sprites, and scripts that wait for the whole document."""
    sprites: dict[PurePosixPath, set[str]] = field(default_factory=dict)
    _in_template: bool = False

    def rewrite(self) -> None:
        """Collect the edits of this text and what it wants at the end of the document."""
        found = list(tokens(self.source.text))
        scripts = PageScripts(self.folder, self.source, self.path, found)
        for at, (token, self._in_template) in enumerate(with_templates(found)):
            if not isinstance(token, StartTag):
                continue
            inside = found[at + 1] if at + 1 < len(found) else None
            raw = inside if isinstance(inside, Text) and inside.of == token.name else None
            if token.name == "script":
                self.edits += scripts.edits_for(token, raw, self.at_end)
            elif token.name == "link":
                self._link(token)
            elif token.name == "style" and raw is not None:
                self._style(raw, found[at + 2 : at + 3])
            else:
                self._element(token)

    def _find(self, attribute: Attribute) -> Reference | None:
        return self._find_address(attribute.value, attribute.start)

    def _find_address(self, address: str, offset: int) -> Reference | None:
        if self._in_template and not self.folder.has(address, self.path):
            return None  # a place for a value, such as {{picture}}, which a script fills in
        return self.folder.find(address, self.path, self.source, offset)

    def _element(self, tag: StartTag) -> None:
        if tag.name == "base" and tag.attribute("href"):
            raise self.source.error(tag.start, "<base href> moves every address of the page; remove it")
        if tag.name == "use":
            self._use(tag)
        for name in _IMAGES.get(tag.name, ()):
            attribute = tag.attribute(name)
            if attribute is not None and (reference := self._find(attribute)) is not None:
                self._set(attribute, self.folder.data_url(reference, self.source, attribute.start))
        srcset = tag.attribute("srcset") if tag.name in _SRCSETS else None
        if srcset is not None:
            self._set(srcset, ", ".join(self._candidates(srcset)))
        refused = tag.attribute(_REFUSED.get(tag.name, ""))
        if refused is not None and self._find(refused) is not None:
            raise self.source.error(
                refused.start,
                f"a view may not frame files of its folder; put {refused.value!r} into the page itself",
            )
        style = tag.attribute("style")
        if style is not None:
            text = Source(self.source.name, style.value, self.source, style.value_start + len(style.quote))
            self._set(style, inline_css(self.folder, text, self.path).text)

    def _candidates(self, srcset: Attribute) -> Iterator[str]:
        for address, descriptor in srcset_candidates(srcset.value):
            reference = self._find_address(address, srcset.start)
            if reference is not None:
                address = self.folder.data_url(reference, self.source, srcset.start)
            yield f"{address} {descriptor}".strip()

    def _set(self, attribute: Attribute, value: str) -> None:
        if value != attribute.value:
            self.edits.append(Edit(attribute.value_start, attribute.end, quote_attribute(value)))

    def _use(self, tag: StartTag) -> None:
        """Browsers load no `data:` for `<use>`, so the sprite itself comes into the document."""
        attribute = tag.attribute("href") or tag.attribute("xlink:href")
        reference = self._find(attribute) if attribute is not None else None
        if attribute is None or reference is None:
            return
        if reference.path not in self.sprites:
            sprite = self.folder.source_of(reference.path)
            self.folder.spend(len(sprite.text), self.source, attribute.start)
            self.sprites[reference.path] = _ids(sprite.text)
            self._check_ids(reference.path, attribute)
            own = _Page(self.folder, sprite, reference.path, at_end=self.at_end, sprites=self.sprites)
            own.rewrite()
            self.at_end.append(own.as_hidden_svg())
        if reference.fragment not in self.sprites[reference.path]:
            known = ", ".join(sorted(self.sprites[reference.path])) or "none"
            raise self.source.error(
                attribute.start,
                f"{self.folder.display(reference.path)} has no id {reference.fragment!r}; it has: {known}",
            )
        self._set(attribute, f"#{reference.fragment}")

    def as_hidden_svg(self) -> str:
        """This SVG file, from its root element on, where it is seen only through `<use>`."""
        root = next((tag.start for tag in tokens(self.source.text) if isinstance(tag, StartTag)), 0)
        content = apply_edits(self.source.text, [Edit(0, root, ""), *self.edits])
        return f'<svg aria-hidden="true" width="0" height="0" style="position:absolute">{content}</svg>\n'

    def _check_ids(self, sprite: PurePosixPath, attribute: Attribute) -> None:
        others = [ids for path, ids in self.sprites.items() if path != sprite]
        both = self.sprites[sprite] & set().union(_ids(self.source.text), *others)
        if both:
            raise self.source.error(
                attribute.start,
                f"{self.folder.display(sprite)} has the id {min(both)!r}, which the page has too; rename one",
            )

    def _style(self, raw: Text, after: list[Token]) -> None:
        sheet = inline_css(self.folder, self.source.part(raw.start, raw.end), self.path)
        if sheet.text != self.source.text[raw.start : raw.end]:
            self.edits.append(Edit(raw.start, raw.end, sheet.text))
        end = after[0].end if after else raw.end
        self.edits.append(Edit(end, end, _font_tag(sheet.fonts)))

    def _link(self, tag: StartTag) -> None:
        relations = set((tag.value("rel") or "").lower().split())
        href = tag.attribute("href")
        reference = (
            self._find(href) if href is not None and relations & {"stylesheet", *_ICONS, *_NEEDLESS} else None
        )
        if href is None or reference is None:
            return
        if "stylesheet" not in relations:
            if relations & _ICONS:
                self._set(href, self.folder.data_url(reference, self.source, href.start))
            else:
                self.edits.append(Edit(tag.start, tag.end, ""))
            return
        if "alternate" in relations or tag.attribute("disabled"):
            raise self.source.error(
                tag.start,
                "a style sheet that is switched on later cannot be inlined; use a class or a media query",
            )
        source = self.folder.source_of(reference.path)
        self.folder.spend(len(source.text), self.source, href.start)
        sheet = inline_css(self.folder, source, reference.path)
        kept = "".join(
            f" {self.source.text[attribute.start : attribute.end]}"
            for attribute in tag.attributes
            if attribute.name not in _OF_LINKS
        )
        style = f"<style{kept}>{sheet.text}</style>{_font_tag(sheet.fonts)}"
        self.edits.append(Edit(tag.start, tag.end, style))


def _font_tag(fonts: Sequence[Font]) -> str:
    return f"<script>{font_script(fonts)}</script>" if fonts else ""


def _ids(text: str) -> set[str]:
    found = [tag.value("id") for tag in tokens(text) if isinstance(tag, StartTag)]
    return {id for id in found if id}


def _end_of_body(text: str) -> int:
    """Where the last things of a document stand: before `</body>`, else before `</html>`, else at its end."""
    ends = {token.name: token.start for token in tokens(text) if isinstance(token, EndTag)}
    return ends.get("body", ends.get("html", len(text)))
