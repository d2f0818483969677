// Another app on the same page: its window, its storage, its messages. The tool `neighbour` opens one.
{
  const { attack, held, others, through, within } = hostile;

  hostile.group("neighbours", "Another app on the page");

  attack("neighbour-window", "Read a variable of another app", () => {
    for (const window of others()) {
      try {
        if (window.neighbourSecret) return through("read its variable");
      } catch {
        // Another origin, as it should be.
      }
    }
    return held(others().length ? "SecurityError" : "no window of another app can be found");
  });

  attack("neighbour-storage", "Find another app's data in the own storage", async () => {
    const found = [];
    /** @type {Record<string, () => unknown>} */
    const stores = {
      localStorage: () => localStorage.getItem("neighbour-secret"),
      sessionStorage: () => sessionStorage.getItem("neighbour-secret"),
      cookies: () => /neighbour-secret=/.test(document.cookie),
      indexedDB: async () => (await indexedDB.databases()).some(({ name }) => name === "neighbour-secret"),
      caches: () => caches.has("neighbour-secret"),
    };
    for (const [name, look] of Object.entries(stores)) {
      try {
        if (await within(Promise.resolve(look()), 1000)) found.push(name);
      } catch {
        // An opaque document has no storage at all.
      }
    }
    return found.length ? through(`found in ${found.join(", ")}`) : held("nothing of it is there");
  });

  attack("neighbour-cookie", "Find a cookie that another app set for the name above", async () => {
    try {
      // The other app may be opened at the same time.
      for (let look = 0; look < 10; look += 1) {
        if (document.cookie.includes("hostile-neighbour=")) return through("it is there");
        await new Promise((resolve) => setTimeout(resolve, 150));
      }
      return held("it is not there");
    } catch (error) {
      return held(hostile.nameOf(error));
    }
  });

  attack("neighbour-channel", "Speak with another app over a BroadcastChannel", async () => {
    try {
      const channel = new BroadcastChannel("neighbour");
      const answer = new Promise((resolve) => channel.addEventListener("message", ({ data }) => resolve(data)));
      channel.postMessage("who is there?");
      return (await within(answer, 1500)) ? through("it answered") : held("nobody answers");
    } catch (error) {
      return held(hostile.nameOf(error));
    }
  });

  // Whether it believed them, its own report to the server tells.
  attack("neighbour-message", "Send another app messages in the host's name", () => {
    for (const window of others()) {
      for (const method of ["ui/notifications/tool-result", "ui/notifications/sandbox-resource-ready"]) {
        const params = { forged: true, html: "<p>forged</p>", content: [{ type: "text", text: "forged" }] };
        window.postMessage({ jsonrpc: "2.0", method, params }, "*");
      }
    }
  });

  attack("neighbour-navigation", "Send the frames of another app elsewhere", ({ id }) => {
    const refused = [];
    for (const window of others()) {
      try {
        window.location = hostile.out(id);
      } catch (error) {
        refused.push(hostile.nameOf(error));
      }
    }
    return refused.length ? held(refused[0]) : undefined;
  });
}
