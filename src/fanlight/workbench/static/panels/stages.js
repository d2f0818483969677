/** The stages of a view's way to the screen, as a small timeline. */

import { fill, formatMs, h } from "../dom.js";
import { emptyState } from "./notice.js";

/** @import { StageDetail } from "../types.js" */

// A view passes about ten stages; a broken one that loops must not fill the page.
const MAX_STAGES = 100;

export class StagesPanel {
  /** @type {StageDetail[]} */
  #stages = [];
  #box = h("div", { class: "panel-scroll" });

  constructor() {
    this.element = h("div", { class: "panel" }, this.#box);
    this.#draw();
  }

  /** @param {StageDetail} stage ms counts from the start of the view */
  add(stage) {
    if (this.#stages.length >= MAX_STAGES) return;
    this.#stages.push(stage);
    this.#draw();
  }

  restart() {
    this.#stages = [];
    this.#draw();
  }

  #draw() {
    if (this.#stages.length === 0) {
      return fill(
        this.#box,
        emptyState({
          title: "No stages yet",
          message:
            "Run a tool with an app: the steps from the call to the view on screen appear here, with their times.",
        }),
      );
    }
    const end = Math.max(1, ...this.#stages.map((stage) => stage.ms));
    let before = 0;
    const rows = this.#stages.map((stage) => {
      const bar = h("span", { class: "stage-bar" });
      bar.style.setProperty("--from", `${(Math.min(before, stage.ms) / end) * 100}%`);
      bar.style.setProperty("--size", `${(Math.max(0, stage.ms - before) / end) * 100}%`);
      const row = h(
        "li",
        { class: "stage", "data-testid": "stage-row", "data-stage": stage.name },
        h("span", { class: "stage-name" }, stage.name),
        h("span", { class: "stage-track", "aria-hidden": "true" }, bar),
        h("span", { class: "stage-ms" }, formatMs(stage.ms)),
        stage.detail && h("p", { class: "stage-detail" }, stage.detail),
      );
      before = Math.max(before, stage.ms);
      return row;
    });
    fill(this.#box, h("ol", { class: "stages", "aria-label": "Stages" }, ...rows));
  }
}
