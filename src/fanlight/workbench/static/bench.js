/** The workbench: which servers there are, which tool is chosen, and what the main column holds for it. */

import { visibleLine } from "../../runtime/visible.js";
import { ApiError } from "./api.js";
import { byId, fill, h, setting, shortened } from "./dom.js";
import { closeDrawer, revealInspector } from "./layout.js";
import { ArgumentsForm } from "./panels/form.js";
import { Inspector } from "./panels/inspector.js";
import { nothingChosen } from "./panels/nothing.js";
import { notice } from "./panels/notice.js";
import { Sidebar } from "./panels/sidebar.js";
import { toolHead } from "./panels/tool-head.js";
import { beforeRun, ViewPanel } from "./panels/view.js";
import { labelOf, Runner } from "./runner.js";

/** @import { Api } from "./api.js" */
/** @import { Choice, News, State } from "./types.js" */

const CHOICE_KEY = "fanlight.tool";
const NEWS_TRIES = 30;
const NEWS_PAUSE_MS = 1000;

export class Bench {
  /** @type {State | null} */
  #state = null;
  /** @type {Choice | null} */
  #choice = null;
  /** Forms by tool and schema, so that what was typed is there again. @type {Map<string, ArgumentsForm>} */
  #forms = new Map();
  #sidebar = new Sidebar({ select: (choice) => this.#select(choice, true), refresh: () => void this.load() });
  #inspector = new Inspector();
  #view = new ViewPanel({ close: () => void this.#runner.closeView(), showResult: () => this.#showResult() });
  /** @type {Runner} */
  #runner;
  #top = h("div", { class: "main-top" });
  #before = h("div", { class: "main-before" });
  #news = h("div", { class: "main-news", "aria-live": "polite" });
  #following = false;

  /**
   * @param {Api} api
   * @param {() => void} lockedOut the pass of this browser no longer opens anything
   */
  constructor(api, lockedOut) {
    this.api = api;
    this.lockedOut = lockedOut;
    this.#runner = new Runner(api, this.#inspector, this.#view, {
      lockedOut,
      changed: () => this.#drawMain(),
      refused: (choice, fault) => {
        this.#drawMain();
        this.#formOf(choice).showFault(fault);
      },
    });
    fill(byId("main-column"), this.#news, this.#top, this.#before, this.#view.element);
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || !this.#choice) return;
      event.preventDefault();
      this.#formOf(this.#choice).submit();
    });
  }

  /** Ask for servers and tools, and keep the choice if it still exists. */
  async load() {
    try {
      this.#state = await this.api.state();
    } catch (error) {
      return this.#showLoadFailed(error);
    }
    const { host, servers, news } = this.#state;
    if (news) this.#follow(news);
    fill(byId("host-label"), `${host.name} ${host.version}`);
    this.#sidebar.show(this.#state);
    const choices = servers.flatMap((server) => server.tools.map((tool) => ({ server, tool })));
    const wanted = this.#choice ? keyOf(this.#choice) : setting("sessionStorage", CHOICE_KEY);
    const choice = choices.find((each) => keyOf(each) === wanted) ?? choices.find(({ tool }) => tool.hasApp);
    if (choice) return this.#select(choice, false);
    this.#choice = null;
    this.#sidebar.markSelected(null);
    fill(this.#top, ...nothingChosen(this.#state, () => void this.load()));
    this.#drawMain();
  }

  /**
   * Say what `fanlight dev` tells, and wait for the next.
   *
   * @param {News} news
   */
  #follow(news) {
    const remedy = "The last version that worked is still running. Save again when it is mended.";
    const text = { title: "The server could not be loaded", message: news.problem, remedy, testid: "news" };
    fill(this.#news, news.problem && notice("error", text));
    if (this.#following) return;
    this.#following = true;
    void this.#nextAfter(news.number);
  }

  /** @param {number} number */
  async #nextAfter(number) {
    for (let failures = 0; failures < NEWS_TRIES; ) {
      try {
        const news = await this.api.newsAfter(number);
        failures = 0;
        if (news.number === number) continue;
        number = news.number;
        await this.load();
      } catch (error) {
        if (!(error instanceof ApiError) || error.isRefusal) return;
        failures += 1;
        await new Promise((resolve) => setTimeout(resolve, NEWS_PAUSE_MS));
      }
    }
  }

  themeChanged() {
    this.#runner.themeChanged();
  }

  /**
   * @param {Choice} choice
   * @param {boolean} byPerson
   */
  #select(choice, byPerson) {
    this.#choice = choice;
    if (byPerson) {
      setting("sessionStorage", CHOICE_KEY, keyOf(choice));
      closeDrawer();
      byId("main").scrollTop = 0;
    }
    this.#sidebar.markSelected(choice);
    document.title = `${shortened(visibleLine(choice.tool.title ?? choice.tool.name))} – Fanlight workbench`;
    fill(this.#top, toolHead(choice), this.#formOf(choice).element);
    this.#drawMain();
  }

  /** @param {Choice} choice */
  #formOf(choice) {
    const key = JSON.stringify([choice.server.name, choice.tool.name, choice.tool.inputSchema]);
    let form = this.#forms.get(key);
    if (!form) {
      form = new ArgumentsForm(choice.tool, {
        run: (args) => void this.#runner.start(choice, args, this.#state?.mount ?? ""),
        stop: () => void this.#runner.stop(),
      });
      this.#forms.set(key, form);
    }
    return form;
  }

  #drawMain() {
    const { run } = this.#runner;
    const choice = this.#choice;
    const shown = run !== null && choice !== null && keyOf(run.choice) === keyOf(choice);
    this.#sidebar.markLive(run?.view ? run.choice : null);
    if (choice) this.#formOf(choice).setRunning(shown && run.running);
    fill(
      this.#before,
      choice && !shown && beforeRun(choice, this.#formOf(choice).isReady),
      !shown && run?.view && this.#otherRun(run.choice),
    );
    // Parked, not removed: a frame that leaves the document loses its view.
    this.#view.element.classList.toggle("parked", !shown);
    this.#view.element.inert = !shown;
  }

  /** @param {Choice} choice */
  #otherRun(choice) {
    return h(
      "p",
      { class: "other-run", "data-testid": "other-run" },
      `The view of ${labelOf(choice)} is still open. `,
      h(
        "button",
        { type: "button", class: "link-button", on: { click: () => this.#select(choice, true) } },
        "Go back to it",
      ),
      ". A new run closes it.",
    );
  }

  #showResult() {
    this.#inspector.select("result");
    revealInspector();
  }

  /** @param {unknown} error */
  #showLoadFailed(error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.isRefusal) return this.lockedOut();
    fill(
      this.#top,
      notice(
        "error",
        { title: "The servers could not be listed", ...error.fault, testid: "load-failed" },
        h("button", { type: "button", class: "button", on: { click: () => void this.load() } }, "Try again"),
      ),
    );
  }
}

/** @param {Choice} choice */
function keyOf({ server, tool }) {
  return JSON.stringify([server.name, tool.name]);
}
