/** Offers a file for download. */
export function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Rows of texts and numbers as a CSV file that a spreadsheet opens with all its letters. */
export function csv(rows) {
  const text = rows.map((row) => row.map(field).join(",")).join("\r\n");
  return new Blob(["\ufeff", text, "\r\n"], { type: "text/csv" });
}

/** The text of an SVG as PNG, with two pixels for one. */
export async function pngFrom(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * image.naturalWidth, 2 * image.naturalHeight];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

function field(value) {
  if (typeof value === "number") return value;
  // A cell that starts like a formula would be run by a spreadsheet: it gets an apostrophe.
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
