import type { MediaClient } from "@media-ops/sdk";
import type { Connection } from "../connections/connections.js";

/** A project that can be asked. */
export interface Project {
  readonly id: string;
  readonly connection: Connection;
  readonly client: MediaClient;
}
