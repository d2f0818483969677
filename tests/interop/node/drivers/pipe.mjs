/**
 * One pipe between a Python test and a published ext-apps class.
 *
 * Each line of stdin and stdout is one JSON object. A line with the key "driver" belongs to the side channel
 * (commands in; reports and outcomes out); every other line is a JSON-RPC message, passed through untouched.
 * Both kinds share one stream, so their order is the order in which things happened.
 *
 * This file knows nothing of MCP Apps: it must not look into a message.
 */
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const PACKAGES = { "2.0.4": "@modelcontextprotocol/ext-apps", "1.7.5": "ext-apps-v1" };

const writeLine = process.stdout.write.bind(process.stdout);

/** Put one object on the pipe. A JSON line, because `undefined` members must vanish as they do in postMessage JSON. */
function put(object) {
  writeLine(JSON.stringify(object) + "\n");
}

/** Tell the test that something happened to the official object. */
export function report(event, fields = {}) {
  put({ driver: { event, ...fields } });
}

/** An exception as plain data; `code` and `data` are what a JSON-RPC error answer carried. */
export function describeError(error) {
  return {
    name: error?.name,
    message: String(error?.message ?? error),
    code: error?.code,
    data: error?.data,
  };
}

/** Resolves with the signal's reason once it aborts: what work that would run for ever waits for. */
export function aborted(signal) {
  if (signal.aborted) return Promise.resolve(signal.reason);
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(signal.reason), { once: true }));
}

// The SDK prints to the console (App logs each ping). Stdout is the wire here, and a warning is evidence.
for (const level of ["log", "info", "warn", "error"]) {
  console[level] = (...words) => report("console", { level, text: words.map(String).join(" ") });
}
process.on("unhandledRejection", (error) => report("unhandled", { error: describeError(error) }));

/**
 * Load the asked version of ext-apps and make sure that it is the one installed.
 * Returns the module's exports and whether it is of the 1.x line, whose base class has another calling style.
 */
export async function loadPublished(entry) {
  const version = process.argv[2];
  const name = PACKAGES[version];
  if (!name) throw new Error(`usage: <driver> ${Object.keys(PACKAGES).join("|")}, got ${version}`);
  const main = fileURLToPath(import.meta.resolve(name));
  const manifest = JSON.parse(readFileSync(main.slice(0, main.lastIndexOf("/dist/")) + "/package.json", "utf8"));
  if (manifest.version !== version) throw new Error(`${name} is ${manifest.version}, expected ${version}: make setup`);
  return { ...(await import(name + entry)), isV1: version.startsWith("1.") };
}

/** The Transport that the official Protocol class asks for. Only the newest one hears the pipe. */
export class PipeTransport {
  static current = undefined;

  async start() {
    PipeTransport.current = this;
  }

  async send(message) {
    put(message);
  }

  async close() {
    if (PipeTransport.current === this) PipeTransport.current = undefined;
    this.onclose?.();
  }
}

/** Resolves after everything that was already on its way inside Node has been handled. */
async function settle() {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * Serve the pipe until stdin ends.
 *
 * `commands` maps a name to a function of a context `{signal, ref}` and the command's arguments. Each command
 * is started when its line is read and is answered with `{outcome: ref, ok, value | error}` when its promise
 * settles; `{abort: ref, reason}` aborts its signal; the command `sync` is answered once Node has come to rest.
 */
export function serve(commands) {
  const aborters = new Map();
  const all = { ...commands, sync: settle };

  async function run({ ref, run: name, args = [] }) {
    const aborter = new AbortController();
    aborters.set(ref, aborter);
    try {
      if (!Object.hasOwn(all, name)) throw new Error(`no driver command ${name}`);
      const value = await all[name]({ signal: aborter.signal, ref }, ...args);
      put({ driver: { outcome: ref, ok: true, value } });
    } catch (error) {
      put({ driver: { outcome: ref, ok: false, error: describeError(error) } });
    } finally {
      aborters.delete(ref);
    }
  }

  function take(line) {
    const object = JSON.parse(line);
    if (object === null || typeof object !== "object" || !("driver" in object)) {
      PipeTransport.current?.onmessage?.(object);
    } else if ("abort" in object.driver) {
      aborters.get(object.driver.abort)?.abort(object.driver.reason);
    } else {
      run(object.driver);
    }
  }

  // One turn of the event loop for each line, as a browser gives one task to each message event.
  let turn = Promise.resolve();
  const lines = createInterface({ input: process.stdin });
  lines.on("line", (line) => {
    turn = turn.then(() => take(line)).then(() => new Promise((resolve) => setImmediate(resolve)));
  });
  lines.on("close", () => process.exit(0));
  report("ready");
}
