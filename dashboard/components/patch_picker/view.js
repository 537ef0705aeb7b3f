import { bytesOf } from "../attention_view/codec.js";
import { mounting } from "../attention_view/mounting.js";
import { vector } from "../attention_view/vector.js";
import { cellAt } from "../cell_map/geometry.js";
import { GridView } from "../cell_map/grid_view.js";
import { createLegend } from "../cell_map/legend.js";
import { asRows, matrixOf, sentenceOf } from "../cell_map/matrix.js";
import { painted } from "../cell_map/painted.js";
import { csv, download } from "../takeaway/files.js";
import { createRow } from "../takeaway/row.js";
import { pickerMarks, pictureLayout, underPointer } from "./drawing.js";

const PRESENTED = 1.4; // times larger for the projector

class PatchPicker extends GridView {
  parts() {
    this.legend = createLegend();
    const file = (ending) => `${this.matrix.name}.${ending}`;
    const row = createRow({
      SVG: () => download(new Blob([vector(this.page().marks, this.page())], { type: "image/svg+xml" }), file("svg")),
      PNG: async () => download(await painted(this.page()), file("png")),
      CSV: () => download(csv(asRows(this.matrix)), file("csv")),
    });
    this.numbers = [...row.querySelectorAll("button")].find((button) => button.textContent === "CSV");
    return { above: [this.legend.element], below: [row] };
  }

  /** Takes a message in; returns the number of this call. */
  receive(component) {
    const { data } = component;
    this.component = component;
    if (data.picture) this.load(data);
    if (this.digest === data.ofPicture) this.show(data);
    else this.ask();
    return ++this.turn;
  }

  /** The server thought that the picture was here already: say that it is not. */
  ask() {
    this.digest = "";
    this.send({});
  }

  load(data) {
    this.digest = data.ofPicture;
    this.image = new Image();
    this.image.addEventListener("load", () => this.draw());
    this.image.src = data.picture;
  }

  show(data) {
    this.matrix = matrixOf(data, new Float32Array(bytesOf(data.values).buffer));
    this.begin(data);
    this.legend.element.hidden = !data.hasValues;
    this.numbers.hidden = !data.hasValues;
    if (data.hasValues) this.legend.show(this.matrix, this.theme);
    this.draw();
  }

  layout() {
    const { matrix, theme } = this;
    const image = this.image.complete && this.image.naturalWidth ? this.image : null;
    const height = matrix.height * (matrix.present ? PRESENTED : 1);
    this.geometry = pictureLayout(this.shape, image, { width: this.drawnWidth, height });
    this.marks = pickerMarks(matrix, this.geometry, image, theme);
  }

  get shape() {
    return this.matrix.shape;
  }

  get canClick() {
    return this.matrix.canClick;
  }

  get idle() {
    return this.matrix.present ? "" : this.matrix.hint;
  }

  pointMarks(place) {
    return underPointer(this.geometry, place, this.theme);
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

  /** What goes into a file. */
  page() {
    const { marks, theme, geometry } = this;
    return { marks, theme, width: geometry.width, height: geometry.height, title: this.matrix.alt };
  }
}

export default mounting(PatchPicker);
