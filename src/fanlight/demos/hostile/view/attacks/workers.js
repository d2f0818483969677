// Workers: code beside the document, which may have another policy or outlive it.
{
  const { attack, held, nameOf, out, through } = hostile;

  hostile.group("workers", "Workers");

  /** @param {string} code */
  const blob = (code) => URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  /** @param {string} id */
  const fetching = (id) => `fetch(${JSON.stringify(out(id))}, {mode: "no-cors"})`;

  attack("worker", "A worker from an undeclared address", ({ id }) => void new Worker(`${out(id)}.js`));
  attack("worker-blob", "A worker from a blob that fetches", ({ id }) => void new Worker(blob(fetching(id))));
  attack("worker-data", "A worker from a data: address that fetches", ({ id }) =>
    void new Worker(`data:text/javascript,${encodeURIComponent(fetching(id))}`),
  );
  attack("worker-import", "A worker that imports from an undeclared address", ({ id }) =>
    void new Worker(blob(`importScripts(${JSON.stringify(`${out(id)}.js`)})`)),
  );
  attack("shared-worker", "A shared worker that fetches", ({ id }) => void new SharedWorker(blob(fetching(id))));
  attack("worklet", "A worklet from an undeclared address", ({ id }) =>
    void new OfflineAudioContext(1, 1, 8000).audioWorklet?.addModule(`${out(id)}.js`).catch(() => {}),
  );

  attack("service-worker", "A service worker on the view's own origin", async ({ id }) => {
    if (!navigator.serviceWorker) return held("there is no API for it");
    const names = ["host.js", "link.js", "view.js", "sandbox.js", "sw.js"];
    const addresses = [location.href, ...names.flatMap((name) => [`/${name}`, `../${name}`, `./${name}`])];
    const reasons = new Set();
    for (const address of [...addresses, blob(""), `${out(id)}.js`]) {
      for (const type of /** @type {const} */ (["classic", "module"])) {
        try {
          const registration = await navigator.serviceWorker.register(address, { type });
          await registration.unregister();
          return through(`registered ${address}`);
        } catch (error) {
          reasons.add(nameOf(error));
        }
      }
    }
    return held([...reasons].join(", "));
  });
}
