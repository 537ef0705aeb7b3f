import { make, setAttributes } from "../../../core/view/browser/kit/dom.js";
import { isShortcut, take } from "../../../core/view/browser/kit/keyboard.js";
import { measurer, paintOn } from "../../../core/view/browser/kit/marks.js";
import { mounting, View } from "../../../core/view/browser/kit/mounting.js";
import { percent, rounded } from "../../../core/view/browser/kit/numbers.js";
import { createRow, takesOf, withMargin } from "../../../core/view/browser/kit/saving.js";
import { barMarks, layoutOf, planeMarks, rowAt, scaleOf } from "./drawing.js";
import { attend, turnTo, wrapped } from "./turning.js";

const PRESENTED = 1.4; // times larger for the projector
const SURROUND = 1.35; // the reach of the axes, of the longest arrow
const NEAREST_HANDLE = 0.16; // of the reach: the handle of a short query stands so far from zero
const NEAR = 20; // pixels between the pointer and an arrow's point
const ON_ARROW = 9; // pixels between the pointer and the query's arrow
const KEYS = { ArrowRight: 5, ArrowUp: 5, ArrowLeft: -5, ArrowDown: -5, PageUp: 45, PageDown: -45 }; // degrees
const PAUSE = 250; // milliseconds after the last key until the server is told
const IDLE = "Drag the query’s arrow, or turn it with the arrow keys (with Shift degree by degree).";

class QueryPlane extends View {
  degrees = 0;
  known = 0; // the turn that the server knows, or has been told
  sent = null; // the last message to the server, by its time
  pause = null; // until the server is told what the keys did
  held = false; // whether the query is being dragged
  pointed = null; // the key that the pointer is at

  build() {
    const drag = { pointermove: (event) => this.drag(event), pointerup: () => this.drop() };
    const pointer = { ...drag, pointercancel: () => this.drop() };
    this.canvas = make("canvas", {
      ...pointer,
      role: "img",
      pointerdown: (event) => this.isOnArrow(event) && this.hold(event),
      pointerleave: () => this.point(null),
    });
    this.handle = make("button", {
      ...pointer,
      type: "button",
      class: "handle",
      role: "slider",
      "aria-label": "Turn the query",
      "aria-valuemin": -180,
      "aria-valuemax": 180,
      pointerdown: (event) => this.hold(event),
      keydown: (event) => this.press(event),
    });
    this.sheet = make("div", { class: "plane" }, this.canvas, this.handle);
    this.tell = make("p", { class: "tell" });
    const row = createRow(
      takesOf({ name: () => this.data.name, picture: () => this.picture(), rows: () => this.lines() }),
    );
    return make("div", { class: "view query-plane" }, this.sheet, this.tell, row);
  }

  show(data) {
    const isNewest = this.sent === null || data.heard === this.sent; // not the answer to an earlier message
    if (isNewest && !this.held && this.pause === null) [this.degrees, this.known] = [data.degrees, data.degrees];
    setAttributes(this.canvas, { "aria-label": data.alt });
    this.pointed = null;
    this.draw();
  }

  draw() {
    const { data, theme } = this;
    this.drawnWidth = this.root.clientWidth;
    if (!this.drawnWidth) return;
    this.attended = attend(data, this.degrees);
    const order = data.keys.map((_, key) => key).sort((one, other) => this.weight(other) - this.weight(one));
    this.rows = order.slice(0, data.most).sort((one, other) => one - other);
    this.strongest = order[0] ?? null;
    const zoom = this.present ? PRESENTED : 1;
    const lengths = [data.query, ...data.keys].map((place) => Math.hypot(...place));
    this.geometry = layoutOf(this.drawnWidth, zoom, this.rows.length);
    this.scale = scaleOf(SURROUND * (Math.max(...lengths) || 1), this.geometry.side);
    const measure = measurer(theme);
    const plane = planeMarks(this, this.scale, this.geometry, theme, measure);
    this.marks = [...plane, ...barMarks(this, this.geometry, theme, measure)];
    paintOn(this.canvas, this.marks, theme, this.geometry);
    this.placeHandle();
    this.tell.classList.toggle("idle", !this.held && this.pointed === null);
    this.tell.textContent = this.sentence();
  }

  weight(key) {
    return this.attended.weights[key];
  }

  placeHandle() {
    const { place } = this.attended;
    const length = Math.hypot(...place);
    const far = Math.max(length, NEAREST_HANDLE * this.scale.reach);
    const [left, top] = this.scale.at(place.map((part) => (length ? (part * far) / length : 0)));
    [this.handle.style.left, this.handle.style.top] = [`${left}px`, `${top}px`];
    this.handle.hidden = !length;
    setAttributes(this.handle, { "aria-valuenow": this.degrees, "aria-valuetext": this.state() });
  }

  sentence() {
    if (this.pointed !== null) return this.about(this.pointed);
    if (this.held) return this.state();
    return this.present ? "" : Math.hypot(...this.data.query) ? IDLE : "The query has no direction in this plane.";
  }

  /** The turn, and which key gets most. */
  state() {
    const sign = this.degrees > 0 ? "+" : "";
    const turn = this.degrees ? `Turned by ${sign}${rounded(this.degrees, 0)}°` : "Not turned";
    return `${turn}: ${this.about(this.strongest)}`;
  }

  about(key) {
    const { angles, products } = this.attended;
    const angle = Number.isNaN(angles[key]) ? "no angle" : `angle ${rounded(angles[key], 0)}°`;
    const weight = this.data.allowed[key] ? `weight ${percent(this.weight(key))}` : "masked";
    return `key “${this.data.labels[key]}”: ${angle}, dot product ${rounded(products[key], 2)}, ${weight}`;
  }

  point(key) {
    if (this.pointed === key) return;
    this.pointed = key;
    this.soon(() => this.draw());
  }

  /** The pointer's place on the drawing, in pixels. */
  placeOf({ clientX, clientY }) {
    const { left, top } = this.canvas.getBoundingClientRect();
    return [clientX - left, clientY - top];
  }

  isOnArrow(event) {
    const [x, y] = this.placeOf(event);
    const [from, to] = [this.scale.at([0, 0]), this.scale.at(this.attended.place)];
    const way = [to[0] - from[0], to[1] - from[1]];
    const square = way[0] ** 2 + way[1] ** 2;
    if (!square) return false;
    const share = Math.min(1, Math.max(0, ((x - from[0]) * way[0] + (y - from[1]) * way[1]) / square));
    return Math.hypot(x - from[0] - share * way[0], y - from[1] - share * way[1]) < ON_ARROW;
  }

  hold(event) {
    if (event.button > 0) return;
    this.held = true;
    this.rest();
    event.target.setPointerCapture(event.pointerId);
    event.preventDefault();
    this.handle.focus({ focusVisible: false });
    this.sheet.classList.add("held");
  }

  drag(event) {
    if (!this.held) {
      this.point(this.keyUnder(...this.placeOf(event)));
      this.sheet.classList.toggle("near", this.isOnArrow(event));
      return;
    }
    const place = this.scale.from(...this.placeOf(event));
    if (Math.hypot(...place) < 0.02 * this.scale.reach) return; // zero has no direction
    this.turn(turnTo(this.data.query, place));
  }

  keyUnder(x, y) {
    const row = rowAt(this.geometry, this.rows.length, x, y);
    if (row !== null) return this.rows[row];
    const far = this.data.keys.map((key) => {
      const [left, top] = this.scale.at(key);
      return Math.hypot(x - left, y - top);
    });
    const nearest = far.indexOf(Math.min(...far));
    return far[nearest] < NEAR ? nearest : null;
  }

  drop() {
    if (!this.held) return;
    this.held = false;
    this.sheet.classList.remove("held");
    this.send();
    this.draw();
  }

  press(event) {
    if (isShortcut(event)) return;
    const step = KEYS[event.key];
    if (!step && event.key !== "Home") return;
    take(event);
    const size = event.shiftKey ? Math.sign(step) : step;
    this.turn(event.key === "Home" ? 0 : wrapped(this.degrees + size));
    this.rest();
    this.pause = setTimeout(() => {
      this.pause = null;
      this.send();
    }, PAUSE);
  }

  /** Ends the wait after a key. */
  rest() {
    clearTimeout(this.pause);
    this.pause = null;
  }

  turn(degrees) {
    if (this.degrees === degrees) return;
    this.degrees = degrees;
    this.pointed = null;
    this.soon(() => this.draw());
  }

  /** Tells the server what it does not know; equal messages would not be told apart. */
  send() {
    if (this.degrees === this.known) return;
    [this.known, this.sent] = [this.degrees, Date.now()];
    this.component.setStateValue("turned", { turn: this.degrees + 180, at: this.sent });
  }

  picture() {
    const { marks, geometry, theme } = this;
    return { ...withMargin({ ...geometry, marks }, 16), title: `${this.data.alt} ${this.state()}`, theme };
  }

  /** One line for each key, and one for the query. */
  lines() {
    const { data, attended, degrees } = this;
    const vector = (name, place) => [name, ...place];
    const keys = data.labels.map((label, key) => [
      ...vector(`key ${label}`, data.keys[key]),
      Number.isNaN(attended.angles[key]) ? "" : attended.angles[key],
      attended.inPlane[key],
      attended.products[key],
      attended.weights[key],
    ]);
    const heads = ["vector", ...data.axes, "angle in the plane", "dot product in the plane", "dot product", "weight"];
    return [heads, ...keys, vector(`query turned by ${degrees} degrees`, attended.place)];
  }
}

export default mounting(QueryPlane);
