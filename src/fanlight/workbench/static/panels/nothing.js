/** What the main column says while no tool is chosen: why, and what to do. */

import { h } from "../dom.js";
import { emptyState, notice } from "./notice.js";

/** @import { State } from "../types.js" */

/**
 * @param {State} state
 * @param {() => void} refresh
 * @returns {Node[]}
 */
export function nothingChosen({ servers }, refresh) {
  const refreshButton = h("button", { type: "button", class: "button", on: { click: refresh } }, "Refresh");
  if (servers.length === 0) {
    const ways = [
      "fanlight demo",
      "fanlight run https://example.org/mcp",
      "fanlight run server.py",
      "fanlight run -- command args",
    ];
    return [
      emptyState(
        { title: "No servers", message: "Start the workbench with one, for example:", testid: "empty-state" },
        h("pre", { class: "commands" }, ways.join("\n")),
      ),
    ];
  }
  const failed = servers.filter((server) => server.status === "failed");
  if (failed.length === servers.length) {
    return [
      h(
        "h1",
        { class: "tool-head-title" },
        failed.length === 1 ? "The server is not connected" : "No server is connected",
      ),
      ...failed.map((server) =>
        notice("error", {
          title: server.title ?? server.name,
          message: server.error ?? "The connection failed.",
          remedy: server.remedy ?? "Check that the server can be started or reached, then refresh.",
          testid: "main-server-error",
        }),
      ),
      refreshButton,
    ];
  }
  if (servers.every((server) => server.tools.length === 0)) {
    return [
      emptyState(
        {
          title: "No tools",
          message: "The connected servers offer no tools. Add one to your server, then refresh.",
          testid: "empty-state",
        },
        refreshButton,
      ),
    ];
  }
  return [
    emptyState({
      title: "No tool has an app",
      testid: "empty-state",
      message:
        "Choose a tool to run it and read its text result. A tool gets an app by linking a ui:// resource.",
    }),
  ];
}
