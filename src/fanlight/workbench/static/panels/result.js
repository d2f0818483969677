/** A tool's result, complete: what a person reads, what the model and the view get, and what was not foreseen. */

import { fill, formatMs, h } from "../dom.js";
import { emptyState, notice } from "./notice.js";
import { copyButton, jsonTree, longText } from "./tree.js";

/** @import { CallResult, JSONObject, Outcome } from "../types.js" */

const LONG_RESULT = 100_000;

/**
 * The text of a result: what a host without apps shows.
 *
 * @param {CallResult} result
 */
export function textOf(result) {
  return blocksOf(result)
    .map((block) => (block["type"] === "text" && typeof block["text"] === "string" ? block["text"] : null))
    .filter((text) => text !== null)
    .join("\n\n");
}

export class ResultPanel {
  #box = h("div", { class: "panel-scroll" });

  constructor() {
    this.element = h("div", { class: "panel" }, this.#box);
    this.restart();
  }

  restart() {
    fill(
      this.#box,
      emptyState({ title: "No result yet", message: "Run the tool: what it answers appears here." }),
    );
  }

  waiting() {
    fill(
      this.#box,
      h(
        "p",
        { class: "panel-waiting", role: "status" },
        h("span", { class: "spinner", "aria-hidden": "true" }),
        "The tool is running…",
      ),
    );
  }

  /** @param {Outcome} outcome */
  show(outcome) {
    if (outcome.status === "failed") {
      return fill(
        this.#box,
        h(
          "div",
          { class: "result" },
          resultHead("failed", "error", outcome.ms),
          notice("error", { title: "The call failed", ...outcome.error }),
        ),
      );
    }
    const { content: _, structuredContent, _meta, isError, ...others } = outcome.result;
    const blocks = blocksOf(outcome.result);
    const texts = blocks.filter((block) => block["type"] === "text");
    fill(
      this.#box,
      h(
        "div",
        { class: "result" },
        resultHead(isError ? "tool error" : "done", isError ? "error" : "ok", outcome.ms, outcome.result),
        isError &&
          notice("error", {
            title: "The tool reported an error",
            testid: "result-error",
            message: "It ran and answered with isError: true. Its own words are below.",
          }),
        texts.length > 0 &&
          section("Text", h("div", { "data-testid": "result-text" }, ...texts.map(drawText))),
        ...blocks.filter((block) => block["type"] !== "text").map(drawBlock),
        structuredContent !== undefined &&
          section("structuredContent", jsonTree(structuredContent, 2), () => structuredContent),
        _meta !== undefined && section("_meta", jsonTree(_meta), () => _meta),
        Object.keys(others).length > 0 && section("Other fields", jsonTree(others)),
        blocks.length === 0 &&
          structuredContent === undefined &&
          h("p", { class: "panel-note" }, "The tool answered with no content."),
      ),
    );
  }
}

/**
 * @param {string} word
 * @param {"ok" | "error"} level
 * @param {number | undefined} ms
 * @param {CallResult} [result]
 */
function resultHead(word, level, ms, result) {
  return h(
    "div",
    { class: "result-head" },
    h("span", { class: `badge badge-${level}`, "data-testid": "result-status" }, word),
    ms !== undefined && h("span", { class: "result-ms", "data-testid": "result-ms" }, formatMs(ms)),
    result && copyButton(() => result),
  );
}

/**
 * @param {string} title
 * @param {Node} body
 * @param {() => unknown} [copied]
 */
function section(title, body, copied) {
  return h(
    "section",
    { class: "result-section" },
    h(
      "div",
      { class: "result-section-head" },
      h("h3", { class: "section-title" }, title),
      copied && copyButton(copied),
    ),
    body,
  );
}

/** @param {JSONObject} block */
function drawText(block) {
  const text = typeof block["text"] === "string" ? block["text"] : "";
  return h("pre", { class: "text-block", dir: "auto" }, ...longText(text, LONG_RESULT));
}

/** @param {JSONObject} block */
function drawBlock(block) {
  const { type, data, mimeType, uri, resource } = block;
  if (
    type === "image" &&
    typeof data === "string" &&
    typeof mimeType === "string" &&
    /^image\/[\w.+-]+$/.test(mimeType)
  ) {
    return section(
      `Image · ${mimeType}`,
      h("img", {
        class: "image-block",
        src: `data:${mimeType};base64,${data}`,
        alt: "Image in the tool's result",
      }),
    );
  }
  if (type === "audio") return section(`Audio · ${String(mimeType)}`, jsonTree(block));
  if (type === "resource_link") {
    return section(
      "Resource link",
      h("div", {}, h("p", { class: "mono text-line" }, String(uri)), jsonTree(block)),
    );
  }
  if (type === "resource" && typeof resource === "object" && resource !== null) {
    const { uri: address, text } = /** @type {JSONObject} */ (resource);
    return section(
      "Embedded resource",
      h(
        "div",
        {},
        h("p", { class: "mono text-line" }, String(address)),
        typeof text === "string" ? drawText({ text }) : jsonTree(resource),
      ),
    );
  }
  return section(`Content of type ${JSON.stringify(type)}`, jsonTree(block, 2));
}

/**
 * @param {CallResult} result
 * @returns {JSONObject[]}
 */
function blocksOf(result) {
  return (Array.isArray(result.content) ? result.content : []).filter(
    (block) => typeof block === "object" && block !== null,
  );
}
