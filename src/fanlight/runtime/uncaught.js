// What the scripts of a view did not catch becomes a log line for the host, with its place: a page cannot look
// into its view, so without this the author of the view would have to open the browser's tools to hear of it.
// Only in documents that the server kit makes for `fanlight dev`, before every other script. It stands on one
// line (`shrink.py`), so that lines of the document keep their numbers.

(() => {
  /** A view that fails with every frame must not fill the log. */
  const MOST = 100;
  const LONGEST = 1000;
  /** So long the bridge may take. An error may well be why it never comes. */
  const PATIENCE_MS = 3000;
  /** First and last line of each script in the document that came from a file. @type {[number, number, string][]} */
  const files = JSON.parse(/** @type {any} */ (document.currentScript).dataset.fanlightFiles);
  const page = document.URL.replace(/#.*/, "");
  /** What waits for the host. @type {object[] | null} */
  let held = [];
  let told = 0;
  let isLate = false;

  /** @param {object} params */
  const post = (params) => parent.postMessage({ jsonrpc: "2.0", method: "notifications/message", params }, "*");

  /** Nothing should be said before the view is `initialized`. What the host says of itself comes after that; so
   * the document's own bridge, whichever it is, need not know of this. @param {MessageEvent} event */
  function hear({ source, data }) {
    if (source !== parent || !/^ui\/notifications\//.test(data?.method)) return;
    removeEventListener("message", hear);
    held?.forEach(post);
    held = null;
  }

  /** @param {string} file @param {number} line @param {number} column */
  function inFile(file, line, column) {
    if (file !== page) return `${file}:${line}:${column}`;
    // A script that cannot be read has no name, for the comment with its name stands at its end.
    const [first, , name] = files.find(([first, last]) => first <= line && line <= last) ?? [1, 0, "document"];
    return `${name}:${line - first + 1}:${column}`;
  }

  /** Where it was thrown: the first line of its stack that is in a file, else in the document. @param {any} error */
  function thrownAt(error) {
    const frames = Array.from(String(error?.stack).matchAll(/(?:^\s+at .*?|@)([^\s(@]+):(\d+):(\d+)\)?$/gm));
    const [, file, line, column] = frames.find(([, file]) => file !== page) ?? frames[0] ?? [];
    return file && inFile(file, Number(line), Number(column));
  }

  /** @param {Event} event @param {unknown} thrown @param {string | undefined} place */
  function tell(event, thrown, place) {
    // Later: a listener of the view may say that it has dealt with it.
    setTimeout(() => {
      if (event.defaultPrevented || told++ >= MOST) return;
      const params = { level: "error", logger: "uncaught", data: { message: inWords(thrown), place } };
      held?.push(params);
      if (!held || isLate) post(params);
    });
  }

  /** @param {unknown} thrown */
  function inWords(thrown) {
    try {
      return String(thrown).slice(0, LONGEST);
    } catch {
      return "something that is no text";
    }
  }

  if (parent === window) return;
  addEventListener("message", hear);
  // A host leaves it out, and says so; a developer who looks at the messages has it. What is held stays held.
  setTimeout(() => {
    isLate = true;
    held?.forEach(post);
  }, PATIENCE_MS);
  addEventListener("error", (event) => {
    const { error, message, filename, lineno, colno } = event;
    // Not of a script: the browser's note that it measures again in the next frame.
    if (/^ResizeObserver loop/.test(message)) return;
    tell(event, error ?? message, thrownAt(error) || (filename && inFile(filename, lineno, colno)));
  });
  addEventListener("unhandledrejection", (event) => tell(event, event.reason, thrownAt(event.reason)));
})();
