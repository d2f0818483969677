// The host page's side: `<fanlight-view>` owns its frame and carries messages between it and Python.
//
// One WebSocket a page serves all its views. No protocol decision is made here: a message from the
// right window and the right origin goes to Python as it is, and what Python says is posted to that
// window. Server text is shown with textContent only.

const RESERVED = "ui/notifications/sandbox-";
const RETRY_MS = [250, 500, 1000, 2000, 5000];

/** @typedef {{op: string, view?: string, [key: string]: any}} Frame */

/** One socket to Python, shared by every view of the page that has the same base. */
class PageSocket {
  /** @param {string} base */
  constructor(base) {
    const url = new URL(`${base}/socket`, location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    this.url = url.href;
    /** @type {Map<string, FanlightView>} */
    this.views = new Map();
    /** @type {WebSocket | null} */
    this.socket = null;
    this.failures = 0;
  }

  /** @param {FanlightView} view */
  attach(view) {
    this.views.set(view.viewId, view);
    if (this.socket?.readyState === WebSocket.OPEN) this.send(view.attachFrame());
    else this.open();
  }

  /** @param {FanlightView} view */
  detach(view) {
    if (this.views.get(view.viewId) !== view) return;
    this.views.delete(view.viewId);
    this.send({ op: "detach", view: view.viewId });
  }

  /** @param {Frame} frame */
  send(frame) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(frame));
  }

  open() {
    if (this.socket) return;
    const socket = new WebSocket(this.url);
    this.socket = socket;
    socket.onopen = () => {
      this.failures = 0;
      for (const view of this.views.values()) this.send(view.attachFrame());
    };
    socket.onmessage = (event) => {
      const frame = /** @type {Frame} */ (JSON.parse(event.data));
      this.views.get(frame.view ?? "")?.fromPython(frame);
    };
    socket.onclose = () => {
      this.socket = null;
      if (this.views.size === 0) return;
      const wait = RETRY_MS[Math.min(this.failures, RETRY_MS.length - 1)];
      this.failures += 1;
      for (const view of this.views.values()) view.disconnected(this.failures);
      setTimeout(() => this.views.size && this.open(), wait);
    };
  }
}

/** @type {Map<string, PageSocket>} */
const sockets = new Map();

/** @param {string} base */
function socketFor(base) {
  const known = sockets.get(base);
  if (known) return known;
  const made = new PageSocket(base);
  sockets.set(base, made);
  return made;
}

/** Base of the module's own address: `/apps` for `/apps/host.js`. */
const defaultBase = new URL(import.meta.url).pathname.replace(/\/[^/]*$/, "");
const stylesheet = new URL("host.css", import.meta.url).href;

class FanlightView extends HTMLElement {
  static observedAttributes = ["theme"];

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const style = document.createElement("link");
    style.rel = "stylesheet";
    style.href = stylesheet;
    this.box = document.createElement("div");
    this.box.className = "box";
    this.notice = document.createElement("div");
    this.notice.className = "notice";
    this.notice.setAttribute("role", "status");
    root.append(style, this.box, this.notice);
    /** @type {HTMLIFrameElement | null} */
    this.frame = null;
    this.sandboxOrigin = "";
    /** @type {PageSocket | null} */
    this.socket = null;
    this.onWindowMessage = this.onWindowMessage.bind(this);
    this.colorScheme = matchMedia("(prefers-color-scheme: dark)");
    this.sendContext = this.sendContext.bind(this);
  }

  get viewId() {
    return this.getAttribute("view-id") ?? "";
  }

  connectedCallback() {
    if (this.socket) return;
    this.socket = socketFor(this.getAttribute("base") ?? defaultBase);
    // Listening starts before any frame exists: nothing that the proxy says can be missed.
    addEventListener("message", this.onWindowMessage);
    this.colorScheme.addEventListener("change", this.sendContext);
    this.say("Loading the app…");
    this.dataset.verdict = "pending";
    this.socket.attach(this);
  }

  disconnectedCallback() {
    removeEventListener("message", this.onWindowMessage);
    this.colorScheme.removeEventListener("change", this.sendContext);
    this.socket?.detach(this);
    this.socket = null;
    this.dropFrame();
  }

  attributeChangedCallback() {
    if (this.socket) this.sendContext();
  }

  sendContext() {
    this.socket?.send({ op: "context", view: this.viewId, context: this.pageContext() });
  }

  /** What the page knows and Python cannot: theme, language, clock, input, width. */
  pageContext() {
    const asked = this.getAttribute("theme");
    const dark = asked ? asked === "dark" : this.colorScheme.matches;
    this.box.style.colorScheme = dark ? "dark" : "light";
    return {
      theme: dark ? "dark" : "light",
      locale: navigator.language,
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      touch: matchMedia("(any-pointer: coarse)").matches,
      hover: matchMedia("(any-hover: hover)").matches,
      width: Math.round(this.box.getBoundingClientRect().width),
    };
  }

  attachFrame() {
    const token = this.getAttribute("token") ?? "";
    return { op: "attach", view: this.viewId, token, context: this.pageContext() };
  }

  /** @param {Frame} frame */
  fromPython(frame) {
    switch (frame.op) {
      case "mount":
        this.mount(frame);
        break;
      case "message":
        this.emit("fanlight-message", { direction: "to-view", message: frame.message });
        this.frame?.contentWindow?.postMessage(frame.message, this.sandboxOrigin);
        break;
      case "size":
        if (this.frame) this.frame.style.height = `${frame.height}px`;
        break;
      case "stage":
        this.emit("fanlight-stage", { name: frame.name, ms: frame.ms });
        break;
      case "verdict":
        this.onVerdict(frame);
        break;
      case "violation":
        this.emit("fanlight-violation", frame.violation);
        break;
      case "open-link":
        window.open(frame.url, "_blank", "noopener,noreferrer");
        break;
    }
  }

  /** @param {Frame} mount */
  mount({ src, origin, allow, label }) {
    this.dropFrame();
    const frame = document.createElement("iframe");
    frame.title = label;
    frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
    frame.setAttribute("allow", allow);
    frame.referrerPolicy = "no-referrer";
    this.sandboxOrigin = origin;
    this.frame = frame;
    frame.src = src;
    this.box.append(frame);
  }

  dropFrame() {
    this.frame?.remove();
    this.frame = null;
  }

  /** @param {MessageEvent} event */
  onWindowMessage({ source, origin, data }) {
    if (!this.frame || source !== this.frame.contentWindow || origin !== this.sandboxOrigin) return;
    if (typeof data !== "object" || data === null) return;
    const method = /** @type {{method?: unknown}} */ (data).method;
    if (typeof method === "string" && method.startsWith(RESERVED)) {
      this.socket?.send({ op: "signal", view: this.viewId, name: method.slice(RESERVED.length) });
      return;
    }
    this.emit("fanlight-message", { direction: "from-view", message: data });
    try {
      this.socket?.send({ op: "message", view: this.viewId, message: data });
    } catch {
      // Structured clone carries what JSON cannot (cycles, BigInt); such a thing is not JSON-RPC.
      this.socket?.send({ op: "signal", view: this.viewId, name: "not-json" });
    }
  }

  /** @param {Frame} frame */
  onVerdict({ verdict, reason, remedy, text }) {
    this.dataset.verdict = verdict;
    if (verdict === "ok") this.notice.replaceChildren();
    else if (verdict !== "pending") {
      this.dropFrame();
      this.say(reason ?? "The app could not be shown.", remedy, text);
    }
    this.emit("fanlight-verdict", { verdict, reason, remedy, text });
  }

  /** @param {number} failures */
  disconnected(failures) {
    if (failures < 2) return;
    this.dropFrame();
    this.say("The connection to the host was lost.", "Reconnecting; if this stays, restart the program.");
  }

  /** @param {string} what @param {string} [remedy] @param {string} [text] */
  say(what, remedy, text) {
    const parts = [["p", "what", what], ["p", "remedy", remedy], ["pre", "text", text]];
    this.notice.replaceChildren(
      ...parts.flatMap(([tag, name, content]) => {
        if (!tag || !content) return [];
        const element = document.createElement(tag);
        element.className = name ?? "";
        element.textContent = content;
        return [element];
      }),
    );
  }

  /** @param {string} type @param {unknown} detail */
  emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}

if (!customElements.get("fanlight-view")) customElements.define("fanlight-view", FanlightView);

export { FanlightView };
