import { boxAt } from "../../../core/view/browser/kit/cells.js";
import { floatsOf } from "../../../core/view/browser/kit/codec.js";
import { asRows, createLegend, matrixOf } from "../../../core/view/browser/kit/matrix.js";
import { mounting } from "../../../core/view/browser/kit/mounting.js";
import {
  decoded,
  framedCell,
  photographFrom,
  photographMark,
  ratioOf,
  sheetOf,
  veil,
  wholeOf,
} from "../../../core/view/browser/kit/photograph.js";
import { GridView } from "../../../core/view/browser/kit/pointed.js";
import { createRow, takesOf } from "../../../core/view/browser/kit/saving.js";

const FINE = 5; // pixels: smaller patches have no lines between them
const VEIL = 0.85; // how opaque the largest value is

class PatchPicker extends GridView {
  parts() {
    this.legend = createLegend();
    const rows = () => asRows(this.matrix);
    const row = createRow(takesOf({ name: () => this.matrix.name, picture: () => this.picture(), rows }));
    this.numbers = [...row.querySelectorAll("[role=menuitem]")].find((item) => item.textContent === "CSV");
    return { above: [this.legend.element], below: [row] };
  }

  show(data) {
    const photograph = data.picture && photographFrom(data.picture, () => this.draw());
    this.image = this.held.take(data.ofPicture, photograph);
    if (!this.image) return this.send({});
    this.open(matrixOf(data, floatsOf(data.values)));
    this.legend.element.hidden = !data.hasValues;
    this.numbers.hidden = !data.hasValues;
    if (data.hasValues) this.legend.show(this.matrix, this.theme);
    this.draw();
  }

  layout() {
    const { matrix, theme, image } = this;
    const box = { width: this.drawnWidth, height: this.present ? this.room - this.around : matrix.height };
    const sheet = sheetOf(matrix.shape, ratioOf(image, matrix.shape), box, { least: 60 });
    this.geometry = sheet;
    this.marks = [
      photographMark(sheet, decoded(image), theme),
      ...(matrix.hasValues ? [veil(sheet, matrix.values, washOf(matrix, theme))] : []),
      ...lines(sheet, theme),
      ...matrix.marked.flatMap((place) => chosenMarks(matrix, sheet, place, theme)),
    ];
  }

  get idle() {
    return this.matrix.hint;
  }

  sentence([row, column]) {
    const { tells, shape, mark } = this.matrix;
    if (!tells.length) return super.sentence([row, column]);
    const told = tells[row * shape.columns + column];
    return this.matrix.isMarked(row, column) ? `${told} (${mark})` : told;
  }

  pointMarks(place) {
    const { ink, paper } = this.theme;
    return framedCell(this.geometry, place, { colour: ink, line: 2, paper });
  }

  picture() {
    const { marks, geometry, theme, matrix } = this;
    return { marks, theme, width: geometry.width, height: geometry.height, title: matrix.alt };
  }
}

function chosenMarks(matrix, sheet, place, { accent, paper }) {
  if (matrix.look === "outline") return framedCell(sheet, place, { colour: accent, line: 3, paper });
  const edge = { kind: "rect", ...boxAt(sheet, place, [1, 1], -0.5), stroke: accent };
  return [{ kind: "rect", ...boxAt(sheet, place), fill: matrix.cover }, ...(isFine(sheet) ? [] : [edge])];
}

function isFine({ cell }) {
  return Math.min(cell.width, cell.height) < FINE;
}

/** The lines between patches. */
function lines(sheet, theme) {
  if (isFine(sheet)) return [];
  const { rows, columns, cell } = sheet;
  const whole = wholeOf(sheet);
  const line = { kind: "rect", ...whole, fill: theme.paper, alpha: 0.55 };
  const places = (count) => Array.from({ length: count - 1 }, (_, place) => place + 1);
  return [
    ...places(columns).map((place) => ({ ...line, x: whole.x + place * cell.width - 0.5, width: 1 })),
    ...places(rows).map((place) => ({ ...line, y: whole.y + place * cell.height - 0.5, height: 1 })),
  ];
}

/** Zero is the picture itself; the larger a value, the less of the picture is left. */
function washOf({ strength, limits }, { ramp }) {
  const isSigned = limits[0] < 0;
  const [low, high] = [ramp.subarray(0, 3), ramp.subarray(-3)];
  return (value) => {
    if (Number.isNaN(value)) return [high, 0];
    const drawn = strength(value);
    return [isSigned && drawn < 0.5 ? low : high, VEIL * (isSigned ? 2 * Math.abs(drawn - 0.5) : drawn)];
  };
}

export default mounting(PatchPicker);
