// The smallest host page on the published AppBridge class: one frame, no proxy. The bundler puts one release in the
// place of "published". What the view asked for is in `asked`, in order; what AppBridge disliked is in `complaints`.
// Tools are answered by the test's `callTool`, where it has one.
import { AppBridge, PostMessageTransport } from "published";

const ANSWERS = {
  oncalltool: (params) => window.callTool(params),
  onreadresource: ({ uri }) => ({ contents: [{ uri, text: "read" }] }),
  onlistresources: () => ({ resources: [] }),
  onmessage: () => ({}),
  onupdatemodelcontext: () => ({}),
  onopenlink: () => ({}),
  ondownloadfile: () => ({}),
  onrequestdisplaymode: ({ mode }) => ({ mode }),
  oncreatesamplingmessage: () => ({ role: "assistant", model: "m", content: { type: "text", text: "42" } }),
};

window.callTool ??= ({ arguments: args }) => ({ content: [{ type: "text", text: `echo ${args.word}` }] });
window.asked = [];
window.complaints = [];

/** Show a document in a frame with these sandbox flags; resolves once the view is initialised. */
window.showView = async ({ html, sandbox, capabilities, hostContext }) => {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", sandbox);
  document.body.append(frame);
  const info = { name: "frame host", version: "1" };
  const bridge = (window.bridge = new AppBridge(null, info, capabilities, { hostContext }));
  for (const [handler, answer] of Object.entries(ANSWERS))
    bridge[handler] = async (params) => {
      window.asked.push(handler);
      return answer(params ?? {});
    };
  bridge.onerror = (error) => window.complaints.push(String(error));
  bridge.onsizechange = ({ height }) => (frame.style.height = `${height}px`);
  bridge.onloggingmessage = () => window.asked.push("onloggingmessage");
  const initialized = new Promise((done) => (bridge.oninitialized = done));
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html;
  await initialized;
  return { app: bridge.getAppVersion(), capabilities: bridge.getAppCapabilities() };
};
