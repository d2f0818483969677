// An innocent app that keeps a secret everywhere an app can, and tells its server when somebody lied to it.
"use strict";

const neighbour = {
  mark: Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(36)).join(""),
  /** Forged messages that came over the channel of the host. @type {string[]} */
  believed: [],

  /** What it found of an earlier showing: its own storage survives. */
  before: /** @type {string | null} */ (null),

  keep() {
    try {
      neighbour.before = localStorage.getItem("neighbour-secret");
      localStorage.setItem("neighbour-secret", neighbour.mark);
      sessionStorage.setItem("neighbour-secret", neighbour.mark);
      document.cookie = `neighbour-secret=${neighbour.mark}; path=/`;
      neighbour.leaveCookies();
      indexedDB.open("neighbour-secret");
      void caches.open("neighbour-secret");
    } catch {
      // An opaque document has no storage to keep anything in.
    }
    const channel = new BroadcastChannel("neighbour");
    channel.addEventListener("message", () => channel.postMessage(neighbour.mark));
    /** @type {any} */ (self).neighbourSecret = neighbour.mark;
  },

  /** For each name that may take one; where another app has a part in the name, it finds the cookie. */
  leaveCookies() {
    const labels = location.hostname.split(".");
    for (const start of labels.keys()) {
      for (const flags of ["", "; SameSite=None; Secure"]) {
        const domain = labels.slice(start).join(".");
        document.cookie = `hostile-neighbour=1; domain=${domain}; path=/; max-age=60${flags}`;
      }
    }
  },

  async settle() {
    const { mark, before, believed } = neighbour;
    await speech.call("settle", { mark, believed, ...(before ? { before } : {}) });
  },

  async begin() {
    speech.listeners.push(({ data, source }) => {
      if (source !== parent || !data?.params?.forged) return;
      neighbour.believed.push(data.method);
      void neighbour.settle();
    });
    await speech.begin("neighbour");
    neighbour.keep();
    await neighbour.settle();
    const status = document.getElementById("status");
    if (status) status.textContent = "It keeps a secret and trusts only its host. Now open the tool attack beside it.";
  },
};

void neighbour.begin();
