/** The head of the main column: which tool this is, what it does, and what is special about it. */

import { h } from "../dom.js";
import { icon } from "../icons.js";
import { notice } from "./notice.js";

/** @import { Choice, Tool } from "../types.js" */

const LONG_DESCRIPTION = 360;

/** @param {Choice} choice */
export function toolHead({ server, tool }) {
  return h(
    "header",
    { class: "tool-head", "data-testid": "tool-head" },
    h("p", { class: "tool-head-server", dir: "auto", title: server.name }, server.title ?? server.name),
    h(
      "div",
      { class: "tool-head-line" },
      h("h1", { class: "tool-head-title", dir: "auto", title: tool.name }, tool.title ?? tool.name),
      tool.title && tool.title !== tool.name && h("code", { class: "tool-head-name" }, tool.name),
      h("span", { class: "tags" }, ...tagsOf(tool)),
    ),
    tool.description && description(tool.description),
    tool.problem &&
      notice("warning", {
        title: "Its app cannot be shown",
        message: tool.problem,
        remedy: "The tool can still be run: its text result is shown.",
        testid: "tool-problem",
      }),
  );
}

/** @param {Tool} tool */
function tagsOf(tool) {
  const tags = [];
  if (tool.hasApp)
    tags.push(h("span", { class: "tag tag-app", title: "This tool shows an app" }, icon("app"), "app"));
  if (!tool.visibility.includes("model")) {
    tags.push(h("span", { class: "tag", title: "Only views may call it, not the model" }, "app-only"));
  }
  if (!tool.visibility.includes("app")) {
    tags.push(h("span", { class: "tag", title: "Only the model may call it, not views" }, "model-only"));
  }
  if (tool.readOnly)
    tags.push(h("span", { class: "tag", title: "The server says that it changes nothing" }, "read-only"));
  return tags;
}

/** @param {string} text */
function description(text) {
  const paragraph = h("p", { class: "tool-head-description", dir: "auto" }, text.trim());
  if (text.length <= LONG_DESCRIPTION) return paragraph;
  paragraph.classList.add("clamped");
  const button = h(
    "button",
    {
      type: "button",
      class: "link-button",
      "aria-expanded": "false",
      on: {
        click: () => {
          const clamped = paragraph.classList.toggle("clamped");
          button.setAttribute("aria-expanded", String(!clamped));
          button.textContent = clamped ? "Show more" : "Show less";
        },
      },
    },
    "Show more",
  );
  return h("div", {}, paragraph, button);
}
