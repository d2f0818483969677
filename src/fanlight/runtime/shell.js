// The shell: a document on the view's own origin that holds the view and passes messages on, nothing else.
//
// Why it exists: frameworks look into `window.parent` (Vue makes it reactive), which throws when the parent is
// of another origin. Here the parent is of the view's own. The view can script this document, so nothing may
// depend on it: its policy is stricter than the view's, and whoever is behind it (the proxy) checks again.
// Inlined into its page and allowed by hash, so that it costs no request.

const RESERVED = "ui/notifications/sandbox-";
const root = document.documentElement;
const { proxy = "", view = "", allow = "", sandbox = "" } = root.dataset;
const frame = document.createElement("iframe");
let loads = 0;

frame.title = "App";
frame.setAttribute("sandbox", sandbox);
frame.setAttribute("allow", allow);
frame.referrerPolicy = "no-referrer";
frame.addEventListener("load", () => {
  loads += 1;
  if (loads === 1) return;
  frame.remove();
  parent.postMessage({ jsonrpc: "2.0", method: `${RESERVED}view-navigated`, params: {} }, proxy);
});

addEventListener("message", ({ data, source, origin }) => {
  if (typeof data !== "object" || data === null) return;
  const reserved = typeof data.method === "string" && data.method.startsWith(RESERVED);
  if (source === parent && origin === proxy) {
    if (!reserved) frame.contentWindow?.postMessage(data, location.origin);
    else if (data.method === `${RESERVED}theme`) root.style.colorScheme = data.params?.theme ?? "";
  } else if (source !== null && source === frame.contentWindow && !reserved) {
    parent.postMessage(data, proxy);
  }
});

// The focus that the proxy was given is meant for the view.
addEventListener("focus", () => setTimeout(() => {
  frame.blur();
  frame.focus();
}));

// In place before this document is loaded, so that its `load` waits for the view's.
frame.src = view;
document.body.append(frame);

export {};
