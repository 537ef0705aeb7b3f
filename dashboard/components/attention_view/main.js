import { mounting } from "./mounting.js";
import { AttentionView } from "./view.js";

export default mounting(AttentionView);
