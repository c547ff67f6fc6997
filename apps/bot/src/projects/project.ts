import type { Ask } from "../connections/client-of.js";
import type { Connection } from "../connections/connections.js";

/** A project that can be asked. */
export interface Project {
  readonly id: string;
  readonly connection: Connection;
  readonly ask: Ask;
}
