/** What a JSON-RPC message is: its kind and, for an answer, which request it answers. Pure. */

import { formatMs } from "../dom.js";
import { isObject } from "./fields.js";

/** @import { Direction } from "../types.js" */

/**
 * @typedef {object} MessageLabel
 * @property {"request" | "notification" | "answer" | "error" | "other"} kind
 * @property {string} title
 * @property {string} method the method, or that of the answered request; empty when unknown
 * @property {string} [detail]
 */

// Requests that nobody answers are forgotten in the end, oldest first.
const MAX_OPEN = 1000;

export class Correlator {
  /** @type {Map<string, {method: string, at: number}>} */
  #open = new Map();

  /**
   * @param {Direction} direction
   * @param {unknown} message
   * @param {number} at milliseconds since the start of the run
   * @returns {MessageLabel}
   */
  label(direction, message, at) {
    if (!isObject(message)) return { kind: "other", title: "not a JSON-RPC message", method: "" };
    const { id, method } = message;
    if (typeof method === "string") {
      if (id === undefined) return { kind: "notification", title: method, method };
      this.#remember(openKey(direction, id), { method, at });
      return { kind: "request", title: method, method, detail: `id ${JSON.stringify(id)}` };
    }
    const failed = isObject(message["error"]);
    if (!failed && !("result" in message))
      return { kind: "other", title: "not a JSON-RPC message", method: "" };
    const asked = this.#take(openKey(direction === "to-view" ? "from-view" : "to-view", id));
    const code = isObject(message["error"]) ? message["error"]["code"] : undefined;
    /** @type {MessageLabel} */
    const label = {
      kind: failed ? "error" : "answer",
      title: `${failed ? "error" : "answer"} to ${asked ? asked.method : `id ${JSON.stringify(id)}`}`,
      method: asked?.method ?? "",
    };
    const details = [
      code === undefined ? null : String(code),
      asked && `after ${formatMs(at - asked.at)}`,
    ].filter(Boolean);
    if (details.length > 0) label.detail = details.join(" · ");
    return label;
  }

  /**
   * @param {string} key
   * @param {{method: string, at: number}} request
   */
  #remember(key, request) {
    this.#open.set(key, request);
    if (this.#open.size <= MAX_OPEN) return;
    const [oldest] = this.#open.keys();
    if (oldest !== undefined) this.#open.delete(oldest);
  }

  /** @param {string} key */
  #take(key) {
    const request = this.#open.get(key);
    this.#open.delete(key);
    return request;
  }
}

/**
 * The ids 1 and "1" are different requests, hence JSON.
 *
 * @param {Direction} asker
 * @param {unknown} id
 */
function openKey(asker, id) {
  return `${asker} ${JSON.stringify(id)}`;
}
