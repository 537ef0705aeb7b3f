import { measurer } from "../attention_view/marks.js";
import { mounting } from "../attention_view/mounting.js";
import { csv, download } from "../takeaway/files.js";
import { createRow } from "../takeaway/row.js";
import { mapMarks, pointMarks } from "./drawing.js";
import { cellAt, layoutOf } from "./geometry.js";
import { GridView } from "./grid_view.js";
import { createLegend } from "./legend.js";
import { matrixOf, sentenceOf, asRows, valuesOf } from "./matrix.js";
import { pngOf, svgOf } from "./picture.js";

const PRESENTED = 1.5; // times larger for the projector

class CellMap extends GridView {
  parts() {
    this.legend = createLegend();
    const file = (ending) => `${this.matrix.name}.${ending}`;
    const row = createRow({
      SVG: () => download(svgOf(this.page()), file("svg")),
      PNG: async () => download(await pngOf(this.page()), file("png")),
      CSV: () => download(csv(asRows(this.matrix)), file("csv")),
    });
    return { above: [this.legend.element], below: [row] };
  }

  /** Takes a message in; returns the number of this call. */
  receive(component) {
    const { data } = component;
    this.component = component;
    const values = valuesOf(data);
    if (!values)
      this.send({}); // the server thought that they were here already
    else this.show(data, values);
    return ++this.turn;
  }

  show(data, values) {
    this.matrix = matrixOf(data, values);
    this.begin(data);
    this.legend.show(this.matrix, this.theme);
    this.draw();
  }

  layout() {
    const { matrix, theme, ratio } = this;
    const { present, height } = matrix;
    const zoom = present ? PRESENTED : 1;
    const room = { width: this.drawnWidth, height: height * zoom, zoom, ratio };
    const measure = measurer(theme);
    this.geometry = layoutOf(matrix, room, measure);
    this.marks = mapMarks(matrix, this.geometry, theme, measure);
  }

  get shape() {
    return this.matrix.shape;
  }

  get digest() {
    return this.matrix?.digest;
  }

  get canClick() {
    return this.matrix.canClick;
  }

  get idle() {
    if (this.matrix.present) return "";
    return this.canClick ? "Point at a cell to read it, click to choose it." : "Point at a cell to read it.";
  }

  pointMarks(place) {
    return pointMarks(this.geometry, place, this.theme);
  }

  placeUnder(x, y) {
    return cellAt(this.geometry, this.shape, x, y);
  }

  sentence(place) {
    return sentenceOf(this.matrix, ...place);
  }

  isMarked(row, column) {
    return this.matrix.isMarked(row, column);
  }

  first() {
    return this.matrix.marked[0] ?? [0, 0];
  }

  /** What goes into a picture. */
  page() {
    const { marks, geometry, theme, matrix } = this;
    return { marks, geometry, theme, matrix };
  }
}

export default mounting(CellMap);
