/**
 * A JSON value as a tree that folds. Children are made when a branch is opened, in portions, so that a huge
 * or deep value costs only what is looked at.
 */

import { visible } from "../../../runtime/visible.js";
import { h, plural } from "../dom.js";
import { icon } from "../icons.js";

const PORTION = 200;
const LONG_STRING = 2000;
// A branch with more entries than this does not open its children with it.
const OPENS_WITH_CHILDREN = 20;

/**
 * @param {unknown} value
 * @param {number} [levels] how many are open from the start
 * @returns {HTMLElement}
 */
export function jsonTree(value, levels = 0) {
  return h("div", { class: "tree" }, node(undefined, value, levels));
}

/**
 * A button that copies a value as JSON, or a text as it is.
 *
 * @param {() => unknown} value
 */
export function copyButton(value) {
  const button = h(
    "button",
    {
      type: "button",
      class: "icon-button icon-button-small",
      "aria-label": "Copy",
      title: "Copy",
      on: {
        click: async () => {
          const content = value();
          const text = typeof content === "string" ? content : JSON.stringify(content, null, 2);
          try {
            await navigator.clipboard.writeText(text);
            button.replaceChildren(icon("check"));
          } catch {
            button.replaceChildren(icon("error"));
            button.title = "The browser did not allow copying";
          }
          setTimeout(() => button.replaceChildren(icon("copy")), 1500);
        },
      },
    },
    icon("copy"),
  );
  return button;
}

/**
 * A text that may be very long: the start of it, and a button for the rest.
 *
 * @param {string} text
 * @param {number} limit
 * @returns {(Node | string)[]}
 */
export function longText(text, limit) {
  if (text.length <= limit) return [text];
  const start = document.createTextNode(visible(text.slice(0, limit)));
  const button = h(
    "button",
    {
      type: "button",
      class: "link-button",
      on: {
        click: (event) => {
          event.preventDefault();
          start.data = visible(text);
          button.remove();
        },
      },
    },
    `… show all ${text.length.toLocaleString("en")} characters`,
  );
  return [start, button];
}

/**
 * @param {string | undefined} key
 * @param {unknown} value
 * @param {number} levels
 * @returns {HTMLElement}
 */
function node(key, value, levels) {
  const name = key === undefined ? null : h("span", { class: "tree-key" }, key);
  if (typeof value !== "object" || value === null) {
    return h("div", { class: "tree-leaf" }, name, leaf(value));
  }
  const entries = Object.entries(value);
  const size = Array.isArray(value)
    ? `[ ${plural(entries.length, "item")} ]`
    : `{ ${plural(entries.length, "field")} }`;
  if (entries.length === 0) {
    return h(
      "div",
      { class: "tree-leaf" },
      name,
      h("span", { class: "tree-size" }, Array.isArray(value) ? "[ ]" : "{ }"),
    );
  }
  const children = h("div", { class: "tree-children" });
  const branch = h(
    "details",
    { class: "tree-branch" },
    h("summary", {}, name, h("span", { class: "tree-size" }, size)),
    children,
  );
  const inner = entries.length > OPENS_WITH_CHILDREN ? 0 : Math.max(0, levels - 1);
  const build = () => {
    if (!children.hasChildNodes()) addPortion(children, entries, 0, inner);
  };
  branch.addEventListener("toggle", () => {
    if (branch.open) build();
  });
  if (levels > 0) {
    build();
    branch.open = true;
  }
  return branch;
}

/**
 * @param {HTMLElement} parent
 * @param {[string, unknown][]} entries
 * @param {number} from
 * @param {number} levels
 */
function addPortion(parent, entries, from, levels) {
  const next = from + PORTION;
  parent.append(...entries.slice(from, next).map(([key, value]) => node(key, value, levels)));
  if (next >= entries.length) return;
  const button = h(
    "button",
    {
      type: "button",
      class: "link-button",
      on: {
        click: () => {
          button.remove();
          addPortion(parent, entries, next, levels);
        },
      },
    },
    `… show more (${(entries.length - next).toLocaleString("en")} left)`,
  );
  parent.append(button);
}

/** @param {unknown} value */
function leaf(value) {
  if (typeof value === "string")
    return h("span", { class: "tree-string" }, ...longText(JSON.stringify(value), LONG_STRING));
  return h("span", { class: `tree-${value === null ? "null" : typeof value}` }, String(value));
}
