// The host page's side: `<fanlight-view>` owns its frame and carries messages between it and Python.
//
// No protocol decision is made here: a message from the right window and the right origin goes to Python as
// it is, and what Python says is posted to that window. Server text is shown with textContent only.

import { takeDecision } from "./decisions.js";
import { SandboxFrame } from "./frame.js";
import { Modes } from "./modes.js";
import { build, button } from "./parts.js";
import { Resizing } from "./resizing.js";
import { ignorePresence, watchPresence } from "./resting.js";
import { socketFor } from "./socket.js";
import { surroundings, themeOf, watchSurroundings } from "./surroundings.js";

/** @typedef {import("./link.js").Frame} Frame */
/** @typedef {import("./carried.js").Carried} Carried */
/** A view that is there and has not reported a size is shown after this time. */
const REVEAL_MS = 250;
/** Verdicts that another try may change. */
const AGAIN = new Set(["read-failed", "proxy-timeout", "handshake-timeout", "csp-blocked", "changed", "navigated", "blank", "crashed"]);
/** Base of the module's own address: `/apps` for `/apps/host.js`. */
const defaultBase = new URL(import.meta.url).pathname.replace(/\/[^/]*$/, "");

class FanlightView extends HTMLElement {
  static observedAttributes = ["view-id", "token", "base", "label", "theme", "width", "max-height", "modes", "lazy"];

  /** The view that is carried; the attribute may be a newer one. */
  viewId = "";
  #parts = build(this);
  #modes = new Modes(
    this.#parts,
    (mode) => this.#modeChanged(mode),
    (mode) => this.#send("mode", { mode }),
  );
  /** @type {Carried | null} */
  #carried = null;
  /** What is carried, and whether its frame is still the one that was mounted. */
  #key = "";
  #settling = false;
  /** Whether a lazy view is near the screen, or was until lately. */
  #awake = false;
  /** @type {SandboxFrame | null} */
  #frame = null;
  #resizing = new Resizing(this.#parts.box, () => this.#reveal());
  /** The surroundings that Python knows. */
  #told = "";
  #stopWatching = () => {};

  constructor() {
    super();
    this.#setState("loading");
  }

  // In and out of the page. A re-render may take the element out and put it back many times at once: what
  // counts is where it is when the page's script has come to rest.

  connectedCallback() {
    if (this.hasAttribute("lazy")) watchPresence(this, this);
    this.#settleSoon();
  }

  /** Moved by `moveBefore`: the frame lives on. */
  connectedMoveCallback() {}

  disconnectedCallback() {
    // Outside of the document a frame has no view any more.
    this.#dropFrame();
    this.#key = "";
    ignorePresence(this);
    this.#settleSoon();
  }

  // A lazy view is carried only while it is near the screen, or was among the last that were.

  wake() {
    this.#awake = true;
    this.#settleSoon();
  }

  /** It saves its work first; `rested` comes when that is done. */
  rest() {
    this.#awake = false;
    if (this.#carried?.attached) this.#send("rest", {});
    else this.#settleSoon();
  }

  rested() {
    this.#key = "";
    this.#letGo();
    this.#settle();
  }

  /** @param {string} name */
  attributeChangedCallback(name) {
    if (name === "label") this.#rename();
    else if (name === "lazy" && this.isConnected) this.#presenceChanged();
    else if (name === "view-id" || name === "token" || name === "base") this.#settleSoon();
    else this.#tellSurroundings();
  }

  #presenceChanged() {
    if (this.hasAttribute("lazy")) watchPresence(this, this);
    else ignorePresence(this);
    this.#settleSoon();
  }

  #settleSoon() {
    if (this.#settling) return;
    this.#settling = true;
    queueMicrotask(() => {
      this.#settling = false;
      this.#settle();
    });
  }

  #settle() {
    const base = this.getAttribute("base") ?? defaultBase;
    const viewId = this.getAttribute("view-id") ?? "";
    const wanted = this.isConnected && viewId && (this.#awake || !this.hasAttribute("lazy"));
    const key = wanted ? JSON.stringify([base, viewId, this.getAttribute("token")]) : "";
    if (key === this.#key && Boolean(key) === Boolean(this.#carried)) return;
    this.#letGo();
    this.#key = key;
    if (!key) return this.#setState("loading");
    this.viewId = viewId;
    this.#stopWatching = watchSurroundings(this.#parts, () => this.#tellSurroundings());
    this.#begin();
    this.#carried = socketFor(base).attach(this);
    if (this.#told) return;
    // The page is laid out while the socket opens. Where Python was asked before that, it hears of it now.
    const context = surroundings(this, this.#parts, this.#modes.mode);
    if (!this.#carried.introduced) return;
    this.#told = JSON.stringify(context);
    this.#send("context", { context });
  }

  #begin() {
    this.#rename();
    this.#setState("loading");
    this.#parts.lost.hidden = true;
    this.#parts.status.textContent = `Loading ${this.#parts.app.textContent}…`;
    this.dataset.verdict = "pending";
    this.dataset.mode = "inline";
  }

  #letGo() {
    this.#stopWatching();
    this.#carried?.detach();
    this.#carried = null;
    this.#told = "";
    this.#dropFrame();
  }

  /** The person wants another try: also when the view went to another page. */
  #again() {
    const focus = this.#parts.notice.contains(this.#parts.root.activeElement);
    this.#carried?.socket.elsewhere.delete(this.viewId);
    this.#key = "";
    this.#letGo();
    this.#settle();
    if (focus) this.#parts.box.focus();
  }

  // What the socket asks and tells

  get token() {
    return this.getAttribute("token") ?? "";
  }

  attachFrame() {
    const context = surroundings(this, this.#parts, this.#modes.mode);
    this.#told = JSON.stringify(context);
    return { op: "attach", view: this.viewId, token: this.token, context };
  }

  /** @param {number} failures */
  disconnected(failures) {
    if (failures < 2) return;
    this.#parts.lost.textContent = "The connection to the host is lost. Trying again…";
    this.#parts.lost.hidden = false;
  }

  reconnected() {
    this.#parts.lost.hidden = true;
    this.#tellSurroundings();
  }

  /** @param {Frame} frame */
  fromPython(frame) {
    switch (frame.op) {
      case "mount":
        this.#mount(frame);
        break;
      case "message":
        this.#emit("fanlight-message", { direction: "to-view", message: frame.message });
        this.#frame?.post(frame.message);
        break;
      case "size":
        this.#onSize(frame);
        break;
      case "mode":
        if (!this.#frame) break;
        this.#modes.offer(frame.choosable);
        this.#modes.show(frame.mode);
        break;
      case "stage":
        this.#emit("fanlight-stage", { name: frame.name, ms: frame.ms, detail: frame.detail });
        break;
      case "verdict":
        this.#onVerdict(frame);
        break;
      case "violation":
        this.#emit("fanlight-violation", frame.violation);
        break;
      default:
        takeDecision(this, frame, (answer) => this.#send("decision", answer));
    }
  }

  /** @param {string} op @param {object} fields */
  #send(op, fields) {
    this.#carried?.send({ op, view: this.viewId, ...fields });
  }

  #tellSurroundings() {
    // Where nothing is drawn (a hidden part of the page), nothing is known.
    if (!this.#carried?.attached || !this.#frame || !this.#parts.stage.offsetWidth) return;
    const context = surroundings(this, this.#parts, this.#modes.mode);
    const text = JSON.stringify(context);
    if (text === this.#told) return;
    this.#told = text;
    this.#send("context", { context });
    this.#frame.setTheme(context.theme);
  }

  // The frame

  /** @param {Frame} mount */
  #mount(mount) {
    this.#dropFrame();
    this.#setState("loading");
    this.#parts.box.dataset.border = String(mount.border ?? true);
    this.#parts.rename(mount.app, mount.server);
    this.#frame = new SandboxFrame(
      this.#parts.stage,
      /** @type {any} */ (mount),
      (signal) => this.#onSignal(signal),
      (message) => this.#onMessage(message),
    );
    this.#tellSurroundings();
  }

  #dropFrame() {
    this.#frame?.remove();
    this.#frame = null;
    this.#modes.reset();
    this.#resizing.restart();
  }

  /** @param {string} name */
  #onSignal(name) {
    this.#send("signal", { name });
    this.#frame?.setTheme(themeOf(this.#parts));
  }

  /** @param {object} message */
  #onMessage(message) {
    this.#emit("fanlight-message", { direction: "from-view", message });
    try {
      this.#send("message", { message });
    } catch {
      // Structured clone carries what JSON cannot (cycles, BigInt); such a thing is not JSON-RPC.
      this.#send("signal", { name: "not-json" });
    }
  }

  // Size and mode

  /** @param {Frame} size */
  #onSize({ width, height }) {
    if (!this.#frame) return;
    const follows = width !== undefined && this.getAttribute("width") === "view";
    this.#parts.stage.style.setProperty("--width", follows ? `${width}px` : "");
    if (height !== undefined) this.#resizing.report(height);
  }

  #reveal() {
    if (this.dataset.verdict !== "ok" || this.#parts.box.dataset.state === "shown") return;
    this.#setState("shown");
    this.#parts.box.dataset.known = "";
    this.#parts.status.textContent = `${this.#parts.app.textContent} is shown.`;
  }

  /** @param {import("./modes.js").Mode} mode */
  #modeChanged(mode) {
    this.#resizing.show(mode === "inline");
    this.#tellSurroundings();
    this.dataset.mode = mode;
    this.#emit("fanlight-mode", { mode });
  }

  // What is said

  /** @param {Frame} frame */
  #onVerdict({ verdict, reason, remedy, text, elsewhere }) {
    this.dataset.verdict = verdict;
    if (verdict === "ok") {
      this.#resizing.look(REVEAL_MS);
    } else if (verdict !== "pending") {
      this.#dropFrame();
      const again = elsewhere ? "Show it here" : AGAIN.has(verdict) ? "Try again" : "";
      this.#parts.explain(reason ?? "The app could not be shown.", remedy, text);
      if (again) this.#parts.notice.append(button(again, () => this.#again()));
      this.#setState("failed");
    }
    this.#emit("fanlight-verdict", { verdict, reason, remedy, text });
  }

  /** @param {"loading" | "shown" | "failed"} state */
  #setState(state) {
    const { box, notice } = this.#parts;
    box.dataset.state = state;
    box.setAttribute("aria-busy", String(state === "loading"));
    if (state !== "failed") notice.hidden = true;
  }

  #rename() {
    const [server, app] = (this.getAttribute("label") ?? "").split(" · ");
    this.#parts.rename(app ?? server ?? "", app ? (server ?? "") : "");
  }

  /** @param {string} type @param {unknown} detail */
  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}

if (!customElements.get("fanlight-view")) customElements.define("fanlight-view", FanlightView);

export { FanlightView };
