/** The start of the page: take the token out of the address, then build the bench or say what is missing. */

import { Api } from "./api.js";
import { Bench } from "./bench.js";
import { h, setting } from "./dom.js";
import { icon } from "./icons.js";
import { startLayout } from "./layout.js";
import { startTheme } from "./theme.js";

const TOKEN_KEY = "fanlight.token";

/** The token of the address, which is cleaned at once: it must not stay in history or be copied by accident. */
function tokenFromAddress() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token !== null) history.replaceState(null, "", location.pathname + location.search);
  return token;
}

/**
 * Show the whole-page message in place of the workbench.
 *
 * @param {string} reason
 */
function showGate(reason) {
  setting("sessionStorage", TOKEN_KEY, null);
  document.body.replaceChildren(
    h(
      "main",
      { class: "gate", "data-testid": "gate" },
      icon("app"),
      h("h1", {}, "This page needs its link"),
      h("p", {}, reason),
      h(
        "p",
        { class: "gate-remedy" },
        "Open the link that ",
        h("code", {}, "fanlight"),
        " printed in the terminal. It ends in ",
        h("code", {}, "#token=…"),
        " and lets only this browser in. If the program has ended, start it again for a new link.",
      ),
    ),
  );
}

function start() {
  const fresh = tokenFromAddress();
  const token = fresh ? setting("sessionStorage", TOKEN_KEY, fresh) : setting("sessionStorage", TOKEN_KEY);
  // A new link pasted into this tab changes only the fragment, which does not load the page again.
  window.addEventListener("hashchange", () => {
    const pasted = tokenFromAddress();
    if (pasted === null) return;
    setting("sessionStorage", TOKEN_KEY, pasted);
    location.reload();
  });
  /** @type {Bench | null} */
  let bench = null;
  startTheme(() => bench?.themeChanged());
  if (!token) return showGate("The address alone does not open the workbench.");
  startLayout();
  bench = new Bench(new Api(token), () => showGate("The link that opened this page is no longer valid."));
  void bench.load();
}

start();
