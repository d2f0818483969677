/** The page's icons: outlines on a 24 × 24 grid, drawn with the colour of the text around them. */

const SVG = "http://www.w3.org/2000/svg";

const OUTLINES = {
  app: "M2.5 16a9.5 9.5 0 0 1 19 0zM12 16V6.5M12 16 5.3 9.3M12 16l6.7-6.7M4 19.5h16",
  tool: "M9 7 4 12l5 5M15 7l5 5-5 5",
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 20 20",
  refresh: "M19.5 12a7.5 7.5 0 1 1-2.2-5.3M19.5 4v4.5H15",
  play: "M8 5.5v13l10.5-6.5z",
  stop: "M7 7h10v10H7z",
  close: "M6 6l12 12M18 6 6 18",
  pause: "M9 6v12M15 6v12",
  trash: "M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7",
  copy: "M9 9h10v11H9zM15 9V4.5H5V15h4",
  check: "M5 12.5 10 17.5 19 7",
  warning: "M12 4 2.8 19.5h18.4zM12 10v4.5M12 17v.2",
  error: "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM12 8v5M12 15.8v.2",
  lock: "M6.5 11h11v8.5h-11zM9 11V8a3 3 0 0 1 6 0v3",
  fromView: "M19 12H5M10 7l-5 5 5 5",
  toView: "M5 12h14M14 7l5 5-5 5",
  system: "M4 5h16v11H4zM9 20h6M12 16v4",
  light:
    "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M18.4 5.6 17 7M7 17l-1.4 1.4",
  dark: "M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z",
};

/**
 * @param {keyof typeof OUTLINES} name
 * @param {string} [label] what a screen reader says; without it the icon is decoration
 * @returns {SVGSVGElement}
 */
export function icon(name, label) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", `icon icon-${name}`);
  if (label) {
    svg.setAttribute("role", "img");
    const title = document.createElementNS(SVG, "title");
    title.textContent = label;
    svg.append(title);
  } else {
    svg.setAttribute("aria-hidden", "true");
  }
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", OUTLINES[name]);
  svg.append(path);
  return svg;
}
