import { make } from "../../../core/view/browser/kit/dom.js";
import { tokenRange } from "./geometry.js";

/** The entire map in a corner with a frame around what is in view; dragging moves it: `go(query, key)` in tokens. */
export function createMinimap({ go }) {
  const canvas = make("canvas", { "aria-hidden": "true" });
  const frame = make("i", { class: "frame" });
  const drag = (event) => event.buttons > 0 && move(event);
  const hold = (event) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    move(event);
  };
  const own = { pointerdown: hold, pointermove: drag, dblclick: (event) => event.stopPropagation() };
  const element = make("div", { class: "minimap", "aria-hidden": "true", ...own }, canvas, frame);
  let tokens = 1;

  function move(event) {
    event.stopPropagation();
    const { left, top, width, height } = element.getBoundingClientRect();
    go(((event.clientY - top) / height) * tokens, ((event.clientX - left) / width) * tokens);
  }

  /** `paint(canvas)` draws the thumbnail, once for each head. */
  function write(paint) {
    paint(canvas);
  }

  function show(view, room, count, isWhole) {
    tokens = count;
    element.hidden = isWhole;
    if (isWhole) return;
    const [top, bottom] = tokenRange(view, room, "query", tokens);
    const [left, right] = tokenRange(view, room, "key", tokens);
    const percent = (part) => `${(100 * part) / tokens}%`;
    Object.assign(frame.style, { top: percent(top), left: percent(left) });
    Object.assign(frame.style, { height: percent(bottom - top), width: percent(right - left) });
  }

  return { element, write, show };
}
