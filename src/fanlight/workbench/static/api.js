/** The workbench's HTTP door. Knows addresses and faults; knows nothing of the page. */

/** @import { Fault, News, Outcome, StartedCall, State } from "./types.js" */

const RETRIES = 3;
const RETRY_PAUSE_MS = 1000;

/** A request that did not give what was asked, with the sentence to show and what to do about it. */
export class ApiError extends Error {
  /**
   * @param {Fault} fault
   * @param {number} status HTTP status, 0 when nothing answered
   */
  constructor(fault, status) {
    super(fault.message);
    this.fault = fault;
    this.status = status;
  }

  /** This browser has no pass, or one of an earlier start of the program. */
  get isRefusal() {
    return this.status === 401 || this.status === 403;
  }

  /** The request itself was at fault, so nothing was started. */
  get isBadInput() {
    return this.status >= 400 && this.status < 500;
  }
}

/**
 * Give the token of a link, which works once, for this page's key. The other half of the pass is a cookie
 * that no script sees.
 *
 * @param {string} token
 * @returns {Promise<string>}
 */
export async function redeem(token) {
  const given = await request("POST", "/api/pass", { body: { token } });
  return /** @type {{key: string}} */ (given).key;
}

export class Api {
  #key;

  /** @param {string} key */
  constructor(key) {
    this.#key = key;
  }

  /** @returns {Promise<State>} */
  async state() {
    return /** @type {State} */ (await this.#request("GET", "/api/state"));
  }

  /**
   * Wait until `fanlight dev` has something to tell after this number, or for a while.
   *
   * @param {number} number
   * @returns {Promise<News>}
   */
  async newsAfter(number) {
    return /** @type {News} */ (await this.#request("GET", `/api/news/${number}`));
  }

  /**
   * Start a tool call. Resolves as soon as it has started, with the view to show if there is one.
   *
   * @param {string} server
   * @param {string} tool
   * @param {Record<string, unknown>} args
   * @returns {Promise<StartedCall>}
   */
  async startCall(server, tool, args) {
    const body = { server, tool, arguments: args };
    return /** @type {StartedCall} */ (await this.#request("POST", "/api/calls", { body }));
  }

  /**
   * Wait until a call has finished. A dropped connection (a slept laptop) is tried again.
   *
   * @param {string} id
   * @param {AbortSignal} signal
   * @returns {Promise<Outcome>}
   */
  async finishedCall(id, signal) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const path = `/api/calls/${encodeURIComponent(id)}`;
        return /** @type {Outcome} */ (await this.#request("GET", path, { signal }));
      } catch (error) {
        const dropped = error instanceof ApiError && error.status === 0;
        if (!dropped || signal.aborted || attempt === RETRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
      }
    }
  }

  /**
   * Close a view. One that is already gone is fine.
   *
   * @param {string} id
   */
  async closeView(id) {
    try {
      await this.#request("DELETE", `/api/views/${encodeURIComponent(id)}`);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {{body?: unknown, signal?: AbortSignal}} [options]
   * @returns {Promise<unknown>}
   */
  #request(method, path, options = {}) {
    return request(method, path, { ...options, key: this.#key });
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {{body?: unknown, signal?: AbortSignal, key?: string}} options
 * @returns {Promise<unknown>}
 */
async function request(method, path, { body, signal, key }) {
  /** @type {Record<string, string>} */
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  /** @type {RequestInit} */
  const init = { method, headers, cache: "no-store", credentials: "same-origin", redirect: "error" };
  if (signal) init.signal = signal;
  if (body !== undefined) {
    headers["Content-Type"] = "application/json";
    init.body = JSON.stringify(body);
  }
  let response;
  let text;
  try {
    response = await fetch(path, init);
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(
      {
        message: "Fanlight does not answer.",
        remedy:
          "Look at the terminal. If the program has ended, start it again and open the link that it prints.",
      },
      0,
    );
  }
  const answer = parsed(text);
  if (response.ok) return answer;
  throw new ApiError(
    faultIn(answer) ?? {
      message: `Fanlight answered with HTTP status ${response.status}.`,
      remedy: "The terminal may say more.",
    },
    response.status,
  );
}

/** @param {string} text */
function parsed(text) {
  try {
    return /** @type {unknown} */ (JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * @param {unknown} answer
 * @returns {Fault | null}
 */
function faultIn(answer) {
  if (typeof answer !== "object" || answer === null || !("error" in answer)) return null;
  const { error } = answer;
  if (typeof error !== "object" || error === null || !("message" in error)) return null;
  return typeof error.message === "string" ? /** @type {Fault} */ (error) : null;
}
