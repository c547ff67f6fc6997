import type { AccessToken, WebhookLogEntry } from "@media-ops/sdk";

/** The two calls that are measured. Each throws where the service answers with a failure. */
export interface Calls {
  listing(): Promise<WebhookLogEntry[]>;
  mint(): Promise<AccessToken>;
}

/** What the module of each client exports. */
export type CreateCalls = (baseUrl: string, apiKey: string) => Calls;

/** What a caller is asked for. */
export interface Turn {
  readonly operation: keyof Calls;
  readonly calls: number;
}

/** What a turn took, for one call. */
export interface Took {
  readonly us: number;
  /** What was allocated, in the heap and in buffers beside it; not known where garbage was collected meanwhile. */
  readonly bytes: number | undefined;
}
