import { button } from "../slack/controls.js";

/** The control that opens the window for connecting a project. */
export const CONNECT = "connect-project";

interface ConnectButtonOptions {
  /** The project that the window then names. @default none */
  project?: string;
  style?: "primary";
}

/** A button of its own and not one that runs the command: a window must be opened before all other work. */
export function connectButton(label: string, { project, style }: ConnectButtonOptions = {}) {
  return button({ label, action: CONNECT, value: project, style });
}
