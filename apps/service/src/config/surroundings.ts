import type { Logger } from "pino";
import type { Config } from "./config.js";

/** The clocks of this process. */
export interface Clocks {
  /** The wall clock, in ms since 1970. It may be set at any time. */
  now(): number;
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
}

/** The dependencies with which the service starts. */
export interface Surroundings extends Clocks {
  readonly config: Config;
  readonly log: Logger;
}
