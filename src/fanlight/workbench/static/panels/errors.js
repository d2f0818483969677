/**
 * What went wrong inside a view, as far as the view says so: its log lines of level error and above. With
 * `fanlight dev` views of the server kit log what their scripts did not catch, with file, line and column.
 */

import { announce, fill, h, plural } from "../dom.js";
import { icon } from "../icons.js";
import { isObject } from "./fields.js";
import { copyButton, longText } from "./tree.js";

/** @typedef {{message: string, place?: string | undefined, count: number}} ViewError */

const LEVELS = new Set(["error", "critical", "alert", "emergency"]);
const MAX_KEPT = 20;
const MAX_COUNT = 99;
const LONG_MESSAGE = 600;
const MAX_PLACE = 300;

export class ErrorsPanel {
  /** Equal ones are counted. @type {Map<string, ViewError>} */
  #errors = new Map();
  #count = 0;
  #drawRequested = false;
  /** Stands beside the verdict. */
  badge = h("span", { class: "badge badge-error", hidden: true, "data-testid": "view-error-count" });
  element = h("section", {
    class: "view-errors",
    "aria-label": "Errors of the view",
    hidden: true,
    "data-testid": "view-errors",
  });

  /** A new view, or the same one loaded anew. */
  restart() {
    this.#errors.clear();
    this.#count = 0;
    this.#draw();
  }

  /**
   * @param {unknown} message what the view said, whatever it is
   */
  hear(message) {
    if (!isObject(message)) return;
    if (message["method"] === "ui/initialize") this.restart();
    const params = message["params"];
    if (message["method"] !== "notifications/message" || !isObject(params)) return;
    if (!LEVELS.has(String(params["level"]))) return;
    this.#add(errorOf(params["data"]));
  }

  /** @param {ViewError} error */
  #add(error) {
    const key = JSON.stringify([error.message, error.place]);
    const known = this.#errors.get(key);
    this.#count += 1;
    if (known) known.count += 1;
    else if (this.#errors.size < MAX_KEPT) this.#errors.set(key, error);
    if (this.#drawRequested) return;
    this.#drawRequested = true;
    requestAnimationFrame(() => {
      this.#drawRequested = false;
      this.#draw();
    });
  }

  #draw() {
    const isNew = this.element.hidden && this.#count > 0;
    this.badge.hidden = this.element.hidden = this.#count === 0;
    const words = this.#count > MAX_COUNT ? `${MAX_COUNT}+ errors` : plural(this.#count, "error");
    const errors = [...this.#errors.values()];
    fill(this.badge, words);
    fill(
      this.element,
      h(
        "div",
        { class: "view-errors-head" },
        icon("error"),
        h("h3", { class: "view-errors-title" }, `${words} in this view`),
        copyButton(() => errors.map(inOneLine).join("\n")),
      ),
      h("ol", { class: "view-errors-list" }, ...errors.map(row)),
    );
    if (isNew && errors[0]) announce(`The view has an error: ${inOneLine(errors[0])}`);
  }
}

/** @param {ViewError} error */
function row({ message, place, count }) {
  return h(
    "li",
    { class: "view-error", "data-testid": "view-error" },
    h("span", { class: "view-error-message", dir: "auto" }, ...longText(message, LONG_MESSAGE)),
    h(
      "span",
      { class: "view-error-where" },
      count > 1 && `× ${count > MAX_COUNT ? `${MAX_COUNT}+` : count} `,
      place && h("code", { "data-testid": "view-error-place" }, place),
    ),
  );
}

/** @param {ViewError} error */
function inOneLine({ message, place }) {
  return place ? `${message} (${place})` : message;
}

/**
 * @param {unknown} data any JSON value, or what is not even that
 * @returns {ViewError}
 */
function errorOf(data) {
  if (isObject(data) && typeof data["message"] === "string") {
    const place = typeof data["place"] === "string" ? data["place"].slice(0, MAX_PLACE) : undefined;
    return { message: data["message"], place, count: 1 };
  }
  if (typeof data === "string") return { message: data, count: 1 };
  try {
    return { message: JSON.stringify(data) ?? "an error without words", count: 1 };
  } catch {
    return { message: "an error that is no JSON", count: 1 };
  }
}
