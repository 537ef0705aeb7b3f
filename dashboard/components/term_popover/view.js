import { make } from "../../../core/view/browser/kit/dom.js";
import { mounting, View } from "../../../core/view/browser/kit/mounting.js";

const LINKS = 'a[href^="glossary?term="]';
const GAP = 8; // pixels from the link, and from the edge of the window
const REST = 200; // milliseconds that a mouse rests on a link before it is explained, and off it before that goes

/** The sentence for a term and the way to what shows it, beside the link that was tapped, clicked, focused or hovered. */
class TermPopover extends View {
  build() {
    this.says = make("p", { id: "term-says" });
    const leads = { target: "_blank", rel: "noopener" }; // as Streamlit's own links in prose do
    this.way = make("a", leads);
    this.all = make("a", leads, "Glossary");
    const ways = make("p", { class: "ways" }, this.way, this.all);
    return make("div", { class: "term-popover", popover: "auto", role: "dialog" }, this.says, ways);
  }

  show() {
    this.hear ??= this.listen();
    if (this.link && !this.link.isConnected) this.hide();
  }

  listen() {
    const { signal } = this.lifetime;
    const on = (name, heard) => document.addEventListener(name, heard, { capture: true, signal });
    on("click", (event) => this.clicked(event));
    on("focusin", ({ target }) => target.matches?.(":focus-visible") && this.explain(this.termLink(target)));
    on("focusout", ({ target, relatedTarget }) => this.left(target, relatedTarget));
    on("pointerover", (event) => event.pointerType === "mouse" && this.hovered(event.target));
    on("keydown", (event) => event.key === "Escape" && this.link && this.escaped(event));
    on("scroll", () => this.link && this.soon(() => this.place()));
    this.root.addEventListener("toggle", ({ newState }) => newState === "closed" && this.forget());
    return true;
  }

  /** The link to a term that this is, or is in; null if there is none, or no such term. */
  termLink(element) {
    const link = element.closest?.(LINKS);
    return link && this.termOf(link) ? link : null;
  }

  termOf(link) {
    const name = new URLSearchParams(link.search).get("term");
    return Object.hasOwn(this.data.terms, name) ? { name, ...this.data.terms[name] } : null;
  }

  clicked(event) {
    const link = this.termLink(event.target);
    if (!link || this.root.contains(link) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    clearTimeout(this.resting);
    this.explain(link);
    this.stays = true;
    if (event.detail === 0) this.way.focus(); // by the Enter key
  }

  hovered(element) {
    clearTimeout(this.resting);
    const link = this.root.contains(element) ? null : this.termLink(element);
    if (link && link !== this.link) this.resting = setTimeout(() => this.explain(link), REST);
    else if (this.link && !link && !this.stays && !this.root.contains(element)) {
      this.resting = setTimeout(() => this.link !== document.activeElement && this.hide(), REST);
    }
  }

  /** Goes with the focus, except into the explanation itself. */
  left(from, to) {
    if (!this.link || !to || to === this.link || this.root.contains(to)) return;
    if (from === this.link || this.root.contains(from)) this.hide();
  }

  escaped(event) {
    event.preventDefault();
    event.stopPropagation(); // a projector's view would end as well
    const { link } = this;
    if (this.root.contains(document.activeElement)) link.focus();
    this.hide();
  }

  explain(link) {
    if (!link || link === this.link) return;
    this.hide();
    const { name, says, place, at } = this.termOf(link);
    this.root.setAttribute("aria-label", name);
    this.says.replaceChildren(make("strong", {}, name), ` ${says}`);
    this.way.replaceChildren(`Where to see it: ${place}`);
    this.way.setAttribute("href", at);
    this.all.setAttribute("href", link.getAttribute("href"));
    this.link = link;
    link.setAttribute("aria-describedby", this.says.id);
    this.root.showPopover({ source: link }); // so that the Tab key leads from the link into it
    this.place();
  }

  /** Below the link, or above where there is more room; inside the window. */
  place() {
    if (!this.link) return;
    const at = this.link.getBoundingClientRect();
    if (at.bottom <= 0 || at.top > innerHeight) return this.hide();
    const { offsetWidth, offsetHeight, style } = this.root;
    const below = at.bottom + GAP;
    const fits = below + offsetHeight + GAP <= innerHeight || at.top < innerHeight - at.bottom;
    style.left = `${Math.max(GAP, Math.min(at.left, document.documentElement.clientWidth - offsetWidth - GAP))}px`;
    style.top = `${fits ? below : at.top - GAP - offsetHeight}px`;
  }

  hide() {
    if (this.root.matches(":popover-open")) this.root.hidePopover();
    this.forget();
  }

  forget() {
    if (this.root.matches(":popover-open")) return; // it was opened again before it heard of having been closed
    this.link?.removeAttribute("aria-describedby");
    this.link = null;
    this.stays = false;
  }

  draw() {
    this.place();
  }

  destroy() {
    clearTimeout(this.resting);
    this.hide();
    super.destroy();
  }
}

export default mounting(TermPopover);
