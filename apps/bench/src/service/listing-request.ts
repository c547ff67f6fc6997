import { toPost } from "../load/post.js";

/** A request for a listing, as it goes over the wire. */
export const toListing = (path: string, apiKey: string, headers: readonly string[] = []): Buffer =>
  toPost({ path, key: apiKey, body: "{}", headers });
