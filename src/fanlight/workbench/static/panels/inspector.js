/** The inspector: Messages, Stages and Result of the last run, as tabs. */

import { byId, fill, h, newId } from "../dom.js";
import { MessagesPanel } from "./messages.js";
import { nameParts } from "./notice.js";
import { ResultPanel } from "./result.js";
import { StagesPanel } from "./stages.js";

/** @import { Choice } from "../types.js" */

/** @typedef {"messages" | "stages" | "result"} TabName */

export class Inspector {
  #count = h("span", { class: "tab-count", hidden: true });
  #subject = h("p", { class: "inspector-subject", hidden: true });
  /** @type {{name: TabName, tab: HTMLButtonElement, page: HTMLElement}[]} */
  #tabs;

  constructor() {
    this.messages = new MessagesPanel((count) => {
      this.#count.hidden = count === 0;
      fill(this.#count, count.toLocaleString("en"));
    });
    this.stages = new StagesPanel();
    this.result = new ResultPanel();
    this.#tabs = [
      this.#tab("messages", "Messages", this.messages.element, this.#count),
      this.#tab("stages", "Stages", this.stages.element),
      this.#tab("result", "Result", this.result.element),
    ];
    fill(
      byId("inspector"),
      h(
        "div",
        {
          class: "tabs",
          role: "tablist",
          "aria-label": "Inspector",
          on: { keydown: (event) => this.#moveWithKeys(event) },
        },
        ...this.#tabs.map(({ tab }) => tab),
      ),
      this.#subject,
      ...this.#tabs.map(({ page }) => page),
    );
    this.select("messages");
  }

  /** @param {TabName} name */
  select(name) {
    for (const { name: each, tab, page } of this.#tabs) {
      tab.setAttribute("aria-selected", String(each === name));
      tab.tabIndex = each === name ? 0 : -1;
      page.hidden = each !== name;
    }
  }

  /**
   * Forget the last run and get ready for the next.
   *
   * @param {Choice} choice
   */
  restart(choice) {
    this.#subject.hidden = false;
    fill(this.#subject, ...nameParts(choice));
    this.messages.restart();
    this.stages.restart();
    this.result.waiting();
  }

  /**
   * @param {TabName} name
   * @param {string} word
   * @param {HTMLElement} content
   * @param {HTMLElement} [count]
   */
  #tab(name, word, content, count) {
    const page = h(
      "div",
      { class: "tab-page", role: "tabpanel", id: newId("page"), "data-testid": `page-${name}` },
      content,
    );
    const tab = h(
      "button",
      {
        type: "button",
        class: "tab",
        role: "tab",
        id: newId("tab"),
        "aria-controls": page.id,
        "data-testid": `tab-${name}`,
        on: { click: () => this.select(name) },
      },
      word,
      count,
    );
    page.setAttribute("aria-labelledby", tab.id);
    return { name, tab, page };
  }

  /** @param {KeyboardEvent} event */
  #moveWithKeys(event) {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const here = this.#tabs.findIndex(({ tab }) => tab === document.activeElement);
    const next = this.#tabs[(here + step + this.#tabs.length) % this.#tabs.length];
    if (!next) return;
    this.select(next.name);
    next.tab.focus();
  }
}
