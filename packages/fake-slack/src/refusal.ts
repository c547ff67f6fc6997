import type { Json } from "./world/model.js";

/** A call that Slack refuses; answered as `{ ok: false, error }`. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  /** Slack's error code: `channel_not_found`. */
  readonly error: string;
  /** Further members of the response. */
  readonly extra: Json;

  constructor(error: string, extra: Json = {}) {
    super(error);
    this.error = error;
    this.extra = extra;
  }
}
