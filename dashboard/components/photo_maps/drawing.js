import { bordersOf } from "../../../core/view/browser/kit/cells.js";
import { lineMark } from "../../../core/view/browser/kit/marks.js";
import { framedCell } from "../../../core/view/browser/kit/photograph.js";

/** Outlines: windows, what the threshold leaves, the place that asks (`chosen`), the one under the pointer. */
export function outlineMarks(sheet, { layer, map, kept, share, from, chosen, hovered }, { theme }) {
  const { left, top, cell } = sheet;
  const at = (column, row) => [left + column * cell.width, top + row * cell.height];
  const line =
    (colour, width) =>
    ([fromColumn, fromRow, toColumn, toRow]) =>
      lineMark(at(fromColumn, fromRow), at(toColumn, toRow), colour, width);
  const marks = [];
  if (map.groups) {
    const isOne = from.kind === "patch";
    const own = isOne ? map.groups.map((window) => Number(window === map.groups[from.place])) : map.groups;
    const borders = bordersOf(own, layer, isOne ? 0 : -2);
    if (isOne) marks.push(...borders.map(line(theme.paper, 4)));
    marks.push(...borders.map(line(isOne ? theme.ink : theme.soft, isOne ? 1.8 : 1)));
  }
  if (share < 1) {
    const borders = bordersOf(kept, layer);
    marks.push(...borders.map(line(theme.paper, 4.5)), ...borders.map(line(theme.ink, 2)));
  }
  const frame = (place, colour, width) => {
    const own = [Math.floor(place / layer.columns), place % layer.columns];
    marks.push(...framedCell(sheet, own, { colour, line: width, paper: theme.paper }));
  };
  if (from.kind === "same") for (const place of samePlaces(layer, from.place)) frame(place, theme.accent, 2);
  if (chosen !== null) frame(chosen, theme.accent, 3);
  if (hovered !== null && hovered !== chosen) frame(hovered, theme.ink, 2);
  return marks;
}

function samePlaces({ windows: { at, where, count, positions } }, place) {
  const position = at[place] % positions;
  const places = Array.from({ length: count }, (_, window) => where[window * positions + position]);
  return places.filter((cell) => cell >= 0);
}
