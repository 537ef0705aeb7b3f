import { make, setAttributes } from "../attention_view/dom.js";
import { PointedView } from "./pointed_view.js";

const FAR = 10; // rows for Page Up and Page Down
const CELL_ID = "atlas-cell"; // unique within the component's own part of the page

/**
 * Cells in rows and columns that can be pointed at, walked through with the keyboard and clicked; a place is the row
 * and the column of a cell. Views made from it give, besides what PointedView leaves to them: `shape`, `canClick`,
 * `isMarked(row, column)`.
 */
export class GridView extends PointedView {
  build(host) {
    this.cell = make("div", { role: "gridcell", id: CELL_ID });
    this.line = make("div", { role: "row", class: "unseen" }, this.cell);
    super.build(host);
    this.map.append(this.line);
  }

  get kind() {
    return "cells";
  }

  frame() {
    return { role: "grid" };
  }

  /** Colours, size of the grid and what it is called. */
  begin(data) {
    this.wear(data);
    this.map.classList.toggle("clickable", data.canClick);
    const { rows, columns } = this.shape;
    if (this.place && (this.place[0] >= rows || this.place[1] >= columns)) this.place = null;
    setAttributes(this.map, { "aria-label": data.alt, "aria-rowcount": rows, "aria-colcount": columns });
  }

  point(place) {
    super.point(place);
    if (this.geometry) this.describe();
  }

  /** The one cell of the grid that a screen reader can be at. */
  describe() {
    const [row, column] = this.place ?? this.first();
    setAttributes(this.line, { "aria-rowindex": row + 1 });
    setAttributes(this.cell, {
      "aria-colindex": column + 1,
      "aria-selected": String(this.isMarked(row, column)),
      "aria-label": this.sentence([row, column]),
    });
    setAttributes(this.map, { "aria-activedescendant": this.place ? CELL_ID : null });
  }

  press(event) {
    if (event.altKey || event.metaKey) return;
    const [row, column] = this.place ?? this.first();
    const { rows, columns } = this.shape;
    const isFar = event.ctrlKey;
    const next = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      PageUp: [row - FAR, column],
      PageDown: [row + FAR, column],
      Home: [isFar ? 0 : row, 0],
      End: [isFar ? rows - 1 : row, columns - 1],
    }[event.key];
    const isChosen = event.key === "Enter" || event.key === " ";
    if (!next && !isChosen) return;
    event.preventDefault();
    event.stopPropagation();
    if (isChosen) this.click(this.place);
    else this.point([within(next[0], rows), within(next[1], columns)]);
  }

  click(place) {
    if (place && this.canClick) this.send({ row: place[0], column: place[1] });
  }

  /** Tells the server of a click, and what is here; equal messages would not be told apart. */
  send(clicked) {
    this.component.setStateValue("clicked", { ...clicked, have: this.digest ?? "", at: Date.now() });
  }
}

function within(place, count) {
  return Math.min(count - 1, Math.max(0, place));
}
