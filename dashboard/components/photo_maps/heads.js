import { make } from "../attention_view/dom.js";
import { paint } from "../attention_view/marks.js";
import { mapMarksOver, sheetOf } from "./drawing.js";
import { headTitle } from "./sentences.js";

const SIDE = 180; // pixels of a thumbnail's longer side, at most; the style sheet makes it smaller

/** All heads of the layer in view, each with its map over the photograph; a click chooses. */
export function createHeadGrid({ pick }) {
  const name = make("b");
  const note = make("span");
  const caption = make("p", { class: "caption" }, name, note);
  const grid = make("div", { class: "heads", role: "group", "aria-label": "Heads" });
  const element = make("section", { class: "all" }, caption, grid);
  let thumbs = [];
  let written = null;

  function write(layer) {
    if (written === layer) return;
    written = layer;
    thumbs = Array.from({ length: layer.heads }, (_, head) => {
      const canvas = make("canvas", { "aria-hidden": "true" });
      const title = headTitle(layer, head);
      const number = make("span", { class: "number", "aria-hidden": "true" }, String(head));
      const cell = make(
        "button",
        { type: "button", class: "thumb", "aria-label": title, title, click: () => pick(head) },
        canvas,
        number,
      );
      return { canvas, cell };
    });
    grid.replaceChildren(...thumbs.map(({ cell }) => cell));
    grid.style.setProperty("--across", acrossFor(layer.heads));
    name.textContent = layer.heads === 1 ? "The only head" : `All ${layer.heads} heads`;
  }

  /** `views` are { map, kept } by head, null while they are not here. */
  function show(layer, views, { chosen, look, about }) {
    write(layer);
    note.textContent = about;
    thumbs.forEach(({ canvas, cell }, head) => {
      cell.setAttribute("aria-pressed", String(head === chosen));
      cell.classList.toggle("unknown", !views[head]);
      if (views[head]) draw(canvas, layer, views[head], look);
    });
  }

  return { element, show };
}

/** How many thumbnails stand side by side: full rows where there are few heads. */
function acrossFor(heads) {
  if (heads <= 4) return heads === 4 ? 2 : heads;
  return heads === 5 || heads === 6 || heads === 9 ? 3 : heads > 16 ? 6 : 4;
}

function draw(canvas, layer, view, look) {
  const sheet = sheetOf(layer, look.photograph.ratio(layer), { width: SIDE, height: SIDE }, 0);
  if (canvas.width !== sheet.width || canvas.height !== sheet.height)
    [canvas.width, canvas.height] = [sheet.width, sheet.height];
  const context = canvas.getContext("2d");
  context.clearRect(0, 0, canvas.width, canvas.height);
  paint(context, mapMarksOver(sheet, view, look, true), look.theme);
}
