import { deepestOf, depthOf, pointOf, standIn, TILE, tilesInView, tokenRange } from "./geometry.js";
import { bitmapOf, coloursOfHalves, halfValue, largestCode } from "./painting.js";

export const SETTLED = 140; // milliseconds after the last motion until the scale of colours follows
const SHARP = 3; // pixels of the screen from which cells have hard edges

/**
 * Draws the cells of one head: tiles where they are, coarser ones or the thumbnail until they come. The scale of
 * colours ends at the largest cell in view; while the map moves it stays.
 */
export class CellPainter {
  limits = new Map(); // the end of the scale by depth
  tables = new Map(); // colours by what they depend on
  look = { kind: "share", scale: "log" };

  constructor(tiles) {
    this.tiles = tiles;
  }

  /** Another head or text: nothing of the scales stays. */
  reset() {
    this.limits.clear();
    this.thumbnail = null;
    this.limit = null;
  }

  /** Other colours, or another scale. */
  restyle(theme, look) {
    this.theme = theme;
    if (look.kind !== this.look.kind) this.limits.clear();
    this.look = look;
    this.tables.clear();
  }

  /** Paints the cells of a view on a context whose unit is a pixel of the page; returns what is still missing. */
  paint(context, { view, plot, tokens, ratio, isCausal, isMoving, canCompute }) {
    const room = { width: plot.width, height: plot.height };
    const depth = depthOf(view.scale, ratio, tokens);
    const places = tilesInView(view, room, depth, tokens, isCausal);
    if (!isMoving || !this.limits.has(depth)) this.measure(places, depth, view, room, tokens);
    Object.assign(this, { depth, limit: this.limits.get(depth) ?? null });
    context.save();
    context.beginPath();
    const from = pointOf(view, room, { query: 0, key: 0 });
    const to = pointOf(view, room, { query: tokens, key: tokens });
    const [left, top] = [Math.max(0, from.x), Math.max(0, from.y)];
    context.rect(
      plot.left + left,
      plot.top + top,
      Math.min(plot.width, to.x) - left,
      Math.min(plot.height, to.y) - top,
    );
    context.clip();
    context.fillStyle = this.theme.paper;
    context.fillRect(plot.left, plot.top, plot.width, plot.height);
    const spot = { context, view, room, plot, ratio };
    if (places.some((place) => !this.tiles.get(place))) this.paintThumbnail(spot);
    const missing = [];
    for (const place of places) {
      const tile = this.tiles.get(place);
      if (tile) this.paintCells(spot, place, tile, { x: 0, y: 0, columns: tile.columns, rows: tile.rows }, depth);
      else {
        if (canCompute(depth)) missing.push(place);
        this.paintStandIn(spot, place, tokens);
      }
    }
    context.restore();
    return { depth, missing, places };
  }

  /** The largest value in view among the tiles of a depth that are here becomes the end of its scale. */
  measure(places, depth, view, room, tokens) {
    const size = 2 ** depth;
    const [rows, columns] = ["query", "key"].map((name) => tokenRange(view, room, name, tokens));
    let largest = 0;
    for (const { row, column } of places) {
      const tile = this.tiles.get({ depth, row, column });
      if (!tile) continue;
      const clipped = ([first, last], from, count) => [
        Math.max(0, Math.floor(first / size) - from * TILE),
        Math.min(count, Math.ceil(last / size) - from * TILE),
      ];
      const [top, bottom] = clipped(rows, row, tile.rows);
      const [left, right] = clipped(columns, column, tile.columns);
      largest = Math.max(largest, largestCode(tile, tile[this.look.kind], { top, bottom, left, right }));
    }
    if (largest) this.limits.set(depth, halfValue(largest));
  }

  paintStandIn(spot, place, tokens) {
    for (let up = 1; place.depth + up <= deepestOf(tokens); up++) {
      const above = standIn(place, up);
      const tile = this.tiles.get(above);
      if (!tile) continue;
      const { x, y, size } = above.part;
      const part = { x, y, columns: Math.min(size, tile.columns - x), rows: Math.min(size, tile.rows - y) };
      if (part.columns > 0 && part.rows > 0) this.paintCells(spot, above, tile, part, above.depth);
      return;
    }
  }

  /** Some cells of a tile at their place. */
  paintCells({ context, view, room, plot, ratio }, { row, column, depth }, tile, part, scaleDepth) {
    this.colour(tile, scaleDepth);
    const cell = 2 ** depth;
    const at = (x, y) => {
      const point = pointOf(view, room, { query: (row * TILE + y) * cell, key: (column * TILE + x) * cell });
      return [plot.left + point.x, plot.top + point.y].map((pixel) => Math.round(pixel * ratio) / ratio);
    };
    const [left, top] = at(part.x, part.y);
    const [right, bottom] = at(part.x + part.columns, part.y + part.rows);
    context.imageSmoothingEnabled = cell * view.scale * ratio < SHARP || depth > this.depth;
    const { x, y, columns, rows } = part;
    context.drawImage(tile.bitmap, x, y, columns, rows, left, top, right - left, bottom - top);
  }

  paintThumbnail({ context, view, room, plot }) {
    const map = this.thumbnail;
    if (!map) return;
    this.colour(map, "thumbnail");
    const from = pointOf(view, room, { query: 0, key: 0 });
    const side = map.columns * map.block * view.scale;
    context.imageSmoothingEnabled = true;
    context.drawImage(map.bitmap, plot.left + from.x, plot.top + from.y, side, side);
  }

  /** Gives cells their colours, if they have not got them yet. */
  colour(cells, depth) {
    const { kind, scale } = this.look;
    const codes = cells[kind] ?? cells.share;
    const all = { top: 0, left: 0, bottom: cells.rows, right: cells.columns };
    const limit = this.limits.get(depth) ?? halfValue(largestCode(cells, codes, all));
    const stamp = `${kind} ${scale} ${limit} ${this.theme.paper} ${this.theme.ink}`;
    if (cells.stamp === stamp) return;
    if (this.tables.size > 30) this.tables.clear();
    if (!this.tables.has(stamp)) this.tables.set(stamp, coloursOfHalves(this.theme, scale, limit));
    cells.bitmap?.close();
    cells.bitmap = bitmapOf(cells, codes, this.tables.get(stamp));
    cells.stamp = stamp;
  }

  /** The code of the cell at a token of each axis; null where its tile is not here. */
  codeAt(query, key) {
    const [row, column] = [query, key].map((token) => Math.floor(token / 2 ** this.depth));
    const place = { depth: this.depth, row: Math.floor(row / TILE), column: Math.floor(column / TILE) };
    const tile = this.tiles.get(place);
    return tile ? (tile[this.look.kind][(row % TILE) * tile.columns + (column % TILE)] ?? null) : null;
  }
}
