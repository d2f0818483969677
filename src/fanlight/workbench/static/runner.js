/**
 * The one run of the page: a tool call and, if there is one, its view. A new run closes the last view first.
 * Decides what happens when; the panels draw it.
 */

import { ApiError } from "./api.js";
import { announce } from "./dom.js";
import { theme } from "./theme.js";

/** @import { Api } from "./api.js" */
/** @import { Inspector } from "./panels/inspector.js" */
/** @import { ViewPanel } from "./panels/view.js" */
/** @import { Choice, Fault, Outcome, ViewTicket } from "./types.js" */
/** @import { MessageDetail, StageDetail, VerdictDetail, ViolationDetail } from "./types.js" */

/**
 * @typedef {object} Run
 * @property {Choice} choice
 * @property {number} startedAt
 * @property {AbortController} waiting
 * @property {boolean} started the server side accepted the call
 * @property {boolean} running
 * @property {ViewTicket | null} view
 * @property {HTMLElement} [element]
 *
 * @typedef {object} RunnerHooks
 * @property {() => void} changed the run began, went on or ended
 * @property {(choice: Choice, fault: Fault) => void} refused the call never started; the fault says why
 * @property {() => void} lockedOut the pass of this browser no longer opens anything
 */

export class Runner {
  /** @type {Run | null} */
  #run = null;

  /**
   * @param {Api} api
   * @param {Inspector} inspector
   * @param {ViewPanel} panel
   * @param {RunnerHooks} hooks
   */
  constructor(api, inspector, panel, hooks) {
    this.api = api;
    this.inspector = inspector;
    this.panel = panel;
    this.hooks = hooks;
  }

  get run() {
    return this.#run;
  }

  /**
   * @param {Choice} choice
   * @param {Record<string, unknown>} args
   * @param {string} mount where the host's own files are
   */
  async start(choice, args, mount) {
    const last = this.#run;
    /** @type {Run} */
    const run = {
      choice,
      startedAt: performance.now(),
      waiting: new AbortController(),
      started: false,
      running: true,
      view: null,
    };
    this.#run = run;
    this.hooks.changed();
    announce("The tool is running.");
    last?.waiting.abort();
    // The old view is still on its stage, so that it hears of its end and can save its work.
    if (last?.view) await this.#closeOnServer(last.view);
    this.inspector.restart(choice);
    this.panel.begin(choice);
    try {
      const started = await this.api.startCall(choice.server.name, choice.tool.name, args);
      run.started = true;
      run.view = started.view;
      if (run.waiting.signal.aborted) return await this.#abandon(run);
      if (run.view) await this.#openView(run, run.view, mount);
      else if (choice.tool.hasApp) this.panel.showVerdict(noView(choice));
      this.#finish(run, await this.api.finishedCall(started.id, run.waiting.signal));
    } catch (error) {
      if (!run.waiting.signal.aborted) this.#fail(run, error);
    }
  }

  /** Stop waiting for the tool. The server is not told: it may still be working. */
  async stop() {
    const run = this.#run;
    if (!run?.running) return;
    run.waiting.abort();
    this.#finish(run, {
      status: "failed",
      error: { message: "You stopped waiting.", remedy: "The server may still be working on the call." },
    });
    await this.closeView();
  }

  async closeView() {
    const run = this.#run;
    if (!run?.view) return;
    await this.#abandon(run);
    if (this.#run === run) this.panel.showClosed();
  }

  /** The colours changed: tell the open view. */
  themeChanged() {
    this.#run?.element?.setAttribute("theme", theme());
  }

  /**
   * @param {Run} run
   * @param {ViewTicket} ticket
   * @param {string} mount
   */
  async #openView(run, ticket, mount) {
    try {
      await import(`${mount}/host.js`);
    } catch {
      return this.panel.showVerdict({
        verdict: "crashed",
        reason: "The part of Fanlight that shows views could not be loaded.",
        remedy: `Check that ${mount}/host.js can be opened in this browser, then run the tool again.`,
      });
    }
    if (run.waiting.signal.aborted) return;
    const element = document.createElement("fanlight-view");
    element.setAttribute("view-id", ticket.id);
    element.setAttribute("token", ticket.token);
    element.setAttribute("base", mount);
    element.setAttribute("theme", theme());
    element.setAttribute("label", labelOf(run.choice));
    // The panel has a border and a name already.
    element.toggleAttribute("bare", true);
    // Before it enters the document: the first events come at once.
    this.#listen(run, element);
    run.element = element;
    this.panel.open(element);
    this.hooks.changed();
  }

  /**
   * @param {Run} run
   * @param {HTMLElement} element
   */
  #listen(run, element) {
    /** @type {<T>(name: string, handle: (detail: T) => void) => void} */
    const on = (name, handle) =>
      element.addEventListener(name, (event) => {
        if (this.#run === run && event instanceof CustomEvent) handle(event.detail);
      });
    on("fanlight-stage", (/** @type {StageDetail} */ stage) => this.inspector.stages.add(stage));
    on("fanlight-verdict", (/** @type {VerdictDetail} */ verdict) => this.panel.showVerdict(verdict));
    on("fanlight-violation", (/** @type {ViolationDetail} */ violation) =>
      this.panel.addViolation(violation),
    );
    on("fanlight-message", (/** @type {MessageDetail} */ { direction, message }) => {
      this.inspector.messages.add(direction, message, performance.now() - run.startedAt);
      if (direction === "from-view") this.panel.hear(message);
    });
  }

  /**
   * @param {Run} run
   * @param {Outcome} outcome
   */
  #finish(run, outcome) {
    if (this.#run !== run) return;
    run.running = false;
    this.inspector.result.show(outcome);
    this.panel.showOutcome(outcome);
    if (!run.view) this.inspector.select("result");
    announce(
      outcome.status === "done" ? "The tool has answered." : `The call failed. ${outcome.error.message}`,
    );
    this.hooks.changed();
  }

  /**
   * @param {Run} run
   * @param {unknown} error
   */
  #fail(run, error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.isRefusal) return this.hooks.lockedOut();
    if (run.started || !error.isBadInput) return this.#finish(run, { status: "failed", error: error.fault });
    this.#run = null;
    this.panel.hide();
    this.inspector.result.restart();
    this.hooks.refused(run.choice, error.fault);
  }

  /** @param {Run} run */
  async #abandon(run) {
    const { view } = run;
    run.view = null;
    delete run.element;
    this.hooks.changed();
    if (view) await this.#closeOnServer(view);
  }

  /** @param {ViewTicket} view */
  async #closeOnServer(view) {
    try {
      await this.api.closeView(view.id);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.isRefusal) this.hooks.lockedOut();
    }
  }
}

/** @param {Choice} choice */
export function labelOf({ server, tool }) {
  return `${server.name} · ${tool.name}`;
}

/**
 * @param {Choice} choice
 * @returns {VerdictDetail}
 */
function noView({ tool }) {
  return { verdict: "no-ui", reason: tool.problem ?? "The tool ran, but no view was opened for it." };
}
