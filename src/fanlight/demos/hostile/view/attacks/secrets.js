// Find a secret where this document can look: addresses, timings, stacks, the documents above.
{
  const { attack, held, reachable, readable, through } = hostile;

  hostile.group("secrets", "Find a secret");

  const SUSPICIOUS = /[?&#;](?:[\w-]*(?:secret|token|password|api[_-]?key|auth|session|credential)[\w-]*)=[^&#\s"']+/i;

  /** @param {(() => unknown)[]} looks */
  function search(looks) {
    const texts = looks.map((look) => {
      try {
        return String(look() ?? "");
      } catch (error) {
        return hostile.nameOf(error);
      }
    });
    readable.push(...texts);
    const found = texts.map((text) => SUSPICIOUS.exec(text)?.[0]).find(Boolean);
    return found ? through(`found: ${found.slice(0, 60)}`) : held(`${texts.join("").length} characters, no secret`);
  }

  attack("secret-address", "In addresses: location, referrer, base, history, name", () =>
    search([
      () => location.href,
      () => document.referrer,
      () => document.baseURI,
      () => document.URL,
      () => self.name,
      () => JSON.stringify(history.state),
      () => /** @type {any} */ (self).navigation?.entries().map((/** @type {any} */ entry) => entry.url),
      () => [...(/** @type {any} */ (location).ancestorOrigins ?? [])],
    ]),
  );

  attack("secret-timing", "In performance entries", () =>
    search([() => JSON.stringify(performance.getEntries().map((entry) => entry.toJSON()))]),
  );

  attack("secret-opener", "In the window that opened this one", () =>
    opener ? through("there is an opener") : held("there is no opener"),
  );

  attack("secret-stack", "In the stacks of errors", () =>
    search([
      () => new Error().stack,
      () => {
        try {
          return /** @type {any} */ (null).nothing;
        } catch (error) {
          return /** @type {Error} */ (error).stack;
        }
      },
    ]),
  );

  attack("secret-above", "In the documents above that can be read", () =>
    search(
      reachable().flatMap((window) => [
        () => window.document.documentElement.outerHTML,
        () => window.location.href,
        () => window.document.referrer,
        () => window.name,
        () => JSON.stringify(window.performance.getEntries().map((/** @type {any} */ entry) => entry.toJSON())),
      ]),
    ),
  );
}
