import type { Json } from "./model.js";

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

/** A call that exceeds a rate limit; answered with 429. */
export class RateLimited extends Refusal {
  /** The wait before the next call, in seconds. */
  readonly retryAfter: number;

  constructor(retryAfter: number) {
    super("ratelimited");
    this.retryAfter = retryAfter;
  }
}
