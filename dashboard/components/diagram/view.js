import { applyTheme, readTheme } from "../attention_view/colour.js";
import { mounting } from "../attention_view/mounting.js";
import { box, chip, frame, line, plus, svg, word } from "./shapes.js";

const STEPS = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1, Home: -Infinity, End: Infinity };

class Diagram {
  constructor(host) {
    this.root = document.createElement("div");
    this.root.className = "diagram";
    this.root.addEventListener("click", (event) => this.pick(event.target.closest("[data-key]")));
    this.root.addEventListener("keydown", (event) => this.press(event));
    this.turn = 0;
    host.append(this.root);
  }

  receive(component) {
    this.component = component;
    const scene = component.data;
    applyTheme(this.root, readTheme(this.root, scene.palettes, scene.present));
    this.root.classList.toggle("two", scene.width > 500);
    const focused = this.root.querySelector("[data-key]:focus");
    this.root.replaceChildren(this.draw(scene));
    if (focused)
      this.parts()
        .find((part) => isSame(part, focused))
        ?.focus({ preventScroll: true });
    return ++this.turn;
  }

  draw(scene) {
    const sheet = svg("svg", {
      viewBox: `-4 0 ${scene.width + 8} ${scene.height}`,
      role: "group",
      "aria-label": "Parts of the model",
    });
    sheet.style.maxWidth = `${1.25 * scene.width}px`;
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
    if (!part || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") this.pick(part);
    else if (event.key in STEPS) this.move(part, STEPS[event.key]);
    else return;
    event.preventDefault();
  }

  move(part, step) {
    const parts = this.parts();
    const place = Math.min(parts.length - 1, Math.max(0, parts.indexOf(part) + step));
    parts[place].focus();
  }

  destroy() {
    this.root.remove();
  }
}

/** A block's number and the part that it leads to have the same key. */
function isSame(part, other) {
  return part.dataset.key === other.dataset.key && part.classList.contains("chip") === other.classList.contains("chip");
}

export default mounting(Diagram);
