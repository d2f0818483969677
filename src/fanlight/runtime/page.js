// A page that shows one view: `…/page#<view id>.<token>`. What stands after # never leaves the browser.
import "./host.js";

const [viewId, token] = location.hash.slice(1).split(".");
const main = document.querySelector("main") ?? document.body;

if (viewId && token) {
  const view = document.createElement("fanlight-view");
  view.setAttribute("view-id", viewId);
  view.setAttribute("token", token);
  main.append(view);
} else {
  const note = document.createElement("p");
  note.textContent = "This address is incomplete: open the whole link that the program gave you.";
  main.append(note);
}
