/** Servers and their tools: filter, marks, and the keyboard way through the list. */

import { byId, fill, h, plural } from "../dom.js";
import { icon } from "../icons.js";
import { notice } from "./notice.js";

/** @import { Choice, Server, State, Tool } from "../types.js" */

const FAILED_REMEDY = "Check that the server can be started or reached, then press Refresh.";

export class Sidebar {
  /** @type {Server[]} */
  #servers = [];
  /** @type {Choice | null} */
  #selected = null;
  /** @type {Choice | null} */
  #live = null;
  #filter = h("input", {
    type: "search",
    class: "input",
    placeholder: "Filter tools",
    "aria-label": "Filter tools",
    "data-testid": "tool-filter",
    on: { input: () => this.#draw(), keydown: (event) => this.#moveWithKeys(event) },
  });
  #appsOnly = h(
    "button",
    {
      type: "button",
      class: "chip",
      "aria-pressed": "false",
      title: "Only tools with an app",
      "data-testid": "apps-only",
      on: { click: () => this.#toggleAppsOnly() },
    },
    icon("app"),
    "Apps",
  );
  #list = h("div", { class: "servers", on: { keydown: (event) => this.#moveWithKeys(event) } });

  /** @param {{select: (choice: Choice) => void, refresh: () => void}} actions */
  constructor(actions) {
    this.actions = actions;
    fill(
      byId("sidebar"),
      h(
        "div",
        { class: "sidebar-head" },
        h("div", { class: "search" }, icon("search"), this.#filter, h("kbd", { "aria-hidden": "true" }, "/")),
        this.#appsOnly,
        h(
          "button",
          {
            type: "button",
            class: "icon-button",
            "aria-label": "Refresh servers and tools",
            title: "Refresh",
            "data-testid": "refresh-button",
            on: { click: () => this.actions.refresh() },
          },
          icon("refresh"),
        ),
      ),
      h("nav", { class: "sidebar-scroll", "aria-label": "Tools" }, this.#list),
    );
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || isTyping(event.target)) return;
      event.preventDefault();
      this.#filter.focus();
    });
  }

  /** @param {State} state */
  show(state) {
    this.#servers = state.servers;
    this.#draw();
  }

  /** @param {Choice | null} choice */
  markSelected(choice) {
    this.#selected = choice;
    this.#mark();
  }

  /** @param {Choice | null} choice the tool whose view is open */
  markLive(choice) {
    this.#live = choice;
    this.#mark();
  }

  #draw() {
    if (this.#servers.length === 0) {
      return fill(this.#list, h("p", { class: "sidebar-note", "data-testid": "no-servers" }, "No servers."));
    }
    const groups = this.#servers.map((server) => this.#drawServer(server)).filter((group) => group !== null);
    fill(this.#list, ...groups);
    if (groups.length === 0) fill(this.#list, this.#noMatch());
    this.#mark();
  }

  /** @param {Server} server */
  #drawServer(server) {
    const failed = server.status === "failed";
    const tools = server.tools.filter((tool) => this.#wants(tool));
    const filtering = tools.length < server.tools.length;
    if (filtering && tools.length === 0) return null;
    return h(
      "section",
      {
        class: "server",
        "data-testid": "server-item",
        "data-server": server.name,
        "data-status": server.status,
      },
      h(
        "header",
        { class: "server-head" },
        h("span", { class: `dot dot-${failed ? "bad" : "ok"}`, title: failed ? "failed" : "connected" }),
        h(
          "h2",
          {
            class: "server-name",
            dir: "auto",
            title: server.title ? `${server.title} (${server.name})` : server.name,
          },
          server.title ?? server.name,
        ),
        h("span", { class: "server-version" }, server.version),
        h("span", { class: "server-count" }, failed ? "failed" : plural(tools.length, "tool")),
      ),
      failed &&
        notice("error", {
          message: server.error ?? "The connection failed.",
          remedy: server.remedy ?? FAILED_REMEDY,
          testid: "server-error",
        }),
      !failed &&
        server.tools.length === 0 &&
        h("p", { class: "sidebar-note" }, "This server offers no tools."),
      tools.length > 0 &&
        h("ul", { class: "tools" }, ...tools.map((tool) => h("li", {}, this.#drawTool({ server, tool })))),
    );
  }

  /** @param {Choice} choice */
  #drawTool(choice) {
    const { server, tool } = choice;
    const mark = tool.problem
      ? icon("warning", "its app cannot be shown")
      : tool.hasApp
        ? icon("app", "has an app")
        : icon("tool");
    const kind = tool.problem ? "problem" : tool.hasApp ? "app" : "plain";
    return h(
      "button",
      {
        type: "button",
        class: `tool tool-${kind}`,
        tabindex: -1,
        "data-testid": "tool-item",
        "data-tool": tool.name,
        "data-server": server.name,
        "data-has-app": String(tool.hasApp),
        title: tool.title ? `${tool.title} (${tool.name})` : tool.name,
        on: { click: () => this.actions.select(choice) },
      },
      mark,
      h("span", { class: "tool-name", dir: "auto" }, tool.title ?? tool.name),
      h("span", { class: "tool-live", title: "Its view is open" }),
      !tool.visibility.includes("model") &&
        h("span", { class: "tag", title: "Only views may call it, not the model" }, "app-only"),
    );
  }

  #mark() {
    const items = this.#items();
    let tabStop = items[0];
    for (const item of items) {
      const here = isItemOf(item, this.#selected);
      if (here) {
        item.setAttribute("aria-current", "true");
        tabStop = item;
      } else {
        item.removeAttribute("aria-current");
      }
      item.tabIndex = -1;
      item.querySelector(".tool-live")?.toggleAttribute("data-on", isItemOf(item, this.#live));
    }
    if (tabStop) tabStop.tabIndex = 0;
  }

  /** @param {Tool} tool */
  #wants(tool) {
    if (this.#appsOnly.ariaPressed === "true" && !tool.hasApp) return false;
    const wanted = this.#filter.value.trim().toLowerCase();
    return [tool.name, tool.title, tool.description].some((text) => text?.toLowerCase().includes(wanted));
  }

  #noMatch() {
    const reason = this.#filter.value.trim() ? "No tool matches the filter." : "No tool has an app.";
    return h(
      "p",
      { class: "sidebar-note" },
      reason,
      " ",
      h(
        "button",
        {
          type: "button",
          class: "link-button",
          on: {
            click: () => {
              this.#filter.value = "";
              this.#appsOnly.ariaPressed = "false";
              this.#draw();
            },
          },
        },
        "Show all",
      ),
    );
  }

  #toggleAppsOnly() {
    this.#appsOnly.ariaPressed = String(this.#appsOnly.ariaPressed !== "true");
    this.#draw();
  }

  /** @returns {HTMLButtonElement[]} */
  #items() {
    return [...this.#list.querySelectorAll(".tool")].filter((item) => item instanceof HTMLButtonElement);
  }

  /**
   * @param {KeyboardEvent} event
   * @returns {void}
   */
  #moveWithKeys(event) {
    const items = this.#items();
    const here = items.findIndex((item) => item === document.activeElement);
    if (event.key === "ArrowUp" && here <= 0) {
      event.preventDefault();
      return this.#filter.focus();
    }
    const inList = here >= 0;
    const target =
      event.key === "ArrowDown"
        ? here + 1
        : event.key === "ArrowUp"
          ? here - 1
          : event.key === "Home" && inList
            ? 0
            : event.key === "End" && inList
              ? items.length - 1
              : null;
    if (target === null) return;
    event.preventDefault();
    items[Math.min(target, items.length - 1)]?.focus();
  }
}

/**
 * @param {HTMLElement} item
 * @param {Choice | null} choice
 */
function isItemOf(item, choice) {
  return (
    choice !== null &&
    item.dataset["tool"] === choice.tool.name &&
    item.dataset["server"] === choice.server.name
  );
}

/** @param {EventTarget | null} target */
function isTyping(target) {
  return target instanceof HTMLElement && target.matches("input, textarea, select");
}
