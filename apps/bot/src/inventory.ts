import { commands } from "./commands.js";
import { actions, forms, shortcuts } from "./controls.js";

/** The names of all that people can type, press, send and choose: for programs that have to try every one of them. */
export const inventory: Readonly<Record<"commands" | "actions" | "forms" | "shortcuts", readonly string[]>> = {
  commands: Object.keys(commands),
  actions: Object.keys(actions),
  forms: Object.keys(forms),
  shortcuts: Object.keys(shortcuts),
};
