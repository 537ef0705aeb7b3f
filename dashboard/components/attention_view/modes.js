import { layoutMap, mapAt, mapMarks, mapMarksOver } from "./heatmap.js";
import { layoutLines, lineMarks, lineMarksOver, linesAt } from "./lines.js";
import { layoutPicture, pictureAt, pictureMarks, pictureMarksOver, pictureSequence } from "./picture.js";

/** The ways to look at a head, as the visitor reads them. */
export const VIEWS = { map: "Map", lines: "Lines", text: "Text", picture: "Picture" };

/** Those that are drawn on a canvas; the text is made of words that can be selected and read aloud. */
export const DRAWN = {
  map: { layout: layoutMap, marks: mapMarks, over: mapMarksOver, at: mapAt },
  lines: { layout: layoutLines, marks: lineMarks, over: lineMarksOver, at: linesAt },
  picture: { layout: layoutPicture, marks: pictureMarks, over: pictureMarksOver, at: pictureAt },
};

/** The views that make sense of a layer: text mode needs two texts, picture mode a picture. */
export function viewsOf(layer) {
  const texts = layer.query.kind === "text" && layer.key.kind === "text";
  return ["map", "lines", ...(texts ? ["text"] : []), ...(pictureSequence(layer) ? ["picture"] : [])];
}
