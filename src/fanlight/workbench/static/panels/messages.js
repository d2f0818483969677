/**
 * The JSON-RPC messages between host and view, newest last. Keeps a bounded number, says so when older ones
 * were let go, and draws at most once per frame, so that a chatty view cannot freeze the page.
 */

import { fill, formatMs, h, plural } from "../dom.js";
import { icon } from "../icons.js";
import { emptyState } from "./notice.js";
import { Correlator } from "./rpc.js";
import { copyButton, jsonTree } from "./tree.js";

/** @import { Direction } from "../types.js" */
/** @import { MessageLabel } from "./rpc.js" */

/**
 * @typedef {object} Entry
 * @property {Direction} direction
 * @property {unknown} message
 * @property {number} at
 * @property {MessageLabel} label
 * @property {HTMLElement} [row]
 */

const MAX_KEPT = 1000;
const NEAR_END_PX = 40;

export class MessagesPanel {
  /** @type {Entry[]} */
  #entries = [];
  /** The newest entries that were not yet looked at for drawing. @type {Entry[]} */
  #pending = [];
  #correlator = new Correlator();
  #letGo = 0;
  #paused = false;
  #drawRequested = false;
  #filter = h("input", {
    type: "search",
    class: "input input-small",
    placeholder: "Filter messages",
    "aria-label": "Filter messages",
    "data-testid": "message-filter",
    on: { input: () => this.#refilter() },
  });
  #pauseButton = h("button", {
    type: "button",
    class: "button button-small",
    "aria-pressed": "false",
    "data-testid": "message-pause",
    on: { click: () => this.#setPaused(!this.#paused) },
  });
  #note = h("p", { class: "panel-note", hidden: true, "data-testid": "messages-let-go" });
  #list = h("ol", { class: "messages", "aria-label": "Messages" });
  #empty = h("div", {});
  #scroller = h("div", { class: "panel-scroll" }, this.#list, this.#empty);

  /** @param {(count: number) => void} onCount */
  constructor(onCount) {
    this.onCount = onCount;
    this.element = h(
      "div",
      { class: "panel" },
      h(
        "div",
        { class: "panel-bar" },
        this.#filter,
        this.#pauseButton,
        copyButton(() =>
          this.#matching(this.#entries).map(({ direction, at, message }) => ({
            direction,
            ms: Math.round(at),
            message,
          })),
        ),
        h(
          "button",
          {
            type: "button",
            class: "icon-button icon-button-small",
            "aria-label": "Clear messages",
            title: "Clear",
            "data-testid": "message-clear",
            on: { click: () => this.clear() },
          },
          icon("trash"),
        ),
      ),
      this.#note,
      this.#scroller,
    );
    this.#setPaused(false);
  }

  /**
   * @param {Direction} direction
   * @param {unknown} message
   * @param {number} at milliseconds since the start of the run
   */
  add(direction, message, at) {
    const label = this.#correlator.label(direction, message, at);
    const entry = { direction, message, at, label };
    this.#entries.push(entry);
    this.#pending.push(entry);
    if (this.#entries.length > MAX_KEPT) {
      // When paused the row stays on screen until the list moves again.
      const oldest = this.#entries.shift();
      if (!this.#paused) oldest?.row?.remove();
      if (this.#pending.length > MAX_KEPT) this.#pending.shift();
      this.#letGo += 1;
    }
    this.#requestDraw();
  }

  clear() {
    this.#entries = [];
    this.#letGo = 0;
    this.#note.hidden = true;
    this.#redraw();
    this.#drawEmpty();
  }

  /** A new run: nothing of the last one is kept, not even which of its requests were open. */
  restart() {
    this.#correlator = new Correlator();
    this.#setPaused(false);
    this.clear();
  }

  #requestDraw() {
    if (this.#drawRequested) return;
    this.#drawRequested = true;
    requestAnimationFrame(() => {
      this.#drawRequested = false;
      this.#draw();
    });
  }

  #draw() {
    this.onCount(this.#entries.length);
    this.#drawPauseButton();
    if (this.#paused) return;
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    const follows = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
    const fresh = this.#matching(this.#pending);
    this.#pending = [];
    this.#list.append(...fresh.map(draw));
    this.#note.hidden = this.#letGo === 0;
    fill(
      this.#note,
      `${plural(this.#letGo, "older message")} let go; the last ${MAX_KEPT.toLocaleString("en")} are kept.`,
    );
    this.#drawEmpty();
    if (follows && fresh.length > 0) this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  #redraw() {
    this.#list.replaceChildren();
    this.#pending = [...this.#entries];
    this.#draw();
  }

  /** Choosing what to look at is a wish to look at it now, also when paused. */
  #refilter() {
    this.#setPaused(false);
  }

  #drawEmpty() {
    const drawn = this.#list.hasChildNodes();
    this.#empty.hidden = drawn;
    if (drawn) return;
    fill(
      this.#empty,
      this.#entries.length > 0
        ? emptyState({ title: "No message matches", message: "Change the filter to see more." })
        : emptyState({
            title: "No messages yet",
            message: "Run a tool with an app: what host and view say to each other appears here.",
          }),
    );
  }

  /** @param {Entry[]} entries */
  #matching(entries) {
    const wanted = this.#filter.value.trim().toLowerCase();
    if (wanted === "") return entries;
    return entries.filter(
      (entry) =>
        entry.label.title.toLowerCase().includes(wanted) ||
        JSON.stringify(entry.message).toLowerCase().includes(wanted),
    );
  }

  /** @param {boolean} paused */
  #setPaused(paused) {
    this.#paused = paused;
    this.#pauseButton.setAttribute("aria-pressed", String(paused));
    if (paused) this.#drawPauseButton();
    else this.#redraw();
  }

  #drawPauseButton() {
    const waiting = this.#pending.length;
    fill(
      this.#pauseButton,
      icon(this.#paused ? "play" : "pause"),
      !this.#paused ? "Pause" : waiting > 0 ? `Resume (${waiting})` : "Resume",
    );
  }
}

/** @param {Entry} entry */
function draw(entry) {
  const { direction, message, at, label } = entry;
  const details = h(
    "details",
    {},
    h(
      "summary",
      { class: "message-line" },
      icon(
        direction === "from-view" ? "fromView" : "toView",
        direction === "from-view" ? "from the view" : "to the view",
      ),
      h("span", { class: "message-title", title: label.title }, label.title),
      label.detail && h("span", { class: "message-detail" }, label.detail),
      h("span", { class: "message-time" }, formatMs(at)),
    ),
  );
  details.addEventListener("toggle", () => {
    if (!details.open || details.childElementCount > 1) return;
    details.append(
      h(
        "div",
        { class: "message-body" },
        copyButton(() => message),
        jsonTree(message, 3),
      ),
    );
  });
  entry.row = h(
    "li",
    {
      class: `message message-${label.kind}`,
      "data-testid": "message-row",
      "data-direction": direction,
      "data-kind": label.kind,
      "data-method": label.method,
    },
    details,
  );
  return entry.row;
}
