/**
 * The view area: the frame around sandboxed content, its verdict, and the tool's text wherever there is no
 * view to look at. The frame is always visible, so that nobody takes a server's content for the workbench.
 */

import { announce, fill, formatMs, h, plural } from "../dom.js";
import { icon } from "../icons.js";
import { ErrorsPanel } from "./errors.js";
import { emptyState, nameParts, notice } from "./notice.js";
import { textOf } from "./result.js";
import { copyButton, longText } from "./tree.js";

/** @import { Choice, Fault, JSONObject, Outcome, VerdictDetail, ViolationDetail } from "../types.js" */

// With these verdicts something may be on the screen, or may still come.
const SHOWN = new Set(["pending", "ok", "csp-blocked", "handshake-timeout", "blank"]);
const MAX_VIOLATIONS = 50;
const MAX_COUNT = 99;
const LONG_TEXT = 20_000;

export class ViewPanel {
  #title = h("span", { class: "frame-title" });
  #verdict = h("span", { class: "badge", "data-testid": "verdict" });
  #closeButton = h(
    "button",
    {
      type: "button",
      class: "icon-button icon-button-small",
      "aria-label": "Close this view",
      title: "Close this view",
      "data-testid": "close-view",
      on: { click: () => this.actions.close() },
    },
    icon("close"),
  );
  #errors = new ErrorsPanel();
  #progress = h("div", { class: "progress", "aria-hidden": "true" });
  #notices = h("div", { class: "frame-notices" });
  #stage = h("div", { class: "frame-stage" });
  #fallback = h("div", { class: "frame-fallback" });
  #violations = h("details", { class: "violations", hidden: true, "data-testid": "violations" });
  #summary = h("p", { class: "frame-summary", hidden: true });
  #frame = h(
    "div",
    { class: "frame" },
    h(
      "div",
      { class: "frame-head" },
      h(
        "span",
        { class: "frame-mark", title: "Sandboxed: content of the server, not of the workbench" },
        icon("lock", "sandboxed"),
      ),
      this.#title,
      this.#verdict,
      this.#errors.badge,
      this.#closeButton,
    ),
    this.#progress,
    this.#errors.element,
    this.#notices,
    this.#stage,
    this.#fallback,
  );
  #hasView = false;
  /** @type {Choice | null} */
  #choice = null;
  /** @type {Outcome | null} */
  #outcome = null;
  /** @type {VerdictDetail | null} */
  #current = null;
  /** @type {Map<string, ViolationDetail>} */
  #blocked = new Map();
  /** @type {ViolationDetail["declare"]} */
  #declare;

  /** @param {{close: () => void, showResult: () => void}} actions */
  constructor(actions) {
    this.actions = actions;
    this.element = h(
      "section",
      { class: "view-area", "data-testid": "view-area", "aria-label": "View", hidden: true },
      this.#frame,
      this.#summary,
      this.#violations,
    );
  }

  /**
   * A run begins.
   *
   * @param {Choice} choice
   */
  begin(choice) {
    this.#choice = choice;
    this.#hasView = false;
    this.#outcome = null;
    this.#current = null;
    this.#blocked.clear();
    this.#declare = undefined;
    this.#errors.restart();
    fill(this.#title, ...nameParts(choice));
    fill(this.#stage);
    this.element.hidden = false;
    this.#draw();
    // A long form may leave the frame below the edge of the window.
    if (this.element.getBoundingClientRect().top > window.innerHeight * 0.6)
      this.element.scrollIntoView({ block: "start" });
  }

  /**
   * Put a view on the stage. From here on its verdict decides what is shown.
   *
   * @param {HTMLElement} view
   */
  open(view) {
    this.#hasView = true;
    this.#current = { verdict: "pending" };
    this.#draw();
    fill(this.#stage, view);
  }

  /** @param {VerdictDetail} verdict */
  showVerdict(verdict) {
    this.#current = verdict;
    announce(
      verdict.verdict === "ok"
        ? "The view is on the screen."
        : `View: ${verdict.verdict}. ${verdict.reason ?? ""}`,
    );
    this.#draw();
  }

  /** @param {Outcome} outcome */
  showOutcome(outcome) {
    this.#outcome = outcome;
    this.#draw();
  }

  /** @param {ViolationDetail} violation */
  addViolation(violation) {
    const key = JSON.stringify([violation.directive, violation.blocked]);
    if (!this.#blocked.has(key) && this.#blocked.size >= MAX_VIOLATIONS) return;
    this.#blocked.set(key, violation);
    this.#declare = violation.declare;
    this.#drawViolations();
  }

  /**
   * Look at what the view says to the host for errors of its own.
   *
   * @param {unknown} message
   */
  hear(message) {
    this.#errors.hear(message);
  }

  /** The person closed the view. */
  showClosed() {
    fill(this.#stage);
    this.#hasView = false;
    this.showVerdict({
      verdict: "closed",
      reason: "This view is closed.",
      remedy: "Run the tool again to open a new one.",
    });
  }

  /** The run is gone without a trace: it never started. */
  hide() {
    fill(this.#stage);
    this.element.hidden = true;
  }

  #draw() {
    const verdict = this.#current;
    const code = verdict?.verdict ?? "";
    const waiting = verdict ? code === "pending" : this.#outcome === null;
    this.element.dataset["state"] = waiting ? "running" : verdict ? "view" : "text";
    this.#frame.classList.toggle("frame-plain", !verdict);
    this.#verdict.hidden = !verdict;
    this.#verdict.dataset["verdict"] = code;
    this.#verdict.className = `badge badge-${levelOf(code)}`;
    fill(this.#verdict, code === "pending" ? "loading" : code);
    this.#closeButton.hidden = !this.#hasView || code === "closed";
    this.#progress.hidden = !waiting;
    this.#stage.hidden = !SHOWN.has(code);
    const failed = verdict !== null && !waiting && code !== "ok";
    fill(
      this.#notices,
      failed &&
        notice(code === "closed" ? "info" : "error", {
          title: verdict.reason ?? `The view is not on the screen: ${code}.`,
          message: verdict.remedy,
          testid: "view-problem",
        }),
      this.#outcome?.status === "failed" && callFailed(this.#outcome.error),
    );
    fill(this.#fallback, (failed || !verdict) && this.#textOrWaiting());
    this.#drawSummary();
    this.#drawViolations();
  }

  #textOrWaiting() {
    if (!this.#outcome) return h("p", { class: "frame-waiting" }, "The tool is running…");
    if (this.#outcome.status === "failed") return null;
    const text = textOf(this.#outcome.result);
    if (text === "") return h("p", { class: "frame-waiting" }, "The tool answered without text.");
    const word = this.#choice?.tool.hasApp ? "The tool's text instead" : "Text";
    return h(
      "div",
      { class: "fallback" },
      h(
        "div",
        { class: "fallback-head" },
        h("h3", { class: "section-title" }, word),
        copyButton(() => text),
      ),
      h(
        "pre",
        { class: "text-block", "data-testid": "fallback-text", dir: "auto" },
        ...longText(text, LONG_TEXT),
      ),
    );
  }

  #drawSummary() {
    const outcome = this.#outcome;
    this.#summary.hidden = outcome?.status !== "done";
    if (outcome?.status !== "done") return;
    const { result, ms } = outcome;
    const parts = [
      plural(result.content?.length ?? 0, "content block"),
      result.structuredContent && "structuredContent",
      result._meta && "_meta",
    ].filter(Boolean);
    fill(
      this.#summary,
      result.isError && h("span", { class: "badge badge-error" }, "tool error"),
      h("span", {}, `Tool answered in ${formatMs(ms)} · ${parts.join(", ")}`),
      h(
        "button",
        { type: "button", class: "link-button", on: { click: () => this.actions.showResult() } },
        "Show the result",
      ),
    );
  }

  #drawViolations() {
    this.#violations.hidden = this.#blocked.size === 0;
    if (this.#blocked.size === 0) return;
    const rows = [...this.#blocked.values()].map(({ directive, blocked, where, count, advice }) =>
      h(
        "li",
        { class: "violation", "data-testid": "violation-row" },
        h(
          "p",
          {},
          h("code", {}, directive),
          " blocked ",
          h("code", {}, blocked),
          where && ` at ${where}`,
          count > 1 && ` × ${count > MAX_COUNT ? `${MAX_COUNT}+` : count}`,
        ),
        h("p", { class: "violation-advice" }, advice),
      ),
    );
    const declare = this.#declare;
    fill(
      this.#violations,
      h(
        "summary",
        {},
        icon("warning"),
        `${plural(this.#blocked.size, "request")} blocked by the content security policy`,
      ),
      h("ul", {}, ...rows),
      declare && fixBlock(declare),
    );
  }
}

/**
 * What the server's author pastes.
 *
 * @param {JSONObject} declare
 */
function fixBlock(declare) {
  return h(
    "div",
    { class: "violation-fix" },
    h(
      "div",
      { class: "fallback-head" },
      h("p", {}, "Declare this in ", h("code", {}, "_meta.ui"), " of the resource:"),
      copyButton(() => declare),
    ),
    h("pre", { class: "text-block", "data-testid": "violation-fix" }, JSON.stringify(declare, null, 2)),
  );
}

/** @param {Fault} fault */
function callFailed(fault) {
  return notice("error", {
    title: "The call failed",
    message: fault.message,
    remedy: fault.remedy,
    testid: "call-failed",
  });
}

/** @param {string} verdict */
function levelOf(verdict) {
  if (verdict === "ok") return "ok";
  return verdict === "pending" || verdict === "closed" || verdict === "" ? "neutral" : "error";
}

/**
 * What stands where the view will be.
 *
 * @param {Choice} choice
 * @param {boolean} ready nothing has to be filled in
 */
export function beforeRun({ tool }, ready) {
  const appears = tool.hasApp && !tool.problem ? "Its app opens here." : "Its text result appears here.";
  return h(
    "div",
    { class: "before-run" },
    emptyState({
      title: ready ? "Ready to run" : "Fill in the arguments and run",
      message: appears,
      testid: "before-run",
    }),
  );
}
