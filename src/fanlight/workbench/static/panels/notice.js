/** Sentences for the person: what happened, why, and what to do. */

import { h } from "../dom.js";
import { icon } from "../icons.js";

/** @import { Child } from "../dom.js" */
/** @import { Choice } from "../types.js" */

/**
 * A coloured box in the flow of the page.
 *
 * @param {"error" | "warning" | "info"} level
 * @param {{title?: string, message?: string | undefined, remedy?: string | undefined, testid?: string}} text
 * @param {...Child} more
 */
export function notice(level, text, ...more) {
  return h(
    "div",
    {
      class: `notice notice-${level}`,
      role: level === "error" ? "alert" : undefined,
      "data-testid": text.testid,
    },
    icon(level === "warning" ? "warning" : "error"),
    h(
      "div",
      { class: "notice-body" },
      text.title && h("p", { class: "notice-title" }, text.title),
      text.message && h("p", { class: "notice-message", dir: "auto" }, text.message),
      text.remedy && h("p", { class: "notice-remedy", dir: "auto" }, text.remedy),
      ...more,
    ),
  );
}

/**
 * What an empty place says: why it is empty and what fills it.
 *
 * @param {{title: string, message?: string, testid?: string}} text
 * @param {...Child} more
 */
export function emptyState(text, ...more) {
  return h(
    "div",
    { class: "empty", "data-testid": text.testid },
    icon("app"),
    h("p", { class: "empty-title" }, text.title),
    text.message && h("p", { class: "empty-message" }, text.message),
    ...more,
  );
}

/**
 * Server and tool in one line, of which the server gives way first when there is little room.
 *
 * @param {Choice} choice
 */
export function nameParts({ server, tool }) {
  return [
    h("span", { class: "name-server", dir: "auto", title: server.name }, server.name),
    h("span", { class: "name-dot" }, "·"),
    h("span", { class: "name-tool", dir: "auto", title: tool.name }, tool.name),
  ];
}
