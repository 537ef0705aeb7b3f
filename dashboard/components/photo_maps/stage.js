import { clearedContext, fitCanvas, pixelRatio } from "../attention_view/canvas.js";
import { make, setAttributes } from "../attention_view/dom.js";
import { paint } from "../attention_view/marks.js";
import { cellUnder, sheetOf } from "./drawing.js";
import { createHeadGrid } from "./heads.js";
import { percent } from "./sentences.js";

/** The photograph under its caption, all heads beside it, and what is said about them. */
export function createStage({ hover, choose, press, pick }) {
  let sheet = null;
  const canvas = make("canvas", {
    "aria-hidden": "true",
    pointermove: (event) => event.pointerType !== "touch" && hover(under(event)),
    pointerleave: () => hover(null),
    click: (event) => choose(under(event)),
  });
  const figure = make("div", { class: "photo", role: "img", tabindex: 0, keydown: press }, canvas);
  const title = make("b");
  const scale = make("span", { class: "scale" });
  const main = make("section", { class: "main" }, make("p", { class: "caption" }, title, scale), figure);
  const heads = createHeadGrid({ pick });
  const told = make("p", { class: "told", "aria-live": "polite" });
  const pointed = make("p", { class: "pointed" });
  const beside = make("div", { class: "beside" }, heads.element, make("div", { class: "reading" }, told, pointed));
  const element = make("div", { class: "stage" }, main, beside);

  function under(event) {
    if (!sheet) return null;
    const { left, top } = canvas.getBoundingClientRect();
    return cellUnder(sheet, event.clientX - left, event.clientY - top);
  }

  /** Gives the map of a layer its place over the photograph; returns where everything lies. */
  function layOut(layer, ratio, tallest) {
    sheet = sheetOf(layer, ratio, { width: main.clientWidth, height: tallest });
    fitCanvas(canvas, sheet, pixelRatio());
    return sheet;
  }

  function draw(marks, theme) {
    paint(clearedContext(canvas, pixelRatio()), marks, theme);
  }

  /** `spoken` is what a screen reader hears of the photograph; null leaves it as it was. */
  function tell({ name, largest, reading, about, spoken }) {
    title.textContent = name;
    scale.replaceChildren("0", make("i", { "aria-hidden": "true" }), percent(largest));
    told.textContent = reading;
    pointed.textContent = about;
    if (spoken !== null) setAttributes(figure, { "aria-label": spoken });
  }

  return { element, heads, layOut, draw, tell };
}
