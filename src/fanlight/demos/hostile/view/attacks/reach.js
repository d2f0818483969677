// Read what is above: the host's page, and the frame between it and this one.
{
  const { attack, above, held, read, through, unclear } = hostile;
  const page = /** @type {any} */ (top);
  const alone = unclear("this document is not framed");
  const noProxy = unclear("this host has no frame between its page and the view");

  hostile.group("reach", "Reach what is above");

  /** The frame that speaks with the host's page. */
  function proxy() {
    const windows = above();
    return windows.length > 1 ? windows.at(-2) : undefined;
  }

  attack("host-document", "Read the document of the host page", () =>
    page === self ? alone : read(() => `${page.document.documentElement.outerHTML.length} characters`),
  );

  attack("host-address", "Read the address of the host page", () =>
    page === self ? alone : read(() => page.location.href),
  );

  attack("proxy-document", "Script the frame between host page and view", () => {
    const window = proxy();
    return window ? read(() => window.document.documentElement.outerHTML.length) : noProxy;
  });

  attack("proxy-address", "Read the address of the frame between host page and view", () => {
    const window = proxy();
    return window ? read(() => window.location.href) : noProxy;
  });

  attack("host-storage", "Read storage and cookies of host page and proxy", async () => {
    /** @type {Record<string, (window: any) => unknown>} */
    const stores = {
      localStorage: (window) => window.localStorage.length,
      sessionStorage: (window) => window.sessionStorage.length,
      indexedDB: (window) => window.indexedDB.databases,
      caches: (window) => window.caches.keys,
      cookies: (window) => window.document.cookie.length,
    };
    const opened = [];
    for (const [name, window] of Object.entries({ host: page, proxy: proxy() })) {
      for (const [store, open] of Object.entries(stores)) {
        if (!window || window === self) continue;
        const result = read(() => open(window));
        if (result.outcome === "through") opened.push(`${name} ${store}`);
      }
    }
    return opened.length ? through(opened.join(", ")) : held("SecurityError for each of them");
  });
}
