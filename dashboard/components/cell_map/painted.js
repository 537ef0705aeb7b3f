import { paint } from "../attention_view/marks.js";

/** Marks on paper as a PNG with two pixels for one. */
export function painted({ marks, width, height, theme }) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * width, 2 * height];
  const context = canvas.getContext("2d");
  context.scale(2, 2);
  context.fillStyle = theme.paper;
  context.fillRect(0, 0, width, height);
  paint(context, marks, theme);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}
