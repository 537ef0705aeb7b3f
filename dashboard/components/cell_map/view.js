import { outline } from "../../../core/view/browser/kit/cells.js";
import { floatsOf } from "../../../core/view/browser/kit/codec.js";
import { columnText, layoutOf, mapMarks, rowText } from "../../../core/view/browser/kit/grid.js";
import { measurer, pixelRatio } from "../../../core/view/browser/kit/marks.js";
import { asRows, coloursOf, createLegend, endsOf, kindsOf, matrixOf } from "../../../core/view/browser/kit/matrix.js";
import { mounting } from "../../../core/view/browser/kit/mounting.js";
import { GridView } from "../../../core/view/browser/kit/pointed.js";
import { createRow, scaleMarks, takesOf, withMargin } from "../../../core/view/browser/kit/saving.js";

const PRESENTED = 1.5; // times larger for the projector
const MARGIN = 16; // of a picture
const SWATCH = 12;
const LINE = 26; // the height of a line of the legend

class CellMap extends GridView {
  parts() {
    this.legend = createLegend();
    const rows = () => asRows(this.matrix);
    const row = createRow(takesOf({ name: () => this.matrix.name, picture: () => this.picture(), rows }));
    return { above: [this.legend.element], below: [row] };
  }

  show(data) {
    const values = this.held.take(data.digest, data.values && floatsOf(data.values));
    if (!values) return this.send({});
    this.open(matrixOf(data, values));
    this.legend.show(this.matrix, this.theme);
    this.draw();
  }

  layout() {
    const { matrix, theme } = this;
    const zoom = this.present ? PRESENTED : 1;
    const height = this.present ? this.room - this.around : matrix.height;
    const room = { width: this.drawnWidth, height, zoom, ratio: pixelRatio(), fills: this.present };
    const measure = measurer(theme);
    this.geometry = layoutOf(matrix, room, measure);
    this.marks = mapMarks(matrix, this.geometry, theme, measure);
  }

  get idle() {
    return this.matrix.canClick ? "Point at a cell to read it, click to choose it." : "Point at a cell to read it.";
  }

  /** The cell under the pointer, with its labels. */
  pointMarks([row, column]) {
    const { geometry, theme } = this;
    const label = { weight: 600, backed: theme.paper };
    return [
      ...outline(geometry, [row, column], { colour: theme.ink, line: 2, paper: theme.paper }),
      { ...rowText(geometry, row, theme.ink), ...label },
      { ...columnText(geometry, column, theme.ink), ...label },
    ];
  }

  /** The map below its legend. */
  picture() {
    const { matrix, marks, geometry, theme } = this;
    const measure = measurer(theme);
    const legend = matrix.kinds.length
      ? kindMarks(matrix, geometry, theme, measure)
      : scaleMarks(endsOf(matrix), coloursOf(matrix, theme), MARGIN, theme, measure);
    const header = { height: LINE, ...legend, marks: legend.marks.map((mark) => ({ ...mark, y: mark.y + MARGIN })) };
    return { ...withMargin({ ...geometry, marks }, MARGIN, header), title: matrix.alt, theme };
  }
}

/** The kinds side by side, in as many lines as they need above the map. */
function kindMarks(matrix, geometry, theme, measure) {
  const marks = [];
  let [x, line, width] = [0, 0, 0];
  for (const [name, colour] of kindsOf(matrix, theme)) {
    const wide = SWATCH + 6 + measure(name, SWATCH);
    if (x && x + wide > geometry.width) [x, line] = [0, line + 1];
    const [left, top] = [MARGIN + x, line * LINE];
    marks.push({ kind: "rect", x: left, y: top, width: SWATCH, height: SWATCH, fill: colour });
    const word = { kind: "text", x: left + SWATCH + 6, y: top + 11, text: name, size: SWATCH, colour: theme.soft };
    marks.push(word);
    width = Math.max(width, x + wide);
    x += wide + MARGIN;
  }
  return { width, height: (line + 1) * LINE, marks };
}

export default mounting(CellMap);
