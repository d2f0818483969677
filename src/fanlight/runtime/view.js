// The view's side of MCP Apps in one file without imports. A classic script, so that it can be inlined before
// all others and works under every policy: it defines the global `fanlight` (types in view.d.ts, docs/view.md)
// and connects when the document has been parsed, which is after its other scripts have run.
// It speaks to `window.parent` only, and uses no eval and no network. It is sent as `shrink.py` makes it; the
// budget is 5 kB compressed, so there is one way to do a thing, and nothing that a few lines of an app can do.

(() => {
  /**
   * @typedef {import("./view.js").Fanlight} Fanlight
   * @typedef {import("./view.js").RequestOptions} RequestOptions
   * @typedef {import("./view.js").HandlerExtra} HandlerExtra
   * @typedef {Record<string, any>} Json
   * @typedef {{resolve(result: any): void, reject(error: Error): void, progress(news?: any): void}} Call
   */

  /** So long an MCP host may take until a `window.openai` beside it is used instead. */
  const OPENAI_AFTER_MS = 300;
  /** As in the official SDK: so long a host may be silent about a request. */
  const TIMEOUT_MS = 60_000;
  /** So long nothing may change until the height of doubtful content is tried. */
  const QUIET_MS = 500;

  /** @type {any} */
  const page = window;
  if (page.fanlight) return;
  const isFramed = parent !== page;
  const root = document.documentElement;
  /** @type {import("./view.js").SetupOptions} */
  const options = {};
  /** Our requests under way. @type {Map<number, Call>} */
  const calls = new Map();
  /** The host's requests under way. @type {Map<unknown, AbortController>} */
  const aborters = new Map();
  /** @type {Map<string, Set<(value: any) => unknown>>} */
  const listeners = new Map();
  /** The newest value of each event that nobody has heard yet, in the order they came. @type {Map<string, any>} */
  const unheard = new Map();

  /** @param {string} message @param {object} [facts] */
  const failure = (message, facts) => Object.assign(Error(message), facts);
  /** A copy as JSON: absent fields vanish, and what frameworks wrap in proxies can be cloned. @param {Json} value */
  const plain = (value) => JSON.parse(JSON.stringify(value));
  /** @param {any} content */
  const blocks = (content) => (typeof content === "string" ? [{ type: "text", text: content }] : content);
  /** @type {Fanlight["text"]} */
  const text = ({ content = [] }) => content.flatMap((block) => block.text ?? []).join("\n");

  // ---- events

  /** To listeners of the DOM. @param {string} name @param {any} detail @param {Node} [target] */
  const fire = (name, detail, target = document) => target.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));

  /** To handlers of ours, now or when there is one. @param {string} event @param {any} value */
  function emit(event, value) {
    const all = listeners.get(event);
    if (!all?.size) unheard.set(event, value);
    else for (const handler of all) queueMicrotask(() => handler(value));
  }
  const complain = (/** @type {Error} */ error) => emit("error", error);

  /** @param {string} event @param {(value: any) => unknown} handler */
  function on(event, handler) {
    const all = listeners.get(event) ?? new Set();
    listeners.set(event, all.add(handler));
    // Later, so that a script attaches all its handlers before the first one is called: the order stays.
    queueMicrotask(() => {
      for (const [name, value] of unheard)
        if (listeners.get(name)?.size && unheard.delete(name)) emit(name, value);
    });
    return () => all.delete(handler);
  }

  // ---- JSON-RPC over postMessage

  /** @param {Json} message */
  const postToParent = (message) => parent.postMessage(plain({ jsonrpc: "2.0", ...message }), "*");
  let post = postToParent;
  let nextId = 1;

  /** @param {string} method @param {Json} [params] @param {RequestOptions} [options] @returns {Promise<any>} */
  function rpc(method, params = {}, { onProgress, signal, timeout = TIMEOUT_MS } = {}) {
    const id = nextId++;
    let timer = 0;
    return new Promise((resolve, reject) => {
      const cancel = (/** @type {any} */ error) => {
        post({ method: "notifications/cancelled", params: { requestId: id, reason: String(error) } });
        reject(error);
      };
      const progress = (/** @type {any} */ news = undefined) => {
        clearTimeout(timer);
        timer = setTimeout(cancel, timeout, failure(`The host did not answer ${method}.`));
        if (news) onProgress?.(news);
      };
      signal?.throwIfAborted();
      signal?.addEventListener("abort", () => calls.has(id) && cancel(signal.reason));
      calls.set(id, { resolve, reject, progress });
      progress();
      post({ id, method, params: onProgress ? { ...params, _meta: { ...params._meta, progressToken: id } } : params });
    }).finally(() => {
      clearTimeout(timer);
      calls.delete(id);
    });
  }

  /** @param {MessageEvent} event */
  function receive({ source, data }) {
    // Whoever frames us is the host, of any origin; the protocol has no other proof.
    if (source !== parent || data?.jsonrpc !== "2.0") return;
    const { id, method } = data;
    const params = data.params ?? {};
    if (!method) settle(data);
    else if (id === undefined) hear(method, params);
    else answer(id, method, params);
  }

  /** @param {Json} answer */
  function settle({ id, result, error }) {
    // Some hosts give a number back as a text.
    const call = calls.get(+id);
    if (error) call?.reject(failure(error.message, error));
    else call?.resolve(result);
  }

  /** @param {string} method @param {any} params */
  function hear(method, params) {
    const [, what] = method.match(/^ui\/notifications\/tool-(.+)/) ?? [];
    if (what) {
      if (what === "input") unheard.delete("partial");
      fire(`tool:${what}`, params);
      emit(what.replace("input-", ""), what.startsWith("input") ? (params.arguments ?? {}) : params);
    } else if (method === "ui/notifications/host-context-changed") changeContext(params);
    else if (method === "notifications/progress") calls.get(+params.progressToken)?.progress(params);
    else if (method === "notifications/cancelled") aborters.get(params.requestId)?.abort(params.reason);
    else emit(method, params);
  }

  /** @param {unknown} id @param {string} method @param {any} params */
  async function answer(id, method, params) {
    const aborter = new AbortController();
    aborters.set(id, aborter);
    /** @type {Json} */
    const reply = { id };
    try {
      if (!handlers[method]) throw failure("Method not found", { code: -32601 });
      reply.result = (await handlers[method](params, aborter)) ?? {};
    } catch (/** @type {any} */ error) {
      reply.error = { code: error?.code | 0 || -32603, message: String(error?.message ?? error) };
    }
    aborters.delete(id);
    if (!aborter.signal.aborted) post(reply);
  }

  // ---- the connection

  /** @type {typeof rpc} */
  const request = (...call) => fanlight.ready.then(() => rpc(...call));

  /** @param {string} method @param {Json} [params] */
  const notify = (method, params = {}) => fanlight.ready.then(() => post({ method, params }), () => {});

  /** A request that the host may refuse in two ways. @type {typeof rpc} */
  async function act(...call) {
    if ((await request(...call))?.isError) throw failure(`The host refused ${call[0]}.`);
  }

  /** @returns {Promise<Json>} the answer to `ui/initialize`, with `input` and `result` where nobody sends them */
  async function findHost() {
    const sample = document.getElementById("fanlight-sample");
    const other = new Promise((found) => {
      setTimeout(() => page.openai && !fanlight.host && found(useOpenai()), OPENAI_AFTER_MS);
    });
    if (isFramed) {
      const { info: appInfo = { name: document.title || "View", version: "1.0.0" }, modes } = options;
      const appCapabilities = { availableDisplayModes: modes, tools: offersTools ? { listChanged: true } : undefined };
      return Promise.race([rpc("ui/initialize", { appInfo, appCapabilities, protocolVersion: "2026-01-26" }), other]);
    }
    if (page.openai) return other;
    if (!sample) throw failure('This view needs an MCP host, or sample data with the id "fanlight-sample".');
    const { context, ...data } = JSON.parse(sample.textContent);
    const methods = { "ui/open-link": (/** @type {Json} */ { url }) => void open(url) };
    return { hostInfo: standIn("preview", methods), hostContext: context, ...data };
  }

  /** Do the work of a host that speaks no JSON-RPC. @param {string} name @param {Json} methods */
  function standIn(name, methods) {
    post = async ({ id, method, params }) => {
      try {
        settle({ id, result: await methods[method](plain(params)) });
      } catch (error) {
        settle({ id, error: methods[method] ? error : failure(`There is no ${method} in ${name}.`) });
      }
    };
    return { name, version: "1" };
  }

  async function handshake() {
    post = postToParent;
    fanlight.host = undefined;
    offersTools = tools.size > 0;
    for (const call of calls.values()) call.reject(failure("The view connects again."));
    const { hostInfo: host, hostCapabilities: capabilities = {}, ...shown } = await findHost();
    post({ method: "ui/notifications/initialized", params: {} });
    Object.assign(fanlight, { host, capabilities, context: {} });
    show(shown);
    watchSize();
    fire("bridge:ready", { host });
    return fanlight;
  }

  /** @param {Json} shown */
  function show({ hostContext = {}, input, result }) {
    changeContext(hostContext);
    if (input) hear("ui/notifications/tool-input", { arguments: input });
    if (result) hear("ui/notifications/tool-result", result);
  }

  /** @param {Promise<Fanlight>} connecting */
  function connect(connecting) {
    connecting.catch((error) => {
      if (fanlight.ready !== connecting) return;
      complain(error);
      fire("bridge:error", { error });
      document.body.prepend(error.message);
    });
    return (fanlight.ready = connecting);
  }

  // ---- window.openai, where there is nothing else

  function useOpenai() {
    const { openai } = page;
    const hostInfo = standIn("openai", {
      "tools/call": (/** @type {Json} */ { name, arguments: args }) => openai.callTool(name, args),
      "ui/message": (/** @type {Json} */ params) => openai.sendFollowUpMessage({ prompt: text(params) }),
      "ui/open-link": (/** @type {Json} */ { url }) => openai.openExternal({ href: url }),
      "ui/request-display-mode": (/** @type {Json} */ params) => openai.requestDisplayMode(params),
      // The model reads the widget's state there.
      "ui/update-model-context": (/** @type {Json} */ params) => state.set("modelContext", params),
      "ui/notifications/size-changed": (/** @type {Json} */ { height }) => openai.notifyIntrinsicHeight(height),
      "ui/notifications/request-teardown": () => openai.requestClose(),
    });
    addEventListener("openai:set_globals", showGlobals);
    return { hostInfo, ...readGlobals(openai) };
  }

  const showGlobals = (/** @type {any} */ { detail }) => show(readGlobals(detail.globals));

  /** @param {Json} globals some or all */
  const readGlobals = ({ toolInput, toolOutput, toolResponseMetadata, safeArea, theme, locale, displayMode }) =>
    plain({
      hostContext: { theme, locale, displayMode, safeAreaInsets: safeArea?.insets },
      input: toolInput,
      result: toolOutput && { content: [], structuredContent: toolOutput, _meta: toolResponseMetadata },
    });

  // ---- the host's look

  /** The custom properties that were set. @type {string[]} */
  let themed = [];
  const fonts = document.createElement("style");

  /** @param {Json} changes */
  function changeContext(changes) {
    const { context } = fanlight;
    const { theme, displayMode, styles } = Object.assign(context, changes);
    loadState();
    if (options.theme !== false) {
      if (theme) root.style.colorScheme = root.dataset.theme = theme;
      if (displayMode) root.dataset.displayMode = displayMode;
      if (changes.styles) applyStyles(styles);
    }
    fire("context:change", context);
    emit("context", context);
  }

  /** @param {Json} styles */
  function applyStyles({ variables = {}, css }) {
    for (const name of themed) root.style.removeProperty(name);
    themed = Object.keys(variables);
    for (const name of themed) root.style.setProperty(name, variables[name] ?? "");
    fonts.textContent = css?.fonts;
    document.head.append(fonts);
  }

  // ---- the height of the content

  let sent = 0;
  let wanted = 0;
  let lastHeight = 0;
  let lastFrame = innerHeight;
  /** How much speaks for a height that follows the frame. */
  let doubt = 0;
  let isTried = false;
  let trial = 0;
  let turn = 0;
  const measureSoon = () => void (turn ||= requestAnimationFrame(measure));
  const resizes = new ResizeObserver(measureSoon);
  const mutations = new MutationObserver(measureSoon);
  const free = new CSSStyleSheet();
  free.replaceSync(":root,body{height:max-content!important;min-height:0!important}");
  /** What a reader scrolled: without heights it has nothing to scroll, and goes back to its top. @type {Set<any>} */
  const scrolled = new Set();

  function watchSize() {
    sent = 0;
    if (options.autoResize === false) return;
    resizes.observe(document.body);
    // Content that overflows a body of fixed height changes no box of it.
    mutations.observe(document.body, { childList: true, attributes: true, characterData: true, subtree: true });
    addEventListener("resize", measureSoon);
    addEventListener("scroll", (/** @type {any} */ { target }) => scrolled.add(target.scrollingElement ?? target), true);
    measureSoon();
  }

  /**
   * Report the height of the document, 100 % and 100vh of page and body not counted, if the content changed it.
   * An element of 100vh grows because we reported, a layout may jump between two heights: both change with the
   * frame. After two steps of the first kind or ten of the second the height is in doubt, and only what changes
   * while the frame stands still counts. Content that grew at the same moments by chance looks like that too, so
   * the whole height is tried once when all is quiet; a frame that changes alone ends the doubt.
   */
  function measure() {
    turn = 0;
    clearTimeout(trial);
    if (fanlight.context.displayMode === "fullscreen") return;
    const places = Array.from(scrolled, (place) => [place, place.scrollTop]);
    document.adoptedStyleSheets.push(free);
    const height = Math.ceil(root.getBoundingClientRect().height);
    document.adoptedStyleSheets.pop();
    for (const [place, top] of places) {
      if (!top) scrolled.delete(place);
      else if (place.scrollTop !== top) place.scrollTo({ top, behavior: "instant" });
    }
    const grown = height - lastHeight;
    const opened = innerHeight - lastFrame;
    lastHeight = height;
    lastFrame = innerHeight;
    if (!opened) wanted += grown;
    else if (grown) doubt += grown / opened >= 1 ? 5 : 1;
    else {
      doubt = 0;
      isTried = false;
    }
    if (doubt < 10) wanted = height;
    if (wanted !== sent) report(wanted);
    else if (height !== sent && !isTried)
      trial = setTimeout(() => {
        isTried = true;
        report(height);
      }, QUIET_MS);
  }

  const report = (/** @type {number} */ height) => resize((sent = wanted = height));
  /** @type {Fanlight["resize"]} */
  const resize = (height, width) => notify("ui/notifications/size-changed", { height, width });

  // ---- state

  // The truth is in this document; what is kept elsewhere adds only what is not known here. Where a host of ours
  // keeps it, that is in the context, even when it is empty (our own addition to the protocol).

  /** @type {Json} */
  let memory = {};
  /** What our host was told of it last. @type {Json | undefined} */
  let saved;
  /** @type {Promise<any>} */
  let telling = Promise.resolve();

  /** Its name in the storage: by tool and call, so that views do not share it. A call without an id has none. */
  function stateKey() {
    const { id, tool } = fanlight.context.toolInfo ?? {};
    const name = options.stateKey ?? (id == null ? "" : `${tool.name}:${id}`);
    return name && `fanlight:${name}`;
  }

  const keptByHost = () => (options.stateKey ? undefined : fanlight.context["fanlight/state"]);

  function loadState() {
    try {
      const kept = page.openai ? page.openai.widgetState : (keptByHost() ?? JSON.parse(localStorage[stateKey()]));
      memory = { ...kept, ...memory };
    } catch {
      // No storage.
    }
  }

  function saveState() {
    const key = stateKey();
    if (page.openai) page.openai.setWidgetState(memory);
    else if (keptByHost()) tellState();
    else if (key) localStorage[key] = JSON.stringify(memory);
  }

  /** One after the other, so that a host gets the newest and not every step. */
  function tellState() {
    telling = telling
      .then(() => saved === memory || request("fanlight/set-state", { state: (saved = memory) }))
      .catch(complain);
  }

  const state = {
    /** @param {string} key @param {any} [fallback] */
    get: (key, fallback) => memory[key] ?? fallback,
    /** @param {string} key @param {any} value */
    set(key, value) {
      memory = { ...memory, [key]: value };
      // There may be no host, no storage, or it is full.
      fanlight.ready.then(saveState).catch(() => {});
    },
  };

  // ---- what the host may ask, the view's own tools among it

  /** @type {Map<string, {spec: Json, run: (args: Json, extra: HandlerExtra) => unknown}>} */
  const tools = new Map();
  /** Whether the host was told of tools; not known before the first connection. @type {boolean | undefined} */
  let offersTools;

  /** @type {Fanlight["tool"]} */
  function tool(name, config, run) {
    if (offersTools === false) throw failure("Offer the first tool before the view connects.");
    const entry = { spec: { name, inputSchema: { type: "object" }, ...config }, run };
    const changed = (/** @type {unknown} */ _) => offersTools && notify("notifications/tools/list_changed");
    const enable = () => changed(tools.set(name, entry));
    const disable = () => changed(tools.delete(name));
    enable();
    return { enable, disable, remove: disable, update: (news) => changed(Object.assign(entry.spec, news)) };
  }

  /** @type {Record<string, (params: any, extra: HandlerExtra) => unknown>} */
  const handlers = {
    // @ts-ignore: no method is found in a prototype
    __proto__: null,
    ping() {},
    async "ui/resource-teardown"(params) {
      await Promise.allSettled(Array.from(listeners.get("teardown") ?? [], async (handler) => handler(params)));
      await telling;
    },
    "tools/list": () => ({ tools: Array.from(tools.values(), ({ spec }) => spec) }),
    async "tools/call"({ name, arguments: args = {} }, extra) {
      const entry = tools.get(name);
      if (!entry) throw failure(`There is no tool ${name}.`, { code: -32602 });
      try {
        /** @type {any} */
        const value = await entry.run(args, extra);
        if (value?.content) return value;
        return { content: blocks(typeof value === "string" ? value : JSON.stringify(value ?? {})) };
      } catch (error) {
        return { content: blocks(String(error)), isError: true };
      }
    },
  };

  // ---- the document: data-tool-call and links

  /** The named fields of a form as arguments. @param {any} form @param {any} submitter */
  function argumentsOf(form, submitter) {
    const data = new FormData(form, submitter);
    /** @type {Json} */
    const args = {};
    for (const { name, type } of form.querySelectorAll("[name]")) {
      const values = data.getAll(name);
      const isBox = type === "checkbox";
      if (type === "select-multiple" || (isBox && form.elements[name].length)) args[name] = values;
      else if (isBox) args[name] = values.length > 0;
      else if (!/number|range/.test(type)) args[name] = values[0];
      else if (values[0]) args[name] = Number(values[0]);
    }
    return args;
  }

  /**
   * Call what an element declares, and show on it that it is busy or has failed.
   * @param {any} caller has the attributes
   * @param {any} form whose fields are arguments, if any
   * @param {any} button what was pressed
   */
  async function callDeclared(caller, form, button) {
    const { toolCall: name, toolArgs = "{}" } = caller.dataset;
    const focused = document.activeElement;
    /** @type {Json} */
    let args = {};
    let said;
    if (caller.ariaBusy === "true") return;
    delete caller.dataset.toolError;
    try {
      args = { ...JSON.parse(toolArgs), ...(form && argumentsOf(form, button === form ? null : button)) };
      // Not before: a disabled button is no longer among its form's data.
      caller.ariaBusy = button.disabled = true;
      const result = await fanlight.callTool(name, args);
      said = text(result);
      if (result.isError) throw failure(said);
      fire("tool:success", { name, args, result }, caller);
    } catch (/** @type {any} */ error) {
      said = caller.dataset.toolError = error.message;
      fire("tool:error", { name, args, error }, caller);
    }
    caller.ariaBusy = button.disabled = false;
    const output = form && form.querySelector("output");
    if (output) output.value = said;
    if (focused === button) button.focus();
  }

  const acts = (/** @type {any} */ node) => node.matches?.("[data-tool-call]:not(form),button,a[href]");

  /** A click or a submit. @param {any} event */
  function activate(event) {
    const { target, submitter, type } = event;
    const submits = type === "submit";
    // The whole way up, for what is pressed may be in the shadow of an element.
    const pressed = submits ? (submitter ?? target) : event.composedPath().find(acts);
    if (!pressed || event.defaultPrevented) return;
    // A click is not left to the submit event, which a frame without allow-forms never sees.
    const form = submits ? target : pressed.type === "submit" && pressed.form;
    const caller = [pressed, form].find((element) => element?.dataset?.toolCall);
    const href = pressed.getAttribute("href");
    // The whole address; a link in a picture (SVG) has it as an object.
    const url = pressed.href?.baseVal ?? pressed.href;
    if (caller) {
      event.preventDefault();
      if (!form || form.noValidate || form.reportValidity()) callDeclared(caller, form, pressed);
    } else if (href?.startsWith("#")) {
      // Left to itself, a document without an address (srcdoc) would leave for that of its parent.
      event.preventDefault();
      location.hash = href;
    } else if (/^(https?|mailto|tel):/.test(url) && options.links !== false) {
      event.preventDefault();
      fanlight.openLink(url).catch(complain);
    }
  }

  // ---- the door

  /** @param {BlobPart} data */
  const base64 = async (data) =>
    btoa(new Uint8Array(await new Blob([data]).arrayBuffer()).reduce((all, byte) => all + String.fromCharCode(byte), ""));

  /** @type {any} */
  const fanlight = (page.fanlight = {
    context: {},
    capabilities: {},
    on,
    request,
    notify,
    handlers,
    resize,
    tool,
    state,
    text,
    connect: () => (offersTools === undefined ? fanlight.ready : connect(handshake())),
    setup: (/** @type {object} */ changes) => Object.assign(options, changes),
    callTool: (/** @type {string} */ name, /** @type {any} */ args, /** @type {any} */ options) =>
      request("tools/call", { name, arguments: args }, { onProgress() {}, ...options }),
    openLink: (/** @type {any} */ url, /** @type {any} */ options) => act("ui/open-link", { url }, options),
    readResource: (/** @type {string} */ uri, /** @type {any} */ options) => request("resources/read", { uri }, options),
    listResources: (/** @type {string} */ cursor, /** @type {any} */ options) =>
      request("resources/list", { cursor }, options),
    message: (/** @type {any} */ content, /** @type {any} */ options) =>
      act("ui/message", { role: "user", content: blocks(content) }, options),
    updateContext: (/** @type {any} */ content, /** @type {any} */ structuredContent, /** @type {any} */ options) =>
      act("ui/update-model-context", { content: blocks(content), structuredContent }, options),
    async download(/** @type {string} */ name, /** @type {any} */ data, /** @type {any} */ type, /** @type {any} */ options) {
      const isText = typeof data === "string";
      const mimeType = type || data.type || (isText ? "text/plain" : undefined);
      const body = isText ? { text: data } : { blob: await base64(data) };
      const resource = { uri: `file:///${encodeURIComponent(name)}`, mimeType, ...body };
      return act("ui/download-file", { contents: [{ type: "resource", resource }] }, options);
    },
    async requestMode(/** @type {string} */ mode, /** @type {any} */ options) {
      await fanlight.ready;
      const { availableDisplayModes = [mode], displayMode = "inline" } = fanlight.context;
      if (!availableDisplayModes.includes(mode)) return displayMode;
      return (await request("ui/request-display-mode", { mode }, options)).mode;
    },
    async sample(/** @type {any} */ prompt, /** @type {any} */ options) {
      await fanlight.ready;
      const { sampling } = fanlight.capabilities;
      const params = prompt.messages ? prompt : { messages: [{ role: "user", content: blocks(prompt)[0] }], maxTokens: 1000 };
      if (!sampling || (params.tools && !sampling.tools)) throw failure("The host does not offer such sampling.");
      return request("sampling/createMessage", params, options);
    },
    log: (/** @type {any} */ data, level = "info", /** @type {any} */ logger) =>
      notify("notifications/message", { level, data, logger }),
    close: () => notify("ui/notifications/request-teardown"),
  });

  if (isFramed) addEventListener("message", receive);
  addEventListener("click", activate);
  addEventListener("submit", activate);
  connect(
    new Promise((parsed) => {
      if (document.readyState === "loading") addEventListener("DOMContentLoaded", parsed);
      else setTimeout(parsed);
    }).then(handshake),
  );
})();
