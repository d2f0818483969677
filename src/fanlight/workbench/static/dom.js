/**
 * How this page makes elements. Text from servers only ever becomes a text node or an attribute value that
 * is not a script; nothing here, or anywhere in the workbench, parses a string as HTML. Characters that would
 * hide or reorder what a person reads are spelled out.
 */

import { visible, visibleLine } from "../../runtime/visible.js";

const MAX_LINE = 300;
// Attributes that a person reads.
const READ = new Set(["title", "aria-label", "placeholder", "label"]);

/**
 * @typedef {{[E in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[E]) => void}} Listeners
 * @typedef {Node | string | null | undefined | false} Child
 * @typedef {Record<string, string | number | boolean | undefined | Listeners>} Props
 */

/**
 * Create an element. A prop that is false or undefined is left out, true is an empty attribute, `on` holds
 * listeners.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Props} [props]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "object") {
      for (const [event, listener] of Object.entries(value)) {
        element.addEventListener(event, /** @type {EventListener} */ (listener));
      }
    } else {
      const text = value === true ? "" : String(value);
      element.setAttribute(name, READ.has(name) ? shortened(visibleLine(text)) : text);
    }
  }
  element.append(...present(children));
  return element;
}

/**
 * Replace what an element holds, skipping absent children.
 *
 * @param {Element} parent
 * @param {...Child} children
 */
export function fill(parent, ...children) {
  parent.replaceChildren(...present(children));
}

/**
 * The element of index.html with this id.
 *
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`index.html has no element #${id}`);
  return element;
}

/**
 * As much of a line as fits into a title or a tooltip.
 *
 * @param {string} line
 */
export function shortened(line) {
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
}

let lastId = 0;

/**
 * An id for label and aria references. Names from servers are never used as ids: they may clash or lie.
 *
 * @param {string} prefix
 */
export function newId(prefix) {
  lastId += 1;
  return `${prefix}-${lastId}`;
}

/** @param {number} ms */
export function formatMs(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

/**
 * @param {number} count
 * @param {string} noun
 */
export function plural(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * Say something to screen readers without moving the focus.
 *
 * @param {string} sentence
 */
export function announce(sentence) {
  byId("status").textContent = shortened(visibleLine(sentence));
}

/**
 * Read or, given a value, keep a setting. A browser that refuses storage just forgets.
 *
 * @param {"localStorage" | "sessionStorage"} area
 * @param {string} key
 * @param {string | null} [value] null removes it
 * @returns {string | null}
 */
export function setting(area, key, value) {
  try {
    if (value === null) window[area].removeItem(key);
    else if (value !== undefined) window[area].setItem(key, value);
    return window[area].getItem(key);
  } catch {
    return value ?? null;
  }
}

/**
 * @param {Child[]} children
 * @returns {(Node | string)[]}
 */
function present(children) {
  return children
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (typeof child === "string" ? visible(child.replaceAll("\r\n", "\n")) : child));
}
