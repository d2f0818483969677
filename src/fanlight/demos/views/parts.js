// What the demos share: making elements without markup, so that no text of a server is ever read as HTML.

/**
 * @param {string} tag
 * @param {Record<string, unknown>} [properties] attributes; functions become listeners
 * @param {(Node | string | number)[]} children
 */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") element.addEventListener(name, /** @type {EventListener} */ (value));
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.map((child) => (child instanceof Node ? child : String(child))));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** @param {string} tag @param {Record<string, string | number>} attributes @param {Node[]} children */
export function draw(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** The element with this id. @param {string} id */
export const at = (id) => /** @type {any} */ (document.getElementById(id));

/** Numbers as people here write them. @param {number} value @param {Intl.NumberFormatOptions} [options] */
export function figure(value, options) {
  return new Intl.NumberFormat(fanlight.context.locale, options).format(value);
}

/** Call `work` when nothing has asked for it for a moment. @param {() => void} work @param {number} ms */
export function later(work, ms) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, ms);
  };
}
