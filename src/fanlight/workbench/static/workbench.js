/** The start of the page: give the token of the link for a pass, then build the bench or say what is missing. */

import { Api, ApiError, redeem } from "./api.js";
import { Bench } from "./bench.js";
import { h, setting } from "./dom.js";
import { icon } from "./icons.js";
import { startLayout } from "./layout.js";
import { startTheme } from "./theme.js";

/** @import { Fault } from "./types.js" */

// One half of the pass. This storage belongs to exactly this origin: no view and no other port reads it.
const KEY = "fanlight.key";
/** @type {Fault} */
const NO_LINK = {
  message: "The address alone does not open the workbench.",
  remedy: "Open the link that fanlight printed in the terminal, or paste it here.",
};
/** @type {Fault} */
const NO_PASS = {
  message: "This browser has no pass for this workbench.",
  remedy: "Press Enter in the terminal for a new link. If the program has ended, start it again.",
};

/** The token of the address, which is cleaned at once: it must not stay in history or be copied by accident. */
function tokenFromAddress() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token !== null) history.replaceState(null, "", location.pathname + location.search);
  return token || null;
}

/**
 * Show the whole-page message in place of the workbench.
 *
 * @param {Fault} fault
 */
function showGate({ message, remedy }) {
  setting("localStorage", KEY, null);
  const pasted = h("input", {
    class: "input",
    type: "password",
    autocomplete: "off",
    placeholder: "http://…/#token=…",
    "aria-label": "The link, or its token",
    "data-testid": "gate-token",
  });
  const enter = h(
    "form",
    {
      class: "gate-form",
      on: {
        submit: (event) => {
          event.preventDefault();
          const token = pasted.value.trim().replace(/^.*#token=/, "");
          if (token) location.hash = `token=${encodeURIComponent(token)}`;
        },
      },
    },
    pasted,
    h("button", { type: "submit", class: "button" }, "Open"),
  );
  document.body.replaceChildren(
    h(
      "main",
      { class: "gate", "data-testid": "gate" },
      icon("app"),
      h("h1", {}, "This page needs its link"),
      h("p", { "data-testid": "gate-reason" }, message),
      h("p", { class: "gate-remedy" }, remedy),
      enter,
    ),
  );
}

/**
 * Give a token for a pass and keep the key.
 *
 * @param {string} token
 * @returns {Promise<Fault | null>} why not
 */
async function enter(token) {
  try {
    setting("localStorage", KEY, await redeem(token));
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error.fault;
    throw error;
  }
}

async function start() {
  /** @type {Bench | null} */
  let bench = null;
  startTheme(() => bench?.themeChanged());
  const token = tokenFromAddress();
  const fault = token === null ? null : await enter(token);
  // A new link pasted into this tab changes only the fragment, which does not load the page again.
  window.addEventListener("hashchange", async () => {
    const pasted = tokenFromAddress();
    if (pasted === null) return;
    const problem = await enter(pasted);
    if (problem === null) location.reload();
    else if (bench === null) showGate(problem);
  });
  // A link that was used before is no harm in the browser that used it.
  const key = setting("localStorage", KEY);
  if (!key) return showGate(fault ?? NO_LINK);
  startLayout();
  bench = new Bench(new Api(key), () => {
    bench = null;
    showGate(fault ?? NO_PASS);
  });
  void bench.load();
}

void start();
