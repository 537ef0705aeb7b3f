import { codesFrom, jsonFrom, thumbnailsFrom } from "./server.js";

const OFTEN = 1000; // milliseconds between two questions while the text is read
const SELDOM = 10000; // and afterwards: the sign that somebody still looks
const OVERVIEW = 350; // between two questions for the progress of an overview

/**
 * What the server knows of a reading, asked for again and again. `heard` has `state(state)`, `text(labels, marks)`,
 * `thumbnails(layer, maps)`, `overview(progress)` for the open head, and `failed(sentence)`.
 */
export class Reading {
  state = null;
  thumbnails = []; // the maps of the heads by layer
  overview = null; // { done, total, ready, first } of the open head
  lifetime = new AbortController();

  constructor(base, heard) {
    Object.assign(this, { base, heard });
    this.ask();
  }

  end() {
    this.lifetime.abort();
    clearTimeout(this.asking);
    clearTimeout(this.watching);
  }

  get isEnded() {
    return this.lifetime.signal.aborted;
  }

  get isReading() {
    return this.state !== null && this.state.done < this.state.total && !this.state.error;
  }

  json(path) {
    return jsonFrom(`${this.base}/${path}`, this.lifetime.signal);
  }

  async ask() {
    let isGone = false;
    try {
      const state = await this.json("state");
      this.state = state;
      this.heard.state(state);
      this.fetchText();
      this.fetchThumbnails();
    } catch (error) {
      isGone = error.status === 404;
      if (!this.isEnded)
        this.heard.failed(isGone ? error.message : "The server does not answer; the map asks it again.");
    }
    if (this.isEnded || isGone) return;
    this.asking = setTimeout(() => this.ask(), this.isReading || !this.state ? OFTEN : SELDOM);
  }

  async fetchText() {
    if (this.text) return;
    this.text = this.json("text");
    try {
      const { labels, marks } = await this.text;
      this.heard.text(labels, marks);
    } catch {
      this.text = null; // asked for again with the next state
    }
  }

  /** The thumbnails of all layers that are read, one layer after the other. */
  async fetchThumbnails() {
    if (this.isFetching) return;
    this.isFetching = true;
    try {
      while (!this.isEnded && this.thumbnails.length < this.state.read) {
        const layer = this.thumbnails.length;
        const codes = await codesFrom(`${this.base}/thumbnails/${layer}`, this.lifetime.signal);
        this.thumbnails.push(thumbnailsFrom(codes, this.state.tokens));
        this.heard.thumbnails(layer, this.thumbnails[layer]);
      }
    } catch {
      // asked for again with the next state
    } finally {
      this.isFetching = false;
    }
  }

  /** Starts the overview of a head and follows its progress. */
  async watch(layer, head) {
    clearTimeout(this.watching);
    this.watched = `${layer}/${head}`;
    this.overview = null;
    const name = this.watched;
    const follow = async () => {
      try {
        const overview = await this.json(`pyramid/${name}`);
        if (this.watched !== name || this.isEnded) return;
        this.overview = overview;
        this.heard.overview(overview);
        if (overview.ready) return;
      } catch {
        if (this.watched !== name || this.isEnded) return;
      }
      this.watching = setTimeout(follow, OVERVIEW);
    };
    await follow();
  }
}
