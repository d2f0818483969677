// A view on the published App class; the bundler puts one release of it in the place of "published".
import { App } from "published";

const write = (id, value) => {
  document.getElementById(id).textContent = typeof value === "string" ? value : JSON.stringify(value);
};
const textOf = (result) => result.content.find((block) => block.type === "text")?.text ?? "";

const app = new App({ name: "ages", version: "1.0.0" }, {}, { autoResize: false });
app.ontoolinput = (params) => write("input", params.arguments ?? {});
app.ontoolresult = (result) => write("result", textOf(result));
app.onteardown = async () => ({});

document.getElementById("call").onclick = async () => {
  write("answer", textOf(await app.callServerTool({ name: "echo", arguments: { word: "hello" } })));
};
document.getElementById("wait").onclick = () => {
  const onprogress = ({ progress, total }) => write("progress", `${progress} of ${total}`);
  app.callServerTool({ name: "long", arguments: {} }, { onprogress, resetTimeoutOnProgress: true }).then(
    (result) => write("answer", textOf(result)),
    (error) => write("answer", `failed: ${error.message}`),
  );
};

await app.connect();
await app.sendSizeChanged({ width: 300, height: 321 });
window.app = app;
