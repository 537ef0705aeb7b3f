import { make } from "../../../core/view/browser/kit/dom.js";
import { mounting, View } from "../../../core/view/browser/kit/mounting.js";

class SectionName extends View {
  build() {
    this.heading = make("h2", { class: "unseen" });
    return make("div", { class: "view" }, this.heading);
  }

  show({ name }) {
    this.heading.textContent = name;
  }
}

export default mounting(SectionName);
