import type { Json } from "../world/model.js";

/** What Slack does not do. Thrown by whatever finds it out, answered as `{ ok: false, error }`. */
export class Refusal extends Error {
  /** In Slack's word: `channel_not_found`. */
  readonly error: string;
  /** What the answer has besides. */
  readonly extra: Json;

  constructor(error: string, extra: Json = {}) {
    super(error);
    this.name = "Refusal";
    this.error = error;
    this.extra = extra;
  }
}
