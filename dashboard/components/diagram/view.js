import { make, svg } from "../../../core/view/browser/kit/dom.js";
import { ALONG, isChoice, isShortcut, within } from "../../../core/view/browser/kit/keyboard.js";
import { mounting, View } from "../../../core/view/browser/kit/mounting.js";

const TIP = 6; // length of an arrow's tip

class Diagram extends View {
  build() {
    const click = (event) => this.pick(event.target.closest("[data-key]"));
    return make("div", { class: "view diagram", click, keydown: (event) => this.press(event) });
  }

  show(scene) {
    this.root.classList.toggle("two", scene.width > 500);
    const focused = this.root.querySelector("[data-key]:focus");
    this.root.replaceChildren(this.drawing(scene));
    if (focused)
      this.parts()
        .find((part) => isSame(part, focused))
        ?.focus({ preventScroll: true });
  }

  drawing(scene) {
    const sheet = svg("svg", {
      viewBox: `-4 0 ${scene.width + 8} ${scene.height}`,
      role: "group",
      "aria-label": "Parts of the model",
    });
    if (!this.present) sheet.style.maxWidth = `${1.25 * scene.width}px`;
    sheet.append(
      ...scene.frames.map(frame),
      ...scene.paths.map(line),
      ...scene.sums.map(plus),
      ...scene.words.map(word),
      ...scene.chips.map((each) => chip(each)),
      ...scene.boxes.map((each) => box(each, scene.box, each.key === scene.chosen)),
    );
    return sheet;
  }

  parts() {
    const inOrder = (one, other) => one.dataset.y - other.dataset.y || one.dataset.x - other.dataset.x;
    return [...this.root.querySelectorAll("[data-key]")].sort(inOrder);
  }

  pick(part) {
    if (part) this.component.setTriggerValue("picked", part.dataset.key);
  }

  press(event) {
    const part = event.target.closest?.("[data-key]");
    if (!part || isShortcut(event) || !(isChoice(event) || event.key in ALONG)) return;
    event.preventDefault();
    if (isChoice(event)) this.pick(part);
    else this.move(part, ALONG[event.key]);
  }

  move(part, step) {
    const parts = this.parts();
    parts[within(parts.indexOf(part) + step, parts.length)].focus();
  }
}

/** A block's number and the part that it leads to have the same key. */
function isSame(part, other) {
  return part.dataset.key === other.dataset.key && part.classList.contains("chip") === other.classList.contains("chip");
}

/** A part as a button: its kind on the left, its own name on the right. */
function box({ key, label, name, colour, x, y, width, tell }, height, chosen) {
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
function chip({ key, label, x, y, on, tell }) {
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

function line({ points, look }) {
  const way = points.map(([x, y], place) => `${place ? "L" : "M"}${x} ${y}`).join("");
  return svg("path", { class: look, d: look === "arrow" ? way + tip(points) : way });
}

/** Where a branch is added to the stream. */
function plus([x, y]) {
  return svg(
    "g",
    { class: "plus" },
    svg("circle", { cx: x, cy: y, r: 9 }),
    svg("path", { d: `M${x - 5} ${y}h10M${x} ${y - 5}v10` }),
  );
}

function word({ text, x, y, anchor, strong }) {
  return svg("text", { class: strong ? "strong" : "soft", x, y, "text-anchor": anchor }, text);
}

function frame([x, y, width, height]) {
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

export default mounting(Diagram);
