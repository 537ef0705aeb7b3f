const TIP = 6; // length of an arrow's tip

/** Makes an element of SVG; strings among the children become text nodes. */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A part as a button: its kind on the left, its own name on the right. */
export function box({ key, label, name, colour, x, y, width, tell }, height, chosen) {
  const shown = fit(name, width - 7.4 * label.length - 34);
  return svg(
    "g",
    {
      class: "part",
      tabindex: 0,
      role: "button",
      "aria-pressed": chosen,
      "aria-label": tell,
      "data-key": key,
      "data-x": x,
      "data-y": y,
    },
    svg("title", {}, tell),
    svg("rect", { class: "body", x, y, width, height, rx: 4 }),
    svg("rect", {
      class: "kind",
      x: x + 1.5,
      y: y + 3,
      width: 4,
      height: height - 6,
      rx: 2,
      style: `fill:${colour || "var(--soft)"}`,
    }),
    svg("text", { class: "strong", x: x + 14, y: y + height / 2 + 4.5 }, label),
    svg("text", { class: "soft", x: x + width - 10, y: y + height / 2 + 4.5, "text-anchor": "end" }, shown),
  );
}

/** The number of a block, to be opened. */
export function chip({ key, label, x, y, on, tell }) {
  return svg(
    "g",
    {
      class: "part chip",
      tabindex: 0,
      role: "button",
      "aria-pressed": on,
      "aria-label": tell,
      "data-key": key,
      "data-x": x,
      "data-y": y,
    },
    svg("title", {}, tell),
    svg("rect", { class: "body", x, y, width: 22, height: 19, rx: 3 }),
    svg("text", { class: "soft", x: x + 11, y: y + 14, "text-anchor": "middle" }, label),
  );
}

export function line({ points, look }) {
  const way = points.map(([x, y], place) => `${place ? "L" : "M"}${x} ${y}`).join("");
  return svg("path", { class: look, d: look === "arrow" ? way + tip(points) : way });
}

/** Where a branch is added to the stream. */
export function plus([x, y]) {
  return svg(
    "g",
    { class: "plus" },
    svg("circle", { cx: x, cy: y, r: 9 }),
    svg("path", { d: `M${x - 5} ${y}h10M${x} ${y - 5}v10` }),
  );
}

export function word({ text, x, y, anchor, strong }) {
  return svg("text", { class: strong ? "strong" : "soft", x, y, "text-anchor": anchor }, text);
}

export function frame([x, y, width, height]) {
  return svg("rect", { class: "frame", x, y, width, height, rx: 8 });
}

function tip(points) {
  const [[fromX, fromY], [x, y]] = points.slice(-2);
  const [alongX, alongY] = [Math.sign(x - fromX), Math.sign(y - fromY)];
  const [backX, backY] = [x - TIP * alongX, y - TIP * alongY];
  const half = TIP / 1.6;
  return `M${backX - half * alongY} ${backY - half * alongX}L${x} ${y}L${backX + half * alongY} ${backY + half * alongX}`;
}

function fit(name, room) {
  const most = Math.max(3, Math.floor(room / 6.6));
  return name.length <= most ? name : `${name.slice(0, most - 1)}…`;
}
