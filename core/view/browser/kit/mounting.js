import { mendHistory } from "./address.js";
import { applyTheme, readTheme } from "./colour.js";

export const ROOM_CHANGED = "atlas-room"; // an event of the window: a figure has more or less height on a projector

const SCREEN = 0.78; // of the screen's height: for a figure of a projector that is not the first of its section
const mounted = new WeakMap(); // views by the element that holds them

/** What Streamlit calls for each new message and each new theme; one view lives as long as its element. */
export function mounting(Own) {
  return (component) => {
    mendHistory();
    const host = component.parentElement;
    if (!mounted.has(host)) mounted.set(host, { view: new Own(host), turn: 0 });
    const own = mounted.get(host);
    own.turn += 1;
    const { turn } = own;
    own.view.receive(component);
    return () => {
      if (own.turn !== turn) return; // an older call is cleaned up after a newer one has begun
      own.view.destroy();
      mounted.delete(host);
    };
  };
}

/** The height in pixels that a view which holds `element` may have on a projector. */
export function heightFor(element) {
  return parseFloat(getComputedStyle(element).getPropertyValue("--room")) || SCREEN * window.innerHeight;
}

/**
 * What all views have in common. A view gives `build()`, which returns its element, `show(data)` for each message, and
 * `draw()` for what also depends on the width and the fonts; it may keep its place in the address in `address`.
 */
export class View {
  constructor(host) {
    this.root = this.build();
    host.append(this.root);
    this.lifetime = new AbortController(); // its signal ends the listeners outside of the view's own element
    document.fonts.addEventListener("loadingdone", () => this.redraw(), { signal: this.lifetime.signal });
    window.addEventListener(ROOM_CHANGED, () => this.present && this.redraw(), { signal: this.lifetime.signal });
    this.sizes = new ResizeObserver(() => this.data && this.resized());
    this.sizes.observe(this.root);
  }

  /** Takes a message in. */
  receive(component) {
    this.component = component;
    this.data = component.data;
    this.present = this.data.present;
    this.asked = "";
    this.theme = readTheme(this.root, this.data.palettes, this.present);
    applyTheme(this.root, this.theme);
    this.root.classList.toggle("present", this.present);
    this.show(this.data);
  }

  draw() {}

  /** The height in pixels that the view may have on a projector: what is left of the screen, or most of it. */
  get room() {
    return heightFor(this.root);
  }

  /** Gives words on a projector the largest letters, in pixels, with which they fit their room; elsewhere their own. */
  grow(least, most) {
    this.root.style.fontSize = "";
    if (!this.present) return;
    const fits = (size) => {
      this.root.style.fontSize = `${size}px`;
      return this.root.offsetHeight <= this.room && this.root.scrollWidth <= this.root.clientWidth;
    };
    for (let size = most; size > least && !fits(size); ) size -= 2;
    if (!fits(parseFloat(this.root.style.fontSize))) this.root.style.fontSize = `${least}px`;
  }

  redraw() {
    if (this.data) this.draw();
  }

  resized() {
    if (this.root.clientWidth !== this.drawnWidth) this.draw();
  }

  /** Does something once before the next picture, however often it is asked for until then. */
  soon(work) {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      work();
    });
  }

  /** Asks the server for something; an equal wish is not sent twice before a message has come. */
  ask(name, wish) {
    const text = JSON.stringify(wish);
    if (this.asked === text) return;
    this.asked = text;
    this.component.setStateValue(name, wish);
  }

  destroy() {
    cancelAnimationFrame(this.frame);
    this.lifetime.abort();
    this.sizes.disconnect();
    this.address?.destroy();
    this.root.remove();
  }
}

/**
 * One large content that the server need not send again: the server is told `digest`, and leaves out what has it.
 * It names what is held now and nothing else. Where a message leaves out another content, nothing is claimed any more:
 * the next answer then holds everything, so that a second question cannot follow.
 */
export class Held {
  digest = "";
  content = null;

  /** The content of a message, as it was sent (null: left out) or as it is held; null where it must be asked for. */
  take(digest, sent) {
    if (sent !== null) [this.digest, this.content] = [digest, sent];
    else if (digest !== this.digest) [this.digest, this.content] = ["", null];
    return this.content;
  }
}
