// A minimal host page on the published AppBridge class; the bundler puts one release of it in the place of
// "published". `callTool` is the test's.
import { AppBridge, PostMessageTransport, buildAllowAttribute } from "published";

/** Show one app behind the sandbox proxy at this address, by the specification's handshake. */
window.showApp = async ({ proxy, resource, input, result }) => {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
  frame.setAttribute("allow", buildAllowAttribute(resource.permissions));
  document.body.append(frame);
  const bridge = new AppBridge(null, { name: "bridge host", version: "1" }, { serverTools: {} }, {});
  const ready = new Promise((done) => (bridge.onsandboxready = done));
  const initialized = new Promise((done) => (bridge.oninitialized = done));
  bridge.oncalltool = (params) => window.callTool(params);
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.src = proxy;
  await ready;
  await bridge.sendSandboxResourceReady(resource);
  await initialized;
  await bridge.sendToolInput({ arguments: input });
  await bridge.sendToolResult(result);
  return bridge.getAppVersion();
};
