import { mendHistory } from "./address.js";
import { applyTheme, readTheme } from "./colour.js";

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
