// The proxy frame: shows one view and carries messages between it and the host page.
//
// It creates no requests, reads no HTML and decides nothing. Everything it needs (the view's address,
// the host's origin) stands in the document that Python served, so no query string and no message can
// change it. Which message passes is fixed here: source window first, then origin, then shape.

const RESERVED = "ui/notifications/sandbox-";
const { host, view, viewOrigin, allow, sandbox, shell } = /** @type {Record<string, string>} */ (
  document.documentElement.dataset
);
// An opaque document has no origin to name, so "*" is the only legal target; the window is pinned below.
const viewTarget = viewOrigin === "null" ? "*" : viewOrigin;

/** @param {string} name @param {object} [params] */
function tellHost(name, params = {}) {
  parent.postMessage({ jsonrpc: "2.0", method: RESERVED + name, params }, host);
}

/** @param {unknown} data */
function isReserved(data) {
  const method = /** @type {{method?: unknown}} */ (data).method;
  return typeof method === "string" && method.startsWith(RESERVED);
}

/** A frame of other colours than its document's is painted white, also under a view without a background. */
function setTheme(/** @type {unknown} */ theme) {
  document.documentElement.style.colorScheme = theme === "dark" ? "dark" : "light";
  tellShell();
}

/** The shell needs the colours too, once it is there; a view without a shell is never told reserved things. */
function tellShell() {
  if (!shell || loads === 0) return;
  const theme = document.documentElement.style.colorScheme;
  frame.contentWindow?.postMessage({ jsonrpc: "2.0", method: `${RESERVED}theme`, params: { theme } }, viewTarget);
}

const frame = document.createElement("iframe");
frame.title = "App";
frame.setAttribute("sandbox", sandbox);
frame.setAttribute("allow", allow);
frame.referrerPolicy = "no-referrer";

let loads = 0;
let ended = false;

frame.addEventListener("load", () => {
  loads += 1;
  if (loads === 1) {
    tellShell();
    tellHost("view-loaded");
    return;
  }
  end();
});

/** The document behind the pinned window is no longer the one that was served: it gets no channel. */
function end() {
  ended = true;
  frame.remove();
  tellHost("view-navigated");
}

addEventListener("message", (event) => {
  const { data, source, origin } = event;
  if (ended || typeof data !== "object" || data === null) return;
  if (source === parent && origin === host) {
    if (!isReserved(data)) frame.contentWindow?.postMessage(data, viewTarget);
    else if (data.method === `${RESERVED}theme`) setTheme(data.params?.theme);
  } else if (source !== null && source === frame.contentWindow && origin === viewOrigin) {
    if (!isReserved(data)) parent.postMessage(data, host);
    // The shell saw the view leave. A view that forges this ends itself, which it may.
    else if (shell && data.method === `${RESERVED}view-navigated`) end();
  }
});

// A host that gives the focus back can only give it to this frame, where there is nothing: it goes on to the
// view. Blurred first, for a frame that counts as focused already would not get it.
addEventListener("focus", () => setTimeout(() => {
  frame.blur();
  frame.focus();
}));

// Setting the address before insertion makes the first `load` the served document's own.
frame.src = view;
document.body.append(frame);
tellHost("proxy-ready");

export {};
