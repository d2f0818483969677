// What a browser allows only with a person's click. Each attack has a click of its own, for a click is used up.
{
  const { add, clickAttack, held, nameOf, out, reachable, through, unclear } = hostile;

  hostile.group("clicks", "With a person's click");

  /** @param {Window | null} window */
  const opened = (window) => (window ? through("a window opened") : held("no window opened"));

  clickAttack("popup", "Open a window", ({ id }) => opened(open(out(id))));

  clickAttack("popup-named", "Open an address under the name of a frame that exists", ({ id }) => {
    const names = ["host", "sandbox", "proxy", "main", "view", "_parent", "_top", "_unfencedTop"];
    const found = names.filter((name) => {
      try {
        return open(out(id), name) !== null;
      } catch {
        return false;
      }
    });
    // A frame that may not be moved is given back as it is; the listener knows whether one was.
    return found.length ? undefined : held("no window has such a name");
  });

  clickAttack("link-blank", "Follow a link into a new window", ({ id }) =>
    add("a", { href: out(id), target: "_blank" }).click(),
  );

  clickAttack("link-top", "Follow a link in the host's window", ({ id }) =>
    add("a", { href: out(id), target: "_top" }).click(),
  );

  clickAttack("link-javascript", "Run a javascript: link in the host's window", ({ id }) =>
    add("a", { href: `javascript:void fetch("${out(id)}", {mode: "no-cors"})`, target: "_top" }).click(),
  );

  clickAttack("top-location", "Send the host's window elsewhere", ({ id }) => {
    try {
      /** @type {any} */ (top).location = out(id);
      return undefined;
    } catch (error) {
      return held(nameOf(error));
    }
  });

  clickAttack("ping", "Have a link report that it was followed", ({ id }) => {
    const anchor = add("a", { href: "#hostile", ping: out(id) });
    anchor.click();
  });

  clickAttack("download", "Save a file without asking", () => {
    const href = URL.createObjectURL(new Blob(["hostile"]));
    add("a", { href, download: "hostile.txt" }).click();
    return unclear("a person sees whether a file was saved");
  });

  clickAttack("sandbox-attribute", "Take the sandbox off the frames that can be reached", ({ id }) => {
    for (const window of [self, ...reachable()]) {
      try {
        const frame = /** @type {any} */ (window).frameElement;
        frame?.removeAttribute("sandbox");
        frame?.setAttribute("allow", "camera *; microphone *");
      } catch {
        // A frame element of another origin is not there for this one.
      }
    }
    const windows = [self, ...reachable()].map((window) =>
      add("iframe", { hidden: true }, /** @type {any} */ (window).document.body).contentWindow,
    );
    const found = [self, ...windows].some((window) => window.open(out(id)) !== null);
    return found ? through("a window opened") : held("what is left of the sandbox still holds");
  });

  clickAttack("clipboard", "Read the clipboard", async () => {
    try {
      return through(`read ${(await navigator.clipboard.readText()).length} characters`);
    } catch (error) {
      return held(nameOf(error));
    }
  });
}
