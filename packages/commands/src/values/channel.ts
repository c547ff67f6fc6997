import { text } from "./text.js";
import type { ValueType } from "./value-type.js";

/** What is typed for every channel. */
export const EVERY_CHANNEL = "*";

const name = text({ name: "channel", example: "lobby" });

/** A channel's name, or every channel. */
export const channel: ValueType<string> = {
  ...name,
  describe: (value, context) => (value === EVERY_CHANNEL ? "every channel" : name.describe(value, context)),
};
