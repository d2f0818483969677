// What every attack uses: the list they enter themselves in, the three outcomes, and the way out.
"use strict";

/** @typedef {"held" | "through" | "unclear"} Outcome */
/** @typedef {{outcome: Outcome, detail: string}} Result */
/** @typedef {"load" | "click" | "last"} When by itself; with a person's click; alone in a view, which may end by it */
/** An attack that returns nothing is decided by the listener: held if nothing arrived. */
/** @typedef {(attack: {id: string}) => Result | void | Promise<Result | void>} Deed */
/** @typedef {{id: string, title: string, group: string, when: When, deed: Deed}} Attack */

// Its methods are taken out of it by name, so they know it by its name and not as `this`.
class Kit {
  /** Where the listener is. @type {{http: string, name: string, tcp: Record<string, string>, udp: Record<string, number>}} */
  facts = JSON.parse(document.getElementById("facts")?.textContent ?? "{}");
  /** Tells the requests of this view from those of another. */
  run = Array.from(crypto.getRandomValues(new Uint8Array(5)), (byte) => byte.toString(36)).join("");
  /** @type {Attack[]} */
  attacks = [];
  /** @type {{id: string, title: string}[]} */
  groups = [];
  /** What was readable, for a tester who knows which secrets there are. @type {string[]} */
  readable = [];
  /** A place that is laid out and not seen: what is not laid out loads no backgrounds. */
  range = /** @type {HTMLElement} */ (document.getElementById("range"));

  // The list

  /** @param {string} id @param {string} title */
  group(id, title) {
    hostile.groups.push({ id, title });
  }

  /** @param {When} when @param {string} id @param {string} title @param {Deed} deed */
  enter(when, id, title, deed) {
    hostile.attacks.push({ id, title, group: hostile.groups.at(-1)?.id ?? "", when, deed });
  }

  /** @param {string} id @param {string} title @param {Deed} deed */
  attack(id, title, deed) {
    hostile.enter("load", id, title, deed);
  }

  /** @param {string} id @param {string} title @param {Deed} deed */
  clickAttack(id, title, deed) {
    hostile.enter("click", id, title, deed);
  }

  /** @param {string} id @param {string} title @param {Deed} deed */
  lastAttack(id, title, deed) {
    hostile.enter("last", id, title, deed);
  }

  // Outcomes

  /** @param {string} detail @returns {Result} */
  held(detail) {
    return { outcome: "held", detail };
  }

  /** @param {string} detail @returns {Result} */
  through(detail) {
    return { outcome: "through", detail };
  }

  /** @param {string} detail @returns {Result} */
  unclear(detail) {
    return { outcome: "unclear", detail };
  }

  /** What can be read is through; an exception is held. @param {() => unknown} read @returns {Result} */
  read(read) {
    try {
      return hostile.through(`read: ${String(read()).slice(0, 80)}`);
    } catch (error) {
      return hostile.held(hostile.nameOf(error));
    }
  }

  /** Also for errors of another window, which are not of this one's classes. @param {any} error */
  nameOf(error) {
    return String(error?.name ?? error).slice(0, 60);
  }

  // The way out

  /** An address on the undeclared origin that says which attack came through. @param {string} id */
  out(id) {
    return `${hostile.facts.http}/${hostile.run}/${id}`;
  }

  /**
   * @param {string} tag @param {Record<string, any>} fields @param {Node} [into]
   * @returns {any}
   */
  add(tag, fields, into = hostile.range) {
    const owner = into.ownerDocument ?? document;
    return into.appendChild(Object.assign(owner.createElement(tag), fields));
  }

  /** Begin a peer connection with the classes of a window. @param {any} realm @param {string[]} urls */
  async callPeer(realm, urls) {
    const peer = new realm.RTCPeerConnection({ iceServers: [{ urls, username: "x", credential: "x" }] });
    peer.createDataChannel("x");
    await peer.setLocalDescription(await peer.createOffer());
  }

  // The other windows

  /** The windows above, nearest first; the last one is the host's page. @returns {any[]} */
  above() {
    const found = [];
    for (let window = /** @type {any} */ (self); window !== window.parent; window = window.parent) {
      found.push(window.parent);
    }
    return found;
  }

  /** Those of them whose document can be scripted. @returns {any[]} */
  reachable() {
    return hostile.above().filter((window) => {
      try {
        return Boolean(window.document);
      } catch {
        return false;
      }
    });
  }

  /** Every window of the page that is neither this one nor above or below it. @returns {any[]} */
  others() {
    const own = new Set([self, ...hostile.above()]);
    /** @param {any} window @returns {any[]} */
    const walk = (window) =>
      Array.from({ length: window.length }, (_, index) => window[index]).flatMap((child) =>
        child === self ? [] : [...(own.has(child) ? [] : [child]), ...walk(child)],
      );
    return walk(top);
  }

  /** @template T @param {Promise<T>} promise @param {number} ms @returns {Promise<T | undefined>} */
  within(promise, ms) {
    /** @type {Promise<undefined>} */
    const late = new Promise((resolve) => setTimeout(resolve, ms, undefined));
    return Promise.race([promise, late]);
  }
}

const hostile = new Kit();
