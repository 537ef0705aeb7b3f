import { clearedContext, fitCanvas, pixelRatio } from "../attention_view/canvas.js";
import { applyTheme, readTheme } from "../attention_view/colour.js";
import { make } from "../attention_view/dom.js";
import { paint } from "../attention_view/marks.js";

/**
 * A drawing that can be pointed at, reached with the keyboard and clicked, and a sentence below it for what is pointed
 * at. What it shows is for the views made from it, which give: `kind` (the class of the whole), `frame()` (attributes
 * of the drawing), `parts()` (elements above and below it), `layout()` (sets `geometry` and `marks`),
 * `pointMarks(place)`, `placeUnder(x, y)`, `sentence(place)`, `first()`, `idle`, `press(event)` and `click(place)`.
 */
export class PointedView {
  constructor(host) {
    this.turn = 0;
    this.place = null; // what the pointer or the keyboard is at
    this.build(host);
    this.stop = new AbortController();
    document.fonts.addEventListener("loadingdone", () => this.draw(), { signal: this.stop.signal });
    this.sizes = new ResizeObserver(() => this.root.clientWidth !== this.drawnWidth && this.draw());
    this.sizes.observe(this.root);
  }

  build(host) {
    const point = (event) => this.point(this.under(event));
    this.base = make("canvas", { "aria-hidden": "true" });
    this.over = make("canvas", {
      class: "over",
      "aria-hidden": "true",
      pointermove: point,
      pointerdown: point,
      pointerleave: () => this.point(null),
      click: (event) => this.click(this.under(event)),
    });
    const keys = { keydown: (event) => this.press(event), blur: () => this.point(null) };
    this.map = make("div", { class: "map", tabindex: 0, ...this.frame(), ...keys }, this.base, this.over);
    this.map.addEventListener(
      "focus",
      () => this.map.matches(":focus-visible") && this.point(this.place ?? this.first()),
    );
    this.tell = make("p", { class: "tell" });
    const { above, below } = this.parts();
    this.root = make("div", { class: this.kind }, ...above, this.map, this.tell, ...below);
    host.append(this.root);
  }

  /** Colours and size of letters, before anything is drawn. */
  wear({ palettes, present }) {
    this.theme = readTheme(this.root, palettes, present);
    applyTheme(this.root, this.theme);
    this.root.classList.toggle("present", present);
  }

  /** Draws everything that the content and the width of the page decide. */
  draw() {
    if (!this.theme) return;
    this.drawnWidth = this.root.clientWidth;
    this.ratio = pixelRatio();
    this.layout();
    for (const canvas of [this.base, this.over]) fitCanvas(canvas, this.geometry, this.ratio);
    paint(clearedContext(this.base, this.ratio), this.marks, this.theme);
    this.point(this.place);
  }

  /** Draws what follows the pointer and says the sentence of its place. */
  point(place) {
    if (!this.geometry) return;
    this.place = place;
    paint(clearedContext(this.over, this.ratio), place ? this.pointMarks(place) : [], this.theme);
    this.tell.classList.toggle("idle", !place);
    this.tell.textContent = place ? this.sentence(place) : this.idle;
  }

  under(event) {
    const { left, top } = this.over.getBoundingClientRect();
    return this.geometry ? this.placeUnder(event.clientX - left, event.clientY - top) : null;
  }

  destroy() {
    this.stop.abort();
    this.sizes.disconnect();
    this.root.remove();
  }
}
