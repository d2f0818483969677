// Elements and styles that load from an address that was not declared.
{
  const { add, attack, held, out, through } = hostile;
  const SVG = "http://www.w3.org/2000/svg";

  hostile.group("elements", "Elements and styles");

  /** @param {string} css */
  const style = (css) => add("style", { textContent: css });

  attack("image", "An image", ({ id }) => add("img", { src: out(id) }) && undefined);
  attack("image-srcset", "An image by srcset", ({ id }) => add("img", { srcset: `${out(id)} 1x` }) && undefined);
  attack("svg-image", "An image in SVG", ({ id }) => {
    const svg = document.createElementNS(SVG, "svg");
    const image = document.createElementNS(SVG, "image");
    image.setAttribute("href", out(id));
    svg.append(image);
    hostile.range.append(svg);
  });
  attack("css-background", "A background by CSS", ({ id }) => {
    style(`.hostile-background { background: url(${out(id)}); width: 9px; height: 9px; }`);
    add("div", { className: "hostile-background" });
  });
  attack("css-selector", "What is typed, letter by letter, by CSS selectors", ({ id }) => {
    add("input", { id: "hostile-typed" }).setAttribute("value", "secret");
    style(`#hostile-typed[value^="s"] { background: url(${out(id)}); }`);
  });
  attack("css-import", "A style sheet by @import", ({ id }) => style(`@import url(${out(id)}.css);`) && undefined);
  attack("css-link", "A style sheet by <link>", ({ id }) =>
    add("link", { rel: "stylesheet", href: `${out(id)}.css` }) && undefined,
  );
  attack("font", "A font", ({ id }) => void new FontFace("hostile", `url(${out(id)})`).load().catch(() => {}));
  attack("font-face", "A font by @font-face", ({ id }) => {
    style(`@font-face { font-family: hostile-face; src: url(${out(id)}); } .hostile-face { font-family: hostile-face; }`);
    add("span", { className: "hostile-face", textContent: "x" });
  });
  attack("script", "A script", ({ id }) => add("script", { src: `${out(id)}.js` }) && undefined);
  attack("module", "A module script", ({ id }) => add("script", { type: "module", src: `${out(id)}.js` }) && undefined);
  attack("video", "A video", ({ id }) => add("video", { src: out(id), preload: "auto" }) && undefined);
  attack("poster", "A video's poster", ({ id }) => add("video", { poster: out(id) }) && undefined);
  attack("audio", "A sound", ({ id }) => void new Audio(out(id)).load());
  attack("track", "Subtitles", ({ id }) => {
    const video = add("video", { crossOrigin: "anonymous" });
    add("track", { src: `${out(id)}.vtt`, kind: "subtitles", default: true }, video).track.mode = "showing";
  });
  attack("object", "An <object>", ({ id }) => add("object", { data: out(id) }) && undefined);
  attack("embed", "An <embed>", ({ id }) => add("embed", { src: out(id) }) && undefined);
  attack("icon", "The document's icon", ({ id }) => add("link", { rel: "icon", href: out(id) }) && undefined);
  attack("manifest", "A web app manifest", ({ id }) => add("link", { rel: "manifest", href: out(id) }) && undefined);

  attack("base", "Relative addresses by <base>", ({ id }) => {
    const base = add("base", { href: `${hostile.facts.http}/${hostile.run}/` }, document.head);
    const moved = document.baseURI.startsWith(hostile.facts.http);
    add("img", { src: id });
    base.remove();
    return moved ? through("the document's base is elsewhere") : held("the base stayed");
  });

  attack("devices", "Camera, microphone, place, screen without having declared them", () => {
    const names = ["camera", "microphone", "geolocation", "display-capture", "usb", "serial", "hid", "midi"];
    const policy = /** @type {any} */ (document).featurePolicy ?? /** @type {any} */ (document).permissionsPolicy;
    if (!policy) return hostile.unclear("this browser does not tell what it would allow");
    const allowed = names.filter((name) => policy.allowsFeature(name));
    return allowed.length ? through(`allowed: ${allowed.join(", ")}`) : held("none of them is allowed");
  });
}
