/** Put the address of the page, which holds the whole state, on the clipboard; the button says so for a moment. */
export async function copyLink(button) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(location.href);
    button.textContent = "Link copied";
  } catch {
    // Without https the browser gives no clipboard; the address bar still has the link.
    button.textContent = "Copy it from the address bar";
  }
  setTimeout(() => (button.textContent = label), 1600);
}

export function saveText(text, name, type) {
  saveBlob(new Blob([text], { type }), name);
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
  const lines = [["matrix", "row", "row label", "column", "column label", "value"], ...rows];
  saveText(["\ufeff", lines.map((line) => line.map(quoted).join(",")).join("\r\n"), "\r\n"].join(""), name, "text/csv");
}

function quoted(value) {
  if (typeof value === "number") return value;
  // A label that starts like a formula would be run by a spreadsheet: it gets an apostrophe.
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** An SVG as PNG, twice as fine. */
export async function savePicture(svg, name) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * image.naturalWidth, 2 * image.naturalHeight];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => saveBlob(blob, name), "image/png");
}

function saveBlob(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
