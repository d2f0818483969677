// A page that shows one view: `…/page#<view id>.<token>`. What stands after # never leaves the browser.
import "./host.js";

const main = document.querySelector("main") ?? document.body;

function show() {
  const [viewId, token] = location.hash.slice(1).split(".");
  if (viewId && token) {
    const view = document.createElement("fanlight-view");
    view.setAttribute("view-id", viewId);
    view.setAttribute("token", token);
    main.replaceChildren(view);
  } else {
    const note = document.createElement("p");
    note.textContent = "This address is incomplete: open the whole link that the program gave you.";
    main.replaceChildren(note);
  }
}

// Another link to this page changes only what stands after #, which loads nothing by itself.
addEventListener("hashchange", show);
show();
