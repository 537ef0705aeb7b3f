import { csv, download, pngFrom } from "../takeaway/files.js";

/** The text of an SVG as a file. */
export function saveDrawing(svg, name) {
  download(new Blob([svg], { type: "image/svg+xml" }), name);
}

/** The text of an SVG as a PNG file. */
export async function savePicture(svg, name) {
  download(await pngFrom(svg), name);
}

/** All numbers of these matrices as CSV, one in each row. */
export function saveRows(matrices, name) {
  const rows = matrices.flatMap((matrix) =>
    Array.from(matrix.values, (value, place) => {
      const [row, column] = [Math.floor(place / matrix.columns), place % matrix.columns];
      const labels = [matrix.rowLabels?.[row] ?? "", matrix.columnLabels?.[column] ?? ""];
      return [matrix.name, row, labels[0], column, labels[1], value];
    }),
  );
  download(csv([["matrix", "row", "row label", "column", "column label", "value"], ...rows]), name);
}
