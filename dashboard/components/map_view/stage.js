import { make, setAttributes } from "../../../core/view/browser/kit/dom.js";
import { ARROWS, take } from "../../../core/view/browser/kit/keyboard.js";
import { boundedView, isWhole, pannedBy, viewBetween, wholeView, zoomedAt } from "./geometry.js";

const FLIGHT = 220; // milliseconds
const STEP = 1.5; // times larger with a key or a button
const WHEEL = 0.0016; // of the logarithm of the zoom, for a pixel of the wheel
const PAN = 0.15; // of the room, for an arrow key
const PLACED = 250; // milliseconds for which the place of the canvas on the screen is taken as known
const CLICK = 4; // pixels that a pointer may move in a click

/**
 * The canvas of the map with its view: wheel, drag, pinch and keys move it. `plot` is { left, top, width, height } of
 * the map in the canvas. `changed(by)` is called after each step, by "hand" or by "flight"; `pointed(place)` with the
 * point of the room under the pointer, null for none; `clicked(place)` with that of a click.
 */
export class MapStage {
  tokens = 1;
  view = null;
  plot = { left: 0, top: 0, width: 1, height: 1 };
  pointers = new Map();
  placed = -Infinity; // when the place of the canvas was read

  constructor({ changed, pointed, clicked, label }) {
    Object.assign(this, { changed, pointed, clicked });
    this.canvas = make("canvas", { "aria-hidden": "true" });
    this.element = make(
      "div",
      {
        class: "field-of-view",
        role: "application",
        "aria-roledescription": "zoomable map",
        "aria-label": label,
        tabindex: 0,
        keydown: (event) => this.press(event),
        pointerdown: (event) => this.down(event),
        pointermove: (event) => this.move(event),
        pointerup: (event) => this.up(event),
        pointercancel: (event) => this.up(event),
        pointerleave: (event) => event.pointerType !== "touch" && this.pointed(null),
        dblclick: (event) => this.zoom(2, this.pointIn(event)),
      },
      this.canvas,
    );
    this.element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  get room() {
    return { width: this.plot.width, height: this.plot.height };
  }

  get isWhole() {
    return !this.view || isWhole(this.view, this.tokens, this.room);
  }

  /** Another text, or another size of the map; the view stays as far as it can. */
  fit(tokens, plot) {
    const wasWhole = this.isWhole || tokens !== this.tokens;
    this.tokens = tokens;
    this.plot = plot;
    this.view = wasWhole || !this.view ? wholeView(tokens, this.room) : boundedView(this.view, tokens, this.room);
    this.markTouch();
  }

  set(view, by) {
    this.view = boundedView(view, this.tokens, this.room);
    this.markTouch();
    this.changed(by);
  }

  /** With the entire map in view a finger scrolls the page, else it moves the map. */
  markTouch() {
    this.element.style.touchAction = this.isWhole ? "pan-y" : "none";
    setAttributes(this.element, { "data-whole": this.isWhole });
  }

  zoom(factor, [x, y] = [this.plot.width / 2, this.plot.height / 2], by = "hand") {
    this.stop();
    this.set(zoomedAt(this.view, factor, [x, y], this.tokens, this.room), by);
  }

  zoomIn(by = 1) {
    if (!this.view) return;
    this.fly(zoomedAt(this.view, STEP ** by, [this.plot.width / 2, this.plot.height / 2], this.tokens, this.room));
  }

  showAll() {
    if (this.view) this.fly(wholeView(this.tokens, this.room));
  }

  /** Moves to a view in a moment; at once where motion is not wanted. */
  fly(target) {
    this.stop();
    const [from, to] = [this.view, boundedView(target, this.tokens, this.room)];
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.set(to, "flight");
      return;
    }
    const start = performance.now();
    const step = (now) => {
      const share = Math.min(1, Math.max(0, (now - start) / FLIGHT));
      this.flight = share < 1 ? requestAnimationFrame(step) : null;
      this.set(share < 1 ? viewBetween(from, to, share) : to, "flight");
    };
    this.flight = requestAnimationFrame(step);
  }

  stop() {
    if (this.flight) cancelAnimationFrame(this.flight);
    this.flight = null;
  }

  /** The point of the room under a pointer. */
  pointIn({ clientX, clientY }) {
    // Reading a place makes the browser lay the page out: during a motion it stays as it is.
    if (performance.now() - this.placed > PLACED) {
      this.box = this.canvas.getBoundingClientRect();
      this.placed = performance.now();
    }
    const { left, top } = this.box;
    return [clientX - left - this.plot.left, clientY - top - this.plot.top];
  }

  isInside([x, y]) {
    return x >= 0 && y >= 0 && x < this.plot.width && y < this.plot.height;
  }

  wheel(event) {
    if (!this.view || event.altKey) return;
    const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1);
    if (pixels > 0 && this.isWhole) return; // the page scrolls on
    event.preventDefault();
    if (event.shiftKey) this.pan(event.deltaX + pixels, 0);
    else
      this.zoom(
        Math.exp(-WHEEL * Math.max(-400, Math.min(400, pixels)) * (event.ctrlKey ? 4 : 1)),
        this.pointIn(event),
      );
  }

  pan(right, down) {
    this.stop();
    this.set(pannedBy(this.view, right, down, this.tokens, this.room), "hand");
  }

  down(event) {
    if (event.button > 0 || !this.view) return;
    this.placed = -Infinity;
    this.stop();
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.start = this.pointers.size === 1 ? { x: event.clientX, y: event.clientY } : null;
    if (event.pointerType !== "touch" || !this.isWhole) this.element.setPointerCapture?.(event.pointerId);
  }

  move(event) {
    const former = this.pointers.get(event.pointerId);
    const point = this.pointIn(event);
    if (!former) {
      if (event.pointerType !== "touch") this.pointed(this.isInside(point) ? point : null);
      return;
    }
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    const now = { x: event.clientX, y: event.clientY };
    this.pointers.set(event.pointerId, now);
    if (!others.length) {
      if (this.start && Math.hypot(now.x - this.start.x, now.y - this.start.y) < CLICK) return;
      this.start = null;
      if (event.pointerType !== "touch" || !this.isWhole) this.pan(former.x - now.x, former.y - now.y);
      return;
    }
    this.pinch(former, now, others[0]);
  }

  /** Two fingers: what is between them stays between them. */
  pinch(former, now, other) {
    const apart = (place) => Math.max(1, Math.hypot(place.x - other.x, place.y - other.y));
    const middle = { clientX: (now.x + other.x) / 2, clientY: (now.y + other.y) / 2 };
    this.zoom(apart(now) / apart(former), this.pointIn(middle));
    this.pan((former.x - now.x) / 2, (former.y - now.y) / 2);
  }

  up(event) {
    const isClick = this.pointers.delete(event.pointerId) && this.start && event.type === "pointerup";
    this.start = null;
    const point = this.pointIn(event);
    if (!isClick || !this.isInside(point)) return;
    this.pointed(point);
    this.clicked(point);
  }

  press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || !this.view) return;
    const step = ARROWS[event.key];
    const zoom = { "+": 1, "=": 1, "-": -1, _: -1 }[event.key];
    if (!step && !zoom && event.key !== "Home") return;
    take(event);
    if (event.key === "Home") this.showAll();
    else if (zoom) this.zoomIn(zoom);
    else {
      const { width, height } = this.plot;
      const [down, right] = event.shiftKey
        ? step.map((one) => one * this.cell)
        : [step[0] * height * PAN, step[1] * width * PAN];
      this.pan(right, down);
    }
    this.pointed(null, "keys");
  }

  /** The pixels of a cell, which a step with Shift moves. */
  cell = 1;
}
