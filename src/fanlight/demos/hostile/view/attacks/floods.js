// Too much of everything, for ever. Held means that the host's page still does its work.
{
  const { lastAttack, range } = hostile;

  hostile.group("floods", "Floods");

  /** Again and again, as fast as the browser lets it. @param {() => void} deed */
  function forEver(deed) {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      deed();
      port2.postMessage(0);
    };
    port2.postMessage(0);
  }

  lastAttack("flood-loop", "Loop without an end", () => {
    setTimeout(() => {
      for (;;);
    });
  });
  lastAttack("flood-messages", "Send messages without an end", () =>
    forEver(() => {
      for (let count = 0; count < 200; count += 1) {
        speech.tell("notifications/message", { level: "info", data: count });
        speech.post({ id: `flood-${count}`, method: "tools/call", params: { name: "nothing", arguments: {} } });
      }
    }),
  );
  lastAttack("flood-sizes", "Send huge messages without an end", () => {
    const text = "x".repeat(1 << 20);
    forEver(() => speech.tell("notifications/message", { level: "info", data: text }));
  });
  lastAttack("flood-folded", "Send small messages that are huge when they are written out", () => {
    /** @type {unknown[]} */
    let folded = [];
    for (let depth = 0; depth < 26; depth += 1) folded = [folded, folded];
    forEver(() => speech.tell("notifications/message", { level: "info", data: folded }));
  });
  lastAttack("flood-names", "Send members with huge names without an end", () => {
    const named = { ["x".repeat(1 << 26)]: 1 };
    forEver(() => speech.tell("notifications/message", { level: "info", data: named }));
  });
  lastAttack("flood-boxed", "Send huge texts that are objects without an end", () => {
    const boxed = new String("x".repeat(30_000_000));
    forEver(() => parent.postMessage(boxed, "*"));
  });
  lastAttack("flood-past", "Send the host page messages past the channel, without an end", () =>
    forEver(() => {
      for (let count = 0; count < 200; count += 1) top?.postMessage({ jsonrpc: "2.0", method: "ping", id: count }, "*");
    }),
  );
  lastAttack("flood-dom", "Grow the document and its size without an end", () => {
    let height = 1;
    forEver(() => {
      for (let count = 0; count < 200; count += 1) range.append(document.createElement("p"));
      height = (height * 2) % 2 ** 40;
      speech.tell("ui/notifications/size-changed", { height, width: height });
    });
  });
  lastAttack("flood-cookies", "Fill the cookies of the name above", () => {
    const domain = location.hostname.split(".").slice(1).join(".");
    for (let count = 0; count < 150; count += 1) {
      // Few large ones, and many as small as a cookie of the page's own.
      const size = count < 20 ? 3900 : 30;
      document.cookie = `hostile-${count}=${"x".repeat(size)}; domain=${domain}; path=/; max-age=60`;
    }
  });
}
