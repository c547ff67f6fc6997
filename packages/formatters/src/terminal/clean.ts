import { oneLine } from "../values/text.js";
import { easyWidth } from "./width.js";

/** Characters that no standard knows yet, or that a font has for itself: each terminal gives them another width. */
const UNSURE = /[\p{Cn}\p{Co}]/gu;

/** Begins with a mark that would stand on whatever is before it. */
const HANGING = /^\p{M}/u;

/**
 * A text from outside as it may be shown in a terminal: on one line, and every sign in it that could move the cursor,
 * change colours, turn the direction of writing or hide something as one that can be seen.
 */
export function clean(text: string): string {
  return easyWidth(text) >= 0 ? text : oneLine(text).replace(UNSURE, "\ufffd").replace(HANGING, "◌$&");
}
