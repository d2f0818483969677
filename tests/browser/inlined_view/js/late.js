seen.late = document.querySelector("#dot") !== null;
window.later = () => import("./lazy.js").then((lazy) => lazy.default);
