import { shortened } from "../attention_view/labels.js";
import { vector } from "../attention_view/vector.js";
import { painted } from "../cell_map/painted.js";
import { csv } from "../takeaway/files.js";

const BORDER = 20;
const TITLED = 56;

/** All panels as one SVG document. */
export function svgOfPanels(view) {
  const page = pageOfPanels(view);
  return new Blob([vector(page.marks, { ...page, title: page.title })], { type: "image/svg+xml" });
}

/** All panels as one PNG. */
export async function pngOfPanels(view) {
  return painted(pageOfPanels(view));
}

/** The maps in view, a row for each pair of words. */
export function csvOfPanels({ scene, maps }) {
  const head = ["model", "map", "target place", "target", "log-probability", "source place", "source", "weight"];
  const rows = scene.panels.flatMap((panel, place) =>
    Array.from(maps[place].values, (weight, cell) => {
      const [row, column] = [Math.floor(cell / scene.sources), cell % scene.sources];
      const sure = panel.logProbabilities?.[row] ?? "";
      const digits = Number.isNaN(weight) ? "" : Number(weight.toPrecision(4));
      return [panel.title, maps[place].name, row, panel.target[row], sure, column, scene.source[column], digits];
    }),
  );
  return csv([head, ...rows]);
}

/** Panels side by side or below one another, as on the screen, each below its title. */
function pageOfPanels({ scene, maps, drawn, theme, isStacked }) {
  const marks = [];
  let [x, y, width, height] = [BORDER, BORDER, 0, 0];
  drawn.forEach(({ marks: own, geometry }, place) => {
    const panel = scene.panels[place];
    const small = { kind: "text", x, size: 12, colour: theme.soft };
    const about = [panel.about, maps[place].name].filter(Boolean).join(" · ");
    marks.push(
      { ...small, y: y + 16, text: panel.title, size: 18, weight: 600, serif: true, colour: theme.ink },
      { ...small, y: y + 36, text: shortened(about, Math.floor(Math.max(30, geometry.width / 6.5))) },
      ...own.map((mark) => movedBy(mark, x, y + TITLED)),
    );
    [width, height] = [Math.max(width, x + geometry.width), Math.max(height, y + TITLED + geometry.height)];
    if (isStacked) y += TITLED + geometry.height + BORDER;
    else x += Math.max(geometry.width, 220) + 2 * BORDER;
  });
  const title = scene.panels.map((panel) => panel.title).join(", ");
  return { marks, width: Math.ceil(width + BORDER), height: Math.ceil(height + BORDER), title, theme };
}

function movedBy(mark, right, down) {
  if (mark.kind !== "curve") return { ...mark, x: mark.x + right, y: mark.y + down };
  return { ...mark, points: mark.points.map((place, index) => place + (index % 2 ? down : right)) };
}
