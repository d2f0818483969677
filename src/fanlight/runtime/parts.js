// What <fanlight-view> is made of. Only builds and fills; text of servers is set as text, never as markup.

import { sheet } from "./look.js";

const SHAPES = {
  mark: "M2.5 3.5h11v9h-11zM2.5 6h11M5 9l1.5 1.2L5 11.4",
  fullscreen: "M9.5 2.5h4v4M6.5 13.5h-4v-4M13.5 2.5l-4.5 4.5M2.5 13.5l4.5-4.5",
  pip: "M13.5 7.5v-4h-11v9h5M9 9.5h4.5v3.5H9z",
  move: "M8 2v12M2 8h12M6.5 3.5 8 2l1.5 1.5M6.5 12.5 8 14l1.5-1.5M3.5 6.5 2 8l1.5 1.5M12.5 6.5 14 8l-1.5 1.5",
  close: "M4 4l8 8M12 4l-8 8",
};

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string>} [attributes]
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** @param {keyof typeof SHAPES} name */
function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", SHAPES[name]);
  svg.append(path);
  return svg;
}

/** @param {"fullscreen" | "pip" | "move" | "close"} name */
function control(name) {
  return make("button", { type: "button", class: "control", part: "control", "data-control": name, hidden: "" }, icon(name));
}

/** @param {string} what @param {() => void} act */
export function button(what, act) {
  const made = make("button", { type: "button", class: "button", part: "button" }, what);
  made.addEventListener("click", act);
  return made;
}

/** Fill an element's shadow root. @param {HTMLElement} element */
export function build(element) {
  const root = element.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = [sheet];
  const app = make("bdi", { class: "app", part: "app" });
  const server = make("bdi", { class: "server", part: "server" });
  const mark = make("span", { class: "mark", role: "img" }, icon("mark"));
  const controls = {
    move: control("move"),
    pip: control("pip"),
    fullscreen: control("fullscreen"),
    close: control("close"),
  };
  const head = make(
    "div",
    { class: "head", part: "header" },
    mark,
    make("span", { class: "name" }, app, server),
    make("span", { class: "controls" }, ...Object.values(controls)),
  );
  const lost = make("div", { class: "lost", role: "status", hidden: "" });
  const skeleton = make("div", { class: "skeleton", part: "skeleton", "aria-hidden": "true" });
  const stage = make("div", { class: "stage", part: "stage" }, skeleton);
  const notice = make("div", { class: "notice", part: "notice", role: "alert", hidden: "" });
  const box = make("dialog", { class: "box", part: "box", role: "group", tabindex: "-1" }, head, lost, stage, notice);
  const place = make("div", { class: "place", part: "place", hidden: "" });
  const status = make("div", { class: "quiet", role: "status" });
  const probe = make("div", { class: "probe" });
  root.append(box, place, status, probe);

  return {
    root, box, head, app, server, mark, controls, lost, stage, notice, place, status, probe,

    /** @param {string} appName @param {string} serverName */
    rename(appName, serverName) {
      app.textContent = appName || "App";
      server.textContent = serverName;
      const where = serverName ? `Content of the server ${serverName}, in a sandbox` : "Content in a sandbox";
      mark.setAttribute("aria-label", where);
      mark.title = where;
      box.setAttribute("aria-label", serverName ? `${appName}, from ${serverName}` : appName || "App");
      controls.fullscreen.title = `Show ${app.textContent} in full screen`;
      controls.pip.title = `Show ${app.textContent} in a floating window`;
      controls.move.title = "Move the window with the arrow keys";
      for (const each of [controls.fullscreen, controls.pip, controls.move])
        each.setAttribute("aria-label", each.title);
    },

    /**
     * Say why there is no view, and what is left of it.
     * @param {string} what @param {string} [remedy] @param {string} [text]
     */
    explain(what, remedy, text) {
      notice.replaceChildren(make("p", { class: "what" }, what));
      if (remedy) notice.append(make("p", { class: "remedy" }, remedy));
      if (text) notice.append(make("pre", { class: "text", dir: "auto", tabindex: "0", "aria-label": "The tool's text" }, text));
      notice.hidden = false;
    },
  };
}

/** @typedef {ReturnType<typeof build>} Parts */
