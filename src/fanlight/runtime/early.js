// The first words of a page that shows one view, while the rest of the page is still being read: the socket opens
// and asks for the view. `socket.js` takes it over. Inlined before all else, so it must stay small.
//
// Says nothing when an older document of this tab left something: that is handed over first, in the usual way.

import { readLeft } from "./left.js";
import { leaveEarly, newSession, socketAddress } from "./opening.js";

const [view, token] = location.hash.slice(1).split(".");
const base = location.pathname.replace(/\/[^/]*$/, "");

if (view && token && readLeft(base, view).length === 0) {
  const session = newSession();
  const socket = new WebSocket(socketAddress(base));
  /** @type {string[]} */
  const heard = [];
  socket.onopen = () => socket.send(JSON.stringify({ op: "attach", view, token, session, before: [] }));
  socket.onmessage = ({ data }) => heard.push(data);
  leaveEarly({ socket, heard, view, token, session });
}
