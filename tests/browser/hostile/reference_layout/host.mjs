// A host page in the reference layout, with the published AppBridge: one proxy frame a view on another port of
// the same name, HTML handed over by message, every request of the view passed on.
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

const { sandbox } = document.documentElement.dataset;
const READY = "ui/notifications/sandbox-proxy-ready";

const ask = async (path, body) => {
  const answer = await fetch(path, { method: "POST", body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
};

globalThis.openView = async (tool, args) => {
  const { html, csp, result } = await ask("/open", { tool, arguments: args });
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
  Object.assign(frame.style, { width: "100%", height: "400px", border: "0" });
  const ready = new Promise((resolve) => {
    addEventListener("message", function listen({ source, data }) {
      if (source !== frame.contentWindow || data?.method !== READY) return;
      removeEventListener("message", listen);
      resolve();
    });
  });
  frame.src = `${sandbox}/sandbox.html?csp=${encodeURIComponent(JSON.stringify(csp))}`;
  document.body.append(frame);
  await ready;
  const bridge = new AppBridge(null, { name: "reference", version: "1.0.0" }, {
    openLinks: {},
    serverTools: {},
    serverResources: {},
    logging: {},
  });
  bridge.oncalltool = (params) => ask("/call", params);
  bridge.onreadresource = (params) => ask("/read", params);
  bridge.onopenlink = async ({ url }) => {
    open(url, "_blank", "noopener,noreferrer");
    return {};
  };
  bridge.addEventListener("initialized", async () => {
    await bridge.sendToolInput({ arguments: args });
    await bridge.sendToolResult(result);
  });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  await bridge.sendSandboxResourceReady({ html, csp });
};

for (const [tool, args] of JSON.parse(new URLSearchParams(location.search).get("open") ?? "[]")) void openView(tool, args);
