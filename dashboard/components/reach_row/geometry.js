const LEAST = 118; // pixels on a side of a tile, where there is room for more than two beside one another
const MOST = 240;
const GAP = 8;
const BETWEEN = 14; // pixels between two strips

/** Where every tile lies: strips below one another, their tiles in as many lines as it takes. */
export function layoutOf({ strips }, { width, zoom }) {
  const size = 13 * zoom;
  const line = Math.round(size * 1.6);
  const across = acrossOf(
    strips.map(({ tiles }) => tiles.length),
    width,
    zoom,
  );
  const side = Math.floor(Math.min((width - GAP * (across - 1)) / across, MOST * zoom));
  const titles = [];
  const tiles = [];
  let top = 0;
  strips.forEach((strip, number) => {
    const high = Math.round((side * strip.shape[0]) / strip.shape[1]);
    titles.push({ y: top + size, text: strip.title });
    top += Math.round(line * 1.15);
    strip.tiles.forEach((tile, place) => {
      const x = (place % across) * (side + GAP);
      const y = top + Math.floor(place / across) * (high + line + GAP) + line;
      tiles.push({ strip, tile, x, y, width: side, height: high });
    });
    top += Math.ceil(strip.tiles.length / across) * (high + line + GAP) + (number < strips.length - 1 ? BETWEEN : 0);
  });
  return { size, titles, tiles, width: Math.ceil(across * (side + GAP) - GAP), height: Math.ceil(top) };
}

/** As few lines as the room allows, and of those the largest tiles. */
function acrossOf(counts, width, zoom) {
  const most = Math.min(Math.max(...counts), Math.floor((width + GAP) / (LEAST * zoom + GAP)));
  const lines = (across) => counts.reduce((sum, count) => sum + Math.ceil(count / across), 0);
  let best = Math.max(2, most);
  while (best > 2 && lines(best - 1) === lines(best)) best -= 1;
  return best;
}

/** The tile under a point and the cell in it, or null. */
export function cellAt({ tiles }, x, y) {
  const number = tiles.findIndex(
    (each) => x >= each.x && y >= each.y && x < each.x + each.width && y < each.y + each.height,
  );
  if (number < 0) return null;
  const { tile, x: left, y: top, width, height } = tiles[number];
  return {
    number,
    row: Math.floor(((y - top) / height) * tile.rows),
    column: Math.floor(((x - left) / width) * tile.columns),
  };
}
