import { codesFrom, tileFrom } from "./server.js";

const KEPT = 200; // tiles, about half a megabyte each
const AT_ONCE = 6; // requests
const PAUSE = 2000; // milliseconds until a tile that failed is asked for again

/** The tiles of the map: those in view are fetched, the latest are kept, requests of others are ended. */
export class TileStore {
  tiles = new Map(); // by their addresses, the latest last
  pending = new Map(); // what ends the requests, by address
  failed = new Map(); // when requests failed, by address
  root = "";

  /** `arrived` is called for each tile that comes, `failing` with the error of one that does not. */
  constructor({ arrived, failing }) {
    Object.assign(this, { arrived, failing });
  }

  /** Opens the head whose tiles lie at an address. */
  open(root) {
    this.root = root;
    this.want([]);
  }

  nameOf({ depth, row, column }) {
    return `${this.root}/${depth}/${row}/${column}`;
  }

  /** A tile that is here, or undefined. */
  get(place) {
    const name = this.nameOf(place);
    const tile = this.tiles.get(name);
    if (tile) {
      this.tiles.delete(name);
      this.tiles.set(name, tile);
    }
    return tile;
  }

  /** Fetches tiles in this order; all other requests end. */
  want(places) {
    this.wanted = new Set(places.map((place) => this.nameOf(place)));
    for (const [name, request] of this.pending) if (!this.wanted.has(name)) request.abort();
    this.start();
  }

  start() {
    for (const name of this.wanted) {
      if (this.pending.size >= AT_ONCE) return;
      const isPaused = Date.now() - (this.failed.get(name) ?? 0) < PAUSE;
      if (!this.tiles.has(name) && !this.pending.has(name) && !isPaused) this.fetch(name);
    }
  }

  async fetch(name) {
    const request = new AbortController();
    this.pending.set(name, request);
    try {
      this.keep(name, tileFrom(await codesFrom(name, request.signal)));
    } catch (error) {
      if (!request.signal.aborted) this.failed.set(name, Date.now());
      if (!request.signal.aborted && error.status !== 425) this.failing(error);
    } finally {
      if (this.pending.get(name) === request) this.pending.delete(name);
      this.start();
    }
  }

  keep(name, tile) {
    this.failed.delete(name);
    this.tiles.set(name, tile);
    for (const [oldest, old] of this.tiles) {
      if (this.tiles.size <= KEPT) break;
      old.bitmap?.close();
      this.tiles.delete(oldest);
    }
    this.arrived();
  }

  /** Forgets everything. */
  clear() {
    this.want([]);
    for (const { bitmap } of this.tiles.values()) bitmap?.close();
    this.tiles.clear();
    this.failed.clear();
  }
}
