import type { Logger } from "pino";
import type { Config } from "./config.js";

/** What the service gets from outside. */
export interface Surroundings {
  readonly config: Config;
  readonly log: Logger;
  readonly now: () => number;
}
